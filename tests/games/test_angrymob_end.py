"""How a match of Angry Mob ends (rules/angrymob.md 3), row by row."""

import pytest

from lanista.games.base import Answer, Late, Malformed, Missing, Out, Refusal, RefusalCode
from lanista.games.outcome import Outcome, Termination
from support.angrymob import at, neutral, play, start, units, verdict

FIELD = """\
3 4
A . 5 .
. . . .
. 5 . B
"""
FAULTS = [
    Late(),
    Malformed(Refusal(RefusalCode.MALFORMED, "no numbers")),
    Missing(),
    Out(),
    Answer((), {0: ("not allowed",)}),
]


def finished(ranks, scores, reason):
    return Outcome(termination=Termination.FINISHED, ranks=ranks, scores=scores, reason=reason)


def forfeited(ranks, scores):
    return Outcome(termination=Termination.FORFEIT, ranks=ranks, scores=scores, reason="forfeit")


ENDS = {
    "seat 0 conquers a base": (
        ({(2, 2): 3, (1, 0): 4}, {(0, 1): 2, (1, 3): 6}),
        ("2 2 1 0", ""),
        finished((1, 2), (7, 8), "capture"),
    ),
    "seat 1 conquers a base": (
        ({(2, 2): 3, (1, 0): 4}, {(0, 1): 2, (1, 3): 6}),
        ("", "0 1 1 2"),
        finished((2, 1), (7, 8), "capture"),
    ),
    "both bases are conquered": (
        ({(2, 2): 3}, {(0, 1): 20}),
        ("2 2 3 0", "0 1 20 2"),
        finished((1, 1), (3, 20), "both-captured"),
    ),
    "both have no units": (
        ({(1, 1): 5}, {(1, 2): 5}),
        ("1 1 5 0", ""),
        finished((1, 1), (0, 0), "no-units"),
    ),
    # It is a capture, although the opponent's units are gone.
    "the last units take a base": (
        ({(2, 2): 2}, {(2, 3): 1}),
        ("2 2 2 0", ""),
        finished((1, 2), (1, 0), "capture"),
    ),
    # The base is empty then, and nobody's.
    "all units fall on a base": (
        ({(2, 2): 5, (0, 0): 1}, {(2, 3): 5, (0, 3): 90}),
        ("2 2 5 0", ""),
        None,
    ),
}
"""The units of both, their moves, the outcome."""


@pytest.mark.parametrize(("before", "moves", "outcome"), ENDS.values(), ids=ENDS)
def test_how_a_match_stands_after_a_move(before, moves, outcome):
    game = at(FIELD, *before)
    play(game, *moves)
    assert outcome == game.outcome()
    assert game.turn == 1


def test_one_player_without_units_goes_on_until_the_other_decides():
    """Nothing can stop the other; its moves decide."""
    game = at(FIELD, {(1, 1): 5}, {(1, 2): 6})
    play(game, "1 1 5 0", "")
    assert (0, 1) == game.scores()
    assert game.outcome() is None
    play(game, "", "1 2 1 2")
    assert game.outcome() is None
    play(game, "", "1 1 1 2")
    play(game, "", "1 0 1 1")
    assert finished((2, 1), (0, 1), "capture") == game.outcome()


def test_the_default_move_limit_is_2400():
    """The 2400th move ends it, the 2399th doesn't."""
    game = start(FIELD)
    nothing = [Answer(()), Answer(())]
    for _ in range(2399):
        game.advance(nothing)
    assert game.outcome() is None
    game.advance(nothing)
    assert finished((1, 1), (1, 1), "move-limit") == game.outcome()
    assert game.turn == 2400


def test_a_capture_in_the_last_move_is_a_win():
    """The limit is for matches without a capture."""
    game = start(FIELD, move_limit=1)
    game.units[0][10] = 3  # (2, 2), beside the base of seat 1
    play(game, "2 2 3 0", "")
    assert finished((1, 2), (3, 0), "capture") == game.outcome()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize(
    ("at_fault", "ranks"), [([0], (2, 1)), ([1], (1, 2)), ([0, 1], (1, 1))], ids=str
)
def test_no_usable_answer_loses_at_once(fault, at_fault, ranks):
    """Late, malformed, gone, out or illegal: the same (PROTOCOL.md 5)."""
    game = at(FIELD, {(0, 0): 3}, {(2, 3): 4})
    verdicts = [verdict(game, 0, "0 0 1 0"), verdict(game, 1, "2 3 1 1")]
    for seat in at_fault:
        verdicts[seat] = fault
    game.advance(verdicts)
    assert forfeited(ranks, (3, 4)) == game.outcome()


def test_nothing_of_an_illegal_move_is_carried_out():
    """The check comes before step 1: not of the opponent's winning move either."""
    game = at(FIELD, {(2, 1): 1}, {(0, 1): 4})
    before = units(game)
    play(game, "2 1 1 0 1 1 1 0", "0 1 4 2")
    assert forfeited((2, 1), (1, 4)) == game.outcome()
    assert before == units(game)
    assert neutral(game, 2, 1) == 5
    assert game.turn == 0


def test_the_move_limit_is_part_of_the_digest():
    """Another setting can be another game."""
    assert start(FIELD).digest() == start(FIELD, move_limit=2400).digest()
    assert start(FIELD).digest() != start(FIELD, move_limit=2401).digest()
