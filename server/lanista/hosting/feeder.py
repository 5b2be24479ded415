"""Replaying a recorded match to a bot, up to some turn and without a clock, for debugging.

The bot runs in the foreground, on our terminal: its output isn't captured and its time isn't
limited. It is sent what the seat was sent in the match, whatever it answers now.
"""

import math
import signal
from collections.abc import AsyncIterator, Sequence

import attrs
import trio

from lanista.bots.command import HOST, environment, fill
from lanista.games.base import Ruleset
from lanista.games.outcome import Termination
from lanista.hosting.handshake import Handshake, seat_token
from lanista.match.connection import Connection
from lanista.match.encoder import dialect_of
from lanista.match.record import Record
from lanista.match.replay import payloads
from lanista.system import heeded
from lanista_protocol import RemoteProtocolError, messages

PATIENCE = 2.0
"""Seconds that a bot may take to exit by itself once everything is over."""


@attrs.frozen(kw_only=True)
class FeedResult:
    """The result of feeding a bot."""

    answers: tuple[str | None, ...]
    """The bot's answers, by turn from 0 on; None for a turn in which the seat was absent."""
    trouble: str | None
    """Why the last turn wasn't reached; None if it was."""
    exit_code: int | None
    """Exit code of its process, or minus the signal that killed it; None if it had to be ended."""


@attrs.define(eq=False)
class Feeder:
    """Feeds one bot a recorded match. Call `run` only once."""

    record: Record
    ruleset: Ruleset
    seat: int
    turn: int
    """The last turn that the bot is asked to answer."""
    command: Sequence[str]
    """The bot's program and arguments, with placeholders (see `fill`)."""
    patient: bool = False
    """Whether to let the bot run on after it has answered the last turn, until it exits by itself,
    because a person is debugging it."""
    _token: str = attrs.field(factory=seat_token, init=False)
    _answers: list[str | None] = attrs.field(factory=list, init=False)
    _trouble: str | None = attrs.field(default=None, init=False)
    _gone: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when the bot has exited, or a signal has asked us to end."""
    _over: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when the last turn was answered, or can't be reached any more."""

    async def run(self) -> FeedResult:
        """Start the bot and feed it until the turn is answered, or it has ended.

        Raises OSError if the bot's program can't be started, and the errors of `replay.payloads`.
        """
        for _ in payloads(self.record, self.ruleset, self.seat):
            pass  # a faulty record raises here, before anything is started
        name = self.record.header.players[self.seat].name
        [listener] = await trio.open_tcp_listeners(0, host=HOST)
        port = listener.socket.getsockname()[1]
        argv = fill(self.command, port=port, name=name, token=self._token)
        env = environment(port=port, name=name, token=self._token)
        # Ctrl+C in a debugger is meant for the debugger: it must stop the bot, not us. We set a
        # handler that does nothing, because an ignored signal would be ignored by the bot too.
        before = signal.getsignal(signal.SIGINT)
        if signal.SIGINT in heeded():
            signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            # While the bot runs, no signal may end us before we have ended the bot.
            with trio.open_signal_receiver(*heeded((signal.SIGTERM, signal.SIGHUP))) as signals:
                process = await trio.lowlevel.open_process(argv, env=env)
                try:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(self._wait_for_signals, signals)
                        nursery.start_soon(self._serve, listener, process)
                        nursery.start_soon(self._wait_for_exit, process)
                        await self._over.wait()
                        if self.patient:
                            await self._gone.wait()
                        nursery.cancel_scope.cancel()
                finally:
                    code = await _end(process)
        finally:
            signal.signal(signal.SIGINT, before)
            await listener.aclose()
        return FeedResult(answers=tuple(self._answers), trouble=self._trouble, exit_code=code)

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

    async def _serve(self, listener: trio.SocketListener, process: trio.Process) -> None:
        handshake = Handshake(self.ruleset, self._token, is_one_try=True)
        connection = await handshake.wait(listener, process.wait, math.inf)
        if connection is not None:
            try:
                self._trouble = await self._feed(connection)
            except RemoteProtocolError as error:
                self._trouble = error.message
            finally:
                connection.channel.close()
        elif handshake.refusal is not None:
            self._trouble = handshake.refusal.message
        else:
            self._trouble = "it ended before it had said hello"
            if process.returncode == 0:
                self._trouble += "; if it reads standard input, put `stdio:` before its command"
        self._over.set()

    async def _feed(self, connection: Connection) -> str | None:
        """Feed the bot that has connected, and return why the last turn wasn't reached, if so."""
        hello = connection.greeting
        connection.session.start()
        for turn, data in enumerate(payloads(self.record, self.ruleset, self.seat, hello)):
            if not data:
                self._answers.append(None)
                continue
            connection.session.ask()
            if not await connection.send(data, math.inf):
                return f"it left before turn {turn}"
            connection.look()
            while not connection.session.has_answer:
                if connection.session.ended:
                    return f"it closed its connection in turn {turn}"
                await connection.channel.wait_readable()
                connection.look()
            self._answers.append(connection.session.take_answer() or "")
            connection.session.take_log()
            if turn == self.turn:
                break
        await connection.close(self._end() if dialect_of(hello, self.ruleset) is None else b"")
        return None

    def _end(self) -> bytes:
        seats = range(self.ruleset.seats)
        ranks = [messages.rank(seat, 1) for seat in seats]
        scores = [messages.score(seat, 0) for seat in seats]
        end = messages.end(Termination.ABORTED.value)
        return b"".join([end, *ranks, *scores, messages.bye()])


async def _end(process: trio.Process) -> int | None:
    """Wait for a process to exit and return its exit code; None if it had to be ended."""
    with trio.CancelScope(shield=True):
        for stop in (None, process.terminate, process.kill):
            if stop is not None:
                stop()
            with trio.move_on_after(PATIENCE):
                await process.wait()
            if process.returncode is not None:
                return process.returncode if stop is None else None
    return None
