"""The matches of friendly rooms, and what all matches of an arena share: figures, room for records.

Each match is a task of its own, and catches all exceptions, so that a fault in one doesn't affect
the others.
"""

import os
import tempfile
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import structlog
import trio

from lanista.arena.lobby import Lobby, Player, RoomKey
from lanista.arena.match_player import LoopPlayer, close_all, our_fault, record_path
from lanista.arena.match_workers import MatchWorkers
from lanista.arena.options import Options
from lanista.arena.spec import Rooms, Start
from lanista.errors import BadInputError
from lanista.games.base import Ruleset, complete_settings
from lanista.hosting import handshake
from lanista.hosting.control import Changes, MatchControl, RunningMatch, RunningMatches
from lanista.hosting.host import MatchReport, SeatedMatch, play_match
from lanista.hosting.inputs import fresh_seed
from lanista.match.conditions import MatchSpec
from lanista.match.figures import MatchFigures
from lanista.match.runner import RULES_RAISE
from lanista.results.data_folder import DataFolder
from lanista.system import make_folder
from lanista_protocol import ErrorCode

ROOM = 1 << 20
"""Number of bytes that must be free for matches to begin."""
ROOM_INTERVAL = 1.0
"""Seconds between two tests whether they are."""

log = structlog.get_logger()


@attrs.define(eq=False)
class ArenaFigures:
    """The figures of an arena since it was started."""

    matches: Counter[tuple[str, str, str]] = attrs.field(factory=Counter)
    """Number of matches that are over, by game, ladder (empty for friendly rooms) and end."""
    turns: Counter[str] = attrs.field(factory=Counter)
    """Number of turns of these matches, by game."""
    by_game: dict[str, MatchFigures] = attrs.field(factory=dict)
    """The figures of these matches' turns, by game."""
    refusals: Counter[ErrorCode] = attrs.field(factory=Counter)
    """Number of connections outside of matches that were closed with an error, by its code."""

    def add(self, report: MatchReport) -> None:
        """Count a match that is over."""
        game, ladder = report.spec.ruleset.name, report.spec.ladder
        self.matches[game, "" if ladder is None else ladder.name, report.result.end] += 1
        self.turns[game] += report.result.turns
        self.by_game.setdefault(game, MatchFigures()).include(report.figures)


@attrs.define(eq=False)
class RecordSpace:
    """Knows whether there is room for records; `run` it while matches are played.

    On a full disk each match would be aborted in its first turn, and its bots would come back for
    the next one, a thousand times a minute. So they wait (docs/operating.md, "A full disk").
    """

    data: DataFolder
    on_room: Callable[[], None]
    """Called when matches may begin again."""
    changes: Changes = attrs.field(factory=Changes)
    """Told when `trouble` changes."""
    trouble: str | None = attrs.field(default=None, init=False)
    """Why records can't be written; None if they can, or if that isn't known yet."""
    has_room: bool = attrs.field(default=True, init=False)
    _suspected: trio.Event = attrs.field(factory=trio.Event, init=False)

    def look_for(self, record: Path) -> None:
        """Begin to test if a match that is over has left no record."""
        if not record.exists():
            self.has_room = False
            self._suspected.set()

    async def run(self) -> None:
        """Test whether there is room when that is in doubt, until cancelled."""
        while True:
            await self._suspected.wait()
            began = trio.current_time()
            while (why := await trio.to_thread.run_sync(self._test)) is not None:
                if self.trouble is None:
                    log.error(
                        "no match is started, as records can't be written",
                        folder=str(self.data.records_today),
                        why=why,
                    )
                    self.trouble = why
                    self.changes.tell()
                await trio.sleep(ROOM_INTERVAL)
            if self.trouble is not None:
                self.trouble = None
                self.changes.tell()
                seconds = round(trio.current_time() - began, 1)
                log.info("records can be written again", seconds=seconds)
            self._suspected = trio.Event()
            self.has_room = True
            self.on_room()

    def _test(self) -> str | None:
        """Return why nothing can be written; None if it can."""
        try:
            make_folder(self.data.records_today)
            with tempfile.TemporaryFile(dir=self.data.records_today) as file:
                file.write(bytes(ROOM))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            return error.strerror or str(error)
        return None


