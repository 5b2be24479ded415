"""The answers of the page over HTTP: a table of paths, and a handler for each (docs/api.md)."""

import functools
import hashlib
import io
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import attrs
import trio

from lanista import __version__
from lanista.arena.limits import Turns
from lanista.bots.client_libraries import NAMES, STARTERS, library, starter
from lanista.errors import LanistaError, RefusedError
from lanista.games.outcome import Ending, Termination
from lanista.helper_processes import HelperDiedError
from lanista.match.record import ENDING, GZIP, BadRecordError
from lanista.page import difference, files
from lanista.page import view as views
from lanista.page.answers import (
    Answer,
    bad_request,
    check_parameters,
    forbidden,
    json_answer,
    not_found,
    parse_parameters,
    refusal,
    unavailable,
)
from lanista.page.authorization import Asked, Authorization
from lanista.page.connections import Peer
from lanista.page.frame_cache import NoFramesError
from lanista.page.frames import API, encode
from lanista.page.html import PAGE, script
from lanista.page.view import DEFAULT_MATCHES, MAX_MATCHES, View, card_of, document
from lanista.results.match_result import FAULTS
from lanista_protocol import RemoteProtocolError, shown

if TYPE_CHECKING:
    from websockets.datastructures import Headers
    from websockets.http11 import Request

T = TypeVar("T")

