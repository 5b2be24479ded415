"""The matches of an arena: when they begin, how they are played and repeated, what becomes of them.

Each match is a task of its own, and catches all exceptions, so that a fault in one doesn't affect
the others.
"""

import traceback
from collections.abc import Callable

import attrs
import structlog
import trio

from lanista.arena.figures import ArenaFigures
from lanista.arena.lobby import HOUSE_BOT, Lobby, Player, RoomKey
from lanista.arena.match_player import LoopPlayer, MatchPlayer, our_fault, record_path
from lanista.arena.match_workers import MatchWorkers
from lanista.arena.options import Options
from lanista.arena.record_space import RecordSpace
from lanista.arena.spec import Start
from lanista.games.base import Ruleset, complete_settings
from lanista.hosting import handshake, ids
from lanista.hosting.control import MatchControl, RunningMatches
from lanista.hosting.host import MatchReport, SeatedMatch, VoidRecords, play_match
from lanista.match.conditions import MatchSpec
from lanista_protocol import ErrorCode, RemoteProtocolError

KICKED = "the operator closed this connection"

log = structlog.get_logger()


@attrs.define(eq=False)
class Matches:
    """The matches of an arena, those that may begin and those that run; an operator's commands."""

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
    kicked: dict[int, RemoteProtocolError] = attrs.field(factory=dict, init=False)
    """By number of each playing bot that the operator has sent away: what it is told."""
    over: int = attrs.field(default=0, init=False)
    """Number of matches that are over and count."""
    unfinished: int = attrs.field(default=0, init=False)
    """Number of matches whose bots were chosen and that aren't over."""
    player: MatchPlayer = attrs.field(init=False)
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
            hello = player.connection.hello
            assert hello is not None
            if handshake.speaks_version1(hello, player.ruleset):
                # Whoever else waits on a ladder isn't told (PROTOCOL.md 8).
                taken = len(waiting) if player.ladder is None else 1
                line = handshake.wait_line(taken, player.ruleset.seats)
                if line == player.announced:
                    continue
                player.announced = line
                if not handshake.send_at_once(player.connection, line):
                    player.waiting.cancel()

    def start_ready(self) -> None:
        """Start every match that is ready, unless the operator starts them."""
        if not self.manual:
            for room in self.lobby.complete_rooms():
                while self.lobby.complete(room) and self._may_begin():
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

    def _may_begin(self) -> bool:
        limit = self.options.spec.friendly.matches
        if self.closing or not self.space.has_room:
            return False
        return limit is None or self._begun < limit

    def start_next(self) -> bool:
        """Start the match that has been ready for the longest, for the operator.

        Returns:
            False if no match is ready, or none may begin any more.
        """
        rooms = self.lobby.complete_rooms()
        if not rooms or not self._may_begin():
            return False
        self._begin(rooms[0])
        return True

    def start(self, room: RoomKey) -> bool:
        """Start the match of a room, for the operator.

        Returns:
            False if no match is ready there, or none may begin any more.
        """
        if not self.lobby.complete(room) or not self._may_begin():
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

    def kick(self, number: int, error: RemoteProtocolError | None = None) -> bool:
        """Close the connection of a bot that waits or plays.

        Args:
            number: The bot's number.
            error: What it is told; None for `error shutdown`.

        Returns:
            False if there is no bot of this number.
        """
        if error is None:
            error = RemoteProtocolError(ErrorCode.SHUTDOWN, KICKED)
        for player in self.lobby.waiting():
            if player.number == number and not player.taken:
                log.info("kicked", name=player.name, peer=player.peer)
                self.lobby.dismiss(player, error)
                return True
        for running in self.running.matches.values():
            for seat, (bot, name) in enumerate(running.bots):
                if bot == number != HOUSE_BOT:
                    log.info("kicked", name=name, match=running.match)
                    self.kicked[number] = error
                    running.playing.kick(seat, error.message, error.code)
                    return True
        return False

    def _begin(self, room: RoomKey) -> None:
        assert self.nursery is not None
        self._begun += 1
        self.unfinished += 1
        players = self.lobby.take(room)
        for player in players:
            player.taken = player.place.plays = True
            player.waiting.cancel()
        self.nursery.start_soon(self._run, players)
        self.announce(room)

    async def play(self, seated: SeatedMatch, records: VoidRecords) -> MatchReport | None:
        """Play a match whose bots are seated, of the lobby or of a ladder, and count it."""
        report = await self.player.play(seated, records)
        self.space.look_for(seated.record)
        if report is not None:
            self.figures.add(report)
        return report

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
                or any(each.connection.closed or each.number in self.kicked for each in players)
            )

        try:
            for player in players:
                await player.released.wait()
            reports = await play_match(
                self._spec(players[0].ruleset),
                seats,
                self.play,
                records=VoidRecords(self.running),
                may_repeat=may_repeat,
            )
            counted = any(not report.is_void for report in reports)
        except Exception:  # noqa: BLE001 - a fault of ours must not reach another match
            log.error(  # noqa: TRY400 - the trace is in the line
                "match ended by an error",
                players=[player.name for player in players],
                trace=traceback.format_exc(),
            )
            for player in players:
                await player.connection.refuse(our_fault())
        finally:
            for player in players:
                player.over.set()
            self.unfinished -= 1
            self.running.changes.tell()
            if counted:
                self.over += 1
            else:
                self._begun -= 1
                self.start_ready()  # another match may begin instead under `--matches`
            limit = self.options.spec.friendly.matches
            if limit is not None and self.over >= limit:
                self.on_last()

    def _spec(self, ruleset: Ruleset) -> MatchSpec:
        options = self.options
        is_default = ruleset.name == options.default.name
        return MatchSpec(
            ruleset=ruleset,
            settings=complete_settings(ruleset, options.settings if is_default else {}),
            seed=ids.fresh_seed(ruleset),
            board=options.board if is_default else None,
            conditions=options.conditions,
        )
