"""`explain`: every round of the original is explained, and what can't have happened isn't."""

import functools
from random import Random

import pytest

import lanista_maps
from games import changed_matches
from games.changed_matches import next_of, replaced, with_change, with_commands, with_state
from lanista.games.base import complete_settings
from lanista.games.crematoria.board import cell_at
from lanista.games.crematoria.originals import ORIGINALS
from lanista.games.crematoria.ruleset import RULESET
from support.crematoria import TRACES, Listening, board, new_game, read_res, roamed

explain = ORIGINALS.explain
LIVELY = "05_Dummy-Serox-DFS-alfus_s11"


problem = functools.partial(changed_matches.problem, "crematoria")
positions = functools.partial(changed_matches.positions, "crematoria", LIVELY)


@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"nb_rounds": 40}, marks=pytest.mark.long),
        {"nb_rounds": 20, "nb_furyans": 18, "nb_pioneers": 35, "nb_hellhounds": 8},
        {"nb_rounds": 40, "turns_to_land": 1, "max_nb_necromongers": 20, "nb_pioneers": 3},
        pytest.param(
            {"nb_rounds": 60, "turns_to_land": 45, "max_nb_necromongers": 30},
            marks=pytest.mark.long,
        ),
    ],
    ids=["few-rounds", "crowded", "landing-at-once", "landing-late"],
)
def test_our_own_matches_are_explained(seed, settings):
    """The settings are such as no trace has."""
    text = roamed(new_game(seed, settings), settings["nb_rounds"], seed)
    explained = explain(read_res(text))
    assert (settings["nb_rounds"], None) == (explained.rounds, explained.problem)


def played_on(made, seed, rounds=40):
    """A match of roaming players on a board of our own, and the names of its draws."""
    rules, chance = complete_settings(RULESET, {"nb_rounds": rounds}), Listening(seed)
    game = RULESET.new(rules, made, chance)
    return read_res(roamed(game, rounds, seed)), chance.whys


@pytest.mark.parametrize("name", ["galleries", "islands"])
def test_matches_on_boards_from_files_are_explained(name):
    res, _ = played_on(RULESET.read_board(lanista_maps.read("crematoria", name)), 6, rounds=20)
    explained = explain(res)
    assert (20, None) == (explained.rounds, explained.problem)


def test_rebirth_in_a_crowd_is_explained():
    """Too few caves for the distances, where the original would break off."""
    only = [(row, col) for row in range(10, 17) for col in range(40)]
    res, whys = played_on(board(only=only, elevators=[(13, 5), (13, 25)]), 6)
    assert whys.count("cell for rebirth in a crowd") >= 10
    explained = explain(res)
    assert (40, None) == (explained.rounds, explained.problem)


def test_the_first_unexplained_round_is_told():
    """And how many rounds before it were explained."""
    res = TRACES.match(LIVELY)
    gems = res.states[8].gems
    explained = explain(with_state(res, 8, gems=(9, *gems[1:])))
    assert 7 == explained.rounds
    assert f"round 7: nb_gems of player 0 is 9; by the rules {gems[0]}" == explained.problem


# Single alterations: what each changes, and whether it can be told from a legal alternative


CHANGES = {
    "player": lambda player: (player + 1) % 4,
    "health": lambda health: health % 100 + 1,
    "turns": lambda turns: (turns + 2) % 4 - 1,
    "pos": lambda cell: (cell + 1) % 6400,
    "caves": next_of(b"RCE0123"),
    "outside": next_of(b"OE"),
    "gems_lying": lambda cell: 3200 + (cell + 1) % 3200,
    "cells": lambda count: count + 1,
    "gems": lambda count: count + 1,
}


def direction_changed(movements, pick):
    at = pick.randrange(len(movements))
    unit, old = movements[at]
    new = pick.choice([direction for direction in range(11) if direction != old])
    return replaced(movements, at, (unit, new))


def left_out(movements, pick):
    at = pick.randrange(len(movements))
    return [*movements[:at], *movements[at + 1 :]]


