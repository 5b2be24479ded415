"""What stands between the arena and a connection in a check: scripted seats, and taps.

A `QuietChannel` is a whole player in memory that answers every turn with no submoves. A `Tap`
counts the lines that the tested bot sends; the two taps below it also change when, or beside what,
the bot is told, always within PROTOCOL.md. No verdict is made here.
"""

import attrs
import trio

from lanista.match.channel import Channel, Chunk
from lanista.match.connection import Connection

GO = b"\ngo\n"
GO_LINE = b"go\n"
PAUSE = 0.08
"""Seconds for which a `go` is held back: enough for a bot that doesn't wait for it to speak, also
where its second small write waits 40 ms for the first one's acknowledgement."""
LINE_KEPT = 400
"""Bytes of the tested bot's last line that are kept as evidence."""
UNKNOWN_LINES = (b"x-check\n", b"x-check 1 two -3.5 \xc3\xa9\n", b"xcheck go turn 0\n")
"""Lines whose keyword no bot knows."""
UNKNOWN_SETTING = b"set x_check 7\n"


class QuietChannel:
    """A player that is always there and answers each `go` at once with an empty line."""

    def __init__(self) -> None:
        self._answers = 0
        self._over = False

    def send_some(self, data: bytes | memoryview) -> int:
        """Take it all; behind a `go` there is an answer."""
        self._answers += bytes(data[-len(GO) :]) == GO
        return len(data)

    async def wait_writable(self) -> None:
        """It always is."""
        await trio.lowlevel.checkpoint()

    def receive_some(self, limit: int) -> Chunk | None:  # noqa: ARG002 - an answer is one byte
        """An answer if one is owed; the end of input once the arena has ended its own."""
        if self._answers:
            self._answers -= 1
            return Chunk(b"\n", None, trio.current_time())
        return Chunk(b"", None, trio.current_time()) if self._over else None

    def has_input(self) -> bool:
        """See `Channel`."""
        return False

    async def wait_readable(self) -> None:
        """Between two turns there is nothing to come."""
        if self._answers or self._over:
            await trio.lowlevel.checkpoint()
        else:
            await trio.sleep_forever()

    def shut_writing(self) -> None:
        """The arena says no more, so neither does the player."""
        self._over = True

    def wake(self) -> None:
        """Nobody puts it out."""

    def close(self) -> None:
        """See `Channel`."""
        self._over = True


def quiet_connection(number: int) -> Connection:
    """A quiet player that has said its hello; it stays for a second match."""
    connection = Connection(QuietChannel())
    connection.session.receive(b"quiet-%d v=1 keep=1\n" % number)
    connection.hello = connection.session.take_hello()
    return connection


@attrs.define(eq=False)
class Tap:
    """The tested bot's channel, with its lines counted."""

    inner: Channel
    answers: int = attrs.field(init=False, default=0)
    """Complete lines so far, without the hello and the log."""
    last: bytes = attrs.field(init=False, default=b"")
    """The last of them, or what began another; cut."""
    too_soon: list[tuple[int, bytes]] = attrs.field(init=False, factory=list)
    """Turns whose answer came before their `go`, with the line; only `GoApart` notices."""
    _rest: bytes = attrs.field(init=False, default=b"")
    _greeted: bool = attrs.field(init=False, default=False)

    def send_some(self, data: bytes | memoryview) -> int:
        """See `Channel`."""
        return self.inner.send_some(data)

    async def wait_writable(self) -> None:
        """See `Channel`."""
        await self.inner.wait_writable()

    def receive_some(self, limit: int) -> Chunk | None:
        """See `Channel`; counts the lines."""
        chunk = self.inner.receive_some(limit)
        if chunk is not None:
            self._count(chunk.data)
        return chunk

    def has_input(self) -> bool:
        """See `Channel`."""
        return self.inner.has_input()

    async def wait_readable(self) -> None:
        """See `Channel`."""
        await self.inner.wait_readable()

    def shut_writing(self) -> None:
        """See `Channel`."""
        self.inner.shut_writing()

    def wake(self) -> None:
        """See `Channel`."""
        self.inner.wake()

    def close(self) -> None:
        """See `Channel`."""
        self.inner.close()

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
    """Sends every `go` a moment after its turn's other lines.

    Those lines may come in any pieces, since TCP promises no more. A bot that waits for `go`
    sees no difference; one that answers at the last fact it knows is caught.
    """

    _gos: int = attrs.field(init=False, default=0)
    _holding: bool = attrs.field(init=False, default=False)
    _kept: list[Chunk] = attrs.field(init=False, factory=list)

    def send_some(self, data: bytes | memoryview) -> int:
        """All but the `go`; the `go` alone once `wait_writable` has let time pass."""
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
        """Before a `go`: wait, and see whether the bot does."""
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
        """What came too soon comes first."""
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
    """Puts lines with unknown keywords before, between and behind those of the arena.

    A bot must ignore them wherever they come (PROTOCOL.md 3). So it must a setting that its
    version of the game doesn't have.
    """

    _unsent: bytes = attrs.field(init=False, default=b"")

    def send_some(self, data: bytes | memoryview) -> int:
        """The lines with ours among them. Of the caller's bytes one is left until all have gone."""
        if not self._unsent:
            self._unsent = with_unknown(bytes(data))
        self._unsent = self._unsent[self.inner.send_some(self._unsent) :]
        # While something waits here the caller keeps its last byte, and comes again with it.
        return len(data) - 1 if self._unsent else len(data)


def with_unknown(data: bytes) -> bytes:
    """Whole lines of the arena's with unknown ones before, between and before the last."""
    lines = data.splitlines(keepends=True)
    setting = next((at for at, line in enumerate(lines) if line.startswith(b"set ")), None)
    told = [UNKNOWN_LINES[0]]
    for at, line in enumerate(lines):
        if at == setting:
            told.append(UNKNOWN_SETTING)
        if at == len(lines) // 2:
            told.append(UNKNOWN_LINES[1])
        if at == len(lines) - 1:
            told.append(UNKNOWN_LINES[2])
        told.append(line)
    return b"".join(told)
