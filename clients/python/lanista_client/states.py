"""The position of a match as plain attributes: any game's, and Angry Mob's.

Facts come in (`PROTOCOL.md 5`), attributes come out; nothing here knows of sockets, and no
strategy lives here. `hogwarts` and `crematoria` have the states of those games.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence
    from typing import Any, Self, TypeAlias, TypeVar

    Place = TypeVar("Place")
    Cell: TypeAlias = tuple[int, int]
    Facts: TypeAlias = dict[str, list[list[str]]]

RIGHT = 0
"""The direction of angrymob to the next column (`PROTOCOL.md 5`)."""
UP = 1
"""The direction of angrymob to the previous row."""
LEFT = 2
"""The direction of angrymob to the previous column."""
DOWN = 3
"""The direction of angrymob to the next row."""

DIRECTIONS = ((0, 1), (-1, 0), (0, -1), (1, 0))
"""Of each direction of angrymob, what it adds to the row and to the column."""


class State:
    """A match as one seat sees it, whatever the game; there is one object a match, kept current.

    Attributes:
        match: the arena's id of the match.
        game: the ruleset's name.
        seat: which player we are, from 0.
        players: the name in each seat.
        clock: seconds for the first answer and for every other; 0: no limit.
        seed: for our own random choices, 0 … 2^31-1; another one in every match.
        settings: the ruleset's settings by its own names.
        start_facts: every line that described the match: its keyword, then for each line with that
            keyword the list of the other words.
        turn: how many moves have been played.
        facts: the lines of this turn in the same form.
    """

    def __init__(self, match: str, start: Facts) -> None:
        self.match = match
        self.game = start["game"][0][0]
        self.seat = int(start["seat"][0][0])
        self.players = tuple(" ".join(words) for _, words in by_seat(start.get("player", [])))
        if self.seat not in range(len(self.players)):
            raise ValueError(f"no player in seat {self.seat}")
        first, other = start["clock"][0]
        self.clock = (float(first), float(other))
        self.seed = int(start["seed"][0][0])
        self.settings = {name: value(" ".join(words)) for name, *words in start.get("set", [])}
        self.start_facts = start
        self.turn = 0
        self.facts: Facts = {}

    def update(self, turn: int, facts: Facts) -> None:
        """Take the facts of a turn; called by `Arena` once all of them are known."""
        self.turn = turn
        self.facts = facts

    def copy(self) -> Self:
        """A state of this position that stays as it is when this one is brought up to date."""
        import copy  # noqa: PLC0415 - most bots don't need it, and their start is short

        return copy.copy(self)  # `update` makes whatever it changes anew

    def whole_facts(self) -> Facts:
        """The lines of this turn, completed by what still holds of earlier turns."""
        return self.facts

    def to_game(self, seed: int | None = None) -> Any:
        """This position as a `lanista.Game`, to look ahead in by the arena's own rules.

        The rules aren't part of the client: the package `lanista` has to be installed.

        Args:
            seed: What the draws to come are derived from, which no bot is told; None: every call
                gives another future.

        Raises:
            ImportError: `lanista` isn't installed; the message says how it is.
        """
        from importlib import import_module  # noqa: PLC0415 - as above

        # Not an import statement: the client stands alone, and only who asks for this needs more.
        try:
            library = import_module("lanista.library.game")
        except ModuleNotFoundError as error:
            if error.name is None or error.name.split(".")[0] != "lanista":
                raise
            raise ImportError(
                "state.to_game() needs the rules, which come with the arena and not with the "
                "client: pip install lanista"
            ) from error
        return library.from_state(self, seed)


class AngryMobState(State):
    """A match of Angry Mob (`rules/angrymob.md`); cells are (row, column), from 0 at the top left.

    Attributes:
        rows: the map's height in cells.
        cols: its width.
        bases: the base of each seat.
        base: our own.
        enemy_base: the opponent's.
        mine: the cells that hold our units, and how many.
        theirs: the same of the opponent.
        neutral: the cells that hold neutral units now, and how many.
        totals: how many units each seat has on the map.
    """

    def __init__(self, match: str, start: Facts) -> None:
        super().__init__(match, start)
        self.rows, self.cols = (int(word) for word in start["size"][0])
        lines = [(row, words) for row, *words in start["row"]]
        grid = board_of(lines, self.rows, self.cols)
        self._passable = frozenset(
            [(i, j) for i, row in enumerate(grid) for j, word in enumerate(row) if word != "#"]
        )
        self.neutral: dict[Cell, int] = {
            (i, j): int(word)
            for i, row in enumerate(grid)
            for j, word in enumerate(row)
            if word.isdigit()
        }
        self._first_neutral = self.neutral.copy()
        self.bases = tuple((int(i), int(j)) for _, (i, j) in by_seat(start["base"]))
        self.base: Cell = self.bases[self.seat]
        self.enemy_base: Cell = self.bases[1 - self.seat]
        self._require_passable(self.bases)
        self.mine: dict[Cell, int] = {}
        self.theirs: dict[Cell, int] = {}
        self.totals: tuple[int, ...] = ()

    def update(self, turn: int, facts: Facts) -> None:
        """Take the facts of a turn (`PROTOCOL.md 5`); the dicts of units are new ones each turn."""
        super().update(turn, facts)
        both: tuple[dict[Cell, int], dict[Cell, int]] = ({}, {})
        for i, j, seat, n in facts.get("unit", ()):
            both[int(seat)][int(i), int(j)] = int(n)
        self.mine, self.theirs = both[self.seat], both[1 - self.seat]
        neutral = {(int(i), int(j)): int(n) for i, j, n in facts.get("neutral", ())}
        for cells in (*both, neutral):
            self._require_passable(cells)
        for cell, units in neutral.items():
            if units:
                self.neutral[cell] = units
            else:
                self.neutral.pop(cell, None)
        self.totals = tuple(int(words[0]) for _, words in by_seat(facts.get("total", [])))

    def _require_passable(self, cells: Iterable[Cell]) -> None:
        if not self._passable.issuperset(cells):
            raise ValueError("units or a base outside the map or where nothing can stand")

    def copy(self) -> Self:
        """A state of this position that stays as it is when this one is brought up to date."""
        other = super().copy()
        other.neutral = self.neutral.copy()
        return other

    def whole_facts(self) -> Facts:
        """The lines of this turn, with `neutral` for every cell that changed since the start."""
        changed = [
            [str(i), str(j), str(self.neutral.get((i, j), 0))]
            for (i, j), n in self._first_neutral.items()
            if self.neutral.get((i, j), 0) != n
        ]
        return {**self.facts, "neutral": changed}

    @property
    def moved(self) -> list[list[tuple[int, int, int, int]]]:
        """Of each seat, the submoves (i, j, k, d) it sent last turn; both empty at turn 0."""
        moved: list[list[tuple[int, int, int, int]]] = [[], []]
        for seat, *words in self.facts.get("moved", ()):
            numbers = iter([int(word) for word in words])
            moved[int(seat)] = list(zip(numbers, numbers, numbers, numbers, strict=True))
        return moved

    def passable(self, i: int, j: int) -> bool:
        """Whether the cell lies on the map and units can stand there."""
        return (i, j) in self._passable

    def neighbours(self, i: int, j: int) -> list[tuple[int, Cell]]:
        """The ways out of a cell: each direction that a unit can take, and the cell it leads to."""
        return [
            (d, (i + di, j + dj))
            for d, (di, dj) in enumerate(DIRECTIONS)
            if self.passable(i + di, j + dj)
        ]

    def distances(
        self, goals: Iterable[Cell], *, blocked: Container[Cell] = (), within: int = 1 << 30
    ) -> dict[Cell, int]:
        """Of each cell, how many steps it is from the nearest goal, nearest first.

        Cells that no way leads to aren't in it.

        Args:
            goals: where to measure from; those outside the map count for nothing.
            blocked: cells to go around, beside the impassable ones.
            within: steps to look at, at most.
        """

        def is_inside(cell: Cell) -> bool:
            return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols

        return steps_from(goals, is_inside, lambda cell: self.neighbours(*cell), blocked, within)


def steps_from(
    goals: Iterable[Place],
    is_inside: Callable[[Place], bool],
    ways: Callable[[Place], Iterable[tuple[int, Place]]],
    blocked: Container[Place],
    within: int,
) -> dict[Place, int]:
    """Of each place, how many steps it is from the nearest goal, nearest first.

    Args:
        goals: where to measure from.
        is_inside: whether a place lies on the board; goals that don't count for nothing.
        ways: the ways out of a place: directions, and the places they lead to.
        blocked: places to go around.
        within: steps to look at, at most.

    Raises:
        TypeError: `goals` is one place, or no list of places.
    """
    goals = list(goals)
    if goals and not isinstance(first := goals[0], tuple):
        raise TypeError(f"goals are a list of cells, as in distances([cell]): {first!r} is no cell")
    steps = dict.fromkeys(filter(is_inside, goals), 0)
    queue = list(steps)
    for place in queue:  # it grows meanwhile
        step = steps[place] + 1
        if step > within:
            break
        for _, other in ways(place):
            if other not in steps and other not in blocked:
                steps[other] = step
                queue.append(other)
    return steps


def by_seat(lines: list[list[str]]) -> list[tuple[int, list[str]]]:
    """Lines that begin with a number, in its order, which isn't that of their coming."""
    return sorted((int(first), rest) for first, *rest in lines)


def board_of(lines: Iterable[Sequence[Any]], rows: int, cols: int) -> list[Any]:
    """Return a board of this size, given the number of each row with its cells.

    Raises:
        ValueError, LookupError: It has another size; so nothing is made of what a size says alone.
    """
    told = {int(row): cells for row, cells in lines}
    if set(map(len, told.values())) != {cols} or len(told) != rows:
        raise ValueError(f"not a board of {rows} rows and {cols} columns")
    return [told[row] for row in range(rows)]


def numbers_of(
    facts: Facts, keyword: str, count: int, kind: Callable[[str], Any] = int
) -> tuple[Any, ...]:
    """Return the numbers of the line with this keyword.

    Raises:
        ValueError, LookupError: There is no such line, or it doesn't have `count` numbers.
    """
    numbers = tuple(map(kind, facts[keyword][0]))
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} numbers after {keyword}, not {count}")
    return numbers


def number(text: str) -> float:
    """An int where the arena sent one."""
    return float(text) if "." in text else int(text)


def value(text: str) -> float | str:
    """A setting: a number where it is one."""
    try:
        return number(text)
    except ValueError:
        return text
