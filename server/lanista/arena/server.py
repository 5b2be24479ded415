"""The daemon: accepts connections, seats bots from the lobby, and runs many matches at once.

Its tasks are in nested nurseries so that they are shut down in order: first no more connections are
accepted and no more matches begin; then the running matches tell their bots and complete their
records; then everything else is cancelled. Each connection and each match is a task of its own, and
catches all exceptions, so that a fault in one doesn't affect the others.
"""

import gc
import itertools
import os
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import structlog
import trio

from lanista.arena.admission import Admission, Place, address_of
from lanista.arena.board_maker import BoardMaker
from lanista.arena.lobby import Lobby, Player, RoomKey
from lanista.arena.recovery import complete_records
from lanista.arena.spec import LadderSpec
from lanista.hosting import handshake, ids
from lanista.hosting.accept import accept
from lanista.hosting.control import MatchControl, RunningMatches
from lanista.hosting.host import HostedMatch, VoidRecords
from lanista.match.background import BackgroundWork
from lanista.match.conditions import MatchConditions, MatchSpec
from lanista.match.connection import Connection
from lanista.match.record import ENDING, RecordWriter
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.memory import return_large_blocks
from lanista.nurseries import helpers_nursery
from lanista.rules.base import Ruleset, complete_settings
from lanista.rules.outcome import Termination
from lanista.signals import heeded
from lanista_protocol import Error, ErrorCode, Hello, HttpRequestError, RemoteProtocolError

SHUTDOWN_TIME = 4.0
"""Seconds that running matches have at shutdown to tell their bots and write their records."""

LINGERING = 64
"""Number of connections without a place that may take a second to read why. Any others are sent the
reason and closed at once, in which case a bot that is just sending may not get to read it."""
ENTERING = 16
"""Number of connections without a place that may be in the process of being accepted."""
REFUSALS_LOGGED = 20
"""Number of refused connections per second that are logged one by one; others are only counted."""

KICKED = "the operator closed this connection"

log = structlog.get_logger()


@attrs.frozen(kw_only=True)
class Options:
    """What an operator chooses."""

    default: Ruleset
    """The game of bots that don't ask for one; `settings` and `board` are for it alone."""
    host: str = "127.0.0.1"
    port: int = 7777
    data: Path = Path("lanista-data")
    conditions: MatchConditions = attrs.field(factory=MatchConditions)
    settings: Mapping[str, int] = attrs.field(factory=dict)
    board: Any = None
    manual: bool = False
    """Whether matches begin only when the operator says so."""
    matches: int | None = None
    """Number of matches after which the arena ends; None for no end."""
    max_connections: int = 1000
    max_per_address: int | None = None
    """Maximum number of simultaneous connections of one address; None for 100, or no limit for
    loopback addresses."""
    hello_timeout: float = 10.0
    """Seconds until which a connection must have sent its hello."""
    ladders: tuple[LadderSpec, ...] = ()
    """The rated rooms."""
    folder: Path = Path()
    """The folder that the maps and the house bots' programs of `ladders` are relative to."""


def files_needed(max_connections: int) -> int:
    """Return how many files an arena must be allowed to have open, so that no match lacks one."""
    records = max_connections // 2  # if all matches are of two
    # Compressing a record takes two more, in one of trio's 40 threads. The last number is for the
    # arena itself: the catalogue, listeners, pipes of other processes, a bundle, the web page.
    return max_connections + LINGERING + ENTERING + records + 2 * 40 + 64


class CannotListenError(Exception):
    """It is impossible to listen on the given address."""


