"""Futures of other threads in a trio loop, and errors as one line."""

import concurrent.futures
import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import trio


def deliver(future: Future[Any], call: Callable[[Future[Any]], object]) -> None:
    """Have a function called in the thread of this trio loop with a future when it is done."""
    token = trio.lowlevel.current_trio_token()
    future.add_done_callback(functools.partial(_soon, token, call))


async def outcome(future: Future[Any]) -> Any:
    """Wait for a future and return its result; cancelling the wait doesn't cancel the future.

    Raises:
        BaseException: The exception of the future.
    """
    done = trio.Event()
    deliver(future, lambda _: done.set())
    await done.wait()
    return future.result()


def _soon(
    token: trio.lowlevel.TrioToken, call: Callable[[Future[Any]], object], future: Future[Any]
) -> None:
    # If the loop has ended, nobody waits for the future any more.
    with contextlib.suppress(trio.RunFinishedError):
        token.run_sync_soon(call, future)


def error_of(future: Future[Any]) -> BaseException | None:
    """Return the exception of a future that is done, or None.

    It isn't raised, because an interrupt of a worker must not interrupt this process.
    """
    try:
        return future.exception()
    except concurrent.futures.CancelledError as error:
        return error


def one_line(error: object) -> str:
    """Return the message of an error as one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
