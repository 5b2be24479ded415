"""A match of Crematoria as plain attributes (`rules/crematoria.md`, `PROTOCOL.md 5`).

A position is (i, j, k): row from 0 at the top, column from 0 at the left, level 0 underground and
1 outside. Columns are circular on both levels: 79 and 0 are neighbours. No strategy lives here.
"""

from __future__ import annotations

from lanista_client.states import State, board_of, numbers_of, steps_from

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from typing import TypeAlias

    from lanista_client.states import Facts

    Pos: TypeAlias = tuple[int, int, int]

__all__ = [
    "BOTTOM",
    "BR",
    "DIRECTIONS",
    "DOWN",
    "FURYAN",
    "HELLHOUND",
    "LB",
    "LEFT",
    "NECROMONGER",
    "NONE",
    "PIONEER",
    "RIGHT",
    "RT",
    "TL",
    "TOP",
    "UP",
    "CrematoriaState",
    "CrematoriaUnit",
]

BOTTOM, BR, RIGHT, RT, TOP, TL, LEFT, LB, UP, DOWN, NONE = range(11)
"""The directions (`rules/crematoria.md 1`); `TOP` is a row up, `UP` a level up."""

DIRECTIONS = (
    (1, 0, 0),
    (1, 1, 0),
    (0, 1, 0),
    (-1, 1, 0),
    (-1, 0, 0),
    (-1, -1, 0),
    (0, -1, 0),
    (1, -1, 0),
    (0, 0, 1),
    (0, 0, -1),
    (0, 0, 0),
)
"""Of each direction, what it adds to row, column and level."""

PIONEER, FURYAN, NECROMONGER, HELLHOUND = "p", "f", "n", "h"
"""What `CrematoriaUnit.type` can be."""


class CrematoriaUnit:
    """A living unit; a descending necromonger too.

    Attributes:
        id: it never changes.
        type: `PIONEER`, `FURYAN`, `NECROMONGER` or `HELLHOUND`.
        player: who it belongs to; -1: nobody.
        health: a hellhound's is -1, for it is immortal.
        turns: above 0: a necromonger that is descending over that cell and isn't on the board.
        pos: where it is, (i, j, k).
        i: the row.
        j: the column.
        k: the level.
    """

    __slots__ = ("health", "i", "id", "j", "k", "player", "pos", "turns", "type")

    def __init__(self, words: list[str]) -> None:
        number, self.type, player, health, turns, i, j, k = words
        self.id = int(number)
        self.player = int(player)
        self.health = int(health)
        self.turns = int(turns)
        self.i = int(i)
        self.j = int(j)
        self.k = int(k)
        self.pos: Pos = (self.i, self.j, self.k)

    def __repr__(self) -> str:
        return f"<{self.type} {self.id} of {self.player} at {self.pos}, health {self.health}>"


