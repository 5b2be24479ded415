"""What the page shows of an arena: the lobby, matches, games and bots, as JSON (docs/api.md).

Running matches come from the arena's `RunningMatches`, finished ones from `kept_list`.
"""

import contextlib
import functools
import unicodedata
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import trio

from lanista.arena.admission import is_loopback
from lanista.arena.arena import Arena
from lanista.arena.names import Names
from lanista.errors import StoreError, printable
from lanista.games import registry
from lanista.helper_processes import HelperProcess
from lanista.hosting.control import RunningMatch, RunningMatches
from lanista.hosting.names import about
from lanista.match.bundle import folder_of, packed
from lanista.match.record import BadRecordError
from lanista.match.record_writer import public_copy
from lanista.page.answers import forbidden
from lanista.page.frame_cache import MAX_MEMORY, FrameCache, FrameFile, NoFramesError, Seats
from lanista.page.frames import encode
from lanista.page.kept_list import KeptList
from lanista.page.ladders import Ladders
from lanista.page.tournaments import Tournaments
from lanista.results.recorded import match_json, summary

if TYPE_CHECKING:
    from lanista.results.names import RegisteredName

LOOK_EVERY = 0.25
"""Seconds between two checks whether a record may be shown."""
DEFAULT_MATCHES, MAX_MATCHES = 50, 200
"""Default and maximum number of matches in one answer."""
MAX_SEATS = 64
"""Number of seats that are looked at for failure bundles."""
NAMES = 200
"""Number of registered names in one answer."""
ROWS = 50
"""Number of rows of a table of standings that the lobby shows."""
TITLE = b"<title>Lanista</title>"
"""The part of the document's head that preview cards replace."""
ISOLATES = "\u2068\u2069"
"""The characters before and after a text that has a direction of its own."""


@attrs.frozen
class Visitor:
    """What somebody who looks at the page may see and do besides what everybody may."""

    operator: bool = False
    names: "Mapping[str, RegisteredName]" = attrs.field(factory=dict)
    """The names on ladders whose tokens were shown, each as it was registered then."""

    def owns(self, name: str, started: str) -> bool:
        """Return whether what the bot of this name left in a match is the visitor's to see.

        A name may have been somebody else's before it was registered as it is now. `started` is
        when the match began, in ISO 8601, UTC.
        """
        if name not in self.names:
            return False
        try:
            return datetime.fromisoformat(started) >= self.names[name].registered
        except (TypeError, ValueError):
            return False  # a record that wasn't written by an arena


