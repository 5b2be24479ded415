"""The tables of an arena's ladders, by which bots are paired, and what the page shows of them.

Everything that is computed from results comes from helper processes (`tables.TableHelpers`).
Answers for the page (docs/api.md) wait only for the first table.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import orjson
import trio

from lanista.arena.limits import Recent
from lanista.page.answers import not_found
from lanista.page.renewal import NoStandingsError, Renewal

if TYPE_CHECKING:  # they load much, which an arena without ladders needs not
    from lanista.arena.ladder_room import LadderRoom

EVERY = 1.0
"""Seconds between two checks for tables that are due."""
ANSWERS = 64
"""Number of answers about bots that are kept."""
ANSWER_FOR = 5.0
"""Seconds for which such an answer is sent again."""


_NOTHING = dict.fromkeys(("seats", "matches", "voids", "bots", "computed", "seat_advantage"))
"""The figures of a ladder before its first table, which are all unknown."""


@attrs.frozen
class LadderTable:
    """A ladder's table as it was computed."""

    about: Mapping[str, Any] = attrs.field(factory=dict)
    """What is known of the ladder as a whole; nothing before the first table."""
    rows: Mapping[str, str] = attrs.field(factory=dict)
    """The rows as JSON, by bot, best first."""
    ratings: Mapping[str, float] = attrs.field(factory=dict)
    """The ratings by name, for pairing."""
    versions: Mapping[str, Any] = attrs.field(factory=dict)
    """The versions of the bots that have some, by name, with their ratings."""
    first: Sequence[Any] = attrs.field(factory=list)
    """The first rows, for the lobby."""


@attrs.define(eq=False)
class Ladder(Renewal[LadderTable]):
    """A ladder with the last table that was computed."""

    rest = 10.0
    kind = "ladder"
    room: "LadderRoom"
    bot: Callable[[str, Any], Awaitable[dict[str, Any]]]
    """Returns the results of a bot, given its versions in the table."""
    pair: Callable[[str, str], Awaitable[dict[str, Any]]]
    """Returns the results of a bot against another one."""
    computed: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when the first table, or the first problem, is there."""

    @property
    def table(self) -> LadderTable:
        """The last table, or an empty one."""
        return self.result or LadderTable()

    def names(self) -> dict[str, Any]:
        """Return how it is called, and its game."""
        ruleset = self.room.ruleset
        return {"ladder": self.name, "game": ruleset.name, "title": ruleset.title}

    def about(self) -> dict[str, Any]:
        """Return what is known of it as a whole."""
        names = self.names()
        return {
            "name": names.pop("ladder"),
            **names,
            "client_state": getattr(self.room.ruleset, "client_state", None),
            "submissions": self.room.spec.submissions is not None,
            **self.room.presence(),
            **(self.table.about or _NOTHING),
            "problem": self.problem,
        }

    def rests(self) -> dict[str, Any]:
        """Return the bots that rest, until when and why, by name; and those that are benched."""
        benched = dict.fromkeys(filter(self.room.is_benched, self.table.rows))
        rests = {**self.room.rests(), **benched}
        return {
            name: {
                "until": None if until is None else until.isoformat(timespec="seconds"),
                "why": self.room.why_resting(name),
            }
            for name, until in rests.items()
        }

    async def rows_of(self, *bots: str) -> list[orjson.Fragment]:
        """Return the rows of bots, as JSON."""
        await self.computed.wait()
        if not self.table.about:
            raise NoStandingsError(self.problem or "there is no table yet")
        for bot in bots:
            if bot not in self.table.rows:
                raise not_found(f"there is no bot {bot!r} in the table of the ladder {self.name}")
        return [orjson.Fragment(self.table.rows[bot]) for bot in bots]


@attrs.define(eq=False)
class Ladders:
    """The ladders of an arena; `run` it while they are played.

    Questions raise `RefusedError` if there is no such ladder, or no such bot in its table, and
    `NoStandingsError` if its results can't be read now.
    """

    ladders: Mapping[str, Ladder] = attrs.field(factory=dict)
    on_change: Callable[[], None] = attrs.field(default=lambda: None)
    """Called in the event loop when a table has changed."""
    _answers: Recent[tuple[str, ...], tuple[float, dict[str, Any]]] = attrs.field(
        factory=lambda: Recent(ANSWERS), init=False
    )
    """The last answers about bots, with the time until which each is sent again."""
    _one_bot: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def __len__(self) -> int:
        return len(self.ladders)

    # -- tables --------------------------------------------------------------------------------

    async def run(self) -> None:
        """Compute tables as results come, and have bots paired by them, until cancelled."""
        while True:
            await self.refresh()
            await trio.sleep(EVERY)

    async def refresh(self) -> None:
        """Compute the table of each ladder that has new results and is due."""
        for ladder in self.ladders.values():
            changed = await ladder.renew()
            ladder.computed.set()
            if changed:
                ladder.room.rate(ladder.table.ratings)
                self.on_change()

    def summaries(self) -> list[dict[str, Any]]:
        """Return the lobby's part of each ladder."""
        return [ladder.about() | {"rows": ladder.table.first} for ladder in self.ladders.values()]

    async def all_json(self) -> bytes:
        """Return all ladders without their rows."""
        for ladder in self.ladders.values():
            await ladder.computed.wait()
        return orjson.dumps({"ladders": [ladder.about() for ladder in self.ladders.values()]})

    def _named(self, name: str) -> Ladder:
        ladder = self.ladders.get(name)
        if ladder is None:
            raise not_found(f"there is no ladder {name!r} here")
        return ladder

    async def table_json(self, name: str) -> bytes:
        """Return a ladder with its table."""
        ladder = self._named(name)
        await ladder.computed.wait()
        rows = list(map(orjson.Fragment, ladder.table.rows.values()))
        return orjson.dumps(ladder.about() | {"rests": ladder.rests(), "rows": rows})

    # -- bots ----------------------------------------------------------------------------------

    async def bot_json(self, name: str, bot: str) -> bytes:
        """Return what is known of a bot."""
        ladder = self._named(name)
        (row,) = await ladder.rows_of(bot)
        versions = ladder.table.versions.get(bot, ())
        found = await self._kept(ladder, (bot,), lambda: ladder.bot(bot, versions))
        about = {
            "submissions": ladder.room.spec.submissions is not None,
            "rest": ladder.rests().get(bot),
            "row": row,
        }
        return orjson.dumps(ladder.names() | about | found)

    async def against_json(self, name: str, bot: str, opponent: str) -> bytes:
        """Return the results of a bot against another one."""
        ladder = self._named(name)
        rows = await ladder.rows_of(bot, opponent)
        bots = bot, opponent
        found = await self._kept(ladder, bots, lambda: ladder.pair(*bots))
        return orjson.dumps(ladder.names() | {"rows": rows} | found)

    async def _kept(
        self,
        ladder: Ladder,
        bots: tuple[str, ...],
        ask: Callable[[], Awaitable[dict[str, Any]]],
    ) -> dict[str, Any]:
        # With the time of the table, as viewers ask again when there is another one.
        key = (ladder.name, ladder.table.about["computed"], *bots)
        async with self._one_bot:
            until, found = self._answers.get(key, (float("-inf"), {}))
            if trio.current_time() >= until:
                found = await ask()
                self._answers[key] = trio.current_time() + ANSWER_FOR, found
        return found
