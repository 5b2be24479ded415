"""The page's port: HTTP and WebSockets, in the arena's event loop (docs/api.md).

HTTP is for reading, and for handing in programs (`routes`), with one answer for each connection.
Commands go over the WebSocket (`viewer`).
"""

import logging
import traceback
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import cast
from urllib.parse import unquote, urlsplit

import attrs
import structlog
import trio
from websockets.exceptions import WebSocketException
from websockets.http11 import Request
from websockets.trio import messages
from websockets.trio.server import ServerConnection
from websockets.trio.server import serve as serve_websockets

from lanista.arena.admission import is_loopback
from lanista.arena.tls import TlsRelay
from lanista.errors import CannotListenError, RefusedError
from lanista.hosting.accept import open_port
from lanista.hosting.control import Changes
from lanista.match.background import WorkDone
from lanista.page import view as views
from lanista.page.answers import bad_request, forbidden, parse_request, refusal, unavailable
from lanista.page.authorization import Authorization, OperatorToken
from lanista.page.connections import Connections, Peer
from lanista.page.routes import WEBSOCKET, Routes, packed_files
from lanista.page.view import View
from lanista.page.viewer import Viewer

OPEN_TIMEOUT = 10.0
"""Maximum seconds for a WebSocket's handshake, after its request."""
CLOSE_TIMEOUT = 1.0
"""Seconds that a viewer has to close its end of a WebSocket."""
PING_TIMEOUT = 120.0
"""Seconds that a viewer has to answer a ping: it may send a part of a file before, slowly."""
MAX_MESSAGE = 512 * 1024
"""Maximum size of a viewer's message in bytes; each viewer may take as much memory."""
MAX_FRAGMENTS = 128
"""Maximum number of parts of such a message. Each is an object however small it is, and with very
many objects the garbage collector holds up the matches."""
TOURNAMENTS_EVERY = 1.0
"""Seconds between two checks for tables of tournaments that are due, while there are viewers."""
LOOK_EVERY = 0.5
"""Seconds between two looks at which matches tournaments play, while there are viewers."""
GRACE = 3.0
"""Seconds without a viewer after which the page of a match or a tournament ends; reloading the page
takes less."""

log = structlog.get_logger()


