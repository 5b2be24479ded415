"""The TLS relay: a process that speaks TLS with an arena's peers, and plain text with the arena.

Started by `tls`, which sends it the socket of each connection with one end of a connection within
this machine. So the time that handshakes take keeps no match waiting.

A connection holds at most `CHUNK` bytes in each direction, besides the kernel's buffers. Handshakes
take turns, so that a crowd of them delays the others' lines by a few milliseconds at most.
"""

import socket
import ssl
import sys
from contextlib import suppress
from pathlib import Path

import attrs
import trio

from lanista.arena.limits import LogLimit
from lanista.arena.tls import CertificateError, load
from lanista.arena.worker_process import Link, Message, end_of_link, forward_log, log
from lanista.match.background import BackgroundWork
from lanista.nurseries import helpers_nursery

CHUNK = 64 * 1024
"""Number of bytes that are passed on at once."""
LINGERING = 1.0
"""Seconds that a peer has to take its last bytes and to close its side."""
FAILURES_LOGGED = 20
"""Number of failed handshakes per second that are logged."""


@attrs.define(eq=False)
class _Peer(trio.abc.Stream):
    """The connection to a peer, below TLS."""

    stream: trio.SocketStream
    address: str
    work: BackgroundWork
    is_new: bool = True
    """Whether the handshake isn't over."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes; during the handshake when it is the peer's turn for the next step."""
        data = await self.stream.receive_some(max_bytes)
        if self.is_new:
            async with self.work.piece(self.address):
                pass
        return bytes(data)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send all bytes."""
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until something can be sent."""
        await self.stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Close the connection once the peer has done so, or has had the time.

        If it still sent something after we closed, the connection would be reset, and the peer
        might lose its last lines.
        """
        with (
            trio.move_on_after(LINGERING),
            suppress(trio.BrokenResourceError, trio.ClosedResourceError),
        ):
            await self.stream.send_eof()
            while await self.stream.receive_some(CHUNK):
                pass
        await self.stream.aclose()


@attrs.define(eq=False)
class Relay:
    """Carries out what the arena sends over a link."""

    link: Link
    certificate: Path
    key: Path
    _context: ssl.SSLContext = attrs.field(init=False)
    _work: BackgroundWork = attrs.field(factory=lambda: BackgroundWork(1), init=False)
    _lines: LogLimit = attrs.field(factory=lambda: LogLimit(FAILURES_LOGGED, 1.0), init=False)

    async def run(self) -> None:
        """Relay connections until the link ends; unusable files are a CertificateError."""
        self._context = load(self.certificate, self.key)
        async with helpers_nursery() as helpers:
            helpers.start_soon(self.link.write)
            self.link.post({"kind": "ready"})
            async with trio.open_nursery() as connections:
                while (message := await self.link.receive()) is not None:
                    if message.content["kind"] == "relay":
                        connections.start_soon(self._relay, message)
                    elif message.content["kind"] == "reload":
                        self._reload()
                connections.cancel_scope.cancel()

    def _reload(self) -> None:
        try:
            self._context = load(self.certificate, self.key)
        except CertificateError as error:
            log.error("the previous certificate stays in use", why=str(error))
        else:
            log.info("the certificate was reloaded", certificate=str(self.certificate))

    async def _relay(self, message: Message) -> None:
        """Relay one connection until it ends; nothing that goes wrong concerns another."""
        streams = [
            trio.SocketStream(trio.socket.from_stdlib_socket(each)) for each in message.sockets
        ]
        try:
            if len(streams) < 2:  # the kernel drops sockets that are too many for this process
                raise OSError("too many open files")  # noqa: TRY301 - logged like others, below
            outer, inner = streams
            peer = _Peer(outer, message.content["address"], self._work)
            tls = trio.SSLStream(peer, self._context, server_side=True)
            if await self._shake_hands(tls, peer, inner, message.content["seconds"]):
                await _pass_on(tls, inner)
                with trio.move_on_after(2 * LINGERING):
                    await tls.aclose()
        except OSError as error:
            peer_address, why = message.content["address"], str(error)
            self._lines.log(log.warning, "a TLS connection failed", peer=peer_address, why=why)
        finally:
            for stream in streams:
                stream.socket.close()

    async def _shake_hands(
        self, tls: "trio.SSLStream[_Peer]", peer: _Peer, inner: trio.SocketStream, seconds: float
    ) -> bool:
        why = f"no complete handshake within {seconds:g} s"

        async def hurry() -> None:
            """End the handshake soon if the arena sends the peer away: else it says nothing yet.

            Its place goes to another then. Whoever connected again and again would have more and
            more handshakes here.
            """
            nonlocal why
            words = b""
            with suppress(OSError):
                words = await inner.socket.recv(1, socket.MSG_PEEK)
            why = "the arena sent it away"
            until = trio.current_time() + (LINGERING if words else 0.0)
            scope.deadline = min(scope.deadline, until)

        with trio.move_on_after(seconds) as scope:
            async with helpers_nursery() as helpers:
                helpers.start_soon(hurry)
                try:
                    await tls.do_handshake()
                except trio.BrokenResourceError as error:
                    cause = error.__cause__
                    why = "the peer has left"
                    if isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError):
                        # A name of OpenSSL's, such as UNSUPPORTED_PROTOCOL. For an end, Python
                        # 3.11.2 has none.
                        why = cause.reason or why
                else:
                    peer.is_new = False
        if peer.is_new:
            self._lines.log(log.warning, "a TLS handshake failed", peer=peer.address, why=why)
        return not peer.is_new


async def _pass_on(tls: "trio.SSLStream[_Peer]", inner: trio.SocketStream) -> None:
    """Pass on what the peer and the arena send, until the arena sends no more."""
    async with trio.open_nursery() as nursery:

        async def from_peer() -> None:
            with suppress(trio.BrokenResourceError):
                while data := await tls.receive_some(CHUNK):
                    await inner.send_all(data)
            with suppress(trio.BrokenResourceError):
                await inner.send_eof()

        nursery.start_soon(from_peer)
        with suppress(trio.BrokenResourceError):
            while data := await inner.receive_some(CHUNK):
                await tls.send_all(data)
        nursery.cancel_scope.cancel()


def main() -> None:
    """Be the relay of the arena at the other end of the link."""
    ours = end_of_link()
    certificate, key = map(Path, sys.argv[2:])

    async def run() -> None:
        link = Link(ours)
        forward_log(link)
        try:
            await Relay(link, certificate, key).run()
        except CertificateError as error:
            log.error("no TLS until this is mended; the files are read again soon", why=str(error))

    trio.run(run)


if __name__ == "__main__":
    main()
