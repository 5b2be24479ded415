"""A match file that tells an impossible match is noticed, at its round and in clear words.

That possible ones are explained: test_traces, and the matches played here.
"""

from functools import partial
from random import Random

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import changed_matches
from games.changed_matches import next_of, replaced, with_change, with_commands, with_state
from lanista.games.hogwarts.board import NEAR
from lanista.games.hogwarts.explaining import play_round
from lanista.games.hogwarts.orders import Order
from lanista.games.hogwarts.originals import ORIGINALS
from lanista.games.originals import Explanation, try_forks
from support.hogwarts import (
    ADDED_UP,
    DOWN,
    LEFT,
    RIGHT,
    TRACES,
    UP,
    Draws,
    answers,
    cell,
    hall,
    res_of,
    roaming,
    seeded,
    spell,
)
from support.hogwarts import begin as new_game

explain = ORIGINALS.explain


problem = partial(changed_matches.problem, "hogwarts")
positions = partial(changed_matches.positions, "hogwarts")


def with_unit(res, number, unit, **fields):
    """The file with other values for a unit, such as another clan in `clans`."""
    state = res.states[number]
    changed = {name: replaced(getattr(state, name), unit, fields[name]) for name in fields}
    return with_state(res, number, **changed)


def with_cell(res, number, row, col, owner):
    owners = bytearray(res.states[number].owners)
    owners[cell(row, col)] = ord(owner)
    return with_state(res, number, owners=bytes(owners))


# Matches of our own


def one_round(units, lines, script=None, **more):
    """A match of one round from a hand-made position."""
    rules = more.pop("rules", {})
    game = new_game(hall(units, **more), Draws(script), **{"NUM_ROUNDS": 60, **rules})
    return res_of(game, [answers(game, lines)], seed=1, names="abcd")


@settings(max_examples=settings().max_examples // 10)  # a match of fifteen rounds each
@given(st.integers(0, 2**31 - 1), st.integers(0, 1), st.sampled_from([1, 2, 5]))
def test_matches_of_our_own_are_explained_by_their_rules(seed, original, converting):
    """Crowded, quick ones, in which much happens in a round."""
    game = seeded(
        seed,
        original=original,
        NUM_INI_WIZARDS_PER_CLAN=30,
        NUM_INI_BOOKS=300,
        ROUNDS_SPELL_RESTING_GHOST=2,
        ROUNDS_FOR_CONVERTING=converting,
    )
    res = res_of(game, roaming(game, 15, Random(seed)), seed=seed, names="abcd")
    rules = "original" if original else "text"
    assert Explanation(rounds=15, of=15, rules=rules) == explain(res, rules)


# The first state


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda res: with_state(res, 0, scores=(1, 0, 0, 0)), "score 1; by the rules 0"),
        (lambda res: with_state(res, 0, conversion_points=(0, 0, 0, 1)), "scr_acc"),
        (lambda res: with_state(res, 0, strength=(1,) * 4), "strength 1; by the rules 1000"),
        (lambda res: with_state(res, 0, voldemort=9), "Voldemort stands on the border"),
        (lambda res: with_unit(res, 0, 1, clans=2), "ghost 1 is of clan 2"),
        (lambda res: with_unit(res, 0, 9, rounds=3), "has rounds 3 and next -1"),
        (lambda res: with_cell(res, 0, *divmod(res.states[0].cells[9], 60), "."), "which is `.`"),
        (lambda res: with_state(res, 0, books=frozenset((0, *res.states[0].cells[:49]))), None),
    ],
)
def test_a_wrong_first_state_is_noticed(change, words):
    found = explain(change(TRACES.match("01")))
    assert 0 == found.rounds
    assert words is None or words in found.problem
    assert found.problem.startswith(("first state: ", "round 0: "))


# Single fields


CHANGES = {
    "clans": lambda clan: (clan + 1) % 4,
    "cells": lambda at: (at + 1) % 3600,
    "rounds": lambda rounds: rounds + 1,
    "nexts": lambda clan: (clan + 2) % 5 - 1,  # with any other, a file is refused when it is read
    "books": lambda at: (at + 60) % 3600,
    "voldemort": lambda at: at + 1,
    "ingredients": lambda value: value + 1,
    "scores": lambda score: score + 1,
    "conversion_points": lambda points: points + 1,
    "strength": lambda points: points + 1,
    "owners": next_of(b"W.0123"),
}


