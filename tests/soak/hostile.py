"""A process that plays all hostile peers: python tests/soak/hostile.py PORT PAGE

Each kind has an address of its own, from 127.0.0.2 on, and attacks again and again until the
process is ended. Writes a line of JSON with the number of attacks by kind every second.
"""

import abc
import json
import random
import re
import socket
import struct
import sys
from collections import Counter
from pathlib import Path

import trio

sys.path.insert(0, str(Path(__file__).parents[1]))

LARGE = "/page/script.js"
UPLOAD = 32 * 1024 * 1024
HELD = 12.0
"""Seconds that a peer keeps still: longer than any time that the arena gives for a hello, a
request or a piece of an answer."""


class Hostile(abc.ABC):
    """A kind of hostile peers."""

    address = "127.0.0.2"
    pause = 0.2
    """Seconds between two attacks, on average."""

    def __init__(self, port: int, page: int) -> None:
        self.port = port
        self.page = page
        self.attacks = 0
        self._streams: list[trio.SocketStream] = []  # of the present attack

    async def run(self) -> None:
        """Attack again and again."""
        while True:
            await trio.sleep(random.uniform(0, 2 * self.pause))
            self.attacks += 1
            try:
                await self.attack()
            except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                pass  # the arena has closed the connection, as it may
            finally:
                for stream in self._streams:
                    leave(stream)
                self._streams.clear()

    @abc.abstractmethod
    async def attack(self) -> None:
        """Attack once; connections that are open afterwards are closed."""

    async def dial(self, *, page: bool = False, buffer: int = 0) -> trio.SocketStream:
        """Connect to the bots' port, or to the page's."""
        dialling = trio.socket.socket()
        try:
            if buffer:
                dialling.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            await dialling.bind((self.address, 0))
            await dialling.connect(("127.0.0.1", self.page if page else self.port))
        except BaseException:
            dialling.close()
            raise
        stream = trio.SocketStream(dialling)
        self._streams.append(stream)
        return stream

    async def seated(self, hello: str, count: int, *, buffer: int = 0) -> list[trio.SocketStream]:
        """Connect bots that play each other, in a room of their own."""
        room = f"{type(self).__name__}-{random.getrandbits(40)}"
        streams = []
        for number in range(count):
            stream = await self.dial(buffer=buffer)
            await stream.send_all(f"{type(self).__name__}{number} {hello} room={room}\n".encode())
            streams.append(stream)
        return streams


def leave(stream: trio.SocketStream) -> None:
    """Close a connection if it is open, half of the time by a reset."""
    if stream.socket.fileno() < 0:
        return
    if random.random() < 0.5:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()


async def read_until(stream: trio.SocketStream, ending: bytes) -> bytes:
    """Read up to these bytes, or to the end of the connection."""
    data = b""
    while ending not in data:
        piece = await stream.receive_some(1 << 16)
        if not piece:
            break
        data = data[-1000:] + piece
    return data


class Churn(Hostile):
    """Peers that come and go at every stage: silent, in the hello, waiting, in a match."""

    address = "127.0.0.2"
    pause = 0.05

    async def attack(self) -> None:
        stage = random.choice(["silent", "hello", "waiting", "asked", "playing", "sent"])
        if stage in {"asked", "playing"}:
            game, seats = random.choice([("angrymob", 2), ("crematoria", 4)])
            streams = await self.seated(f"v=1 game={game}", seats)
            for _ in range(1 if stage == "asked" else random.randint(1, 30)):
                for stream in streams:
                    await read_until(stream, b"go\n")
                    await stream.send_all(b"\n")
        else:
            streams = [await self.dial()]
            if stage == "hello":
                await streams[0].send_all(b"Half a hel")
            elif stage == "waiting":
                await streams[0].send_all(b"Leaver v=1 room=leavers\n")
                await read_until(streams[0], b"wait")
            elif stage == "sent":  # the hello, answers ahead and the end at once
                await streams[0].send_all(b"Sender v=1 room=senders\n\n\n\n")
                await streams[0].send_eof()


