"""The bots that are started for matches: each with a port of its own, kept from match to match.

Bots start side by side, and none can take another's seat. A bot stays for its next match where it
asks to (`keep=1`, PROTOCOL.md 2) and whoever hosts the match gives it back; else it is ended.
"""

import os
from collections.abc import Callable, Hashable, Mapping, Sequence

import attrs
import trio

from lanista.bots import Bot, BotLimits, Exit, Sandbox, environment, fill, start_bot
from lanista.bots.process import GRACE
from lanista.hosting import ids
from lanista.hosting.handshake import Handshake, announce
from lanista.match.channel import Channel
from lanista.match.connection import Connection
from lanista.rules.base import Ruleset
from lanista_protocol import Bye, RemoteProtocolError

HOST = "127.0.0.1"
IDLE = 16
"""Bots that wait for their next match at most; the one that waited longest is ended for another."""


@attrs.frozen(kw_only=True)
class Contestant:
    """A bot that can be started: its program, what that is given, and how much it may use."""

    name: str
    """The name that it is told to say."""
    command: tuple[str, ...]
    """The arguments of its command line, the program first, with placeholders (`fill`)."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    """Variables that it gets besides this process's own."""
    folder: str | None = None
    """The directory that it runs in; None: this process's own."""
    limits: BotLimits = attrs.field(factory=BotLimits)
    """What it may use of this machine."""
    sandboxed: bool = False
    """Whether it runs shut off from this machine; `check_sandbox` first."""
    hidden: tuple[str | os.PathLike[str], ...] = ()
    """Files and folders that it may not see in its sandbox."""
    restart: bool = True
    """Whether it is started afresh for every match."""
    identity: str = ""
    """All that decides how it plays, in a tournament: canonical JSON of its command, restart,
    limits, sandbox and (hashed) environment."""
    is_filler: bool = False
    """Whether it only fills a seat, and has no place in the standings."""


class NotStartedError(Exception):
    """A bot didn't come; one line says why. It has been ended."""

    def __init__(self, why: str, bot: Bot) -> None:
        super().__init__(why)
        self.bot = bot

    @property
    def output(self) -> str:
        """The last that it wrote to stderr and stdout."""
        return self.bot.output_tail()


@attrs.define(eq=False)
class PooledBot:
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
        """Return the last that it wrote in its present match."""
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
        """End it, bounded in time, and return how it went."""
        self.leave.set()
        await self.ended.wait()
        assert self.bot.exit is not None
        return self.bot.exit


