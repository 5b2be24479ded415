"""The board on which a match begins, with the chance from which the match goes on drawing.

Making one from a seed may take tens of milliseconds, so an arena has a process of its own do that
(`arena.match_player`). `Match` makes those that it isn't given.
"""

from collections.abc import Mapping
from typing import Any

import attrs

from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.games.chance import Chance


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


class UnusableBoardError(Exception):
    """A packed board can't be unpacked."""


def pack_board(game: str, settings: Mapping[str, int], seed: int) -> bytes:
    """Make a match's board from its seed, for another process to unpack.

    Returns:
        The board, pickled; nothing if that fails: whoever makes the board itself will see why.
    """
    import pickle  # noqa: PLC0415 - only arenas with workers need it

    try:
        return pickle.dumps(prepare_board(registry.get(game), settings, seed))
    except Exception:  # noqa: BLE001 - of the rules, or because boards of theirs can't be pickled
        return b""


def unpack_board(packed: bytes) -> PreparedBoard:
    """Return a board that `pack_board` has made in a process of ours.

    Raises:
        UnusableBoardError: It can't be unpickled, as when modules of a ruleset were replaced.
    """
    import pickle  # noqa: PLC0415 - as above

    try:
        prepared: PreparedBoard = pickle.loads(packed)  # noqa: S301 - see above
    except Exception as error:
        raise UnusableBoardError(f"its board can't be unpickled: {error!r}") from error
    return prepared