@pytest.mark.parametrize("name", [pytest.param("05", marks=pytest.mark.long), "10"])
@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_field_is_noticed_in_one_of_its_two_rounds(name, field):
    """In a state between two rounds of an original match, each explained; eight places a field."""
    res, pick = TRACES.match(name), Random(field)
    for _ in range(8):
        number = pick.randrange(1, 200)
        changed = with_change(res, number, field, CHANGES[field], pick)
        before = positions(name)[number - 1]
        if problem(changed, number - 1, before) is None:
            after = try_forks(partial(play_round, before, changed, number - 1))
            assert problem(changed, number, after)


def test_status_and_word_are_not_judged():
    res = attrs.evolve(with_state(TRACES.match("01"), 3, status=(0.5, -1, 0, 0)), word="SecGame")
    assert Explanation(rounds=200, of=200) == explain(res)


def test_the_problem_is_told_with_its_round_in_one_line():
    res = with_unit(TRACES.match("05"), 100, 20, rounds=77)
    found = explain(res)
    assert 99 == found.rounds
    assert found.problem.startswith("round 99: unit 20 has rounds 77; by the rules ")
    assert "\n" not in found.problem


# Commands


@pytest.mark.parametrize(
    "name", ["05", "10", *(pytest.param(name, marks=pytest.mark.long) for name in ("02", "06"))]
)
def test_a_flip_of_dependent_commands_is_noticed(name):
    """A unit that follows into a cell left in the same round can't have come first."""
    res, flips = TRACES.match(name), 0
    for number, commands in enumerate(res.commands):
        here, there = (state.cells for state in res.states[number : number + 2])
        for at, command in enumerate(commands):
            if command.groups is not None or flips == 12:
                continue
            target = NEAR[command.direction][here[command.unit]]
            other = here.index(target) if target in here else -1
            ahead = other in [c.unit for c in commands[:at]]
            if ahead and there[command.unit] == target:
                first = [c.unit for c in commands].index(other)
                order = list(commands)
                order[first], order[at] = order[at], order[first]
                changed = with_commands(res, number, order)
                assert problem(changed, number, positions(name)[number]), (number, first, at)
                flips += 1
    assert flips > 2


def test_a_lost_or_repeated_command_is_noticed():
    res, pick = TRACES.match("05"), Random(3)
    for _ in range(15):
        number = pick.randrange(200)
        commands = list(res.commands[number])
        at = pick.randrange(len(commands))
        before_it = positions("05")[number]
        lost = with_commands(res, number, commands[:at] + commands[at + 1 :])
        moves = problem(lost, number, before_it)
        before, after = (state.cells for state in res.states[number : number + 2])
        if after[commands[at].unit] != before[commands[at].unit]:
            assert moves
        twice = with_commands(res, number, [*commands, commands[at]])
        assert "a unit has two commands" == problem(twice, number, before_it)


FOLLOW = {4: (0, 10, 10), 8: (0, 10, 11)}
SIDE_BY_SIDE = {4: (0, 10, 10), 5: (1, 10, 11)}


@pytest.mark.parametrize(
    ("units", "more", "commands", "words"),
    [
        (FOLLOW, {}, [Order(4, 2)], "by the rules: a unit of its own clan was there"),
        (FOLLOW, {}, [Order(4, 1)], "only ghosts move diagonally"),
        ({4: (0, 0, 10)}, {}, [Order(4, UP)], "the board ends there"),
        ({4: (0, 9, 9)}, {"walls": [(9, 10)]}, [Order(4, RIGHT)], "a wall is there"),
        ({0: (0, 9, 9), 5: (1, 9, 10)}, {}, [Order(0, RIGHT)], "ghosts don't fight"),
        (
            {4: (0, 10, 10, 3, 2), 5: (1, 10, 11)},
            {},
            [Order(4, RIGHT)],
            "a wizard that is changing its clan doesn't fight",
        ),
        (
            {4: (0, 10, 10), 5: (1, 10, 11, 3, 2)},
            {},
            [Order(4, RIGHT)],
            "is changing its clan already",
        ),
        (
            {4: (0, 9, 9), 1: (1, 9, 10, 3, 0)},
            {},
            [Order(4, RIGHT)],
            "that ghost was attacked too recently",
        ),
        (SIDE_BY_SIDE, {}, [Order(4, RIGHT)], "shows neither outcome of its battle with unit 5"),
        ({}, {}, [Order(4, -1, (0,) * 15)], "only ghosts cast spells"),
        ({}, {}, [Order(0, -1, (0,) * 15)], "the solution is wrong"),
        ({0: (0, 9, 9, 2, -1)}, {}, [Order(0, -1, (0,) * 15)], "the ghost rests"),
        ({}, {"rules": {"NUM_ROUNDS": 50}}, [Order(0, -1, (0,) * 15)], "no spells in the last 50"),
        ({}, {}, [Order(4, DOWN), Order(4, LEFT)], "a unit has two commands"),
        ({}, {}, [Order(4, DOWN)], "unit 4 is at (55, 0); by the rules at (56, 0)"),
    ],
)
def test_a_command_that_can_have_no_effect_is_noticed(units, more, commands, words):
    """Each put into a round in which nobody did anything."""
    res = one_round(units, {}, **more)
    assert problem(res, 0) is None
    assert words in problem(with_commands(res, 0, commands), 0)


