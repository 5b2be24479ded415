"""The daemon: accepts connections, keeps waiting bots in the lobby, and runs many matches at once.

Its tasks are in nested nurseries so that they are shut down in order: first no more connections are
accepted and no more matches begin; then the running matches tell their bots and complete their
records; then everything else is cancelled.
"""

import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from lanista.arena.arena import Arena
from lanista.arena.bot_connections import BotConnections
from lanista.arena.ladder_matches import LadderMatches
from lanista.arena.lobby import Lobby
from lanista.arena.matches import Matches, RecordSpace
from lanista.arena.options import Options
from lanista.arena.spec import Registration, Start
from lanista.arena.tls import TlsRelay
from lanista.hosting.control import RunningMatches
from lanista.nurseries import helpers_nursery
from lanista.results.recovery import complete_records
from lanista.system import heeded, return_large_blocks
from lanista.toml_spec import SpecError

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names
    from lanista.arena.submission_queue import AllSubmissions

SHUTDOWN_TIME = 4.0
"""Seconds that running matches have at shutdown to tell their bots and write their records."""
STORING_TIME = 1.0
"""Seconds that the results of ladders may then take to be stored; later they are in the records."""

Reread = Callable[[Options], Options]
"""Reads an arena's file again; given the options that hold, returns those that the file says.

Raises:
    SpecError: The file can't be used; nothing changes then.
"""

Beside = Callable[[Arena, trio.Nursery], Awaitable[None]]
"""Starts tasks that run alongside an arena, such as the web page, in the given nursery. They are
cancelled when the arena has ended."""

log = structlog.get_logger()