class CrematoriaState(State):
    """A match of Crematoria (`rules/crematoria.md`).

    Attributes:
        rows: the board's height in cells.
        cols: its width.
        nb_rounds: the rounds of the whole match.
        elevators: where they are, (i, j), the same on both levels.
        own: the rows of level 0, a character a cell: `R` rock, `E` an elevator, `C` a cave or the
            player that owns it.
        units: every living unit by its id, in order of ids.
        gems: where gems lie, as positions of level 1.
        sun: the first of the sunlit columns of level 1; they are half of all, circular.
        nb_cells: of each player, the caves it owns now.
        nb_gems: of each player, the gems it ever picked.
        points: of each player: cells, and gems at their value.
        status: of each player, its answer times as a share of the match's allowance; -1: out.
    """

    def __init__(self, match: str, start: Facts) -> None:
        super().__init__(match, start)
        self.rows, self.cols = (int(word) for word in start["size"][0])
        self.nb_rounds = int(self.settings["nb_rounds"])
        self.elevators = sorted((int(i), int(j)) for i, j in start.get("elevator", ()))
        self._lifts = frozenset(self.elevators)
        self.own = board_of(start["row"], self.rows, self.cols)
        self._caves = self.own
        self._ways: dict[Pos, tuple[tuple[int, Pos], ...]] = {}
        self._at: dict[Pos, CrematoriaUnit] | None = None
        self.units: dict[int, CrematoriaUnit] = {}
        self.gems: list[Pos] = []
        self.sun = 0
        self.nb_cells: tuple[int, ...] = ()
        self.nb_gems: tuple[int, ...] = ()
        self.points: tuple[int, ...] = ()
        self.status: tuple[float, ...] = ()

    def update(self, turn: int, facts: Facts) -> None:
        """Take the facts of a turn; units are new objects each turn."""
        super().update(turn, facts)
        self.own = board_of(facts["own"], self.rows, self.cols)
        self._at = None
        units = sorted(map(CrematoriaUnit, facts["unit"]), key=_id)
        self.units = {unit.id: unit for unit in units}
        self.gems = sorted([(int(i), int(j), 1) for i, j in facts.get("gem", ())])
        players = len(self.players)
        if not (
            all(self.pos_ok(*gem) for gem in self.gems)
            and all(self.pos_ok(*unit.pos) and -1 <= unit.player < players for unit in units)
        ):
            raise ValueError("something outside the board, or a unit of no player")
        (self.sun,) = numbers_of(facts, "sun", 1)
        self.nb_cells = numbers_of(facts, "cells", players)
        self.nb_gems = numbers_of(facts, "gems", players)
        self.points = numbers_of(facts, "score", players)
        self.status = numbers_of(facts, "status", players, float)

    @property
    def round(self) -> int:
        """The round that is asked for, from 0: the turn."""
        return self.turn

    @property
    def me(self) -> int:
        """Our own number: the seat."""
        return self.seat

    @property
    def score(self) -> tuple[int, ...]:
        """Of each player; another word for `points`."""
        return self.points

    def pioneers(self, player: int) -> list[CrematoriaUnit]:
        """The pioneers of a player, by id."""
        units = self.units.values()
        return [unit for unit in units if unit.type == PIONEER and unit.player == player]

    def furyans(self, player: int) -> list[CrematoriaUnit]:
        """The furyans of a player, by id."""
        units = self.units.values()
        return [unit for unit in units if unit.type == FURYAN and unit.player == player]

    def necromongers(self) -> list[CrematoriaUnit]:
        """The living necromongers, the descending ones too, by id."""
        return [unit for unit in self.units.values() if unit.type == NECROMONGER]

    def hellhounds(self) -> list[CrematoriaUnit]:
        """The hellhounds, by id."""
        return [unit for unit in self.units.values() if unit.type == HELLHOUND]

    def pos_ok(self, i: int, j: int, k: int) -> bool:
        """Whether the position lies on the board."""
        return 0 <= i < self.rows and 0 <= j < self.cols and 0 <= k <= 1

    def passable(self, i: int, j: int, k: int) -> bool:
        """Whether units can stand there: on the board and no rock."""
        return self.pos_ok(i, j, k) and (k == 1 or self._caves[i][j] != "R")

    def elevator(self, i: int, j: int) -> bool:
        """Whether there is an elevator at that row and column."""
        return (i, j) in self._lifts

    def cave(self, i: int, j: int) -> bool:
        """Whether level 0 has a cave there, which can be owned; False outside the board."""
        return 0 <= i < self.rows and 0 <= j < self.cols and self._caves[i][j] == "C"

    def owner(self, i: int, j: int) -> int:
        """The player that owns a cell of level 0; -1: nobody, as rock and outside the board."""
        mark = self.own[i][j] if self.pos_ok(i, j, 0) else ""
        return int(mark) if mark.isdecimal() else -1

    def unit_at(self, pos: Pos) -> CrematoriaUnit | None:
        """The unit on a cell, if any; a necromonger that still descends isn't on it."""
        if self._at is None:
            self._at = {unit.pos: unit for unit in self.units.values() if unit.turns <= 0}
        return self._at.get(pos)

    def daylight(self, pos: Pos) -> bool:
        """Whether the cell is sunlit now, so that who steps there dies."""
        return pos[2] == 1 and (pos[1] - self.sun) % self.cols < self.cols // 2

    def rounds_of_night(self, pos: Pos) -> int:
        """How many rounds who stands there outlives in place: 0 in the sun and before sunrise.

        The sun takes two columns at the end of each round (`rules/crematoria.md 5.5`), so after a
        step to a cell with 0 of them, the unit burns in this very round.
        """
        night = (pos[1] - self.sun - self.cols // 2) % self.cols
        return night // 2 if night < self.cols // 2 else 0

    def distance(self, a: Pos, b: Pos) -> int:
        """Steps between two positions as if there were no rock: circular Chebyshev, no levels."""
        across = abs(a[1] - b[1])
        return max(abs(a[0] - b[0]), min(across, self.cols - across))

    def neighbours(self, pos: Pos) -> tuple[tuple[int, Pos], ...]:
        """The ways out of a cell: each direction open to a unit, and the position it leads to.

        `UP` and `DOWN` are among them on elevators. Whether units, sun or hellhounds are there is
        another question.
        """
        ways = self._ways.get(pos)
        if ways is None:
            i, j, k = pos
            found = [
                (d, (i + di, (j + dj) % self.cols, k + dk))
                for d, (di, dj, dk) in enumerate(DIRECTIONS[:NONE])
                if d < UP or (i, j) in self._lifts
            ]
            ways = self._ways[pos] = tuple(way for way in found if self.passable(*way[1]))
        return ways

    def distances(
        self,
        goals: Iterable[Pos],
        *,
        blocked: Container[Pos] = (),
        within: int = 1 << 30,
        levels: Container[int] = (0, 1),
    ) -> dict[Pos, int]:
        """Of each position, how many steps it is from the nearest goal, nearest first.

        Ways lead around rock and by elevators; positions that none leads to aren't in it.

        Args:
            goals: where to measure from; those outside the board count for nothing.
            blocked: positions to go around.
            within: steps to look at, at most.
            levels: the levels on which ways may lead; `(0,)`: underground alone.
        """

        def ways(pos: Pos) -> list[tuple[int, Pos]]:
            return [way for way in self.neighbours(pos) if way[1][2] in levels]

        return steps_from(goals, lambda pos: self.pos_ok(*pos), ways, blocked, within)


def _id(unit: CrematoriaUnit) -> int:
    return unit.id
