"""TLS for the ports of an arena, which is spoken by a process of its own (`tls_relay`).

The arena accepts and counts connections as without TLS. When a peer begins to speak TLS, its socket
is handed to the relay, and the arena goes on with a connection to that. If the relay dies, its
connections break, and another one is started.
"""

import socket
import traceback
from collections.abc import Callable
from pathlib import Path

import attrs
import structlog
import trio

from lanista.arena.link import Link
from lanista.arena.worker_process import log_for, start, stop

HANDSHAKE = b"\x16"
"""The first byte of whoever speaks TLS: the type of the record in which a handshake begins."""
PAUSE = 0.1
"""Seconds until the relay is started again, twice as long each time that it ended at once."""
LONGEST_PAUSE = 10.0
"""The longest such pause, in seconds, and the time after which it hasn't ended at once."""
BUFFER = 64 * 1024
"""Size in bytes of the kernel's buffers between arena and relay."""
CONNECTING_TIME = 1.0
"""Seconds that a connection within this machine may take."""

log = structlog.get_logger()


@attrs.define(eq=False)
class TlsRelay:
    """The relay of an arena: `run` it while the arena runs."""

    certificate: Path
    key: Path
    _link: Link | None = attrs.field(default=None, init=False)
    """The link to the running relay; None while there is none."""
    _started: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set while there is one."""
    _when_ready: Callable[[], None] = attrs.field(default=lambda: None, init=False)
    """Called when there is one for the first time."""

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep a relay running until cancelled; has started when the first one is ready."""
        self._when_ready = task_status.started
        pause = PAUSE
        while True:
            began = trio.current_time()
            try:
                await self._run_once()
            except OSError as error:
                log.error("can't start the TLS relay", why=error.strerror)  # noqa: TRY400
            if trio.current_time() - began > LONGEST_PAUSE:
                pause = PAUSE
            await trio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def reload(self) -> None:
        """Have the certificate read again; what is wrong with it is logged, and the old one stays.

        Connections that stand aren't concerned.
        """
        if self._link is not None:
            self._link.post({"kind": "reload"})

    async def relay(self, peer: socket.socket, address: str, seconds: float) -> socket.socket:
        """Have TLS spoken with a peer; waits while there is no relay.

        Args:
            peer: The socket of the connection, or a duplicate; it is closed here in any case.
            address: The peer's address, for the log.
            seconds: How long the handshake may take.

        Returns:
            The arena's end of a connection to the relay, over which it gets what the peer sends. It
            ends if there is no handshake.

        Raises:
            OSError: There are no more descriptors or ports.
        """
        try:
            await self._started.wait()
            # In a thread, as a stranger on this machine could make it wait.
            ours, theirs = await trio.to_thread.run_sync(local_connection)
        except BaseException:
            peer.close()
            raise
        if self._link is None:  # it has ended meanwhile
            peer.close()
            theirs.close()
        else:
            content = {"kind": "relay", "address": address, "seconds": seconds}
            self._link.post(content, b"", [peer, theirs])
        return ours

    async def _run_once(self) -> None:
        """Start a relay, and listen to it until it has ended.

        Raises:
            OSError: It can't be started.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                files = str(self.certificate.absolute()), str(self.key.absolute())
                process = await start("lanista.arena.tls_relay", theirs, *files)
        except BaseException:
            ours.close()
            raise
        link = Link(ours)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.write)
                await self._listen(link)
                nursery.cancel_scope.cancel()
            log.error("the TLS relay ended; its connections are broken")
        finally:
            self._link, self._started = None, trio.Event()
            await stop(link, process)

    async def _listen(self, link: Link) -> None:
        try:
            while (message := await link.receive()) is not None:
                for unwanted in message.sockets:
                    unwanted.close()
                if message.content["kind"] == "ready":
                    self._link = link
                    self._started.set()
                    self._when_ready()
                    self._when_ready = lambda: None
                else:
                    log_for(message.content)
        except Exception:  # noqa: BLE001 - a fault of the relay must not end the arena
            log.error(  # noqa: TRY400 - the trace is in the line
                "the TLS relay can't be understood", trace=traceback.format_exc()
            )


def local_connection() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a TCP connection within this machine.

    A pair of Unix sockets would do, but the kernel tells no time of receipt for those.

    Raises:
        OSError: There are no more descriptors or ports.
    """
    with socket.socket() as server:
        server.settimeout(CONNECTING_TIME)
        server.bind(("127.0.0.1", 0))
        server.listen()
        ours = socket.socket()
        try:
            ours.settimeout(CONNECTING_TIME)
            ours.connect(server.getsockname())
            while True:
                theirs, peer = server.accept()
                if peer == ours.getsockname():
                    break
                theirs.close()  # of a stranger on this machine who was faster
            for end in (ours, theirs):
                for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
                    end.setsockopt(socket.SOL_SOCKET, option, BUFFER)
        except BaseException:
            ours.close()
            raise
    return ours, theirs
