"""What a seat was told, made again from the record: the same bytes as in the match."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.games import registry
from lanista.match.record import BadRecordError, read_record
from lanista.match.replay import payloads
from lanista_protocol import parse_hello
from match.playing import (
    ANGRYMOB,
    CAPTURE,
    COUNTING,
    answers,
    failures_of,
    leaves,
    random_match,
    verdicts,
)

GAMES = {
    "angrymob": (ANGRYMOB, ["Ann v=1", "Bob v=1"], {"move_limit": 6}),
    "angrymob in both dialects": (ANGRYMOB, ["Ann", "Bob v=1 notes=1"], {"move_limit": 6}),
    "counting": (COUNTING, ["Ann v=1", "Bob v=1 notes=1", "Cy v=1"], {"rounds": 6}),
    "hogwarts": (
        registry.get("hogwarts"),
        ["Ann v=1", "Bob v=1 notes=1", "Cy v=1", "Di v=1 notes=1"],
        {"NUM_ROUNDS": 4},
    ),
    "crematoria": (
        registry.get("crematoria"),
        ["Ann v=1", "Bob v=1 notes=1", "Cy v=1", "Di v=1 notes=1"],
        {"nb_rounds": 4},
    ),
}


@pytest.mark.parametrize("name", ["angrymob", "angrymob in both dialects", "counting"])
@given(seed=st.integers(0, 2**31 - 1))
def test_it_is_what_was_sent(tmp_path_factory, name, seed):
    check_told(tmp_path_factory.mktemp("feed"), name, seed)


@pytest.mark.parametrize("name", ["hogwarts", "crematoria"])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 12))]
)
def test_it_is_what_was_sent_in_games_of_four(tmp_path, name, seed):
    check_told(tmp_path, name, seed)


def check_told(folder, name, seed):
    """Byte for byte, notes and all, for each turn in which a seat was asked."""
    ruleset, hellos, settings = GAMES[name]
    table = random_match(folder, ruleset, hellos, settings, seed, nonsense=0.3)
    record = read_record(table.path)
    for seat, end in enumerate(table.bots):
        told = list(payloads(record, ruleset, seat))
        assert len(told) == sum(turn[seat] != "out" for turn in verdicts(record))
        again = b"".join(told)
        heard = end.heard
        common = min(len(again), len(heard))
        assert again[:common] == heard[:common]
        assert len(again) <= len(heard) or end._from_arena.broken, "it heard less than all"


@pytest.mark.parametrize(("hello", "is_told"), [("Ann v=1 notes=1", True), ("Ann v=1", False)])
async def test_a_bot_may_ask_for_notes_that_the_recorded_one_did_not(
    autojump_clock, counting, hello, is_told
):
    """In a game that goes on after faults, and the other way round too."""
    table = counting(rounds=2)
    record = await table.play(*[answers("what?", "1")] * 3)
    turns = list(payloads(record, COUNTING, 0, parse_hello(hello)))
    assert is_told == turns[1].startswith(b"note malformed 0 ")


async def test_a_bot_may_speak_another_dialect_than_the_recorded_one(autojump_clock, angrymob):
    table = angrymob()
    record = await table.play(answers(*CAPTURE), answers("", ""))
    classic = list(payloads(record, ANGRYMOB, 1, parse_hello("Old")))
    assert [b"2 2\nB .\n. A\n", b"0 0 1 0\n"] == classic
    assert b"start m1\n" == next(payloads(record, ANGRYMOB, 1))[:9]


async def test_a_record_of_what_is_never_sent_is_said_to_be_one(autojump_clock, angrymob):
    """Strangers write records; `lanista replay feed` ended by a traceback."""
    table = angrymob()
    record = await table.play(answers(*CAPTURE), answers("", ""))
    header = record.header
    nobody = attrs.evolve(header.players[1], name="")
    for changed in (
        attrs.evolve(header, clock=attrs.evolve(header.clock, time_move=-1.0)),
        attrs.evolve(header, match="two words"),
        attrs.evolve(header, seat_seeds=(-1, 2**40)),
        attrs.evolve(header, players=(header.players[0], nobody)),
    ):
        with pytest.raises(BadRecordError, match=r"^the record can't be sent: "):
            next(payloads(attrs.evolve(record, header=changed), ANGRYMOB, 0))


async def test_a_failure_tells_the_last_two_turns(autojump_clock, angrymob):
    """What a bundle is made of is what the record gives again, with its answer and its log."""
    table = angrymob(move_limit=9, seed=3, board=None)
    record = await table.play(answers("", "", "# to the north\n0 0 1 7"), answers("", "", ""))
    (failure,) = failures_of(table.match)
    (reason,) = failure.reasons
    sent = list(payloads(record, ANGRYMOB, 0))
    assert (0, "Ann") == (failure.seat, failure.name)
    assert reason.startswith("turn 2, submove 0: illegal: ")
    turns = [attrs.astuple(turn)[:4] for turn in failure.turns]
    assert [(1, sent[1], "", ""), (2, sent[2], "0 0 1 7", "# to the north\n")] == turns
    assert [record.turns[1].times[0], record.turns[2].times[0]] == [
        turn.times for turn in failure.turns
    ]
    assert [0.2, 0.2] == [turn.limit for turn in failure.turns]


async def test_who_went_out_early_keeps_its_own_last_turns(autojump_clock, counting):
    """In a game that goes on without it; whoever plays to the end has no failure."""
    table = counting(rounds=6)
    await table.play(leaves(2), answers(*"111111"), answers(*"111111"))
    (failure,) = failures_of(table.match)
    assert ("disconnected: closed its connection",) == failure.reasons
    assert [1, 2] == [turn.turn for turn in failure.turns]
    assert ["1", None] == [turn.answer for turn in failure.turns]
