"""A ladder of a running arena: its waiting bots, its matches, and what is stored of them.

Who meets whom is decided by `lanista.competition.formats.ladder`, which knows neither bots nor
seeds nor a clock; this module tells it who is there, and makes of its decisions matches that can be
played.
"""

import itertools
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import attrs
import structlog
import trio

from lanista.arena.ladder_results import AT_ONCE, LadderResults, store_possible
from lanista.arena.limits import Recent
from lanista.arena.names import LadderName, Names
from lanista.arena.options import Options
from lanista.arena.spec import MAX_COUNT, LadderSpec, Registration, is_bot_name
from lanista.bots.limits import parse_limits
from lanista.competition.executors import automatic_concurrency
from lanista.competition.formats.ladder import Ladder
from lanista.errors import SpecError, placed
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.games.outcome import FAILURES
from lanista.hosting.bot_pool import Contestant, apart
from lanista.hosting.host import MatchReport, distinct
from lanista.hosting.inputs import SandboxName, configurations, fresh_seed
from lanista.hosting.names import bot_command
from lanista.match.conditions import LadderInfo, MatchSpec
from lanista.match.record import BadRecordError
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.ladder_reading import CountedMatch
from lanista.results.match_list import leave_to_ladder
from lanista.results.names import BenchedName, NameStore, key_of
from lanista.results.reading import stored_ids
from lanista.results.recorded import arena_result, is_ladder_result, read_records, record_paths
from lanista.results.recovery import complete_records
from lanista.results.submissions import read_owner_salt

KEPT = 50
"""The number of each name's last matches that are read at the start."""

LAST_WORDS_KEPT = 1000
"""The number of versions of which it is known how they failed: the last to do so."""

LONGEST_MATCH = timedelta(days=1)
"""How long before the last stored match one may have begun whose result isn't stored."""

log = structlog.get_logger()


def _warn(path: str, why: BadRecordError) -> None:
    log.warning("a record can't be read", path=path, why=str(why))


@attrs.frozen(eq=False)
class SubmittedBot:
    """A program that was handed in and plays under a name whenever no bot is connected."""

    who: LadderName
    contestant: Contestant
    version: int


