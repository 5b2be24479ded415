"""A bot's connection in memory: `lanista.match.channel.Channel` for the arena, lines for the bot.

For tests under trio's autojump clock. Both directions are bounded as a socket's buffers are, so
that a bot that doesn't read blocks the arena's sending, and one read returns all that is there
with the time of receipt of its last byte, as Linux tells it. Never imported by anything that
plays.
"""

from collections import deque

import attrs
import trio

from lanista.match.channel import BrokenChannelError, Chunk, RoundTrip
from lanista.match.connection import Connection

ROOM = 1 << 20
"""Bytes that wait for the arena, or for a bot which doesn't read unless a test says otherwise."""


class Unread(AssertionError):  # noqa: N818 - tells what is the case
    """A test's bot waited for a line that never came."""


@attrs.define(eq=False)
class _Pipe:
    """One direction: segments with their times of receipt."""

    room: int
    segments: deque[tuple[bytes, float | None]] = attrs.field(factory=deque)
    held: int = 0
    ended: bool = False
    """No more will come."""
    broken: bool = False
    """The reader has gone."""
    changed: trio.Event = attrs.field(factory=trio.Event)

    def change(self) -> None:
        self.changed.set()
        self.changed = trio.Event()

    def put(self, data: bytes, stamp: float | None) -> int:
        """Take what there is room for; how many bytes."""
        if self.broken or self.ended:
            raise BrokenChannelError("the other end is gone")
        taken = bytes(data[: self.room - self.held])
        if taken:
            self.segments.append((taken, stamp))
            self.held += len(taken)
            self.change()
        return len(taken)

    def get(self, limit: int) -> tuple[bytes, float | None]:
        """What is there, at most so many bytes, and the stamp of the last segment in it."""
        parts: list[bytes] = []
        stamp = None
        room = limit
        while self.segments and room:
            data, stamp = self.segments.popleft()
            if len(data) > room:
                self.segments.appendleft((data[room:], stamp))
                data = data[:room]
            parts.append(data)
            room -= len(data)
        self.held -= limit - room
        self.change()
        return b"".join(parts), stamp


@attrs.define(eq=False, slots=False)
class MemoryChannel:
    """The arena's end. Without slots, so that a test can put something before a method."""

    _to_bot: _Pipe
    _from_bot: _Pipe
    _closed: bool = False
    _wakes: int = 0
    sends: list[tuple[float, int]] = attrs.field(factory=list)
    """When how many bytes were handed over."""
    way: RoundTrip | None = None
    """What `round_trip` returns."""

    def send_some(self, data: bytes | memoryview) -> int:
        """See `Channel`."""
        if self._closed:
            raise BrokenChannelError("closed")
        sent = self._to_bot.put(bytes(data), None)
        self.sends.append((trio.current_time(), sent))
        return sent

    async def wait_writable(self) -> None:
        """See `Channel`."""
        pipe, wakes = self._to_bot, self._wakes
        while not self._closed and not pipe.broken and pipe.held >= pipe.room:
            if self._wakes > wakes:
                break
            await pipe.changed.wait()
        await trio.lowlevel.checkpoint()

    def receive_some(self, limit: int) -> Chunk | None:
        """See `Channel`."""
        now = trio.current_time()
        if self._closed:
            return Chunk(b"", None, now)
        if not self._from_bot.held and not self._from_bot.ended:
            return None
        data, stamp = self._from_bot.get(limit)
        return Chunk(data, stamp, now)

    def has_input(self) -> bool:
        """See `Channel`."""
        return self._from_bot.held > 0

    async def wait_readable(self) -> None:
        """See `Channel`."""
        pipe, wakes = self._from_bot, self._wakes
        while not self._closed and not pipe.held and not pipe.ended:
            if self._wakes > wakes:
                break
            await pipe.changed.wait()
        await trio.lowlevel.checkpoint()

    def round_trip(self) -> RoundTrip | None:
        """See `Channel`."""
        return self.way

    def shut_writing(self) -> None:
        """See `Channel`."""
        self._to_bot.ended = True
        self._to_bot.change()

    def wake(self) -> None:
        """See `Channel`."""
        self._wakes += 1
        self._to_bot.change()
        self._from_bot.change()

    def close(self) -> None:
        """See `Channel`."""
        self._closed = True
        self._to_bot.ended = True
        self._from_bot.broken = True
        self._to_bot.change()
        self._from_bot.change()


@attrs.define(eq=False)
class BotEnd:
    """The bot's end: whole lines, and everything that was heard."""

    _to_arena: _Pipe
    _from_arena: _Pipe
    heard: bytes = b""
    """All bytes that were read so far."""
    _used: int = 0  # of `heard`, what `read_line` gave

    async def _read(self) -> bool:
        pipe = self._from_arena
        while not pipe.held and not pipe.ended:
            await pipe.changed.wait()
        data, _ = pipe.get(pipe.room)
        self.heard += data
        return bool(data)

    async def read_line(self) -> str:
        """The next line without its newline.

        Raises:
            Unread: The arena closed before; says what was heard last.
        """
        while (end := self.heard.find(b"\n", self._used)) < 0:
            if not await self._read():
                raise Unread(f"no more lines; the last heard: {self.heard[-200:]!r}")
        line = self.heard[self._used : end].decode()
        self._used = end + 1
        return line

    async def read_until(self, line: str) -> list[str]:
        """All lines up to and with this one, or one that begins with it and a space."""
        lines = [await self.read_line()]
        while lines[-1] != line and not lines[-1].startswith(f"{line} "):
            lines.append(await self.read_line())
        return lines

    async def read_rest(self) -> list[str]:
        """All that comes until the arena closes."""
        while await self._read():
            pass
        rest = self.heard[self._used :].decode()
        self._used = len(self.heard)
        return rest.splitlines()

    def write_now(self, data: bytes, *, stamp: float | None) -> None:
        """Let these bytes be there for the arena, received at a moment of the test's choice."""
        assert self._to_arena.put(data, stamp) == len(data), "a test's bytes must have room"

    async def write(self, data: bytes) -> None:
        """Send; waits while the arena doesn't read. Received the moment they have room."""
        rest = data
        while rest:
            rest = rest[self._to_arena.put(rest, trio.current_time()) :]
            if rest:
                await self._to_arena.changed.wait()
        await trio.lowlevel.checkpoint()

    async def say(self, line: str) -> None:
        """Send one line."""
        await self.write(f"{line}\n".encode())

    def shut_writing(self) -> None:
        """Half-close: the arena reads the end of input behind what was sent."""
        self._to_arena.ended = True
        self._to_arena.change()

    def close(self) -> None:
        """Leave: the arena's sending fails from now on."""
        self._from_arena.broken = True
        self._from_arena.change()
        self.shut_writing()


def channel_pair(*, to_bot: int = ROOM) -> tuple[MemoryChannel, BotEnd]:
    """The two ends of a connection with so many bytes of room for the bot."""
    down, up = _Pipe(to_bot), _Pipe(ROOM)
    return MemoryChannel(down, up), BotEnd(up, down)


def connection_pair(hello: str, *, to_bot: int = ROOM) -> tuple[Connection, BotEnd]:
    """A connection whose bot has said this hello, and the bot's end."""
    channel, bot = channel_pair(to_bot=to_bot)
    connection = Connection(channel)
    connection.session.receive(f"{hello}\n".encode())
    connection.hello = connection.session.take_hello()
    assert connection.hello is not None
    return connection, bot
