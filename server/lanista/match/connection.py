"""One bot's connection: a channel, its protocol session, and what its hello said.

Lives longer than a match when the bot keeps its connection. Knows lines, not games.
"""

import attrs
import trio

from lanista.match.background import BackgroundWork
from lanista.match.channel import BrokenChannelError, Channel
from lanista_protocol import (
    LINE_LIMIT,
    Error,
    ErrorCode,
    Hello,
    RemoteProtocolError,
    Session,
    State,
)

CLOSING_TIME = 1.0
"""Seconds that a bot has to take the last bytes and to close its end."""


@attrs.define(eq=False)
class Connection:
    """A bot at the other end."""

    channel: Channel
    session: Session = attrs.field(factory=Session)
    hello: Hello | None = None
    hello_at: float = 0.0
    """When its hello had come, on trio's clock."""
    host: str = ""
    """The address that its work is counted for."""
    background: BackgroundWork = attrs.field(factory=BackgroundWork)
    """Where what it sends outside of matches waits its turn to be looked at."""
    drained: int = 0
    """Bytes that still came while it was closed."""

    @property
    def closed(self) -> bool:
        """Whether it was closed from our side."""
        return self.session.state is State.CLOSED

    def work_since(self, moment: float) -> float:
        """Seconds of work outside of matches for the bot's address since a moment."""
        return self.background.done.spent(self.host, moment)

    async def read_hello(self, seconds: float) -> Hello | None:
        """Wait for the bot to say its name; None if it left without a word.

        Raises:
            RemoteProtocolError: The hello can't be used, or didn't come in time.
        """
        with trio.move_on_after(seconds):
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
        raise RemoteProtocolError(
            ErrorCode.HELLO_TIMEOUT,
            f"no complete hello within {seconds:g} s; the first line is the name",
        )

    def look(self) -> None:
        """Read what is there without waiting, up to an answer sent ahead; a few reads at most."""
        for _ in range(4):
            if self.session.ended or self.session.has_answer:
                return
            chunk = self.channel.receive_some(self.session.room_for)
            if chunk is None:
                return
            self.session.receive(chunk.data)

    async def watch(self) -> None:
        """Read ahead between matches; returns when the bot has left.

        Raises:
            RemoteProtocolError: A line too long, or not UTF-8; or `flood`: more than is held.
        """
        while not self.session.ended:
            await self.channel.wait_readable()
            async with self.background.piece(self.host):
                # Also when all is held that may be: else nobody would see that the bot has left.
                chunk = self.channel.receive_some(self.session.room_for)
                if chunk is not None:
                    self.session.receive(chunk.data)
                    if self.session.is_flooded:
                        raise RemoteProtocolError(
                            ErrorCode.FLOOD,
                            f"more than {LINE_LIMIT} bytes while it waited for a match",
                        )

    async def send(self, data: bytes | memoryview, seconds: float) -> bool:
        """Hand over all bytes; False if the bot is gone or didn't take them in time."""
        rest = memoryview(data)
        with trio.move_on_after(seconds):
            try:
                while rest:
                    rest = rest[self.channel.send_some(rest) :]
                    if rest:
                        await self.channel.wait_writable()
            except BrokenChannelError:
                return False
        return not rest

    async def close(self, last_words: bytes = b"") -> None:
        """Send the last bytes and close, bounded in time whatever the bot does.

        Closing a socket with unread input resets the connection, and the bot could lose what it
        was sent last: so what still comes is read and thrown away until the bot closes too.
        """
        try:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + CLOSING_TIME):
                if await self.send(last_words, CLOSING_TIME):
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
        """Close with the `error` line for what the bot did (PROTOCOL.md 7)."""
        await self.close(bytes(Error(error.code, error.message)))
