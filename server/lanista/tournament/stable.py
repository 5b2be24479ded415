"""The bots that a worker keeps from match to match: started, seated again, ended.

A bot stays (`keep=1`, PROTOCOL.md 2) where it can and where nothing went wrong; else it is ended
with its match. Every bot is started with a port of its own, so bots start side by side and none
can take another's seat. No match is played here.
"""

import math
import os
from collections.abc import Hashable

import attrs
import trio

from lanista.bots import Bot, Exit, Sandbox, environment, fill, peers, start_bot
from lanista.daemon import greeting, ids
from lanista.match.connection import Connection
from lanista.rules import registry
from lanista.rules.base import Ruleset
from lanista.tournament.setup import Conditions, Contestant
from lanista_protocol import Bye, ErrorCode, Hello, RemoteProtocolError

HOST = "127.0.0.1"
IDLE = 16
"""Bots that wait for their next match at most; the one that waited longest is ended for another."""
LAST_LOOK = 0.2
"""Seconds for which the hello of a bot that has ended already may still be on its way."""


class NotStartedError(Exception):
    """A bot didn't come; one line says why."""

    def __init__(self, words: str, output: str) -> None:
        super().__init__(words)
        self.output = output
        """The last it wrote to stderr and stdout."""


@attrs.define(eq=False)
class Kept:
    """A bot that has come."""

    contestant: Contestant
    key: Hashable
    bot: Bot
    connection: Connection
    hello_after: float
    """Seconds from its start to its hello."""
    began: float = attrs.field(factory=trio.current_time)
    waited: bool = False
    """Whether it came to its present match from an earlier one."""
    written: int = 0
    """Bytes of output that it had written when its present match began."""
    leave: trio.Event = attrs.field(factory=trio.Event)
    ended: trio.Event = attrs.field(factory=trio.Event)

    def output(self) -> str:
        """The last that it wrote in its present match."""
        return self.bot.output_tail(self.bot.output_bytes - self.written)

    @property
    def is_there(self) -> bool:
        """Whether it can play now: it has neither left nor sent what it may not send."""
        try:
            self.connection.look()
        except RemoteProtocolError:
            return False
        session = self.connection.session
        return not session.ended and not session.has_answer and self.bot.exit is None

    @property
    def is_worn(self) -> bool:
        """Whether it has used half of the processor time that its limits give its process.

        The limit is meant for a match, and counts from the start of the process: one that is kept
        must not run into it by what it used in earlier matches.
        """
        limit = self.contestant.limits.cpu
        if limit is None:
            return False
        # It can't have used more than all cores had; only then is it worth looking.
        most = (trio.current_time() - self.began) * (os.cpu_count() or 1)
        return most > limit / 2 and self.bot.cpu_used() > limit / 2

    async def end(self) -> Exit:
        """End it, bounded in time, and tell how it went."""
        self.leave.set()
        await self.ended.wait()
        assert self.bot.exit is not None
        return self.bot.exit


@attrs.define(eq=False)
class Stable:
    """The bots of a worker. They live in its nursery, which outlives every task."""

    nursery: trio.Nursery
    _idle: list[Kept] = attrs.field(factory=list, init=False)  # the one longest idle first
    _there: set[Kept] = attrs.field(factory=set, init=False)  # idle or playing

    async def take(self, conditions: Conditions, contestant: Contestant) -> Kept:
        """A bot for a match: one that is kept, or a new one.

        Raises:
            NotStartedError: It doesn't come.
        """
        key = _key(conditions, contestant)
        for kept in reversed(self._idle):
            if kept.key == key:
                self._idle.remove(kept)
                if kept.is_there:
                    kept.written, kept.waited = kept.bot.output_bytes, True
                    return kept
                await kept.end()
                break
        come: Kept | NotStartedError = await self.nursery.start(
            self._live, conditions, contestant, key
        )
        if isinstance(come, NotStartedError):
            raise come
        return come

    async def give_back(self, kept: Kept) -> None:
        """Keep a bot for its next match."""
        self._idle.append(kept)
        if len(self._idle) > IDLE:
            await self._idle.pop(0).end()

    async def close(self) -> None:
        """End all that wait."""
        async with trio.open_nursery() as nursery:
            while self._idle:
                nursery.start_soon(self._idle.pop().end)

    async def _live(
        self,
        conditions: Conditions,
        contestant: Contestant,
        key: Hashable,
        *,
        task_status: trio.TaskStatus[Kept | NotStartedError],
    ) -> None:
        """A bot's life: started, seated, ended when it is told to leave."""
        began = trio.current_time()
        listeners = await trio.open_tcp_listeners(0, host=HOST)
        port = listeners[0].socket.getsockname()[1]
        token = ids.seat_token()
        variables = contestant.environment
        told = environment(
            host=HOST,
            port=port,
            name=contestant.name,
            token=token,
            keep=not contestant.restart,
            base={**os.environ, **variables},
        )
        sandbox = None
        if contestant.sandboxed:
            sandbox = Sandbox(
                host=HOST, port=port, hidden=conditions.hidden, variables=frozenset(variables)
            )
        words = fill(contestant.words, host=HOST, port=port, name=contestant.name, token=token)
        kept = None
        try:
            async with start_bot(
                words, told, cwd=conditions.folder, limits=contestant.limits, sandbox=sandbox
            ) as bot:
                door = _Door(registry.get(conditions.game), token, bot, self)
                connection = await door.wait(listeners, conditions.time_start)
                if connection is None:
                    why = door.why_not(conditions.time_start)
                    task_status.started(NotStartedError(why, bot.output_tail()))
                    return
                hello_after = trio.current_time() - began
                kept = Kept(contestant, key, bot, connection, hello_after)
                await self._keep(kept, task_status)
        finally:
            for listener in listeners:  # given up before it was waited for
                listener.socket.close()
            if kept is not None:
                kept.ended.set()

    async def _keep(self, kept: Kept, task_status: trio.TaskStatus[Kept | NotStartedError]) -> None:
        """A bot has come: it is there until it is told to leave."""
        connection = kept.connection
        self._there.add(kept)
        try:
            task_status.started(kept)
            await kept.leave.wait()
            if not connection.closed:  # one that would have stayed for another match
                await connection.close(bytes(Bye()))
        finally:
            connection.channel.close()
            self._there.discard(kept)

    def is_anothers(self, bot: Bot, peer: tuple[str, int], ours: tuple[str, int]) -> bool:
        """Whether a connection that says no token comes from another bot than the one awaited."""
        if bot.keeper is not None and peers.connects(bot.keeper, peer, ours):
            return False
        return any(
            other.bot.keeper is not None and peers.connects(other.bot.keeper, peer, ours)
            for other in self._there
        )


