"""Bytes to and from one bot, without waiting unless asked to, with times of receipt.

`Channel` is the interface; `SocketChannel` the one over TCP. Tests have one in memory. No lines
and no protocol here.
"""

import errno
import socket
import struct
import sys
import time
from typing import Protocol

import attrs
import trio

SO_TIMESTAMPNS = 35
"""Linux: have the kernel tell when it received what `recvmsg` returns (socket(7)). It begins to a
moment after the first socket of the machine asked."""
_STAMP = struct.Struct("@qq")  # struct timespec on 64-bit Linux
_ANCILLARY = socket.CMSG_SPACE(_STAMP.size)
KEEPALIVE = (
    ((socket.TCP_KEEPIDLE, 60), (socket.TCP_KEEPINTVL, 15), (socket.TCP_KEEPCNT, 4))
    if sys.platform == "linux"
    else ()
)
"""A machine that lost its power while its bot waited is noticed after two minutes: seconds of
silence before it is asked, seconds between questions, how many go unanswered."""
CLOCK_STEP = 0.002
"""Seconds by which wall clock and monotonic clock may part before we call it a set clock…"""
CLOCK_DRIFT = 0.001
"""…plus this share of the time between: twice what a clock is ever slewed by."""


class BrokenChannelError(Exception):
    """The other end is gone."""


@attrs.frozen
class Chunk:
    """What one read returned."""

    data: bytes
    """Empty: the end of input."""
    stamp: float | None
    """When the last byte was received, on trio's clock; None: not known. Of a read that was cut
    by its limit, perhaps that of bytes still unread: the kernel keeps one for joined segments."""
    read_at: float
    """When the read returned, on trio's clock."""


class Channel(Protocol):
    """A connection to a bot."""

    def send_some(self, data: bytes | memoryview) -> int:
        """Hand over what can be without waiting; how many bytes that were.

        Raises:
            BrokenChannelError: The bot is gone.
        """
        ...

    async def wait_writable(self) -> None:
        """Wait until some bytes can be handed over."""
        ...

    def receive_some(self, limit: int) -> Chunk | None:
        """Read at most so many bytes without waiting; None if nothing is there.

        A connection that broke is the end of input.
        """
        ...

    def has_input(self) -> bool:
        """Whether there is something to read; leaves it there."""
        ...

    async def wait_readable(self) -> None:
        """Wait until there is something to read."""
        ...

    def shut_writing(self) -> None:
        """Tell the bot that nothing more will come; reading goes on."""
        ...

    def wake(self) -> None:
        """Have whoever waits for it look again, though nothing came."""
        ...

    def close(self) -> None:
        """Close; may be called twice."""
        ...


class SocketChannel:
    """A TCP connection. Owns its socket."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket: socket.socket | None = connected
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if sys.platform == "linux":
            for option, value in KEEPALIVE:
                connected.setsockopt(socket.IPPROTO_TCP, option, value)
        self._has_stamps = sys.platform == "linux"
        if self._has_stamps:
            connected.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._clocks = (time.time(), trio.current_time())

    @classmethod
    def from_stream(cls, stream: trio.SocketStream) -> "SocketChannel":
        """Take over the socket of a stream that trio accepted."""
        family, kind, proto = stream.socket.family, stream.socket.type, stream.socket.proto
        return cls(socket.socket(family, kind, proto, fileno=stream.socket.detach()))

    def _open(self) -> socket.socket:
        if self._socket is None:
            raise BrokenChannelError("closed")
        return self._socket

    def send_some(self, data: bytes | memoryview) -> int:
        """See `Channel`."""
        try:
            sent = self._open().send(data)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            raise BrokenChannelError(error.strerror) from error
        self._clocks = (time.time(), trio.current_time())
        return sent

    async def wait_writable(self) -> None:
        """See `Channel`."""
        try:
            await trio.lowlevel.wait_writable(self._open())
        except trio.ClosedResourceError:
            await trio.lowlevel.checkpoint()  # closed, or woken: writing will tell

    def receive_some(self, limit: int) -> Chunk | None:
        """See `Channel`."""
        try:
            if self._has_stamps:
                data, ancillary, _, _ = self._open().recvmsg(limit, _ANCILLARY)
            else:
                data, ancillary = self._open().recv(limit), []
        except (BlockingIOError, InterruptedError):
            return None
        except (OSError, BrokenChannelError):
            data, ancillary = b"", []
        read_at = trio.current_time()
        stamp = None
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                stamp = self._on_our_clock(payload, read_at)
        return Chunk(data, stamp, read_at)

    def has_input(self) -> bool:
        """See `Channel`."""
        try:
            return bool(self._open().recv(1, socket.MSG_PEEK))
        except (OSError, BrokenChannelError):
            return False

    def _on_our_clock(self, payload: bytes, read_at: float) -> float | None:
        """The kernel's wall-clock stamp as a moment of trio's clock; None if it can't be told."""
        if len(payload) != _STAMP.size:
            return None
        seconds, nanoseconds = _STAMP.unpack(payload)
        wall = time.time()
        then_wall, then_ours = self._clocks
        elapsed = read_at - then_ours
        if abs((wall - then_wall) - elapsed) > CLOCK_STEP + CLOCK_DRIFT * elapsed:
            return None  # somebody set the clock since we last sent
        return float(read_at - (wall - (seconds + nanoseconds / 1e9)))

    async def wait_readable(self) -> None:
        """See `Channel`."""
        try:
            await trio.lowlevel.wait_readable(self._open())
        except (trio.ClosedResourceError, BrokenChannelError):
            await trio.lowlevel.checkpoint()

    def shut_writing(self) -> None:
        """See `Channel`."""
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_WR)
            except OSError as error:
                if error.errno not in {errno.ENOTCONN, errno.EPIPE, errno.ECONNRESET}:
                    raise

    def wake(self) -> None:
        """See `Channel`."""
        if self._socket is not None:
            trio.lowlevel.notify_closing(self._socket)

    def close(self) -> None:
        """See `Channel`."""
        if self._socket is not None:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()
            self._socket = None
