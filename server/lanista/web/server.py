"""The page's port: HTTP and WebSockets, in the arena's event loop (docs/api.md).

HTTP is for reading only: GET, with one answer for each connection. Commands go over the WebSocket
(`viewer`). What the answers contain comes from `view`; `connections` limits how many peers there
are and what they cost.
"""

import base64
import http
import json
import logging
import math
import re
import traceback
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

import attrs
import structlog
import trio
from websockets.datastructures import Headers
from websockets.exceptions import WebSocketException
from websockets.http11 import Request, Response
from websockets.streams import StreamReader
from websockets.trio.server import ServerConnection
from websockets.trio.server import serve as serve_websockets

from lanista.arena.admission import is_loopback
from lanista.arena.limits import Turns
from lanista.arena.processes.tls import TlsRelay
from lanista.errors import CannotListenError
from lanista.match.background import WorkDone
from lanista.match.ending import Ending
from lanista.match.record import ENDING, BadRecordError
from lanista.playback.frame_cache import NoFramesError
from lanista.playback.page_script import PAGE, script
from lanista.playback.replay_reader import GZIP
from lanista.rules.outcome import Termination
from lanista.web import view as views
from lanista.web.connections import Connections, Peer
from lanista.web.ladders import UnknownBotError
from lanista.web.operator_token import OperatorToken
from lanista.web.tournament_matches import LOOK_EVERY
from lanista.web.tournaments import NoStandingsError
from lanista.web.view import DEFAULT_MATCHES, MAX_MATCHES, View, Visitor
from lanista.web.viewer import Viewer
from lanista_protocol import ErrorCode, RemoteProtocolError

if TYPE_CHECKING:
    from lanista.web.metrics import Metrics

OPEN_TIMEOUT = 10.0
"""Maximum seconds for a WebSocket's handshake, after its request."""
CLOSE_TIMEOUT = 1.0
"""Seconds that a viewer has to close its end of a WebSocket."""
MAX_MESSAGE = 512 * 1024
"""Maximum size of a viewer's message in bytes; each viewer may take as much memory."""
ROWS_AT_ONCE = 200
"""Number of rows of standings that are encoded at once: less than a millisecond's work."""
TOURNAMENTS_EVERY = 1.0
"""Seconds between two checks for tournaments that are due, while there are viewers."""
ENDS = tuple(end.value for end in Termination)
"""Ways in which a match can end, as in the parameter `end`."""
TOURNAMENT_FILTERS = ("player", "against", "ending", "fault")
"""The parameters by which a tournament's matches are filtered."""
TOURNAMENT_VALUES = {
    "ending": tuple(ending.value for ending in Ending),
    "fault": ("late", "malformed", "illegal"),
}
"""The values that some of them may have."""
LADDERS_EVERY = 1.0
"""Seconds between two checks for ladders' tables that are due, while there are viewers."""
LADDERS_AT_LEAST_EVERY = 3600.0
"""The same if there are none: each table is a snapshot of the ratings for later (docs/api.md)."""
LADDER = re.compile("/api/1/ladders/([^/]+)(?:/bots/([^/]+)(?:/against/([^/]+))?)?")
"""The path of a ladder, of a bot on it, or of two bots."""
TOURNAMENT = "/api/1/tournaments/"
"""Prefix of a path that ends with a tournament's name, which may contain slashes."""

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The content type of Prometheus's text format."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
SCRIPT = "/page/script.js"
"""Path of all modules in one, which index.html names."""
JSON = "application/json"

log = structlog.get_logger()


@attrs.frozen
class _Answer(Exception):  # noqa: N818 - an answer, which may be an error
    """The answer to a request, raised by whatever knows it first."""

    status: http.HTTPStatus
    body: bytes
    type: str = JSON
    name: str | None = None
    """The file name under which a browser saves it."""


def _error(status: http.HTTPStatus, message: str) -> _Answer:
    return _Answer(status, json.dumps({"error": message}).encode())


def _closed() -> _Answer:
    """Return the answer to a request whose connection was closed, which nobody gets."""
    return _error(http.HTTPStatus.SERVICE_UNAVAILABLE, "others needed this connection's place")


