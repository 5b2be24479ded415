"""The board on which a match begins, with the chance from which the match goes on drawing.

Making one from a seed may take tens of milliseconds, so an arena has a process of its own do that
(`arena.board_maker`). `Match` makes those that it isn't given.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from lanista.rules.base import Ruleset
from lanista.rules.chance import Chance


@attrs.frozen(kw_only=True)
class PreparedBoard:
    """A board that is ready for one match."""

    board: Any
    """The board, in the ruleset's own representation."""
    text: str
    """The board as the ruleset writes it to a file."""
    chance: Chance
    """The match's source of random draws, after those that made the board."""


def prepare_board(
    ruleset: Ruleset, settings: Mapping[str, int], seed: int, board: Any = None
) -> PreparedBoard:
    """Make a match's board from its seed, unless there is one already."""
    chance = ruleset.chance(seed)
    if board is None:
        board = ruleset.generate(settings, chance)
    return PreparedBoard(board=board, text=ruleset.write_board(board), chance=chance)
