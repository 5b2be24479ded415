"""Dummy plays Hogwarts decently.

Each free wizard looks for goals around it: books, which make the clan strong; enemy wizards that it
is likely to convert; wizards of its own clan to be freed; cells to be owned. The most valuable
pairs of a unit and a goal are decided first. All keep away from Voldemort, and from enemies that
would win at once. The ghost goes for goals too, and casts the spell as soon as it may. A turn's
work depends on the number of units and how far they look.
"""

from __future__ import annotations

import random

from lanista.games.house_bot import spread
from lanista_client.hogwarts import DIRECTIONS

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from lanista.games.house_bot import Orders
    from lanista_client import HogwartsState, HogwartsUnit
    from lanista_client.states import Cell

    # The value per step, a random number to break ties, the unit, its goal, its first step.
    _Wish: TypeAlias = tuple[float, float, HogwartsUnit, int, int]

LAST_ROUNDS = 50  # the last rounds, in which there are no spells (rules/hogwarts.md 9.2)
# These limit the time of a turn.
SEEN, GOALS = 140, 8  # the number of cells, and of goals, that a unit looks at
SEEN_BY_ALL = 4000  # the number of cells that all units look at together
PATIENCE = 2  # steps added to each path, so that near goals don't count too much
# The values of goals, in points.
BOOK = 90.0  # a book at the start of the match; its value falls to 0 until the end
FREEING = 160.0  # a wizard of ours that is freed: it stays ours, and the enemy gets no points
CELL, ENEMY_CELL = 1.5, 2.0  # a cell without owner, and one that an enemy owns
ESCAPE = 150.0  # a step out of danger; more than any goal's value per step
SURPRISE = 0.3  # the chance that an attacker wins by surprise (rules/hogwarts.md 7.1)
INSTANT = 1.6  # factor of the value of a conversion at once, which can't be undone
GROUPS = 5  # the number of groups of a spell, of three ingredients each
CROWD = 2  # the number of units that may go for the same enemy


