"""Bots that are started for matches, and reused for further matches where they can be.

Starting a bot may take longer than playing a match. So a bot that has sent `keep=1` in its hello
(PROTOCOL.md 2) can stay connected when its match is over: whoever hosted the match gives it back to
the pool, and the next match of an equal contestant (`_key`) takes it from there. While it waits,
nobody reads from its connection, so it is checked when it is taken.

Each bot is started with a listening port of its own, which only it is told. So bots can be started
at the same time, and none can take another's seat. The bot, its connection and its port live in a
task of the pool's nursery (`BotPool._live`), because they outlive the match that started them.
"""

import os
import shutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from lanista.bots.command import HOST, HOUSE_BOT, environment, fill
from lanista.bots.limits import BotLimits
from lanista.bots.process import GRACE, Bot, Exit, start_bot
from lanista.errors import LanistaError
from lanista.games.base import Ruleset
from lanista.hosting.handshake import Handshake, announce, seat_token
from lanista.match.channel import Channel
from lanista.match.connection import Connection
from lanista.match.record import BotInfo
from lanista_protocol import RemoteProtocolError, messages

NOTICE_TIME = 2.0
"""Seconds for which it is awaited that a broken limit is noticed: keepers look at their bots four
times a second, but not as often on a busy machine."""
IDLE = 16
"""Maximum number of bots that wait for their next match; beyond it, the longest idle is ended."""


@attrs.frozen(kw_only=True)
class Contestant:
    """A bot that can be started: its program, its environment, and its limits."""

    name: str
    """The name that it is told to send in its hello."""
    command: tuple[str, ...]
    """The program and its arguments, with placeholders (see `fill`)."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    """Environment variables that it gets in addition to this process's own."""
    folder: str | None = None
    """The directory that it runs in; None for this process's own."""
    needs: tuple[str, ...] = ()
    """Words of its command that name programs, files or folders (`is_there`): it can't run on a
    machine that lacks one of them."""
    limits: BotLimits = attrs.field(factory=BotLimits)
    sandboxed: bool = False
    """Whether it runs in a sandbox; call `check_sandbox` first."""
    hidden: tuple[str | os.PathLike[str], ...] = ()
    """Files and folders that it must not see in its sandbox."""
    restart: bool = True
    """Whether a new process is started for every match."""
    identity: str = ""
    """Everything that decides how it plays in a tournament: canonical JSON of its command, restart,
    limits, sandbox and (hashed) environment."""
    is_filler: bool = False
    """Whether it only fills a seat and has no place in the standings."""

    @property
    def is_house_bot(self) -> bool:
        """Whether its program is one of Lanista's own bots."""
        return any(HOUSE_BOT.match(word) for word in self.command)


def is_there(word: str, folder: str) -> bool:
    """Return whether a word of a bot's command names something: in its folder, or a program."""
    if os.path.exists(os.path.join(folder, word)):  # noqa: PTH110, PTH118 - a word may be anything
        return True
    return os.sep not in word and shutil.which(word) is not None


def apart(contestants: Sequence[Contestant]) -> list[Contestant]:
    """Return contestants of which none sees the others' folders in its sandbox.

    Bots whose programs lie in the same folder see that folder.
    """
    if not any(contestant.sandboxed for contestant in contestants):
        return list(contestants)
    from lanista.bots.reach import told  # noqa: PLC0415 - only for sandboxes
    from lanista.bots.sandbox import own_folders  # noqa: PLC0415 - as above

    environments = [{**os.environ, **contestant.environment} for contestant in contestants]
    owned = [
        own_folders(contestant.command, contestant.folder or "", env)
        if contestant.sandboxed
        else set()
        for contestant, env in zip(contestants, environments, strict=True)
    ]
    inside: dict[str, set[int]] = {}  # by folder: the contestants that are shown it
    for number, (folders, env) in enumerate(zip(owned, environments, strict=True)):
        for folder in {*folders, *map(os.path.realpath, told(env))}:
            inside.setdefault(folder, set()).add(number)
    hidden: list[set[str]] = [set() for _ in contestants]
    for number, folders in enumerate(owned):
        for folder in folders:
            for above in Path(folder).parents:
                for other in inside.get(str(above), set()) - {number}:
                    if not any(Path(own).is_relative_to(folder) for own in owned[other]):
                        hidden[other].add(folder)
    return [
        attrs.evolve(contestant, hidden=(*contestant.hidden, *sorted(others)))
        for contestant, others in zip(contestants, hidden, strict=True)
    ]


