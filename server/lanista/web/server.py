"""The page's port: HTTP answers and WebSockets, in the arena's own loop (docs/api.md).

GET alone, one answer a connection, so commands go over the WebSocket (`viewer`). What is told
comes from `view`.
"""

import hmac
import http
import json
import logging
import math
import re
import traceback
from importlib.resources import files
from pathlib import Path
from typing import Any, cast
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
from lanista.arena.server import CannotListenError
from lanista.match.background import WorkDone
from lanista.match.record import ENDING
from lanista.playback.replay_reader import GZIP
from lanista.web import view as views
from lanista.web.connections import Connections, Peer
from lanista.web.view import View
from lanista.web.viewer import Viewer

OPEN_TIMEOUT = 10.0
"""Seconds for a WebSocket's handshake once its request has come."""
CLOSE_TIMEOUT = 1.0
"""Seconds that a viewer has to close its end."""
MAX_MESSAGE = 512 * 1024
"""Bytes of a viewer's message; as many may be in memory for each viewer."""
ROWS_AT_ONCE = 200
"""Rows of standings that are encoded at once: less than a millisecond's work."""
MAX_PAGE = 200
"""Matches of one answer."""
TOURNAMENTS_EVERY = 1.0
"""Seconds between two looks at whether a tournament's turn has come, while somebody looks."""
ENDS = ("finished", "forfeit", "void", "aborted")
TOURNAMENT = "/api/1/tournaments/"
"""Before a tournament's name, which may have slashes of its own."""

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
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
JSON = "application/json"

log = structlog.get_logger()


@attrs.frozen
class _Answer(Exception):  # noqa: N818 - an answer, which may be an error
    status: http.HTTPStatus
    body: bytes
    type: str = JSON
    name: str | None = None
    """Under which a browser saves it."""


def _error(status: http.HTTPStatus, words: str) -> _Answer:
    return _Answer(status, json.dumps({"error": words}).encode())


def _written(answer: _Answer) -> bytes:
    """An answer as it is sent."""
    headers = Headers(HEADERS)
    if answer.name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{answer.name}"'
    if answer.status is http.HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET"
    headers["Content-Type"] = answer.type
    headers["Content-Length"] = str(len(answer.body))
    headers["Connection"] = "close"
    return Response(answer.status, answer.status.phrase, headers, answer.body).serialize()


def _request(asked: bytes) -> Request:
    """Parse a request.

    Raises:
        _Answer: It is none.
    """
    reader = StreamReader()
    reader.feed_data(asked)
    reader.feed_eof()
    try:
        next(Request.parse(reader.read_line))
    except StopIteration as parsed:
        return cast("Request", parsed.value)
    except Exception as error:  # noqa: BLE001 - of many types, as its documentation says
        raise _error(http.HTTPStatus.BAD_REQUEST, f"no HTTP request: {error}"[:500]) from None
    raise _error(http.HTTPStatus.BAD_REQUEST, "no HTTP request: it doesn't end")


def _json(value: Any) -> _Answer:
    return _Answer(http.HTTPStatus.OK, json.dumps(value).encode())