@attrs.define(eq=False)
class Matches:
    """The matches of friendly rooms, and what they share with those of ladders."""

    options: Options
    lobby: Lobby
    running: RunningMatches
    on_last: Callable[[], None]
    """Called when the last match of `Options.matches` is over."""
    space: RecordSpace
    """Knows whether there is room for records; while there is none, no match begins."""
    figures: ArenaFigures = attrs.field(factory=ArenaFigures)
    manual: bool = attrs.field(init=False)
    """Whether matches begin only when the operator says so; `set_manual` changes it."""
    closing: bool = attrs.field(default=False, init=False)
    """Whether no more matches may begin."""
    over: int = attrs.field(default=0, init=False)
    """Number of matches that are over and count."""
    unfinished: int = attrs.field(default=0, init=False)
    """Number of matches whose bots were chosen and that aren't over."""
    player: LoopPlayer | MatchWorkers = attrs.field(init=False)
    """Plays them; it must run as long as there are any."""
    nursery: trio.Nursery | None = attrs.field(default=None, init=False)
    """The nursery in which matches run; set before the first one begins."""
    _begun: int = attrs.field(default=0, init=False)  # matches that have begun and may count

    def __attrs_post_init__(self) -> None:
        self.manual = self.options.spec.friendly.start is Start.MANUAL
        workers = self.options.spec.workers
        self.player = (
            LoopPlayer(self.running) if workers == 1 else MatchWorkers(self.running, workers)
        )

    def shut_down(self) -> None:
        """Begin no more matches, and end the running ones by `error shutdown`."""
        self.closing = True
        running, waiting = len(self.running.matches), len(self.lobby.waiting())
        log.info("shutting down", running=running, waiting=waiting)
        self.player.interrupt()

    def announce(self, room: RoomKey) -> None:
        """Tell all bots that wait in a room how many they are."""
        waiting = self.lobby.waiting(room)
        for player in waiting:
            # Whoever else waits on a ladder isn't told (PROTOCOL.md 8).
            taken = len(waiting) if player.member is None else 1
            line = handshake.wait_line(taken, player.ruleset.seats)
            if line != player.announced:
                player.announced = line
                if not handshake.tell(player.connection, player.ruleset, line):
                    player.waiting.cancel()

    def start_ready(self) -> None:
        """Start every match that is ready, unless the operator starts them."""
        if not self.manual:
            for room in self.lobby.complete_rooms():
                while self.lobby.complete(room) and self._may_begin_friendly():
                    self._begin(room)
        else:
            rooms = self.lobby.complete_rooms()
            for room in rooms[:1]:  # the room whose match the next Enter starts
                names = ", ".join(player.name for player in self.lobby.waiting(room))
                log.info(
                    "ready: press Enter to start"
                    if self.options.spec.friendly.start is Start.MANUAL
                    else "ready: the page can start it",
                    game=room[0],
                    room=room[1],
                    players=names,
                    ready=len(rooms),
                )

    @property
    def may_begin(self) -> bool:
        """Whether a match of any room may begin: the arena serves, with room for a record."""
        return self.nursery is not None and not self.closing and self.space.has_room

    def _may_begin_friendly(self) -> bool:
        limit = self.options.spec.friendly.matches
        return self.may_begin and (limit is None or self._begun < limit)

    @property
    def has_friendly_rooms(self) -> bool:
        """Whether the arena plays matches that aren't on a ladder."""
        return self.options.spec.rooms is not Rooms.LADDERS

    def check_friendly(self) -> trio.Nursery:
        """Return the nursery of matches; it is a BadInputError if no friendly one may begin now."""
        if self.nursery is None or not self.may_begin:
            raise BadInputError("the arena begins no matches now")
        if not self.has_friendly_rooms:
            raise BadInputError('this arena has only ladders (rooms = "ladders" in its file)')
        return self.nursery

    def start_next(self) -> bool:
        """Start the match that has been ready for the longest; return False if there is none."""
        rooms = self.lobby.complete_rooms()
        return bool(rooms) and self.start(rooms[0])

    def start(self, room: RoomKey) -> bool:
        """Start the match of a room; return False if none is ready there, or may begin any more."""
        if not self.lobby.complete(room) or not self._may_begin_friendly():
            return False
        self._begin(room)
        return True

    def set_manual(self, manual: bool) -> None:
        """Set whether matches begin only when the operator says so, or by themselves."""
        log.info("matches start", by="the operator" if manual else "themselves")
        self.manual = manual
        self.running.changes.tell()
        if not manual:
            self.start_ready()

    def _begin(self, room: RoomKey) -> None:
        assert self.nursery is not None
        self._begun += 1
        self.unfinished += 1
        players = self.lobby.take(room)
        self.nursery.start_soon(self._run, players)
        self.announce(room)

    async def play(self, seated: SeatedMatch) -> MatchReport | None:
        """Play a match whose bots are seated, of the lobby or of a ladder, and count it."""
        report = await self.player.play(seated)
        self.space.look_for(seated.record)
        if report is not None:
            self.figures.add(report)
        return report

    async def begun(self, player: Player) -> tuple[RunningMatch, int] | None:
        """Wait until the match that has taken a player begins, and return it with the seat.

        Returns None if it is over, or won't take place.
        """
        while not player.over.is_set():
            playing = self._playing(player)
            if playing is not None:
                return playing
            await self.running.changes.wait(self.running.changes.count)
        return None

    def is_beginning(self, player: Player) -> bool:
        """Return whether a match has taken a player and hasn't begun yet."""
        return player.taken and not player.over.is_set() and self._playing(player) is None

    def _playing(self, player: Player) -> tuple[RunningMatch, int] | None:
        for running in self.running.matches.values():
            for seat, (number, _) in enumerate(running.bots):
                if number == player.number:
                    return running, seat
        return None

    @asynccontextmanager
    async def playing(self, players: Collection[Player]) -> AsyncIterator[None]:
        """Let a match, of the lobby or of a ladder, be played in this block.

        An error there is logged, and closes only the connections of its `players`. `unfinished`
        counts the match already.
        """
        try:
            for player in players:
                await player.released.wait()
            yield
        except RULES_RAISE:  # a fault of ours or of a game must not reach another match
            log.error(
                "match ended by an error",
                players=[player.name for player in players],
                trace=traceback.format_exc(),
            )
            ruleset = next((player.ruleset for player in players), None)  # all have the same
            await close_all([player.connection for player in players], our_fault(), ruleset)
        finally:
            for player in players:
                player.over.set()
            self.unfinished -= 1
            self.running.changes.tell()

    async def _run(self, players: tuple[Player, ...]) -> None:
        """Run one match, and repeat it while it is void because the host stalled."""
        counted = False
        control = MatchControl()  # one for all repetitions: a paused match stays paused

        async def seats(spec: MatchSpec) -> SeatedMatch:
            return SeatedMatch(
                spec=spec,
                connections=[player.connection for player in players],
                names=[player.name for player in players],
                numbers=[player.number for player in players],
                room=players[0].room[1],
                record=record_path(self.options.data, spec.match),
                control=control,
            )

        def may_repeat() -> bool:
            return not (
                self.closing
                or control.given_up
                # not all the same bots any more
                or any(each.connection.closed or each.sent_off is not None for each in players)
            )

        async with self.playing(players):
            reports = await play_match(
                self.spec_of(players[0].ruleset),
                seats,
                self.play,
                running=self.running,
                may_repeat=may_repeat,
            )
            counted = any(not report.is_void for report in reports)
        if counted:
            self.over += 1
        else:
            self._begun -= 1
            self.start_ready()  # another match may begin instead under `--matches`
        limit = self.options.spec.friendly.matches
        if limit is not None and self.over >= limit:
            self.on_last()

    def spec_of(self, ruleset: Ruleset) -> MatchSpec:
        """Return the description of a match of a friendly room, with a seed of its own."""
        options = self.options
        is_default = ruleset.name == options.default.name
        return MatchSpec(
            ruleset=ruleset,
            settings=complete_settings(ruleset, options.settings if is_default else {}),
            seed=fresh_seed(ruleset),
            board=options.board if is_default else None,
            clock=options.spec.friendly.clock,
        )