@attrs.define(eq=False)
class Server:
    """The server of the page's port: first `listen`, then `run`."""

    view: View
    host: str
    port: int
    token: str | None = None
    """The operator's token, which commands need; None: whoever reaches the page is an operator."""
    open_logs: bool = False
    """Whether viewers see bots' logs during a match even if the page isn't only on loopback."""
    tls: TlsRelay | None = None
    """Speaks TLS with viewers; None for plain text."""
    embed: Sequence[str] = ()
    """The sites that may show the page within theirs."""
    operator: OperatorToken = attrs.field(init=False)
    viewers: set[Viewer] = attrs.field(factory=set, init=False)
    _listeners: list[trio.SocketListener] = attrs.field(factory=list, init=False)
    connections: Connections = attrs.field(init=False)
    _changes: Changes = attrs.field(factory=Changes, init=False)
    """Tells when a viewer comes or leaves."""
    _routes: Routes = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.operator = OperatorToken(self.token)
        # With a token, viewers on loopback may be other people, who come through a proxy.
        is_private = is_loopback(self.host) and self.token is None
        self.view.open_logs = self.open_logs or is_private

    async def listen(self) -> tuple[str, int]:
        """Open the port, and return its host and number.

        Raises:
            CannotListenError: The port is in use, the address isn't this machine's, or there is no
                folder for frames.
        """
        self._listeners, host, self.port = await open_port(
            self.host, self.port, f"--web{self._or_none}", use=" for the page"
        )
        # These take a while at first and are cached: not during a match.
        views.games()
        views.bots(None)
        packed_files()
        if self.view.arena is not None:
            # Imported only now: it takes a while, and nobody needs it without an arena.
            import lanista.page.metrics  # noqa: F401, PLC0415
        try:
            self.view.frame_cache.prepare()
            self.view.sent_frames.prepare()
        except OSError as error:
            self._close()
            raise CannotListenError(
                f"no folder for the page's frames: {error.filename or error}: {error.strerror}; "
                f"choose another with TMPDIR{self._or_none}"
            ) from None
        return host, self.port

    @property
    def _or_none(self) -> str:
        """The words that an error adds if the command has the option to serve no page."""
        return "" if self.view.arena is None else ", or --web none"

    def _close(self) -> None:
        for listener in self._listeners:
            listener.socket.close()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled, after `listen`.

        Once started, an error ends the page only: it is logged, and matches go on.
        """
        is_serving = False
        try:
            async with trio.open_nursery() as nursery:
                await self._begin(nursery)
                is_serving = True
                task_status.started()
        except* Exception:
            if not is_serving:
                raise
            log.error("the page has ended by an error; matches go on", trace=traceback.format_exc())
        finally:
            self._close()

    async def _begin(self, nursery: trio.Nursery) -> None:
        quiet = logging.getLogger("lanista.page.server")
        quiet.setLevel(logging.CRITICAL)  # clients' errors don't belong in our log
        messages.MAX_FRAGMENTS = MAX_FRAGMENTS
        arena = self.view.arena
        done = WorkDone() if arena is None else arena.connections.background.done
        authorization = Authorization(self.operator, self.view)
        scheme = "http" if self.tls is None else "https"
        self._routes = Routes(self.view, authorization, nursery, scheme)
        self.connections = Connections(self._listeners, self._answer, done, self.tls)
        await nursery.start(self.view.frame_cache.run)
        await nursery.start(self.view.sent_frames.run)
        nursery.start_soon(self.view.records_helper.run)
        await nursery.start(self.view.listed.run)
        if self.view.tournaments:
            tournaments = self.view.tournaments
            nursery.start_soon(self._while_seen, tournaments.refresh, TOURNAMENTS_EVERY)
            nursery.start_soon(self._while_seen, tournaments.look, LOOK_EVERY)
        await nursery.start(
            lambda task_status: serve_websockets(
                self._serve_viewer,
                listeners=cast("list[trio.SocketListener]", [self.connections]),
                compression=None,
                server_header=None,
                open_timeout=OPEN_TIMEOUT,
                close_timeout=CLOSE_TIMEOUT,
                ping_timeout=PING_TIMEOUT,
                max_size=MAX_MESSAGE,
                max_queue=0,
                logger=quiet,
                task_status=task_status,
            )
        )
        nursery.start_soon(self.connections.run)

    async def _while_seen(self, do: Callable[[], Awaitable[None]], every: float) -> None:
        """Do something again and again while there are viewers, after a pause in seconds."""
        while True:
            await self.wait_for_viewers()
            await do()
            await trio.sleep(every)

    async def wait_for_viewers(self) -> None:
        """Return as soon as there are viewers."""
        while not self.viewers:
            await self._changes.wait(self._changes.count)

    async def wait_without_viewers(self) -> None:
        """Return when there has been no viewer for `GRACE` seconds."""
        while True:
            while self.viewers:
                await self._changes.wait(self._changes.count)
            with trio.move_on_after(GRACE) as scope:
                await self.wait_for_viewers()
            if scope.cancelled_caught:
                return

    async def _serve_viewer(self, connection: ServerConnection) -> None:
        peer = cast("Peer", connection.stream)  # `Connections.accept` returned it
        viewer = Viewer(connection, peer, self.view, self.viewers, self.operator)
        self.viewers.add(viewer)
        self._changes.tell()
        self.view.frame_cache.warm_up()
        try:
            await viewer.run()
        except* (WebSocketException, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the viewer left
        except* Exception:  # noqa: BLE001 - a fault of ours must not reach another viewer
            log.error("a viewer's connection ended by an error", trace=traceback.format_exc())
        finally:
            if connection.recv_flow_control is not None:
                # websockets' reader waits until its message is read, also once nobody reads.
                connection.resume_reading()
            # These lead back to the connection; hundreds that left would be garbage to search for.
            connection.connection_exc = connection.protocol.parser_exc = None
            self.viewers.discard(viewer)
            self._changes.tell()

    # -- HTTP ----------------------------------------------------------------------------------

    async def _answer(self, peer: Peer, data: bytes) -> tuple[bytes, bytes] | None:
        is_head = False
        try:
            request, length = parse_request(data)
            is_head = request.method == "HEAD"
            if is_head:
                request.method = "GET"
            self._check_origin(request, length)
            if unquote(request.path.partition("?")[0]) == WEBSOCKET and request.method == "GET":
                self._check_viewer(peer, request, is_head=is_head)
                return None
            answer = await self._routes.answer(peer, request, length)
        except RefusedError as refused:
            answer = refusal(refused.status, str(refused))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise  # the peer left while it sent a body
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another connection
            log.error("a request ended by an error", trace=traceback.format_exc())
            message = "the arena failed; this isn't the request's fault"
            answer = refusal(HTTPStatus.INTERNAL_SERVER_ERROR, message)
        head, body = answer.serialized(self.embed)
        return head, b"" if is_head else body

    def _check_viewer(self, peer: Peer, request: Request, *, is_head: bool) -> None:
        upgrades = [name.lower() for name in request.headers.get_all("Upgrade")]
        if upgrades != ["websocket"] or is_head:
            raise RefusedError(HTTPStatus.UPGRADE_REQUIRED, "this path is a WebSocket")
        if not self.connections.may_view(peer):
            raise unavailable("too many viewers already")

    def _check_origin(self, request: Request, length: int) -> None:
        """Refuse requests that another site's page makes a browser send.

        On loopback, foreign host names are refused, too: another site could have its name resolved
        to this machine, and browsers would take its page for ours (DNS rebinding).
        """
        if length and request.method == "GET":
            raise bad_request("not an HTTP request: GET has no body")
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or len(origins) > 1:
            raise bad_request("a request has one Host header and at most one Origin header")
        (host,) = hosts
        own = {self.host, "localhost", "127.0.0.1", "::1"}
        if is_loopback(self.host) and _name_of(host) not in own:
            raise forbidden(f"Host {host!r} isn't this page's address")
        for origin in origins:
            if origin.partition("://")[2] != host:
                raise forbidden(f"Origin {origin!r} isn't this page's")


def _name_of(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None