@attrs.define(eq=False)
class Arena:
    """A daemon. Call `listen`, then `serve`, each only once."""

    options: Options
    lobby: Lobby = attrs.field(factory=Lobby)
    stalls: StallMonitor = attrs.field(factory=StallMonitor)
    running: RunningMatches = attrs.field(factory=RunningMatches)
    manual: bool = attrs.field(init=False)
    """Whether matches begin only when the operator says so; `set_manual` changes it."""
    background: BackgroundWork = attrs.field(factory=BackgroundWork)
    """The background work for connections."""
    page: str | None = None
    """Address of the web page, for browsers that connect to the bots' port instead."""
    _playing: set[Match] = attrs.field(factory=set, init=False)
    _greetings: set[trio.CancelScope] = attrs.field(factory=set, init=False)
    _admission: Admission = attrs.field(init=False)
    _sockets: trio.Semaphore = attrs.field(init=False)  # how many more may be accepted
    _lingering: int = attrs.field(default=0, init=False)
    _boards: BoardMaker = attrs.field(factory=BoardMaker, init=False)
    _refused: int = attrs.field(default=0, init=False)  # connections in `_refused_second`
    _refused_second: int = attrs.field(default=0, init=False)  # a second of trio's clock
    _kicked: set[int] = attrs.field(factory=set, init=False)  # numbers of bots that play
    _numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(1), init=False)
    _begun: int = attrs.field(default=0, init=False)  # matches that have begun and may count
    _over: int = attrs.field(default=0, init=False)  # matches that are over and count
    _closing: bool = attrs.field(default=False, init=False)
    _accepting: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _listeners: list[trio.SocketListener] = attrs.field(factory=list, init=False)
    _matches: trio.Nursery | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        options = self.options
        self.manual = options.manual
        self._admission = Admission(options.max_connections, options.max_per_address)
        self._sockets = trio.Semaphore(options.max_connections + LINGERING + ENTERING)

    async def listen(self) -> tuple[str, int]:
        """Open the port, and return its address and number.

        Raises:
            CannotListenError: The port is in use, or the address isn't this machine's.
        """
        options = self.options
        try:
            self._listeners = await trio.open_tcp_listeners(options.port, host=options.host)
        except OSError as error:
            raise CannotListenError(
                f"can't listen on {options.host}:{options.port}: {error.strerror or error}; "
                "choose another address with --host and --port"
            ) from None
        if not options.port:
            # A host name with several addresses got a different free port on each, but we announce
            # only one.
            for other in self._listeners[1:]:
                await other.aclose()
            del self._listeners[1:]
        host, port = self._listeners[0].socket.getsockname()[:2]
        log.info("listening", host=host, port=port, game=options.default.name)
        return host, port

    async def serve(self) -> None:
        """Serve, after `listen`, until `shut_down` or the last of `Options.matches`."""
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self.stalls.beat)
            helpers.start_soon(self._boards.run)
            helpers.start_soon(complete_records, self.options.data / "records", self.running.end)
            # Connections and matches are in an inner nursery, because they need the helpers until
            # they end.
            async with trio.open_nursery() as self._matches:
                try:
                    with self._accepting:
                        async with trio.open_nursery() as accepting:
                            for listener in self._listeners:
                                accepting.start_soon(
                                    accept,
                                    listener,
                                    self._sockets,
                                    self._greet,
                                    self._matches,
                                    self.background,
                                )
                finally:
                    self.close()
                self._matches.cancel_scope.deadline = trio.current_time() + SHUTDOWN_TIME
            helpers.cancel_scope.cancel()
        log.info("ended", matches=self._over)

    def shut_down(self) -> None:
        """Begin no more matches, end the running ones by `error shutdown`, and make `serve` end."""
        if self._closing:
            return
        self._closing = True
        log.info("shutting down", running=len(self._playing), waiting=len(self.lobby.waiting()))
        self._accepting.cancel()
        for scope in self._greetings:
            scope.cancel()
        for match in self._playing:
            match.interrupt()
        for player in self.lobby.waiting():
            player.waiting.cancel()

    def close(self) -> None:
        """Close the port."""
        for listener in self._listeners:
            listener.socket.close()

    # -- connections ---------------------------------------------------------------------------

    async def _greet(self, stream: trio.SocketStream) -> None:
        """Handle one connection, from its hello to its end."""
        host, port = handshake.peer_of(stream)
        peer, host = f"{host}:{port}", address_of(host)
        connection: Connection | None = None
        place: Place | None = None
        try:
            async with self.background.piece(host):
                connection = handshake.accepted(stream, host, self.background)
                if connection is None:
                    return
                place = self._admission.admit(host, trio.current_time())
                place.has_input = connection.channel.has_input
            hello = await self._read_hello(connection, place)
            if hello is not None:
                ruleset = handshake.ruleset_of(hello, self.options.default)
                log.info("hello", name=hello.name, game=ruleset.name, room=hello.room, peer=peer)
                if handshake.speaks_version1(hello, ruleset):
                    handshake.send_at_once(connection, handshake.welcome())
                await self._keep_playing(connection, ruleset, peer, place)
        except RemoteProtocolError as error:
            assert connection is not None
            # It gives up its place now, though it stays connected until it has read why. Otherwise
            # bots that connect again and again would take the places that others free.
            self._leave(place)
            self._log_refusal(error, peer)
            await self._send_away(connection, error)
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another connection
            log.error(  # noqa: TRY400 - the trace is in the line
                "connection ended by an error", peer=peer, trace=traceback.format_exc()
            )
            if connection is not None:
                await connection.refuse(_our_fault())
        finally:
            if connection is not None:
                connection.channel.close()
            stream.socket.close()
            self._leave(place)

    async def _send_away(self, connection: Connection, error: RemoteProtocolError) -> None:
        """Send a connection the reason why it is closed, and close it."""
        reply = bytes(Error(error.code, error.message))
        if isinstance(error, HttpRequestError):
            reply = handshake.http_reply(self.page)
        if self._lingering >= LINGERING:
            handshake.send_at_once(connection, reply)
            return
        self._lingering += 1
        try:
            await connection.close(reply)
        finally:
            self._lingering -= 1

    def _leave(self, place: Place | None) -> None:
        if place is not None:
            self._admission.leave(place)
            # Break the reference cycle of the place and its holder, so that the garbage collector
            # has less to do.
            place.give_way = _no_longer

    def _log_refusal(self, error: RemoteProtocolError, peer: str) -> None:
        """Log why a connection was refused; of many in a second, only the first."""
        second = int(trio.current_time())
        if second != self._refused_second:
            if self._refused > REFUSALS_LOGGED:
                log.warning("more were refused", count=self._refused - REFUSALS_LOGGED)
            self._refused_second, self._refused = second, 0
        self._refused += 1
        if self._refused <= REFUSALS_LOGGED:
            log.warning("refused", code=error.code.value, why=error.message, peer=peer)

    async def _read_hello(self, connection: Connection, place: Place) -> Hello | None:
        """Read a hello.

        Raises:
            RemoteProtocolError: The hello is faulty, or the connection must give up its place, or
                the arena shuts down.
        """
        why = _shutting_down()
        with trio.CancelScope() as scope:
            if self._closing:
                scope.cancel()

            def give_way(error: RemoteProtocolError) -> None:
                nonlocal why
                why = error
                scope.cancel()

            place.give_way = give_way
            self._greetings.add(scope)
            try:
                hello = await connection.read_hello(self.options.hello_timeout)
            finally:
                self._greetings.discard(scope)
            if not scope.cancel_called:
                place.greeted = True
                return hello
        try:
            raise why
        finally:
            # The exception refers to this frame: break the cycle. Else the connection would stay in
            # memory until the garbage collector runs.
            del why

    async def _keep_playing(
        self, connection: Connection, ruleset: Ruleset, peer: str, place: Place
    ) -> None:
        """Seat a bot in one match after another, while it keeps its connection."""
        number = next(self._numbers)
        try:
            await self._keep_seating(connection, ruleset, peer, place, number)
        finally:
            self._kicked.discard(number)

    async def _keep_seating(
        self, connection: Connection, ruleset: Ruleset, peer: str, place: Place, number: int
    ) -> None:
        since = connection.hello_at
        while not connection.closed:
            if self._closing:
                raise _shutting_down()
            connection.look()  # it may have left since its last match
            if connection.session.ended and not connection.session.has_answer:
                return
            player = Player(connection, ruleset, peer, number, since, place)
            self.lobby.join(player)
            place.since, place.plays = trio.current_time(), False
            place.give_way = partial(self._send_off, player)
            self.running.changes.tell()
            self._announce(player.room)
            self._start_matches()
            try:
                with player.waiting:
                    await connection.watch()
            except RemoteProtocolError:
                if not player.taken:
                    raise
                # A match has just taken it, and will read the same bytes and deal with them.
            finally:
                self.lobby.leave(player)
                self.running.changes.tell()
                player.released.set()
            if player.sent_off is not None:
                self._announce(player.room)
                raise player.sent_off
            if player.taken:
                await player.over.wait()
                since = trio.current_time()
                if number in self._kicked and not connection.closed:
                    # It was kicked after its last answer, when the match no longer closed it.
                    raise RemoteProtocolError(ErrorCode.SHUTDOWN, KICKED)
            elif not self._closing:
                self._announce(player.room)
                return

    def _announce(self, room: RoomKey) -> None:
        """Tell all bots that wait in a room how many they are."""
        waiting = self.lobby.waiting(room)
        for player in waiting:
            hello = player.connection.hello
            assert hello is not None
            if handshake.speaks_version1(hello, player.ruleset):
                line = handshake.wait_line(len(waiting), player.ruleset.seats)
                if line == player.announced:
                    continue
                player.announced = line
                if not handshake.send_at_once(player.connection, line):
                    player.waiting.cancel()

    # -- matches -------------------------------------------------------------------------------

    def _start_matches(self) -> None:
        if not self.manual:
            for room in self.lobby.complete_rooms():
                while self.lobby.complete(room) and self._may_begin():
                    self._begin(room)
        else:
            rooms = self.lobby.complete_rooms()
            for room in rooms[:1]:  # the room whose match the next Enter starts
                names = ", ".join(player.name for player in self.lobby.waiting(room))
                log.info(
                    "ready: press Enter to start"
                    if self.options.manual
                    else "ready: the page can start it",
                    game=room[0],
                    room=room[1],
                    players=names,
                    ready=len(rooms),
                )

    def _may_begin(self) -> bool:
        limit = self.options.matches
        return not self._closing and (limit is None or self._begun < limit)

    def start_next(self) -> bool:
        """Start the match that has been ready for the longest, for the operator.

        Returns:
            False if no match is ready, or none may begin any more.
        """
        rooms = self.lobby.complete_rooms()
        if not rooms or not self._may_begin():
            return False
        self._begin(rooms[0])
        return True

    def start(self, room: RoomKey) -> bool:
        """Start the match of a room, for the operator.

        Returns:
            False if no match is ready there, or none may begin any more.
        """
        if not self.lobby.complete(room) or not self._may_begin():
            return False
        self._begin(room)
        return True

    def set_manual(self, manual: bool) -> None:
        """Set whether matches begin only when the operator says so, or by themselves."""
        log.info("matches start", by="the operator" if manual else "themselves")
        self.manual = manual
        self.running.changes.tell()
        if not manual:
            self._start_matches()

    def kick(self, number: int) -> bool:
        """Close the connection of a bot that waits or plays.

        Returns:
            False if there is no bot of this number.
        """
        for player in self.lobby.waiting():
            if player.number == number and not player.taken:
                log.info("kicked", name=player.name, peer=player.peer)
                self._send_off(player, RemoteProtocolError(ErrorCode.SHUTDOWN, KICKED))
                return True
        for running in self.running.matches.values():
            for seat, (bot, name) in enumerate(running.bots):
                if bot == number:
                    log.info("kicked", name=name, match=running.match)
                    self._kicked.add(number)
                    running.playing.kick(seat, KICKED)
                    return True
        return False

    def _send_off(self, player: Player, why: RemoteProtocolError) -> None:
        """Close the connection of a waiting bot."""
        player.sent_off = why
        player.waiting.cancel()
        self.lobby.leave(player)  # now, so that no match takes it before its task runs

    def _begin(self, room: RoomKey) -> None:
        assert self._matches is not None
        self._begun += 1
        players = self.lobby.take(room)
        for player in players:
            player.taken = player.place.plays = True
            player.waiting.cancel()
        self._matches.start_soon(self._run, players)
        self._announce(room)

    async def _run(self, players: tuple[Player, ...]) -> None:
        """Run one match, and repeat it while it is void because the host stalled."""
        counted = False
        seed = ids.fresh_seed(players[0].ruleset)
        control = MatchControl()  # one for all repetitions: a paused match stays paused
        void = VoidRecords(self.running)
        try:
            for player in players:
                await player.released.wait()
            for try_ in range(1, self.options.conditions.void_tries + 1):
                ending = await self._play(players, seed, control, void, try_)
                counted = counted or ending not in (None, Termination.VOID)
                if ending is not Termination.VOID or self._closing:
                    break
                if any(
                    player.connection.closed or player.number in self._kicked for player in players
                ):
                    break  # not all the same bots any more
                if control.given_up:
                    break
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another match
            log.error(  # noqa: TRY400 - the trace is in the line
                "match ended by an error", trace=traceback.format_exc()
            )
            for player in players:
                await player.connection.refuse(_our_fault())
        finally:
            void.show()
            for player in players:
                player.over.set()
            if counted:
                self._over += 1
            else:
                self._begun -= 1
                self._start_matches()  # another match may begin instead under `--matches`
            if self.options.matches is not None and self._over >= self.options.matches:
                self.shut_down()

    async def _play(
        self,
        players: tuple[Player, ...],
        seed: int,
        control: MatchControl,
        void: VoidRecords,
        try_: int,
    ) -> Termination | None:
        ruleset = players[0].ruleset
        options = self.options
        is_default = ruleset.name == options.default.name
        match = ids.match_id()
        spec = MatchSpec(
            match=match,
            ruleset=ruleset,
            settings=complete_settings(ruleset, options.settings if is_default else {}),
            seed=seed,
            board=options.board if is_default else None,
            conditions=options.conditions,
            try_=try_,
        )
        prepared = await self._boards.prepare(spec)
        day = datetime.now(UTC).date().isoformat()
        path = options.data / "records" / day / f"{match}{ENDING}"
        try:
            record = RecordWriter(path)
        except OSError as error:
            log.error(  # noqa: TRY400 - a trace would add nothing
                "no record can be written", path=str(path), why=error.strerror
            )
            for player in players:
                error_line = Error(ErrorCode.INTERNAL, "the arena can't write the match's record")
                await player.connection.close(bytes(error_line))
            return None
        names = [player.name for player in players]
        hosted = HostedMatch(
            spec=spec,
            connections=[player.connection for player in players],
            names=names,
            record=record,
            stalls=self.stalls,
            control=control,
            running=self.running,
            room=players[0].room[1],
            numbers=[player.number for player in players],
        )
        playing = hosted.match
        playing.prepared = prepared
        self._playing.add(playing)
        log.info("match begins", match=match, game=ruleset.name, players=names, attempt=try_)
        try:
            if self._closing:
                playing.interrupt()
            await hosted.run()
            result = playing.result()
            try:
                await hosted.complete()
            except trio.Cancelled:
                # Everything is in the `.part` file; the next arena with this folder completes it.
                log.warning("no time to compress a record", path=str(record.part))
                raise
            except OSError as error:
                log.error(  # noqa: TRY400 - as above
                    "the record isn't whole", path=str(path), why=error.strerror
                )
            else:
                await _write_bundles(hosted)
        finally:
            self._playing.discard(playing)
            void.close(hosted)
        log.info(
            "match ends",
            match=match,
            end=result.end,
            reason=result.reason,
            ranks=list(result.ranks),
            scores=list(result.scores),
            turns=result.turns,
            faults=[f"seat {fault.seat}: {fault.words}" for fault in result.faults[:4]],
            record=str(path),
        )
        if playing.error is not None:
            log.error("match aborted by an error", match=match, trace=playing.error)
        assert playing.outcome is not None
        return playing.outcome.termination


