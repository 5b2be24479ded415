"""One bout of a check: starts the bot, plays a match or two with it, ends it; notes what was seen.

Every match is an ordinary one with a record, so verdicts, times and faults are those of any match.

A bot must send exactly one line for each turn. The match itself can't tell an extra line from an
early answer to the next turn, so `_Watch` counts lines and answers owed between the turns, after
a short pause in which an extra line may still come.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

import attrs
import trio

from lanista.bots.last_words import last_words
from lanista.bots.process import Bot, Exit
from lanista.check.channels import Tap, quiet_connection
from lanista.games.base import Game, Ruleset, start_game
from lanista.games.outcome import Termination
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.control import RunningMatches
from lanista.hosting.handshake import announce
from lanista.hosting.host import (
    MatchReport,
    SeatedMatch,
    distinct,
    host_match,
    play_match,
)
from lanista.match.channel import Channel, RoundTrip
from lanista.match.conditions import Clock, MatchSpec, match_id
from lanista.match.connection import Connection
from lanista.match.figures import round_trip_summary
from lanista.match.record import FaultInfo, Record, TurnInfo, read_record
from lanista.match.replay import all_faults
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.nurseries import helpers_nursery
from lanista.temporary import TemporaryFolder
from lanista_protocol import Hello, RemoteProtocolError, State, messages

FIRST_LOOK, LAST_LOOK = 0.06, 0.1
"""Seconds to wait before the first turn, and after the last answer, for lines that nobody asked
for."""
GRACE = 0.1
"""Seconds to exit for a bot that never connected, or has already had its time to exit."""
OUTPUT_KEPT = 4000
"""The number of bytes of the bot's own output that are kept as evidence."""


class CheckFailureError(Exception):
    """The check can't go on, and not by the bot's fault: a house bot didn't start, say."""


class RulesError(CheckFailureError):
    """The rules failed: with the same bot they would do so again."""


@attrs.frozen(kw_only=True)
class Tested:
    """The bot under check, and what is the same in all of its bouts."""

    bot: Contestant
    ruleset: Ruleset
    seed: int
    clock: Clock


@attrs.frozen(kw_only=True)
class BoutSpec:
    """The description of a bout to be played."""

    name: str
    """The bout's name in the report, as `the plain match`."""
    match: MatchSpec
    """The match, or each of them."""
    seat: int = 0
    rivals: Sequence[Contestant] = ()
    """Bots to start for the other seats, in order; quiet players get the seats that are left."""
    tap: Callable[[Channel], Tap] = Tap
    """Makes the tap that the tested bot's channel gets."""
    matches: int = 1
    """The number of matches, all on the same connection."""
    settle: float = 0.0
    """Seconds to wait before every turn for lines that nobody asked for."""
    leave: float = 3.0
    """Seconds that the bot has to exit by itself after its last match."""


@attrs.frozen(kw_only=True)
class Unasked:
    """A line that nobody asked for, noticed before a turn of a bout."""

    turn: int
    """The turn that was about to begin."""
    at_start: bool
    """Whether the bot hadn't been asked for anything yet."""
    line: bytes
    """The last line that had come, cut."""


@attrs.frozen(kw_only=True)
class Slip:
    """A fault of the tested bot in a match."""

    match: int
    """The number of the match in its bout, from 1."""
    fault: FaultInfo
    raw: str | None
    """The bot's answer, if there was one."""


