"""Plays the match of a Crematoria match file by the rules, to see whether it can have happened.

The movements of pioneers and furyans are played as the orders of a single player, in the file's
order. That keeps to docs/rules/crematoria.md 5.1: players may have given any orders without effect
between them, which the file doesn't have.

The next state doesn't show how much damage a blow did. So a blow does the least at first; the rest
is added when it is known what the health has to be. A blow that its victim may or may not survive
is a fork.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat, takewhile

import attrs

from lanista.games.base import Answer, BadBoardError, Missing
from lanista.games.crematoria.board import (
    DIRECTIONS,
    NEAR,
    NONE,
    cells_of,
    far_from_hellhounds,
    position,
    square,
    write_board,
)
from lanista.games.crematoria.game import Crematoria
from lanista.games.crematoria.originals import Movement, Res, board_of
from lanista.games.crematoria.phases import (
    FURYAN_DAMAGE,
    NECROMONGER_DAMAGE,
    RECOVERY,
    caves_for_rebirth,
    caves_in_crowd,
)
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.crematoria.scene import Position
from lanista.games.crematoria.state import NECROMONGER, NOBODY, SEATS, State
from lanista.games.originals import (
    Field,
    Forks,
    ShownChance,
    UnexplainedError,
    compare,
    draws_of,
    require,
)

_FIELDS = {
    "player": Field("unit {} belongs to player {}; by the rules to player {}"),
    "pos": Field("unit {} is at {}; by the rules at {}", value=position),
    "turns": Field("unit {} has turns {}; by the rules {}"),
    "health": Field("unit {} has health {}; by the rules {}"),
    "caves": Field("{} of level 0 is `{}`; by the rules `{}`", position, chr),
    "outside": Field("{} of level 1 is `{}`; by the rules `{}`", position, chr),
    "gems_lying": Field(
        "a gem {1} at {0}; by the rules it {2}", position, {True: "lies", False: "lies not"}.get
    ),
    "cells": Field("nb_cells of player {} is {}; by the rules {}"),
    "gems": Field("nb_gems of player {} is {}; by the rules {}"),
}


def begin(res: Res, settings: Mapping[str, int]) -> Crematoria:
    """Return the game that begins with the first state."""
    first = res.states[0]
    try:
        board = RULESET.read_board(write_board(board_of(first)))
        game = RULESET.new(settings, board, _Placement(first))
    except BadBoardError as error:
        raise UnexplainedError(error.message) from None
    compare(first, game.seen(), _FIELDS)
    given = [field.name for field in attrs.fields(State) if field.init]
    game.state = _ShownState(**{name: getattr(game.state, name) for name in given})
    return game


def play_round(game: Crematoria, res: Res, number: int, forks: Forks) -> Crematoria:
    """Return the game after a round of the file."""
    game = game.copy()
    movements, people = res.commands[number], game.state.people
    orders = tuple(takewhile(lambda order: order[0] in people, movements))
    units = [unit for unit, _ in orders]
    require(len(set(units)) == len(units), "a unit moves twice")
    for unit, direction in orders:
        require(direction != NONE, f"unit {unit} moves by None")
    draws = _Draws(game.state, movements, res.states[number + 1], forks)
    game.state.chance = draws
    game.advance([Answer(orders), *[Missing()] * (SEATS - 1)])
    draws.check_movements()
    for unit, _ in movements[len(game.state.moved) :]:
        raise UnexplainedError(f"a movement of unit {unit} after the last possible one")
    compare(res.states[number + 1], game.seen(), _FIELDS)
    return game


class _Placement(ShownChance):
    """The draws that place the units of the first state."""

    def __init__(self, first: Position) -> None:
        super().__init__(Forks([]))
        hounds = [cell for cell, kind in zip(first.pos, first.kind, strict=True) if kind == "h"]
        self._hounds = iter([axis for cell in reversed(hounds) for axis in position(cell)[:2]])
        self._people = first.pos[: first.kind.index(NECROMONGER)]
        self._caves = far_from_hellhounds(board_of(first).cave_bits, hounds)
        self._cells = self._cell_draws()

    def drawn(self, n: int, why: str) -> int:  # noqa: ARG002 - the interface's
        """Return what was drawn; units are placed by their ids."""
        if why == "unit to be placed":
            return 0
        if why == "cell for a unit":
            return next(self._cells)
        drawn = next(self._hounds, None)
        if drawn is None:
            raise UnexplainedError("the hellhounds aren't in caves, or less than 4 apart")
        return drawn

    def _cell_draws(self) -> Iterator[int]:
        caves = cells_of(self._caves)
        free = set(caves)
        for unit, cell in enumerate(self._people):
            what = f"unit {unit} at {position(cell)}"
            require(cell in free, f"{what} isn't alone in a cave at 4 or more from hellhounds")
            free.remove(cell)
        yield from draws_of(caves, self._people)


@attrs.define(eq=False)
class _ShownState(State):
    """A state in which the next one of the file shows what was picked."""

    def pick(self, items: Sequence[int], why: str) -> int:
        assert isinstance(self.chance, _Draws)
        return self.chance.picked(items, why)


class _Draws(ShownChance):
    """The draws of a round."""

    def __init__(
        self, state: State, movements: Sequence[Movement], shown: Position, forks: Forks
    ) -> None:
        super().__init__(forks)
        self.state = state
        self.movements = list(movements)
        self.shown = shown
        self.slack: dict[int, int] = {}
        """By unit, how much more damage the blows may have done than they did."""
        self._cells = self._cell_draws()
        self._order = self._order_draws()
        self._crowd = self._crowd_cells()

    def check_movements(self) -> None:
        """Check that the movements so far are those of the file, and none was without effect."""
        for unit, reason in self.state.idle.items():
            raise UnexplainedError(
                f"a movement of unit {unit} has no effect by the rules: {reason}"
            )
        moved = self.state.moved
        for number, (unit, direction) in enumerate(moved):
            if [(unit, direction)] != self.movements[number : number + 1]:
                what = f"of unit {unit}, {DIRECTIONS[direction]}, belongs here"
                raise UnexplainedError(f"a movement {what}, but there is {self._told(number)}")

    def _told(self, number: int) -> str:
        """Return a movement of the file in words."""
        if number == len(self.movements):
            return "none"
        unit, direction = self.movements[number]
        return f"one of unit {unit}, {DIRECTIONS[direction]}"

    def picked(self, items: Sequence[int], why: str) -> int:
        """Return which of the items was picked."""
        self.check_movements()
        self.forks.progress += 1
        number = len(self.state.moved)
        if why == "gem's cell":
            cells = self._new_gems()
            return next((cell for cell in cells if cell in items), items[0])
        if why == "necromonger's id":
            return self._arriving()[0]
        if why == "necromonger's cell":
            unit = self._arriving()[0]
            wanted = self.shown.pos[unit]
            what = f"necromonger {unit} appears at {position(wanted)}"
            require(wanted in items, f"{what}, which isn't where the night begins, or has a gem")
            return wanted
        if why == "cell for rebirth in a crowd":
            return next(self._crowd)
        # It is somebody's way, which has to be that of the next movement.
        wanted = self.movements[number][1] if number < len(self.movements) else NONE
        ways = " or ".join(map(DIRECTIONS.__getitem__, items))
        require(wanted in items, f"there is {self._told(number)}; by the rules {why} is {ways}")
        return wanted

    def drawn(self, n: int, why: str) -> int:
        """Return what was drawn."""
        self.check_movements()
        if why == "new player":
            unit = self.state.dead[-1]
            old, new = self.state.player[unit], self.shown.player[unit]
            require(old != new, f"unit {unit} dies by the rules, but not in the file")
            return new - (new > old)
        if why == "furyan's damage":
            unit, direction = self.movements[len(self.state.moved)]
            return self._damage(unit, direction, FURYAN_DAMAGE, self.state.player[unit])
        if why == "necromonger's damage":
            unit, direction = self.movements[len(self.state.moved)]
            return self._damage(unit, direction, NECROMONGER_DAMAGE, NOBODY)
        if why == "gem":  # the first draw after all blows
            for unit in self.slack:
                self._settle(unit, self.shown.health[unit] - RECOVERY)
            return 0 if self._new_gems() else n - 1
        if why == "necromonger":
            return 0 if self._arriving() else n - 1
        return next(self._cells if why == "cell for rebirth" else self._order)

    # Blows

    def _damage(self, by: int, direction: int, damage: range, killer: int) -> int:
        """Return how much more than the least damage a blow does: enough to kill, or nothing."""
        state, shown = self.state, self.shown
        victim = state.occupant[NEAR[state.pos[by]][direction]]
        require(victim >= 0, f"unit {by} strikes at nobody")
        health = state.health[victim]
        if state.kind[victim] == NECROMONGER:
            dies = not shown.health[victim] or shown.turns[victim] > 0
        else:
            heir = shown.player[victim]
            dies = heir != state.player[victim] and killer in (NOBODY, heir)
        may_die = dies and health - self.slack.get(victim, 0) <= damage[-1]
        may_live = health > damage[0]
        require(may_die or may_live, f"unit {by}'s blow kills unit {victim}, but not in the file")
        if may_die and (not may_live or self.forks.choose(2) == 0):
            self._settle(victim, 0)
            return len(damage) - 1
        self.slack[victim] = self.slack.get(victim, 0) + len(damage) - 1
        return 0

    def _settle(self, unit: int, wanted: int) -> None:
        """Bring the health of a living unit as near to the wanted one as its blows allow."""
        health = self.state.health[unit]
        if health:
            least = max(1, health - self.slack.get(unit, 0))
            self.state.health[unit] = min(health, max(least, wanted))

    # What appears

    def _new_gems(self) -> list[int]:
        return sorted(self.shown.gems_lying - self.state.gems_lying)

    def _arriving(self) -> list[int]:
        """Return the necromongers that appear in the next state, at most one if it can be."""
        health = self.state.health
        units = self.state.necromongers
        return [unit for unit in units if self.shown.health[unit] and not health[unit]]

    # Rebirth

    @functools.cached_property
    def _reborn(self) -> tuple[list[int], list[int]]:
        """The round's dead in the order of their rebirth: those far from all, then the others."""
        state, pos = self.state.copy(), self.shown.pos
        far: list[int] = []
        crowd: list[int] = []
        free = caves_for_rebirth(state)
        waiting = sorted(state.dead)
        while waiting:
            caves = cells_of(free or caves_in_crowd(state))
            fitting = [unit for unit in waiting if pos[unit] in caves]
            what = f"unit {waiting[0]} is reborn at {position(pos[waiting[0]])}"
            require(fitting, f"{what}, which isn't a cave, or is taken or too near to others")
            near = {unit: square(pos[unit], 1) for unit in fitting}
            alone = [u for u in fitting if sum(near[u] >> pos[v] & 1 for v in fitting) == 1]
            unit = alone[0] if alone else fitting[self.forks.choose(len(fitting))]
            (far if free else crowd).append(unit)
            waiting.remove(unit)
            state.move(unit, pos[unit])
            free &= ~near[unit]
        return far, crowd

    def _cell_draws(self) -> Iterator[int]:
        caves = cells_of(caves_for_rebirth(self.state))
        yield from draws_of(caves, [self.shown.pos[unit] for unit in self._reborn[0]])
        yield from repeat(0)  # the other caves of the list are too near to these

    def _order_draws(self) -> Iterator[int]:
        far, crowd = self._reborn
        yield from draws_of(sorted(self.state.dead), far + crowd)

    def _crowd_cells(self) -> Iterator[int]:
        for unit in self._reborn[1]:
            yield self.shown.pos[unit]
