"""The tables of an arena's ladders, by which bots are paired, and what the page shows of them.

`Ladders.run` has each table computed as results come, and gives its ratings to the ladder. The rest
is answers for the page, as JSON (docs/api.md): tables, bots, two bots.

Everything that is computed from results comes from helper processes (`tables.TableHelpers`).
Answers are made of the last table that was computed: they wait only for the first.
"""

import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import attrs
import structlog
import trio

from lanista.arena.arena import Arena
from lanista.games.base import client_state
from lanista.page.tournaments import NoStandingsError, Renewal

if TYPE_CHECKING:  # an arena without ladders loads no database library
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.options import Options

EVERY = 1.0
"""Seconds between two checks for tables that are due."""
REST = 10.0
"""Minimum seconds between two tables of a ladder."""
FIRST = 8
"""Number of rows of a table that the lobby shows."""
ANSWERS = 64
"""Number of answers about bots that are kept."""
ANSWER_FOR = 5.0
"""Seconds for which such an answer is sent again."""

Ask = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Returns the answer to a question for `LadderTables`; it raises `NoStandingsError`."""

log = structlog.get_logger()


class UnknownBotError(Exception):
    """There is no such bot on a ladder; the message says so."""


@attrs.define(eq=False)
class _Table:
    """The last table of a ladder that was computed."""

    room: "LadderRoom"
    source: Mapping[str, Any]
    """The attributes of its `LadderSource`."""
    ask: Ask
    about: Mapping[str, Any] = attrs.field(factory=dict)
    """What is known of the ladder as a whole; nothing before the first table."""
    rows: Mapping[str, str] = attrs.field(factory=dict)
    """The rows as JSON, by bot, best first."""
    rows_json: str = "[]"
    """All rows as JSON."""
    ratings: Mapping[str, float] = attrs.field(factory=dict)
    """The ratings by name, for pairing."""
    versions: Mapping[str, Any] = attrs.field(factory=dict)
    """The versions of the bots that have some, by name, with their ratings."""
    first: list[Any] = attrs.field(factory=list)
    """The first rows, for the lobby."""
    problem: str | None = None
    """Why there is no newer table; None if there is no reason."""
    renewal: Renewal = attrs.field(init=False)
    """Has the table computed."""
    computed: trio.Event = attrs.field(factory=trio.Event)
    """Set when the first table, or the first problem, is there."""
    _state: str | None = None

    def __attrs_post_init__(self) -> None:
        self.renewal = Renewal(self._renew, REST)

    async def _renew(self) -> bool:
        """Compute the table if there are new results; return whether anything changed."""
        try:
            answer = await self.ask({"do": "table", "ladder": self.source, "known": self._state})
        except NoStandingsError as error:
            if error.why and str(error) != self.problem:
                log.error("no table of a ladder", ladder=self.room.spec.name, why=error.why)  # noqa: TRY400 - the reason is enough
            changed, self.problem = str(error) != self.problem, str(error)
            return changed
        changed, self.problem = self.problem is not None, None
        if answer["state"] == self._state:
            return changed
        rows = dict(answer["rows"])
        first = [json.loads(row) for row in list(rows.values())[:FIRST]]
        self.about, self.rows, self.first = answer["about"], rows, first
        self.ratings, self.versions = answer["ratings"], answer["versions"]
        self.rows_json = f"[{', '.join(rows.values())}]"
        self._state = answer["state"]
        return True


@attrs.define(eq=False)
class Ladders:
    """The ladders of an arena; `run` it while they are played."""

    tables: Mapping[str, _Table] = attrs.field(factory=dict)
    ask: Ask | None = None
    """Answers questions about bots."""
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Called in the event loop when a table has changed."""
    _answers: OrderedDict[tuple[str, ...], tuple[float, str]] = attrs.field(
        factory=OrderedDict, init=False
    )
    """The last answers about bots, with the time until which each is sent again."""
    _one_table: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _one_bot: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @classmethod
    def of(cls, arena: Arena, tables: Ask, bots: Ask) -> Self:
        """Return the ladders of an arena.

        Args:
            arena: The arena.
            tables: Asks for tables.
            bots: Asks about bots.
        """
        return cls(
            {
                name: _Table(room, _source(room, arena.options), tables)
                for name, room in arena.ladders.items()
            },
            bots,
        )

    def __len__(self) -> int:
        return len(self.tables)

    # -- tables --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Compute tables as results come, until cancelled."""
        while True:
            await self.refresh()
            await trio.sleep(EVERY)

    async def refresh(self) -> None:
        """Compute the table of each ladder that has new results and is due."""
        for table in self.tables.values():
            if not table.renewal.is_running:
                await self._refresh(table)

    async def _refresh(self, table: _Table) -> None:
        changed = await table.renewal.run(self._one_table)
        table.computed.set()
        if changed:
            table.room.rate(table.ratings)
            self.on_change()

    def summaries(self) -> list[dict[str, Any]]:
        """Return the lobby's part of each ladder."""
        return [{**_about(table), "rows": table.first} for table in self.tables.values()]

    async def all_json(self) -> bytes:
        """Return all ladders without their rows."""
        for table in self.tables.values():
            await table.computed.wait()
        about = [_about(table) for table in self.tables.values()]
        return json.dumps({"ladders": about}).encode()

    async def table_json(self, name: str) -> bytes | None:
        """Return a ladder with its table; None if there is none of this name."""
        table = self.tables.get(name)
        if table is None:
            return None
        await table.computed.wait()
        about = json.dumps(_about(table) | {"rests": _rests(table)})
        return f'{about[:-1]}, "rows": {table.rows_json}}}'.encode()

    # -- bots ----------------------------------------------------------------------------------

    async def bot_json(self, name: str, bot: str) -> bytes | None:
        """Return what is known of a bot; None if there is no such ladder.

        Raises:
            UnknownBotError: There is no such bot in the ladder's table.
            NoStandingsError: Its results can't be read now.
        """
        table = self.tables.get(name)
        if table is None:
            return None
        (row,) = await self._rows(table, bot)
        found = await self._ask(table, "bot", bot)
        about = {
            "ladder": name,
            "game": table.room.ruleset.name,
            "title": table.room.ruleset.title,
            "submissions": table.room.spec.submissions is not None,
            "rest": _rests(table).get(bot),
        }
        return f'{json.dumps(about)[:-1]}, "row": {row}, {found[1:]}'.encode()

    async def against_json(self, name: str, bot: str, opponent: str) -> bytes | None:
        """Return the results of a bot against another one; None if there is no such ladder.

        Raises:
            UnknownBotError: There is no such bot in the ladder's table.
            NoStandingsError: Its results can't be read now.
        """
        table = self.tables.get(name)
        if table is None:
            return None
        rows = await self._rows(table, bot, opponent)
        found = await self._ask(table, "against", bot, opponent)
        about = {
            "ladder": name,
            "game": table.room.ruleset.name,
            "title": table.room.ruleset.title,
        }
        return f'{json.dumps(about)[:-1]}, "rows": [{", ".join(rows)}], {found[1:]}'.encode()

    @staticmethod
    async def _rows(table: _Table, *bots: str) -> list[str]:
        """Return the rows of bots, as JSON."""
        await table.computed.wait()
        if not table.about:
            raise NoStandingsError(table.problem or "there is no table yet")
        for bot in bots:
            if bot not in table.rows:
                raise UnknownBotError(
                    f"there is no bot {bot!r} in the table of the ladder {table.room.spec.name}"
                )
        return [table.rows[bot] for bot in bots]

    async def _ask(self, table: _Table, do: str, bot: str, opponent: str | None = None) -> str:
        """Return the answer to a question about a bot as JSON; for some seconds the same one."""
        assert self.ask is not None
        # With the time of the table, as viewers ask again when there is another one.
        key = (table.room.spec.name, str(table.about["computed"]), do, bot, opponent or "")
        question = {"do": do, "ladder": table.source, "bot": bot}
        if opponent is None:
            question["versions"] = table.versions.get(bot, ())
        else:
            question["opponent"] = opponent

        async with self._one_bot:
            until, found = self._answers.get(key, (float("-inf"), ""))
            if trio.current_time() >= until:
                found = json.dumps(await self.ask(question))
                self._answers[key] = trio.current_time() + ANSWER_FOR, found
                self._answers.move_to_end(key)
                if len(self._answers) > ANSWERS:
                    self._answers.popitem(last=False)
        return found


_NOTHING = dict.fromkeys(("seats", "matches", "voids", "bots", "computed", "seat_advantage"))
"""What is known of a ladder before its first table."""


def _about(table: _Table) -> dict[str, Any]:
    room = table.room
    return {
        "name": room.spec.name,
        "game": room.ruleset.name,
        "title": room.ruleset.title,
        "client_state": client_state(room.ruleset),
        "submissions": room.spec.submissions is not None,
        **room.presence(),
        **(table.about or _NOTHING),
        "problem": table.problem,
    }


def _rests(table: _Table) -> dict[str, Any]:
    """Return the bots that rest, until when and why, by name."""
    return {
        name: {
            "until": None if until is None else until.isoformat(timespec="seconds"),
            "why": table.room.why_resting(name),
        }
        for name, until in table.room.rests().items()
    }


def _source(room: "LadderRoom", options: "Options") -> Mapping[str, Any]:
    spec = room.spec
    return {
        "name": spec.name,
        "game": room.ruleset.name,
        "house": list(room.house),
        "window": spec.window,
        "data": str(options.data.path),
        "url": options.spec.store,
    }