@attrs.define(eq=False)
class LadderRoom:
    """One ladder of an arena, whose results are in the arena's database."""

    spec: LadderSpec
    ruleset: Ruleset
    house: Mapping[str, Contestant]
    results: LadderResults
    _settings: Mapping[str, Mapping[str, int]]  # by map
    _boards: Mapping[str, Any]  # by map; without one the seed makes it
    _chance: random.Random
    _ladder: Ladder
    submitted: dict[str, SubmittedBot] = attrs.field(factory=dict, init=False)
    """The programs that were handed in and play now, by name."""
    connected: set[str] = attrs.field(factory=set, init=False)
    """The names under which a bot is connected."""
    _played: Counter[tuple[str, int]] = attrs.field(factory=Counter, init=False)
    """By name and version: the matches of programs that were handed in."""
    _failures: dict[str, str] = attrs.field(factory=dict, init=False)
    """Why each bot that has failed did so the last time, by name."""
    _last_words: Recent[tuple[str, int], str] = attrs.field(
        factory=lambda: Recent(LAST_WORDS_KEPT), init=False
    )
    """By name and version, of those that failed by themselves: how, with what they wrote."""
    _benched: Collection[str] = attrs.field(default=(), init=False)
    """The keys of the names that the operator has benched."""
    _unbenched: Mapping[str, int] = attrs.field(factory=dict, init=False)
    _struck: Mapping[str, int] = attrs.field(factory=dict, init=False)
    """What the operator has noted in the database, as far as it was taken up."""
    changed: Callable[[], object] = attrs.field(default=lambda: None, init=False)
    """Called when a match may begin that couldn't before."""
    # Times given to the ladder are on the scale of stored ones, but the wall clock may be set.
    _epoch: float = attrs.field(factory=lambda: time.time() - time.monotonic(), init=False)

    @classmethod
    def open(
        cls,
        spec: LadderSpec,
        folder: Path,
        data: DataFolder,
        database: Database,
        *,
        private: Sequence[Path] = (),
        chance: random.Random | None = None,
        completed: Collection[tuple[str, str]] = (),
    ) -> Self:
        """Open a ladder with all that was played on it; this may take seconds.

        Records that the last arena has left must be complete (`recovery`); those that have just
        been `completed` are given by match id and path in the folder of records. Maps are relative
        to the `folder` of the arena's file. What is `private` is hidden from house bots in
        sandboxes. `chance` deals the seats and the maps; None for an unpredictable one.

        Raises:
            SpecError: From `look_up`.
        """
        ruleset, settings, boards, contestants = look_up(spec, folder, private)
        house = {bot.name: bot for bot in contestants}
        chance = random.SystemRandom() if chance is None else chance
        store = Store.of_ladder(database, spec.name, ruleset.name)
        room = cls(
            spec=spec,
            ruleset=ruleset,
            house=house,
            results=LadderResults(store, spec.name),
            settings=settings,
            boards={map_: ruleset.read_board(text) for map_, text in boards.items()},
            chance=chance,
            ladder=Ladder(
                seats=ruleset.seats,
                chance=chance,
                house=tuple(house),
                fill_after=spec.fill_after,
                bench_after=spec.bench_after,
            ),
        )
        room._store_missing(data.records, completed)
        room._restore()
        if room.is_shared:
            room.results.on_other = room._take
        return room

    @property
    def slots(self) -> int:
        """Maximum number of matches at once in which no bot plays that has connected."""
        submissions = self.spec.submissions
        if submissions is None:
            return MAX_COUNT
        return submissions.slots or automatic_concurrency(self.ruleset.seats)

    @property
    def is_shared(self) -> bool:
        """Whether other arenas may store results of the same ladder."""
        return self.results.store.database.is_shared

    def reload(self, spec: LadderSpec) -> None:
        """Go on with other limits, those of another spec of this ladder."""
        self.spec = spec
        self._ladder.limit(spec.fill_after, spec.bench_after)

    def _store_missing(self, records: Path, completed: Iterable[tuple[str, str]]) -> None:
        """Store the results that the last arena couldn't store any more."""
        store, first_day, count = self.results.store, "", 0
        with store.ladder_reading() as now:
            for started, record in now.newest_records():
                # If the database is shared, the records of other arenas are elsewhere.
                if not self.is_shared or (records / record).exists():
                    # It may have been stored weeks later, by a start that was killed then. Not
                    # later than now: the clock may have been ahead.
                    last = min(datetime.fromisoformat(started), datetime.now(UTC))
                    first_day = (last - LONGEST_MATCH).date().isoformat()
                    break
            # Completed ones too: the clock may have been behind when their matches began.
            there = {*record_paths(records, first_day), *completed}
            stored = stored_ids(now.connection, [id_ for id_, _ in there])
        unknown = sorted(path for id_, path in there if id_ not in stored)
        found = read_records(records, unknown, _warn, (self.spec.name, self.ruleset.name))
        missing = (match.result for match in found if match.is_ladder_result)
        while some := list(itertools.islice(missing, AT_ONCE)):
            count += len(store_possible(store, self.spec.name, some)[0])
        if count:
            log.info("results stored from records", ladder=self.spec.name, matches=count)

    def _restore(self) -> None:
        with self.results.store.ladder_reading() as now:
            self._struck, self._unbenched = now.struck_until(), now.unbenched_until()
            for match in now.last_matches(KEPT):
                self._take(match)
            if self.spec.submissions is not None:
                self._played.update(now.matches_by_version())
            self.results.seen = now.last_number()

    @property
    def now(self) -> float:
        """The present time on the ladder's scale: seconds since 1970 that never run backwards."""
        return self._epoch + time.monotonic()

    # -- who is there --------------------------------------------------------------------------

    def wait(self, who: LadderName) -> None:
        """Let a bot wait for matches."""
        self._bench_or_not(who.name, who.key)
        self._ladder.wait(who.name, who.owner, self.now)

    def leave(self, who: LadderName) -> None:
        """Let a bot wait no longer."""
        self._ladder.leave(who.name)

    def connect(self, name: str) -> None:
        """Let a connected bot take a name's place, also that of a program that was handed in."""
        self.connected.add(name)
        self._ladder.leave(name)

    def disconnect(self, name: str) -> None:
        """Let the program that was handed in play again, if there is one."""
        self.connected.discard(name)
        self._let_submitted_wait()

    def offer(self, name: str, bot: SubmittedBot | None) -> None:
        """Let a program play under a name, or none any more; a match under way goes on."""
        former = self.submitted.get(name)
        if bot is not None:
            self.submitted[name] = bot
            if former is not None and former.version != bot.version:
                self._ladder.unbench(name, self.now)  # it begins without failures
            self._bench_or_not(name, bot.who.key)
            self._let_submitted_wait()
        elif former is not None:
            del self.submitted[name]
            if name not in self.connected:
                self._ladder.leave(name)
        self.changed()

    def last_version(self, name: str) -> int:
        """Return the latest version of a name's programs that has played here; 0 if none has."""
        return max((version for played, version in self._played if played == name), default=0)

    def _let_submitted_wait(self) -> None:
        for name, bot in self.submitted.items():
            if name not in self.connected:
                self._ladder.wait(name, bot.who.owner, self.now)

    def not_started(
        self, name: str, why: str, version: int | None = None, last_words: str = ""
    ) -> None:
        """Count a failure of a bot that didn't start: a house bot, or a version of a program.

        It isn't one if the version was taken back meanwhile, as its file may be gone. `last_words`
        say why with what it wrote, which is its owner's.
        """
        present = self.submitted.get(name)
        if name in self.house or (present is not None and present.version == version):
            self._failures[name] = why
            if version is not None:
                self._last_words[name, version] = f"it didn't start: {last_words}"
            self._ladder.fail(name, self.now)

    def left(self, name: str, version: int, match: str, why: str) -> None:
        """Note that a version of a program ended in a match, and why, with what it wrote."""
        self._last_words[name, version] = f"match {match}: {why}"

    def why_failed(self, name: str, version: int) -> str:
        """Return how a version didn't start or ended in a match the last time; empty if it didn't.

        It contains what the program wrote, and so is for its owner alone.
        """
        return self._last_words.get((name, version), "")

    def presence(self) -> Mapping[str, int]:
        """Return how many bots are present: `waiting`, `playing`, `resting`."""
        return self._ladder.presence(self.now)

    def resting(self, who: LadderName) -> float | None:
        """Return for how many seconds a bot isn't paired; None if it doesn't rest.

        Infinity stands for a bot that the operator has benched.
        """
        until = self._ladder.resting(self.now).get(who.name)
        return None if until is None else until - self.now

    def is_benched(self, name: str) -> bool:
        """Return whether the operator has benched a name, whether or not its bot is there."""
        return key_of(name) in self._benched

    def why_resting(self, name: str) -> str:
        """Return why a bot that rests does so."""
        if self.is_benched(name):
            return "the arena's operator has benched it"
        why = f"{self.spec.bench_after} failed matches in a row"
        last = self._failures.get(name)
        return f"{why}; the last: {last}" if last else why

    def rests(self) -> Mapping[str, datetime | None]:
        """Return the names that rest, and until when; None if the operator has benched one."""
        ahead = time.time() - self.now  # of the ladder's scale, if the wall clock was set
        return {
            name: None if until == math.inf else datetime.fromtimestamp(until + ahead, UTC)
            for name, until in self._ladder.resting(self.now).items()
        }

    # -- what the operator decides -------------------------------------------------------------

    def set_benched(
        self, benched: Iterable[BenchedName], present: Iterable[LadderName] = ()
    ) -> None:
        """Pair the names no longer that are benched now, on any ladder, and earlier ones again.

        `present` are the names of the bots that wait or play.
        """
        self._benched = {name.key for name in benched if name.ladder in {None, self.spec.name}}
        known = {who.name for who in present} | self._ladder.resting(self.now).keys()
        for name in known.union(self.house, self.submitted):
            self._bench_or_not(name, key_of(name))

    def _bench_or_not(self, name: str, key: str) -> None:
        if key in self._benched:
            self._ladder.bench(name)
        elif self._ladder.is_benched(name):
            self._ladder.unbench(name, self.now)

    async def take_up_notes(self) -> None:
        """Take up what the operator has noted in the database: who is struck, whose rest ends."""
        struck, unbenched, last = await trio.to_thread.run_sync(self._notes, abandon_on_cancel=True)
        for before, now in ((self._unbenched, unbenched), (self._struck, struck)):
            for name, number in now.items():
                # If no match was stored since, a second note has the number of the first.
                if number != before.get(name) or number >= last:
                    self._ladder.unbench(name, self.now)  # failures of who is struck don't count
                    self._bench_or_not(name, key_of(name))
        self._struck, self._unbenched = struck, unbenched

    def _notes(self) -> tuple[Mapping[str, int], Mapping[str, int], int]:
        with self.results.store.ladder_reading() as now:
            return now.struck_until(), now.unbenched_until(), now.last_number()

    # -- matches -------------------------------------------------------------------------------

    def rate(self, ratings: Mapping[str, float]) -> None:
        """Pair by these ratings from now on, given by name."""
        self._ladder.ratings = ratings

    def next(self, *, is_full: bool = False) -> tuple[str, ...] | None:
        """Return a match to begin now, its names by seat, which then no longer wait; or None.

        If it `is_full`, no match may begin in which no connected bot plays.
        """
        self._ladder.followers = self._followers(is_full=is_full)
        return self._ladder.next(self.now)

    def awaits_slot(self) -> bool:
        """Return whether a match would begin now if it weren't full, as `next` was told."""
        full = self._ladder.followers
        self._ladder.followers = self._followers(is_full=False)
        would_begin = self.due() == 0
        self._ladder.followers = full
        return would_begin

    def _followers(self, *, is_full: bool) -> set[str]:
        """Return the names whose programs begin no match: there is no room, or they have enough."""
        if self.spec.submissions is None:
            return set()
        most = self.spec.submissions.matches
        return {
            name
            for name, bot in self.submitted.items()
            if name not in self.connected and (is_full or self._played[name, bot.version] >= most)
        }

    def due(self) -> float | None:
        """Return in how many seconds `next` must be called again at the latest; None for never."""
        due = self._ladder.due(self.now)
        return None if due is None else max(0.0, due - self.now)

    def match_spec(self, versions: Sequence[int | None] = ()) -> MatchSpec:
        """Return the spec of a match to begin, with a new seed; `versions` as in `LadderInfo`."""
        map_ = self._chance.choice(list(self._settings))
        return MatchSpec(
            ruleset=self.ruleset,
            settings=self._settings[map_],
            seed=fresh_seed(self.ruleset),
            board=self._boards.get(map_),
            clock=self.spec.clock,
            lag_allowance=self.spec.lag_allowance,
            void_tries=1,  # its bots wait again
            ladder=LadderInfo(name=self.spec.name, map=map_, versions=tuple(versions)),
        )

    def over(
        self,
        match: tuple[str, ...],
        report: MatchReport | None,
        submitted: Mapping[str, SubmittedBot] = MappingProxyType({}),
    ) -> bool:
        """Take the end of a match that `next` has returned; return whether its result is stored.

        There is no report if it could not begin. `submitted` has the programs that played in it.
        """
        result = None
        if report is not None and is_ladder_result(report.spec, report.result):
            result = arena_result(
                report.spec,
                report.result,
                names=report.names,
                started=report.started,
                record="/".join(report.record.parts[-2:]),  # in the folder of a day
                stall=report.stall,
            )
        seats = () if result is None else result.seats
        failed = {seat.bot: seat for seat in seats if seat.ending in FAILURES}
        for name, seat in failed.items():
            self._failures[name] = seat.words or seat.ending.meaning
        counts = result is not None and result.counted
        self._ladder.over(match, self.now, counts=counts, failed=failed)
        if result is not None:
            self.results.add(result)
        self._played.update((name, bot.version) for name, bot in submitted.items())
        self._let_submitted_wait()
        return result is not None

    def _take(self, match: CountedMatch) -> None:
        """Take a stored match, of an earlier run or of another arena."""
        failed = {name for name in match.failed if match.number > self._unbenched.get(name, 0)}
        # Not later than now: the clock may have been ahead when it was stored.
        committed = min(datetime.fromisoformat(match.committed).timestamp(), self.now)
        self._ladder.take(match.bots, failed, committed)


