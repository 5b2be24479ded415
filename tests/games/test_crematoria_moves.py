"""Tests what one order of a pioneer or furyan does (rules/crematoria.md 5.1).

Here is what does nothing, what is rare, and where text and program differ. The rest is in
test_traces, where it comes out as in the original.
"""

import pytest

from lanista.games.crematoria.board import DOWN, RIGHT, TOP, UP
from lanista.games.crematoria.phases import people_move
from lanista.games.testing import ScriptedChance
from support.crematoria import DEAD, board, caves_of, game_at, heir, outside_of, position_of

ELEVATOR = (10, 10)
DAMAGE_25 = ("furyan's damage", 26, 0)


def carried_out(units, order, *draws, **more):
    """The game after player 0's order alone, and that exactly these draws were made."""
    script = list(draws)
    on = board(elevators=[ELEVATOR], rock=[(4, 5)], gems=[(5, 40)])
    game = game_at(units, on=on, chance=ScriptedChance(script), **more)
    people_move(game.state, 0, [[order], [], [], []])
    assert [] == script
    return game


IMPOSSIBLE = {
    "up without an elevator": ({0: (5, 5, 0)}, UP),
    "down without an elevator": ({0: (5, 5, 1)}, DOWN),
    "above the top": ({0: (*ELEVATOR, 1)}, UP),
    "below the bottom": ({0: (*ELEVATOR, 0)}, DOWN),
    "rock": ({0: (5, 5, 0)}, TOP),
    "off the board": ({0: (0, 5, 0)}, TOP),
    "a furyan to its own furyan": ({0: (5, 5, 0), 1: (5, 6, 0)}, RIGHT),
    "a furyan to its own pioneer": ({0: (5, 5, 0), 2: (5, 6, 0)}, RIGHT),
    "a pioneer to its own furyan": ({2: (5, 5, 0), 1: (5, 6, 0)}, RIGHT),
    "a pioneer to a furyan": ({2: (5, 5, 0), 4: (5, 6, 0)}, RIGHT),
    "a pioneer to a pioneer": ({2: (5, 5, 0), 6: (5, 6, 0)}, RIGHT),
    "a pioneer to a necromonger": ({2: (5, 5, 1), 16: (5, 6, 1)}, RIGHT),
}
"""The places of units, of which the first gets an order."""


@pytest.mark.parametrize(("units", "direction"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_is_impossible_does_nothing(units, direction):
    """Cases 1, 3 and 5: nothing is drawn, and it isn't among the executed movements."""
    unit, *_ = units
    game = carried_out(units, (unit, direction))
    assert units == {unit: position_of(game, unit) for unit in units}
    assert () == tuple(game.state.moved)


ATTACKS = {
    "up an elevator": ({0: (*ELEVATOR, 0), 4: (*ELEVATOR, 1)}, UP),
    "down an elevator": ({0: (*ELEVATOR, 1), 4: (*ELEVATOR, 0)}, DOWN),
    "into the sun": ({0: (5, 39, 1), 4: (5, 40, 1)}, RIGHT),
}


@pytest.mark.parametrize(("units", "direction"), ATTACKS.values(), ids=ATTACKS)
def test_a_furyan_attacks_and_stays_where_it_is(units, direction):
    """Text-vs-engine 11; and only who enters a cell is killed by its sun."""
    game = carried_out(units, (0, direction), DAMAGE_25)
    assert units == {unit: position_of(game, unit) for unit in units}
    assert (75, [(0, direction)]) == (game.state.health[4], game.state.moved)


def test_over_a_descending_necromonger_the_cell_is_free():
    """It isn't on the board yet: no attack, a move."""
    game = carried_out({0: (5, 5, 1), 16: (5, 6, 1)}, (0, RIGHT), landing={16: 1})
    assert ((5, 6, 1), 75) == (position_of(game, 0), game.state.health[16])


FATAL = {
    "into the sun": ((5, 39, 1), RIGHT, (20, 20, 0)),
    "beside a hellhound": ((5, 5, 0), RIGHT, (5, 7, 0)),
    "down onto a hellhound": ((*ELEVATOR, 1), DOWN, (*ELEVATOR, 0)),
}


@pytest.mark.parametrize("unit", [0, 2], ids=["furyan", "pioneer"])
@pytest.mark.parametrize(("place", "direction", "hellhound"), FATAL.values(), ids=FATAL)
def test_a_fatal_step_kills_and_takes_nothing(unit, place, direction, hellhound):
    """Text-vs-engine 14: one of the three other players is drawn at the moment of death."""
    for value, new in enumerate((1, 2, 3)):
        game = carried_out({unit: place, 19: hellhound}, (unit, direction), heir(value))
        assert (DEAD, new) == (position_of(game, unit), game.state.player[unit])
        assert hellhound == position_of(game, 19)
        assert [(unit, direction)] == game.state.moved
        assert ((0,) * 4, (0,) * 4) == (tuple(game.state.cells), tuple(game.state.gems))
        assert ("C", "G") == (caves_of(game)[5][6], outside_of(game)[5][40])