@attrs.define(eq=False)
class Bout:
    """What was seen of the tested bot in a bout."""

    spec: BoutSpec
    hello: Hello | None = None
    hello_after: float = 0.0
    """Seconds from the bot's start to its hello."""
    not_there: str = ""
    """The reason why the bot didn't connect; empty if it did."""
    names: tuple[str, ...] = ()
    records: list[Record] = attrs.field(factory=list)
    noted: list[Slip] = attrs.field(factory=list)
    """The tested bot's faults in these matches, in order."""
    unasked: list[Unasked] = attrs.field(factory=list)
    tap: Tap | None = None
    outnumbered: tuple[int, int, int] | None = None
    """The bot's score, the best rival's score and the turn, when the bot was furthest behind."""
    exit: Exit | None = None
    """How the bot's process ended; None: it wasn't started."""
    output: str = ""
    """The end of what the bot's process wrote."""
    crash: str = ""
    """Why the bot's process crashed, as far as its output says so; empty if it didn't crash."""
    left_behind: int = 0
    """The number of processes started by the bot that were still there after its end."""

    @property
    def how_it_ended(self) -> str:
        """How the bot's process ended, and why if it crashed, as a phrase to follow its name."""
        return f"{self.exit}: {self.crash}" if self.crash else str(self.exit)

    @property
    def void(self) -> bool:
        """Whether this machine stalled, so that nothing can be concluded from the bout."""
        return any(self._ended(record) == Termination.VOID.value for record in self.records)

    @staticmethod
    def _ended(record: Record) -> str:
        return record.result.end if record.result is not None else ""

    @property
    def turns(self) -> int:
        """The number of turns of all matches in which the bot was asked for an answer."""
        return sum(1 for _ in self.asked())

    @property
    def answered(self) -> int:
        """The number of the bot's answers that came in time and weren't malformed."""
        return sum(turn.verdicts[self.spec.seat] == "answer" for turn in self.asked())

    def asked(self) -> Iterator[TurnInfo]:
        """Yield the turns in which the bot was asked for an answer, in order."""
        for record in self.records:
            for turn in record.turns:
                if turn.verdicts[self.spec.seat] != "out":
                    yield turn

    def slips(self) -> list[Slip]:
        """Return the bot's faults, in order; none of a void bout, which isn't the bot's fault."""
        return [] if self.void else self.noted

    @property
    def ended_well(self) -> bool | None:
        """Whether the bot's process exited with code 0; None if no match came to its end."""
        if self.void or not self.records or self.broken_off or self.exit is None:
            return None
        return self.exit.code == 0

    @property
    def broken_off(self) -> bool:
        """Whether the bot didn't play to the end: it forfeited, left, or was put out."""
        if not self.slips():
            return False
        last = self.records[-1]
        verdicts = {turn.verdicts[self.spec.seat] for turn in last.turns}
        ended = self._ended(last) == Termination.FORFEIT.value
        return ended or bool(verdicts & {"missing", "out"})


async def play(tested: Tested, spec: BoutSpec) -> Bout:
    """Play a bout. If this machine stalled in it, start the bot again and repeat the bout.

    Raises:
        CheckFailureError: The bout couldn't be played, and not by the bot's fault.
    """
    stalls = StallMonitor()
    async with helpers_nursery() as nursery:
        nursery.start_soon(stalls.beat)
        with TemporaryFolder("lanista-check") as folder:
            player = _BoutPlayer(tested, spec, BotPool(nursery, GRACE), stalls, folder.path)
            await play_match(spec.match, player.seat, player.play)
    return player.bout


