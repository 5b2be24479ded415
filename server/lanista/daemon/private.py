"""A private arena: one match between bots that the arena starts, on a free port of its own.

Takes only its own bots: one by its seat's one-time token, or, without a token, the one that is
just being started. So they start one after the other, and a bot that can only say a name still
gets the seat of its place on the command line.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.bots import Bot, BotLimits, Exit, Sandbox, environment, fill, peers, start_bot
from lanista.daemon import greeting, ids
from lanista.daemon.stage import Running, Stage, Steering
from lanista.match.bundle import Failure, write_bundles
from lanista.match.clock import Limits
from lanista.match.connection import Connection
from lanista.match.record import BotInfo, RecordWriter, ResultInfo
from lanista.match.runner import VOID_TRIES, Match, MatchSpec, Watcher
from lanista.match.speech import InDialect
from lanista.match.stalls import StallMonitor
from lanista.rules.base import Ruleset
from lanista.rules.outcome import Termination
from lanista_protocol import Bye, ErrorCode, Hello, RemoteProtocolError

HOST = "127.0.0.1"
VOID = Termination.VOID


@attrs.frozen
class BotSpec:
    """A bot to start."""

    name: str
    """What it is told to say; the match shows what it says."""
    command: tuple[str, ...]
    """The words of its command line, placeholders and all."""


@attrs.frozen(kw_only=True)
class PlaySpec:
    """A match to play with bots of our own."""

    ruleset: Ruleset
    settings: Mapping[str, int]
    seed: int
    bots: Sequence[BotSpec]
    record_path: Callable[[str], Path]
    """Where the record goes, by the match's id."""
    board: Any = None
    limits: Limits = attrs.field(factory=Limits)
    time_start: float = 30.0
    """Seconds a bot has from its start to its hello."""
    late_limit: int = 10
    stall_margin: float = 0.05
    bot_limits: BotLimits = attrs.field(factory=BotLimits)
    """What each bot may use of this machine."""
    sandboxed: bool = False
    """Whether each runs shut off from the machine; `check_sandbox` first."""
    hidden: tuple[Path, ...] = ()
    """Folders that no sandboxed bot may see, beside this match's record."""
    watcher: Callable[[Sequence[str]], Watcher] | None = None
    """Makes the match's watcher when the bots' names, by seat, are known."""


@attrs.frozen(kw_only=True)
class Played:
    """A match that was played, or was begun."""

    match: str
    seed: int
    names: tuple[str, ...]
    result: ResultInfo
    record: Path
    bundles: tuple[Path, ...] = ()
    """The failure bundles of bots that didn't end it normally."""
    bundle_trouble: str | None = None
    """Why some of those couldn't be written."""


class StartFailureError(Exception):
    """A bot could not be started, left, or did not say hello in time."""

    def __init__(self, words: str, output: str) -> None:
        super().__init__(words)
        self.output = output
        """The last of what the bot wrote to stderr and stdout."""


