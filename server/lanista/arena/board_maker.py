"""The making of the boards of an arena's matches, in a process of its own.

Making a board from a seed may take tens of milliseconds. In the arena's event loop that would be a
stall for all running matches (see `match.stalls`), and matches often begin together: so a helper
process does it, and the loop only unpickles the result. Whatever goes wrong with it, a match
begins: then `Match` makes the board itself.
"""

from collections.abc import Callable
from typing import TypeVar

import attrs
import structlog
import trio

from lanista.helper_processes import HelperDiedError, HelperProcess
from lanista.match.boards import PreparedBoard, UnusableBoardError, pack_board, unpack_board
from lanista.match.conditions import MatchSpec

MAKING_TIME = 3.0
"""Seconds until a helper that doesn't answer is killed: fewer than an arena has to shut down."""

Made = TypeVar("Made")

log = structlog.get_logger()


@attrs.define(eq=False)
class BoardMaker:
    """Prepares the boards of matches, one after another; `run` it beside them."""

    # Matches take turns here, so that a pass of the loop begins at most one of them.
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    # Matches wait for it, so it isn't of low priority.
    _helper: HelperProcess = attrs.field(factory=lambda: HelperProcess(niceness=0), init=False)

    @property
    def waiting(self) -> int:
        """Number of matches that wait for their turn."""
        return self._turn.statistics().tasks_waiting

    async def run(self) -> None:
        """Wait until cancelled, and then end the helper; nobody may wait for a board any more."""
        await self._helper.run()

    async def prepare(self, spec: MatchSpec) -> PreparedBoard | None:
        """Wait for this match's turn, and make its board.

        Returns:
            None if `Match` is to prepare it: because the board is given, or can't be made here.
        """
        return await self._make(spec, unpack_board)

    async def pack(self, spec: MatchSpec) -> bytes | None:
        """Make a match's board as `prepare` does, for another process to unpack."""
        return await self._make(spec, bytes)

    async def _make(self, spec: MatchSpec, convert: Callable[[bytes], Made]) -> Made | None:
        async with self._turn:
            await trio.lowlevel.checkpoint()
            if spec.board is not None:
                return None
            ruleset, settings = spec.ruleset, dict(spec.settings)
            try:
                with trio.fail_after(MAKING_TIME):
                    packed = await self._helper.call(pack_board, ruleset.name, settings, spec.seed)
                    return convert(packed) if packed else None
            except (HelperDiedError, UnusableBoardError, OSError, trio.TooSlowError) as error:
                log.error(  # noqa: TRY400 - a trace would add nothing
                    "the board worker failed", why=str(error) or "no answer", match=spec.match
                )
                return None
