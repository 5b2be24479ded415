"""The end of a round and of a match (rules/crematoria.md 5.5 to 5.9 and 7).

Here is what is rare, and where text and program differ; what every match shows, such as the order
of the phases, is in test_traces.
"""

import pytest

from lanista.games.base import Late
from lanista.games.chance import OriginalChance
from lanista.games.crematoria.board import apart, cell_at, position
from lanista.games.crematoria.phases import (
    all_recover,
    dead_are_reborn,
    gem_appears,
    necromonger_appears,
    sun_moves,
)
from lanista.games.outcome import Outcome, Termination
from lanista.games.testing import ScriptedChance
from support.crematoria import (
    DEAD,
    HELLHOUNDS,
    PARKING_ROW,
    Listening,
    board,
    caves_of,
    game_at,
    heir,
    new_game,
    position_of,
    units_of,
)

NIGHT_0 = [(row, col) for row in range(40) for col in (40, 41)]
"""Cells that come into the night at the end of round 0, in the order of draws."""


def scripted(units, *draws, **more):
    script = list(draws)
    return game_at(units, chance=ScriptedChance(script), **more), script


# The sun


def test_the_sun_kills_in_its_two_new_columns():
    """Row by row, in each the left column first; a necromonger without a draw."""
    killed_there = {2: (7, 1, 1), 6: (7, 0, 1), 4: (3, 1, 1), 16: (5, 0, 1)}
    spared = {3: (7, 2, 1), 7: (7, 79, 1), 10: (8, 1, 0), 17: (9, 1, 1)}
    on = board(gems=[(5, 0), (6, 1), (7, 2), (8, 79)])
    game, script = scripted(
        {**killed_there, **spared}, heir(0), heir(1), heir(2), on=on, landing={17: 1}
    )
    sun_moves(game.state, 0)
    assert [] == script
    # (3, 1): unit 4 of player 1; (7, 0): unit 6 of player 1; (7, 1): unit 2 of player 0.
    assert [0, 2, 3] == [game.state.player[unit] for unit in (4, 6, 2)]
    assert {DEAD} == {position_of(game, unit) for unit in killed_there}
    assert spared == {unit: position_of(game, unit) for unit in spared}
    assert {(7, 2, 1), (8, 79, 1)} == {position(cell) for cell in game.state.gems_lying}


# Gems


def test_a_gem_on_a_gem_is_one():
    """Only on boards from a file; and no gem lies on an elevator."""
    on = board(gems=[(0, 41)], elevators=[(0, 40)])
    game, _ = scripted({}, ("gem", 4, 0), ("gem's cell", 79, 0), on=on)
    gem_appears(game.state, 0)
    assert {(0, 41, 1)} == {position(cell) for cell in game.state.gems_lying}


# Spacecraft


def test_a_spacecraft_takes_a_dead_id_then_a_cell_without_gem():
    """The id is drawn first; elevators and gems are no cells for it."""
    on = board(elevators=[(0, 40)], gems=[(0, 41)])
    draws = [("necromonger", 2, 0), ("necromonger's id", 2, 1), ("necromonger's cell", 78, 0)]
    game, script = scripted({16: (20, 20, 1)}, *draws, on=on)
    necromonger_appears(game.state, 0, 2)
    unit = units_of(game.state)[18]
    assert [] == script
    assert (75, 2, (1, 40, 1)) == (unit.health, unit.turns, position_of(game, 18))
    assert -1 == game.state.occupant[cell_at(1, 40, 1)]  # not on the board yet


def test_columns_without_a_cell_give_no_spacecraft_and_no_draw():
    """All their cells hold gems: only on boards from a file."""
    game, script = scripted({}, ("necromonger", 2, 0), on=board(gems=NIGHT_0))
    necromonger_appears(game.state, 0, 2)
    assert ([], [0, 0, 0]) == (script, game.state.health[16:19])


def test_no_spacecraft_when_all_lived_at_the_start_of_the_round():
    """Text-vs-engine 7: though one burns in this round."""
    units = {16: (20, 0, 1), 17: (30, 20, 1), 18: (35, 30, 1)}
    chance = Listening(3)
    game = game_at(units, chance=chance)
    game.advance([Late()] * 4)
    # It can step right to column 1, which burns as well.
    assert 0 == game.state.health[16]
    assert "gem" in chance.whys
    assert "necromonger" not in chance.whys