def doubled(movements, pick):
    at = pick.randrange(len(movements) + 1)
    return [*movements[:at], pick.choice(movements), *movements[at:]]


def another_unit(movements, pick):
    at = pick.randrange(len(movements))
    unit, direction = movements[at]
    new = pick.choice([other for other in range(93) if other != unit])
    return replaced(movements, at, (new, direction))


def turned_round(movements, pick):
    return movements[::-1]


MOVEMENTS = [direction_changed, left_out, doubled, another_unit, turned_round]


def noticed(change):
    """How many of eight rounds of a lively match aren't explained when they are changed."""
    res, pick, count = TRACES.match(LIVELY), Random(7), 0
    for _ in range(8):
        number = pick.randrange(20, 120)
        words = problem(change(res, number, pick), number, positions()[number])
        assert words is None or (words.isprintable() and words)
        count += words is not None
    return count


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_field_of_a_position_is_noticed(field):
    """But for few legal alternatives: another damage, another heir, another cell by chance."""
    assert 7 <= noticed(
        lambda res, number, pick: with_change(res, number + 1, field, CHANGES[field], pick)
    )


@pytest.mark.parametrize("alter", MOVEMENTS, ids=lambda alter: alter.__name__)
def test_changed_movements_are_noticed(alter):
    """But for some that come to the same: the direction of a blow at the same unit."""
    assert 7 <= noticed(
        lambda res, number, pick: with_commands(res, number, alter(res.commands[number], pick))
    )


def test_a_flip_of_orders_that_dont_commute_is_noticed():
    """A unit steps where another has just left: the other way round it can't."""
    res = TRACES.match(LIVELY)
    flips = found = 0
    for number in range(0, 120, 5):
        before, after = res.states[number : number + 2]
        movements = list(res.commands[number])
        left = {before.pos[unit]: at for at, (unit, _) in enumerate(movements) if unit < 80}
        for at, (unit, _) in enumerate(movements):
            first = left.get(after.pos[unit], at)
            if first < at and unit < 80 and after.player[unit] == before.player[unit]:
                flipped = movements.copy()
                flipped[first], flipped[at] = movements[at], movements[first]
                flips += 1
                changed = with_commands(res, number, flipped)
                found += problem(changed, number, positions()[number]) is not None
    assert flips >= 20
    assert flips == found


@pytest.mark.parametrize("at", [-1, -2, -3])
def test_hellhounds_and_necromongers_move_by_id(at):
    """Their order isn't drawn: any flip among them is noticed."""
    res, number = TRACES.match(LIVELY), 40
    movements = list(res.commands[number])
    movements[at], movements[at - 1] = movements[at - 1], movements[at]
    changed = with_commands(res, number, movements)
    assert "there is one of unit" in problem(changed, number, positions()[number])


@pytest.mark.parametrize(
    ("field", "at", "value", "words"),
    [
        ("gems", 0, 1, "nb_gems of player 0 is 1; by the rules 0"),
        ("cells", 0, 14, "nb_cells of player 0 is 14; by the rules 15"),
        ("player", 0, 1, "unit 0 belongs to player 1; by the rules to player 0"),
        ("health", 0, 99, "unit 0 has health 99; by the rules 100"),
        ("turns", 80, 0, "unit 80 has turns 0; by the rules -1"),
        ("pos", 0, cell_at(9, 6, 1), "unit 0 at (9, 6, 1) isn't alone in a cave"),
        ("pos", 5, cell_at(9, 6), "unit 5 at (9, 6, 0) isn't alone in a cave"),
        ("pos", 91, cell_at(19, 4), "the hellhounds aren't in caves, or less than 4 apart"),
    ],
)
def test_the_first_position_is_checked(field, at, value, words):
    res = TRACES.match(LIVELY)
    values = replaced(getattr(res.states[0], field), at, value)
    explained = explain(with_state(res, 0, **{field: values}))
    assert 0 == explained.rounds
    assert explained.problem.startswith(f"first state: {words}")
