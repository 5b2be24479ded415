"""The page's connections: how many there may be, how long each may take, and which are closed.

The page's port is open to whoever can reach it, and shares its event loop with the matches. So
incoming data is handled in slices, one connection in each pass of the loop, and a connection costs
little more than a buffer until its request is complete.

Nobody is refused because of connections that neither send nor read: when there are too many, the
idlest one of the address that has the most gives way. A connection isn't idle while we haven't read
what it has sent, or work at its answer; if no other can give way, a newcomer is refused. Whoever
gives way or is refused is told so.
"""

import fcntl
import socket as stdlib_socket  # classes here have a `socket`, which `websockets` looks at
import struct
import termios
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

import attrs
import structlog
import trio

from lanista.arena.admission import address_of, is_loopback
from lanista.arena.tls import HANDSHAKE, TlsRelay
from lanista.errors import RefusedError
from lanista.hosting.accept import accept
from lanista.match.background import SHARE, BackgroundWork, WorkDone
from lanista.page.answers import bad_request, crowded, refusal
from lanista.system import notice_silence
from lanista.unwatched import patiently

log = structlog.get_logger()

MAX_VIEWERS = 500
"""Maximum number of WebSockets at once; for one more, another address gives one up, or it is
refused."""
MAX_REQUESTS = 500
"""Maximum number of other connections at once; for one more, an idle one gives way, or it is
refused."""
MAX_CONNECTIONS = MAX_VIEWERS + MAX_REQUESTS
ENTERING = 64
"""Number of connections beyond those that may just be arriving, being refused, or closing."""
REQUEST_TIME = 5.0
"""Seconds from connecting until the request must be complete."""
BODY_TIME = 120.0
"""Seconds that the body of a request may take, or as long as its size takes at `SLOWEST`."""
MAX_REQUEST = 32 * 1024
"""Maximum size of a request in bytes."""
RECEIVED = 1024
"""Number of bytes that are handled at once: a millisecond's work, if messages are short."""
REQUEST_WORK = 0.003
"""Estimated seconds that a request takes in the loop, including its garbage collection."""
TAKING_TIME = 10.0
"""Seconds that a peer has to read the next `SENT` bytes of its answer."""
SENT = 64 * 1024
"""Number of bytes that are sent at once."""
SLOWEST = SENT / TAKING_TIME
"""Bytes per second of the slowest line over which the largest programs can be handed in."""
LINGERING = 1.0
"""Seconds that a peer has to close its end after its answer."""
MAX_ANSWERS = 64 * 1024 * 1024
"""Maximum size of all large answers, and of the bodies of requests, in memory, in bytes."""


