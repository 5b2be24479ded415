"""What a viewer draws of Crematoria: both levels, marks, the sun, events of a round."""

import re
from random import Random

import pytest

from lanista.games.chance import OriginalChance
from lanista.games.crematoria.board import RIGHT, is_sunlit
from lanista.games.crematoria.state import HELLHOUND, MAX_HEALTH, State
from lanista.games.picture import Ground, Level, Mark, Shape
from support.crematoria import board, game_at, new_game, orders, roam, some_game

OUTSIDE = 81
"""Column of the scene where level 1 begins."""
NOBODY = {19: (20, 20, 0), 20: (20, 60, 0)}
"""Hellhounds away from everybody."""


def seeded(units, seed=1, **more):
    """A game of hand-made positions whose draws come from a seed."""
    return game_at({**NOBODY, **units}, chance=OriginalChance(seed), **more)


def events(game):
    return [(event.seat, event.text) for event in game.frame().events]


def test_the_scene_has_both_levels_side_by_side():
    drawn = some_game().scene()
    assert (40, 161) == (drawn.rows, drawn.cols)
    assert Ground.WALL is drawn.ground[0][0]
    assert [Ground.WALL] * 40 == [row[80] for row in drawn.ground]
    assert Ground.BASE is drawn.ground[9][9] is drawn.ground[9][OUTSIDE + 9]
    assert Ground.FLOOR is drawn.ground[0][1] is drawn.ground[0][OUTSIDE]
    assert {} == drawn.owners
    assert (
        Level(title="underground", col=0, cols=80, wraps=True),
        Level(title="outside", col=OUTSIDE, cols=80, wraps=True),
    ) == drawn.levels
    assert ("cells", "gems", "pioneers", "furyans") == drawn.stats
    shapes = {mark.shape for mark in some_game().frame().marks}
    assert shapes == {shape for shape, _, _ in drawn.kinds}


def test_the_frame():
    game = some_game()
    frame = game.frame()
    assert {(0, 1): 2} == frame.owned
    for mark in (
        Mark(8, OUTSIDE + 3, None, "*", Shape.GEM, details=("gem",)),
        Mark(9, OUTSIDE + 9, 0, "f", Shape.WARRIOR, 0, 1.0, ("furyan 0", "health 100 of 100")),
        Mark(7, 7, 0, "p", Shape.MINER, 2, 0.66, ("pioneer 2", "health 33 of 50")),
        Mark(
            5,
            OUTSIDE + 50,
            None,
            "2",
            Shape.SHIP,
            16,
            1.0,
            ("necromonger 16", "health 75 of 75", "lands in 2 rounds"),
        ),
        Mark(
            6, OUTSIDE + 50, None, "n", Shape.RAIDER, 17, 1.0, ("necromonger 17", "health 75 of 75")
        ),
        Mark(
            20,
            20,
            None,
            "h",
            Shape.HOUND,
            19,
            None,
            ("hellhound 19", "kills whoever comes next to it"),
        ),
    ):
        assert mark in frame.marks
    assert 2 + 16 + 2 + 2 == len(frame.marks)
    assert ("0 (0 cells, 0 gems)", "1 (1 cell, 0 gems)") == frame.captions[1:3]
    assert ((0, 0, 2, 2), (0, 0, 2, 2), (1, 0, 2, 2), (0, 0, 2, 2)) == frame.stats
    assert 3 == frame.turn
    assert () == frame.events


@pytest.mark.parametrize("turn", [0, 19, 20, 39, 40, 119])
def test_lit_columns_are_those_in_the_sun(turn):
    lit = game_at({}, turn=turn).frame().lit
    # The cells of level 1's first row.
    assert {OUTSIDE + col for col in range(80) if is_sunlit(3200 + col, turn)} == lit


def test_a_gem_is_picked():
    game = seeded({2: (10, 10, 1)}, on=board(gems=[(10, 11)]))
    game.advance(orders(game, [(2, RIGHT)]))
    assert (0, "picked a gem") in events(game)
    assert 1 == game.frame().stats[0][1]


SETTINGS = {"nb_rounds": 100, "max_nb_necromongers": 4, "turns_to_land": 3}
"""Few necromongers: an id is often free and used again in the same round."""


def shown(words, what):
    """The numbers of the necromongers of which an event tells this."""
    return [
        int(n)
        for line in words
        if line.startswith("necromonger") and line.endswith(what)
        for n in re.findall(r"\d+", line)
    ]


@pytest.mark.parametrize("seed", [1, pytest.param(8, marks=pytest.mark.long)])
def test_events_are_what_the_game_did(seed, monkeypatch):
    """A whole match: deaths are those that the state has, landings too."""
    killed, kill = [], State.kill
    monkeypatch.setattr(State, "kill", lambda *args: (killed.append(args[1]), kill(*args)))
    game, pick, kinds, again = new_game(seed, SETTINGS), Random(seed), set(), 0
    for _ in range(100):
        killed.clear()
        old = game.seen()
        game.advance([game.parse(seat, roam(game, seat, pick)) for seat in range(4)])
        frame = game.frame()
        words = [event.text for event in frame.events]
        kinds |= {re.sub(r"s? \d+(, \d+)*( and \d+)? ", " ", line) for line in words}
        lost = [line.split(", reborn")[0] for line in words if line.startswith("lost")]
        told = sorted(int(n) for line in lost for n in re.findall(r"\d+", line))
        assert sorted(game.state.dead) == told
        for event in frame.events:
            if event.text.startswith("lost"):
                units = re.findall(r"\d+", event.text.split(", reborn")[0])
                assert {event.seat} == {old.player[int(unit)] for unit in units}
                new = int(event.text[-1])
                assert {new} == {game.state.player[int(unit)] for unit in units}
        landed = [
            unit for unit, left in enumerate(old.turns) if left == 1 and not game.state.turns[unit]
        ]
        assert landed == shown(words, "landed")
        died = sorted(unit for unit in killed if unit in game.state.necromongers)
        assert died == shown(words, "died")
        coming = [unit for unit, left in enumerate(game.state.turns) if left == 3]
        assert coming == shown(words, "came in sight")
        again += bool(set(died) & set(coming))
        people = [
            (player, kind) for kind, player in zip(game.state.kind, game.state.player, strict=True)
        ]
        assert [(people.count((seat, "p")), people.count((seat, "f"))) for seat in range(4)] == [
            of_seat[2:] for of_seat in frame.stats
        ]
        for mark in frame.marks:
            if mark.unit is not None and game.state.kind[mark.unit] != HELLHOUND:
                most = MAX_HEALTH[game.state.kind[mark.unit]]
                assert mark.health == game.state.health[mark.unit] / most
    assert again
    assert {"necromonger landed", "necromonger died", "necromonger came in sight"} <= kinds