@attrs.define(eq=False)
class _BoutPlayer:
    """Plays a bout, each time with a bot that is started for it."""

    tested: Tested
    spec: BoutSpec
    pool: BotPool
    stalls: StallMonitor
    folder: Path
    """Where the records are written."""
    bout: Bout = attrs.field(init=False)
    """The bout as it was seen in the last try."""
    _bots: list[PooledBot] = attrs.field(factory=list, init=False)  # the tested one, then rivals

    async def seat(self, match: MatchSpec) -> SeatedMatch | None:
        """Start the bot and seat the other players; None if it doesn't connect."""
        self.bout = Bout(self.spec)
        if not await self._start():
            return None
        try:
            connections = await self._seat_the_others()
        except BaseException:
            await self._end_bots()
            raise
        names = [connection.greeting.name for connection in connections]
        self.bout.names = tuple(distinct(names))
        return SeatedMatch(
            spec=match,
            connections=connections,
            names=self.bout.names,
            record=self.folder,  # each match gets a file in it
            writes_bundles=False,
        )

    async def _start(self) -> bool:
        """Start the tested bot; if it doesn't connect, note why."""
        bout, tested = self.bout, self.tested
        try:
            bot = await self.pool.take(
                tested.bot,
                tested.ruleset,
                tested.clock.time_start,
                tap=cast("Callable[[Channel], Channel]", self.spec.tap),
                is_one_try=True,
            )
        except NotStartedError as error:
            bout.not_there = str(error)
            _note_end(bout, error.bot)
            return False
        bout.hello, bout.tap = bot.connection.hello, cast("Tap", bot.connection.channel)
        bout.hello_after = bot.hello_after
        self._bots = [bot]
        return True

    async def _seat_the_others(self) -> list[Connection]:
        """Seat rivals, then quiet players; return all connections by seat."""
        spec, ruleset = self.spec, self.tested.ruleset
        seated = {spec.seat: self._bots[0].connection}
        announce(seated.values(), ruleset)
        seats = [seat for seat in range(ruleset.seats) if seat != spec.seat]
        for number, seat in enumerate(seats):
            if number >= len(spec.rivals):
                seated[seat] = quiet_connection(seat)
                continue
            contestant = spec.rivals[number]
            try:
                rival = await self.pool.take(contestant, ruleset, self.tested.clock.time_start)
            except NotStartedError as error:
                raise CheckFailureError(
                    f"the house bot {contestant.name} did not start: {error.with_last_words()}"
                ) from None
            self._bots.append(rival)
            seated[seat] = rival.connection
        announce(seated.values(), ruleset)
        return [seated[seat] for seat in range(ruleset.seats)]

    async def play(self, seated: SeatedMatch) -> MatchReport | None:
        """Play all matches of the bout, until one is void; end the rivals and then the bot.

        Return the report of the last one; None if the bot left before the first.
        """
        watch = _Watch(self.bout)
        report = None
        try:
            for _ in range(self.spec.matches):
                if seated.connections[self.spec.seat].closed or self.bout.void:
                    break
                match = attrs.evolve(seated.spec, match=match_id())
                report = await host_match(
                    attrs.evolve(seated, spec=match, record=self.folder / f"{match.match}.jsonl"),
                    running=RunningMatches(),
                    stalls=self.stalls,
                    on_begin=watch.begin,
                )
                self._note_match(report)
            for connection in seated.connections:
                if not connection.closed:  # its bot would stay for another match
                    await connection.close(messages.bye())
            with trio.move_on_after(self.spec.leave):
                await self._bots[0].bot.exited()
        finally:
            await self._end_bots()
        _note_end(self.bout, self._bots[0].bot)
        return report

    def _note_match(self, report: MatchReport) -> None:
        bout, spec = self.bout, self.spec
        if report.result.error is not None:
            last = report.result.error.strip().splitlines()[-1]
            raise RulesError(f"{spec.name} was aborted by {last}; `lanista play` says where")
        record = read_record(report.record)
        bout.records.append(record)
        match = spec.match
        game = start_game(match.ruleset, match.settings, match.seed, match.board)
        bout.noted += [
            Slip(match=len(bout.records), fault=fault, raw=record.turns[fault.turn].raw[spec.seat])
            for faults in all_faults(record, game)
            for fault in faults
            if fault.seat == spec.seat
        ]

    async def _end_bots(self) -> None:
        bot, *rivals = self._bots
        for each in (*rivals, bot):
            await each.end()


def _note_end(bout: Bout, bot: Bot) -> None:
    bout.exit = bot.exit
    bout.output = bot.output_tail(OUTPUT_KEPT)
    if bot.exit is not None and bot.exit.is_crash:
        bout.crash = last_words(bout.output)
    bout.left_behind = bot.left_behind


