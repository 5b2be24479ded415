"""GravityGoers gather an army and march (`python -m lanista.house.gravity_goers`).

Their units are pulled by rich neutral cells while they may recruit (`rules/angrymob.md 2`), then by
the enemy base and by weak enemies that stand still; stronger enemies repel them, and their own base
holds back as many as are needed there. A turn's work is bounded by the map and the stacks on it,
however long the match lasts.
"""

from __future__ import annotations

import random
import sys

from lanista.house._paths import FAR, Paths
from lanista.house._play import play

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from lanista.house._play import Moves
    from lanista_client import AngryMobState

RECRUIT_LIMIT = 8  # rules/angrymob.md 2
SCOUTS = 5  # with so many units it is worth spreading out to the rich cells
NEAR = 12  # steps: no scout goes farther for a few units
SEEN_CELLS, SEEN_GOALS = 1200, 12  # how much a scout sees at most: it bounds the time of a turn
STORM_RADIUS = 12  # steps from the enemy base: nearer, a sure conquest is begun at once
PREY_RADIUS, PREY_CELLS = 6, 90  # steps, cells seen: weak enemies pull from so far
PATIENCE = 8  # turns that the army may be held up before it calls the others
RALLY_TURNS = 40  # turns that it waits for them


class GravityGoers:
    """Recruits first, then sends the army to the enemy base while guarding its own.

    The units of a cell move as one stack, except scouts, which are single units. Inside, cells are
    the numbers of `Paths`.
    """

    def __init__(self, state: AngryMobState) -> None:
        self._paths = Paths(state)
        self._random = random.Random(state.seed)
        self._home = self._paths.number(state.base)
        self._goal = self._paths.number(state.enemy_base)
        self._to_home = self._paths.distances(self._home)
        self._to_goal = self._paths.distances(self._goal)
        self._scouting: list[list[int]] = []  # each scout's way, from where it is to its goal
        self._growing = False  # whether scouts take what they reach, or wait for each other
        self._scouted = 0  # our units when the ways were chosen
        self._rally: int | None = None  # the cell where the army gathers
        self._rally_turns = 0  # turns that it will still wait
        self._marching = False
        self._held_up = 0  # turns that the largest stack has been kept from going on
        self._free: dict[int, int] = {}  # our units that have no order yet, by cell
        self._enemies: dict[int, int] = {}
        self._enemies_before: dict[int, int] = {}
        self._orders: dict[tuple[int, int], int] = {}  # by (from, to): units

    def moves(self, state: AngryMobState) -> Moves:
        """The submoves of a turn, sorted by cell."""
        number = self._paths.number
        self._free = {number(cell): n for cell, n in sorted(state.mine.items())}
        self._enemies_before = self._enemies
        self._enemies = {number(cell): n for cell, n in sorted(state.theirs.items())}
        self._orders = {}
        total = sum(self._free.values())
        first = min((self._to_home[e] for e in self._enemies), default=FAR)
        self._storm(min(STORM_RADIUS, first - 1))  # nobody can be faster
        self._guard(total)
        self._storm(STORM_RADIUS)
        scouting = total <= RECRUIT_LIMIT and self._scout(
            total, {number(cell): n for cell, n in sorted(state.neutral.items())}
        )
        if not scouting:
            self._march()
        self._marching = not scouting
        return [
            (*self._paths.cell(cell), n, d)
            for (cell, to), n in sorted(self._orders.items())
            for d, other in self._paths.neighbours[cell]
            if other == to
        ]

    def _order(self, cell: int, to: int | None, n: int) -> None:
        """Let n units of a cell go to a neighbour, or with None stay; they are free no more."""
        if to is not None:
            self._orders[cell, to] = self._orders.get((cell, to), 0) + n
        self._free[cell] -= n
        if not self._free[cell]:
            del self._free[cell]

    def _downhill(self, cell: int, field: Sequence[int]) -> int | None:
        """A neighbour that is nearer to the field's source; None at the source."""
        nearer = [to for _, to in self._paths.neighbours[cell] if field[to] < field[cell]]
        return self._random.choice(nearer) if nearer else None

    def _storm(self, radius: int) -> None:
        """Stacks that near to the enemy base go for it if nobody can stop them in time."""
        for cell, n in list(self._free.items()):
            distance = self._to_goal[cell]
            if distance <= radius:
                in_time = (m for e, m in self._enemies.items() if self._to_goal[e] <= distance)
                if n > sum(in_time):
                    self._order(cell, self._downhill(cell, self._to_goal), n)

    def _guard(self, total: int) -> None:
        """Call units home while they still come there as early as the enemies.

        Whoever attacks with no more than the base holds doesn't conquer it (`rules/angrymob.md 2`),
        so for every number of steps, at least as many of ours as of theirs should be that near to
        our base; two steps less, for in this turn they may come one nearer and ours go one away.
        Where the enemies are too many for that, half of ours stay free, except against a single
        stack; what is stronger than all of ours can't be held. Who may still recruit does, until
        the enemy is close: more units are the better defence.
        """
        radius = FAR if total > RECRUIT_LIMIT else self._to_home[self._goal] // 3
        ours = sorted((self._to_home[cell], cell) for cell in self._free)
        need = coming = strongest = in_time = at = 0
        for distance, e in sorted((self._to_home[e], e) for e in self._enemies):
            coming += self._enemies[e]
            while at < len(ours) and ours[at][0] <= distance - 2:
                in_time += self._free[ours[at][1]]
                at += 1
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
        """Send single units to neutral cells; False if there is none to be had.

        Until they are enough, they collect small numbers near them. Then each goes beside a rich
        cell and waits, for the limit is checked once a turn: all that step in together recruit,
        whatever comes of it.
        """
        if not self._ways_hold(total, neutral):
            self._choose_ways(total, neutral)
        if not self._scouting:
            return False
        beside = all(len(way) == 2 for way in self._scouting)
        for way in self._scouting:
            if self._growing or beside or len(way) > 2:
                self._order(way[0], way[1], 1)
                del way[0]
        self._free.clear()  # the others wait for their turn
        return True

    def _ways_hold(self, total: int, neutral: dict[int, int]) -> bool:
        """Whether the scouts still are where they should be, and their goals worth going to."""
        if total != self._scouted or not self._scouting:
            return False
        here = dict(self._free)
        for way in self._scouting:
            here[way[0]] = here.get(way[0], 0) - 1
            if here[way[0]] < 0 or len(way) < 2 or way[-1] not in neutral:
                return False
        return True

    def _choose_ways(self, total: int, neutral: dict[int, int]) -> None:
        ways = [
            way
            for cell in self._free
            for way in self._paths.nearest(cell, neutral, most=SEEN_GOALS, within=SEEN_CELLS)
        ]
        room = RECRUIT_LIMIT - total
        small = [way for way in ways if neutral[way[-1]] <= room and len(way) <= NEAR + 1]
        self._scouted = total
        self._growing = total < SCOUTS and bool(small)
        if self._growing:
            small.sort(key=lambda way: (len(way), -neutral[way[-1]], way))
            ways = small
        else:
            ways.sort(key=lambda way: (-neutral[way[-1]] / (len(way) + 3), way))
            room = sum(neutral.values())  # the last step may take anything
        self._scouting = []
        here, taken = dict(self._free), set()
        for way in ways:
            if here[way[0]] and way[-1] not in taken and neutral[way[-1]] <= room:
                here[way[0]] -= 1
                taken.add(way[-1])
                room -= neutral[way[-1]]
                self._scouting.append(way)

    def _march(self) -> None:
        """Gather at the largest stack, then go to the enemy base; beware of stronger enemies."""
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
                self._order(cell, self._step(cell, n, self._paths.distances(self._rally)), n)
                continue
            to = self._prey_step(cell, n) if cell == largest else None
            if to is None:
                to = self._step(cell, n, self._to_goal)
                if cell == largest:
                    self._held_up = self._held_up + 1 if to is None else 0
            self._order(cell, to, n)

    def _step(self, cell: int, n: int, field: Sequence[int]) -> int | None:
        """The next step of n units towards the field's source; None: stay.

        They don't go where a stack that isn't weaker could meet them, and flee from where one can.
        """
        ways = [to for _, to in self._paths.neighbours[cell]]
        nearer = [to for to in ways if field[to] < field[cell]]
        safe = [to for to in nearer if self._danger(to) < n]
        if safe:
            return self._random.choice(safe)
        if self._danger(cell) < n or not ways:
            return None
        refuge = min(ways, key=lambda to: (self._danger(to), field[to], to))
        return refuge if self._danger(refuge) < self._danger(cell) else None

    def _danger(self, cell: int) -> int:
        """The largest enemy stack that could be in that cell after this move."""
        near = [self._enemies.get(to, 0) for _, to in self._paths.neighbours[cell]]
        return max([self._enemies.get(cell, 0), *near])

    def _prey_step(self, cell: int, n: int) -> int | None:
        """The next step to an enemy less than half as strong that stands still; None: no prey."""
        prey = {
            e
            for e, m in self._enemies.items()
            if 2 * m < n and self._enemies_before.get(e) == m and e != self._goal
        }
        for way in self._paths.nearest(cell, prey, most=1, within=PREY_CELLS) if prey else ():
            if len(way) <= PREY_RADIUS + 1 and self._danger(way[1]) < n:
                return way[1]
        return None


if __name__ == "__main__":
    sys.exit(play("GravityGoers", "angrymob", GravityGoers))