@attrs.define(eq=False)
class _Seats:
    """Who has come, and who is expected."""

    tokens: Sequence[str]
    ruleset: Ruleset
    expected: int = 0
    """The seat whose bot is being started."""
    keepers: dict[int, int] = attrs.field(factory=dict)
    """By seat, the process below which all is that its bot started."""
    taken: list[Connection | None] = attrs.field(factory=list)
    complaint: str = ""
    """The last hello that was refused, for a start failure's message."""
    changed: trio.Event = attrs.field(factory=trio.Event)

    def refuse_others(self, peer: tuple[str, int], ours: tuple[str, int]) -> None:
        """See that who says no token isn't a bot that was started before the expected one.

        Raises:
            RemoteProtocolError: It is: it would take another's seat.
        """
        for seat, keeper in self.keepers.items():
            if seat != self.expected and peers.connects(keeper, peer, ours):
                raise RemoteProtocolError(
                    ErrorCode.SEAT_TAKEN, f"its program has seat {seat}; one connection is all"
                )

    def seat_for(self, hello: Hello) -> int:
        """The seat of a bot that said hello.

        Raises:
            RemoteProtocolError: It isn't one of ours, or its seat is taken.
        """
        if greeting.ruleset_of(hello, self.ruleset).name != self.ruleset.name:
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME, f"this arena plays {self.ruleset.name} alone"
            )
        seat = self.expected
        if hello.token is not None:
            same = [greeting.same_secret(hello.token, token) for token in self.tokens]
            if True not in same:
                raise RemoteProtocolError(
                    ErrorCode.BAD_TOKEN, "this arena takes only bots that it has started itself"
                )
            seat = same.index(True)
        if self.taken[seat] is not None:
            raise RemoteProtocolError(ErrorCode.SEAT_TAKEN, f"seat {seat} has its bot already")
        return seat

    async def greet(self, stream: trio.SocketStream, seated: greeting.Seated) -> None:
        """One connection: to its seat, or refused."""
        try:
            peer, ours = stream.socket.getpeername(), stream.socket.getsockname()
        except OSError:  # gone already
            return
        connection = greeting.accepted(stream)
        if connection is None:
            return
        try:
            hello = await connection.read_hello(float("inf"))
            if hello is None:
                return
            if hello.token is None:
                self.refuse_others(peer, ours)
            seat = self.seat_for(hello)
            self.taken[seat] = connection
            seated()
            if greeting.speaks_version1(hello, self.ruleset):
                greeting.tell_at_once(connection, greeting.welcome())
            self._announce()
            self.changed.set()
            self.changed = trio.Event()
            await trio.sleep_forever()  # the match has it now; the end of all closes it
        except RemoteProtocolError as error:
            self.complaint = f"its hello was refused: {error.words}"
            await connection.refuse(error)
        finally:
            connection.channel.close()

    def _announce(self) -> None:
        """Tell everyone who has come how many they are (PROTOCOL.md 3, `wait`)."""
        come = [connection for connection in self.taken if connection is not None]
        line = greeting.wait_line(len(come), len(self.taken))
        for connection in come:
            hello = connection.hello
            assert hello is not None
            if greeting.speaks_version1(hello, self.ruleset):
                greeting.tell_at_once(connection, line)


def _failures(
    match: Match, specs: Sequence[BotSpec], bots: Sequence[Bot], *, interrupted: bool
) -> list[Failure]:
    """The seats that failed in the match, and those whose process did."""
    in_match = {failure.seat: failure for failure in match.failures()}
    failures = []
    for seat, (spec, bot) in enumerate(zip(specs, bots, strict=True)):
        failure = in_match.get(seat)
        speaks_dialect = isinstance(match.seats[seat].speech, InDialect)
        # A dialect doesn't tell the end, and an interrupted match has none: a bot may well trip
        # over that.
        is_surprised = speaks_dialect or interrupted
        if failure is None and (is_surprised or not _failed(bot.exit)):
            continue
        failure = failure or match.failure(seat)
        failures.append(
            attrs.evolve(
                failure,
                reasons=(*failure.reasons, f"its process {bot.exit}"),
                command=spec.command,
                output=bot.output_tail(),
            )
        )
    return failures


def _failed(how: Exit | None) -> bool:
    """Whether a process ended by a fault of its own."""
    return how is not None and not how.by_arena and (how.code != 0 or how.limit is not None)


