"""GravityGoers gather an army and march.

While they may recruit (`rules/angrymob.md 2`), their units go for rich neutral cells. After that
they go for the enemy base, and for weak enemies that stand still. They avoid stronger enemies, and
as many of them as are needed stay to guard their own base.
"""

from __future__ import annotations

import copy
import random
from array import array

from lanista.games.house_bot import FAR, spread

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from lanista.games.house_bot import Moves
    from lanista_client import AngryMobState

_CACHED_ENTRIES = 8_000_000
"""The number of distances kept, 16 MB: all of a map of 40 by 60 cells, a part of a larger one's."""


class Paths:
    """The passable cells of a map, and distances between them in steps.

    Attributes:
        neighbours: The (direction, cell) pairs of the neighbours of each cell, by its number.
    """

    def __init__(self, state: AngryMobState) -> None:
        self._cols = state.cols
        self.neighbours = [
            tuple((d, self.number(cell)) for d, cell in state.neighbours(i, j))
            for i in range(state.rows)
            for j in range(state.cols)
        ]
        self._next = [tuple(cell for _, cell in pairs) for pairs in self.neighbours]
        self._distances: dict[int, array[int]] = {}

    def number(self, cell: tuple[int, int]) -> int:
        """Return the number of the cell (row, column)."""
        return cell[0] * self._cols + cell[1]

    def cell(self, number: int) -> tuple[int, int]:
        """Return the (row, column) of the cell with that number."""
        return divmod(number, self._cols)

    def distances(self, source: int) -> array[int]:
        """Return each cell's distance from the source, in steps; `FAR` where there is no path."""
        cached = self._distances.get(source)
        if cached is not None:
            return cached
        if len(self._distances) * len(self._next) > _CACHED_ENTRIES:
            self._distances.clear()
        distances = self._distances[source] = array("H", spread(self._next, [source]))
        return distances

    def nearest(
        self, source: int, goals: Container[int], *, most: int, within: int
    ) -> list[list[int]]:
        """Return shortest paths to the nearest goals, none through another goal, nearest first.

        `most` limits their number, `within` that of the cells that are looked at. The source itself
        doesn't count as a goal.
        """
        came_from = {source: source}
        queue = [source]
        paths: list[list[int]] = []
        for cell in queue:  # which grows in the loop
            if len(paths) >= most or len(came_from) > within:
                break
            if cell != source and cell in goals:
                path = [cell]
                while path[-1] != source:
                    path.append(came_from[path[-1]])
                paths.append(path[::-1])
                continue
            for other in self._next[cell]:
                if other not in came_from:
                    came_from[other] = cell
                    queue.append(other)
        return paths


RECRUIT_LIMIT = 8  # rules/angrymob.md 2
SCOUTS = 5  # with this many units it is worth spreading out to the rich cells
REACH = 3  # steps that are added to the way to a rich cell when units per step are compared
NEAR = 12  # steps that a scout goes at most for a small number of units
SEEN_CELLS, SEEN_GOALS = 1200, 12  # the most that a scout looks at, to limit the time of a turn
STORM_RADIUS = 12  # steps from the enemy base within which a sure conquest is begun at once
PREY_RADIUS, PREY_CELLS = 6, 90  # steps to weak enemies worth attacking, and cells looked at
PATIENCE = 8  # turns that the army may be held up before the other units come to it
RALLY_TURNS = 40  # turns that it waits for them