class Dummy:
    """A bot that reads books, takes cells, attacks when it is strong, and casts spells."""

    def __init__(self, state: HogwartsState) -> None:
        self._random = random.Random(state.seed)
        self._prize = int(state.settings["POINTS_FOR_CONVERTING_WIZARD"])
        self._cols = state.cols
        self._near = {
            ghost: [
                tuple(self._number(to) for _, to in state.neighbours(i, j, diagonal=ghost))
                if state.passable(i, j)
                else ()
                for i in range(state.rows)
                for j in range(state.cols)
            ]
            for ghost in (False, True)
        }
        self._units: dict[int, HogwartsUnit] = {}  # by cell
        self._worth: list[float] = []  # the value of going to each cell
        self._room: dict[int, int] = {}  # how many more units may go for a goal; if not there, 1
        self._deadly: set[int] = set()  # cells where Voldemort kills at once
        self._feared: set[int] = set()  # where he may kill after his move, or an enemy wins at once
        self._struck: set[int] = set()  # cells where an enemy wizard could strike
        self._seen = SEEN  # the number of cells that a unit looks at in this round
        self._far: list[int] | None = None  # steps to the nearest cell that has a value

    def moves(self, state: HogwartsState) -> Orders:
        """Return the orders of a round: the spell, then the moves, the most valuable first."""
        orders: Orders = []
        ghost = state.ghost(state.me)
        casts = ghost.rounds_pending == 0 and state.round < state.num_rounds - LAST_ROUNDS
        groups = solve(state.spell_ingredients) if casts else None
        units = state.wizards(state.me)
        if groups is not None:
            orders.append(("s", ghost.id, *groups))
        else:
            units.append(ghost)
        self._look(state)
        self._seen = min(SEEN, SEEN_BY_ALL // len(units)) if units else SEEN
        wishes = [wish for unit in units for wish in self._wishes(unit)]
        for mover, to in self._settle(wishes):
            i, j = divmod(to, self._cols)
            orders.append(("m", mover.id, DIRECTIONS.index((i - mover.i, j - mover.j))))
        return orders

    def _look(self, state: HogwartsState) -> None:
        """Note where the units are, what each cell is worth, and where it is dangerous."""
        me, number = state.me, self._number
        kinds = {"W": 0.0, ".": CELL, str(me): 0.0}
        self._worth = [kinds.get(mark, ENEMY_CELL) for row in state.own for mark in row]
        share_left = 1 - state.round / state.num_rounds
        for book in state.books:
            self._worth[number(book)] = CELL + BOOK * share_left
        i, j = state.voldemort
        around = [(i + di, j + dj) for di in range(-2, 3) for dj in range(-2, 3)]
        inside = [cell for cell in around if state.pos_ok(*cell)]
        self._deadly = {number(cell) for cell in inside if state.deadly(*cell)}
        self._feared = {number(cell) for cell in inside if state.reach_of_voldemort(*cell)}
        self._struck, self._room, self._far = set(), {}, None
        self._units = {number(unit.pos): unit for unit in state.units.values()}
        strength = [state.magic_strength(clan) for clan in range(len(state.strength))]
        for cell, unit in self._units.items():
            self._worth[cell] = 0.0
            if unit.player == me:
                if unit.converting:
                    self._worth[cell] = FREEING
            elif not unit.ghost and not unit.converting:
                near = self._near[False][cell]
                self._struck.update(near)
                ours, theirs = strength[me], strength[unit.player]
                if theirs > 2 * ours:
                    self._feared.update(near)
                    continue
                odds = SURPRISE + (1 - SURPRISE) * ours / max(1, ours + theirs)
                self._worth[cell] = self._prize * (INSTANT if ours > 2 * theirs else odds)
                self._room[cell] = CROWD

    def _settle(self, wishes: list[_Wish]) -> list[tuple[HogwartsUnit, int]]:
        """Return the steps to make: at most one for each unit, the most valuable goals first."""
        going: dict[int, tuple[HogwartsUnit, int]] = {}
        waiting: set[int] = set()  # units that will be freed, and so must stay where they are
        taken: set[int] = set()  # cells that units will step on
        for _, _, unit, goal, step in sorted(wishes, key=lambda wish: wish[:2], reverse=True):
            if unit.id in going or self._room.get(goal, 1) <= 0:
                continue
            if step in taken and step not in self._units:
                continue
            self._room[goal] = self._room.get(goal, 1) - 1
            taken.add(step)
            going[unit.id] = (unit, step)
            friend = self._units.get(goal)
            if friend is not None and friend.player == unit.player:
                waiting.add(friend.id)
        return [move for unit_id, move in going.items() if unit_id not in waiting]

    def _wishes(self, unit: HogwartsUnit) -> list[_Wish]:
        fighter = not unit.ghost and not unit.converting
        near, worth, units = self._near[unit.ghost], self._worth, self._units
        start = self._number(unit.pos)
        feared = self._feared | self._struck if unit.ghost else self._feared
        in_danger = start in feared  # then it must leave, and avoids only certain death
        avoided = self._deadly if in_danger else feared | self._deadly
        first = {start: start}
        wishes: list[_Wish] = []
        ring, step = [start], 0
        while ring and len(first) <= self._seen and len(wishes) <= GOALS:
            step += 1
            outer = []
            for cell in ring:
                for to in near[cell]:
                    if to in first or to in avoided:
                        continue
                    first[to] = to if step == 1 else first[cell]
                    other = units.get(to)
                    if other is None or step > 1:  # a unit farther away may move on until then
                        outer.append(to)
                    if worth[to] and (
                        other is None or (fighter and not 0 < other.rounds_pending < step)
                    ):
                        each = worth[to] / (step + PATIENCE)
                        wishes.append((each, self._random.random(), unit, to, first[to]))
            ring = outer
        if in_danger:
            wishes += self._away(unit, feared)
        elif not wishes:
            wishes += self._onward(unit, avoided)
        return wishes

    def _away(self, unit: HogwartsUnit, feared: set[int]) -> list[_Wish]:
        """Return all steps to free cells; those out of danger are worth most."""
        here = self._number(unit.pos)
        return [
            (0.0 if to in feared else ESCAPE, self._random.random(), unit, to, to)
            for to in self._near[unit.ghost][here]
            if to not in self._units and to not in self._deadly
        ]

    def _onward(self, unit: HogwartsUnit, avoided: set[int]) -> list[_Wish]:
        """Return steps towards the nearest cell that has a value, however far it is."""
        if self._far is None:
            valued = [cell for cell, worth in enumerate(self._worth) if worth]
            self._far = spread(self._near[False], valued)
        far, here = self._far, self._number(unit.pos)
        return [
            (0.0, self._random.random(), unit, to, to)
            for to in self._near[unit.ghost][here]
            if far[to] < far[here] and to not in self._units and to not in avoided
        ]

    def _number(self, cell: Cell) -> int:
        return cell[0] * self._cols + cell[1]


def solve(ingredients: Sequence[int]) -> list[int] | None:
    """Return the group of each ingredient, so that five groups of three have equal sums, or None.

    The search tries all pairs of ingredients for the largest one that has no group yet.
    """
    each, rest = divmod(sum(ingredients), GROUPS)
    groups = [-1] * len(ingredients)
    order = sorted(range(len(ingredients)), key=lambda index: -ingredients[index])

    def fill(group: int) -> bool:
        free = [index for index in order if groups[index] < 0]
        if not free:
            return True
        first = free[0]
        tried = set()  # equal ingredients needn't be tried twice
        for after, second in enumerate(free[1:], 2):
            third_value = each - ingredients[first] - ingredients[second]
            if ingredients[second] in tried:
                continue
            tried.add(ingredients[second])
            third = next((i for i in free[after:] if ingredients[i] == third_value), None)
            if third is None:
                continue
            groups[first] = groups[second] = groups[third] = group
            if fill(group + 1):
                return True
            groups[first] = groups[second] = groups[third] = -1
        return False

    return groups if rest == 0 and fill(0) else None