@attrs.define(eq=False)
class PrivateArena:
    """Plays the match of a spec. `interrupt` ends it from outside."""

    spec: PlaySpec
    stalls: StallMonitor = attrs.field(factory=StallMonitor)
    stage: Stage = attrs.field(factory=Stage)
    steering: Steering | None = None
    """Holds the match between turns, for those who watch it; None: nobody does."""
    _interrupted: trio.Event = attrs.field(factory=trio.Event, init=False)
    _void: dict[Path, str] = attrs.field(factory=dict, init=False)
    """Matches that don't count, by record: to be seen when nobody plays with the seed any more."""
    _match: Match | None = attrs.field(default=None, init=False)

    @property
    def interrupted(self) -> bool:
        """Whether `interrupt` was called."""
        return self._interrupted.is_set()

    def interrupt(self) -> None:
        """End the match as aborted; a start is given up."""
        self._interrupted.set()
        if self._match is not None:
            self._match.interrupt()

    async def play(self) -> Played | None:
        """Play it; again with fresh bots, at most twice, when the host's stalls made it void.

        Returns None when it was interrupted before the match began.

        Raises:
            StartFailureError: A bot that doesn't come.
            OSError: The record can't be written.
        """
        played = None
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self.stalls.beat)
            failure: Exception | None = None
            try:
                for try_ in range(1, VOID_TRIES + 1):
                    played = await self._play_once(try_)
                    if played is None or played.result.end != Termination.VOID.value:
                        break
            except (StartFailureError, OSError) as error:
                failure = error  # carried around the nursery, which would wrap it into a group
            helpers.cancel_scope.cancel()
        for path, match in self._void.items():
            if path.exists():
                self.stage.end(match, path)
        if failure is not None:
            raise failure
        return played

    async def _play_once(self, try_: int) -> Played | None:
        spec = self.spec
        seats = _Seats(
            tokens=[ids.seat_token() for _ in spec.bots],
            ruleset=spec.ruleset,
            taken=[None for _ in spec.bots],
        )
        match = ids.match_id()
        record = RecordWriter(spec.record_path(match))
        failure: Exception | None = None
        played = None
        try:
            listeners = await trio.open_tcp_listeners(0, host=HOST)
            port = listeners[0].socket.getsockname()[1]
            async with trio.open_nursery() as nursery:
                nursery.start_soon(greeting.accept_few, seats.greet, listeners)
                try:
                    played = await self._with_bots(seats, port, match, record, try_)
                except (StartFailureError, OSError) as error:
                    failure = error
                nursery.cancel_scope.cancel()
        finally:
            record.close()
            if not record.begun:
                record.discard()
        if failure is not None:
            raise failure
        return played

    async def _with_bots(
        self, seats: _Seats, port: int, match: str, record: RecordWriter, try_: int
    ) -> Played | None:
        """Start the bots, play, end the bots, complete the record."""
        spec = self.spec
        running: Match | None = None
        bots: list[Bot] = []
        failure: StartFailureError | None = None
        async with AsyncExitStack() as stack:
            for seat, bot_spec in enumerate(spec.bots):
                seats.expected = seat
                bot = await stack.enter_async_context(
                    _started(spec, bot_spec, port, seats.tokens[seat], record)
                )
                bots.append(bot)
                if bot.keeper is not None:
                    seats.keepers[seat] = bot.keeper
                failure = await self._wait_for_hello(seats, seat, bot)
                if failure is not None or self.interrupted:
                    break
            if failure is None and not self.interrupted:
                connections = [connection for connection in seats.taken if connection is not None]
                names = _names(connections)
                watcher = None if spec.watcher is None else spec.watcher(names)
                steering = self.steering
                if steering is not None:
                    watcher = steering.watch
                running = Match(
                    self._match_spec(match, try_),
                    connections,
                    names,
                    record,
                    self.stalls,
                    watcher,
                    [bot_spec.command for bot_spec in spec.bots],
                    lambda seat: bots[seat].why_left(),
                )
                self._match = running
                if steering is not None:
                    match_played = running
                    steering.is_over = lambda: match_played.outcome is not None
                self._tell_stage(running, record.part)
                await running.run()
                for connection in connections:
                    if not connection.closed:  # one that would have stayed for another match
                        await connection.close(bytes(Bye()))
            else:
                for come in seats.taken:
                    if come is not None:
                        await self._dismiss(come)
        self._match = None
        if failure is not None:
            raise failure
        if running is None:
            return None
        try:
            return await self._finish(running, match, bots, record)
        finally:
            # A void one tells the seed with which it is played again.
            is_void = running.outcome is not None and running.outcome.termination is VOID
            if is_void:
                self._void[record.path] = match
            else:
                self._void.pop(record.path, None)  # with `-o FILE` this one took its place
            seen = record.path.exists() and not is_void
            self.stage.end(match, record.path if seen else None)

    def _tell_stage(self, match: Match, part: Path) -> None:
        self.stage.begin(
            Running(
                match=match.spec.match,
                ruleset=self.spec.ruleset,
                room=None,
                bots=list(enumerate(match.names)),
                started=datetime.now(UTC).isoformat(timespec="milliseconds"),
                part=part,
                steering=self.steering or Steering(),
                playing=match,
            )
        )

    async def _finish(
        self, running: Match, match: str, bots: Sequence[Bot], record: RecordWriter
    ) -> Played:
        """Complete the record; write failure bundles."""
        spec = self.spec
        infos = tuple(BotInfo(exit=str(bot.exit), output=bot.output_tail()) for bot in bots)
        result = attrs.evolve(running.result(), bots=infos)
        with trio.CancelScope(shield=True):
            await record.finish(result)
            failures = _failures(running, spec.bots, bots, interrupted=self.interrupted)
            bundles: list[Path] = []
            trouble = None
            try:
                bundles = await trio.to_thread.run_sync(
                    write_bundles, record.path, running.title, len(bots), failures
                )
            except OSError as error:
                trouble = f"can't write the failure bundle {error.filename}: {error.strerror}"
        return Played(
            match=match,
            seed=spec.seed,
            names=tuple(running.names),
            result=result,
            record=record.path,
            bundles=tuple(bundles),
            bundle_trouble=trouble,
        )

    async def _dismiss(self, connection: Connection) -> None:
        """Tell a bot that has come that there will be no match."""
        await connection.refuse(
            RemoteProtocolError(ErrorCode.SHUTDOWN, "not all bots have come; there is no match")
        )

    async def _wait_for_hello(self, seats: _Seats, seat: int, bot: Bot) -> StartFailureError | None:
        """Wait until the bot of a seat has come; what went wrong otherwise."""
        name = self.spec.bots[seat].name
        with trio.move_on_after(self.spec.time_start):
            async with trio.open_nursery() as nursery:

                async def give_up_at_exit() -> None:
                    await bot.exited()
                    # Its hello may be on its way to us still: a last look at what has come.
                    with trio.move_on_after(0.2):
                        await _seated(seats, seat)
                    nursery.cancel_scope.cancel()

                async def give_up_at_interrupt() -> None:
                    await self._interrupted.wait()
                    nursery.cancel_scope.cancel()

                nursery.start_soon(give_up_at_exit)
                nursery.start_soon(give_up_at_interrupt)
                await _seated(seats, seat)
                nursery.cancel_scope.cancel()
        if seats.taken[seat] is not None or self.interrupted:
            return None
        why = f"no hello within {self.spec.time_start:g} s"
        if bot.exit is not None:
            why = str(bot.exit)
            if bot.exit.failure is None:
                why += " before it said hello"
        parts = [f"bot {name!r} (seat {seat}) did not start: {why}"]
        if seats.complaint:
            parts.append(seats.complaint)
        return StartFailureError("; ".join(parts), bot.output_tail())

    def _match_spec(self, match: str, try_: int) -> MatchSpec:
        spec = self.spec
        return MatchSpec(
            match=match,
            ruleset=spec.ruleset,
            settings=spec.settings,
            seed=spec.seed,
            board=spec.board,
            limits=spec.limits,
            late_limit=spec.late_limit,
            stall_margin=spec.stall_margin,
            try_=try_,
        )