def test_an_id_that_died_in_this_round_can_come_back_at_once():
    """The list is of all dead ids at that moment."""
    draws = [("necromonger", 2, 0), ("necromonger's id", 2, 0), ("necromonger's cell", 80, 5)]
    game, _ = scripted({16: (20, 0, 1), 17: (30, 20, 1)}, *draws)
    sun_moves(game.state, 0)
    necromonger_appears(game.state, 0, 2)
    assert (75, 2) == (game.state.health[16], game.state.turns[16])
    assert (2, 41, 1) == position_of(game, 16)


# Rebirth


def parked_without(*units):
    """Cells of the parked units but these, whose own would be good for rebirth too."""
    return [(PARKING_ROW, 2 * unit) for unit in range(16) if unit not in units]


def killed(game, *units):
    """Kill units by nobody; the heir is the next player's."""
    chance, game.state.chance = game.state.chance, ScriptedChance([heir(0)] * len(units))
    for unit in units:
        game.state.kill(unit, -1)
    game.state.chance = chance
    return game


@pytest.mark.parametrize("seed", range(4))
def test_who_died_is_reborn_in_a_cave_away_from_the_others(seed):
    """Text-vs-engine 8: 2 from all below, 4 from hellhounds; in full health."""
    on = board(only=[(row, col) for row in range(12, 20) for col in range(20)], elevators=[(15, 5)])
    units = {19: (12, 0, 0), 20: (12, 19, 0), 2: (16, 10, 0), 3: (15, 5, 0), 6: (18, 3, 1)}
    game = killed(game_at(units, on=on, chance=OriginalChance(seed)), 0, 10, 14)
    dead_are_reborn(game.state)
    below = [game.state.pos[unit] for unit in range(16) if game.state.pos[unit] < 20 * 80]
    for cell in (game.state.pos[unit] for unit in (0, 10, 14)):
        assert caves_of(game)[cell // 80][cell % 80] in "C0123"
        assert all(apart(cell, cell_at(*units[hound][:2])) >= 4 for hound in HELLHOUNDS)
        assert all(cell == other or apart(cell, other) >= 2 for other in below)
    assert [100, 50, 50] == [game.state.health[unit] for unit in (0, 10, 14)]


@pytest.mark.parametrize(
    ("caves", "place"),
    [
        # Nothing is 4 away from the hellhound; (20, 22) is 2, (20, 21) is beside it.
        ([(20, 20), (20, 21), (20, 22)], (20, 22, 0)),
        # (37, 29) is beside a pioneer but no hellhound, (20, 21) beside the hellhound.
        ([(20, 20), (20, 21), (37, 29)], (37, 29, 0)),
        # Only cells beside a hellhound are left.
        ([(20, 20), (20, 21)], (20, 21, 0)),
    ],
    ids=["nearer-to-hellhounds", "beside-people", "anywhere"],
)
def test_rebirth_in_a_crowd(caves, place):
    """The original would abort; rules/crematoria.md 5.8 says what we do."""
    on = board(only=[*caves, *parked_without(2)])
    game = game_at({19: (20, 20, 0), 2: (30, 30, 1)}, on=on, chance=OriginalChance(1))
    killed(game, 2)
    dead_are_reborn(game.state)
    assert place == position_of(game, 2)


# Recovery


def test_the_dead_and_hellhounds_dont():
    """Text-vs-engine 13: a hellhound's health is -1."""
    game, _ = scripted({})
    all_recover(game.state)
    assert [0, -1] == [game.state.health[unit] for unit in (16, 19)]


# The end


def test_the_match_ends_after_its_rounds_by_points():
    """Ranks by cells and gems; ties share the best place."""
    game = new_game(5, {"nb_rounds": 2, "gem_value": 7})
    for _ in range(2):
        assert game.outcome() is None
        game.advance([Late()] * 4)
    game.state.cells[:] = [20, 27, 20, 5]
    game.state.gems[:] = [1, 0, 0, 1]
    assert (27, 27, 20, 12) == game.scores()
    assert game.outcome() == Outcome(
        termination=Termination.FINISHED,
        ranks=(1, 1, 3, 4),
        scores=(27, 27, 20, 12),
        reason="rounds",
    )


def test_the_digest_covers_the_generator():
    """Two positions alike that would go on differently differ."""
    game, other = new_game(5), new_game(5)
    assert game.digest() == other.digest()
    other.state.chance.below(2, "test")
    assert game.digest() != other.digest()
