"""A match of Hogwarts as plain attributes (`rules/hogwarts.md`, `PROTOCOL.md 5`).

What the originals call `me()`, `pos_voldemort()` and so on is here under the same words; a position
is (i, j), row and column from 0 at the top left. No strategy lives here: spells are for bots to
solve.
"""

from __future__ import annotations

from lanista_client.states import State, board_of, numbers_of, steps_from

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from lanista_client.states import Cell, Facts

__all__ = [
    "DIRECTIONS",
    "DOWN",
    "DR",
    "LD",
    "LEFT",
    "RIGHT",
    "RU",
    "STRAIGHT",
    "UL",
    "UP",
    "HogwartsState",
    "HogwartsUnit",
]

DOWN, DR, RIGHT, RU, UP, UL, LEFT, LD = range(8)
"""The directions; wizards may use the even ones alone (`rules/hogwarts.md 2`)."""

DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""Of each direction, what it adds to the row and to the column."""

STRAIGHT = (DOWN, RIGHT, UP, LEFT)
"""A wizard's directions."""


class HogwartsUnit:
    """A wizard or a ghost.

    Attributes:
        id: it never changes; the ghost of clan p has the id p.
        ghost: whether it is one; else it is a wizard.
        player: the clan it belongs to.
        pos: where it is, (i, j).
        i: the row.
        j: the column.
        rounds_pending: a wizard's rounds until it changes clan, 0: it isn't converting; a ghost's
            rounds still to rest, 0: it may cast a spell.
        next_player: the clan a wizard will change to, -1: none; the last round in which a ghost
            was attacked, -1: never.
    """

    __slots__ = ("ghost", "i", "id", "j", "next_player", "player", "pos", "rounds_pending")

    def __init__(self, words: list[str]) -> None:
        number, kind, player, i, j, rounds, following = words
        self.id = int(number)
        self.ghost = kind == "g"
        self.player = int(player)
        self.i = int(i)
        self.j = int(j)
        self.pos: Cell = (self.i, self.j)
        self.rounds_pending = int(rounds)
        self.next_player = int(following)

    @property
    def converting(self) -> bool:
        """Whether it is a wizard that will change clan unless one of its own frees it."""
        return self.rounds_pending > 0 and not self.ghost

    def __repr__(self) -> str:
        kind = "ghost" if self.ghost else "wizard"
        return f"<{kind} {self.id} of {self.player} at {self.pos}, {self.rounds_pending}>"


