"""One bot's connection: a channel, its protocol session and its hello.

A connection outlives a match when the bot keeps it.
"""

import contextlib

import attrs
import trio

from lanista.match.background import BackgroundWork
from lanista.match.channel import BrokenChannelError, Channel
from lanista_protocol import (
    LINE_LIMIT,
    ErrorCode,
    Hello,
    RemoteProtocolError,
    Session,
    SessionState,
    State,
    messages,
)

CLOSING_TIME = 1.0
"""Seconds that a bot has to take the last bytes and to close its side."""


@attrs.frozen(kw_only=True)
class ConnectionState:
    """What another process needs, besides the socket, to go on with a connection."""

    hello: Hello
    """The hello, without its token."""
    host: str
    session: SessionState


@attrs.define(eq=False)
class Connection:
    """The connection to one bot."""

    channel: Channel
    session: Session = attrs.field(factory=Session)
    hello: Hello | None = None
    hello_at: float = 0.0
    """When the complete hello was received, on trio's clock."""
    host: str = ""
    """The address to which the background work of this connection is attributed."""
    background: BackgroundWork = attrs.field(factory=BackgroundWork)
    """The slots in which the connection is served outside of matches."""
    drained: int = 0
    """Number of bytes that were received while the connection was being closed."""

    def give_away(self) -> ConnectionState:
        """Return what another process needs to go on; call `take_back` before using this again."""
        hello = attrs.evolve(self.greeting, token=None)
        return ConnectionState(hello=hello, host=self.host, session=self.session.give_away())

    @classmethod
    def take_up(
        cls, channel: Channel, given: ConnectionState, background: BackgroundWork
    ) -> "Connection":
        """Return a connection that goes on where another process gave it away."""
        return cls(
            channel,
            Session.take_up(given.session),
            hello=given.hello,
            host=given.host,
            background=background,
        )

    def take_back(self, given: SessionState) -> None:
        """Go on where the process to which this connection was given has left it."""
        self.session = Session.take_up(given)
        if self.closed:
            self.channel.close()

    @property
    def greeting(self) -> Hello:
        """The hello, after it was read."""
        assert self.hello is not None
        return self.hello

    @property
    def closed(self) -> bool:
        """Whether the arena closed the connection."""
        return self.session.state is State.CLOSED

    def work_since(self, moment: float) -> float:
        """Return the seconds of background work for the bot's address since a moment."""
        return self.background.done.spent(self.host, moment)

    async def read_hello(self) -> Hello | None:
        """Wait for the hello; return None if the bot disconnects before it sent one.

        Raises RemoteProtocolError if the hello can't be used.
        """
        while True:
            await self.channel.wait_readable()
            async with self.background.piece(self.host):
                chunk = self.channel.receive_some(self.session.room_for)
                if chunk is None:
                    continue
                self.session.receive(chunk.data)
                self.hello = self.session.take_hello()
                self.hello_at = chunk.read_at if chunk.stamp is None else chunk.stamp
            if self.hello is not None or self.session.ended:
                return self.hello

    def look(self) -> None:
        """Read what is there by a few reads, without waiting; stop at an answer sent ahead."""
        for _ in range(4):
            if self.session.ended or self.session.has_answer:
                return
            chunk = self.channel.receive_some(self.session.room_for)
            if chunk is None:
                return
            self.session.receive(chunk.data)

    async def watch(self) -> None:
        """Read between matches until the bot disconnects.

        Raises RemoteProtocolError if a line is too long or isn't UTF-8, or the bot sent more than
        is held (`flood`).
        """
        while not self.session.ended:
            await self.channel.wait_readable()
            async with self.background.piece(self.host):
                # Read even while an answer is held: otherwise a disconnect would go unnoticed.
                chunk = self.channel.receive_some(self.session.room_for)
                if chunk is not None:
                    self.session.receive(chunk.data)
                    if self.session.is_flooded:
                        raise RemoteProtocolError(
                            ErrorCode.FLOOD,
                            f"more than {LINE_LIMIT} bytes while it waited for a match",
                        )

    def send_some(self, data: bytes) -> memoryview:
        """Send what can be sent without waiting, and return the rest; all if the bot is gone."""
        unsent = memoryview(data)
        with contextlib.suppress(BrokenChannelError):
            unsent = unsent[self.channel.send_some(unsent) :]
        return unsent

    async def send(self, data: bytes | memoryview, seconds: float) -> bool:
        """Send all bytes; return False if the bot is gone or didn't take them in time."""
        unsent = memoryview(data)
        with trio.move_on_after(seconds):
            try:
                while unsent:
                    unsent = unsent[self.channel.send_some(unsent) :]
                    if unsent:
                        await self.channel.wait_writable()
            except BrokenChannelError:
                return False
        return not unsent

    async def close(self, last_bytes: bytes = b"") -> None:
        """Send the last bytes and close, within a bounded time whatever the bot does.

        Closing a socket with unread input resets the connection, and the bot could lose the last
        bytes. So what still comes is read and thrown away until the bot closes its side too.
        """
        try:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + CLOSING_TIME):
                if await self.send(last_bytes, CLOSING_TIME):
                    self.channel.shut_writing()
                    await self._drain()
        finally:
            self.channel.close()
            self.session.close()

    async def _drain(self) -> None:
        while not self.session.ended:
            await self.channel.wait_readable()
            async with self.background.piece(self.host):
                chunk = self.channel.receive_some(LINE_LIMIT)
                if chunk is None:
                    continue
                if not chunk.data:
                    return
                self.drained += len(chunk.data)

    async def refuse(self, error: RemoteProtocolError) -> None:
        """Send an `error` line for a fault of the bot, and close (PROTOCOL.md 7)."""
        await self.close(messages.error(error.code, error.message))
