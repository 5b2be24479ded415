"""A nursery for helpers of one main piece of work, whose error leaves it as it is.

A trio nursery puts what is raised in it into an exception group, since several of its tasks may
fail at once. Where the tasks in it only serve its block (a heartbeat, a listener for signals), the
block's error is the one that matters, and its callers catch it by type.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import cast

import trio


def helpers_nursery() -> "AbstractAsyncContextManager[trio.Nursery, None]":
    """Open a nursery for tasks that serve the block; they are cancelled when the block ends.

    What the block raises is raised as it is, once the tasks have ended. What a task raises comes
    in a group, as from any nursery.
    """
    # None: it swallows no exception, which a type checker wants to know.
    return cast("AbstractAsyncContextManager[trio.Nursery, None]", _helpers_nursery())


@asynccontextmanager
async def _helpers_nursery() -> AsyncIterator[trio.Nursery]:
    raised: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            yield nursery
        except Exception as error:  # noqa: BLE001 - raised again below, out of the nursery
            raised = error
        nursery.cancel_scope.cancel()
    if raised is not None:
        try:
            raise raised
        finally:
            raised = None  # it refers to this frame, which refers to it