@attrs.define(eq=False)
class _Watch:
    """Checks between the turns whether the bot sent more lines than it was asked for."""

    bout: Bout
    _match: Match = attrs.field(init=False)
    _asked: int = 0
    """The number of answers that the bot was asked for, in all matches so far."""
    _noticed: int = 0
    """The number of extra lines that are already noted in the bout."""
    _worst: float = 0.0
    """The greatest ratio so far of the best rival's score to the bot's."""

    async def begin(self, match: Match) -> None:
        self._match, match.watcher = match, self.look

    async def look(self, game: Game) -> None:
        """Check for extra lines before each turn and after the last (`runner.Watcher`)."""
        bout, match, tap = self.bout, self._match, self.bout.tap
        assert tap is not None
        seat = match.seats[bout.spec.seat]
        self._compare(game)
        if not seat.playing or seat.connection.session.state is State.CLOSED:
            return
        over = match.outcome is not None
        pause = FIRST_LOOK if not self._asked else LAST_LOOK if over else bout.spec.settle
        if pause:
            await trio.sleep(pause)
        line = b""
        try:
            seat.connection.look()
        except RemoteProtocolError as error:
            line = error.message.encode()
        extra = tap.answers - self._asked
        if extra > self._noticed or line:
            self._noticed = max(extra, self._noticed)
            bout.unasked.append(
                Unasked(turn=game.turn, at_start=not self._asked, line=line or tap.last)
            )
        if not over:
            self._asked += 1

    def _compare(self, game: Game) -> None:
        scores = game.scores()
        own = scores[self.bout.spec.seat]
        best = max(score for seat, score in enumerate(scores) if seat != self.bout.spec.seat)
        ratio = best / max(own, 1)
        if ratio > max(self._worst, 1.0):
            self._worst = ratio
            self.bout.outnumbered = own, best, game.turn


# -- times -----------------------------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Time:
    """The time that one answer took, in seconds, and where."""

    seconds: float
    bout: str
    turn: int


@attrs.frozen(kw_only=True)
class Times:
    """Answer times of one kind: the first of each match, or all others."""

    limit: float
    """The time that an answer may take, in seconds."""
    all: tuple[Time, ...]

    @property
    def slowest(self) -> Time | None:
        """The longest time; None without answers."""
        return max(self.all, key=lambda time: time.seconds, default=None)

    def quantile(self, share: float) -> float:
        """Return the least time, in seconds, that this share (0 to 1) of answers doesn't exceed."""
        ordered = sorted(time.seconds for time in self.all)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def times_of(bouts: Sequence[Bout], clock: Clock) -> tuple[Times, Times]:
    """Return the times of first answers, and those of all others.

    Only bouts that were played with this clock count, and only answers that came in time: the
    fault of a late answer says how long it took.
    """
    limits = clock.limits()
    firsts: list[Time] = []
    others: list[Time] = []
    for bout in bouts:
        if bout.spec.match.clock != clock:
            continue
        for turn in bout.asked():
            times = turn.times[bout.spec.seat]
            if turn.verdicts[bout.spec.seat] not in {"answer", "malformed"} or times is None:
                continue
            if len(times) < 3 or not any(times[1:]):
                continue  # the answer was sent ahead, so it took no time
            # The upper end of the measured range may be over the limit: where it isn't clear
            # whether an answer was late, it counts as in time (PROTOCOL.md 4).
            seconds = min(times[2] / 1e6, limits.of_turn(turn.turn))
            time = Time(seconds=seconds, bout=bout.spec.name, turn=turn.turn)
            (others if turn.turn else firsts).append(time)
    return (
        Times(limit=clock.time_init, all=tuple(firsts)),
        Times(limit=clock.time_move, all=tuple(others)),
    )


def round_trip_of(bouts: Sequence[Bout]) -> RoundTrip | None:
    """Return the round trip between arena and bot over all bouts; None if none was measured."""
    return round_trip_summary(
        measured
        for bout in bouts
        for record in bout.records
        for turn in record.turns
        if (measured := turn.round_trips.get(str(bout.spec.seat))) is not None
    )
