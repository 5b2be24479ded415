"""What a ruleset can offer to programs that look ahead: copies, legal submoves, and going back.

No match needs any of this: a ruleset that lacks it can be played like any other, and
`lanista.library.game` copies its games by `copy.deepcopy`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, runtime_checkable

from lanista.errors import BadInputError
from lanista.games.base import Game, Ruleset, Token
from lanista.games.chance import Chance

Facts = Mapping[str, Sequence[Sequence[str]]]
"""Lines that a bot was sent: by keyword, the other words of each line with that keyword."""


class UnreadableFactsError(BadInputError, ValueError):
    """The lines can't be those of a match; the message says why."""


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

        `start` is what described the match; the position is complete (`SaysWhole`). Lines of
        another game raise ValueError, and missing ones LookupError.
        """


def settings_of(start: Facts) -> dict[str, int]:
    """Return the settings that the lines `set NAME VALUE` of a match's start say."""
    return {name: int(value) for name, value in start.get("set", ())}


def cell_of(row: str, col: str, rows: int, cols: int) -> int:
    """Return the number of a cell, counted row by row, or raise UnreadableFactsError."""
    if not (0 <= int(row) < rows and 0 <= int(col) < cols):
        raise UnreadableFactsError(f"({row}, {col}) lies outside the board")
    return int(row) * cols + int(col)


def numbers_of(facts: Facts, keyword: str, count: int) -> list[int]:
    """Return the numbers of the only line with this keyword, or raise UnreadableFactsError."""
    lines = facts.get(keyword, ())
    if len(lines) != 1 or len(lines[0]) != count:
        raise UnreadableFactsError(f"expected one line `{keyword}` with {count} numbers")
    return [int(word) for word in lines[0]]


def rows_of(facts: Facts, keyword: str, rows: int, cols: int) -> bytes:
    """Return the cells of all lines `KEYWORD ROW CELLS` by row, or raise UnreadableFactsError."""
    found = {int(row): cells for row, cells in facts.get(keyword, ())}
    if sorted(found) != list(range(rows)) or any(len(cells) != cols for cells in found.values()):
        raise UnreadableFactsError(f"expected {rows} lines `{keyword}` of {cols} cells each")
    return "".join(found[row] for row in range(rows)).encode("ascii")
