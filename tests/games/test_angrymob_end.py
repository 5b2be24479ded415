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


@pytest.mark.parametrize("seat", [0, 1])
def test_one_base_conquered_its_conqueror_wins(seat):
    game = at(FIELD, {(2, 2): 3, (1, 0): 4}, {(0, 1): 2, (1, 3): 6})
    moves = ["", ""]
    moves[seat] = ("2 2 1 0", "0 1 1 2")[seat]
    play(game, *moves)
    assert finished(((1, 2), (2, 1))[seat], (7, 8), "capture") == game.outcome()
    assert game.turn == 1


def test_both_bases_conquered_in_the_same_move_is_a_draw():
    game = at(FIELD, {(2, 2): 3}, {(0, 1): 20})
    play(game, "2 2 3 0", "0 1 20 2")
    assert finished((1, 1), (3, 20), "both-captured") == game.outcome()


def test_both_without_units_is_a_draw():
    game = at(FIELD, {(1, 1): 5}, {(1, 2): 5})
    play(game, "1 1 5 0", "")
    assert finished((1, 1), (0, 0), "no-units") == game.outcome()
    assert ({}, {}) == units(game)


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


def test_the_last_units_take_a_base_and_the_opponents_are_gone():
    """A capture by the only one who has units is a capture, not `no-units`."""
    game = at(FIELD, {(2, 2): 2}, {(2, 3): 1})
    play(game, "2 2 2 0", "")
    assert finished((1, 2), (1, 0), "capture") == game.outcome()


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
@pytest.mark.parametrize("seat", [0, 1])
def test_no_usable_answer_loses_at_once(fault, seat):
    """Late, malformed, gone, out or illegal: the same (PROTOCOL.md 5)."""
    game = at(FIELD, {(0, 0): 3}, {(2, 3): 4})
    verdicts = [verdict(game, 0, "0 0 1 0"), verdict(game, 1, "2 3 1 1")]
    verdicts[seat] = fault
    game.advance(verdicts)
    assert forfeited(((2, 1), (1, 2))[seat], (3, 4)) == game.outcome()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fault_of_each_in_one_move_is_a_draw(fault):
    """Whatever the two faults are: here one of them is an illegal move."""
    game = at(FIELD, {(0, 0): 3}, {(2, 3): 4})
    game.advance([verdict(game, 0, "1 1 1 0"), fault])
    assert forfeited((1, 1), (3, 4)) == game.outcome()


def test_nothing_of_an_illegal_move_is_carried_out():
    """The check comes before step 1: not of the opponent's winning move either."""
    game = at(FIELD, {(2, 1): 1}, {(0, 1): 4})
    before = units(game)
    play(game, "2 1 1 0 1 1 1 0", "0 1 4 2")
    assert forfeited((2, 1), (1, 4)) == game.outcome()
    assert before == units(game)
    assert neutral(game, 2, 1) == 5
    assert game.turn == 0


def test_a_forfeit_changes_the_digest():
    """The outcome is part of the state."""
    digests = set()
    for moves in (("1 1 1 0", ""), ("", "1 1 1 0"), ("1 1 1 0", "1 1 1 0")):
        game = start(FIELD)
        digests.add(game.digest())
        play(game, *moves)
        digests.add(game.digest())
    assert len(digests) == 4  # the start, and three ends


def test_the_move_limit_is_part_of_the_digest():
    """Another setting can be another game."""
    assert start(FIELD).digest() == start(FIELD, move_limit=2400).digest()
    assert start(FIELD).digest() != start(FIELD, move_limit=2401).digest()
