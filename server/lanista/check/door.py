"""Lets the bots of a bout in: hello, token, seat, welcome. The match is `bout`'s.

Takes only bots that the check has started: by their tokens, or, without one, the tested bot. A
connection is tapped before its first byte is read.
"""

from collections.abc import Callable, Sequence

import attrs
import trio

from lanista.bots import Bot
from lanista.check.channels import Tap
from lanista.daemon import greeting
from lanista.match.channel import Channel
from lanista.match.connection import Connection
from lanista.rules.base import Ruleset
from lanista_protocol import ErrorCode, Hello, RemoteProtocolError


@attrs.define(eq=False)
class Door:
    """Lets the bots of a bout in, each to its seat."""

    ruleset: Ruleset
    seat: int
    """The tested bot's."""
    tapped: Callable[[Channel], Tap]
    tokens: Sequence[str]
    """By seat."""
    taken: dict[int, Connection] = attrs.field(factory=dict)
    """Who has come, by seat."""
    hello: Hello | None = None
    """The tested bot's."""
    tap: Tap | None = None
    """The tested bot's."""
    complaint: str = ""
    """Why a hello was refused."""
    _changed: trio.Event = attrs.field(factory=trio.Event)

    async def settled(self, seat: int) -> None:
        """Wait until a bot has the seat, or a hello was refused."""
        while seat not in self.taken and not self.complaint:
            await self._changed.wait()

    async def greet(self, stream: trio.SocketStream, seated: greeting.Seated) -> None:
        """One connection: to its seat, or refused."""
        connection = greeting.accepted(stream)
        if connection is None:
            return
        tap = self.tapped(connection.channel)
        connection.channel = tap
        try:
            hello = await connection.read_hello(float("inf"))
            if hello is None:
                return
            seat = self._seat_for(hello)
            if seat == self.seat:
                self.hello, self.tap = hello, tap
            if greeting.speaks_version1(hello, self.ruleset):
                greeting.tell_at_once(connection, greeting.welcome())
            self.taken[seat] = connection
            seated()
            self.announce()
            self._change()
            await trio.sleep_forever()  # the match has it now; the end of all closes it
        except RemoteProtocolError as error:
            if self.seat not in self.taken:
                self.complaint = f"its hello was refused: {error.code.value}: {error.words}"
                self._change()
            await connection.refuse(error)
        finally:
            connection.channel.close()

    def _seat_for(self, hello: Hello) -> int:
        """The seat of a bot that said hello; without a token it is the tested one.

        Raises:
            RemoteProtocolError: It isn't one of ours, or its seat is taken.
        """
        if greeting.ruleset_of(hello, self.ruleset).name != self.ruleset.name:
            raise RemoteProtocolError(
                ErrorCode.UNKNOWN_GAME, f"it asks for {hello.game}; this is {self.ruleset.name}"
            )
        seat = self.seat
        if hello.token is not None:
            same = [greeting.same_secret(hello.token, token) for token in self.tokens]
            if True not in same:
                raise RemoteProtocolError(
                    ErrorCode.BAD_TOKEN, "the token isn't that of LANISTA_TOKEN, or {token}"
                )
            seat = same.index(True)
        if seat in self.taken:
            raise RemoteProtocolError(ErrorCode.SEAT_TAKEN, f"seat {seat} has its bot already")
        return seat

    def announce(self) -> None:
        """Tell the bots that have come how many they are (PROTOCOL.md 3, `wait`)."""
        line = greeting.wait_line(len(self.taken), len(self.tokens))
        for connection in self.taken.values():
            hello = connection.hello
            assert hello is not None
            if greeting.speaks_version1(hello, self.ruleset):
                greeting.tell_at_once(connection, line)

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


async def wait_for(door: Door, seat: int, bot: Bot, seconds: float) -> str:
    """Wait until a bot has come to its seat; else why it didn't, in words."""
    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:

            async def give_up_at_exit() -> None:
                await bot.exited()
                # Its hello may be on its way to us still: a last look at what has come.
                with trio.move_on_after(0.2):
                    await door.settled(seat)
                nursery.cancel_scope.cancel()

            nursery.start_soon(give_up_at_exit)
            await door.settled(seat)
            nursery.cancel_scope.cancel()
    if seat in door.taken:
        return ""
    if door.complaint:
        return door.complaint
    if bot.exit is None:
        return f"no hello within {seconds:g} s"
    return str(bot.exit) + ("" if bot.exit.failure else " before it said hello")