@attrs.define(eq=False)
class View:
    """An arena as its page shows it."""

    running: RunningMatches
    arena: Arena | None = None
    """The arena, if bots can connect; None: `lanista play` plays one match."""
    frame_cache: FrameCache = attrs.field(factory=FrameCache)
    sent_frames: FrameCache = attrs.field(factory=FrameCache)
    """The frames of files that viewers have sent, made by a process of its own: one look at such a
    file may take seconds, or all the memory that the process may have."""
    records_helper: HelperProcess = attrs.field(
        factory=lambda: HelperProcess(max_memory=MAX_MEMORY), init=False
    )
    """Draws and compares records; `run` it beside the server."""
    match: str | None = None
    """The id of the one match that is played."""
    tournaments: Tournaments = attrs.field(factory=Tournaments)
    """The tournaments that are shown; they are played elsewhere."""
    ladders: Ladders = attrs.field(factory=Ladders)
    open_logs: bool = False
    """Whether viewers see bots' logs while the match runs: an opponent could read them, too."""
    listed: KeptList = attrs.field(
        default=attrs.Factory(lambda self: KeptList(self.running, self.arena), takes_self=True),
        init=False,
    )
    """The matches that are over."""
    _one_copy: trio.CapacityLimiter = attrs.field(
        factory=lambda: trio.CapacityLimiter(1), init=False
    )
    """One thread for copies of records, as each may take a second."""
    _lobby: tuple[int, bytes] = attrs.field(default=(-1, b""), init=False)
    """The last message of the lobby, and the count of changes that it was made for."""

    @property
    def mode(self) -> str:
        """What the page belongs to: an arena (`serve`), a `tournament`, or one match (`play`)."""
        if self.arena is not None:
            return "serve"
        return "tournament" if self.tournaments else "play"

    def __attrs_post_init__(self) -> None:
        self.tournaments.on_change = self.running.changes.tell
        self.ladders.on_change = self.running.changes.tell
        self.tournaments.on_end = self.frame_cache.finish
        self.running.on_end = self._hear_end

    def _hear_end(self, match: str, record: Path | None) -> None:
        self.frame_cache.finish(match)
        if record is not None:
            self.listed.add(record)

    # -- the lobby -----------------------------------------------------------------------------

    def lobby(self) -> bytes:
        """Return the lobby's message; it is made once for all viewers."""
        count = self.running.changes.count
        if self._lobby[0] != count:
            self._lobby = (count, encode(self._lobby_json()))
        return self._lobby[1]

    def _lobby_json(self) -> dict[str, Any]:
        return {
            "type": "lobby",
            "manual": self.arena is not None and self.arena.matches.manual,
            "trouble": None if self.arena is None else self.arena.matches.space.trouble,
            "rooms": self._rooms(),
            "running": [
                *(_running(running) for running in self.running.matches.values()),
                *(match.lobby_json() for match in self.tournaments.running.values()),
            ],
            "recent": self.listed.recent,
            # Bots choose their names, so a table may have thousands of rows; they can be asked for
            # by another request.
            "standings": [{**one, "rows": one["rows"][:ROWS]} for one in self.listed.standings],
            "tournaments": self.tournaments.summaries(),
            "ladders": self.ladders.summaries(),
        }

    @property
    def ladder_names(self) -> Names:
        """The names on the ladders; raises RefusedError if there are no ladders."""
        names = None if self.arena is None else self.arena.names
        if names is None:
            raise forbidden("there are no ladders here")
        return names

    @property
    def may_play(self) -> bool:
        """Whether people may play matches here."""
        return self.arena is not None and self.arena.matches.has_friendly_rooms

    def bots_port(self) -> dict[str, Any] | None:
        """Return where bots connect; None if they can't.

        Its `host` is None, which stands for the page's own, if the arena listens on all addresses,
        or on loopback alone, where it may be behind a proxy.
        """
        if self.arena is None or self.arena.connections.address is None:
            return None
        host, port = self.arena.connections.address
        is_pages = host in {"0.0.0.0", "::"} or is_loopback(host)  # noqa: S104 - compared
        return {
            "host": None if is_pages else host,
            "port": port,
            "registration": self.arena.options.spec.registration.value,
            "tls": self.arena.connections.tls is not None,
        }

    def _rooms(self) -> list[dict[str, Any]]:
        if self.arena is None:
            return []
        lobby = self.arena.lobby
        return [
            {
                "game": players[0].ruleset.name,
                "title": players[0].ruleset.title,
                "room": room[1],
                "seats": players[0].ruleset.seats,
                "ready": lobby.complete(room),
                "ladder": players[0].member is not None,
                "bots": [
                    {"bot": player.number, "name": player.name, "seat": player.seat}
                    for player in players
                ],
            }
            for room, players in lobby.rooms.items()
        ]

    # -- matches -------------------------------------------------------------------------------

    async def matches(
        self, *, limit: int, before: int | None, **filters: str
    ) -> tuple[list[dict[str, Any]], int | None]:
        """Return matches, the newest first, and where the next page begins."""
        running = []
        if before is None:
            running = [self._match_running(match) for match in self.running.matches.values()]
            running = [match for match in reversed(running) if _fits(match, filters)]
        over, after = await self.listed.matches(limit=limit, before=before, **filters)
        return running + over, after

    async def match_json(self, match: str) -> dict[str, Any] | None:
        """Return one match; None if there is none with this id."""
        running = self.running.matches.get(match)
        if running is not None:
            return self._match_running(running)
        of_tournament = await self.tournaments.describe(match)
        if of_tournament is not None:
            return of_tournament
        description = await self.listed.match(match)
        path = self.running.ended.get(match)
        if description is None and path is not None:  # not in the list, or not yet
            with contextlib.suppress(BadRecordError, OSError):
                description = await trio.to_thread.run_sync(summary, path)
        return description

    def _match_running(self, running: RunningMatch) -> dict[str, Any]:
        ladders = () if self.arena is None else self.arena.ladders
        return match_json(
            running.ruleset.name,
            match=running.match,
            ladder=running.room if running.room in ladders else None,
            state="running",
            started=running.started,
            players=[name for _, name in running.bots],
        )

    async def record_of(self, match: str) -> Path | None:
        """Return the path of a finished match's record; None if there is none."""
        path = self.running.ended.get(match)
        if path is None:
            path = await self.listed.path(match)
        if path is None:
            found = await self.tournaments.find(match)
            path = None if found is None else found[1]
        return path

    def is_running(self, match: str) -> bool:
        """Return whether a match is being played, here or in a tournament."""
        return match in self.running.matches or match in self.tournaments.running

    async def until_over(self, match: str) -> None:
        """Return when a match is no longer running."""
        while self.is_running(match):
            await self.running.changes.wait(self.running.changes.count)

    async def until_shown(self, match: str) -> None:
        """Return when a match's record may be shown; a void match may be played again first."""
        while True:
            await self.until_over(match)
            seen = self.running.changes.count
            if await self.record_of(match) is not None:
                return
            await self.running.changes.wait(seen)
            await trio.sleep(LOOK_EVERY)  # there may be many changes a second

    def standings(self, game: str | None) -> list[dict[str, Any]]:
        """Return the tables of one game or of all, over all matches that count."""
        return [table for table in self.listed.standings if game in (None, table["game"])]

    # -- for the operator ----------------------------------------------------------------------

    async def names(self, after: str | None) -> dict[str, Any]:
        """Return registered names in alphabetical order, and where the next page begins."""
        names = None if self.arena is None else self.arena.names
        rest = [] if names is None else await names.registered(after, NAMES + 1)
        page = [
            {
                "name": one.name,
                "registrar": one.registrar.value,
                "registered": one.registered.isoformat(timespec="seconds"),
                "seen": None if one.seen is None else one.seen.isoformat(timespec="seconds"),
                "benched": benched,
            }
            for one, benched in rest[:NAMES]
        ]
        return {"names": page, "next": page[-1]["name"] if len(rest) > NAMES else None}

    def refusals(self) -> dict[str, Any]:
        """Return the connections that were refused recently, the newest first."""
        refusals = () if self.arena is None else reversed(self.arena.connections.refusals)
        return {
            "refusals": [
                {
                    "time": datetime.fromtimestamp(one.time, UTC).isoformat(timespec="seconds"),
                    "peer": one.peer,
                    "code": one.code,
                    "words": one.why,
                }
                for one in refusals
            ]
        }

    # -- what belongs to the bots' owners ------------------------------------------------------

    async def log_seats(self, match: str, visitor: Visitor) -> Seats:
        """Return the seats of which a visitor may see what their bots logged; None for all.

        On a ladder these are the visitor's own. Elsewhere it is all or none.

        Raises:
            NoFramesError: There is no such match.
        """
        found = await self.match_json(match)
        if found is None:
            raise NoFramesError(f"there is no match {match!r} here")
        if found["ladder"] is None:
            return None if self.open_logs or found["state"] == "over" else frozenset()
        if visitor.operator:
            return None
        visitor = await self._still(visitor)
        return frozenset(
            seat
            for seat, name in enumerate(found["players"])
            if visitor.owns(name, found["started"])
        )

    async def _still(self, visitor: Visitor) -> Visitor:
        """Return a visitor without the names that were removed, or got another token, meanwhile."""
        if not visitor.names:
            return visitor
        try:
            now = await self.ladder_names.look_up([one.key for one in visitor.names.values()])
        except StoreError:
            now = {}
        hashes = {one.token_hash for one in now.values()}
        kept = {name: one for name, one in visitor.names.items() if one.token_hash in hashes}
        return attrs.evolve(visitor, names=kept)

    async def acquire_frames(self, match: str, visitor: Visitor, address: str) -> FrameFile:
        """Return the frames of a match for a visitor, who has to release them to the cache.

        Raises:
            NoFramesError: There is no such match.
        """
        logs = await self.log_seats(match, visitor)
        running = self.running.matches.get(match) or self.tournaments.running.get(match)
        path = await self.record_of(match) if running is None else running.part
        if path is None:
            raise NoFramesError(f"there is no match {match!r} here")
        is_live = running is not None
        return self.frame_cache.acquire(match, path, live=is_live, logs=logs, address=address)

    async def bundles(self, match: str, logs: Seats) -> list[int]:
        """Return the seats with a failure bundle, of those of which the logs may be seen."""
        path = await self.record_of(match)
        if path is None:
            return []
        seats = range(MAX_SEATS) if logs is None else sorted(logs)
        return await trio.to_thread.run_sync(
            lambda: [seat for seat in seats if folder_of(path, seat).is_dir()]
        )

    async def packed_bundle(self, path: Path, seat: int) -> bytes | None:
        """Return a seat's failure bundle, beside a record, as a ZIP file; None if there is none."""
        folder = folder_of(path, seat)
        if not folder.is_dir():
            return None
        return await trio.to_thread.run_sync(packed, folder, limiter=self._one_copy)

    async def public_record(self, path: Path, logs: Collection[int]) -> bytes:
        """Return a copy of a record with the logs of some seats only.

        Raises:
            BadRecordError: It is damaged.
            OSError: It can't be read.
        """
        return await trio.to_thread.run_sync(public_copy, path, logs, limiter=self._one_copy)