@attrs.define(eq=False)
class Peer(trio.abc.HalfCloseableStream):
    """A connection of the page, as a stream for `websockets`."""

    stream: trio.SocketStream
    address: str
    """The address for which it is counted."""
    connections: "Connections"
    heard: float = attrs.field(factory=trio.current_time, init=False)
    """When its last bytes arrived, by trio's clock."""
    active: float = attrs.field(factory=trio.current_time, init=False)
    """When it connected, or last read some of its answer, by trio's clock."""
    is_viewer: bool = attrs.field(default=False, init=False)
    """Whether it is a WebSocket."""
    holds: int = attrs.field(default=0, init=False)
    """Memory that a large answer or the body of its request takes, in bytes."""
    in_work: bool = attrs.field(default=False, init=False)
    """Whether the arena works at the answer to its request."""
    is_closed: bool = attrs.field(default=False, init=False)
    _wait: trio.CancelScope | None = attrs.field(default=None, init=False)
    """Cancelled if it gives way, while that is possible: see `may_give_way`."""
    _in_handshake: bool = attrs.field(default=False, init=False)
    """Whether nothing can be told to it yet, as it is still to be handed to the TLS relay."""
    _is_read: bool = attrs.field(default=True, init=False)
    """Whether its request or the body of it is being read."""
    _unread: bytes = attrs.field(default=b"", init=False)
    """Bytes that `read_request` has read but `receive_some` hasn't returned yet."""

    @property
    def group(self) -> str:
        """The viewers with which it shares a turn: those of its address; on loopback, itself alone.

        Behind a proxy all connections come from there.
        """
        return f"{self.address} {id(self)}" if is_loopback(self.address) else self.address

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket, from which `websockets` takes the addresses."""
        return self.stream.socket

    async def begin_tls(self, tls: TlsRelay) -> bool:
        """Go on over the TLS relay; return False if the peer says nothing, or has been closed.

        Raises:
            RefusedError: It doesn't begin to speak TLS.
        """
        self._in_handshake = True
        with trio.move_on_after(REQUEST_TIME):
            outer = self.stream.socket
            first = await outer.recv(1, stdlib_socket.MSG_PEEK)
            await self.connections.turn(self.address)
            if first and first != HANDSHAKE:
                raise bad_request("this port speaks TLS: begin with https instead")
            if first:
                outer_socket = stdlib_socket.socket(
                    outer.family, outer.type, outer.proto, fileno=outer.detach()
                )
                inner = await tls.relay(outer_socket, self.address, REQUEST_TIME)
                self.stream = trio.SocketStream(trio.socket.from_stdlib_socket(inner))
                self._in_handshake = False
                if self.is_closed:  # others needed its place
                    self.stream.socket.close()
                return not self.is_closed
        return False

    async def read_request(self) -> bytes:
        """Return a request's bytes, or the beginning of something that isn't a request.

        The result is empty if the peer takes too long, sends too much, or leaves. Otherwise
        `receive_some` then returns the same bytes again, for `websockets`.
        """
        received = bytearray()
        try:
            with trio.move_on_after(REQUEST_TIME):
                while len(received) <= MAX_REQUEST:
                    data = await self._receive(RECEIVED)
                    if not data:
                        return b""
                    received += data
                    line, end, _ = received.partition(b"\r\n")
                    if b"\r\n\r\n" in received or (end and not line.endswith(b" HTTP/1.1")):
                        self._unread = bytes(received)
                        return self._unread
            return b""
        finally:
            self._is_read = False

    async def read_body(self, length: int) -> bytearray:
        """Return the body of a request that `read_request` has returned, of so many bytes.

        It isn't copied, which takes a tenth of a second for the largest programs.

        Raises:
            trio.BrokenResourceError: The peer takes too long, or leaves.
            RefusedError: It has to give way.
        """
        head, _, body = self._unread.partition(b"\r\n\r\n")
        self._unread = b""
        if b"100-continue" in head.lower() and len(body) < length:
            await self.send_all(b"HTTP/1.1 100 Continue\r\n\r\n")
        received = bytearray(body[:length])
        self._is_read = True
        with self.may_give_way(), trio.move_on_after(max(BODY_TIME, length / SLOWEST)):
            while len(received) < length:
                data = await self._receive(min(SENT, length - len(received)))
                if not data:
                    break
                received += data
                self.active = trio.current_time()
        self._is_read = False
        if len(received) < length:
            raise trio.BrokenResourceError("the body of a request is incomplete")
        return received

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes, but only a few at once."""
        size = min(max_bytes or RECEIVED, RECEIVED)
        if self._unread:
            data, self._unread = self._unread[:size], self._unread[size:]
            await trio.lowlevel.checkpoint()
            return data
        return await self._receive(size)

    async def _receive(self, size: int) -> bytes:
        try:
            data = await patiently(partial(self.stream.receive_some, size))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await self.connections.turn(self.address)
            raise
        await self.connections.turn(self.address)
        self.heard = trio.current_time()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes; close the connection if the peer doesn't read them."""
        with memoryview(data) as view:
            for start in range(0, len(view), SENT):
                with trio.move_on_after(TAKING_TIME) as scope, view[start : start + SENT] as part:
                    await self.stream.send_all(part)
                if scope.cancelled_caught:
                    self.close()
                    raise trio.BrokenResourceError("the peer doesn't read")
                self.active = trio.current_time()

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the stream can send."""
        await self.stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """Tell the peer that no more bytes follow."""
        await self.stream.send_eof()

    async def linger(self) -> None:
        """Wait until the peer closes its end, as a reset could cost it its answer."""
        with trio.move_on_after(LINGERING):
            while await self._receive(RECEIVED):
                pass

    @property
    def has_place(self) -> bool:
        """Whether it is counted, so it was neither refused nor closed, and hasn't given way."""
        return self in self.connections.peers

    @property
    def is_idle(self) -> bool:
        """Whether it may give way, as nothing is to be done for it now."""
        if self.in_work and self._wait is None:
            return False
        return not (self._is_read and _unread(self.stream.socket.fileno()))

    @contextmanager
    def may_give_way(self) -> Iterator[None]:
        """Let the connection give way during a block that may wait for long, which ends then.

        Raises:
            RefusedError: It gave way, or never had a place.
        """
        with trio.CancelScope() as wait:
            self._wait = wait
            if not self.has_place:
                wait.cancel()
            try:
                yield
            finally:
                self._wait = None
        if not self.has_place:
            raise crowded()

    def hold(self, size: int) -> None:
        """Count the memory of a large answer or body, of so many bytes; refuse it without room."""
        holds = 2 * size  # as making it may take a copy
        while holding := [other for other in self.connections.peers if other.holds]:
            sizes: Counter[str] = Counter()
            for other in holding:
                sizes[other.address] += other.holds
            if sizes.total() + holds <= MAX_ANSWERS:
                break
            greediest = _most_common(sizes)
            if not _make_room([other for other in holding if other.address == greediest]):
                raise crowded()
        self.holds = holds

    def give_way(self) -> None:
        """Leave the place to another connection: at once, or with an answer that says so."""
        if self._wait is not None:
            self.connections.peers.pop(self, None)
            self._wait.cancel()
        elif self._in_handshake and self.connections.may_linger:
            self.connections.peers.pop(self, None)  # it is told after the handshake
        else:
            self.close()

    def close(self) -> None:
        """Close the connection at once."""
        self.stream.socket.close()
        self.is_closed = True
        if self._wait is not None:
            self._wait.cancel()
        self.connections.peers.pop(self, None)

    async def aclose(self) -> None:
        """Close the connection at once."""
        self.close()
        await trio.lowlevel.checkpoint()