def _started(
    spec: PlaySpec, bot: BotSpec, port: int, token: str, record: RecordWriter
) -> AbstractAsyncContextManager[Bot]:
    sandbox = None
    if spec.sandboxed:
        # The record has what the others log and answer, line by line as it comes.
        hidden = (record.path, record.part, *spec.hidden)
        sandbox = Sandbox(host=HOST, port=port, hidden=hidden)
    return start_bot(
        fill(bot.command, host=HOST, port=port, name=bot.name, token=token),
        environment(host=HOST, port=port, name=bot.name, token=token),
        limits=spec.bot_limits,
        sandbox=sandbox,
    )


async def _seated(seats: _Seats, seat: int) -> None:
    while seats.taken[seat] is None:
        await seats.changed.wait()


def _names(connections: Sequence[Connection]) -> list[str]:
    """The names that the bots said; one that repeats becomes NAME-2, NAME-3."""
    said = []
    for connection in connections:
        assert connection.hello is not None
        said.append(connection.hello.name)
    return distinct(said)


def distinct(names: Sequence[str]) -> list[str]:
    """The names in order, each different from those before: NAME, NAME-2, NAME-3."""
    given: list[str] = []
    for name in names:
        number, candidate = 1, name
        while candidate in given:
            number += 1
            # A hello's name has 32 characters at most; the number must fit.
            suffix = f"-{number}"
            candidate = name[: 32 - len(suffix)] + suffix
        given.append(candidate)
    return given
