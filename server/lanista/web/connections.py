"""The page's connections: how many there may be, how long each may take, and which have to go.

The page's port is open to whoever reaches it, and shares its loop with the matches. So what comes
in is handled in slices, one connection a pass of the loop, and until its request is complete a
connection costs little more than a buffer.
"""

from collections import Counter
from collections.abc import Awaitable, Callable

import attrs
import trio

from lanista.arena.admission import address_of, is_loopback
from lanista.hosting.accept import accept
from lanista.match.background import SHARE, BackgroundWork, WorkDone

MAX_VIEWERS = 500
"""WebSockets at once; more are refused."""
MAX_REQUESTS = 500
"""Connections at once that are no WebSockets; of more, the one that is idle the longest goes."""
MAX_CONNECTIONS = MAX_VIEWERS + MAX_REQUESTS
"""Connections at once, of both kinds."""
ENTERING = 64
"""Connections beside those that have just come, or are just closing."""
REQUEST_TIME = 5.0
"""Seconds from connecting within which the request must be complete."""
MAX_REQUEST = 32 * 1024
"""Bytes of a request."""
RECEIVED = 4096
"""Bytes that are handled at once: of the shortest messages, these are some milliseconds' work."""
REQUEST_WORK = 0.003
"""Seconds of the loop that a request is reckoned to cost, with its answer and what remains of it
for the garbage collector."""
TAKING_TIME = 10.0
"""Seconds that a peer has to take the next `SENT` bytes of what it is sent."""
SENT = 64 * 1024
ANSWER_TIME = 300.0
"""Seconds for an answer: a large record over a slow line."""
LINGERING = 1.0
"""Seconds that a peer has to close its end when it has its answer."""
MAX_ANSWERS = 64 * 1024 * 1024
"""Bytes of large answers that are in memory at once."""


@attrs.define(eq=False)
class Peer(trio.abc.HalfCloseableStream):
    """A connection of the page, as `websockets` reads and writes it."""

    stream: trio.SocketStream
    address: str
    """The address that it counts for."""
    connections: "Connections"
    heard: float = attrs.field(factory=trio.current_time, init=False)
    """When its last bytes came."""
    active: float = attrs.field(factory=trio.current_time, init=False)
    """When it connected, or last took something of its answer."""
    is_viewer: bool = attrs.field(default=False, init=False)
    """Whether it is a WebSocket."""
    holds: int = attrs.field(default=0, init=False)
    """Bytes of memory that its answer takes, if that is a large one."""
    closed: trio.Event = attrs.field(factory=trio.Event, init=False)
    _unread: bytes = attrs.field(default=b"", init=False)  # came, but wasn't handed out

    @property
    def socket(self) -> trio.socket.SocketType:
        """The socket, of which `websockets` asks the addresses."""
        return self.stream.socket

    async def read_request(self) -> bytes:
        """Read a request, or what can't become one; nothing if it takes too long, or is too long.

        Its bytes are also what `receive_some` then gives first.
        """
        came = bytearray()
        with trio.move_on_after(REQUEST_TIME):
            while len(came) <= MAX_REQUEST:
                data = await self._receive(RECEIVED)
                if not data:
                    return b""
                came += data
                line, end, _ = came.partition(b"\r\n")
                if b"\r\n\r\n" in came or (end and not line.endswith(b" HTTP/1.1")):
                    self._unread = bytes(came)
                    return self._unread
        return b""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes, as the stream does, but few at once."""
        size = min(max_bytes or RECEIVED, RECEIVED)
        if self._unread:
            data, self._unread = self._unread[:size], self._unread[size:]
            await trio.lowlevel.checkpoint()
            return data
        return await self._receive(size)

    async def _receive(self, size: int) -> bytes:
        try:
            data = await self.stream.receive_some(size)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await self.connections.turn(self.address)
            raise
        await self.connections.turn(self.address)
        self.heard = trio.current_time()
        return data

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, as the stream does; a peer that doesn't take them is closed."""
        with memoryview(data) as view:
            for start in range(0, len(view), SENT):
                with trio.move_on_after(TAKING_TIME) as scope, view[start : start + SENT] as part:
                    await self.stream.send_all(part)
                if scope.cancelled_caught:
                    self.close()
                    raise trio.BrokenResourceError("the peer doesn't read")
                self.active = trio.current_time()

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until bytes could be sent, as the stream does."""
        await self.stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """Tell the peer that no more follows, as the stream does."""
        await self.stream.send_eof()

    async def linger(self) -> None:
        """Wait for the peer's end: what it may still send would reset the connection."""
        with trio.move_on_after(LINGERING):
            while await self._receive(RECEIVED):
                pass

    def close(self) -> None:
        """Close the connection at once; a task that waits for it is told so."""
        self.stream.socket.close()
        self.closed.set()
        self.connections.forget(self)

    async def aclose(self) -> None:
        """Close the connection at once."""
        self.close()
        await trio.lowlevel.checkpoint()


