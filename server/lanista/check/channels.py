"""The channels of a check: scripted players for the other seats, and taps for the tested bot's."""

from typing import Any

import attrs
import trio

from lanista.match.channel import Channel, Chunk, RoundTrip
from lanista.match.connection import Connection

GO = b"\ngo\n"
GO_LINE = b"go\n"
PAUSE = 0.08
"""Seconds for which a `go` is held back. A bot that doesn't wait for it answers within that time,
even if its second small write waits 40 ms for the acknowledgement of the first."""
LINE_KEPT = 400
"""The number of bytes of the tested bot's last line that are kept as evidence."""
UNKNOWN_LINES = (b"x-check\n", b"x-check 1 two -3.5 \xc3\xa9\n", b"xcheck go turn 0\n")
"""Lines whose keywords no bot knows."""
UNKNOWN_SETTING = b"set x_check 7\n"


class QuietChannel:
    """A player in memory that answers each `go` at once with an empty line."""

    def __init__(self) -> None:
        self._answers = 0
        self._over = False

    def send_some(self, data: bytes | memoryview) -> int:
        """Take all of it; owe an answer if it ends with a `go`."""
        self._answers += bytes(data[-len(GO) :]) == GO
        return len(data)

    async def wait_writable(self) -> None:
        """Return at once: the player can always take more."""
        await trio.lowlevel.checkpoint()

    def receive_some(self, limit: int) -> Chunk | None:  # noqa: ARG002 - an answer is one byte
        """Return an answer if one is owed; the end of input once the arena has ended its own."""
        if self._answers:
            self._answers -= 1
            return Chunk(b"\n", None, trio.current_time())
        return Chunk(b"", None, trio.current_time()) if self._over else None

    def has_input(self) -> bool:
        """See `Channel`."""
        return False

    async def wait_readable(self) -> None:
        """Wait until there is an answer or the end of input."""
        if self._answers or self._over:
            await trio.lowlevel.checkpoint()
        else:
            await trio.sleep_forever()

    def round_trip(self) -> RoundTrip | None:
        """Return None: there is no way to measure."""
        return None

    def shut_writing(self) -> None:
        """End the player's input, and so its output."""
        self._over = True

    def wake(self) -> None:
        """Do nothing: this seat is never put out."""

    def close(self) -> None:
        """See `Channel`."""
        self._over = True


def quiet_connection(number: int) -> Connection:
    """Return the connection of a quiet player that has sent its hello, and stays after a match."""
    connection = Connection(QuietChannel())
    connection.session.receive(b"quiet-%d v=1 keep=1\n" % number)
    connection.hello = connection.session.take_hello()
    return connection


@attrs.define(eq=False)
class Tap:
    """The tested bot's channel, which counts the lines that the bot sends."""

    inner: Channel
    answers: int = attrs.field(init=False, default=0)
    """The number of complete lines so far, without the hello and log lines."""
    last: bytes = attrs.field(init=False, default=b"")
    """The last of these lines, cut, or the beginning of one that isn't complete yet."""
    too_soon: list[tuple[int, bytes]] = attrs.field(init=False, factory=list)
    """The turns whose answer came before their `go`, with the line; only `GoApart` sees them."""
    _rest: bytes = attrs.field(init=False, default=b"")
    _greeted: bool = attrs.field(init=False, default=False)

    def __getattr__(self, name: str) -> Any:
        """Do everything else as the inner channel does."""
        return getattr(self.inner, name)

    def receive_some(self, limit: int) -> Chunk | None:
        """Receive from the inner channel, and count the lines."""
        chunk = self.inner.receive_some(limit)
        if chunk is not None:
            self._count(chunk.data)
        return chunk

    def _count(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if lines and not self._greeted:
            self._greeted = True
            del lines[0]
        answers = [line for line in lines if not line.startswith(b"#")]
        self.answers += len(answers)
        if answers:
            self.last = answers[-1][:LINE_KEPT]
        if self._rest and not self._rest.startswith(b"#"):
            self.last = self._rest[:LINE_KEPT]


@attrs.define(eq=False)
class GoApart(Tap):
    """A tap that sends every `go` a moment after its turn's other lines.

    With TCP, a turn's lines may come in any pieces. A bot that waits for `go` sees no difference;
    one that answers as soon as it has the last fact that it needs is noticed.
    """

    _gos: int = attrs.field(init=False, default=0)
    """The number of `go` lines sent so far."""
    _holding: bool = attrs.field(init=False, default=False)
    """Whether a `go` is held back: the next `wait_writable` makes the pause."""
    _kept: list[Chunk] = attrs.field(init=False, factory=list)

    def send_some(self, data: bytes | memoryview) -> int:
        """Send everything before a `go`, or the `go` if it is alone.

        The caller then waits in `wait_writable`, where the pause is made, before it sends the rest.
        """
        if bytes(data) == GO_LINE:
            self._gos += 1
            return self.inner.send_some(data)
        if bytes(data[-len(GO) :]) != GO:
            return self.inner.send_some(data)
        facts = data[: -len(GO_LINE)]
        sent = self.inner.send_some(facts)
        self._holding = sent == len(facts)
        return sent

    async def wait_writable(self) -> None:
        """Pause if a `go` is held back, and note whether the bot answers in that time."""
        if not self._holding:
            await self.inner.wait_writable()
            return
        self._holding = False
        before = self.answers
        await trio.sleep(PAUSE)
        chunk = super().receive_some(LINE_KEPT)
        if chunk is not None:
            self._kept.append(chunk)
        if self.answers > before:
            self.too_soon.append((self._gos, self.last))

    def receive_some(self, limit: int) -> Chunk | None:
        """Receive from the inner channel, but first what came during a pause."""
        if self._kept:
            return self._kept.pop(0)
        return super().receive_some(limit)

    async def wait_readable(self) -> None:
        """See `Channel`."""
        if self._kept:
            await trio.lowlevel.checkpoint()
        else:
            await self.inner.wait_readable()


@attrs.define(eq=False)
class UnknownWords(Tap):
    """A tap that adds lines with unknown keywords to those of the arena.

    A bot must ignore such lines wherever they come (PROTOCOL.md 3), and also a setting that its
    version of the game doesn't have.
    """

    _unsent: bytes = attrs.field(init=False, default=b"")

    def send_some(self, data: bytes | memoryview) -> int:
        """Send the lines with ours added; report the last byte as unsent until all are sent."""
        if not self._unsent:
            self._unsent = with_unknown(bytes(data))
        self._unsent = self._unsent[self.inner.send_some(self._unsent) :]
        # The caller comes again with its last byte, so that the rest of our lines gets sent.
        return len(data) - 1 if self._unsent else len(data)


def with_unknown(data: bytes) -> bytes:
    """Return whole lines of the arena with unknown ones between them (PROTOCOL.md 3)."""
    lines = data.splitlines(keepends=True)
    settings = [index for index, line in enumerate(lines) if line.startswith(b"set ")]
    sent = [UNKNOWN_LINES[0]]
    for index, line in enumerate(lines):
        if index in settings[:1]:
            sent.append(UNKNOWN_SETTING)
        if index == len(lines) // 2:
            sent.append(UNKNOWN_LINES[1])
        if index == len(lines) - 1:
            sent.append(UNKNOWN_LINES[2])
        sent.append(line)
    return b"".join(sent)
