"""One bout of a check: starts the bot, plays a match or two with it, ends it; notes what was seen.

Every match is an ordinary one with a record, so verdicts, times and faults are those of any match.
What they mean for the bot is decided in `items`.

A bot must send exactly one line for each turn. The match itself can't tell an extra line from an
early answer to the next turn, so `_Watch` counts lines and answers owed between the turns, after
a short pause in which an extra line may still come.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import attrs
import trio

from lanista.bots import Bot, Exit
from lanista.check.channels import Tap, quiet_connection
from lanista.hosting import ids
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.handshake import announce
from lanista.hosting.host import HostedMatch, distinct
from lanista.match.channel import Channel
from lanista.match.conditions import MatchConditions, MatchSpec
from lanista.match.connection import Connection
from lanista.match.record import FaultInfo, Record, TurnInfo, read_record
from lanista.match.record_writer import RecordWriter
from lanista.match.replay import all_faults, start
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.nurseries import helpers_nursery
from lanista.rules.base import Game, Ruleset
from lanista.rules.outcome import Termination
from lanista.temporary import TemporaryFolder
from lanista_protocol import Bye, Hello, RemoteProtocolError, State

FIRST_LOOK, LAST_LOOK = 0.06, 0.1
"""Seconds to wait before the first turn, and after the last answer, for lines that nobody asked
for."""
GRACE = 0.1
"""Seconds to exit for a bot that never connected, or has already had its time to exit."""
OUTPUT_KEPT = 4000
"""The number of bytes of the bot's own output that are kept as evidence."""


class CheckFailureError(Exception):
    """The check can't go on, and not by the bot's fault: a house bot or the rules failed."""


@attrs.frozen(kw_only=True)
class Tested:
    """The bot under check, and what is the same in all of its bouts."""

    bot: Contestant
    ruleset: Ruleset
    seed: int
    conditions: MatchConditions


@attrs.frozen(kw_only=True)
class BoutSpec:
    """The description of a bout to be played."""

    name: str
    """The bout's name in the report, as `the plain match`."""
    ruleset: Ruleset
    settings: Mapping[str, int]
    conditions: MatchConditions
    board: Any = None
    """The board; None: the seed makes it."""
    seat: int = 0
    """The seat of the tested bot."""
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
    turn: int
    code: str
    """`late`, `malformed`, `illegal`, `disconnected`, or why its connection was closed."""
    index: int | None
    """The submove's place in the answer, from 0; None: the fault isn't one of a submove."""
    message: str
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
    """The players' names by seat."""
    records: list[Record] = attrs.field(factory=list)
    """The records of the matches that were played."""
    faults: list[list[FaultInfo]] = attrs.field(factory=list)
    """The tested bot's faults in each of these matches, in order."""
    unasked: list[Unasked] = attrs.field(factory=list)
    tap: Tap | None = None
    outnumbered: tuple[int, int, int] | None = None
    """The bot's score, the best rival's score and the turn, when the bot was furthest behind."""
    exit: Exit | None = None
    """How the bot's process ended; None: it wasn't started."""
    output: str = ""
    """The end of what the bot's process wrote."""
    left_behind: int = 0
    """The number of processes started by the bot that were still there after its end."""

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
        if self.void:
            return []
        seat = self.spec.seat
        return [
            Slip(
                match=number,
                turn=fault.turn,
                code=fault.code,
                index=fault.index,
                message=fault.words,
                raw=record.turns[fault.turn].raw[seat],
            )
            for number, (record, faults) in enumerate(
                zip(self.records, self.faults, strict=True), 1
            )
            for fault in faults
        ]

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
    bout = Bout(spec)
    for _ in range(spec.conditions.void_tries):
        bout = await _play_once(tested, spec)
        if not bout.void:
            break
    return bout


async def _play_once(tested: Tested, spec: BoutSpec) -> Bout:
    bout = Bout(spec)
    stalls = StallMonitor()
    async with helpers_nursery() as nursery:
        nursery.start_soon(stalls.beat)
        pool = BotPool(nursery, GRACE)
        bot = await _take(tested, bout, pool)
        if bot is not None:
            await _with_bot(tested, bout, bot, pool, stalls)
    return bout


async def _take(tested: Tested, bout: Bout, pool: BotPool) -> PooledBot | None:
    """Start the tested bot; return None if it doesn't connect, with the reason in the bout."""
    try:
        bot = await pool.take(
            tested.bot,
            tested.ruleset,
            tested.conditions.time_start,
            tap=bout.spec.tap,
            is_one_try=True,
        )
    except NotStartedError as error:
        bout.not_there = str(error)
        _note_end(bout, error.bot)
        return None
    bout.hello, bout.tap = bot.connection.hello, cast("Tap", bot.connection.channel)
    bout.hello_after = bot.hello_after
    return bot


