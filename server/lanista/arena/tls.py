"""TLS for the ports of an arena, which is spoken by a process of its own (`tls_relay`).

docs/design.md, "TLS", describes the way of a connection. If the relay dies, its connections break,
and another one is started.
"""

import socket
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.arena.worker_process import Link, LinkedProcess, keep_running, log
from lanista.errors import BadInputError
from lanista.system import undoing

HANDSHAKE = b"\x16"
"""The first byte of whoever speaks TLS: the type of the record in which a handshake begins."""
BUFFER = 64 * 1024
"""Size in bytes of the kernel's buffers between arena and relay."""
CONNECTING_TIME = 1.0
"""Seconds that a connection within this machine may take."""

_NO_CHECK_TIME = 0x200000
"""OpenSSL's X509_V_FLAG_NO_CHECK_TIME, which `ssl` has no name for."""


# -- the certificate and its key -----------------------------------------------------------------


class CertificateError(BadInputError):
    """TLS isn't possible with these files; the message begins with a key of the arena's file."""


def load(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return the context of a server that uses a certificate and its key.

    Raises:
        CertificateError: A file can't be read, isn't PEM, the key has a password, or isn't that of
            the certificate.
    """
    for name, path in (("certificate", certificate), ("key", key)):
        try:
            with path.open("rb") as file:
                file.read(1)
        except OSError as error:
            raise CertificateError(f"tls.{name}: {path}: can't be read: {error.strerror}") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(certificate)
    except ssl.SSLError:
        raise CertificateError(f"tls.certificate: {certificate}: no certificate in PEM") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    try:
        # Without any, OpenSSL would ask for the password of an encrypted key in the terminal.
        context.load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        why = f" ({error.reason})" if error.reason else ""
        raise CertificateError(
            f"tls.key: {key}: not the private key of {certificate} in PEM, without a password{why}"
        ) from None
    return context


def validity(context: ssl.SSLContext, certificate: Path) -> tuple[datetime, datetime]:
    """Return since when and until when a certificate that was loaded is valid.

    A handshake in memory shows it.

    Raises:
        CertificateError: A client that trusts the certificate would refuse it, not for its time.
    """
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.load_verify_locations(certificate)
    # The certificate itself is trusted, whoever issued it, and at all times, as we look at those.
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VerifyFlags(_NO_CHECK_TIME)
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    peer = client.wrap_bio(to_client, to_server)
    arena = context.wrap_bio(to_server, to_client, server_side=True)
    try:
        for side in (peer, arena) * 3:  # the turns that a handshake takes at most
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", None) or error.reason
        raise CertificateError(
            f"tls.certificate: {certificate}: clients would refuse it: {why}"
        ) from None
    found = peer.getpeercert()
    assert found, "a client that verifies has the certificate"
    since, until = (
        datetime.fromtimestamp(ssl.cert_time_to_seconds(str(found[key])), UTC)
        for key in ("notBefore", "notAfter")
    )
    return since, until


# -- the relay -----------------------------------------------------------------------------------


@attrs.define(eq=False)
class TlsRelay:
    """The relay of an arena: `run` it while the arena runs."""

    certificate: Path
    key: Path
    _link: Link | None = attrs.field(default=None, init=False)
    """The link to the running relay; None while there is none."""
    _started: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set while there is one."""

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep a relay running until cancelled; has started when the first one is ready."""
        module = "lanista.arena.tls_relay"
        files = str(self.certificate.absolute()), str(self.key.absolute())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(keep_running, self._use, "TLS relay", module, *files)
            await self._started.wait()
            task_status.started()

    def reload(self) -> None:
        """Have new connections use the certificate that is in the files now, unless it is wrong."""
        if self._link is not None:
            self._link.post({"kind": "reload"})

    async def relay(self, peer: socket.socket, address: str, seconds: float) -> socket.socket:
        """Have TLS spoken with a peer, whose socket is closed here; waits while there is no relay.

        Returns the arena's end of a connection over which it gets what the peer sends. It ends if
        there is no handshake within some seconds. The address is for the log.
        """
        with undoing(peer.close):
            await self._started.wait()
            # In a thread, as a stranger on this machine could make it wait.
            ours, theirs = await trio.to_thread.run_sync(local_connection)
        if self._link is None:  # it has ended meanwhile
            peer.close()
            theirs.close()
        else:
            content = {"kind": "relay", "address": address, "seconds": seconds}
            self._link.post(content, b"", [peer, theirs])
        return ours

    async def _use(self, linked: LinkedProcess) -> None:

        def hear(_: dict[str, Any]) -> None:  # it is ready
            self._link = linked.link
            self._started.set()

        try:
            if await linked.listen(hear):
                await linked.process.wait()
            code = linked.process.returncode
            if self._link is not None or code:  # else it has said why it can't begin
                log.error("the TLS relay ended; its connections are broken", code=code)
        finally:
            self._link = None
            if self._started.is_set():  # else somebody may be waiting for it
                self._started = trio.Event()


def local_connection() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a TCP connection within this machine."""
    # A pair of Unix sockets would do, but the kernel gives no time of receipt for those.
    with socket.socket() as server:
        server.settimeout(CONNECTING_TIME)
        server.bind(("127.0.0.1", 0))
        server.listen()
        ours = socket.socket()
        with undoing(ours.close):
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
    return ours, theirs
