"""Waiting in a loop of trio for what tells nobody that it has happened."""

from collections.abc import Callable

import trio

PATIENCE = 60
"""Seconds that anything is waited for before a test fails. Nothing is expected to need them."""


async def until(condition: Callable[[], object]) -> None:
    """Poll until something holds; the test fails if it doesn't within PATIENCE."""
    with trio.fail_after(PATIENCE):
        while not condition():  # noqa: ASYNC110 - nothing tells
            await trio.sleep(0.001)
