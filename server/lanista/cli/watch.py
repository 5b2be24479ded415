"""Playing until a signal interrupts it, and the match of `lanista play` that a page shows."""

import sys
import webbrowser
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

import click
import trio

from lanista.nurseries import helpers_nursery, stop_signals

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.hosting.host import MatchReport
    from lanista.hosting.started_match import StartedMatch

T = TypeVar("T")


async def watch_signals(
    call: Callable[[], None], *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Call a function at every SIGINT, SIGTERM and SIGHUP, unless the process ignores them."""
    with stop_signals() as signals:
        task_status.started()
        async for _ in signals:
            call()


async def interruptible(play: Callable[[], Awaitable[T]], interrupt: Callable[[], None]) -> T:
    """Play, and call another function at each signal that asks to stop; return what was played."""
    async with helpers_nursery() as nursery:
        await nursery.start(watch_signals, interrupt)
        return await play()


async def cancelled_by_signals(play: Callable[[], Awaitable[T]]) -> T:
    """Play until a signal asks to stop, which cancels it and raises KeyboardInterrupt."""
    with trio.CancelScope() as scope:
        return await interruptible(play, scope.cancel)
    raise KeyboardInterrupt


async def play_watched(
    match: "StartedMatch",
    page: "PagePort",
    delay: float,
    print_result: Callable[..., None],
) -> "MatchReport | None":
    """Play a match that begins when its page is open; serve the page until it is closed.

    The delay is the pause between turns in seconds. The result is printed by a function that gets
    the report and `interrupted=`. Return None if the match was interrupted before it began.
    """
    from lanista.hosting.control import MatchControl
    from lanista.page.frame_cache import FrameCache
    from lanista.page.view import View

    view = View(match.running, frame_cache=FrameCache(at_once=True))
    server = await page.listen(view)
    left = trio.CancelScope()
    played: MatchReport | None = None
    match.control = control = MatchControl(delay)
    control.pause()

    def interrupt() -> None:
        if played is None:  # otherwise only the page is left to end
            match.interrupt()
        left.cancel()

    async def begin() -> None:
        while not match.running.matches:
            await match.running.changes.wait(match.running.changes.count)
        view.match = next(iter(match.running.matches))
        url = page.url(server, f"/match/{view.match}")
        click.echo(f"page: {url}", err=True)
        if tunnel := page.tunnel(server):
            click.echo(f"first run on your own computer: {tunnel}", err=True)
        elif sys.stdout.isatty():
            await trio.to_thread.run_sync(webbrowser.open, url, abandon_on_cancel=True)
        click.echo("the match begins when the page is open; Ctrl-C ends it", err=True)
        await server.wait_for_viewers()
        control.resume()
        while True:  # a void match is played again, with another id
            await match.running.changes.wait(match.running.changes.count)
            view.match = next(iter(match.running.matches), view.match)

    async def play() -> "MatchReport | None":
        nonlocal played
        async with helpers_nursery() as nursery:
            await nursery.start(server.run)
            nursery.start_soon(begin)
            played = await match.play()
            if played is not None:
                print_result(played, interrupted=match.interrupted)
                if not match.interrupted:
                    click.echo("the page stays until it is closed; Ctrl-C ends it", err=True)
                    with left:
                        await server.wait_without_viewers()
        return played

    return await interruptible(play, interrupt)