def _running(running: RunningMatch) -> dict[str, Any]:
    return {
        "match": running.match,
        "game": running.ruleset.name,
        "title": running.ruleset.title,
        "room": running.room,
        "tournament": None,
        "players": [{"bot": bot, "name": name} for bot, name in running.bots],
        "started": running.started,
        "paused": running.control.paused,
    }


def _fits(match: Mapping[str, Any], filters: Mapping[str, str]) -> bool:
    if "player" in filters and filters["player"] not in match["players"]:
        return False
    part = filters.get("name", "").lower()
    if not any(part in name.lower() for name in match["players"]):
        return False
    others = {key: value for key, value in filters.items() if key not in {"player", "name"}}
    return all(match[key] == value for key, value in others.items())


@functools.cache
def games() -> dict[str, Any]:
    """Return the installed rulesets that can be used."""
    return {"games": [_game(ruleset) for ruleset in registry.usable()]}


def _game(ruleset: Any) -> dict[str, Any]:
    way = getattr(ruleset, "by_hand", None)
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "version": ruleset.version,
        "seats": ruleset.seats,
        "by_hand": None if way is None else attrs.asdict(way),
        "settings": [attrs.asdict(setting) for setting in ruleset.settings],
    }


def bots(game: str | None) -> dict[str, Any]:
    """Return the house bots of one game or of all."""
    return {"bots": [bot for bot in _all_bots() if game in (None, bot["game"])]}