def _note_end(bout: Bout, bot: Bot) -> None:
    bout.exit = bot.exit
    bout.output = bot.output_tail(OUTPUT_KEPT)
    bout.left_behind = bot.left_behind


async def _with_bot(
    tested: Tested, bout: Bout, bot: PooledBot, pool: BotPool, stalls: StallMonitor
) -> None:
    """Seat the other players, play the matches, and end the rivals and then the bot."""
    spec = bout.spec
    rivals: list[PooledBot] = []
    try:
        connections = await _seat_the_others(tested, bout, bot, pool, rivals)
        await _play_matches(tested, bout, connections, stalls)
        for connection in connections:
            if not connection.closed:  # its bot would stay for another match
                await connection.close(bytes(Bye()))
        with trio.move_on_after(spec.leave):
            await bot.bot.exited()
    finally:
        for other in (*rivals, bot):
            await other.end()
    _note_end(bout, bot.bot)


async def _seat_the_others(
    tested: Tested, bout: Bout, bot: PooledBot, pool: BotPool, rivals: list[PooledBot]
) -> list[Connection]:
    """Seat rivals, then quiet players; return all connections by seat."""
    spec = bout.spec
    seated = {spec.seat: bot.connection}
    announce(seated.values(), spec.ruleset)
    seats = [seat for seat in range(spec.ruleset.seats) if seat != spec.seat]
    for number, seat in enumerate(seats):
        if number >= len(spec.rivals):
            seated[seat] = quiet_connection(seat)
            continue
        contestant = spec.rivals[number]
        try:
            rival = await pool.take(contestant, spec.ruleset, tested.conditions.time_start)
        except NotStartedError as error:
            raise CheckFailureError(
                f"the house bot {contestant.name} did not start: {error.with_last_line()}"
            ) from None
        rivals.append(rival)
        seated[seat] = rival.connection
    announce(seated.values(), spec.ruleset)
    return [seated[seat] for seat in range(spec.ruleset.seats)]


async def _play_matches(
    tested: Tested, bout: Bout, connections: Sequence[Connection], stalls: StallMonitor
) -> None:
    spec = bout.spec
    names = [connection.hello.name for connection in connections if connection.hello is not None]
    bout.names = tuple(distinct(names))
    watch = _Watch(bout)
    with TemporaryFolder("lanista-check") as folder:
        for number in range(spec.matches):
            if connections[spec.seat].closed:
                return
            path = folder.path / f"{number}.jsonl"
            hosted = HostedMatch(
                spec=MatchSpec(
                    match=ids.match_id(),
                    ruleset=spec.ruleset,
                    settings=spec.settings,
                    seed=tested.seed,
                    board=spec.board,
                    conditions=spec.conditions,
                ),
                connections=connections,
                names=bout.names,
                record=RecordWriter(path),
                stalls=stalls,
                watcher=watch.look,
            )
            match = hosted.match
            try:
                watch.begin(match)
                await hosted.run()
                await hosted.complete()
            finally:
                hosted.close()
            if match.error is not None:
                raise CheckFailureError(f"{bout.spec.name} was aborted:\n{match.error}")
            record = read_record(path)
            bout.records.append(record)
            turns = all_faults(record, _game_at_start(spec, record))
            bout.faults.append(
                [fault for faults in turns for fault in faults if fault.seat == spec.seat]
            )
            if bout.void:
                return


def _game_at_start(spec: BoutSpec, record: Record) -> Game:
    """Return the game of a bout's match before its first turn."""
    if spec.board is None:
        return start(record, spec.ruleset)
    # No file can hold some of our boards, so the record's text may not be readable.
    chance = spec.ruleset.chance(record.header.seed)
    return spec.ruleset.new(spec.settings, spec.board, chance)


@attrs.define(eq=False)
class _Watch:
    """Checks between the turns whether the bot sent more lines than it was asked for."""

    bout: Bout
    _match: Match | None = None
    _asked: int = 0
    """The number of answers that the bot was asked for, in all matches so far."""
    _noticed: int = 0
    """The number of extra lines that are already noted in the bout."""
    _worst: float = 0.0
    """The greatest ratio so far of the best rival's score to the bot's."""

    def begin(self, match: Match) -> None:
        """Watch another match of the bout."""
        self._match = match

    async def look(self, game: Game) -> None:
        """Check for extra lines before each turn and after the last (`runner.Watcher`)."""
        bout, match, tap = self.bout, self._match, self.bout.tap
        assert match is not None
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
        """Note when the bot was furthest behind."""
        scores = game.scores()
        own = scores[self.bout.spec.seat]
        best = max(score for seat, score in enumerate(scores) if seat != self.bout.spec.seat)
        ratio = best / max(own, 1)
        if ratio > max(self._worst, 1.0):
            self._worst = ratio
            self.bout.outnumbered = own, best, game.turn