class GravityGoers:
    """A bot that recruits first, then sends its army to the enemy base and guards its own.

    The units of a cell move as one stack, except scouts, which are single units. Cells are the
    numbers that `Paths` gives them. The habits `scouts`, `reach` and `goals` begin as the constants
    `SCOUTS`, `REACH` and `SEEN_GOALS`.
    """

    def __init__(self, state: AngryMobState) -> None:
        self.scouts, self.reach, self.goals = SCOUTS, REACH, SEEN_GOALS
        self.paths = Paths(state)
        self._random = random.Random(state.seed)
        self._home = self.paths.number(state.base)
        self._goal = self.paths.number(state.enemy_base)
        self._to_home = self.paths.distances(self._home)
        self._to_goal = self.paths.distances(self._goal)
        self._scouting: list[list[int]] = []  # each scout's path, from its own cell to its goal
        self._growing = False  # whether scouts recruit on arrival, or wait for each other
        self._scouted = 0  # the number of our units when the paths were chosen
        self._rally: int | None = None  # the cell where the army gathers
        self._rally_turns = 0  # turns that the army still waits there
        self._marching = False
        self._held_up = 0  # turns for which the largest stack hasn't got on
        self._free: dict[int, int] = {}  # our units without an order in this turn, by cell
        self._enemies: dict[int, int] = {}  # the enemy's units by cell
        self._enemies_before: dict[int, int] = {}  # the same, a turn ago
        self._orders: dict[tuple[int, int], int] = {}  # numbers of units by (from, to)

    def fork(self, chance: random.Random, **habits: int) -> GravityGoers:
        """Return a bot that goes on independently, with other random numbers, for looking ahead.

        It has the same plans; but if it is given other habits, which are `scouts`, `reach` and
        `goals`, its scouts choose their goals anew.
        """
        other = copy.copy(self)
        vars(other).update(
            habits,
            _random=chance,
            _scouting=[] if habits else [path.copy() for path in self._scouting],
        )
        return other

    def moves(self, state: AngryMobState) -> Moves:
        """Return the submoves of a turn, sorted by cell."""
        number = self.paths.number
        mine, theirs = (
            {number(cell): n for cell, n in units.items()} for units in (state.mine, state.theirs)
        )
        neutral: dict[int, int] = {}  # `decide` looks at them only while we may recruit
        if sum(mine.values()) <= RECRUIT_LIMIT:
            neutral = {number(cell): n for cell, n in state.neutral.items()}
        return self.decide(mine, theirs, neutral)

    def decide(
        self, mine: dict[int, int], theirs: dict[int, int], neutral: dict[int, int]
    ) -> Moves:
        """Return the submoves of a turn, given units by the number of their cell."""
        self._free = dict(sorted(mine.items()))
        self._enemies_before = self._enemies
        self._enemies = dict(sorted(theirs.items()))
        self._orders = {}
        total = sum(self._free.values())
        nearest = min((self._to_home[e] for e in self._enemies), default=FAR)
        self._storm(min(STORM_RADIUS, nearest - 1))  # before any enemy can be at our base
        self._guard(total)
        self._storm(STORM_RADIUS)
        scouting = total <= RECRUIT_LIMIT and self._scout(total, neutral)
        if not scouting:
            self._march()
        self._marching = not scouting
        return [
            (*self.paths.cell(cell), n, d)
            for (cell, to), n in sorted(self._orders.items())
            for d, other in self.paths.neighbours[cell]
            if other == to
        ]

    def _order(self, cell: int, to: int | None, n: int) -> None:
        """Let n free units of a cell go to a neighbour, or with None stay."""
        if to is not None:
            self._orders[cell, to] = self._orders.get((cell, to), 0) + n
        self._free[cell] -= n
        if not self._free[cell]:
            del self._free[cell]

    def _downhill(self, cell: int, field: Sequence[int]) -> int | None:
        """Return a neighbour that is nearer to the field's source; None at the source."""
        nearer = [to for _, to in self.paths.neighbours[cell] if field[to] < field[cell]]
        return self._random.choice(nearer) if nearer else None

    def _storm(self, radius: int) -> None:
        """Send stacks within the radius to the enemy base if no enemy can stop them in time."""
        for cell, n in list(self._free.items()):
            distance = self._to_goal[cell]
            if distance <= radius:
                in_time = (m for e, m in self._enemies.items() if self._to_goal[e] <= distance)
                if n > sum(in_time):
                    self._order(cell, self._downhill(cell, self._to_goal), n)

    def _guard(self, total: int) -> None:
        """Send as many units home as are needed there before the enemies arrive.

        Within any distance of our base there should be at least as many of our units as of the
        enemy's, counting ours two steps farther away: in this turn the enemies may come a step
        nearer, and ours may go a step away.

        If there are too many enemies for that, half of our units stay free, except against a
        single stack. Nothing is done against a stack that is stronger than all of our units. While
        we may recruit, that goes on until the enemy is close: more units are the better defence.
        """
        radius = FAR if total > RECRUIT_LIMIT else self._to_home[self._goal] // 3
        ours = sorted((self._to_home[cell], cell) for cell in self._free)
        need = coming = strongest = in_time = index = 0
        for distance, e in sorted((self._to_home[e], e) for e in self._enemies):
            coming += self._enemies[e]
            while index < len(ours) and ours[index][0] <= distance - 2:
                in_time += self._free[ours[index][1]]
                index += 1
            if coming > in_time and distance <= radius:
                need = coming
                strongest = max(strongest, self._enemies[e])
        if strongest > total:
            return
        need = min(need, max(total // 2, strongest))
        for _, cell in ours:
            n = min(need, self._free[cell])
            if n:
                need -= n
                self._order(cell, self._downhill(cell, self._to_home), n)

    def _scout(self, total: int, neutral: dict[int, int]) -> bool:
        """Send single units to neutral cells; return whether there is anything to recruit.

        As long as there are few units, they recruit small numbers near them. Then each goes to a
        cell next to a rich one, and waits until all are there: units that enter neutral cells in
        the same turn all recruit, even if their side then exceeds the limit.
        """
        if not self._can_go_on(total, neutral):
            self._choose_paths(total, neutral)
        if not self._scouting:
            return False
        all_there = all(len(path) == 2 for path in self._scouting)
        for path in self._scouting:
            if self._growing or all_there or len(path) > 2:
                self._order(path[0], path[1], 1)
                del path[0]
        self._free.clear()  # all other units stay
        return True

    def _can_go_on(self, total: int, neutral: dict[int, int]) -> bool:
        """Return whether all scouts are still on their paths, and their goals still neutral."""
        if total != self._scouted or not self._scouting:
            return False
        here = dict(self._free)
        for path in self._scouting:
            here[path[0]] = here.get(path[0], 0) - 1
            if here[path[0]] < 0 or len(path) < 2 or path[-1] not in neutral:
                return False
        return True

    def _choose_paths(self, total: int, neutral: dict[int, int]) -> None:
        paths = [
            path
            for cell in self._free
            for path in self.paths.nearest(cell, neutral, most=self.goals, within=SEEN_CELLS)
        ]
        room = RECRUIT_LIMIT - total
        small = [path for path in paths if neutral[path[-1]] <= room and len(path) <= NEAR + 1]
        self._scouted = total
        self._growing = total < self.scouts and bool(small)
        if self._growing:
            small.sort(key=lambda path: (len(path), -neutral[path[-1]], path))
            paths = small
        else:
            paths.sort(key=lambda path: (-neutral[path[-1]] / (len(path) + self.reach), path))
            room = sum(neutral.values())  # no limit, as the scouts recruit all at once
        self._scouting = []
        here, taken = dict(self._free), set()
        for path in paths:
            if here[path[0]] and path[-1] not in taken and neutral[path[-1]] <= room:
                here[path[0]] -= 1
                taken.add(path[-1])
                room -= neutral[path[-1]]
                self._scouting.append(path)

    def _march(self) -> None:
        """Gather at the largest stack, then go to the enemy base, avoiding stronger enemies."""
        if not self._free:
            return
        largest = max(self._free, key=lambda cell: (self._free[cell], -self._to_goal[cell], cell))
        if not self._marching or self._held_up >= PATIENCE:
            self._rally, self._rally_turns, self._held_up = largest, RALLY_TURNS, 0
        if self._rally is not None:
            self._rally_turns -= 1
            if self._rally_turns < 0 or set(self._free) == {self._rally}:
                self._rally = None
        for cell, n in list(self._free.items()):
            if self._rally is not None:
                self._order(cell, self._step(cell, n, self.paths.distances(self._rally)), n)
                continue
            to = self._prey_step(cell, n) if cell == largest else None
            if to is None:
                to = self._step(cell, n, self._to_goal)
                if cell == largest:
                    self._held_up = self._held_up + 1 if to is None else 0
            self._order(cell, to, n)

    def _step(self, cell: int, n: int, field: Sequence[int]) -> int | None:
        """Return the next step of n units towards the field's source; None: stay.

        They don't go where a stack that isn't weaker could meet them, and flee from such places.
        """
        neighbours = [to for _, to in self.paths.neighbours[cell]]
        nearer = [to for to in neighbours if field[to] < field[cell]]
        safe = [to for to in nearer if self._danger(to) < n]
        if safe:
            return self._random.choice(safe)
        if self._danger(cell) < n or not neighbours:
            return None
        refuge = min(neighbours, key=lambda to: (self._danger(to), field[to], to))
        return refuge if self._danger(refuge) < self._danger(cell) else None

    def _danger(self, cell: int) -> int:
        """Return the size of the largest enemy stack that could be in that cell after this move."""
        near = [self._enemies.get(to, 0) for _, to in self.paths.neighbours[cell]]
        return max([self._enemies.get(cell, 0), *near])

    def _prey_step(self, cell: int, n: int) -> int | None:
        """Return the next step towards an enemy that is less than half as strong and stands still.

        None: there is no such enemy near.
        """
        prey = {
            e
            for e, m in self._enemies.items()
            if 2 * m < n and self._enemies_before.get(e) == m and e != self._goal
        }
        for path in self.paths.nearest(cell, prey, most=1, within=PREY_CELLS) if prey else ():
            if len(path) <= PREY_RADIUS + 1 and self._danger(path[1]) < n:
                return path[1]
        return None