class NotStartedError(LanistaError):
    """A bot didn't connect and say hello; the message is one line. The bot has been ended."""

    def __init__(self, why: str, hint: str, bot: Bot) -> None:
        super().__init__(f"{why}; {hint}" if hint else why)
        self.why, self.hint, self.bot = why, hint, bot

    @property
    def output(self) -> str:
        """The last part of what it wrote to stderr and stdout."""
        return self.bot.output_tail()

    def with_last_words(self) -> str:
        """Return the message and the reason in the bot's output, for whoever isn't shown that."""
        why = self.bot.with_last_words(self.why)
        return f"{why}; {self.hint}" if self.hint else why


@attrs.define(eq=False)
class PooledBot:
    """A bot that was started, has connected, and has said hello."""

    contestant: Contestant
    key: Hashable
    """Equal for bots that can stand in for each other."""
    bot: Bot
    connection: Connection
    hello_after: float
    """Seconds from its start to its hello."""
    began: float = attrs.field(factory=trio.current_time)
    """When it was admitted, in seconds of trio's clock."""
    waited: bool = False
    """Whether it was kept from an earlier match."""
    written: int = 0
    """Bytes of output that it had written when its present match began."""
    leave: trio.Event = attrs.field(factory=trio.Event)
    """Set to have its task end it."""
    ended: trio.Event = attrs.field(factory=trio.Event)
    """Set by its task when it has ended."""

    def info(self, exit_: str) -> BotInfo:
        """Return what a record says of its process, given how it ended."""
        written = self.bot.output_bytes - self.written  # in its present match
        output, turns = self.bot.output_tail(written), self.bot.output_turns(written)
        return BotInfo(exit=exit_, output=output, output_turns=tuple(turns))

    @property
    def is_there(self) -> bool:
        """Whether it can play now: it hasn't left or sent anything that it shouldn't."""
        try:
            self.connection.look()
        except RemoteProtocolError:
            return False
        session = self.connection.session
        return not session.ended and not session.has_answer and self.bot.exit is None

    @property
    def may_play_again(self) -> bool:
        """Whether it can play another match without being started afresh."""
        return not (
            self.contestant.restart
            or self.connection.closed
            or self.bot.exit is not None
            or self._is_worn
        )

    @property
    def _is_worn(self) -> bool:
        """Whether it has used at least half of its limit of processor time.

        The limit is meant for one match but counts from the start of the process. A bot that is
        kept must not break it because of what it used in earlier matches.
        """
        limit = self.contestant.limits.cpu
        if limit is None:
            return False
        # Measuring is slow, so do it only if all cores together could have used that much, also
        # those that aren't usable now: a bot may ask the kernel for them.
        possible = (trio.current_time() - self.began) * (os.cpu_count() or 1)
        return possible > limit / 2 and self.bot.cpu_used() > limit / 2

    async def end(self) -> Exit:
        """End it, in limited time, and return how its process ended."""
        self.leave.set()
        await self.ended.wait()
        assert self.bot.exit is not None
        return self.bot.exit


