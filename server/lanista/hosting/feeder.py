"""Feeds a bot a recorded match again, up to a turn, with no clock: for a debugger.

The bot runs in the foreground, with our terminal: nothing of it is captured, no time is limited.
It is told what the seat was told in the match, whatever it answers itself.
"""

import math
import signal
from collections.abc import AsyncIterator, Sequence

import attrs
import trio

from lanista.bots import environment, fill
from lanista.hosting import handshake, ids
from lanista.hosting.accept import accept_few
from lanista.match.connection import Connection
from lanista.match.feed import told
from lanista.match.record import Record
from lanista.rules.base import Ruleset
from lanista.rules.outcome import Termination
from lanista.signals import heeded
from lanista_protocol import Bye, End, Hello, Rank, RemoteProtocolError, Score

HOST = "127.0.0.1"
PATIENCE = 2.0
"""Seconds that a bot may take to go once all is over."""


@attrs.frozen(kw_only=True)
class Fed:
    """How feeding a bot went."""

    answers: tuple[str, ...]
    """Its answers to the turns from 0 on."""
    trouble: str | None
    """Why it didn't get to the end; None: it did."""
    exit_code: int | None
    """Of its process; minus the signal that killed it; None: it had to be ended."""


class _TroubleError(Exception):
    """The bot can't be fed any further."""


@attrs.define(eq=False)
class Feeder:
    """Feeds one bot. `run` once."""

    record: Record
    ruleset: Ruleset
    seat: int
    turn: int
    """The last turn that is asked for."""
    command: Sequence[str]
    """The words of its command line, placeholders and all."""
    patient: bool = False
    """Whether a person sits at it: once the turn is answered, the bot ends when it likes."""
    _token: str = attrs.field(factory=ids.seat_token, init=False)
    _answers: list[str] = attrs.field(factory=list, init=False)
    _trouble: str | None = attrs.field(default=None, init=False)
    _gone: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when nobody sits at it any more: it has ended, or we were told to end."""
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)

    async def run(self) -> Fed:
        """Start the bot and feed it until the turn is answered, or it has ended.

        Raises:
            OSError: Its program can't be started.
            MismatchError: The record says something else than the rules.
            BadRecordError: It is no record of these rules.
        """
        for _ in told(self.record, self.ruleset, self.seat):
            pass  # before anything is started: what is wrong with the record is told now
        name = self.record.header.players[self.seat].name
        listeners = await trio.open_tcp_listeners(0, host=HOST)
        port = listeners[0].socket.getsockname()[1]
        words = fill(self.command, host=HOST, port=port, name=name, token=self._token)
        env = environment(host=HOST, port=port, name=name, token=self._token)
        # Ctrl+C in a debugger is for the debugger: it stops the bot, not us. A handler of our own,
        # because a signal that is ignored stays ignored in what we start.
        before = signal.getsignal(signal.SIGINT)
        if signal.SIGINT in heeded():
            signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            # From here on no signal ends us while a bot of ours runs.
            with trio.open_signal_receiver(*heeded((signal.SIGTERM, signal.SIGHUP))) as signals:
                process = await trio.lowlevel.open_process(words, env=env)
                try:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(self._wait_for_signals, signals)
                        nursery.start_soon(accept_few, self._greet, listeners)
                        nursery.start_soon(self._wait_for_exit, process)
                        await self._over.wait()
                        if self.patient:
                            await self._gone.wait()
                        nursery.cancel_scope.cancel()
                finally:
                    code = await _end(process)
        finally:
            signal.signal(signal.SIGINT, before)
            for listener in listeners:
                await listener.aclose()
        return Fed(answers=tuple(self._answers), trouble=self._trouble, exit_code=code)

    async def _wait_for_signals(self, signals: AsyncIterator[int]) -> None:
        async for _ in signals:
            if not self._over.is_set():
                self._trouble = "a signal has ended it"
            self._over.set()
            self._gone.set()

    async def _wait_for_exit(self, process: trio.Process) -> None:
        await process.wait()
        self._gone.set()
        with trio.move_on_after(PATIENCE):
            await self._over.wait()  # its last answer may still be on its way
            return
        self._trouble = "it ended before it had answered the turn"
        self._over.set()

    async def _greet(self, stream: trio.SocketStream) -> None:
        connection = handshake.accepted(stream)
        if connection is None or self._over.is_set():
            return
        try:
            hello = await connection.read_hello(math.inf)
            if hello is None:
                return
            if hello.token is not None and not handshake.same_secret(hello.token, self._token):
                return
            await self._feed(connection, hello)
        except (_TroubleError, RemoteProtocolError) as error:
            self._trouble = error.message if isinstance(error, RemoteProtocolError) else str(error)
        finally:
            connection.channel.close()
        self._over.set()

    async def _feed(self, connection: Connection, hello: Hello) -> None:
        if handshake.ruleset_of(hello, self.ruleset).name != self.ruleset.name:
            raise _TroubleError(f"it wants to play {hello.game}; the record is of another game")
        is_version1 = handshake.speaks_version1(hello, self.ruleset)
        if is_version1:
            handshake.tell_at_once(connection, handshake.welcome())
        connection.session.start()
        for turn, data in enumerate(told(self.record, self.ruleset, self.seat, hello)):
            connection.session.ask()
            if not await connection.send(data, math.inf):
                raise _TroubleError(f"it left before turn {turn}")
            while not connection.session.has_answer:
                if connection.session.ended:
                    raise _TroubleError(f"it closed its connection in turn {turn}")
                chunk = connection.channel.receive_some(connection.session.room_for)
                if chunk is None:
                    await connection.channel.wait_readable()
                else:
                    connection.session.receive(chunk.data)
            self._answers.append(connection.session.take_answer() or "")
            connection.session.take_log()
            if turn == self.turn:
                break
        await connection.close(self._end() if is_version1 else b"")

    def _end(self) -> bytes:
        """The match breaks off here, for the bot as by a fault of the arena."""
        seats = range(self.ruleset.seats)
        lines = [End(Termination.ABORTED.value), *[Rank(seat, 1) for seat in seats]]
        return b"".join(map(bytes, [*lines, *[Score(seat, 0) for seat in seats], Bye()]))


async def _end(process: trio.Process) -> int | None:
    """Its exit code; what doesn't go by itself is ended, whatever becomes of us."""
    with trio.CancelScope(shield=True):
        for stop in (None, process.terminate, process.kill):
            if stop is not None:
                stop()
            with trio.move_on_after(PATIENCE):
                await process.wait()
            if process.returncode is not None:
                return process.returncode if stop is None else None
    return None