# -- opening -----------------------------------------------------------------------------------


def open_ladders(options: Options, opened: ExitStack) -> tuple[Mapping[str, LadderRoom], Names]:
    """Open the ladders and the names of an arena, which `opened` closes; this blocks.

    Raises:
        SpecError: From `look_up`, with the number of the ladder.
        StoreError: The results or the names can't be read or written, or another arena has them.
    """
    data = options.data
    database = opened.enter_context(Database.of_arena(data, options.spec.store))
    if not database.is_shared:
        opened.enter_context(database.lock())
    # The result of a ladder's last match may be in a record that a killed arena has left.
    completed: list[tuple[str, str]] = []
    complete_records(
        data.records, lambda id_, path: completed.append((id_, "/".join(path.parts[-2:])))
    )
    rooms = {}
    for number, spec in enumerate(options.spec.ladders, 1):
        if not database.is_shared:
            leave_to_ladder(database, spec.name, spec.game)
        with placed(f"ladders[{number}]."):
            room = LadderRoom.open(
                spec,
                options.folder,
                data,
                database,
                private=options.private,
                completed=completed,
            )
        rooms[spec.name] = room
    store = NameStore(database)
    benched = store.benched()
    for room in rooms.values():
        room.set_benched(benched)
    is_open = options.spec.registration is Registration.OPEN
    house = {bot: name for name, room in rooms.items() for bot in room.house}
    takes = any(ladder.submissions is not None for ladder in options.spec.ladders)
    owner_salt = read_owner_salt(data.submissions) if takes else None
    return rooms, Names(store, is_open=is_open, house=house, owner_salt=owner_salt)


