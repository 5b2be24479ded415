"""One bout of a check: the bot started anew, seated, played with, ended; and what was seen of it.

The match is run by the product's own `Match` with a record, so verdicts, times and faults are
those of any match. What they mean for the bot is told in `items`.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
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
from lanista.match.record import Record, RecordWriter, TurnInfo, read_record
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.rules.base import Game, Ruleset
from lanista.rules.outcome import Termination
from lanista_protocol import Bye, Hello, RemoteProtocolError, State

FIRST_LOOK, LAST_LOOK = 0.06, 0.1
"""Seconds before the first turn, and after the last answer, in which lines that nobody asked for
may still come."""
GRACE = 0.1
"""Seconds to go for a bot that never came, or was waited for already."""
OUTPUT_KEPT = 4000
"""Bytes of the bot's own output that are kept for evidence."""


class CheckFailureError(Exception):
    """The check itself can't go on: a house bot that doesn't come, an error in the rules."""


@attrs.frozen(kw_only=True)
class Tested:
    """The bot under check, and what holds in all its bouts."""

    bot: Contestant
    ruleset: Ruleset
    seed: int
    conditions: MatchConditions


@attrs.frozen(kw_only=True)
class BoutSpec:
    """What is particular about a bout."""

    name: str
    """As a report calls it: `the plain match`."""
    ruleset: Ruleset
    settings: Mapping[str, int]
    conditions: MatchConditions
    board: Any = None
    seat: int = 0
    """Where the tested bot sits."""
    rivals: Sequence[Contestant] = ()
    """Bots to start for the other seats; quiet players sit there without."""
    tap: Callable[[Channel], Tap] = Tap
    matches: int = 1
    """Matches on the same connection."""
    settle: float = 0.0
    """Seconds before every turn in which lines that nobody asked for may still come."""
    leave: float = 3.0
    """Seconds the bot has to end by itself when all is over."""


@attrs.frozen(kw_only=True)
class Unasked:
    """A line beside the one answer of each turn, noticed before some turn of a bout."""

    turn: int
    """The turn that was about to begin."""
    at_start: bool
    """Before the bot was asked for anything."""
    line: bytes
    """The last line that had come; cut."""


@attrs.frozen(kw_only=True)
class Slip:
    """A fault of the tested bot, as the record tells it."""

    match: int
    """Which match of the bout, from 1."""
    turn: int
    code: str
    """`late`, `malformed`, `illegal`, `disconnected`, or why its connection was closed."""
    index: int | None
    words: str
    raw: str | None
    """Its answer, if there was one."""


@attrs.define(eq=False)
class Bout:
    """What was seen of the tested bot in a bout."""

    spec: BoutSpec
    hello: Hello | None = None
    hello_after: float = 0.0
    """Seconds from its start to its hello."""
    not_there: str = ""
    """Why it didn't come, in words; empty when it did."""
    names: tuple[str, ...] = ()
    """By seat."""
    records: list[Record] = attrs.field(factory=list)
    """Of the matches that were played."""
    unasked: list[Unasked] = attrs.field(factory=list)
    tap: Tap | None = None
    outnumbered: tuple[int, int, int] | None = None
    """Its score, the best rival's score, and the turn, when it was behind the most."""
    exit: Exit | None = None
    output: str = ""
    left_behind: int = 0
    """Processes of its own that were there when it had ended."""

    @property
    def void(self) -> bool:
        """Whether this machine stalled, so that nothing can be said."""
        return any(self._ended(record) == Termination.VOID.value for record in self.records)

    @staticmethod
    def _ended(record: Record) -> str:
        return record.result.end if record.result is not None else ""

    @property
    def turns(self) -> int:
        """Turns in which the bot was asked, over all matches."""
        return sum(1 for _ in self.asked())

    @property
    def answered(self) -> int:
        """Answers of the bot that came in time and weren't malformed."""
        return sum(turn.verdicts[self.spec.seat] == "answer" for turn in self.asked())

    def asked(self) -> Iterator[TurnInfo]:
        """The turns in which the bot was asked, in order."""
        for record in self.records:
            for turn in record.turns:
                if turn.verdicts[self.spec.seat] != "out":
                    yield turn

    def slips(self) -> list[Slip]:
        """The bot's faults, in order; none of a void match, which nobody can blame it for."""
        if self.void:
            return []
        seat = self.spec.seat
        return [
            Slip(
                match=number,
                turn=turn.turn,
                code=fault.code,
                index=fault.index,
                words=fault.words,
                raw=turn.raw[seat],
            )
            for number, record in enumerate(self.records, 1)
            for turn in record.turns
            for fault in turn.faults
            if fault.seat == seat
        ]

    @property
    def ended_well(self) -> bool | None:
        """Whether its process ended as it should; None where no match came to its end."""
        if self.void or not self.records or self.broken_off or self.exit is None:
            return None
        return self.exit.code == 0

    @property
    def broken_off(self) -> bool:
        """Whether the bot did not play to the end: it lost by a fault, left, or was put out."""
        if not self.slips():
            return False
        last = self.records[-1]
        verdicts = {turn.verdicts[self.spec.seat] for turn in last.turns}
        ended = self._ended(last) == Termination.FORFEIT.value
        return ended or bool(verdicts & {"missing", "out"})