@attrs.define(eq=False)
class ArenaServer:
    """Runs an arena. Call `connections.listen`, then `serve`, each only once."""

    options: Options
    ladder_rooms: "Mapping[str, LadderRoom]" = attrs.field(factory=dict)
    names: "Names | None" = None
    """The names on ladders; None if there are no ladders."""
    submissions: "AllSubmissions | None" = None
    """The programs that were handed in to all ladders; None if no ladder takes any."""
    lobby: Lobby = attrs.field(factory=Lobby, init=False)
    running: RunningMatches = attrs.field(factory=RunningMatches, init=False)
    matches: Matches = attrs.field(init=False)
    ladders: LadderMatches = attrs.field(init=False)
    connections: BotConnections = attrs.field(init=False)
    arena: Arena = attrs.field(init=False)
    """The arena as the page, the metrics and the operator use it."""
    _space: RecordSpace = attrs.field(init=False)
    _helpers: trio.Nursery | None = attrs.field(default=None, init=False)
    _draining: trio.Event = attrs.field(factory=trio.Event, init=False)
    _is_ending: bool = attrs.field(default=False, init=False)  # whether `shut_down` was called

    def __attrs_post_init__(self) -> None:
        options, folder, tls = self.options, self.options.folder, self.options.spec.tls
        self._space = RecordSpace(options.data.records, self._has_room_again)
        self.matches = Matches(options, self.lobby, self.running, self.shut_down, self._space)
        self.ladders = LadderMatches(self.matches, self.ladder_rooms)
        self.connections = BotConnections(
            options,
            self.lobby,
            self.running,
            self.matches,
            self.ladders,
            self.names,
            None if tls is None else TlsRelay(folder / tls.certificate, folder / tls.key),
        )
        self.arena = Arena(self.connections, self.matches, self.ladders, self.submissions)

    async def serve(self) -> None:
        """Serve, after listening, until `drain`, `shut_down` or the last of `Options.matches`."""
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self.matches.player.run)
            helpers.start_soon(self._space.run)
            self._helpers = helpers
            self._complete_records()
            helpers.start_soon(self._shut_down_when_drained)
            if self.names is not None:
                helpers.start_soon(self.names.run)
            # Connections and matches are in an inner nursery, because they need the helpers until
            # they end.
            async with trio.open_nursery() as matches:
                self.matches.nursery = matches
                self.ladders.open(helpers)
                if self.submissions is not None:
                    helpers.start_soon(self.submissions.run)
                await self.connections.accept()
                matches.cancel_scope.deadline = trio.current_time() + SHUTDOWN_TIME
            with trio.move_on_after(STORING_TIME):
                await self.ladders.settle()
            helpers.cancel_scope.cancel()
        log.info("ended", matches=self.matches.over)

    def _complete_records(self) -> None:
        """Complete the records that are left behind, while the arena runs."""
        if self._helpers is not None:
            records = self.options.data.records
            self._helpers.start_soon(complete_records, records, self.running.end)

    def _has_room_again(self, was_full: bool) -> None:
        """Go on with matches after there was, or might have been, no room for records."""
        if was_full:  # a record may lack no more than compressing
            self._complete_records()
        self.matches.start_ready()
        self.ladders.start_ready()

    def drain(self) -> None:
        """Begin no more matches, wait `Options.drain` seconds for the running ones, and shut down.

        Until then bots may still come back to their matches; all others get `error shutdown`. If
        the arena drains already, it shuts down at once.
        """
        if self.options.spec.drain == 0 or self._draining.is_set():
            self.shut_down()
            return
        running, waiting = len(self.running.matches), len(self.lobby.waiting())
        log.info("draining", seconds=self.options.spec.drain, running=running, waiting=waiting)
        self.matches.closing = True
        self._draining.set()
        self.connections.empty_lobby()

    async def _shut_down_when_drained(self) -> None:
        """Wait until the arena drains, and then until no match is left, or their time is over."""
        await self._draining.wait()
        with trio.move_on_after(self.options.spec.drain):
            while self.matches.unfinished:
                await self.running.changes.wait(self.running.changes.count)
        self.shut_down()

    def shut_down(self) -> None:
        """Begin no more matches, end the running ones by `error shutdown`, and make `serve` end."""
        if self._is_ending:
            return
        self._is_ending = True
        self.matches.shut_down()
        self.connections.end()

    def reload(self, options: Options) -> None:
        """Go on with the limits of other options (`options.with_limits`)."""
        self.options, spec = options, options.spec
        self.connections.reload(options)
        if self.names is not None:
            self.names.is_open = spec.registration is Registration.OPEN
        self.ladders.reload(spec.ladders)
        log.info(
            "the arena's file was read again",
            max_connections=spec.max_connections,
            max_per_address=spec.max_per_address,
            hello_timeout=spec.hello_timeout,
            registration=spec.registration.value,
            drain=spec.drain,
        )


# -- signals and the console -------------------------------------------------------------------


