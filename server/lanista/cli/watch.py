"""The match of `lanista play`, run with signals that interrupt it, or on a page."""

import contextlib
import sys
import webbrowser
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import click
import trio

from lanista.nurseries import helpers_nursery
from lanista.signals import heeded

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.hosting.host import MatchHost, MatchReport

GRACE = 3.0
"""Seconds without a viewer after which the page ends: a page may be loaded again."""


async def play_interruptible(host: "MatchHost") -> "MatchReport | None":
    """Play; SIGINT, SIGTERM and SIGHUP interrupt the match, unless we were to ignore them."""
    return await _interruptible(host.play, host.interrupt)


async def _interruptible(
    play: Callable[[], Awaitable["MatchReport | None"]], interrupt: Callable[[], None]
) -> "MatchReport | None":
    async with helpers_nursery() as nursery:

        async def watch(*, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
            with trio.open_signal_receiver(*heeded()) as signals:
                task_status.started()
                async for _ in signals:
                    interrupt()

        await nursery.start(watch)
        return await play()


async def play_watched(
    host: "MatchHost",
    page: "PagePort",
    tell: Callable[..., None],
) -> "MatchReport | None":
    """Play a match on a page: it begins when somebody looks, and the page stays until nobody does.

    Args:
        host: Its control holds the match.
        page: Where.
        tell: Prints the result; called when the match is over, the page still there.

    Raises:
        CannotListenError: The page's port can't be had.
        StartFailureError: A bot that doesn't come.
        OSError: The record can't be written.
    """
    from lanista.playback.frame_cache import FrameCache
    from lanista.web.view import View

    view = View(host.running, frame_cache=FrameCache(at_once=True))
    server = await page.listen(view)
    left = trio.CancelScope()
    played: MatchReport | None = None
    control = host.control
    assert control is not None
    control.pause()

    def interrupt() -> None:
        if played is None:  # else the match is over, and it is the page that ends
            host.interrupt()
        left.cancel()

    async def begin() -> None:
        while not host.running.matches:
            await host.running.changes.wait(host.running.changes.count)
        view.match = next(iter(host.running.matches))
        url = page.url(server, f"/match/{view.match}")
        click.echo(f"page: {url}", err=True)
        if sys.stdout is not None and sys.stdout.isatty():
            await trio.to_thread.run_sync(webbrowser.open, url, abandon_on_cancel=True)
        click.echo("the match begins when the page is open; Ctrl-C ends it", err=True)
        await server.has_viewers.wait()
        control.resume()
        while True:  # a void match is played again, under another id
            await host.running.changes.wait(host.running.changes.count)
            view.match = next(iter(host.running.matches), view.match)

    async def play() -> "MatchReport | None":
        nonlocal played
        async with helpers_nursery() as nursery:
            await nursery.start(server.run)
            nursery.start_soon(begin)
            played = await host.play()
            if played is not None:
                _tell(tell, played, interrupted=host.interrupted)
                if not host.interrupted:
                    click.echo("the page stays until it is closed, or Ctrl-C", err=True)
                    with left:
                        await server.wait_without_viewers(GRACE)
        return played

    return await _interruptible(play, interrupt)


def _tell(tell: Callable[..., None], played: "MatchReport", *, interrupted: bool) -> None:
    """Print the result where possible: the page shows it too."""
    try:
        tell(played, interrupted=interrupted)
    except OSError as error:
        with contextlib.suppress(OSError):
            click.echo(f"lanista play: can't print the result: {error.strerror}", err=True)