async def play(tested: Tested, spec: BoutSpec) -> Bout:
    """Play a bout; again with the bot started afresh when a stall of this machine spoiled it.

    Raises:
        CheckFailureError: Not the bot's fault.
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
    # What goes wrong is carried around the nursery, which would wrap it into a group.
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stalls.beat)
        pool = BotPool(nursery, GRACE)
        try:
            bot = await _take(tested, bout, pool)
            if bot is not None:
                await _with_bot(tested, bout, bot, pool, stalls)
        except (CheckFailureError, OSError) as error:
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return bout


async def _take(tested: Tested, bout: Bout, pool: BotPool) -> PooledBot | None:
    """Start the tested bot and let it in; None, and why is in the bout, if it doesn't come."""
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
    """Seat the others; play; end the rivals, then the bot."""
    spec = bout.spec
    rivals: list[PooledBot] = []
    try:
        connections = await _seat_the_others(tested, bout, bot, pool, rivals)
        await _play_matches(tested, bout, connections, stalls)
        for connection in connections:
            if not connection.closed:  # one that would have stayed for another match
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
    """Seat rivals, and quiet players where there are none; by seat, all connections."""
    spec = bout.spec
    there = {spec.seat: bot.connection}
    announce(there.values(), spec.ruleset)
    seats = [seat for seat in range(spec.ruleset.seats) if seat != spec.seat]
    for number, seat in enumerate(seats):
        if number >= len(spec.rivals):
            there[seat] = quiet_connection(seat)
            continue
        rival = spec.rivals[number]
        try:
            come = await pool.take(rival, spec.ruleset, tested.conditions.time_start)
        except NotStartedError as error:
            raise CheckFailureError(f"the house bot {rival.name} did not start: {error}") from None
        rivals.append(come)
        there[seat] = come.connection
    announce(there.values(), spec.ruleset)
    return [there[seat] for seat in range(spec.ruleset.seats)]


async def _play_matches(
    tested: Tested, bout: Bout, connections: Sequence[Connection], stalls: StallMonitor
) -> None:
    spec = bout.spec
    said = [connection.hello.name for connection in connections if connection.hello is not None]
    bout.names = tuple(distinct(said))
    watch = _Watch(bout)
    with tempfile.TemporaryDirectory(prefix="lanista-check-") as folder:
        for number in range(spec.matches):
            if connections[spec.seat].closed:
                return
            path = Path(folder) / f"{number}.jsonl"
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
            bout.records.append(read_record(path))
            if match.error is not None:
                raise CheckFailureError(f"{bout.spec.name} was aborted:\n{match.error}")
            if bout.void:
                return


@attrs.define(eq=False)
class _Watch:
    """Looks between the turns whether the bot sent more than it was asked for."""

    bout: Bout
    _match: Match | None = None
    _asked: int = 0
    """Answers that the bot has owed so far."""
    _noticed: int = 0
    """Lines too many that were told of already."""
    _worst: float = 0.0

    def begin(self, match: Match) -> None:
        """Another match begins."""
        self._match = match

    async def look(self, game: Game) -> None:
        """Called before every turn and after the last (`runner.Watcher`)."""
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
        """Remember when the bot was behind the most."""
        scores = game.scores()
        own = scores[self.bout.spec.seat]
        best = max(score for seat, score in enumerate(scores) if seat != self.bout.spec.seat)
        lead = best / max(own, 1)
        if lead > max(self._worst, 1.0):
            self._worst = lead
            self.bout.outnumbered = own, best, game.turn