def _serialized(answer: _Answer) -> bytes:
    """Return the bytes of an answer."""
    headers = Headers(HEADERS)
    if answer.name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{answer.name}"'
    if answer.status is http.HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET"
    if answer.status is http.HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    headers["Content-Type"] = answer.type
    headers["Content-Length"] = str(len(answer.body))
    headers["Connection"] = "close"
    return Response(answer.status, answer.status.phrase, headers, answer.body).serialize()


def _parse(data: bytes) -> Request:
    """Parse a request.

    Raises:
        _Answer: The data isn't a request.
    """
    reader = StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    try:
        next(Request.parse(reader.read_line))
    except StopIteration as parsed:
        return cast("Request", parsed.value)
    except Exception as error:  # noqa: BLE001 - of many types, as its documentation says
        raise _error(http.HTTPStatus.BAD_REQUEST, f"not an HTTP request: {error}"[:500]) from None
    raise _error(http.HTTPStatus.BAD_REQUEST, "not an HTTP request: it doesn't end")


def _json(value: Any) -> _Answer:
    return _Answer(http.HTTPStatus.OK, json.dumps(value).encode())


@attrs.define(eq=False)
class Server:
    """The server of the page's port: first `listen`, then `run`."""

    view: View
    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    """The operator's token, which commands need; None: whoever reaches the page is an operator."""
    open_logs: bool = False
    """Whether viewers see bots' logs during a match even if the page isn't only on loopback."""
    metrics: "Metrics | None" = attrs.field(default=None, init=False)
    """Makes the text of the arena's figures; None if this isn't an arena's page."""
    tls: TlsRelay | None = None
    """Speaks TLS with viewers; None for plain text."""
    operator: OperatorToken = attrs.field(init=False)
    """Finds out who is the operator."""
    viewers: set[Viewer] = attrs.field(factory=set, init=False)
    _files: dict[str, tuple[bytes, str]] = attrs.field(init=False)
    _listeners: list[trio.SocketListener] = attrs.field(factory=list, init=False)
    connections: Connections = attrs.field(init=False)
    has_viewers: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set while at least one viewer is connected; replaced when the last one leaves."""
    _viewer_left: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when a viewer leaves; then replaced."""
    _nursery: trio.Nursery = attrs.field(init=False)
    _turns: Turns = attrs.field(factory=Turns, init=False)
    """By kind of work and address."""

    def __attrs_post_init__(self) -> None:
        self._files = dict(page_files())
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
        try:
            self._listeners = await trio.open_tcp_listeners(self.port, host=self.host)
        except (OSError, UnicodeError) as error:  # UnicodeError: not a host's name
            why = error.strerror if isinstance(error, OSError) else None
            raise CannotListenError(
                f"can't listen on {self.host}:{self.port} for the page: {why or error}; "
                "choose another address with --web, or --no-web"
            ) from None
        if not self.port:
            # A name with several addresses got another free port on each; only one is announced.
            for other in self._listeners[1:]:
                await other.aclose()
            del self._listeners[1:]
        host, self.port = self._listeners[0].socket.getsockname()[:2]
        # These take a while at first and are cached: not during a match.
        views.games()
        views.bots(None)
        if self.view.arena is not None:
            # Imported only now: it takes a while, and nobody needs it without an arena.
            from lanista.web.metrics import Metrics  # noqa: PLC0415

            self.metrics = Metrics(self.view.arena)
        try:
            self.view.frame_cache.prepare()
        except OSError as error:
            self._close()
            raise CannotListenError(
                f"no folder for the page's frames: {error.filename or error}: {error.strerror}; "
                "choose another with TMPDIR, or --no-web"
            ) from None
        return host, self.port

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
            log.error(  # noqa: TRY400 - the trace is in the line
                "the page has ended by an error; matches go on", trace=traceback.format_exc()
            )
        finally:
            self._close()

    async def _begin(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        quiet = logging.getLogger("lanista.web.server")
        quiet.setLevel(logging.CRITICAL)  # clients' errors don't belong in our log
        arena = self.view.arena
        done = WorkDone() if arena is None else arena.background.done
        self.connections = Connections(self._listeners, self._answer, done, self.tls)
        await nursery.start(self.view.frame_cache.run)
        await nursery.start(self.view.run)
        if self.view.tournaments:
            nursery.start_soon(self._follow_tournaments)
        if self.view.tournament_matches.sources:
            nursery.start_soon(self._follow_tournament_matches)
        if self.view.ladders:
            nursery.start_soon(self._follow_ladders)
        await nursery.start(
            lambda task_status: serve_websockets(
                self._serve_viewer,
                listeners=cast("list[trio.SocketListener]", [self.connections]),
                compression=None,
                server_header=None,
                open_timeout=OPEN_TIMEOUT,
                close_timeout=CLOSE_TIMEOUT,
                max_size=MAX_MESSAGE,
                max_queue=0,
                logger=quiet,
                task_status=task_status,
            )
        )
        nursery.start_soon(self.connections.run)

    async def _follow_tournaments(self) -> None:
        """Keep the lobby's tables of tournaments up to date while there are viewers."""
        while True:
            await self.has_viewers.wait()
            await self.view.tournaments.refresh()
            await trio.sleep(TOURNAMENTS_EVERY)

    async def _follow_tournament_matches(self) -> None:
        """Keep up with the matches that tournaments play, while there are viewers."""
        while True:
            await self.has_viewers.wait()
            await self.view.tournament_matches.refresh()
            await trio.sleep(LOOK_EVERY)

    async def _follow_ladders(self) -> None:
        """Keep the tables of ladders up to date: often while there are viewers."""
        while True:
            with trio.move_on_after(LADDERS_AT_LEAST_EVERY):
                await self.has_viewers.wait()
            await self.view.ladders.refresh()
            await trio.sleep(LADDERS_EVERY)

    async def wait_without_viewers(self, grace: float) -> None:
        """Return when there has been no viewer for so many seconds."""
        while True:
            with trio.move_on_after(grace) as scope:
                while self.viewers:
                    scope.deadline = math.inf
                    await self._viewer_left.wait()
                scope.deadline = trio.current_time() + grace
                await self.has_viewers.wait()
            if scope.cancelled_caught:
                return

    async def _serve_viewer(self, connection: ServerConnection) -> None:
        """Serve one viewer until it leaves."""
        peer = cast("Peer", connection.stream)  # `Connections.accept` returned it
        viewer = Viewer(connection, peer, self.view, self.viewers, self.operator)
        self.viewers.add(viewer)
        self.has_viewers.set()
        try:
            await viewer.run()
        except* (WebSocketException, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the viewer left
        except* Exception:  # noqa: BLE001 - a fault of ours must not reach another viewer
            log.error(  # noqa: TRY400 - the trace is in the line
                "a viewer's connection ended by an error", trace=traceback.format_exc()
            )
        finally:
            self.viewers.discard(viewer)
            if not self.viewers:
                self.has_viewers = trio.Event()
            self._viewer_left.set()
            self._viewer_left = trio.Event()

    # -- HTTP ----------------------------------------------------------------------------------

    async def _answer(self, peer: Peer, data: bytes) -> bytes | None:
        """Return the answer to a request; None if the connection is to become a WebSocket."""
        try:
            await self._route(peer, _parse(data))
        except _Answer as answer:
            return _serialized(answer)
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another connection
            log.error(  # noqa: TRY400 - the trace is in the line
                "a request ended by an error", trace=traceback.format_exc()
            )
            message = "the arena failed; this is no fault of the request"
            return _serialized(_error(http.HTTPStatus.INTERNAL_SERVER_ERROR, message))
        return None

    async def _route(self, peer: Peer, request: Request) -> None:
        """Find the answer to a request; return if the connection is to become a WebSocket.

        Raises:
            _Answer: The answer to any other request.
        """
        if request.method != "GET":
            # The answer to HEAD has no body.
            body = b"" if request.method == "HEAD" else b'{"error": "only GET is known here"}'
            raise _Answer(http.HTTPStatus.METHOD_NOT_ALLOWED, body)
        self._check_origin(request)
        target, _, parameters = request.path.partition("?")
        path = unquote(target)
        if path == "/api/1/ws":
            if request.headers.get("Upgrade", "").lower() != "websocket":
                raise _error(http.HTTPStatus.UPGRADE_REQUIRED, "this path is a WebSocket")
            if not self.connections.may_view(peer):
                raise _error(http.HTTPStatus.SERVICE_UNAVAILABLE, "too many viewers already")
            return
        if path in self._files:
            raise _Answer(http.HTTPStatus.OK, *self._files[path])
        try:
            pairs = parse_qsl(parameters, keep_blank_values=True, strict_parsing=bool(parameters))
        except ValueError:
            raise _error(http.HTTPStatus.BAD_REQUEST, "the query isn't NAME=VALUE&…") from None
        query = dict(pairs)
        if len(query) < len(pairs):
            raise _error(http.HTTPStatus.BAD_REQUEST, "a parameter is given twice; give it once")
        if path == "/metrics":
            await self._metrics(peer, request.headers.get_all("Authorization"), query)
        await self._api(peer, path, query, request.headers.get("Authorization"))
        raise _error(http.HTTPStatus.NOT_FOUND, "there is nothing here; see docs/api.md")

    async def _metrics(
        self, peer: Peer, authorizations: Sequence[str], query: dict[str, str]
    ) -> None:
        """Answer with the arena's figures, for whoever may give commands."""
        _check_parameters(query, "token")
        token = query.get("token")
        for authorization in authorizations:
            kind, _, token = authorization.partition(" ")
            if kind.lower() != "bearer":
                token = None
        if not await self._is_operators(peer, token):
            raise _error(
                http.HTTPStatus.UNAUTHORIZED,
                "figures need the operator's token: Authorization: Bearer TOKEN, or ?token=TOKEN",
            )
        if self.metrics is not None:
            text = await self.metrics.text(self.connections.by_kind())
            raise _Answer(http.HTTPStatus.OK, text, METRICS_TYPE)

    async def _api(
        self, peer: Peer, path: str, query: dict[str, str], authorization: str | None
    ) -> None:
        view = self.view
        match = re.fullmatch(r"/api/1/matches/([^/]+)(/record|/bundles/([0-9]{1,2}))?", path)
        if path == "/healthz":
            _check_parameters(query)
            raise _json(views.health())
        if path == "/readyz" and view.arena is not None:
            _check_parameters(query)
            if not view.arena.is_ready:
                message = "the arena isn't ready for bots: it begins, or ends"
                raise _error(http.HTTPStatus.SERVICE_UNAVAILABLE, message)
            raise _json({"ready": True})
        if path == "/api/1/games":
            _check_parameters(query)
            raise _json(views.games())
        if path == "/api/1/bots":
            _check_parameters(query, "game")
            raise _json(views.bots(query.get("game")))
        if path == "/api/1/lobby":
            _check_parameters(query)
            # The answer doesn't wait for these; the next one has the tables as they are now.
            self._nursery.start_soon(view.tournaments.refresh)
            self._nursery.start_soon(view.ladders.refresh)
            raise _Answer(http.HTTPStatus.OK, view.lobby())
        if path == "/api/1/standings":
            _check_parameters(query, "game")
            await self._standings(peer, query.get("game"))
        if path == "/api/1/tournaments":
            _check_parameters(query)
            async with self._turn(peer, "tournaments"):
                raise _Answer(http.HTTPStatus.OK, await view.tournaments.all_json())
        if path.startswith(TOURNAMENT):
            _check_parameters(query)
            await self._tournament(peer, path.removeprefix(TOURNAMENT))
        if path == "/api/1/refusals":
            _check_parameters(query)
            await self._check_operator(peer, authorization)
            raise _json(view.refusals())
        if path == "/api/1/names":
            _check_parameters(query, "after")
            await self._check_operator(peer, authorization)
            try:
                raise _json(await view.names(query.get("after")))
            except RemoteProtocolError as error:
                raise _error(http.HTTPStatus.SERVICE_UNAVAILABLE, error.message) from None
        if path.startswith("/api/1/ladders"):
            _check_parameters(query)
            await self._ladders(peer, path)
        if path == "/api/1/matches":
            await self._matches(peer, query)
        if match is not None and match[2]:
            _check_parameters(query)
            visitor = await self._visitor(peer, authorization)
            async with self._turn(peer, "records"):
                if match[3]:
                    await self._bundle(match[1], int(match[3]), visitor)
                await self._record(peer, match[1], visitor)
        if match is not None:
            _check_parameters(query)
            async with self._turn(peer, "matches"):
                description = await view.match_json(match[1])
            if description is None:
                raise _error(http.HTTPStatus.NOT_FOUND, f"there is no match {match[1]!r} here")
            raise _json(description)

    async def _standings(self, peer: Peer, game: str | None) -> None:
        """Answer with complete tables, encoded in slices.

        A table has a row for each name that ever played, and bots choose their names.
        """
        tables = []
        for table in await self.view.standings(game):
            rows = []
            for start in range(0, len(table["rows"]), ROWS_AT_ONCE):
                rows += [json.dumps(row) for row in table["rows"][start : start + ROWS_AT_ONCE]]
                await trio.lowlevel.checkpoint()
            about = json.dumps({key: value for key, value in table.items() if key != "rows"})
            tables.append(f'{about[:-1]}, "rows": [{", ".join(rows)}]}}')
        body = f'{{"standings": [{", ".join(tables)}]}}'.encode()
        self.connections.hold(peer, 2 * len(body))
        raise _Answer(http.HTTPStatus.OK, body)

    async def _tournament(self, peer: Peer, name: str) -> None:
        async with self._turn(peer, "tournaments"):
            body = await self.view.tournaments.one_json(name)
        if body is None:
            raise _error(http.HTTPStatus.NOT_FOUND, f"there is no tournament {name!r} here")
        raise _Answer(http.HTTPStatus.OK, body)

    async def _ladders(self, peer: Peer, path: str) -> None:
        """Answer with what the last tables were made of; the next answer has newer ones."""
        ladders = self.view.ladders
        found = LADDER.fullmatch(path)
        self._nursery.start_soon(ladders.refresh)
        if path == "/api/1/ladders":
            raise _Answer(http.HTTPStatus.OK, await ladders.all_json())
        if found is None:
            return
        name, bot, opponent = found.groups()
        try:
            if bot is None:
                body = await ladders.table_json(name)
            else:
                async with self._turn(peer, "bots"):
                    if opponent is None:
                        body = await ladders.bot_json(name, bot)
                    else:
                        body = await ladders.against_json(name, bot, opponent)
        except UnknownBotError as error:
            raise _error(http.HTTPStatus.NOT_FOUND, str(error)) from None
        except NoStandingsError as error:
            raise _error(http.HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None
        if body is None:
            raise _error(http.HTTPStatus.NOT_FOUND, f"there is no ladder {name!r} here")
        self.connections.hold(peer, 2 * len(body))
        raise _Answer(http.HTTPStatus.OK, body)

    async def _tournament_matches(self, peer: Peer, query: dict[str, str]) -> None:
        """Answer with stored matches of a tournament."""
        _check_parameters(query, *TOURNAMENT_FILTERS, "tournament", "limit", "before")
        for name, values in TOURNAMENT_VALUES.items():
            if query.get(name, values[0]) not in values:
                raise _error(
                    http.HTTPStatus.BAD_REQUEST,
                    f"{name}={query[name]!r}; it is one of {', '.join(values)}",
                )
        before = query.get("before")
        if before is not None and not re.fullmatch("[0-9]{1,18}", before):
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"before={before!r}; it is the `next` of another page"
            )
        filters: dict[str, Any] = {
            name: query[name] for name in TOURNAMENT_FILTERS if name in query
        }
        filters |= {"limit": _limit(query), "before": None if before is None else int(before)}
        try:
            async with self._turn(peer, "matches"):
                page = await self.view.tournament_matches.page(query["tournament"], filters)
        except NoStandingsError as error:
            raise _error(http.HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None
        if page is None:
            message = f"there is no tournament {query['tournament']!r} here"
            raise _error(http.HTTPStatus.NOT_FOUND, message)
        raise _json(page)

    async def _matches(self, peer: Peer, query: dict[str, str]) -> None:
        if "tournament" in query:
            await self._tournament_matches(peer, query)
        _check_parameters(query, "game", "player", "name", "end", "seed", "limit", "before")
        limit = _limit(query)
        query.pop("limit", None)
        before = query.pop("before", None)
        if query.get("end", ENDS[0]) not in ENDS:
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"end={query['end']!r}; it is one of {', '.join(ENDS)}"
            )
        if not re.fullmatch("-?[0-9]{1,20}", query.get("seed", "0")):
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"seed={query['seed']!r}; it is a whole number"
            )
        if before is not None and not re.fullmatch("[0-9]{1,18}", before):
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"before={before!r}; it is the `next` of another page"
            )
        at = None if before is None else int(before)
        async with self._turn(peer, "matches"):
            matches, after = await self.view.matches(limit=limit, before=at, **query)
        raise _json({"matches": matches, "next": None if after is None else str(after)})

    async def _visitor(self, peer: Peer, authorization: str | None) -> Visitor:
        """Return what an `Authorization` header allows.

        Raises:
            _Answer: It is neither the operator's token nor that of a name.
        """
        visitor = Visitor(operator=not self.operator.is_needed)
        if authorization is None:
            return visitor
        scheme, _, credentials = authorization.partition(" ")
        if scheme.lower() == "bearer" and credentials.isascii():
            if not await self._is_operators(peer, credentials):
                raise _error(http.HTTPStatus.FORBIDDEN, "this isn't the operator's token")
            return Visitor(operator=True)
        name, _, token = _decoded(credentials).partition(":")
        if scheme.lower() != "basic" or not token:
            raise _error(
                http.HTTPStatus.BAD_REQUEST,
                "Authorization is neither Basic, of NAME:TOKEN, nor Bearer and a token",
            )
        names = None if self.view.arena is None else self.view.arena.names
        if names is None:
            raise _error(http.HTTPStatus.FORBIDDEN, "there are no ladders here")
        try:
            with peer.until_closed():
                proved = await names.prove(name, token, peer.address)
                return attrs.evolve(visitor, names={proved.name: proved.registered})
        except RemoteProtocolError as error:
            status = http.HTTPStatus.FORBIDDEN
            if error.code is ErrorCode.INTERNAL:
                status = http.HTTPStatus.SERVICE_UNAVAILABLE
            raise _error(status, error.message) from None
        raise _closed()

    @asynccontextmanager
    async def _turn(self, peer: Peer, work: str) -> AsyncIterator[None]:
        """Wait until no other request of the peer's address has such work done for it.

        The work is done for one request after another, of whatever address. So an address has at
        most one that waits for it, and one that asks a lot delays mostly itself.

        Args:
            peer: The connection.
            work: The kind of work.

        Raises:
            _Answer: The connection was closed meanwhile.
        """
        async with AsyncExitStack() as turn:
            with peer.until_closed():
                await turn.enter_async_context(self._turns.turn((work, peer.address)))
            if peer.closed.is_set():
                raise _closed()
            yield

    async def _is_operators(self, peer: Peer, token: str | None) -> bool:
        """Return whether whoever sends a token, or none, is the operator."""
        with peer.until_closed():
            return await self.operator.is_operators(token, peer.address)
        raise _closed()

    async def _check_operator(self, peer: Peer, authorization: str | None) -> None:
        """Answer with 403 unless it is the operator who asks."""
        if not (await self._visitor(peer, authorization)).operator:
            raise _error(
                http.HTTPStatus.FORBIDDEN,
                "this is for the operator: show its token, as Authorization: Bearer TOKEN",
            )

    async def _bundle(self, match: str, seat: int, visitor: Visitor) -> None:
        nothing = _error(
            http.HTTPStatus.NOT_FOUND, f"there is no failure bundle of seat {seat} in {match!r}"
        )
        if await self.view.record_of(match) is None:
            raise nothing
        logs = await self.view.log_seats(match, visitor)
        if logs is not None and seat not in logs:
            raise _error(http.HTTPStatus.FORBIDDEN, "only the bot's owner may see this")
        try:
            data = await self.view.packed_bundle(match, seat)
        except OSError as error:
            raise _error(
                http.HTTPStatus.NOT_FOUND, f"the bundle can't be read: {error.strerror}"
            ) from None
        if data is None:
            raise nothing
        name = f"{match}.seat{seat}.zip"
        raise _Answer(http.HTTPStatus.OK, data, "application/zip", name)

    async def _record(self, peer: Peer, match: str, visitor: Visitor) -> None:
        path = await self.view.record_of(match)
        if path is None:
            raise _error(
                http.HTTPStatus.NOT_FOUND, f"there is no record of a finished match {match!r}"
            )
        try:
            # Twice, as the answer holds a copy of the data.
            self.connections.hold(peer, 2 * path.stat().st_size)
            logs = await self.view.log_seats(match, visitor)
            if logs is None:
                data = await trio.Path(path).read_bytes()
            else:
                data = await self.view.public_record(path, logs)
        except (OSError, BadRecordError, NoFramesError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise _error(http.HTTPStatus.NOT_FOUND, f"the record can't be read: {why}") from None
        is_packed = data.startswith(GZIP)
        raise _Answer(
            http.HTTPStatus.OK,
            data,
            "application/gzip" if is_packed else "application/jsonl",
            # A known match: its id has letters and digits only, and is safe in the header.
            f"{match}{ENDING if is_packed else '.jsonl'}",
        )

    def _check_origin(self, request: Request) -> None:
        """Refuse requests that another site's page makes a browser send.

        On loopback, foreign host names are refused, too: another site could have its name resolved
        to this machine, and browsers would take its page for ours (DNS rebinding).
        """
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or len(origins) > 1:
            raise _error(
                http.HTTPStatus.BAD_REQUEST,
                "a request has one Host header and at most one Origin header",
            )
        (host,) = hosts
        if is_loopback(self.host) and _name_of(host) not in _own_names(self.host):
            raise _error(http.HTTPStatus.FORBIDDEN, f"Host {host!r} isn't this page's address")
        for origin in origins:
            if origin.partition("://")[2] != host:
                raise _error(http.HTTPStatus.FORBIDDEN, f"Origin {origin!r} isn't this page's")


def _limit(query: Mapping[str, str]) -> int:
    """Return how many matches are asked for."""
    limit = query.get("limit", str(DEFAULT_MATCHES))
    if not re.fullmatch("[0-9]{1,3}", limit) or not 1 <= int(limit) <= MAX_MATCHES:
        raise _error(http.HTTPStatus.BAD_REQUEST, f"limit={limit!r}; it is from 1 to {MAX_MATCHES}")
    return int(limit)


def _name_of(host: str) -> str | None:
    """Return the name in a `Host` header, without the port; None if it isn't one."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _own_names(host: str) -> set[str | None]:
    return {host, "localhost", "127.0.0.1", "::1"}


def _decoded(text: str) -> str:
    """Return the text that is encoded in Base64; nothing if it isn't."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return ""


def _check_parameters(query: dict[str, str], *names: str) -> None:
    for name in query:
        if name not in names:
            known = ", ".join(names) or "none"
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"no parameter {name!r} here; known are: {known}"
            )


def page_files() -> list[tuple[str, tuple[bytes, str]]]:
    """Return all files that a browser can load: the path, then the content and its type.

    Raises:
        BadPageError: The page's modules can't be put into one script.
        OSError: A file of the page can't be read.
    """
    pages = [(SCRIPT, (script().encode(), TYPES[".js"]))]
    for path in sorted(PAGE.rglob("*")):
        if path.suffix in TYPES:
            name = path.relative_to(PAGE).as_posix()
            content = path.read_bytes(), TYPES[path.suffix]
            pages.append((f"/page/{name}", content))
            if name == "index.html":
                # The screen of a hall is the same document; its script sees the path.
                pages += [("/", content), ("/screen", content)]
    return pages
