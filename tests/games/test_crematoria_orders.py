"""Which orders count: reading an answer, and when they are carried out.

rules/crematoria.md 5.1 and 6.
"""

import pytest

from lanista.games.base import MalformedAnswerError, RefusalCode, TooManySubmovesError
from lanista.games.crematoria.board import BOTTOM, LEFT, RIGHT, TOP
from lanista.games.crematoria.phases import people_move
from lanista.games.testing import ScriptedChance
from support.crematoria import game_at, position_of

UNITS = {0: (10, 10, 0), 2: (10, 20, 0), 3: (10, 30, 0), 17: (5, 5, 1)}


REPEATED = "a second order for unit 2; only its first one counts"


def direction(number):
    return f"direction {number}; it is from 0 (Bottom) to 10 (None)"


READ = {
    "in their sequence": ((3, LEFT, 0, TOP, 2, BOTTOM), ((3, LEFT), (0, TOP), (2, BOTTOM)), {}),
    "nothing": ((), (), {}),
    "the first of a unit": (
        (2, LEFT, 2, RIGHT, 3, TOP, 2, LEFT),
        ((2, LEFT), (3, TOP)),
        {1: REPEATED, 3: REPEATED},
    ),
    # It counts as the unit's order and isn't refused, but takes no slot.
    "None": ((2, 10, 2, RIGHT, 3, TOP), ((3, TOP),), {1: REPEATED}),
    "a bad direction leaves the unit free": (
        (2, -1, 2, 11, 2, 2**31 - 1, 2, -(2**31), 2, RIGHT),
        ((2, RIGHT),),
        dict(enumerate(map(direction, (-1, 11, 2**31 - 1, -(2**31))))),
    ),
    # The original's sequence of tests.
    "repeated and with a bad direction": ((2, RIGHT, 2, 99), ((2, RIGHT),), {1: REPEATED}),
    "what isn't one's own": (
        (-1, RIGHT, 21, RIGHT, 4, RIGHT, 16, RIGHT, 17, RIGHT, 19, RIGHT, 2, RIGHT),
        ((2, RIGHT),),
        {
            0: "there is no unit -1; ids are from 0 to 20",
            1: "there is no unit 21; ids are from 0 to 20",
            2: "unit 4 is player 1's, not yours",
            3: "unit 16 is not alive",
            4: "unit 17 is nobody's, not yours",  # a landed necromonger
            5: "unit 19 is nobody's, not yours",  # a hellhound
        },
    ),
}
"""Answers; the orders that are read; by index, why a submove isn't one of them."""


@pytest.mark.parametrize(("tokens", "orders", "refused"), READ.values(), ids=READ)
def test_an_answer_is_read(tokens, orders, refused):
    """rules/crematoria.md 6: what is refused takes no slot, and the rest of the line counts."""
    answer = game_at(UNITS).parse(0, tokens)
    reasons = answer.refusals()
    assert orders == answer.orders
    assert refused == {reason.index: reason.message for reason in reasons}
    repeated = [reason.index for reason in reasons if reason.code is RefusalCode.IGNORED]
    assert [index for index, words in refused.items() if words == REPEATED] == repeated
    assert len(repeated) == answer.repeats


def test_a_captured_unit_obeys_its_present_player_alone():
    """Ids never change; the player does."""
    game = game_at(UNITS)
    game.state.player[2] = 3
    assert ((2, RIGHT),) == game.parse(3, (2, RIGHT)).orders
    assert () == game.parse(0, (2, RIGHT)).orders


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ((2, RIGHT, 3), "3 numbers; a submove is two: id direction"),
        ((2, RIGHT, 3, "r"), "`r` where a number belongs; a submove is two numbers: id direction"),
    ],
)
def test_an_answer_that_isnt_pairs_of_numbers_is_malformed(tokens, words):
    with pytest.raises(MalformedAnswerError) as caught:
        game_at(UNITS).parse(0, tokens)
    assert (1, words) == (caught.value.refusal.index, caught.value.refusal.message)


def test_the_thousand_and_first_is_too_many():
    """Text-vs-engine 10. Repeated and invalid ones count."""
    game = game_at(UNITS)
    assert 1000 == len(game.parse(0, (99, 99) * 1000).refused)
    with pytest.raises(TooManySubmovesError, match="1001 submoves; a turn takes at most 1000"):
        game.parse(0, (99, 99) * 1001)


# The order of execution


def test_refused_orders_take_no_slot():
    """Text-vs-engine 9: player 0's second order is its first slot when the first is refused."""
    script = [("order of players", 2, 1)]
    game = game_at({0: (10, 10, 0), 4: (20, 20, 0)}, chance=ScriptedChance(script))
    people_move(
        game.state,
        0,
        [game.parse(0, (99, 0, 0, TOP)).orders, game.parse(1, (4, TOP)).orders, (), ()],
    )
    assert ((4, TOP), (0, TOP)) == tuple(game.state.moved)


def test_impossible_orders_keep_their_slot():
    """Text-vs-engine 9: the pioneer at the border does nothing, in the slot it has."""
    script = [("order of players", 2, 0), ("order of players", 2, 1)]
    units = {0: (10, 10, 0), 2: (0, 40, 0), 4: (20, 20, 0), 5: (22, 22, 0)}
    game = game_at(units, chance=ScriptedChance(script))
    people_move(game.state, 0, [[(2, TOP), (0, TOP)], [(4, TOP), (5, TOP)], [], []])
    assert ((4, TOP), (5, TOP), (0, TOP)) == tuple(game.state.moved)
    assert (0, 40, 0) == position_of(game, 2)
