"""Non-blocking transfer of bytes to and from one bot, with times of receipt."""

import contextlib
import socket
import struct
import sys
import time
from collections.abc import Sequence
from typing import Protocol, Self

import attrs
import trio

from lanista.system import notice_silence
from lanista.unwatched import pause_unwatched

SO_TIMESTAMPNS = 35
"""Socket option of Linux that makes `recvmsg` return when the kernel received the data (socket(7)).

The kernel begins to take times shortly after the first socket of the machine asked for them.
"""
_STAMP = struct.Struct("@qq")  # struct timespec on 64-bit Linux
_ANCILLARY = socket.CMSG_SPACE(_STAMP.size)
CLOCK_STEP = 0.002
"""Seconds by which the wall clock may differ from the monotonic clock's progress between two looks.

A larger difference, with CLOCK_DRIFT added, means that the wall clock was set meanwhile.
"""
CLOCK_DRIFT = 0.001
"""Additional difference, as a share of the elapsed time: twice what clocks are slewed by."""


_TCP_INFO = struct.Struct("@68xI76xI")  # tcpi_rtt and tcpi_min_rtt of Linux' struct tcp_info
_UNKNOWN = 2**32 - 1


class BrokenChannelError(Exception):
    """The connection to the bot is broken or closed."""


@attrs.frozen
class RoundTrip:
    """The time that the way to a bot and back takes, as measured by the kernel, in microseconds.

    A bot's machine can make it look longer, by acknowledging late, but not shorter.
    """

    smoothed: int
    """The average of the last measurements."""
    least: int
    """The shortest measurement of the last minutes."""


@attrs.define  # frozen, it would take thrice as long to make, at each read
class Chunk:
    """The result of one read."""

    data: bytes
    """The bytes that were read; empty at the end of input."""
    stamp: float | None
    """When the kernel received the last byte, on trio's clock; None if that isn't known.

    After a read that was cut by its limit, this may be the time of bytes that are still unread,
    because the kernel keeps one time for segments that it has merged.
    """
    read_at: float
    """When the read returned, on trio's clock."""


class Channel(Protocol):
    """The interface of a connection to a bot."""

    def send_some(self, data: bytes | memoryview) -> int:
        """Send as many bytes as possible without waiting, and return how many that were.

        Raises BrokenChannelError if the connection is broken or closed.
        """

    async def wait_writable(self) -> None:
        """Wait until some bytes can be sent."""

    def receive_some(self, limit: int) -> Chunk | None:
        """Read at most `limit` bytes without waiting; return None if nothing is there.

        A broken connection reads as the end of input.
        """

    def has_input(self) -> bool:
        """Tell whether there is something to read, without reading it."""

    async def wait_readable(self) -> None:
        """Wait until there is something to read."""

    def round_trip(self) -> RoundTrip | None:
        """Return how long the way to the bot and back takes; None if that isn't known."""

    def shut_writing(self) -> None:
        """Close the sending direction; reading goes on."""

    def wake(self) -> None:
        """Wake the tasks that wait for this channel, so that they look again."""

    def close(self) -> None:
        """Close the channel; may be called more than once."""


class SocketChannel:
    """A channel over TCP, which owns its sockets.

    The options of a socket that another process had before are set up already. If it only leads to
    a relay of this machine, `outer` is the socket of the connection to the bot, which that one
    reads and writes.
    """

    def __init__(
        self,
        connected: socket.socket,
        *,
        is_set_up: bool = False,
        outer: socket.socket | None = None,
    ) -> None:
        self._socket: socket.socket | None = connected
        self._outer = outer
        connected.setblocking(False)
        self._has_stamps = sys.platform == "linux"
        if not is_set_up:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            notice_silence(connected)
            if self._has_stamps:
                connected.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        # Both clocks at the same moment: when bytes were last sent.
        self._clocks = (time.time(), trio.current_time())

    @classmethod
    def of_duplicates(cls, sockets: Sequence[socket.socket]) -> Self:
        """Return a channel over what `duplicates` has returned in another process."""
        outer = sockets[1] if len(sockets) > 1 else None
        return cls(sockets[0], is_set_up=True, outer=outer)

    def duplicates(self) -> list[socket.socket]:
        """Return other sockets of the same connection, to hand to another process.

        There is one for the socket, and another for the outer one, if there is one. Closing one
        leaves the other as it is. At most one process may wait for input at a time. Raises
        BrokenChannelError if the channel is closed, OSError if there are no more descriptors.
        """
        duplicate = self._open().dup()
        if self._outer is None:
            return [duplicate]
        try:
            return [duplicate, self._outer.dup()]
        except OSError:
            duplicate.close()
            raise

    def relayed(self, inner: socket.socket) -> "SocketChannel":
        """Return a channel that replaces this one, over a relay that has a duplicate of its socket.

        It raises BrokenChannelError if this one is closed.
        """
        outer, self._socket = self._open(), None
        return SocketChannel(inner, outer=outer)

    def peek(self) -> bytes | None:
        """Return the next byte without reading it; None if none is there yet, empty at the end."""
        try:
            return self._open().recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return None
        except (OSError, BrokenChannelError):
            return b""

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
            # Closed, or woken by `wake`: the next write will tell.
            await trio.lowlevel.checkpoint()
        except OSError as error:
            await pause_unwatched(error)

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
        # Both clocks, with nothing between them in which this process might be stopped.
        read_at, wall = trio.current_time(), time.time()
        stamp = None
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                stamp = self._on_our_clock(payload, read_at, wall)
        return Chunk(data, stamp, read_at)

    def has_input(self) -> bool:
        """See `Channel`."""
        return bool(self.peek())

    def _on_our_clock(self, payload: bytes, read_at: float, wall: float) -> float | None:
        """Return the kernel's wall-clock time on trio's clock; None if it can't be converted.

        `read_at` and `wall` are when the bytes were read, on trio's clock and on the wall clock.
        """
        if len(payload) != _STAMP.size:
            return None
        seconds, nanoseconds = _STAMP.unpack(payload)
        sent_wall, sent_at = self._clocks
        elapsed = read_at - sent_at
        if abs((wall - sent_wall) - elapsed) > CLOCK_STEP + CLOCK_DRIFT * elapsed:
            return None  # The wall clock was set since we last sent.
        return float(read_at - (wall - (seconds + nanoseconds / 1e9)))

    async def wait_readable(self) -> None:
        """See `Channel`."""
        try:
            await trio.lowlevel.wait_readable(self._open())
        except (trio.ClosedResourceError, BrokenChannelError):
            await trio.lowlevel.checkpoint()
        except OSError as error:
            await pause_unwatched(error)

    def round_trip(self) -> RoundTrip | None:
        """See `Channel`; known on Linux."""
        if sys.platform != "linux":
            return None
        try:
            way = self._outer or self._open()
            info = way.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
        except (OSError, BrokenChannelError):
            return None
        if len(info) < _TCP_INFO.size:
            return None
        smoothed, least = _TCP_INFO.unpack(info)
        return None if least == _UNKNOWN else RoundTrip(smoothed, least)

    def shut_writing(self) -> None:
        """See `Channel`."""
        if self._socket is not None:
            with contextlib.suppress(OSError):  # the other side has closed it
                self._socket.shutdown(socket.SHUT_WR)

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
        if self._outer is not None:
            self._outer.close()
            self._outer = None
