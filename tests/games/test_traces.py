"""Matches of the original programs: from seed and orders, every byte of the match file, and back.

tests/traces holds the programs' own match files, and what the players submitted.
"""

import attrs
import pytest

from lanista.games.base import Late
from lanista.games.originals import Explanation, of_game, of_text
from support import crematoria, hogwarts

GAMES = {"hogwarts": hogwarts, "crematoria": crematoria}
TRACES = [(game, name) for game, support in GAMES.items() for name in support.TRACES.names]
AS_THE_ORIGINAL = {"hogwarts": {"original": 1}, "crematoria": {}}
"""By game, the settings beside the defaults by which it is the original's."""
LIVELY = ("05_s7_Dummy-Dummy-Dummy-Dummy", "05_Dummy-Serox-DFS-alfus_s11")
STRESS = "10_s404_Stress-Stress-Stress-Stress"
SCORES = {
    "01_Demo-Demo-Demo-Demo_s30": (276, 235, 247, 231),
    "02_Null-Null-Null-Null_s1": (39, 33, 36, 34),
    "03_Dummy-Dummy-Dummy-Dummy_s7": (456, 383, 398, 477),
    "05_Dummy-Serox-DFS-alfus_s11": (414, 457, 295, 919),
    "07_DFS-DFSo-DFSv2-Demo_s2024": (1138, 325, 117, 53),
    "08_Alba_v1-Alba_v2-Alba_v3-Alba_v4_s99": (367, 365, 302, 574),
    "10_Null-Demo-Dummy-alfus_s5": (9, 69, 602, 1319),
}
"""The final scores of Crematoria's traces, which aren't in its match files."""


def traces(*always):
    """A test of every trace; in a short run, of these alone if any are given.

    Every trace is compared as a whole in any run; for other questions, one answers as well as
    eight.
    """
    cases = [
        pytest.param(
            *trace, id=trace[1], marks=pytest.mark.long if always and trace[1] not in always else ()
        )
        for trace in TRACES
    ]
    return pytest.mark.parametrize(("game", "name"), cases)


def first_difference(expected, actual):
    """The first line that differs, which says more than two megabytes do."""
    lines = zip(expected.split("\n"), actual.split("\n"), strict=False)
    at, (one, other) = next(pair for pair in enumerate(lines, 1) if pair[1][0] != pair[1][1])
    return f"line {at}: expected {one!r}, got {other!r}"


def test_the_traces_are_here():
    assert (8, list(SCORES)) == (len(hogwarts.TRACES.names), list(crematoria.TRACES.names))


@traces()
def test_a_match_of_the_original_comes_out_byte_for_byte(game, name):
    file, expected = GAMES[game].TRACES.match(name), GAMES[game].TRACES.text(name)
    played, turns = GAMES[game].TRACES.replayed(name, **AS_THE_ORIGINAL[game])
    made = "".join(GAMES[game].match_text(played, turns, seed=file.seed, names=file.names))
    if expected != made:
        pytest.fail(first_difference(expected, made))
    if game == "crematoria":
        assert SCORES[name] == played.scores()


def test_no_answer_is_no_orders():
    """A match of four silent players is the one of four that give no orders."""
    silent = [[Late()] * 4] * 120
    made = crematoria.match_text(crematoria.new_game(1), silent, seed=1, names=["Null"] * 4)
    assert crematoria.TRACES.text("02_Null-Null-Null-Null_s1") == "".join(made)


@traces(STRESS, LIVELY[1])
def test_a_match_file_of_the_original_is_written_as_it_was_read(game, name):
    assert GAMES[game].TRACES.text(name) == GAMES[game].write_res(GAMES[game].TRACES.match(name))


@traces(*LIVELY, STRESS)
def test_a_match_of_the_original_is_explained_from_its_file_alone(game, name):
    file = GAMES[game].TRACES.match(name)
    rounds = len(file.commands)
    assert Explanation(rounds=rounds, of=rounds) == of_game(game).explain(file, "original")


@traces(*LIVELY)
def test_a_file_shows_what_the_game_shows(game, name):
    played, turns = GAMES[game].TRACES.replayed(name, **AS_THE_ORIGINAL[game])
    text, file = GAMES[game].TRACES.text(name), GAMES[game].TRACES.match(name)
    shown = of_text(text).show(text)
    assert (game, played.scene(), file.settings) == (shown.game, shown.scene, shown.settings)
    assert (file.seed, file.names) == (shown.seed, shown.names)
    assert f"s{shown.seed}" in name.split("_")
    frames = iter(shown.frames)
    assert (played.frame(), played.scores()) == next(frames)
    for turn, (frame, scores) in zip(turns, frames, strict=True):
        played.advance(turn)
        # A file doesn't have the orders that changed nothing.
        assert (attrs.evolve(played.frame(), idle={}), played.scores()) == (frame, scores)


@pytest.mark.parametrize(("game", "name"), [*zip(GAMES, LIVELY, strict=True)])
def test_a_position_stays_as_it_is(game, name):
    """A position that is kept for the next frame doesn't change with the game."""
    played, turns = GAMES[game].TRACES.replayed(name)
    position = played.seen()
    kept = attrs.astuple(position)
    played.advance(next(turns))
    assert kept == attrs.astuple(position)
    assert kept != attrs.astuple(played.seen())


@pytest.mark.parametrize("name", [pytest.param(LIVELY[0], marks=pytest.mark.long), STRESS])
def test_the_texts_rules_give_another_match_which_is_explained_by_them_alone(name):
    """rules/hogwarts.md 18, rows 1, 3 and 4: the same seed and orders, and invariants hold."""
    explain = of_game("hogwarts").explain
    game, turns = hogwarts.TRACES.replayed(name)
    file = hogwarts.TRACES.match(name)

    def checked():
        for turn in turns:
            hogwarts.check_invariants(game)
            yield turn

    made = hogwarts.res_of(game, checked(), seed=file.seed, names=file.names)
    assert file.states[0] == made.states[0]
    assert file != made
    assert Explanation(rounds=200, of=200, rules="text") == explain(made, "text")
    by_the_original = explain(made, "original")
    assert "the spell captured" in by_the_original.problem
    spells = [at for at, done in enumerate(made.commands) if any(one.groups for one in done)]
    assert spells[0] == by_the_original.rounds
    assert "the spell captured" in explain(file, "text").problem