def test_a_second_spell_in_a_round_is_noticed():
    ghosts = {ghost: (ghost, 59, 4 * ghost) for ghost in range(4)}
    res = one_round(ghosts, {0: spell(0, ADDED_UP)}, ingredients=ADDED_UP)
    assert problem(res, 0, rules="text") is None
    again = Order(1, -1, res.commands[0][0].groups)
    assert "another spell was cast before it in this round" in problem(
        with_commands(res, 0, [*res.commands[0], again]), 0, rules="text"
    )


def test_the_order_of_an_attack_and_a_spell_is_noticed():
    """8: an attack before the spell would have made it fail."""
    units = {0: (0, 20, 21), 5: (1, 20, 20)}
    script = {"whose order": [0, 0]}
    lines = {0: spell(0, ADDED_UP), 1: f"m 5 {RIGHT}"}
    res = one_round(units, lines, script, ingredients=ADDED_UP)
    assert [0, 5] == [command.unit for command in res.commands[0]]
    assert problem(res, 0, rules="text") is None
    assert "the ghost rests" in problem(
        with_commands(res, 0, res.commands[0][::-1]), 0, rules="text"
    )


# What chance decides


@pytest.mark.parametrize("loser", [4, 5])
def test_both_outcomes_of_a_battle_are_possible_and_nothing_else(loser):
    script = {"surprise": [99], "battle": [0 if loser == 5 else 999]}
    res = one_round(SIDE_BY_SIDE, {0: f"m 4 {RIGHT}"}, script)
    after = res.states[1]
    assert (4, 5 - loser) == (after.rounds[loser], after.nexts[loser])
    assert problem(res, 0) is None
    third = with_unit(res, 1, loser, nexts=2)
    assert "the next state shows neither outcome" in problem(third, 0)
    assert problem(with_unit(res, 1, 9 - loser, rounds=4, nexts=loser - 4), 0)


def test_the_spells_cells_are_counted_and_belong_to_the_caster():
    """Up to eight of them can be hidden by Voldemort's next step; ten too few can't."""
    ghosts = {ghost: (ghost, 59, 4 * ghost) for ghost in range(4)}
    res = one_round(ghosts, {0: spell(0, ADDED_UP)}, ingredients=ADDED_UP)
    owners = res.states[1].owners
    taken = [divmod(at, 60) for at in range(50 * 60) if owners[at] == ord("0")]
    assert problem(res, 0, rules="text") is None
    fewer = res
    for row, col in taken[:10]:
        fewer = with_cell(fewer, 1, row, col, ".")
    first, *others = res.states[1].scores
    fewer = with_state(fewer, 1, scores=(first - 10, *others))
    assert problem(fewer, 0, rules="text").startswith("the spell captured more cells than the")
    other = with_cell(res, 1, *taken[0], "3")
    assert f"cell {taken[0]} is `3`; by the rules `.`" == problem(other, 0, rules="text")


# Wrong rules


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("05", "ROUNDS_FOR_CONVERTING", 4),
        ("05", "POINTS_PER_OWNED_CELL", 2),
        ("05", "BOOK_MAGIC_STRENGTH", 51),
        ("05", "ROUNDS_SPELL_RESTING_GHOST", 61),
        ("10", "NUM_ROUNDS", 110),
    ],
)
def test_another_rule_than_the_matchs_is_noticed(name, setting, value):
    res = TRACES.match(name)
    found = explain(attrs.evolve(res, settings={**res.settings, setting: value}))
    assert found.rounds < 200
    assert found.problem
