"""`lanista.open_record`: a record as a sequence of positions."""

import gzip
import json
import pickle

import pytest

import lanista
from lanista_client import AngryMobState, CrematoriaState, HogwartsState
from library.bots import PATIENT
from page.records import void

FOURS = {
    "hogwarts": (HogwartsState, {"NUM_ROUNDS": 20}),
    "crematoria": (CrematoriaState, {"nb_rounds": 20}),
}


@pytest.fixture
def replay(here):
    settings = {"move_limit": 20}
    bots = ("RandomRunners", "GravityGoers")
    return lanista.play("angrymob", bots, seed=4, settings=settings, **PATIENT).replay()


def test_it_is_a_sequence_of_positions(replay):
    assert 21 == len(replay) == replay.verify() + 1
    assert list(range(21)) == [position.turn for position in replay]
    assert ("angrymob", 4, (0, 0)) == (replay.game, replay.seed, replay.clock)
    assert replay.match.turns == 20
    last = replay[-1]
    assert ((None, None), (None, None), ("", "")) == (last.answers, last.times, last.logs)
    assert [19, 20] == [position.turn for position in replay[19:]]
    assert replay.match.scores == last.scores
    assert ((), ()) == replay[5].faults


def test_the_turn_that_made_a_match_void_is_not_counted(tmp_path):
    """It wasn't carried out, so no position follows it."""
    replay = lanista.open_record(void(tmp_path))
    assert ("void", 1) == (replay.match.end, replay.match.turns)
    assert replay[replay.match.turns] == replay[-1]


def test_a_replay_can_be_sent_to_another_process_after_its_states_were_looked_at(replay):
    replay[3].state  # noqa: B018 - it is kept
    position = pickle.loads(pickle.dumps(replay[5]))
    assert vars(position.state) == vars(replay[5].state)


def test_states_are_those_that_the_bots_saw(replay):
    """In whatever order they are asked for; each is an object of its own."""
    states = [position.state for position in replay]
    assert all(isinstance(state, AngryMobState) for state in states)
    assert list(range(21)) == [state.turn for state in states]
    assert vars(states[12]) == vars(replay[12].state)  # going back begins anew
    assert vars(states[20]) == vars(replay[-1].state)
    assert states[20].neutral != states[0].neutral
    other = replay[12].state_of(1)
    assert (other.mine, other.theirs, 1) == (states[12].theirs, states[12].mine, other.seat)
    answer = [int(word) for word in replay[12].answers[0].split()]
    assert list(states[13].moved[0]) == list(zip(*[iter(answer)] * 4, strict=True))


@pytest.mark.parametrize("game", FOURS)
def test_states_of_games_for_four(game):
    kind, settings = FOURS[game]
    bots = ["Demo", "Demo", "Demo", "Null"]
    match = lanista.play(game, bots, seed=2, settings=settings, **PATIENT)
    replay = match.replay()
    state = replay[-1].state
    assert isinstance(state, kind)
    assert match.scores == tuple(state.score) == replay[-1].scores
    assert None not in replay[0].times


def test_the_first_difference_from_another_match(replay):
    """It is the difference that `lanista replay diff` tells, as an object."""
    assert not replay.first_difference(replay).found
    how = {"seed": 4, "settings": {"move_limit": 20}, **PATIENT}
    other = lanista.play("angrymob", ["RandomRunners", "CamperJoe"], **how).replay()
    difference = replay.first_difference(other)
    assert isinstance(difference, lanista.Difference)
    answers = [(one.answers, two.answers) for one, two in zip(replay, other, strict=False)]
    turn = next(turn for turn, (one, two) in enumerate(answers) if one != two)
    assert (True, turn, [1]) == (
        difference.found,
        difference.turn,
        [seat.seat for seat in difference.seats],
    )
    assert ("seat 1 is 'GravityGoers' in A, 'CamperJoe' in B",) == difference.start


def test_it_is_written_as_other_files(replay, here):
    assert replay.to_html("match.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert replay.to_image("end.png", size=4).read_bytes().startswith(b"\x89PNG")
    assert replay.to_gif(here / "all.gif", last=3, size=4).read_bytes().startswith(b"GIF89a")
    with pytest.raises(lanista.BadInputError, match=r"turn 21; expected a .* from 0 to 20"):
        replay.to_image("x.png", turn=21)
    with pytest.raises(lanista.BadInputError, match=r"last 3; expected a .* from 5 to 20"):
        replay.to_gif("x.gif", first=5, last=3)
    with pytest.raises(lanista.FileError, match=r"can't write nowhere/x\.png: No such file"):
        replay.to_image("nowhere/x.png")
    replay.path.unlink()
    for write in (replay.to_html, replay.to_image, replay.to_gif):
        with pytest.raises(lanista.FileError, match=r"^can't read .*: No such file"):
            write("x")


def test_a_changed_record_is_found_where_it_differs(replay, here):
    lines = gzip.decompress(replay.path.read_bytes()).splitlines()
    turn = json.loads(lines[8])
    turn["digest"] = "0" * 16
    lines[8] = json.dumps(turn).encode()
    (here / "changed.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    changed = lanista.open_record("changed.jsonl")
    with pytest.raises(lanista.MismatchError, match="turn 7: digest "):
        changed.verify()
    assert 7 == changed[7].state.turn
    for _ in range(2):
        with pytest.raises(lanista.MismatchError, match="turn 7: digest "):
            changed[8].state  # noqa: B018 - it raises


def test_a_file_that_is_no_record_is_told(replay, here):
    with pytest.raises(lanista.FileError, match=r"can't read none\.gz: No such file or directory"):
        lanista.open_record("none.gz")
    (here / "cut.gz").write_bytes(replay.path.read_bytes()[:-20])
    with pytest.raises(lanista.BadRecordError, match=r"cut\.gz: damaged gzip data"):
        lanista.open_record("cut.gz")
    with pytest.raises(lanista.BadInputError, match="seat 2; expected a whole number from 0 to 1"):
        replay[0].state_of(2)