async def _write_bundles(hosted: HostedMatch) -> None:
    """Write the failure bundles of a match; a failure to do so is only logged."""
    failures = hosted.match.failures()
    try:
        with trio.CancelScope(shield=True):
            bundles = await hosted.write_bundles(failures)
    except OSError as error:
        log.error(  # noqa: TRY400 - a trace would add nothing
            "no failure bundle can be written", path=str(error.filename), why=error.strerror
        )
        return
    for bundle, failure in zip(bundles, failures, strict=True):
        match = hosted.spec.match
        log.info("failure bundle", match=match, name=failure.name, path=str(bundle))


def _no_longer(_: RemoteProtocolError) -> None:
    """Do nothing, in place of a `give_way` whose place has been freed already."""


def _shutting_down() -> RemoteProtocolError:
    return RemoteProtocolError(ErrorCode.SHUTDOWN, "the arena is shutting down")


def _our_fault() -> RemoteProtocolError:
    return RemoteProtocolError(ErrorCode.INTERNAL, "the arena failed; this is no fault of the bot")


async def wait_for_signals(
    shut_down: Callable[[], None], *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Call `shut_down` at SIGINT, SIGTERM and SIGHUP, except for those that we ignore."""
    with trio.open_signal_receiver(*heeded()) as signals:
        task_status.started()
        async for _ in signals:
            shut_down()


async def wait_for_enter(arena: Arena, read: Callable[[], Awaitable[bytes]]) -> None:
    """Start a match for each line that `read` returns, until it returns nothing."""
    while True:
        data = await read()
        if not data:
            log.warning("standard input has ended; no more matches can be started")
            return
        for _ in range(data.count(b"\n")):
            if not arena.start_next():
                log.info("no match is ready", waiting=len(arena.lobby.waiting()))
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


Beside = Callable[["Arena", trio.Nursery], Awaitable[None]]
"""Starts tasks that run alongside an arena, such as the web page, in the given nursery. They are
cancelled when the arena has ended."""


async def serve(
    options: Options, announce: Callable[[str, int], None], beside: Beside | None = None
) -> None:
    """Serve until a signal comes or the last match of `Options.matches` is over.

    Args:
        options: What the operator has chosen.
        announce: Called once, with the address and port on which the arena listens.
        beside: Starts what runs alongside the arena.

    Raises:
        CannotListenError: From `Arena.listen` or `beside`.
    """
    arena = Arena(options)
    address = await arena.listen()
    async with helpers_nursery() as nursery:
        # This comes first, so that no signal can end us without cleaning up.
        await nursery.start(wait_for_signals, arena.shut_down)
        if beside is not None:
            try:
                await beside(arena, nursery)
            except CannotListenError:
                arena.close()
                raise
        await _serve(arena, address, announce, nursery)


async def _serve(
    arena: Arena,
    address: tuple[str, int],
    announce: Callable[[str, int], None],
    nursery: trio.Nursery,
) -> None:
    if arena.options.manual:
        nursery.start_soon(wait_for_enter, arena, read_stdin)
    return_large_blocks()
    # The objects that exist now will stay. Freeze them, because a full garbage collection of them
    # would block the event loop, and so every match, for tens of milliseconds.
    gc.collect()
    gc.freeze()
    # The collector waits until there are a quarter as many new objects as it found the last time.
    # So have it find none: else the garbage of many closed connections would come together first.
    gc.collect()
    try:
        announce(*address)
    except BaseException:
        arena.close()
        raise
    await arena.serve()
    nursery.cancel_scope.cancel()
