"""Dummy plays Crematoria decently.

Its pioneers conquer the nearest caves that aren't theirs. Those that can be back before the sun
fetch gems in the night. Its furyans go for the nearest enemy and strike. All keep away from
hellhounds, pioneers also from enemy furyans and necromongers.
"""

from __future__ import annotations

import random

from lanista.games.house_bot import FAR, spread
from lanista_client.crematoria import DOWN, FURYAN, HELLHOUND, NONE, PIONEER, UP

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Steps
    from lanista_client import CrematoriaState, CrematoriaUnit
    from lanista_client.crematoria import Pos

HOUND_REACH = 2  # the distance within which a hellhound kills by its step (rules/crematoria.md 5.4)
TRIP = 26  # the most rounds that a trip to a gem and back may take
SPARE = 1  # rounds of night that must be left after a trip
HURT = 40  # the health below which a furyan keeps out of the reach of enemy furyans


class Dummy:
    """A bot that conquers caves, fetches gems and fights.

    Cells of level 0 are numbered `i * cols + j`. A field is a list of the steps from each of them
    to some goal.
    """

    def __init__(self, state: CrematoriaState) -> None:
        self._random = random.Random(state.seed)
        self._cols = state.cols
        self._state = state
        cells = [(i, j) for i in range(state.rows) for j in range(state.cols)]
        self._caves = [self._number(i, j) for i, j in cells if state.cave(i, j)]
        # By cell: the directions and cells of its neighbours; then these cells only.
        self._neighbours: list[tuple[tuple[int, int], ...]] = [
            tuple((d, self._number(*to[:2])) for d, to in state.neighbours((i, j, 0)) if d < UP)
            if state.passable(i, j, 0)
            else ()
            for i, j in cells
        ]
        self._near = [tuple(to for _, to in pairs) for pairs in self._neighbours]
        self._lifts = state.elevators
        self._to_lift = [spread(self._near, [self._number(i, j)]) for i, j in self._lifts]
        self._taken: set[Pos] = set()  # positions where our units will stand
        self._hounded: set[int] = set()  # cells where a hellhound may kill in this round
        self._struck: set[int] = set()  # cells where an enemy furyan could strike

    def moves(self, state: CrematoriaState) -> Steps:
        """Return the orders of a round: furyans' strikes, their steps, pioneers' steps."""
        self._state = state
        me = state.me
        enemies = [u for u in state.units.values() if u.player >= 0 and u.player != me]
        self._taken = set()
        self._hounded = {
            cell
            for hound in state.hellhounds()
            for cell in self._square(hound.i, hound.j, HOUND_REACH)
        }
        self._struck = {
            cell
            for enemy in enemies
            if enemy.type == FURYAN and enemy.k == 0
            for cell in self._square(enemy.i, enemy.j, 1)
        }
        strikes, steps = self._furyans(state.furyans(me), enemies)
        return strikes + steps + self._pioneers(state.pioneers(me))

    # -- furyans ------------------------------------------------------------------------------

    def _furyans(
        self, furyans: list[CrematoriaUnit], enemies: list[CrematoriaUnit]
    ) -> tuple[Steps, Steps]:
        """Return the furyans' strikes, and their steps towards the nearest enemies underground."""
        strikes: Steps = []
        steps: Steps = []
        prey = [self._number(enemy.i, enemy.j) for enemy in enemies if enemy.k == 0]
        field = spread(self._near, prey, self._hounded) if furyans else []
        for unit in furyans:
            d = self._strike(unit)
            if d is not None:
                strikes.append((unit.id, d))
                self._taken.add(unit.pos)
                continue
            feared = self._hounded
            if unit.health < HURT:
                feared = feared | self._struck
            d = self._step(unit, field, feared)
            if d is not None:
                steps.append((unit.id, d))
        return strikes, steps

    def _strike(self, unit: CrematoriaUnit) -> int | None:
        """Return the direction in which a furyan strikes; None: it doesn't.

        It prefers pioneers, then the least health. From within a hellhound's reach it must flee.
        """
        state = self._state
        if unit.k == 0 and self._hounds_near(unit.pos):
            return None
        victims = []
        for d, to in state.neighbours(unit.pos):
            other = state.unit_at(to)
            if other is None or other.player == state.me or other.type == HELLHOUND:
                continue
            victims.append((other.type != PIONEER, other.health, d))
        return min(victims)[2] if victims else None

    # -- pioneers -----------------------------------------------------------------------------

    def _pioneers(self, pioneers: list[CrematoriaUnit]) -> Steps:
        """Return the pioneers' steps: to a gem, back down, or to the nearest cave not yet ours."""
        state, me = self._state, self._state.me
        steps: Steps = []
        goals = [cell for cell in self._caves if state.owner(*divmod(cell, self._cols)) != me]
        feared = self._hounded | self._struck
        field = spread(self._near, goals, feared)
        trips = self._trips(pioneers)
        for unit in pioneers:
            if unit.k == 1:
                d = self._outside(unit, trips.get(unit.id))
            elif unit.id in trips:
                d = self._climb(unit, trips[unit.id])
            else:
                d = self._step(unit, field, feared)
            if d is not None:
                steps.append((unit.id, d))
        return steps

    def _trips(self, pioneers: list[CrematoriaUnit]) -> dict[int, tuple[Pos, int]]:
        """Return the gem that each pioneer fetches, and the elevator that it takes, by its id.

        The elevator is an index of `_lifts`; -1: the pioneer is outside already.
        """
        candidates = []
        for gem in self._state.gems if self._lifts else ():
            back = min(self._state.distance((i, j, 1), gem) for i, j in self._lifts)
            lifts = [
                (ahead, lift)
                for lift, (i, j) in enumerate(self._lifts)
                if (ahead := self._state.distance((i, j, 1), gem)) <= TRIP
            ]
            for unit in pioneers:
                if unit.k == 1:
                    rounds, lift = self._state.distance(unit.pos, gem), -1
                else:
                    cell = self._number(unit.i, unit.j)
                    rounds, lift = min(
                        ((self._to_lift[lift][cell] + 1 + ahead, lift) for ahead, lift in lifts),
                        default=(FAR, -1),
                    )
                if rounds + back > TRIP or not self._night(gem[1], rounds, back + SPARE):
                    continue
                if lift >= 0 and not self._night(self._lifts[lift][1], rounds, 0):
                    continue
                candidates.append((rounds, unit.id, gem, lift))
        trips: dict[int, tuple[Pos, int]] = {}
        fetched: set[Pos] = set()
        for _, unit_id, gem, lift in sorted(candidates):
            if unit_id not in trips and gem not in fetched:
                trips[unit_id] = (gem, lift)
                fetched.add(gem)
        return trips

    def _night(self, column: int, after: int, rounds: int) -> bool:
        """Return whether a column is in the night `after` rounds from now, and `rounds` longer."""
        night = (column - 2 * (self._state.round + after)) % self._cols
        return night - 2 * rounds >= 2 and night < self._cols // 2

    def _climb(self, unit: CrematoriaUnit, trip: tuple[Pos, int]) -> int | None:
        """Return a step to the elevator, or up; None: wait until it is free and safe above."""
        lift = trip[1]
        feared = self._hounded | self._struck
        if (unit.i, unit.j) != self._lifts[lift]:
            return self._step(unit, self._to_lift[lift], feared)
        above = (unit.i, unit.j, 1)
        hounded = self._hounds_near(unit.pos)
        if self._free(above) and (hounded or self._safe_outside(above)):
            self._taken.add(above)
            return UP
        return self._step(unit, self._to_lift[lift], feared) if hounded else None

    def _outside(self, unit: CrematoriaUnit, trip: tuple[Pos, int] | None) -> int | None:
        """Return a step on level 1: to the gem, or to an elevator, or down; None: stay.

        It goes to the nearest elevator, but first to those that will be in the night on arrival.
        """
        state = self._state
        below = (unit.i, unit.j, 0)
        goal = unit.pos
        if trip is not None:
            goal = trip[0]
        elif state.elevator(unit.i, unit.j) and self._free(below) and not self._hounds_near(below):
            self._taken.add(below)
            return DOWN
        else:
            homes = []
            for i, j in self._lifts:
                steps = state.distance(unit.pos, (i, j, 1))
                if steps:
                    homes.append((not self._night(j, steps, 0), steps, (i, j, 1)))
            goal = min(homes)[2] if homes else unit.pos
        here = (not self._safe_outside(unit.pos), state.distance(unit.pos, goal), 0.0)
        choices = [(here, NONE, unit.pos)]
        for d, to in state.neighbours(unit.pos):
            if d < UP and self._free(to) and not state.daylight(to):
                unsafe = not self._safe_outside(to)
                rank = (unsafe, state.distance(to, goal), self._random.random())
                choices.append((rank, d, to))
        _, d, to = min(choices)
        self._taken.add(to)
        return None if d == NONE else d

    def _free(self, pos: Pos) -> bool:
        """Return whether no unit stands at a position, and none of ours will."""
        return pos not in self._taken and self._state.unit_at(pos) is None

    def _hounds_near(self, pos: Pos) -> bool:
        return self._number(pos[0], pos[1]) in self._hounded

    def _safe_outside(self, pos: Pos) -> bool:
        """Return whether a unit there will survive the round: no sun, no necromonger near."""
        state = self._state
        if state.rounds_of_night(pos) < 1:
            return False
        for unit in state.necromongers():
            near = state.distance(unit.pos, pos)
            if near == 0 or (near == 1 and unit.turns <= 0):
                return False
        return True

    # -- ways ---------------------------------------------------------------------------------

    def _step(self, unit: CrematoriaUnit, field: list[int], feared: set[int]) -> int | None:
        """Return a step underground towards a field's goal, to a free cell; None: stay.

        It avoids danger. A unit in danger that can't leave it goes as far from the hellhounds as
        possible.
        """
        if unit.k == 1:
            return self._outside(unit, None)
        here = self._number(unit.i, unit.j)
        choices = []
        for d, to in self._neighbours[here]:
            pos = (*divmod(to, self._cols), 0)
            if self._free(pos):
                rank = (*self._danger(to, feared), field[to], self._random.random())
                choices.append((rank, d, pos))
        if not choices:
            self._taken.add(unit.pos)
            return None
        rank, d, pos = min(choices)
        if here not in feared and rank[0]:
            self._taken.add(unit.pos)
            return None
        self._taken.add(pos)
        return d

    def _danger(self, cell: int, feared: set[int]) -> tuple[bool, int]:
        """Return how dangerous a cell is: whether it is feared, and how near the hellhounds are."""
        if cell not in feared:
            return (False, 0)
        i, j = divmod(cell, self._cols)
        hounds = [self._state.distance((i, j, 0), hound.pos) for hound in self._state.hellhounds()]
        return (True, -min(hounds, default=0))

    def _square(self, i: int, j: int, reach: int) -> list[int]:
        """Return the cells within `reach` steps, as if there were no rock."""
        cols = self._cols
        return [
            row * cols + (j + across) % cols
            for row in range(max(0, i - reach), min(self._state.rows, i + reach + 1))
            for across in range(-reach, reach + 1)
        ]

    def _number(self, i: int, j: int) -> int:
        return i * self._cols + j
