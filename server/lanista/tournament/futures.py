"""Between futures of other threads and a trio loop; and errors as one line. Nothing else."""

import concurrent.futures
import contextlib
import functools
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import trio


def deliver(future: Future[Any], call: Callable[[Future[Any]], object]) -> None:
    """Have a function called in this trio loop's thread with a future that is done."""
    token = trio.lowlevel.current_trio_token()
    future.add_done_callback(functools.partial(_soon, token, call))


async def outcome(future: Future[Any]) -> Any:
    """Wait for a future; cancelling leaves it alone.

    Raises:
        BaseException: What its function raised.
    """
    done = trio.Event()
    deliver(future, lambda _: done.set())
    await done.wait()
    return future.result()


def _soon(
    token: trio.lowlevel.TrioToken, call: Callable[[Future[Any]], object], future: Future[Any]
) -> None:
    # The loop may have ended; then nobody wants to know.
    with contextlib.suppress(trio.RunFinishedError):
        token.run_sync_soon(call, future)


def error_of(future: Future[Any]) -> BaseException | None:
    """What a future that is done ended by. Not raised: an interrupt of a worker's isn't ours."""
    try:
        return future.exception()
    except concurrent.futures.CancelledError as error:
        return error


def one_line(error: object) -> str:
    """What an error says, one line."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