def look_up(
    ladder: LadderSpec, folder: Path, private: Sequence[Path] = ()
) -> tuple[Ruleset, Mapping[str, Mapping[str, int]], Mapping[str, str], Sequence[Contestant]]:
    """Look up a ladder's game, its settings and boards by map, and its house bots.

    It is as in `configurations` and `house_contestants`.

    Raises:
        SpecError: Something doesn't exist or doesn't fit; the message begins with its key.
    """
    with placed("game: "):
        ruleset = registry.get(ladder.game)
    settings, boards = configurations(ruleset, ladder.maps, ladder.settings, folder)
    return ruleset, settings, boards, house_contestants(ladder, folder, private)


def house_contestants(
    ladder: LadderSpec, folder: Path, private: Sequence[Path] = ()
) -> Sequence[Contestant]:
    """Look up the house bots of a ladder, whose game must exist.

    A bot without a name is called like its program; several of the same name get numbers. They run
    in `folder`, that of the arena's file, and don't see what is `private` in their sandboxes.

    Raises:
        BadInputError: One can't play as it is given; the message begins with its key.
    """
    limits = parse_limits(ladder.limits)
    names: list[str] = []
    commands: list[tuple[str, ...]] = []
    for number, bot in enumerate(ladder.house, 1):
        with placed(f"house[{number}]: "):
            name, command = bot_command(ladder.game, bot.command, folder)
        if not is_bot_name(bot.name or name):
            raise SpecError(
                f"house[{number}]: {name!a} can't be a name on a ladder; write "
                '{ name = "…", command = "…" }'
            )
        names.append(bot.name or name)
        commands.append(command)
    names = distinct(names)
    numbers: dict[str, int] = {}
    for number, (bot, name) in enumerate(zip(ladder.house, names, strict=True), 1):
        other = numbers.setdefault(name.lower(), number)
        if other != number or bot.name not in {None, name}:
            raise SpecError(
                f"house[{number}]: {bot.name or name} is the name of another house bot too; give "
                "each its own, which differs in more than upper and lower case"
            )
    return apart(
        [
            Contestant(
                name=name,
                command=command,
                folder=str(folder),
                limits=limits,
                sandboxed=ladder.sandbox is SandboxName.BWRAP,
                hidden=tuple(private),
                restart=False,
            )
            for name, command in zip(names, commands, strict=True)
        ]
    )