@functools.cache
def _all_bots() -> tuple[dict[str, Any], ...]:
    return tuple(
        {"game": game, "name": name, "about": about(module, name)}
        for game in registry.ours()
        for name, module in registry.house_bots(game).items()
    )


# -- what a link shows of itself -------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Card:
    """A preview card, which chats show of a link to the page.

    Programs that make such cards run no script, so the server fills in the head of the page's
    document. Nothing in it tells how a match ended.
    """

    title: str
    about: str
    """What there is to be seen, in a few words."""
    picture: str | None = None
    """The path of a picture; None: there is none."""


async def card_of(view: View, kind: str, name: str) -> Card | None:
    """Return the card of an address of the page; None if nothing is known of what it names.

    Its first part is the kind: `match`, `ladder` or `tournament`; the name is the rest.
    """
    if kind == "match":
        return await _of_match(view, name)
    if kind == "ladder":
        return _of_ladder(view, name)
    for tournament in view.tournaments.summaries():
        if tournament["name"] == name:
            game = tournament["title"]
            return Card(
                title=_isolated(name), about=f"A tournament of {game}" if game else "A tournament"
            )
    return None


async def _of_match(view: View, match: str) -> Card | None:
    found = await view.match_json(match)
    if found is None:
        return None
    picture = None
    if found["state"] == "over" and found["turns"]:
        picture = f"/api/1/matches/{match}/picture?round={found['turns'] // 2}"
    where = found.get("tournament") or found["ladder"]
    players = " – ".join(map(_isolated, found["players"]))  # noqa: RUF001 - as in the page
    return Card(
        title=f"{players} · {found['title']}",
        about=f"A match of {found['title']}" + (f", {_isolated(where)}" if where else ""),
        picture=picture,
    )


def _of_ladder(view: View, name: str) -> Card | None:
    ladder, _, rest = name.partition("/bot/")
    shown = view.ladders.ladders.get(ladder)
    if shown is None:
        return None
    bot, _, opponent = rest.partition("/against/")
    bots = [_isolated(each) for each in (bot, opponent) if each in shown.table.rows]
    title = _isolated(ladder)
    if bots:
        title = f"{' – '.join(bots)} · {title}"  # noqa: RUF001
    return Card(title=title, about=f"A ladder of {shown.room.ruleset.title}")


def document(index: bytes, card: Card, origin: str) -> bytes:
    """Return the page's document with a card in its head, at an origin (scheme and host)."""
    title = f"{card.title} · Lanista"
    properties = {"og:title": title, "og:description": card.about, "og:type": "website"}
    if card.picture is not None:
        properties |= {"og:image": origin + card.picture, "twitter:card": "summary_large_image"}
    head = [f"<title>{_escaped(title)}</title>"]
    head += [
        f'<meta property="{name}" content="{_escaped(content)}">'
        for name, content in properties.items()
    ]
    return index.replace(TITLE, "\n    ".join(head).encode())


def _isolated(name: str) -> str:
    """Keep a name that is written from right to left from turning around what stands beside it."""
    name = printable(name)
    if any(unicodedata.bidirectional(char) in {"R", "AL"} for char in name):
        return f"{ISOLATES[0]}{name}{ISOLATES[1]}"
    return name


def _escaped(text: str) -> str:
    return escape(printable(text, kept=ISOLATES))