@attrs.define(eq=False)
class Connections(trio.abc.Listener[Peer]):
    """All connections of the page: `run` answers requests, `accept` returns WebSockets.

    Plain requests are answered here, as a connection object of `websockets` leaves much garbage
    behind, and collecting it would hold up the loop.
    """

    listeners: list[trio.SocketListener]
    answer: Callable[[Peer, bytes], Awaitable[tuple[bytes, bytes] | None]]
    """Returns head and body of the answer to a request; None for what becomes a WebSocket."""
    done: WorkDone = attrs.field(factory=WorkDone)
    """The record of work done, which the arena shares."""
    tls: TlsRelay | None = None
    """Speaks TLS with the peers; None for plain text."""
    peers: dict[Peer, None] = attrs.field(factory=dict, init=False)
    """All open connections, the oldest first."""
    _sockets: trio.CapacityLimiter = attrs.field(init=False)
    """Counts the connections that may still be accepted, besides WebSockets."""
    _work: BackgroundWork = attrs.field(init=False)
    _send_websocket: trio.MemorySendChannel[Peer] = attrs.field(init=False)
    _websockets: trio.MemoryReceiveChannel[Peer] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._work = BackgroundWork(1, SHARE / 2, self.done, REQUEST_WORK)
        self._sockets = trio.CapacityLimiter(MAX_REQUESTS + ENTERING)
        self._send_websocket, self._websockets = trio.open_memory_channel(0)

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket that listens, from which `websockets` takes the address."""
        return self.listeners[0].socket

    async def run(self) -> None:
        """Accept connections until cancelled."""
        async with trio.open_nursery() as nursery:
            for listener in self.listeners:
                nursery.start_soon(
                    accept, listener, self._sockets, self._serve, nursery, self._work
                )

    async def _serve(self, accepted: stdlib_socket.socket) -> None:
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(accepted))
        peer = None
        try:
            notice_silence(accepted)  # an upload that broke off would hold its memory for long
            peer = self.admit(stream)
            answer = await self._answer(peer)
            if answer is None:
                return
            for part in answer:
                await peer.send_all(part)
            await peer.send_eof()
            if peer.has_place or self.may_linger:
                await peer.linger()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the peer left, or was closed
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another connection
            log.error("a page's connection ended by an error", trace=traceback.format_exc())
        finally:
            if peer is None:
                stream.socket.close()
            elif not peer.is_viewer:  # whoever accepts a WebSocket closes it
                peer.close()

    async def _answer(self, peer: Peer) -> tuple[bytes, bytes] | None:
        try:
            if self.tls is not None and not await peer.begin_tls(self.tls):
                return None
            with peer.may_give_way():
                request = await peer.read_request()
        except RefusedError as refused:
            return refusal(refused.status, str(refused)).serialized()
        if not request:
            return None
        peer.in_work = True
        try:
            answer = await self.answer(peer, request)
        finally:
            peer.in_work = False
        if answer is None:
            try:
                await self._send_websocket.send(peer)
            except trio.Cancelled:  # the page ends, so nobody accepts it any more
                peer.close()
                raise
        return answer

    async def accept(self) -> Peer:
        """Return the next connection that is to become a WebSocket."""
        return await self._websockets.receive()

    async def aclose(self) -> None:
        """Close the port."""
        for listener in self.listeners:
            await listener.aclose()

    def admit(self, stream: trio.SocketStream) -> Peer:
        """Return a new connection, counted if there is a place for it; an idle one may give way."""
        try:
            address = address_of(stream.socket.getpeername()[0])
        except OSError:
            address = ""  # the peer has left already
        requests = [peer for peer in self.peers if not peer.is_viewer]
        own = [peer for peer in requests if peer.address == address]
        has_place = True
        if len(own) >= share_of(address, MAX_REQUESTS):
            has_place = _make_room(own)
        elif len(requests) >= MAX_REQUESTS:
            greediest = _most_common(Counter(peer.address for peer in requests))
            has_place = _make_room([peer for peer in requests if peer.address == greediest])
        peer = Peer(stream, address, self)
        if has_place:
            self.peers[peer] = None
        return peer

    @property
    def may_linger(self) -> bool:
        """Whether those that are turned away may wait, as newcomers needn't wait for that."""
        return self._sockets.available_tokens > ENTERING // 2

    def may_view(self, peer: Peer) -> bool:
        """Return whether a connection may become a WebSocket; if so, count it as one.

        When there are too many, one of the address with the most is closed, provided that it still
        has at least as many as this connection's address then.
        """
        viewers = [other for other in self.peers if other.is_viewer]
        counts = Counter(other.address for other in viewers)
        if counts[peer.address] >= share_of(peer.address, MAX_VIEWERS):
            return False
        if len(viewers) >= MAX_VIEWERS:
            greediest = _most_common(counts)
            if counts[greediest] <= counts[peer.address] + 1:
                return False
            theirs = [other for other in viewers if other.address == greediest]
            min(theirs, key=lambda other: other.active).close()
        peer.is_viewer = True
        return True

    def by_kind(self) -> dict[str, int]:
        """Return the number of open connections: WebSockets (`viewer`), and others (`request`)."""
        viewers = sum(peer.is_viewer for peer in self.peers)
        return {"viewer": viewers, "request": len(self.peers) - viewers}

    async def turn(self, address: str) -> None:
        """Wait for a pass of the loop in which no other connection is served."""
        async with self._work.piece(address):
            pass


def share_of(address: str, places: int) -> int:
    """Return how many of the places one address may have."""
    # On loopback all of them, as behind a proxy all connections come from there.
    return places if is_loopback(address) else places // 2


def _most_common(amounts: Counter[str]) -> str:
    return amounts.most_common(1)[0][0]


def _make_room(peers: list[Peer]) -> bool:
    """Have the connection give way that has been idle for the longest; return whether one was."""
    for peer in sorted(peers, key=lambda peer: peer.active):
        if peer.is_idle:
            peer.give_way()
            return True
    return False


def _unread(descriptor: int) -> bool:
    if descriptor < 0:  # it is closed, or passed on to the TLS relay
        return False
    (count,) = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
    return bool(count)
