"""Which orders count: reading an answer, and when they are carried out.

rules/crematoria.md 5.1 and 6.
"""

import pytest

from lanista.games.base import MalformedAnswerError, RefusalCode, TooManySubmovesError
from lanista.games.crematoria.board import BOTTOM, LEFT, RIGHT, TOP
from lanista.games.crematoria.phases import people_move
from lanista.games.testing import ScriptedChance
from support.crematoria import game_at, position_of

UNITS = {0: (10, 10, 0), 2: (10, 20, 0), 3: (10, 30, 0), 6: (20, 20, 0)}


def read(*tokens, seat=0):
    return game_at(UNITS).parse(seat, tokens)


def refused(*tokens, units=UNITS):
    answer = game_at(units).parse(0, tokens)
    reasons = answer.refusals()
    repeated = [refusal for refusal in reasons if "second order" in refusal.message]
    assert {RefusalCode.ILLEGAL, RefusalCode.IGNORED} >= {refusal.code for refusal in reasons}
    assert repeated == [refusal for refusal in reasons if refusal.code is RefusalCode.IGNORED]
    assert len(repeated) == answer.repeats
    return [(refusal.index, refusal.message) for refusal in reasons]


def test_orders_keep_their_sequence():
    answer = read(3, LEFT, 0, TOP, 2, BOTTOM)
    assert ((3, LEFT), (0, TOP), (2, BOTTOM)) == answer.orders
    assert {} == answer.refused


def test_no_submoves_is_no_orders():
    assert ((), {}) == (read().orders, read().refused)


def test_the_first_order_of_a_unit_counts():
    answer = (2, LEFT, 2, RIGHT, 3, TOP, 2, LEFT)
    assert ((2, LEFT), (3, TOP)) == read(*answer).orders
    words = "a second order for unit 2; only its first one counts"
    assert [(1, words), (3, words)] == refused(*answer)


def test_none_is_an_order_that_takes_no_slot():
    """rules/crematoria.md 6: it counts as the unit's order and isn't refused."""
    answer = read(2, 10, 2, RIGHT, 3, TOP)
    assert ((3, TOP),) == answer.orders
    assert [1] == list(answer.refused)


@pytest.mark.parametrize("direction", [-1, 11, 2**31 - 1, -(2**31)])
def test_a_bad_direction_leaves_the_unit_free(direction):
    answer = (2, direction, 2, RIGHT)
    assert ((2, RIGHT),) == read(*answer).orders
    words = f"direction {direction}; it is from 0 (Bottom) to 10 (None)"
    assert [(0, words)] == refused(*answer)


def test_a_repeated_unit_is_told_before_its_bad_direction():
    """The original's sequence of tests."""
    assert ["a second order for unit 2; only its first one counts"] == [
        words for _, words in refused(2, RIGHT, 2, 99)
    ]


@pytest.mark.parametrize(
    ("unit", "words"),
    [
        (-1, "there is no unit -1; ids are from 0 to 20"),
        (21, "there is no unit 21; ids are from 0 to 20"),
        (4, "unit 4 is player 1's, not yours"),
        (16, "unit 16 is not alive"),
        (19, "unit 19 is nobody's, not yours"),
    ],
    ids=["negative", "too-high", "another-player", "dead-necromonger", "hellhound"],
)
def test_orders_for_what_isnt_ones_own_are_ignored(unit, words):
    """They take no slot, and the rest of the line counts."""
    answer = (unit, RIGHT, 2, RIGHT)
    assert ((2, RIGHT),) == read(*answer).orders
    assert [(0, words)] == refused(*answer)


def test_a_landed_necromonger_is_nobodys():
    units = {16: (5, 5, 1)}
    assert [(0, "unit 16 is nobody's, not yours")] == refused(16, RIGHT, units=units)


def test_a_captured_unit_obeys_its_present_player_alone():
    """Ids never change; the player does."""
    game = game_at(UNITS)
    game.state.player[2] = 3
    assert ((2, RIGHT),) == game.parse(3, (2, RIGHT)).orders
    assert () == game.parse(0, (2, RIGHT)).orders


def test_an_odd_number_of_tokens_is_malformed():
    with pytest.raises(MalformedAnswerError) as caught:
        read(2, RIGHT, 3)
    assert (1, "3 numbers; a submove is two: id direction") == (
        caught.value.refusal.index,
        caught.value.refusal.message,
    )


def test_a_letter_is_malformed():
    with pytest.raises(MalformedAnswerError) as caught:
        read(2, RIGHT, 3, "r")
    assert caught.value.refusal.index == 1
    assert caught.value.refusal.message.startswith("`r` where a number belongs")


def test_the_thousand_and_first_is_too_many():
    """Text-vs-engine 10. Repeated and invalid ones count."""
    assert 1000 == len(read(*(99, 99) * 1000).refused)
    with pytest.raises(TooManySubmovesError, match="1001 submoves; a turn takes at most 1000"):
        read(*(99, 99) * 1001)


# The order of execution


def players(*, drawn, by_seat):
    """Who moves when, by a script of draws: (number of players, value)."""
    units = {4 * seat + at: (4 + 4 * seat, 10 * at + 10, 0) for seat in range(4) for at in range(4)}
    script = [("order of players", n, value) for n, value in drawn]
    game = game_at(units, chance=ScriptedChance(script))
    people_move(
        game.state, 0, [[(4 * seat + at, TOP) for at in by_seat[seat]] for seat in range(4)]
    )
    assert [] == script
    return [unit for unit, _ in game.state.moved]


def test_each_slot_has_an_order_of_players_of_its_own():
    """Three draws for four players, before the slot's orders; then for those with more orders."""
    moved = players(
        by_seat=[[0, 1, 2], [0, 1, 2, 3], [0, 1], [0, 1, 2]],
        drawn=[(4, 3), (3, 0), (2, 1), (4, 0), (3, 2), (2, 1), (3, 1), (2, 1)],
    )
    # From 0,1,2,3: place 0 with place 3: 3,1,2,0; place 1 stays; place 2 with place 3: 3,1,0,2.
    first = [12, 4, 0, 8]
    # Place 0 stays; place 1 with place 3: 0,3,2,1; place 2 with place 3: 0,3,1,2.
    second = [1, 13, 5, 9]
    # Players 0, 1, 3: place 0 with place 1: 1,0,3; place 1 with place 2: 1,3,0.
    third = [6, 14, 2]
    assert [*first, *second, *third, 7] == moved  # the last order has no rival and no draw


def test_no_orders_no_draws():
    assert [] == players(by_seat=[[], [], [], []], drawn=[])


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


def test_an_order_of_a_unit_killed_in_the_same_round_keeps_its_slot_and_does_nothing():
    """Player 0's first furyan kills player 1's, whose order draws no damage any more."""
    script = [("order of players", 2, 0), ("furyan's damage", 26, 0), ("order of players", 2, 0)]
    units = {0: (10, 10, 0), 1: (30, 10, 0), 4: (10, 11, 0), 5: (30, 40, 0)}
    game = game_at(units, chance=ScriptedChance(script), health={4: 25})
    people_move(game.state, 0, [[(0, RIGHT), (1, TOP)], [(4, LEFT), (5, TOP)], [], []])
    assert ((0, RIGHT), (1, TOP), (5, TOP)) == tuple(game.state.moved)
    assert [] == script