WEBSOCKET = "/api/1/ws"
MAX_MOVING = 300
"""Maximum number of rounds in a moving picture."""
MATCH_FILTERS = ("game", "player", "name", "end", "seed", "limit", "before")
"""The parameters of the arena's matches."""
TOURNAMENT_FILTERS = ("tournament", "player", "against", "ending", "fault", "limit", "before")
"""The parameters of a tournament's matches."""
FILTER_VALUES = {
    "end": tuple(end.value for end in Termination),
    "ending": tuple(ending.value for ending in Ending),
    "fault": FAULTS,
}
"""The values that some of these parameters may have."""
LONGEST_CODE = 300
"""Maximum length of a QR code's text in characters; a code of more can hardly be read."""
QUIET = 4
"""Width of the code's empty border in modules, which the standard asks for."""
_STEP = re.compile(r"(?<=/)@(\.\.?)(?=/|$)")
"""The name `.` or `..` in a path, which clients would take for a step along it without the `@`."""
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The content type of Prometheus's text format."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""Content types of the page's files, by their endings."""
SCRIPT = "/page/script.js"
"""Path of all modules in one, which index.html names."""


@attrs.frozen
class Route:
    """A path that can be asked for."""

    path: str
    """The path as a regular expression; its groups are passed to the handler."""
    handler: Callable[..., Awaitable[Answer]]
    """Returns the answer to an `Asked`, or raises `RefusedError`."""
    parameters: tuple[str, ...] | None = ()
    """The parameters that it takes; None: the handler checks them."""
    method: str = "GET"
    turn: str | None = None
    """The kind of work, if an address has it done for one request after another (`_turn`)."""


@attrs.define(eq=False)
class Routes:
    """Answers requests for anything but the WebSocket."""

    view: View
    authorization: Authorization
    nursery: trio.Nursery
    """Where tables are computed that an answer doesn't wait for."""
    scheme: str
    """`https` if the server speaks TLS, otherwise `http`."""
    _turns: Turns = attrs.field(factory=Turns, init=False)
    """By kind of work and address."""
    _table: Mapping[re.Pattern[str], Route] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        match, ladder = "/api/1/matches/([^/]+)", "/api/1/ladders/([^/]+)"
        routes = [
            Route("/(match|ladder|tournament)/(.+)", self._document, None, turn="documents"),
            Route("/healthz", self._health),
            Route("/readyz", self._ready),
            Route("/metrics", self._metrics, ("token",)),
            Route("/clients/starters/([^/]+)/([^/]+)", self._starter, turn="clients"),
            Route("/clients/(.*)", self._client_library, turn="clients"),
            Route("/api/1/qr.svg", self._qr_code, ("text",), turn="codes"),
            Route("/api/1/games", self._games),
            Route("/api/1/bots", self._house_bots, ("game",)),
            Route("/api/1/lobby", self._lobby),
            Route("/api/1/standings", self._standings, ("game",)),
            Route("/api/1/refusals", self._refusals),
            Route("/api/1/names", self._names, ("after",)),
            Route("/api/1/matches", self._matches, None, turn="matches"),
            Route(match, self._match, turn="matches"),
            Route(f"{match}/record", self._record),
            Route(f"{match}/picture", self._picture, ("round", "from", "to"), turn="pictures"),
            Route(f"{match}/difference", self._difference, ("other",), turn="pictures"),
            Route(f"{match}/bundles/([0-9]{{1,2}})", self._bundle),
            Route("/api/1/tournaments", self._tournaments, turn="tournaments"),
            # Names may contain slashes.
            Route("/api/1/tournaments/(.*)", self._tournament, turn="tournaments"),
            Route("/api/1/ladders", self._ladders),
            Route(ladder, self._ladder),
            Route(f"{ladder}/bots/([^/]+)", self._ladder_bot, turn="bots"),
            Route(f"{ladder}/bots/([^/]+)/against/([^/]+)", self._ladder_pair, turn="bots"),
            *self._submission_routes(f"{ladder}/submissions"),
        ]
        self._table = {
            re.compile(f"{route.method} {route.path}", re.DOTALL): route for route in routes
        }

    def _submission_routes(self, path: str) -> list[Route]:
        arena = self.view.arena
        if arena is None:
            return []
        if arena.submissions is None:
            return [Route(path, self._no_submissions, None, method) for method in ("GET", "POST")]
        # Imported only now, as it loads what only an arena with ladders needs.
        from lanista.page.submissions import SubmissionRoutes  # noqa: PLC0415

        of, number = SubmissionRoutes(arena.submissions, self.authorization), "([0-9]{1,9})"
        return [
            Route(path, of.get),
            Route(f"{path}/{number}", of.get_version, ("name",)),
            Route(f"{path}/{number}/source", of.get_source, ("name",)),
            Route(path, of.hand_in, ("file",), "POST"),
            Route(f"{path}/{number}/(play|delete)", of.change, (), "POST"),
            Route(f"{path}()/(pause|resume)", of.change, (), "POST"),
            Route(f"{path}/([^/]+)/disable", of.disable, ("why",), "POST"),
        ]

    async def _no_submissions(self, *_: object) -> Answer:
        raise not_found(
            "no ladder of this arena takes programs; its operator lets one do so by "
            "submissions = true"
        )

    async def answer(self, peer: Peer, request: "Request", length: int) -> Answer:
        """Return the answer to a request with a body of so many bytes, which isn't read yet."""
        target, _, parameters = request.path.partition("?")
        path = _STEP.sub(r"\1", unquote(target))
        for file in (request.path, path):  # files that last are named with their version
            if file in page_files() and request.method == "GET":
                packs = "gzip" in ",".join(request.headers.get_all("Accept-Encoding"))
                return packed_files()[file] if packs else page_files()[file]
        authorizations = request.headers.get_all("Authorization")
        asked = Asked(
            peer,
            parse_parameters(parameters),
            authorizations,
            self._origin(request.headers),
            length,
        )
        for pattern, route in self._table.items():
            if found := pattern.fullmatch(f"{request.method} {path}"):
                if route.parameters is not None:
                    check_parameters(asked.parameters, route.parameters)
                async with nullcontext() if route.turn is None else self._turn(peer, route.turn):
                    return await route.handler(asked, *found.groups())
        return self._not_taken(request.method, path)

    def _not_taken(self, method: str, path: str) -> Answer:
        """Return the refusal of a request that has no route: the path or the method is wrong."""
        takes = {
            route.method
            for pattern, route in self._table.items()
            if pattern.fullmatch(f"{route.method} {path}")
        }
        if path in page_files() or path == WEBSOCKET:
            takes.add("GET")
        if not takes:
            raise _nothing()
        if "GET" in takes:
            takes.add("HEAD")  # which the server answers like GET
        known = tuple(sorted(takes))
        message = f"{shown(method)} isn't known here, only {', '.join(known)}"
        return refusal(HTTPStatus.METHOD_NOT_ALLOWED, message, known)

    def _origin(self, headers: "Headers") -> str:
        """Return the address of the page for whoever asked: a proxy says what it is there."""
        # Whoever asks may send a header several times.
        (scheme, *_) = *headers.get_all("X-Forwarded-Proto"), self.scheme
        (host, *_) = *headers.get_all("X-Forwarded-Host"), headers["Host"]
        return f"{scheme}://{host}"

    # -- the arena -----------------------------------------------------------------------------

    async def _health(self, _asked: Asked) -> Answer:
        return json_answer({"ok": True, "software": __version__, "api": API})

    async def _document(self, asked: Asked, kind: str, name: str) -> Answer:
        """Answer with the page's document, which knows by its address what to show."""
        index = page_files()["/"]
        card = await card_of(self.view, kind, name)
        if card is None:
            return index
        return attrs.evolve(index, body=document(index.body, card, asked.origin))

    async def _ready(self, _asked: Asked) -> Answer:
        if self.view.arena is None:
            raise _nothing()
        if not self.view.arena.is_ready:
            raise unavailable("the arena isn't ready for bots: it begins, or ends")
        return json_answer({"ready": True})

    async def _metrics(self, asked: Asked) -> Answer:
        token = asked.parameters.get("token")
        for authorization in asked.authorizations:
            kind, _, token = authorization.partition(" ")
            if kind.lower() != "bearer":
                token = None
        if not await self.authorization.is_operators(asked.peer, token):
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED,
                "figures need the operator's token: Authorization: Bearer TOKEN, or ?token=TOKEN",
            )
        if self.view.arena is None:
            raise _nothing()
        from lanista.page.metrics import metrics_text  # noqa: PLC0415 - `Server.listen` says why

        by_kind = asked.peer.connections.by_kind()
        return Answer(await metrics_text(self.view.arena, by_kind), METRICS_TYPE)

    async def _client_library(self, _asked: Asked, name: str) -> Answer:
        if name not in NAMES:
            raise not_found(f"there is no client library {name!r} here; known: {', '.join(NAMES)}")
        data = await trio.to_thread.run_sync(library, name)  # packing takes some 10 ms
        is_zip = name.endswith(".zip")
        return Answer(data, "application/zip" if is_zip else "text/plain; charset=utf-8", name)

    async def _starter(self, _asked: Asked, language: str, game: str) -> Answer:
        data = None
        if language in STARTERS:
            data = await trio.to_thread.run_sync(starter, language, game)
        if data is None:
            raise not_found(f"there is no starter bot for {game!r} in {language!r} here")
        return Answer(data, "text/plain; charset=utf-8")

    async def _qr_code(self, asked: Asked) -> Answer:
        text = asked.parameters.get("text", "")
        if not 1 <= len(text) <= LONGEST_CODE:
            raise bad_request(f"text has {len(text)} characters; it is 1 to {LONGEST_CODE} of them")
        return Answer(await trio.to_thread.run_sync(_qr_svg, text), "image/svg+xml")

    async def _games(self, _asked: Asked) -> Answer:
        return json_answer(views.games())

    async def _house_bots(self, asked: Asked) -> Answer:
        return json_answer(views.bots(asked.parameters.get("game")))

    async def _lobby(self, _asked: Asked) -> Answer:
        # The answer doesn't wait for it; the next one has the tables as they are now.
        self.nursery.start_soon(self.view.tournaments.refresh)
        return Answer(self.view.lobby())

    async def _standings(self, asked: Asked) -> Answer:
        tables = self.view.standings(asked.parameters.get("game"))
        return asked.large(encode({"standings": tables}))

    async def _refusals(self, asked: Asked) -> Answer:
        await self.authorization.check_operator(asked)
        return json_answer(self.view.refusals())

    async def _names(self, asked: Asked) -> Answer:
        await self.authorization.check_operator(asked)
        try:
            return json_answer(await self.view.names(asked.parameters.get("after")))
        except RemoteProtocolError as error:
            raise unavailable(error.message) from None

    # -- tournaments and ladders ---------------------------------------------------------------

    async def _tournaments(self, _asked: Asked) -> Answer:
        return Answer(await self.view.tournaments.all_json())

    async def _tournament(self, _asked: Asked, name: str) -> Answer:
        return Answer(await self.view.tournaments.one_json(name))

    async def _ladders(self, asked: Asked) -> Answer:
        with asked.peer.may_give_way():  # the first tables may take long
            return Answer(await self.view.ladders.all_json())

    async def _ladder(self, asked: Asked, ladder: str) -> Answer:
        with asked.peer.may_give_way():
            return asked.large(await self.view.ladders.table_json(ladder))

    async def _ladder_bot(self, asked: Asked, ladder: str, bot: str) -> Answer:
        return asked.large(await self.view.ladders.bot_json(ladder, bot))

    async def _ladder_pair(self, asked: Asked, ladder: str, bot: str, opponent: str) -> Answer:
        return asked.large(await self.view.ladders.against_json(ladder, bot, opponent))

    # -- matches -------------------------------------------------------------------------------

    async def _matches(self, asked: Asked) -> Answer:
        given = asked.parameters
        check_parameters(given, TOURNAMENT_FILTERS if "tournament" in given else MATCH_FILTERS)
        for name, values in FILTER_VALUES.items():
            if given.get(name, values[0]) not in values:
                raise bad_request(f"{name}={given[name]!r}; it is one of {', '.join(values)}")
        _check_form(given, "seed", "-?[0-9]{1,20}", "it is a whole number")
        _check_form(given, "before", "[0-9]{1,18}", "it is the `next` of another page")
        before, limit = given.get("before"), given.get("limit", str(DEFAULT_MATCHES))
        if not re.fullmatch("[0-9]{1,3}", limit) or not 1 <= int(limit) <= MAX_MATCHES:
            raise bad_request(f"limit={limit!r}; it is from 1 to {MAX_MATCHES}")
        filters: dict[str, Any] = given | {
            "before": None if before is None else int(before),
            "limit": int(limit),
        }
        if "tournament" in filters:
            name = filters.pop("tournament")
            matches, after = await self.view.tournaments.matches(name, filters)
        else:
            matches, after = await self.view.matches(**filters)
        return json_answer({"matches": matches, "next": None if after is None else str(after)})

    async def _match(self, _asked: Asked, match: str) -> Answer:
        description = await self.view.match_json(match)
        if description is None:
            raise not_found(f"there is no match {match!r} here")
        return json_answer(description)

    async def _record(self, asked: Asked, match: str) -> Answer:
        visitor = await self.authorization.visitor(asked)
        async with self._turn(asked.peer, "records"):
            path = await self._record_path(match)
            try:
                asked.peer.hold(path.stat().st_size)
                logs = await self.view.log_seats(match, visitor)
                if logs is None:
                    data = await trio.Path(path).read_bytes()
                else:
                    data = await self.view.public_record(path, logs)
            except (OSError, BadRecordError, NoFramesError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                words = f"the record can't be read: {why}"
                raise not_found(words.replace(str(path), match)) from None  # as in `_of_records`
        # A known match: its id has letters and digits only, and is safe in the header.
        if data.startswith(GZIP):
            return Answer(data, "application/gzip", f"{match}{ENDING}")
        return Answer(data, "application/jsonl", f"{match}.jsonl")

    async def _picture(self, asked: Asked, match: str) -> Answer:
        for name in asked.parameters:
            _check_form(asked.parameters, name, "[0-9]{1,9}", "it is the number of a round")
        given = {name: int(value) for name, value in asked.parameters.items()}
        first, last = given.get("from"), given.get("to")
        if ("round" in given) == (first is not None) or (first is None) != (last is None):
            raise bad_request("give round=N for a picture, or from=N and to=N for a moving one")
        if first is not None and last is not None and not 0 <= last - first < MAX_MOVING:
            raise bad_request(f"to={last} must follow from={first}, at most {MAX_MOVING - 1} later")
        number = given.get("round", first or 0)
        data = await self._of_records("no such picture", files.picture, [match], number, last)
        kind = "png" if last is None else "gif"
        asked.peer.hold(len(data))
        return Answer(data, f"image/{kind}", f"{match}.{kind}")

    async def _difference(self, asked: Asked, match: str) -> Answer:
        other = asked.parameters.get("other")
        if other is None:
            raise bad_request("other=ID is missing: the match to compare with")
        found = await self._of_records(
            "they can't be compared", difference.json_of_files, [match, other]
        )
        return asked.large(encode(found))

    async def _of_records(
        self, trouble: str, function: Callable[..., T], matches: Sequence[str], *arguments: Any
    ) -> T:
        """Have a helper process call a function with the records of matches and other arguments."""
        paths = [await self._record_path(match) for match in matches]
        try:
            return await self.view.records_helper.call(function, *paths, *arguments)
        except (LanistaError, HelperDiedError, OSError) as error:
            words = str(error)
            for path, match in zip(paths, matches, strict=True):
                words = words.replace(str(path), match)  # the path is nobody's business
            raise not_found(f"{trouble}: {words}") from None

    async def _record_path(self, match: str) -> Path:
        path = await self.view.record_of(match)
        if path is None:
            raise not_found(f"there is no record of a finished match {match!r}")
        return path

    async def _bundle(self, asked: Asked, match: str, number: str) -> Answer:
        seat = int(number)
        nothing = not_found(f"there is no failure bundle of seat {seat} in {match!r}")
        visitor = await self.authorization.visitor(asked)
        async with self._turn(asked.peer, "records"):
            path = await self.view.record_of(match)
            if path is None:
                raise nothing
            logs = await self.view.log_seats(match, visitor)
            if logs is not None and seat not in logs:
                raise forbidden("only the bot's owner may see this")
            try:
                data = await self.view.packed_bundle(path, seat)
            except OSError as error:
                raise not_found(f"the bundle can't be read: {error.strerror}") from None
        if data is None:
            raise nothing
        return Answer(data, "application/zip", f"{match}.seat{seat}.zip")

    @asynccontextmanager
    async def _turn(self, peer: Peer, work: str) -> AsyncIterator[None]:
        """Wait until no other request of the peer's address has such work done for it.

        So an address that asks a lot delays mostly itself, as such work is done for one request
        after another. The request is refused if its connection has given way meanwhile.
        """
        async with AsyncExitStack() as turn:
            with peer.may_give_way():
                await turn.enter_async_context(self._turns.turn((work, peer.address)))
            yield


@functools.cache
def page_files() -> Mapping[str, Answer]:
    """Return all files that a browser can load, by path.

    Those that index.html names have an address with a version there, by which browsers keep them.
    """
    files = {SCRIPT: Answer(script().encode(), TYPES[".js"])}
    for path in sorted(PAGE.rglob("*")):
        if path.suffix in TYPES:
            name = path.relative_to(PAGE).as_posix()
            files[f"/page/{name}"] = Answer(path.read_bytes(), TYPES[path.suffix])
    index = "/page/index.html"
    text = files[index].body
    for name in re.findall(rb'"(/page/[^"]+)"', text):
        file = files[name.decode()]
        address = f"{name.decode()}?v={hashlib.sha256(file.body).hexdigest()[:16]}"
        files[address] = attrs.evolve(file, lasts=True)
        text = text.replace(b'"%b"' % name, f'"{address}"'.encode())
    file = attrs.evolve(files[index], body=text)
    # The screen of a hall is the same document; its script sees the path.
    return files | {index: file, "/": file, "/screen": file}


@functools.cache
def packed_files() -> Mapping[str, Answer]:
    """Return the same files, compressed."""
    return {path: file.gzip() for path, file in page_files().items()}


def _qr_svg(text: str) -> bytes:
    """Return the QR code of a text as SVG, black on white. It takes some milliseconds."""
    import segno  # noqa: PLC0415 - it takes a while, and only the screen of a hall needs it

    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        picture, kind="svg", border=QUIET, light="#fff", omitsize=True, xmldecl=False
    )
    return picture.getvalue()


def _nothing() -> RefusedError:
    return not_found("there is nothing here; see docs/api.md")


def _check_form(given: Mapping[str, str], name: str, form: str, what: str) -> None:
    """Refuse a parameter that is given and isn't of some form, a regular expression."""
    if name in given and not re.fullmatch(form, given[name]):
        raise bad_request(f"{name}={given[name][:50]!r}; {what}")
