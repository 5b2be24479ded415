"""Units without orders and orders without effect: since when, and for how long."""

import attrs
import pytest

from lanista.games.base import Submove
from lanista.games.picture import Arrow, Frame, Mark, Scene, Shape
from lanista.match.record import FaultInfo
from lanista.page.played_turn import SUBMOVES_SHOWN
from lanista.page.wasted import (
    Effort,
    Standing,
    crowds_back,
    longest_waste,
    moves_back,
    orders_without_effect,
    units_of,
    units_without_orders,
)

SCENE = Scene(rows=9, cols=9, ground=(), owners={})
NOTHING = Frame(turn=0, marks=(), captions=())
UNITS = [*((0, unit) for unit in (1, 2, 3)), (1, 4), (None, 5)]
NUMBERED = attrs.evolve(
    NOTHING, marks=tuple(Mark(0, unit, seat, f"w{unit}", unit=unit) for seat, unit in UNITS)
)
CROWDS = attrs.evolve(
    NOTHING,
    marks=tuple(
        Mark(0, col, seat, str(count), Shape.COUNT)
        for col, (seat, count) in enumerate([(0, 5), (0, 3), (1, 9), (None, 20)])
    ),
)


def moves(*units):
    return tuple(Submove(f"unit {unit} moves", unit) for unit in units)


def shares(*percent, units=20):
    """Efforts of rounds from 1 on of which so many percent are wasted."""
    return [Effort(0, units, units * each // 100, round=n) for n, each in enumerate(percent, 1)]


def told(efforts):
    """The first round and the number of turns of the longest waste."""
    waste = longest_waste(efforts)
    return None if waste is None else (waste.rounds[0], len(waste.rounds))


def test_units_with_numbers_are_ordered_by_name():
    """A unit that isn't the seat's counts for nothing, and so do units of nobody."""
    answers = [moves(1, 1, 4), moves(), None]
    counted = [*units_without_orders(NUMBERED, units_of(NUMBERED), NOTHING, answers)]
    assert [Effort(0, 3, 2, "w2"), Effort(1, 1, 1, "w4")] == counted


def test_more_orders_than_are_known_may_be_for_any_unit():
    answers = [moves(*[1] * SUBMOVES_SHOWN), None]
    assert [] == [*units_without_orders(NUMBERED, units_of(NUMBERED), NOTHING, answers)]


def test_units_without_numbers_are_counted_by_the_arrows():
    """Seat 0 moves 4 of its 8, one of them in another direction; seat 1's answer doesn't count."""
    arrows = (Arrow((0, 0), (1, 0), 0, "3"), Arrow((0, 0), (0, 1), 0, "1"))
    after = attrs.evolve(NOTHING, arrows=arrows)
    answers = [(Submove("3 go down"), Submove("1 goes right")), None]
    assert [Effort(0, 8, 4)] == [*units_without_orders(CROWDS, {}, after, answers)]


def test_orders_have_no_effect_or_are_refused():
    """Refused ones have chapters of their own; a repeated one is wasted. The usual reason stays."""
    idle = {1: "a wall is there", 2: "a wall is there", 3: "it was dead by then", 9: "of another"}
    faults = [
        FaultInfo(turn=2, seat=0, code="illegal", index=1, words=""),
        FaultInfo(turn=2, seat=0, code="ignored", index=4, words=""),
    ]
    answers = [moves(1, 2, 3, 4, 1), moves(5), moves(), None]
    counted = [*orders_without_effect(answers, faults, idle)]
    assert [Effort(0, 5, 3, "a wall is there"), Effort(1, 1, 0)] == counted


def test_moves_lead_back():
    """Unit 1 goes and comes back, 2 goes on, 3 stays, even if it is another's; 4 was hidden."""
    rows = [{1: 0, 2: 0, 3: 0, 4: 0}, {1: 1, 2: 1, 3: 0}, {1: 0, 2: 2, 3: 0, 4: 0}]
    first, before, now = (
        {unit: Standing(0, (row, unit), f"w{unit}") for unit, row in by_unit.items()}
        for by_unit in rows
    )
    now[3] = Standing(1, (0, 3), "w3")
    efforts = [*moves_back(SCENE, first, before, now)]
    assert [Effort(0, 2, 1, "such as w1 between (0, 1) and (1, 1)")] == efforts


def test_units_are_known_by_their_numbers():
    marks = (
        Mark(2, 1, 0, "w", unit=2, details=("wizard 2", "health 3")),
        Mark(3, 1, 1, "f", unit=3),
        Mark(5, 5, None, "gem", unit=9),
        Mark(6, 6, 1, "base"),
    )
    expected = {2: Standing(0, (2, 1), "wizard 2"), 3: Standing(1, (3, 1), "f")}
    assert expected == units_of(attrs.evolve(NOTHING, marks=marks))


def test_crowds_go_back():
    """Five of the seven units that leave a cell by the way of the five that came go back."""
    came = attrs.evolve(
        NOTHING, arrows=(Arrow((0, 0), (0, 1), 0, "5"), Arrow((0, 0), (0, 1), 1, "9"))
    )
    left = attrs.evolve(
        NOTHING, arrows=(Arrow((0, 1), (0, 0), 0, "7"), Arrow((0, 1), (0, 2), 0, "2"))
    )
    why = "mostly between (0, 0) and (0, 1)"
    assert [Effort(0, 9, 5, why)] == [*crowds_back(SCENE, came, left)]


@pytest.mark.parametrize(
    ("efforts", "expected"),
    [
        (shares(*[5] * 60), None),
        (shares(*[40] * 60), None),
        (shares(*[5] * 30, *[80] * 30), (31, 30)),
        (shares(*[5] * 30, *[40] * 30), (31, 30)),
        # From the start, and for a while only.
        (shares(*[60] * 20, *[0] * 20), (1, 20)),
        # Some better turns in between are no end; the last ones don't belong to it.
        (shares(*[0] * 20, *[100] * 20, 0, 0, *[100] * 20, *[0] * 9), (21, 42)),
        # Too short: less than ten turns, or than a tenth of all.
        (shares(*[0] * 30, *[100] * 9, *[0] * 21), None),
        (shares(*[0] * 100, *[100] * 15, *[0] * 85), None),
        # It gets slowly worse: told from where it is by 0.3 worse than the first ten turns' 0.09.
        (shares(*range(0, 100, 2)), (21, 30)),
        # One unit says little, and none nothing.
        (shares(*[100] * 9, units=1), None),
        (shares(*[100] * 60, units=0), None),
    ],
)
def test_a_waste_begins_where_the_share_jumps_and_lasts_until_it_falls(efforts, expected):
    assert expected == told(efforts)