class HogwartsState(State):
    """A match of Hogwarts (`rules/hogwarts.md`).

    Attributes:
        rows: the board's height in cells.
        cols: its width.
        num_rounds: the rounds of the whole match.
        units: every unit by its id, in order of ids.
        own: the rows of the board, a character a cell: `W` a wall, the clan that owns it, or `.`.
        books: where books lie, row by row.
        voldemort: where he is.
        spell_ingredients: the 15 of this round.
        strength: of each clan, its strength points, not divided by its units.
        score: of each clan.
        status: of each clan, its answer times as a share of the match's allowance; -1: out.
    """

    def __init__(self, match: str, start: Facts) -> None:
        super().__init__(match, start)
        self.rows, self.cols = (int(word) for word in start["size"][0])
        self.num_rounds = int(self.settings["NUM_ROUNDS"])
        self.own = board_of(start["row"], self.rows, self.cols)
        self._corridor = self.own
        self._ways: dict[bool, dict[Cell, tuple[tuple[int, Cell], ...]]] = {}
        self._at: dict[Cell, HogwartsUnit] | None = None
        self._books: set[Cell] | None = None
        self.units: dict[int, HogwartsUnit] = {}
        self.books: list[Cell] = []
        self.voldemort: Cell = (-1, -1)
        self.spell_ingredients: tuple[int, ...] = ()
        self.strength: tuple[int, ...] = ()
        self.score: tuple[int, ...] = ()
        self.status: tuple[float, ...] = ()

    def update(self, turn: int, facts: Facts) -> None:
        """Take the facts of a turn; units and books are new objects each turn."""
        super().update(turn, facts)
        self.own = board_of(facts["own"], self.rows, self.cols)
        self._at = self._books = None
        units = sorted(map(HogwartsUnit, facts["unit"]), key=_id)
        self.units = {unit.id: unit for unit in units}
        self.books = sorted([(int(i), int(j)) for i, j in facts.get("book", ())])
        self.voldemort = numbers_of(facts, "voldemort", 2)
        clans = range(len(self.players))
        if not (
            all(self.pos_ok(*cell) for cell in (*self.books, self.voldemort))
            and all(self.pos_ok(*unit.pos) and unit.player in clans for unit in units)
            and all(self.units[clan].ghost and self.units[clan].player == clan for clan in clans)
        ):
            raise ValueError("something outside the board, or a unit without its clan")
        self.spell_ingredients = numbers_of(facts, "spell", 15)
        self.strength = numbers_of(facts, "strength", len(clans))
        self.score = numbers_of(facts, "score", len(clans))
        self.status = numbers_of(facts, "status", len(clans), float)

    @property
    def round(self) -> int:
        """The round that is asked for, from 0: the turn."""
        return self.turn

    @property
    def me(self) -> int:
        """Our own clan: the seat."""
        return self.seat

    def wizards(self, player: int) -> list[HogwartsUnit]:
        """The wizards of a clan, also those in conversion, by id."""
        return [unit for unit in self.units.values() if unit.player == player and not unit.ghost]

    def ghost(self, player: int) -> HogwartsUnit:
        """The ghost of a clan.

        Raises:
            LookupError: There is no such clan.
        """
        ghost = self.units[player]
        if not ghost.ghost:
            raise LookupError(f"no clan {player}")
        return ghost

    def magic_strength(self, player: int) -> int:
        """What a clan fights with: its strength points for each of its units."""
        units = sum(unit.player == player for unit in self.units.values())
        return self.strength[player] // units

    def pos_ok(self, i: int, j: int) -> bool:
        """Whether the cell lies on the board."""
        return 0 <= i < self.rows and 0 <= j < self.cols

    def passable(self, i: int, j: int) -> bool:
        """Whether the cell is a corridor; False outside the board."""
        return 0 <= i < self.rows and 0 <= j < self.cols and self._corridor[i][j] != "W"

    def owner(self, i: int, j: int) -> int:
        """The clan that owns a cell; -1: none, as of a wall and outside the board."""
        mark = self.own[i][j] if self.pos_ok(i, j) else ""
        return int(mark) if mark.isdecimal() else -1

    def unit_at(self, i: int, j: int) -> HogwartsUnit | None:
        """The unit on a cell, if any."""
        if self._at is None:
            self._at = {unit.pos: unit for unit in self.units.values()}
        return self._at.get((i, j))

    def book(self, i: int, j: int) -> bool:
        """Whether a book lies on a cell."""
        if self._books is None:
            self._books = set(self.books)
        return (i, j) in self._books

    def deadly(self, i: int, j: int) -> bool:
        """Whether who steps there dies at once: Voldemort's cell and the 8 around it."""
        return abs(i - self.voldemort[0]) <= 1 and abs(j - self.voldemort[1]) <= 1

    def reach_of_voldemort(self, i: int, j: int) -> bool:
        """Whether Voldemort's next step, wherever it leads, may kill who stands there."""
        di, dj = abs(i - self.voldemort[0]), abs(j - self.voldemort[1])
        return min(di, dj) <= 1 and max(di, dj) <= 2

    def neighbours(self, i: int, j: int, *, diagonal: bool = False) -> tuple[tuple[int, Cell], ...]:
        """The ways out of a cell: each direction open to a wizard, and the cell it leads to.

        Args:
            i: the row.
            j: the column.
            diagonal: the ways of a ghost, which goes in all eight directions.
        """
        known = self._ways.setdefault(diagonal, {})
        ways = known.get((i, j))
        if ways is None:
            ways = known[i, j] = tuple(
                (d, (i + DIRECTIONS[d][0], j + DIRECTIONS[d][1]))
                for d in (range(8) if diagonal else STRAIGHT)
                if self.passable(i + DIRECTIONS[d][0], j + DIRECTIONS[d][1])
            )
        return ways

    def distances(
        self,
        goals: Iterable[Cell],
        *,
        diagonal: bool = False,
        blocked: Container[Cell] = (),
        within: int = 1 << 30,
    ) -> dict[Cell, int]:
        """Of each cell, how many steps it is from the nearest goal, nearest first.

        Cells that no way leads to aren't in it.

        Args:
            goals: where to measure from; those outside the board count for nothing.
            diagonal: in the steps of a ghost.
            blocked: cells to go around, beside the walls.
            within: steps to look at, at most.
        """
        return steps_from(
            goals,
            lambda cell: self.pos_ok(*cell),
            lambda cell: self.neighbours(*cell, diagonal=diagonal),
            blocked,
            within,
        )


def _id(unit: HogwartsUnit) -> int:
    return unit.id