@attrs.define(eq=False)
class Server:
    """One port. `listen`, then `run`."""

    view: View
    host: str = "127.0.0.1"
    port: int = 8080
    token: str | None = None
    """The operator's, needed for commands; None: whoever reaches the page is one."""
    open_logs: bool = False
    """Whether all viewers see the logs of running matches, wherever they look from."""
    viewers: set[Viewer] = attrs.field(factory=set, init=False)
    _files: dict[str, tuple[bytes, str]] = attrs.field(init=False)
    _listeners: list[trio.SocketListener] = attrs.field(factory=list, init=False)
    connections: Connections = attrs.field(init=False)
    watched: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Somebody looks; another event from when nobody does."""
    _left: trio.Event = attrs.field(factory=trio.Event, init=False)  # somebody left
    _nursery: trio.Nursery = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self._files = dict(page_files())
        # With a token others are expected on loopback too, as through a proxy.
        is_own = is_loopback(self.host) and self.token is None
        self.view.open_logs = self.open_logs or is_own

    async def listen(self) -> tuple[str, int]:
        """Open the port; the address it is.

        Raises:
            CannotListenError: It is in use, or none of this machine's; or films have no place.
        """
        try:
            self._listeners = await trio.open_tcp_listeners(self.port, host=self.host)
        except (OSError, UnicodeError) as error:  # the latter: no name that could be looked up
            why = error.strerror if isinstance(error, OSError) else None
            raise CannotListenError(
                f"can't listen on {self.host}:{self.port} for the page: {why or error}; "
                "choose another address with --web, or --no-web"
            ) from None
        if not self.port:
            # A name of several addresses got a free port on each: one port is what we announce.
            for other in self._listeners[1:]:
                await other.aclose()
            del self._listeners[1:]
        host, self.port = self._listeners[0].socket.getsockname()[:2]
        views.games()  # what is looked up once takes a while: not when matches are played
        views.bots(None)
        try:
            self.view.films.prepare()
        except OSError as error:
            self._close()
            raise CannotListenError(
                f"no folder for the page's films: {error.filename or error}: {error.strerror}; "
                "choose another with TMPDIR, or --no-web"
            ) from None
        return host, self.port

    def _close(self) -> None:
        for listener in self._listeners:
            listener.socket.close()

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve until cancelled, after `listen`; a fault of its own then ends it alone."""
        serves = False
        try:
            async with trio.open_nursery() as nursery:
                await self._begin(nursery)
                serves = True
                task_status.started()
        except* Exception:
            if not serves:
                raise
            log.error(  # noqa: TRY400 - the trace is in the line
                "the page has ended by an error; matches go on", trace=traceback.format_exc()
            )
        finally:
            self._close()

    async def _begin(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        quiet = logging.getLogger("lanista.web.server")
        quiet.setLevel(logging.CRITICAL)  # what clients do wrong is their matter
        arena = self.view.arena
        done = WorkDone() if arena is None else arena.background.done
        self.connections = Connections(self._listeners, self._answer, done)
        await nursery.start(self.view.films.run)
        await nursery.start(self.view.run)
        if self.view.tournaments:
            nursery.start_soon(self._follow_tournaments)
        await nursery.start(
            lambda task_status: serve_websockets(
                self._look,
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
        """Keep the lobby's tables as the tournaments go on, while somebody looks."""
        while True:
            await self.watched.wait()
            await self.view.tournaments.refresh()
            await trio.sleep(TOURNAMENTS_EVERY)

    async def nobody(self, grace: float) -> None:
        """Return when nobody has looked for so many seconds."""
        while True:
            with trio.move_on_after(grace) as scope:
                while self.viewers:
                    scope.deadline = math.inf
                    await self._left.wait()
                scope.deadline = trio.current_time() + grace
                await self.watched.wait()
            if scope.cancelled_caught:
                return

    async def _look(self, connection: ServerConnection) -> None:
        """One viewer, from its connection to its end."""
        peer = cast("Peer", connection.stream)  # as it was let in
        viewer = Viewer(connection, peer, self.view, self.viewers, self._operates)
        self.viewers.add(viewer)
        self.watched.set()
        try:
            await viewer.run()
        except* (WebSocketException, trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # it left
        except* Exception:  # noqa: BLE001 - a fault of ours must not reach another viewer
            log.error(  # noqa: TRY400 - the trace is in the line
                "a viewer's connection ended by an error", trace=traceback.format_exc()
            )
        finally:
            self.viewers.discard(viewer)
            if not self.viewers:
                self.watched = trio.Event()
            self._left.set()
            self._left = trio.Event()

    def _operates(self, token: str | None) -> bool:
        """Whether commands are taken from who says this token, or none."""
        if self.token is None:
            return True
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    # -- HTTP ----------------------------------------------------------------------------------

    async def _answer(self, peer: Peer, asked: bytes) -> bytes | None:
        """Return the answer to a request; None: go on with a WebSocket."""
        try:
            await self._route(peer, _request(asked))
        except _Answer as answer:
            return _written(answer)
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another connection
            log.error(  # noqa: TRY400 - the trace is in the line
                "a request ended by an error", trace=traceback.format_exc()
            )
            words = "the arena failed; this is no fault of the request"
            return _written(_error(http.HTTPStatus.INTERNAL_SERVER_ERROR, words))
        return None

    async def _route(self, peer: Peer, request: Request) -> None:
        """Return for a WebSocket.

        Raises:
            _Answer: To anything else.
        """
        if request.method != "GET":
            # A HEAD's answer ends with its headers.
            body = b"" if request.method == "HEAD" else b'{"error": "only GET is known here"}'
            raise _Answer(http.HTTPStatus.METHOD_NOT_ALLOWED, body)
        self._check_origin(request)
        target, _, asked = request.path.partition("?")
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
            pairs = parse_qsl(asked, keep_blank_values=True, strict_parsing=bool(asked))
        except ValueError:
            raise _error(http.HTTPStatus.BAD_REQUEST, "the query isn't NAME=VALUE&…") from None
        query = dict(pairs)
        if len(query) < len(pairs):
            raise _error(http.HTTPStatus.BAD_REQUEST, "a parameter twice; say it once")
        await self._api(peer, path, query)
        raise _error(http.HTTPStatus.NOT_FOUND, "there is nothing here; see docs/api.md")

    async def _api(self, peer: Peer, path: str, query: dict[str, str]) -> None:
        view = self.view
        match = re.fullmatch(r"/api/1/matches/([^/]+)(/record)?", path)
        if path == "/healthz":
            _known(query)
            raise _json(views.health())
        if path == "/api/1/games":
            _known(query)
            raise _json(views.games())
        if path == "/api/1/bots":
            _known(query, "game")
            raise _json(views.bots(query.get("game")))
        if path == "/api/1/lobby":
            _known(query)
            # Told as it is; who asks again finds the tournaments as they are now.
            self._nursery.start_soon(view.tournaments.refresh)
            raise _Answer(http.HTTPStatus.OK, view.lobby())
        if path == "/api/1/standings":
            _known(query, "game")
            await self._standings(peer, query.get("game"))
        if path == "/api/1/tournaments":
            _known(query)
            raise _Answer(http.HTTPStatus.OK, await view.tournaments.all())
        if path.startswith(TOURNAMENT):
            _known(query)
            await self._tournament(path.removeprefix(TOURNAMENT))
        if path == "/api/1/matches":
            await self._matches(query)
        if match is not None and match[2]:
            _known(query)
            await self._record(peer, match[1])
        if match is not None:
            _known(query)
            found = await view.match_json(match[1])
            if found is None:
                raise _error(http.HTTPStatus.NOT_FOUND, f"there is no match {match[1]!r} here")
            raise _json(found)

    async def _standings(self, peer: Peer, game: str | None) -> None:
        """Answer with whole tables, made in slices: whoever plays chooses the names in them."""
        tables = []
        for table in await self.view.standings(game):
            rows = []
            for at in range(0, len(table["rows"]), ROWS_AT_ONCE):
                rows += [json.dumps(row) for row in table["rows"][at : at + ROWS_AT_ONCE]]
                await trio.lowlevel.checkpoint()
            about = json.dumps({key: value for key, value in table.items() if key != "rows"})
            tables.append(f'{about[:-1]}, "rows": [{", ".join(rows)}]}}')
        body = f'{{"standings": [{", ".join(tables)}]}}'.encode()
        self.connections.hold(peer, 2 * len(body))
        raise _Answer(http.HTTPStatus.OK, body)

    async def _tournament(self, name: str) -> None:
        found = await self.view.tournaments.one(name)
        if found is None:
            raise _error(http.HTTPStatus.NOT_FOUND, f"there is no tournament {name!r} here")
        raise _Answer(http.HTTPStatus.OK, found)

    async def _matches(self, query: dict[str, str]) -> None:
        _known(query, "game", "player", "end", "limit", "before")
        limit = query.pop("limit", "50")
        before = query.pop("before", None)
        if not re.fullmatch("[0-9]{1,3}", limit) or not 1 <= int(limit) <= MAX_PAGE:
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"limit={limit!r}; it is from 1 to {MAX_PAGE}"
            )
        if query.get("end", ENDS[0]) not in ENDS:
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"end={query['end']!r}; it is one of {', '.join(ENDS)}"
            )
        if before is not None and not re.fullmatch("[0-9A-Z]{1,26}", before):
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"before={before!r}; it is the `next` of another page"
            )
        matches, after = await self.view.matches(limit=int(limit), before=before, **query)
        raise _json({"matches": matches, "next": after})

    async def _record(self, peer: Peer, match: str) -> None:
        path = await self.view.record_of(match)
        if path is None:
            raise _error(http.HTTPStatus.NOT_FOUND, f"no record of a match {match!r} that is over")
        try:
            # Twice: once more as the answer that is made of them.
            self.connections.hold(peer, 2 * path.stat().st_size)
            data = await trio.Path(path).read_bytes()
        except OSError as error:
            raise _error(
                http.HTTPStatus.NOT_FOUND, f"the record can't be read: {error.strerror}"
            ) from None
        is_packed = data.startswith(GZIP)
        raise _Answer(
            http.HTTPStatus.OK,
            data,
            "application/gzip" if is_packed else "application/jsonl",
            # The id is known: it is one of ours, of letters and digits.
            f"{match}{ENDING if is_packed else '.jsonl'}",
        )

    def _check_origin(self, request: Request) -> None:
        """Refuse what another site's page makes a browser ask.

        On loopback, names that only lead here by another site's name service are refused too:
        that site's page would be of our origin.
        """
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or len(origins) > 1:
            raise _error(http.HTTPStatus.BAD_REQUEST, "say Host once, and Origin once at most")
        (host,) = hosts
        if is_loopback(self.host) and _name_of(host) not in _own_names(self.host):
            raise _error(http.HTTPStatus.FORBIDDEN, f"Host {host!r} isn't this page's address")
        for origin in origins:
            if origin.partition("://")[2] != host:
                raise _error(http.HTTPStatus.FORBIDDEN, f"Origin {origin!r} isn't this page's")


def _name_of(host: str) -> str | None:
    """The name in a `Host` header, without its port; None if it can't be one."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _own_names(host: str) -> set[str | None]:
    return {host, "localhost", "127.0.0.1", "::1"}


def _known(query: dict[str, str], *names: str) -> None:
    for name in query:
        if name not in names:
            known = ", ".join(names) or "none"
            raise _error(
                http.HTTPStatus.BAD_REQUEST, f"no parameter {name!r} here; known are: {known}"
            )


def page_files() -> list[tuple[str, tuple[bytes, str]]]:
    """What a browser loads: path, bytes and type. All there is; no path leads elsewhere."""
    found = []
    folder = Path(str(files("lanista.web") / "page"))
    for path in sorted(folder.rglob("*")):
        if path.suffix in TYPES:
            name = path.relative_to(folder).as_posix()
            content = path.read_bytes(), TYPES[path.suffix]
            found.append((f"/page/{name}", content))
            if name == "index.html":
                found.append(("/", content))
    return found
