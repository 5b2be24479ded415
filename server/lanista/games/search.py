"""What a ruleset can offer to programs that look ahead: copies, legal submoves, and going back.

No match needs any of this: a ruleset that lacks it can be played like any other, and
`lanista.library.game` copies its games by `copy.deepcopy`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

from lanista.games.base import Game, Ruleset, Token
from lanista.games.chance import Chance

Facts = Mapping[str, Sequence[Sequence[str]]]
"""Lines that a bot was sent: by keyword, the other words of each line with that keyword."""


@runtime_checkable
class Copyable(Protocol):
    """A game that can copy itself, faster than `copy.deepcopy` does."""

    def copy(self) -> Self:
        """Return a game that goes on independently of this one, with the same chance to come."""


@runtime_checkable
class SaysWhatIsLegal(Protocol):
    """A game that can list the submoves of a seat."""

    def legal(self, seat: int) -> Mapping[Any, Sequence[tuple[Token, ...]]]:
        """Return the submoves that can have an effect, by what they move: a unit, or a place.

        Nothing is refused of an answer that has at most one for each key, in any order.
        """


@runtime_checkable
class SaysWhole(Protocol):
    """A game whose facts of a turn are complete only together with those of earlier turns."""

    def position(self, seat: int) -> bytes:
        """Return the facts of this turn, completed by what still holds of earlier turns."""


@runtime_checkable
class RestorableRuleset(Ruleset, Protocol):
    """A ruleset that can turn what a bot was sent back into a game that goes on."""

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> Game:
        """Return the game in the position that a bot was sent, after so many turns.

        `start` is what described the match; the position is complete (`SaysWhole`). The client has
        checked the form of both. What can't be used raises ValueError or LookupError.
        """


def settings_of(start: Facts) -> dict[str, int]:
    """Return the settings that the lines `set NAME VALUE` of a match's start say."""
    return {name: int(value) for name, value in start.get("set", ())}


def cell_of(row: str, col: str, rows: int, cols: int) -> int:
    """Return the number of a cell, counted row by row, or raise ValueError."""
    if not (0 <= int(row) < rows and 0 <= int(col) < cols):
        raise ValueError(f"({row}, {col}) lies outside the board")
    return int(row) * cols + int(col)


def numbers_of(facts: Facts, keyword: str) -> list[int]:
    """Return the numbers of the line with this keyword."""
    return [int(word) for word in facts[keyword][0]]


def rows_of(facts: Facts, keyword: str) -> bytes:
    """Return the cells of all lines `KEYWORD ROW CELLS` by row."""
    found = sorted((int(row), cells) for row, cells in facts[keyword])
    return "".join(cells for _, cells in found).encode("ascii")