async def heed_signals(
    arena: ArenaServer,
    reread: Reread | None = None,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Heed SIGTERM, SIGINT and SIGHUP until cancelled, except for those that we ignore.

    SIGTERM drains the arena. A second one and SIGINT end it at once, and so does SIGHUP if there is
    no file to read again.

    Args:
        arena: The arena.
        reread: Reads the arena's file again; None if it has no file.
        task_status: Told when no signal can be missed any more.
    """
    wanted = trio.Event()
    async with trio.open_nursery() as nursery:

        async def reload() -> None:
            nonlocal wanted
            assert reread is not None
            while True:
                await wanted.wait()
                wanted = trio.Event()
                await _reload(arena, reread)

        if reread is not None:
            # In a task of its own, so that no signal has to wait for a file.
            nursery.start_soon(reload)
        with trio.open_signal_receiver(*heeded()) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGHUP and reread is not None:
                    wanted.set()
                elif number == signal.SIGTERM:
                    arena.drain()
                else:
                    arena.shut_down()


async def _reload(arena: ArenaServer, reread: Reread) -> None:
    """Read an arena's file again; a file that can't be used changes nothing."""
    try:
        options = await trio.to_thread.run_sync(reread, arena.options, abandon_on_cancel=True)
    except SpecError as error:
        log.error("the arena's file can't be used; nothing is changed", why=str(error))
        return
    arena.reload(options)


async def wait_for_enter(matches: Matches, read: Callable[[], Awaitable[bytes]]) -> None:
    """Start a match for each line that `read` returns, until it returns nothing."""
    while True:
        data = await read()
        if not data:
            log.warning("standard input has ended; no more matches can be started")
            return
        for _ in range(data.count(b"\n")):
            if not matches.start_next():
                log.info("no match is ready", waiting=len(matches.lobby.waiting()))
            # A match and its bots per pass of the loop, however many lines come at once.
            await trio.lowlevel.checkpoint()


async def read_stdin() -> bytes:
    """Read some bytes of standard input, without a thread, which couldn't be cancelled."""
    if sys.stdin is None:  # it was closed when we were started
        await trio.lowlevel.checkpoint()
        return b""
    fd = sys.stdin.fileno()
    try:
        await trio.lowlevel.wait_readable(fd)
    except PermissionError:  # epoll refuses regular files, which are always readable
        await trio.lowlevel.checkpoint()
    return os.read(fd, 4096)


# -- running an arena --------------------------------------------------------------------------


async def serve(
    options: Options,
    announce: Callable[[str, int], None],
    beside: Beside,
    reread: Reread | None = None,
) -> None:
    """Serve until a signal comes or the last match of `Options.matches` is over.

    Args:
        options: What the operator has chosen.
        announce: Called once, with the address and port on which the arena listens.
        beside: Starts what runs alongside the arena.
        reread: Reads the arena's file again at SIGHUP; None if it has no file.

    Raises:
        CannotListenError: From `BotConnections.listen` or `beside`.
        SpecError: A ladder doesn't fit its game.
        StoreError: The results of one can't be read or written.
    """
    with ExitStack() as opened:
        rooms, names, submissions = await _open_ladders(options, opened)
        server = ArenaServer(options, rooms, names, submissions)
        connections = server.connections
        address = await connections.listen()
        async with helpers_nursery() as nursery:
            # This comes first, so that no signal can end us without cleaning up.
            await nursery.start(heed_signals, server, reread)
            try:
                if connections.tls is not None:
                    await nursery.start(connections.tls.run)
                await beside(server.arena, nursery)
                if options.spec.friendly.start is Start.MANUAL:
                    nursery.start_soon(wait_for_enter, server.matches, read_stdin)
                _freeze_memory()
                announce(*address)
            except BaseException:
                connections.close()
                raise
            await server.serve()
            nursery.cancel_scope.cancel()


async def _open_ladders(
    options: Options, opened: ExitStack
) -> "tuple[Mapping[str, LadderRoom], Names | None, AllSubmissions | None]":
    """Open an arena's ladders, the names on them and what was handed in; `opened` closes them.

    Raises:
        SpecError: One doesn't fit its game, or what was handed in can't be used.
        StoreError: The results of one can't be read or written.
    """
    if not options.spec.ladders:
        return {}, None, None
    # Imported only now, as they import SQLAlchemy.
    from lanista.arena.ladder_room import open_ladders  # noqa: PLC0415

    rooms, names = await trio.to_thread.run_sync(open_ladders, options, opened)
    if all(ladder.submissions is None for ladder in options.spec.ladders):
        return rooms, names, None
    from lanista.arena.submission_queue import open_submissions  # noqa: PLC0415 - as above

    return rooms, names, await trio.to_thread.run_sync(open_submissions, rooms, options)


def _freeze_memory() -> None:
    """Have the garbage collector leave the objects alone that exist now, as they will stay.

    A full collection of them would block the event loop, and so every match, for tens of
    milliseconds.
    """
    return_large_blocks()
    gc.collect()
    gc.freeze()
    # The collector waits until there are a quarter as many new objects as it found the last time.
    # So have it find none: else the garbage of many closed connections would come together first.
    gc.collect()
