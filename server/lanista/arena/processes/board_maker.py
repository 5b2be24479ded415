"""The making of the boards of an arena's matches, in a process of its own.

Making a board from a seed may take tens of milliseconds. In the arena's event loop that would be a
stall for all running matches (see `match.stalls`), and matches often begin together: so the board
worker (`board_worker`) does it, and the loop only unpickles the result. The worker is started when
the first board is needed, and again if it died. Whatever goes wrong with it, a match begins: then
`Match` makes the board itself.
"""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import TypeVar

import attrs
import structlog
import trio

from lanista.arena.processes.board_worker import LENGTH_BYTES
from lanista.match.boards import PreparedBoard
from lanista.match.conditions import MatchSpec
from lanista.match.record import encode

MAKING_TIME = 3.0
"""Seconds until a worker that doesn't answer is ended: fewer than an arena has to shut down."""
ENDING_TIME = 0.5
"""Seconds that a worker has to exit by itself."""

Made = TypeVar("Made")

log = structlog.get_logger()


class WorkerFailureError(Exception):
    """The board worker has ended, or its answer can't be used."""


def unpacked(packed: bytes) -> PreparedBoard:
    """Return the board that a board worker has packed.

    Raises:
        WorkerFailureError: It can't be unpacked.
    """
    try:
        prepared: PreparedBoard = pickle.loads(packed)  # noqa: S301 - of our own process
    except Exception as error:
        raise WorkerFailureError(f"its board can't be unpickled: {error!r}") from error
    return prepared


@attrs.define(eq=False)
class BoardMaker:
    """Prepares the boards of matches, one after another; `run` it beside them."""

    # Matches take turns here, so that a pass of the loop begins at most one of them.
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _worker: trio.Process | None = attrs.field(default=None, init=False)

    @property
    def waiting(self) -> int:
        """Number of matches that wait for their turn."""
        return self._turn.statistics().tasks_waiting

    async def run(self) -> None:
        """Wait until cancelled, and then end the worker; nobody may wait for a board any more."""
        try:
            await trio.sleep_forever()
        finally:
            await self._end()

    async def prepare(self, spec: MatchSpec) -> PreparedBoard | None:
        """Wait for this match's turn, and make its board.

        Returns:
            None if `Match` is to prepare it: because the board is given, or can't be made here.
        """
        return await self._make(spec, unpacked)

    async def pack(self, spec: MatchSpec) -> bytes | None:
        """Make a match's board as `prepare` does, for another process to unpack."""
        return await self._make(spec, bytes)

    async def _make(self, spec: MatchSpec, convert: Callable[[bytes], Made]) -> Made | None:
        async with self._turn:
            await trio.lowlevel.checkpoint()
            if spec.board is not None:
                return None
            try:
                with trio.fail_after(MAKING_TIME):
                    packed = await self._ask(spec)
                    return convert(packed) if packed else None
            except (WorkerFailureError, OSError, trio.TooSlowError) as error:
                log.error(  # noqa: TRY400 - a trace would add nothing
                    "the board worker failed", why=str(error) or "no answer", match=spec.match
                )
                await self._end()
                return None
            except BaseException:
                await self._end()  # it may still answer, and nobody would read that
                raise

    async def _ask(self, spec: MatchSpec) -> bytes:
        """Have the worker make a board; return nothing if it can't be made there.

        Raises:
            WorkerFailureError: It has ended.
            OSError: It can't be started.
        """
        if self._worker is None:
            self._worker = await _start()
        stdin, stdout = self._worker.stdin, self._worker.stdout
        assert stdin is not None
        assert stdout is not None
        order = {"game": spec.ruleset.name, "settings": dict(spec.settings), "seed": spec.seed}
        try:
            await stdin.send_all(encode(order).encode() + b"\n")
        except trio.BrokenResourceError:
            raise WorkerFailureError("it has ended") from None
        length = int.from_bytes(await _receive(stdout, LENGTH_BYTES))
        return await _receive(stdout, length)

    async def _end(self) -> None:
        """Close the worker's input, which makes it exit; kill it if it doesn't."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        with trio.CancelScope(shield=True):
            assert worker.stdin is not None
            assert worker.stdout is not None
            await worker.stdin.aclose()
            with trio.move_on_after(ENDING_TIME):
                await worker.wait()
            if worker.returncode is None:
                worker.kill()
                await worker.wait()
            await worker.stdout.aclose()


async def _start() -> trio.Process:
    # -P: modules in the arena's working directory must not hide ours.
    argv = [sys.executable, "-P", "-m", "lanista.arena.processes.board_worker"]
    return await trio.lowlevel.open_process(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


async def _receive(stream: trio.abc.ReceiveStream, length: int) -> bytes:
    """Read so many bytes.

    Raises:
        WorkerFailureError: The stream ends before.
    """
    received = bytearray()
    while len(received) < length:
        data = await stream.receive_some(length - len(received))
        if not data:
            raise WorkerFailureError("it has ended")
        received += data
    return bytes(received)
