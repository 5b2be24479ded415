"""A nursery for helpers of one main piece of work, and the signals that stop such work.

A trio nursery puts what is raised in it into an exception group, since several of its tasks may
fail at once. Where the tasks in it only serve its block (a heartbeat, a listener for signals), the
block's error is the one that matters, and its callers catch it by type.
"""

import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from types import FrameType
from typing import cast

import trio

from lanista.system import heeded

HELD = 1.0
"""Seconds after which something holds an event loop that hasn't come round to a signal."""


class HeldError(Exception):
    """Raised in what holds the event loop, such as a game's method that doesn't return."""

    def __init__(self) -> None:
        super().__init__("broken off by a second signal to stop, as it held the event loop")


@contextmanager
def stop_signals() -> Iterator[AsyncIterator[int]]:
    """Receive the signals to stop that this process heeds; it must be in the main thread.

    If the event loop doesn't come round to one within HELD, the next one raises HeldError in what
    holds it. What follows from that has as long before another one is raised.
    """
    heard: float | None = None

    def come_round() -> None:
        nonlocal heard
        heard = None

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        receive(number, frame)
        if heard is None:
            heard = time.monotonic()
            token.run_sync_soon(come_round)
        elif time.monotonic() - heard >= HELD and not trio.lowlevel.currently_ki_protected():
            heard = time.monotonic()
            raise HeldError  # not in trio's own code, which it would break

    numbers, token = heeded(), trio.lowlevel.current_trio_token()
    with trio.open_signal_receiver(*numbers) as signals:
        receive = cast("Callable[[int, FrameType | None], None]", signal.getsignal(numbers[0]))
        for number in numbers:
            signal.signal(number, handle)
        yield signals


def ungrouped(error: BaseException) -> BaseException:
    """Return the error in an exception group, if it is the only one; else what is given."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def helpers_nursery() -> "AbstractAsyncContextManager[trio.Nursery, None]":
    """Open a nursery for tasks that serve the block; they are cancelled when the block ends.

    What the block raises is raised as it is, once the tasks have ended. What a task raises comes
    in a group, as from any nursery.
    """
    # None: it swallows no exception, which a type checker wants to know.
    return cast("AbstractAsyncContextManager[trio.Nursery, None]", _helpers_nursery())


@asynccontextmanager
async def _helpers_nursery() -> AsyncIterator[trio.Nursery]:
    raised: Exception | KeyboardInterrupt | SystemExit | None = None
    async with trio.open_nursery() as nursery:
        try:
            yield nursery
        except (Exception, KeyboardInterrupt, SystemExit) as error:  # noqa: BLE001 - raised again below
            raised = error
        nursery.cancel_scope.cancel()
    if raised is not None:
        try:
            raise raised
        finally:
            raised = None  # it refers to this frame, which refers to it