@attrs.define(eq=False)
class Connections(trio.abc.Listener[Peer]):
    """All connections of the page; `run` answers requests, `accept` gives the WebSockets.

    Only for a WebSocket does `websockets` make its connection object: what it leaves behind is a
    lot for the garbage collector, which holds the loop when it looks for it.

    Nobody is turned away for those that say or read nothing: when there are too many, one of the
    address that has most of them goes. Behind a proxy, and on loopback, all are of one address.
    """

    listeners: list[trio.SocketListener]
    answer: Callable[[Peer, bytes], Awaitable[bytes | None]]
    """Gives the answer to a request; None: go on with a WebSocket."""
    done: WorkDone = attrs.field(factory=WorkDone)
    """Where its work is counted, beside the arena's."""
    _peers: dict[Peer, None] = attrs.field(factory=dict, init=False)  # in the order they came
    _sockets: trio.Semaphore = attrs.field(init=False)  # those that may still be accepted
    _work: BackgroundWork = attrs.field(init=False)
    _asking: trio.MemorySendChannel[Peer] = attrs.field(init=False)
    _asked: trio.MemoryReceiveChannel[Peer] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._work = BackgroundWork(1, SHARE / 2, self.done, REQUEST_WORK)
        self._sockets = trio.Semaphore(MAX_CONNECTIONS + ENTERING)
        self._asking, self._asked = trio.open_memory_channel(0)

    @property
    def socket(self) -> trio.socket.SocketType:
        """What is listened on."""
        return self.listeners[0].socket

    async def run(self) -> None:
        """Let connections in until cancelled."""
        async with trio.open_nursery() as nursery:
            for listener in self.listeners:
                nursery.start_soon(
                    accept, listener, self._sockets, self._let_in, nursery, self._work
                )

    async def _let_in(self, stream: trio.SocketStream) -> None:
        peer = self.admit(stream)
        try:
            request = await peer.read_request()
            if not request:
                return
            answer = await self.answer(peer, request)
            if answer is None:
                await self._asking.send(peer)
                await peer.closed.wait()
                return
            with trio.move_on_after(ANSWER_TIME):
                await peer.send_all(answer)
                await peer.send_eof()
                await peer.linger()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it left, or had to go
        finally:
            peer.close()

    async def accept(self) -> Peer:
        """Return the next connection that is to be a WebSocket."""
        return await self._asked.receive()

    async def aclose(self) -> None:
        """Close the port."""
        for listener in self.listeners:
            await listener.aclose()

    def admit(self, stream: trio.SocketStream) -> Peer:
        """Count a newcomer; another one may have to go for it."""
        try:
            address = address_of(stream.socket.getpeername()[0])
        except OSError:
            address = ""  # it has left already
        requests = [peer for peer in self._peers if not peer.is_viewer]
        own = [peer for peer in requests if peer.address == address]
        if len(own) >= share_of(address, MAX_REQUESTS):
            _idlest(own).close()
        elif len(requests) >= MAX_REQUESTS:
            greediest = _largest(Counter(peer.address for peer in requests))
            _idlest([peer for peer in requests if peer.address == greediest]).close()
        peer = Peer(stream, address, self)
        self._peers[peer] = None
        return peer

    def may_view(self, peer: Peer) -> bool:
        """Whether there is room for one more WebSocket; if so, this one has it."""
        viewers = [other for other in self._peers if other.is_viewer]
        own = sum(other.address == peer.address for other in viewers)
        if len(viewers) >= MAX_VIEWERS or own >= share_of(peer.address, MAX_VIEWERS):
            return False
        peer.is_viewer = True
        return True

    def hold(self, peer: Peer, size: int) -> None:
        """Count the memory of a large answer; others that are being sent may have to go for it."""
        while holding := [other for other in self._peers if other.holds]:
            sizes: Counter[str] = Counter()
            for other in holding:
                sizes[other.address] += other.holds
            if sizes.total() + size <= MAX_ANSWERS:
                break
            greediest = _largest(sizes)
            _idlest([other for other in holding if other.address == greediest]).close()
        peer.holds = size

    async def turn(self, address: str) -> None:
        """Wait for a pass of the loop in which no other connection has its turn."""
        async with self._work.piece(address):
            pass

    def forget(self, peer: Peer) -> None:
        """Count a connection no longer: it is closed."""
        self._peers.pop(peer, None)


def share_of(address: str, places: int) -> int:
    """How many of the places one address may have: half, but on loopback, where a proxy may be."""
    return places if is_loopback(address) else places // 2


def _largest(amounts: Counter[str]) -> str:
    return amounts.most_common(1)[0][0]


def _idlest(peers: list[Peer]) -> Peer:
    return min(peers, key=lambda peer: peer.active)