@attrs.define(eq=False)
class BotPool:
    """Starts bots for matches, and keeps them between matches."""

    nursery: trio.Nursery
    """The nursery in which the bots' tasks run; it must outlive every match."""
    grace: float = GRACE
    """Seconds that a bot has to exit by itself when it is ended."""
    _idle: list[PooledBot] = attrs.field(factory=list, init=False)  # the longest idle first

    async def take(
        self,
        contestant: Contestant,
        ruleset: Ruleset,
        time_start: float,
        *,
        tap: Callable[[Channel], Channel] | None = None,
        is_one_try: bool = False,
    ) -> PooledBot:
        """Return a bot for a match: one that waits in the pool, or else a new one.

        A new one must say hello within `time_start` seconds; the options are those of `Handshake`.
        Raises NotStartedError if it can't be started, or didn't say hello in time.
        """
        key = _key(contestant, ruleset)
        if (kept := self._kept(key)) is not None:
            return kept
        handshake = Handshake(ruleset, seat_token(), tap, is_one_try)
        # An exception raised in the task would cancel the whole nursery, so it is returned.
        started: PooledBot | NotStartedError = await self.nursery.start(
            self._live, contestant, handshake, time_start, key
        )
        if isinstance(started, NotStartedError):
            raise started
        return started

    async def take_all(
        self,
        contestants: Sequence[Contestant],
        ruleset: Ruleset,
        time_start: float,
        *,
        all_or_none: bool = False,
    ) -> dict[int, PooledBot | NotStartedError]:
        """Return the bots of a match, by seat, or why one didn't start; start new ones together.

        Each new bot must say hello within `time_start` seconds. With `all_or_none`, the others are
        no longer waited for once one has failed to start, and are missing in the result.
        """
        results: dict[int, PooledBot | NotStartedError] = {}

        async def take(seat: int, starting: trio.Nursery) -> None:
            try:
                bot = results[seat] = await self.take(contestants[seat], ruleset, time_start)
            except NotStartedError as error:
                results[seat] = error
                if all_or_none:
                    starting.cancel_scope.cancel()
                return
            if not bot.waited:
                so_far = [results[seat] for seat in sorted(results)]
                announce([bot.connection for bot in so_far if isinstance(bot, PooledBot)], ruleset)

        # Most often all bots have been kept, and need no tasks to start them.
        for seat, contestant in enumerate(contestants):
            if (kept := self._kept(_key(contestant, ruleset))) is not None:
                results[seat] = kept
        missing = set(range(len(contestants))) - results.keys()
        while missing:
            async with trio.open_nursery() as starting:
                for seat in sorted(missing):
                    starting.start_soon(take, seat, starting)
            if len(results) < len(contestants):
                break  # one has failed, and the others weren't waited for
            # A kept bot may have left while another was being started.
            missing = set()
            for seat, bot in results.items():
                if isinstance(bot, PooledBot) and bot.waited and not bot.is_there:
                    missing.add(seat)
                    await bot.end()
        return results

    def _kept(self, key: Hashable) -> PooledBot | None:
        """Take the bot with this key that came to the pool last, and end those that can't play."""
        for pooled in [one for one in reversed(self._idle) if one.key == key]:
            self._idle.remove(pooled)
            if pooled.is_there:
                pooled.written, pooled.waited = pooled.bot.output_bytes, True
                return pooled
            pooled.leave.set()
        return None

    async def give_back(self, pooled: PooledBot) -> None:
        """Keep a bot for its next match; if too many wait then, end the longest idle."""
        pooled.bot.place_output(None)
        self._idle.append(pooled)
        if len(self._idle) > IDLE:
            await self._idle.pop(0).end()

    async def close(self) -> None:
        """End all bots that wait in the pool."""
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
        """Start a bot, let it say hello, and end it when its `leave` is set."""
        began = trio.current_time()
        [listener] = await trio.open_tcp_listeners(0, host=HOST)
        port = listener.socket.getsockname()[1]
        name, token = contestant.name, handshake.token
        variables = contestant.environment
        env = environment(
            port=port,
            name=name,
            token=token,
            keep=not contestant.restart,
            base={**os.environ, **variables},
        )
        sandbox = None
        if contestant.sandboxed:
            from lanista.bots.sandbox import Sandbox  # noqa: PLC0415 - as in `apart`

            sandbox = Sandbox(port=port, hidden=contestant.hidden, variables=frozenset(variables))
        pooled = None
        try:
            async with start_bot(
                fill(contestant.command, port=port, name=name, token=token),
                env,
                cwd=contestant.folder,
                grace=self.grace,
                limits=contestant.limits,
                sandbox=sandbox,
            ) as bot:
                connection = await handshake.wait(listener, bot.exited, time_start)
                why, hint = handshake.why_not(bot, contestant.command, time_start)
                if connection is not None:
                    hello_after = trio.current_time() - began
                    pooled = PooledBot(contestant, key, bot, connection, hello_after)
                    try:
                        task_status.started(pooled)
                        await pooled.leave.wait()
                        if not connection.closed:  # it would have stayed for another match
                            await connection.close(messages.bye())
                    finally:
                        connection.channel.close()
            if pooled is None:
                task_status.started(NotStartedError(why, hint, bot))
        finally:
            listener.socket.close()  # still open if we were cancelled before the handshake
            if pooled is not None:
                pooled.ended.set()


async def limit_breakers(bots: Sequence[PooledBot], since: float) -> dict[int, str]:
    """Return how bots ended that have broken a limit, by their place in the sequence.

    Bots of which nothing was left by `since`, on trio's clock, are left out. If no bot has, this
    waits for up to NOTICE_TIME, because it may not have been noticed yet.
    """
    limited = [bot.bot for bot in bots if bot.bot.limits.any]
    with trio.move_on_after(NOTICE_TIME):
        while limited and not any(bot.broken_limit for bot in limited):  # noqa: ASYNC110 -- rare
            await trio.sleep(0.01)
    return {
        place: f"its process was ended: it {bot.bot.broken_limit}"
        for place, bot in enumerate(bots)
        if bot.bot.broken_limit is not None and bot.bot.gone_at > since
    }


def _key(contestant: Contestant, ruleset: Ruleset) -> Hashable:
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