class Strangers(Hostile):
    """Peers that speak another protocol on the bots' port."""

    address = "127.0.0.2"
    pause = 0.5

    async def attack(self) -> None:
        said = [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", bytes.fromhex("160301020001"), b"\xff\xfe\n"]
        stream = await self.dial()
        await stream.send_all(random.choice(said))
        await read_until(stream, b"never")


class Flood(Hostile):
    """Floods before the hello, while waiting, of answers, of log lines and of blanks."""

    address = "127.0.0.3"
    pause = 1.0
    size = 3_000_000

    async def attack(self) -> None:
        kind = random.choice(["before", "waiting", "answers", "logs", "blanks", "numbers"])
        if kind in {"before", "waiting"}:
            streams = [await self.dial()]
        else:
            streams = await self.seated("v=1", 2)
        if kind == "waiting":
            await streams[0].send_all(b"Flood v=1 room=flood\n")
        said = {
            "before": b"x" * 60_000,
            "waiting": b"x" * 60_000 + b"\n",
            "answers": b"\n" * 60_000,
            "logs": (b"#" + b"x" * 998 + b"\n") * 60,
            "blanks": b" " * 60_000 + b"\n",
            "numbers": b"1 " * 30_000 + b"\n",
        }[kind]
        with trio.move_on_after(5):
            async with trio.open_nursery() as nursery:
                for stream in streams:
                    nursery.start_soon(self._flood, stream, said)
                    nursery.start_soon(read_until, stream, b"never")

    async def _flood(self, stream: trio.SocketStream, said: bytes) -> None:
        for _ in range(self.size // len(said)):
            await stream.send_all(said)


class SlowReaders(Hostile):
    """Bots of the largest game that send answers ahead, and read a byte now and then."""

    address = "127.0.0.4"
    pause = 5.0

    async def attack(self) -> None:
        streams = await self.seated("v=1 game=hogwarts", 4, buffer=1)
        for stream in streams:
            await stream.send_all(b"\n")
        for _ in range(int(HELD)):
            await trio.sleep(1)
            for stream in streams:
                with trio.move_on_after(0.1):
                    await stream.receive_some(1)


class HalfHellos(Hostile):
    """Many peers that never end their hello."""

    address = "127.0.0.5"
    pause = 5.0
    count = 150

    async def attack(self) -> None:
        streams = [await self.dial() for _ in range(self.count)]
        for stream in streams:
            await stream.send_all(b"Half")
        await trio.sleep(HELD)


class Storm(Hostile):
    """Hundreds of connections a second, each held for a while."""

    address = "127.0.0.6"
    pause = 10.0
    count = 1200

    async def attack(self) -> None:
        async with trio.open_nursery() as nursery:
            for _ in range(self.count):
                nursery.start_soon(self._hold)
                await trio.sleep(0.002)

    async def _hold(self) -> None:
        try:
            stream = await self.dial()
        except OSError:
            return  # refused, or no port is free
        await trio.sleep(1.5)
        leave(stream)


class HalfRequests(Hostile):
    """Many half requests on the page's port, and some connections that say nothing."""

    address = "127.0.0.7"
    pause = 5.0
    count = 300

    async def attack(self) -> None:
        streams = [await self.dial(page=True) for _ in range(self.count)]
        for stream in streams[20:]:
            await stream.send_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        await trio.sleep(HELD)


class UnreadAnswers(Hostile):
    """Requests whose large answers nobody reads."""

    address = "127.0.0.8"
    pause = 3.0
    count = 20

    async def attack(self) -> None:
        streams = [await self.dial(page=True, buffer=1) for _ in range(self.count)]
        for stream in streams:
            await stream.send_all(f"GET {LARGE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        await trio.sleep(HELD)


class StoppedViewers(Hostile):
    """Viewers of the lobby and of a match who stop reading."""

    address = "127.0.0.9"
    pause = 3.0
    count = 8

    async def attack(self) -> None:
        stream = await self.dial(page=True)
        asked = b"GET /api/1/matches?limit=20 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        await stream.send_all(asked)
        answer = b"".join([piece async for piece in stream])
        matches = re.findall(rb'"match": "(\w+)"', answer)
        for _ in range(self.count):
            viewer = await self.look(buffer=1)
            await viewer.send_all(frame({"do": "lobby"}))
            for match in random.sample(matches, min(3, len(matches))):
                told = match.decode()
                await viewer.send_all(frame({"do": "open", "id": 1, "match": told}))
                await viewer.send_all(frame({"do": "frames", "id": 2, "match": told, "from": 0}))
        await trio.sleep(HELD)

    async def look(self, *, buffer: int = 0) -> trio.SocketStream:
        """Open a WebSocket."""
        stream = await self.dial(page=True, buffer=buffer)
        await stream.send_all(
            b"GET /api/1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        return stream


class Uploads(StoppedViewers):
    """Viewers that announce large files and send next to nothing of them."""

    address = "127.0.0.10"
    pause = 3.0

    async def attack(self) -> None:
        for number in range(self.count):
            viewer = await self.look()
            announced = {"do": "file", "id": number, "name": "x", "size": UPLOAD}
            await viewer.send_all(frame(announced) + frame(b"x"))
        await trio.sleep(HELD)


def frame(message: dict[str, object] | bytes) -> bytes:
    """A short WebSocket message of a client (RFC 6455), masked by zeros."""
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    assert len(data) < 126
    kind = 0x82 if isinstance(message, bytes) else 0x81
    return bytes([kind, 0x80 | len(data)]) + bytes(4) + data


KINDS: tuple[type[Hostile], ...] = (
    Churn,
    Churn,
    Strangers,
    Flood,
    SlowReaders,
    HalfHellos,
    Storm,
    HalfRequests,
    UnreadAnswers,
    StoppedViewers,
    Uploads,
)
"""All that attack at the same time."""


async def attack(port: int, page: int) -> None:
    """Attack with all kinds for ever."""
    peers = [kind(port, page) for kind in KINDS]
    async with trio.open_nursery() as nursery:
        for peer in peers:
            nursery.start_soon(peer.run)
        while True:
            await trio.sleep(1)
            counts: Counter[str] = Counter()
            for peer in peers:
                counts[type(peer).__name__] += peer.attacks
            print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    trio.run(attack, *map(int, sys.argv[1:]))