@attrs.define(eq=False)
class BotPool:
    """Starts bots, keeps them, ends them. They live in its nursery, which outlives every match."""

    nursery: trio.Nursery
    grace: float = GRACE
    """Seconds that a bot has to exit by itself when it is ended."""
    _idle: list[PooledBot] = attrs.field(factory=list, init=False)  # the one longest idle first

    async def take(
        self,
        contestant: Contestant,
        ruleset: Ruleset,
        time_start: float,
        *,
        tap: Callable[[Channel], Channel] | None = None,
        is_one_try: bool = False,
    ) -> PooledBot:
        """Return a bot for a match: one that is kept, or a new one.

        Args:
            contestant: Which bot.
            ruleset: The game that it is to play.
            time_start: Seconds from its start to its hello.
            tap: As `Handshake.tap`.
            is_one_try: As `Handshake.is_one_try`.

        Raises:
            NotStartedError: It doesn't come.
        """
        key = _key(contestant, ruleset)
        for kept in reversed(self._idle):
            if kept.key == key:
                self._idle.remove(kept)
                if kept.is_there:
                    kept.written, kept.waited = kept.bot.output_bytes, True
                    return kept
                await kept.end()
                break
        handshake = Handshake(ruleset, ids.seat_token(), tap, is_one_try)
        come: PooledBot | NotStartedError = await self.nursery.start(
            self._live, contestant, handshake, time_start, key
        )
        if isinstance(come, NotStartedError):
            raise come
        return come

    async def take_all(
        self,
        contestants: Sequence[Contestant],
        ruleset: Ruleset,
        time_start: float,
        *,
        all_or_none: bool = False,
    ) -> dict[int, PooledBot | NotStartedError]:
        """Return the bots of a match, by seat; those that aren't kept start side by side.

        Args:
            contestants: By seat: which bot.
            ruleset: The game that they are to play.
            time_start: Seconds from the start of each to its hello.
            all_or_none: Whether nobody is waited for any more once one doesn't come.

        Returns:
            By seat: the bot, or why it didn't come; nothing for a bot that wasn't waited for.
        """
        come: dict[int, PooledBot | NotStartedError] = {}

        async def take(seat: int, starting: trio.Nursery) -> None:
            try:
                bot = come[seat] = await self.take(contestants[seat], ruleset, time_start)
            except NotStartedError as error:
                come[seat] = error
                if all_or_none:
                    starting.cancel_scope.cancel()
                return
            if not bot.waited:
                there = [come[at] for at in sorted(come)]
                announce([bot.connection for bot in there if isinstance(bot, PooledBot)], ruleset)

        wanted = set(range(len(contestants)))
        while wanted:
            async with trio.open_nursery() as starting:
                for seat in sorted(wanted):
                    starting.start_soon(take, seat, starting)
            if len(come) < len(contestants):
                break  # one didn't come, and the others weren't waited for
            # While one started, another that waits for it may have gone.
            wanted = set()
            for seat, bot in come.items():
                if isinstance(bot, PooledBot) and bot.waited and not bot.is_there:
                    wanted.add(seat)
                    await bot.end()
        return come

    async def give_back(self, kept: PooledBot) -> None:
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
        contestant: Contestant,
        handshake: Handshake,
        time_start: float,
        key: Hashable,
        *,
        task_status: trio.TaskStatus[PooledBot | NotStartedError],
    ) -> None:
        """Start a bot, let it in, and end it when it is told to leave."""
        began = trio.current_time()
        listeners = await trio.open_tcp_listeners(0, host=HOST)
        port = listeners[0].socket.getsockname()[1]
        name, token = contestant.name, handshake.token
        variables = contestant.environment
        given = environment(
            host=HOST,
            port=port,
            name=name,
            token=token,
            keep=not contestant.restart,
            base={**os.environ, **variables},
        )
        sandbox = None
        if contestant.sandboxed:
            sandbox = Sandbox(
                host=HOST, port=port, hidden=contestant.hidden, variables=frozenset(variables)
            )
        kept = None
        try:
            async with start_bot(
                fill(contestant.command, host=HOST, port=port, name=name, token=token),
                given,
                cwd=contestant.folder,
                grace=self.grace,
                limits=contestant.limits,
                sandbox=sandbox,
            ) as bot:
                connection = await handshake.wait(listeners, bot, time_start)
                why = handshake.why_not(bot, time_start)
                if connection is not None:
                    hello_after = trio.current_time() - began
                    kept = PooledBot(contestant, key, bot, connection, hello_after)
                    await _stay(kept, task_status)
            if kept is None:
                task_status.started(NotStartedError(why, bot))
        finally:
            for listener in listeners:  # given up before it was waited for
                listener.socket.close()
            if kept is not None:
                kept.ended.set()


async def _stay(kept: PooledBot, task_status: trio.TaskStatus[PooledBot | NotStartedError]) -> None:
    """Have a bot that has come be there until it is told to leave."""
    connection = kept.connection
    try:
        task_status.started(kept)
        await kept.leave.wait()
        if not connection.closed:  # one that would have stayed for another match
            await connection.close(bytes(Bye()))
    finally:
        connection.channel.close()


def _key(contestant: Contestant, ruleset: Ruleset) -> Hashable:
    """Return what two bots must have in common for one to do for the other."""
    return (
        ruleset.name,
        contestant.folder,
        contestant.name,
        contestant.command,
        contestant.restart,
        contestant.limits,
        contestant.sandboxed,
        tuple(sorted(contestant.environment.items())),
    )