def _key(conditions: Conditions, contestant: Contestant) -> Hashable:
    """What two bots must have in common for one to do for the other."""
    return (
        conditions.game,
        conditions.folder,
        contestant.name,
        contestant.words,
        contestant.identity,
        tuple(sorted(contestant.environment.items())),
    )


@attrs.define(eq=False)
class _Door:
    """Lets one bot in."""

    ruleset: Ruleset
    token: str
    bot: Bot
    stable: Stable
    come: Connection | None = None
    complaint: str = ""
    """Why a hello was refused."""

    async def wait(self, listeners: list[trio.SocketListener], seconds: float) -> Connection | None:
        """The connection of the bot; None if it doesn't come. The port is closed then."""
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:

                async def greet(stream: trio.SocketStream, _: greeting.Seated) -> None:
                    await self._greet(stream)
                    if self.come is not None:
                        nursery.cancel_scope.cancel()

                async def give_up_at_exit() -> None:
                    await self.bot.exited()
                    # Its hello may be on its way to us still: a last look at what has come.
                    await trio.sleep(LAST_LOOK)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(greeting.accept_few, greet, listeners)
                nursery.start_soon(give_up_at_exit)
        return self.come

    async def _greet(self, stream: trio.SocketStream) -> None:
        try:
            peer, ours = stream.socket.getpeername(), stream.socket.getsockname()
        except OSError:  # gone already
            return
        connection = greeting.accepted(stream)
        if connection is None:
            return
        try:
            hello = await connection.read_hello(math.inf)
            if hello is None:
                return
            self._check(hello, peer, ours)
            if greeting.speaks_version1(hello, self.ruleset):
                told = greeting.welcome() + greeting.wait_line(1, self.ruleset.seats)
                greeting.tell_at_once(connection, told)
            self.come = connection
        except RemoteProtocolError as error:
            self.complaint = f"its hello was refused: {error.words}"
            await connection.refuse(error)
        finally:
            if self.come is not connection:
                connection.channel.close()

    def _check(self, hello: Hello, peer: tuple[str, int], ours: tuple[str, int]) -> None:
        """See that it is the bot that was started, for this game.

        Raises:
            RemoteProtocolError: It isn't.
        """
        if greeting.ruleset_of(hello, self.ruleset).name != self.ruleset.name:
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME, f"this tournament plays {self.ruleset.name} alone"
            )
        if self.come is not None:
            raise RemoteProtocolError(ErrorCode.SEAT_TAKEN, "one connection is all")
        if hello.token is not None:
            if not greeting.same_secret(hello.token, self.token):
                raise RemoteProtocolError(
                    ErrorCode.BAD_TOKEN, "this port takes only the bot that was started for it"
                )
        elif self.stable.is_anothers(self.bot, peer, ours):
            raise RemoteProtocolError(
                ErrorCode.SEAT_TAKEN, "its program has a seat; one connection is all"
            )

    def why_not(self, seconds: float) -> str:
        """Why it didn't come, in words."""
        how = self.bot.exit
        if how is None:
            why = f"no hello within {seconds:g} s"
        else:
            why = str(how) if how.failure is not None else f"{how} before it said hello"
        return f"{why}; {self.complaint}" if self.complaint else why
