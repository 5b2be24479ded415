"""Playing one match: send every seat its turn, collect and judge the answers, advance the game.

No game is named and no socket is touched here: rules come as `lanista.rules.base` objects, and
bytes go through `encoder` and `seat`. While the bots think, only the record's line of the last turn
is written. That delays no answer, since the kernel notes when answers arrive.
"""

import math
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import attrs
import trio

from lanista.match import turn_lines
from lanista.match.boards import PreparedBoard, prepare_board
from lanista.match.bundle import Failure
from lanista.match.conditions import MatchSpec
from lanista.match.connection import CLOSING_TIME, Connection
from lanista.match.encoder import DialectEncoder, Encoder, MatchInfo, Version1Encoder
from lanista.match.ending import Ending
from lanista.match.faults import FaultTally, faults_of, in_order, late_message
from lanista.match.figures import MatchFigures
from lanista.match.record import FaultInfo, RejoinInfo, ResultInfo, outcome_info, squeezed
from lanista.match.record_writer import RecordWriter
from lanista.match.seat import Seat
from lanista.match.seat_endings import seat_ending
from lanista.match.stalls import StallMonitor
from lanista.match.verdicts import NAMES, read_answer
from lanista.rules.base import (
    Answer,
    Consequence,
    Game,
    Late,
    Malformed,
    Missing,
    Out,
    RefusalCode,
    Token,
    TooManySubmovesError,
    Verdict,
)
from lanista.rules.outcome import REMOVED, Outcome, Termination, forfeit, ranks_by_score
from lanista_protocol import (
    ErrorCode,
    Note,
    NoteCode,
    State,
)

OUT = Out()
OWN_SHARE = 0.5
"""Share of a stall above which work for the late bot's own address is blamed for it."""
MEASURED_EVERY = 32
"""Number of turns after which the round trips to the bots are measured again."""
LONG_LINE = 4096
"""Length of an answer in characters above which other tasks may run before it is parsed."""

Watcher = Callable[[Game], Awaitable[None] | None]
"""Called with the game before the first turn and after each one, while no seat's clock runs.

If it returns something to wait for, the match waits for that.
"""


class RejoinError(Exception):
    """A bot can't come back into a match; the message says why, for people."""


@attrs.define(eq=False)
class Match:
    """One match. Call `run` once, and then `record.finish` to complete the record."""

    spec: MatchSpec
    connections: Sequence[Connection]
    """The bots' connections at the beginning, by seat; their hellos have been read. `seats` has the
    present ones."""
    names: Sequence[str]
    """The players' names, by seat."""
    record: RecordWriter
    stalls: StallMonitor = attrs.field(factory=StallMonitor)
    watcher: Watcher | None = None
    commands: Sequence[tuple[str, ...] | None] | None = None
    """The commands by which the bots were started, by seat, for the record."""
    why_gone: Callable[[int], Awaitable[str | None]] | None = None
    """Called with a seat whose bot closed its connection; returns the reason, if it is known."""
    limit_breakers: Callable[[float], Awaitable[Mapping[int, str]]] | None = None
    """Called when a turn would make the match void, with the time on trio's clock at which the turn
    began. Returns the seats whose bots are ended because they broke a limit, if something of them
    was still there then, and how each of these bots ended."""
    prepared: PreparedBoard | None = None
    """The board, if it was prepared in advance; None to prepare it in `run`."""
    may_rejoin: Collection[int] = ()
    """The seats whose bots may come back by `rejoin`, for example because tokens protect their
    names. It has no effect in a match where a fault forfeits or an answer has no time limit, nor
    for a bot that speaks a dialect, which has no way to send a bot the match's beginning again."""

    seats: list[Seat] = attrs.field(init=False)
    outcome: Outcome | None = attrs.field(init=False, default=None)
    """The outcome; None until the match is over."""
    error: str | None = attrs.field(init=False, default=None)
    """The traceback of the arena's or the ruleset's error that aborted the match."""
    figures: MatchFigures = attrs.field(init=False, factory=MatchFigures)
    """What was counted in its turns."""
    _game: Game | None = attrs.field(init=False, default=None)
    _turns: int = attrs.field(init=False, default=0)
    _scope: trio.CancelScope = attrs.field(init=False, factory=trio.CancelScope)
    _nursery: trio.Nursery | None = attrs.field(init=False, default=None)
    _allowance: float = attrs.field(init=False, default=0.0)
    # By seat, the faults of the present turn whose messages were written.
    _turn_faults: list[list[FaultInfo]] = attrs.field(init=False, factory=list)
    _tokens: list[Sequence[Token]] = attrs.field(init=False, factory=list)  # by seat
    _tallies: list[FaultTally] = attrs.field(init=False, factory=list)  # by seat
    _rooms: list[turn_lines.Room] = attrs.field(init=False, factory=list)  # by seat
    # The seats whose bots came back in this turn, with what the record says about each.
    _rejoined: dict[str, RejoinInfo] = attrs.field(init=False, factory=dict)
    # Whether a seat was kicked in a match in which a fault forfeits.
    _is_decided: bool = attrs.field(init=False, default=False)
    _can_be_absent: bool = attrs.field(init=False, default=False)  # whether any seat can
    # By seat, the round trips that were measured in this turn.
    _round_trips: dict[str, tuple[int, int]] = attrs.field(init=False, factory=dict)
    # Set when an absent seat needs to be waited for no longer.
    _changed: trio.Event = attrs.field(init=False, factory=trio.Event)
    _last_notes: list[bytes] = attrs.field(init=False, factory=list)
    # The line of the last turn, until it is written while the bots think about the next.
    _unwritten: dict[str, Any] | None = attrs.field(init=False, default=None)
    # When that turn began; negative infinity if an absent seat was waited for in it.
    _unwritten_began: float = attrs.field(init=False, default=-math.inf)
    _why_interrupted: str = attrs.field(init=False, default="")
    _has_sent_end: bool = attrs.field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        info = MatchInfo(
            match=self.spec.match,
            game=self.spec.ruleset.name,
            players=tuple(self.names),
            limits=self.spec.conditions.clock,
            lag_allowance=self.spec.conditions.lag_allowance,
            seed=self.spec.seed,
        )
        version1 = Version1Encoder(info)
        classic = self.spec.ruleset.classic
        self.seats = []
        self._last_notes = [b"" for _ in self.names]
        self._turn_faults = [[] for _ in self.names]
        self._tokens = [() for _ in self.names]
        self._tallies = [FaultTally() for _ in self.names]
        self._rooms = [turn_lines.Room() for _ in self.names]
        clock = self.spec.conditions.clock
        has_gaps = self.spec.ruleset.consequence is Consequence.SKIP and clock.first and clock.turn
        for index, (name, connection) in enumerate(zip(self.names, self.connections, strict=True)):
            assert connection.hello is not None
            encoder: Encoder = version1
            if connection.hello.version is None and classic is not None:
                encoder = DialectEncoder(classic)
            may_rejoin = bool(has_gaps) and index in self.may_rejoin and encoder is version1
            self._can_be_absent |= may_rejoin
            self.seats.append(Seat(index, name, connection, encoder, may_rejoin=may_rejoin))

    @property
    def turn(self) -> int:
        """The present turn's number; once the match is over, the number of turns."""
        return self._turns

    def interrupt(self, why: str = "the arena is shutting down") -> None:
        """Abort the match; its seats are sent the reason."""
        self._why_interrupted = why
        self._scope.cancel()

    def kick(self, seat: int, why: str, code: ErrorCode = ErrorCode.SHUTDOWN) -> None:
        """Put a seat out in this turn, or in the next one if it has answered already.

        If its answer is awaited, its connection is closed at once: the others may have no time
        limit, and the turn lasts until they have answered. In a match where a fault forfeits,
        nobody waits for the others: if one of them hasn't answered, the match ends before the end
        of this turn.

        Args:
            seat: The seat.
            why: The reason, which its bot is sent.
            code: The code of that error.
        """
        place = self.seats[seat]
        is_awaited = place.is_awaited
        place.kick(why, code)
        self._changed.set()
        if self.spec.ruleset.consequence is Consequence.FORFEIT:
            self._is_decided = True
            for other in self.seats:
                other.excuse()
        if is_awaited and place.look() and place.gone == code.value and not place.dismissed:
            assert self._nursery is not None
            place.dismissed = True
            self._nursery.start_soon(self._close_gone, place, b"")

    def rejoin(self, seat: int, connection: Connection) -> Connection | None:
        """Let a seat's bot go on over another connection, from the next turn on.

        The bot is sent the match's beginning again, and then that turn like any other. Answers that
        it owed on the old connection are forgotten. If one is awaited there, the turn is missing.

        Args:
            seat: The number of the seat.
            connection: The bot's new connection, whose hello has been read. The match closes or
                ends it like any other, unless it is over before (`unseated`).

        Returns:
            The connection that is replaced, which the caller closes; None if it was broken.

        Raises:
            RejoinError: The bot can't come back. The connection remains the caller's.
        """
        place = self.seats[seat]
        hello = connection.hello
        assert hello is not None
        if self.outcome is not None:
            raise RejoinError("the match is over")
        if place.is_awaited:
            place.look()  # an answer that has come by now still counts
            place.connection.channel.wake()  # for the task that waited for it
        if place.gone is not None:
            raise RejoinError(f"its seat is out ({place.gone}: {place.gone_message})")
        if place.kicked is not None:
            raise RejoinError(f"its seat is being removed ({place.kicked})")
        if not place.may_rejoin:
            raise RejoinError("in this match a bot can't come back to its seat")
        if hello.version is None and self.spec.ruleset.classic is not None:
            raise RejoinError("a bot can come back only if it speaks version 1 (v=1)")
        replaced = place.replace(connection)
        self._changed.set()
        return replaced

    def unseated(self) -> list[Connection]:
        """Return the connections of bots that came back too late to be sent another turn.

        They wait as before `rejoin`, and are the caller's again when the match is over.
        """
        return [seat.successor for seat in self.seats if seat.successor is not None]

    # -- the whole match -----------------------------------------------------------------------

    async def run(self) -> Outcome:
        """Play to the end and return the outcome.

        The record's `.part` file is complete then, including the result. An error in the rules or
        in writing the record aborts this match.
        """
        try:
            self._begin()
            with self.stalls.watching(), self._scope:
                async with trio.open_nursery() as self._nursery:
                    await self._play()
                    # Within the nursery, so that the other seats don't wait until the connection of
                    # a seat that went out in the last turn is closed.
                    await self._send_end()
        except Exception:  # noqa: BLE001 - no error may reach other matches
            self.error = traceback.format_exc()
        if self.outcome is None:
            self.outcome = self._aborted()
        if not self._has_sent_end:
            await self._send_end()
        return self.outcome

    def _aborted(self) -> Outcome:
        """Return the outcome of an aborted match: all seats share the first place."""
        return Outcome(
            termination=Termination.ABORTED,
            ranks=(1,) * self.spec.ruleset.seats,
            scores=self._scores(),
            reason="interrupted" if self.error is None else "error",
        )

    def _begin(self) -> None:
        spec = self.spec
        board_text = ""
        try:
            prepared = self.prepared or prepare_board(
                spec.ruleset, spec.settings, spec.seed, spec.board
            )
            board_text = prepared.text
            self._game = spec.ruleset.new(spec.settings, prepared.board, prepared.chance)
            self._allowance = spec.conditions.clock.allowance(spec.ruleset.max_turns(spec.settings))
        finally:
            # Also when the rules failed, because the record of that failure needs a header.
            self.record.begin(turn_lines.header(spec, self.seats, board_text, self.commands))

    async def _play(self) -> None:
        """Play turns until there is an outcome."""
        game = self._game
        assert game is not None
        # If the match was interrupted already, the bots aren't sent its beginning.
        await trio.lowlevel.checkpoint()
        status = self._status()
        await self._hold(game)
        payloads = [seat.encoder.opening(game, seat.index, status) for seat in self.seats]
        for seat in self.seats:
            if seat.successor is None:
                seat.connection.session.start()
                self._measure(seat)
        while True:
            if self._can_be_absent:
                self._take_successors(game, payloads, status)
            began = trio.current_time()
            asked = [seat for seat in self.seats if seat.present]
            playing = asked
            if self._can_be_absent:
                playing = [seat for seat in self.seats if seat.playing]
            await self._exchange(asked, payloads, began)
            if self._is_decided and not all(seat.settled for seat in asked):
                self.outcome = self._forfeited(game)
                return
            if self._can_be_absent:
                await self._wait_for_absent(playing, began + self._limit)
            stall = self.stalls.worst(began, trio.current_time())
            if self.why_gone is not None:
                for seat in asked:
                    if seat.gone == "disconnected":
                        seat.gone_message = await self.why_gone(seat.index) or seat.gone_message
            await self.stalls.passes.wait()
            # A late answer in a turn in which the host stalled may be the fault of either, so the
            # match is void, unless the host was busy with connections from the bot's own address.
            void = in_stall = stall > self.spec.conditions.stall_margin and any(
                self._is_late(seat) and seat.connection.work_since(began) < stall * OWN_SHARE
                for seat in asked
            )
            if void and await self._put_out_limit_breakers(began):
                void = False
                if self.spec.ruleset.consequence is Consequence.FORFEIT:
                    self.outcome = self._forfeited(game)
                    return
            verdicts = await self._judge(playing)
            notes = self._note_faults(began, playing, verdicts, in_stall=in_stall)
            if not void:
                game.advance(verdicts)
            outcome = self._ending(game, void=void)
            if outcome is not None and not void:
                self._give_up_absent()
            self._unwritten = self._turn_line(began, asked, verdicts, stall, status)
            self._unwritten_began = began if len(playing) == len(asked) else -math.inf
            self._turns += 1
            if outcome is not None:
                self._write_turn()
            # Set before the next `await`, so that an interrupt there can't undo a finished match.
            self.outcome = outcome
            if self.outcome is not None and not void:
                self._last_notes = notes
            status = self._status()
            self._dismiss(playing, notes)
            await self._hold(game)
            if self.outcome is not None:
                return
            payloads = [
                notes[seat.index] + seat.encoder.turn(game, seat.index, status)
                if seat.present
                else b""
                for seat in self.seats
            ]

    async def _hold(self, game: Game) -> None:
        """Wait for the watcher, if there is one that wants to."""
        wait = None if self.watcher is None else self.watcher(game)
        if wait is not None:
            # Whoever follows the record sees the last turn meanwhile.
            self._write_turn()
            await wait

    def _ending(self, game: Game, *, void: bool) -> Outcome | None:
        if void:
            return Outcome(
                termination=Termination.VOID,
                ranks=(1,) * len(self.seats),
                scores=game.scores(),
                reason="stall",
            )
        outcome = game.outcome()
        if outcome is None and not any(seat.playing for seat in self.seats):
            scores = game.scores()
            outcome = Outcome(
                termination=Termination.FORFEIT,
                ranks=ranks_by_score(scores),
                scores=scores,
                reason="all-out",
            )
        return outcome

    def _forfeited(self, game: Game) -> Outcome:
        """Return the outcome of a match that a kick ends within a turn, which isn't played.

        The rules can't tell who has lost, as they would need verdicts on all seats.
        """
        self._turn_faults = [[] for _ in self.seats]
        for seat in self.seats:
            if seat.kicked is not None:
                seat.lose(seat.kicked_code.value, seat.kicked)
            if seat.gone is not None:
                self._count_out(seat)
        at_fault = [seat.gone is not None for seat in self.seats]
        return forfeit(at_fault, game.scores(), REMOVED)

    def _count_out(self, seat: Seat) -> None:
        """Count the fault by which a seat is out without having been judged in this turn."""
        tally = self._tallies[seat.index]
        tally.count(Missing(), seat.gone)
        faults = self._turn_faults[seat.index] = self._faults(seat, Missing(), None)
        tally.keep(faults, is_out=True)

    # -- absent seats --------------------------------------------------------------------------

    def _take_successors(self, game: Game, payloads: list[bytes], status: Sequence[float]) -> None:
        """Seat the bots that have come back; they are sent the match's beginning in this turn."""
        self._rejoined = {}
        for seat in self.seats:
            if seat.successor is None or not seat.playing:
                continue
            seat.take_successor()
            seat.connection.session.start()
            self._measure(seat)
            seat.present = True
            # Without the notes on its last answer, which came over another connection.
            payloads[seat.index] = seat.encoder.opening(game, seat.index, status)
            hello = seat.connection.hello
            assert hello is not None
            self._rejoined[str(seat.index)] = RejoinInfo(notes=hello.notes)

    async def _wait_for_absent(self, playing: Sequence[Seat], deadline: float) -> None:
        """Wait for the end of the turn's time if a seat is absent, unless its bot comes back.

        The turn of an absent seat lasts as long as that of one that is silent. So the late limit
        gives a bot the same time to come back however fast the others are, and it makes no
        difference to anybody whether the arena has noticed already that a connection is broken.
        """
        if any(seat.missed for seat in playing):
            with trio.CancelScope(deadline=deadline):
                while any(seat.missed for seat in playing):
                    self._changed = trio.Event()
                    await self._changed.wait()
        for seat in playing:
            if seat.absent and seat.kicked is not None:
                seat.lose(seat.kicked_code.value, seat.kicked)

    def _give_up_absent(self) -> None:
        """Put out the seats that are still absent when the match ends, in its last turn."""
        for seat in self.seats:
            if seat.missed:
                seat.lose("disconnected", f"{seat.why_absent}; it was not back at the match's end")
                self._count_out(seat)

    # -- a turn --------------------------------------------------------------------------------

    async def _exchange(
        self, asked: Sequence[Seat], payloads: Sequence[bytes], began: float
    ) -> None:
        """Send each seat its payload, then wait until each has answered or run out of time."""
        limit = self._limit
        # All are asked before any bytes go out, so that the hand-overs follow without delay.
        for seat in asked:
            seat.ask()
        blocked = False
        for seat in asked:
            if seat.present:
                blocked |= seat.hand_over(payloads[seat.index], limit)
        self._write_turn(began)
        if self._turns and self._turns % MEASURED_EVERY == 0:
            for seat in asked:
                self._measure(seat)
        if blocked:
            # A bot that doesn't read must not delay the others. Only in this case do the seats need
            # tasks of their own.
            async with trio.open_nursery() as nursery:
                for seat in asked:
                    nursery.start_soon(self._exchange_apart, seat)
            return
        unread = iter(asked)
        for seat in unread:
            # A scope and a pass of the event loop cost much of a turn, so only if they must.
            if not seat.look():
                await self._wait_for(seat, unread, max([seat.deadline for seat in asked]))
                break
        else:
            # Bots that always answer at once must not block the other tasks.
            await self.stalls.passes.share()
        for seat in asked:
            if not seat.settled:
                await seat.last_look()

    def _measure(self, seat: Seat) -> None:
        """Measure the round trip to a seat's bot, for its next time limits and for the record."""
        found = seat.measure(self.spec.conditions.lag_allowance)
        if found is not None:
            self._round_trips[str(seat.index)] = found.smoothed, found.least
            self.figures.round_trips.add(found.smoothed)

    async def _wait_for(self, seat: Seat, others: Iterable[Seat], deadline: float) -> None:
        """Wait for a seat that has just been looked at, then for the others; until the deadline."""
        with trio.CancelScope(deadline=deadline):
            await seat.connection.channel.wait_readable()
            await seat.answer()
            for other in others:
                await other.answer()

    async def _exchange_apart(self, seat: Seat) -> None:
        if seat.blocked:
            await seat.hand_over_rest()
        with trio.CancelScope(deadline=seat.deadline):
            await seat.answer()
        if not seat.settled:
            await seat.last_look()

    async def _judge(self, playing: Sequence[Seat]) -> list[Verdict]:
        """Return the verdicts by seat."""
        verdicts: list[Verdict] = [OUT] * len(self.seats)
        for seat in playing:
            if seat.line is not None and len(seat.line) > LONG_LINE:
                # Parsing this takes milliseconds, so other matches may go first.
                await trio.lowlevel.checkpoint()
            verdicts[seat.index] = self._verdict(seat)
        return verdicts

    def _note_faults(
        self, began: float, playing: Sequence[Seat], verdicts: Sequence[Verdict], *, in_stall: bool
    ) -> list[bytes]:
        """Count the faults of the turn; return the notes that each seat is sent next.

        The game still stands before the turn, so that it can explain what is refused.

        Args:
            began: When the turn began, on trio's clock.
            playing: The seats that are still in the match.
            verdicts: The verdicts, by seat.
            in_stall: Whether a late answer may be the fault of a stall of this machine, so that it
                doesn't count for the limit of late turns.
        """
        self._turn_faults = [[] for _ in self.seats]
        notes = [b""] * len(self.seats)
        for seat in playing:
            verdict, tally = verdicts[seat.index], self._tallies[seat.index]
            if isinstance(verdict, Answer) and not verdict.refused:
                continue
            times = turn_lines.times_of(seat, began)
            if isinstance(verdict, Late):
                self.figures.count_late(in_stall=in_stall)
            if not in_stall and (isinstance(verdict, Late) or seat.absent):
                self._count_late(seat, times)
            tally.count(verdict, seat.gone)
            hello = seat.connection.hello
            assert hello is not None
            wants_notes = hello.notes or self.spec.ruleset.consequence is Consequence.FORFEIT
            if isinstance(verdict, Answer) and not wants_notes and not tally.wants_examples:
                continue  # Nobody reads the messages, and there may be thousands.
            faults = self._faults(seat, verdict, times)
            self._turn_faults[seat.index] = faults
            tally.keep(faults, is_out=seat.gone is not None)
            if wants_notes and not isinstance(verdict, Missing):
                notes[seat.index] = b"".join([self._note(seat, fault) for fault in faults])
        return notes

    def _count_late(self, seat: Seat, times: Sequence[int] | None) -> None:
        """Count a turn that was late or missing; put the seat out after too many of them in a row.

        A bot that is already back, and so will be asked in the next turn, isn't put out before.
        """
        seat.late_streak += 1
        if (
            seat.successor is not None
            or self.spec.ruleset.consequence is not Consequence.SKIP
            or seat.late_streak < self.spec.conditions.late_limit
        ):
            return
        if seat.absent:
            message = f"late or absent {seat.late_streak} turns in a row, so it is out"
            seat.lose("disconnected", f"{seat.why_absent}; {message}")
        else:
            message = late_message(times, seat.limit)
            message += f"; late {seat.late_streak} turns in a row, so it is out"
            seat.lose("late", message)

    def _faults(self, seat: Seat, verdict: Verdict, times: Sequence[int] | None) -> list[FaultInfo]:
        """Return the faults of a seat in this turn, with their messages."""
        assert self._game is not None
        number, index = self._turns, seat.index
        if seat.gone is not None:
            code = RefusalCode.LATE.value if isinstance(verdict, Late) else seat.gone
            return [
                FaultInfo(turn=number, seat=index, code=code, index=None, words=seat.gone_message)
            ]
        return faults_of(
            self._game,
            number,
            index,
            verdict,
            line=seat.line,
            tokens=self._tokens[index],
            times=times,
            limit=seat.limit,
        )

    def _note(self, seat: Seat, fault: FaultInfo) -> bytes:
        return seat.encoder.note(Note(NoteCode(fault.code), fault.turn, fault.index, fault.words))

    @property
    def _limit(self) -> float:
        """The time limit of this turn, in seconds, without what is added for a seat's way."""
        return self.spec.conditions.clock.of_turn(self._turns)

    def _is_missing(self, seat: Seat) -> bool:
        return seat.line is None and not seat.present and seat.gone != "late"

    def _is_late(self, seat: Seat) -> bool:
        if self._is_missing(seat):
            return False
        # A bot that did not read its turn is late (`gone`), even if it had sent an answer ahead.
        if seat.line is None or seat.arrived is None or seat.gone:
            return True
        return not seat.arrived.in_time(seat.deadline)

    async def _put_out_limit_breakers(self, began: float) -> bool:
        """Put out the seats whose bots have broken a limit; return whether there is any.

        Such a bot may itself be why this machine stalled: otherwise a bot that is about to lose
        could make the match void, again and again, by starting processes without end.

        Args:
            began: When the turn began, on trio's clock.
        """
        if self.limit_breakers is None:
            return False
        breakers = await self.limit_breakers(began)
        for index, why in breakers.items():
            seat = self.seats[index]
            seat.lose("disconnected", why)
            seat.line = None
        return bool(breakers)

    def _verdict(self, seat: Seat) -> Verdict:
        assert self._game is not None
        if self._is_missing(seat):
            return Missing()
        if self._is_late(seat):
            self._spend(seat, seat.deadline - seat.handed_at - seat.lag)
            return Late()
        arrived = seat.arrived
        assert seat.line is not None
        assert arrived is not None
        self._spend(seat, min(arrived.latest, seat.deadline) - seat.handed_at - seat.lag)
        seat.late_streak = 0
        try:
            verdict, self._tokens[seat.index] = read_answer(self._game, seat.index, seat.line)
        except TooManySubmovesError as error:
            seat.lose(ErrorCode.TOO_MANY_SUBMOVES.value, str(error))
            return Missing()
        if isinstance(verdict, Malformed):
            return verdict
        if len(squeezed(seat.line)) > self._rooms[seat.index].answers:
            # The record has no room for it, and without it the match couldn't be replayed.
            limit = turn_lines.ANSWERS_KEPT // 1024**2
            message = f"its answers in this match have more than {limit} MiB, which is the limit"
            seat.lose(ErrorCode.TOO_MANY_SUBMOVES.value, message)
            return Missing()
        return verdict

    def _spend(self, seat: Seat, seconds: float) -> None:
        if math.isfinite(seconds):
            seat.used += max(0.0, seconds)

    def _dismiss(self, playing: Sequence[Seat], notes: Sequence[bytes]) -> None:
        """Close the connections of the seats that aren't there since this turn, in the background.

        Those that went out are sent why; nothing is sent over a connection that is broken.
        """
        assert self._nursery is not None
        for seat in playing:
            if seat.present:
                continue
            if not seat.playing and seat.successor is not None:
                seat.take_successor()  # where its bot can still read why
            if seat.dismissed:
                continue
            seat.dismissed = True
            if seat.playing:
                # This connection, even if the task begins when the seat has another.
                self._nursery.start_soon(seat.connection.close)
            else:
                self._nursery.start_soon(self._close_gone, seat, notes[seat.index])

    async def _close_gone(self, seat: Seat, notes: bytes) -> None:
        code = next((c for c in ErrorCode if c.value == seat.gone), None)
        error = b"" if code is None else seat.encoder.error(code, seat.gone_message)
        await seat.connection.close(notes + error)

    def _status(self) -> tuple[float, ...]:
        """Return by seat the share of the match's time that was used; -1 if out (PROTOCOL.md 5)."""
        allowance = self._allowance or math.inf
        return tuple(
            [
                round(min(1.0, seat.used / allowance), 4) if seat.playing else -1.0
                for seat in self.seats
            ]
        )

    # -- the record and the end ----------------------------------------------------------------

    def _turn_line(
        self,
        began: float,
        asked: Sequence[Seat],
        verdicts: Sequence[Verdict],
        stall: float,
        status: Sequence[float],
    ) -> dict[str, Any]:
        """Return the turn's line of the record, but for the digest."""
        names = [NAMES[type(verdict)] for verdict in verdicts]
        line = turn_lines.turn(
            self._turns,
            began,
            asked,
            stall,
            verdicts=names,
            faults=[
                fault
                for seat in self.seats
                if seat.gone is not None or isinstance(verdicts[seat.index], Malformed)
                for fault in self._turn_faults[seat.index]
            ],
            rooms=self._rooms,
        )
        line["digest"] = ""  # its place among the keys
        if any(status):
            line["status"] = status
        if self._round_trips:
            line["round_trips"], self._round_trips = self._round_trips, {}
        if self._can_be_absent:
            self._note_gaps(line, asked)
        return line

    def _note_gaps(self, line: dict[str, Any], asked: Sequence[Seat]) -> None:
        """Add to the turn's line which seats are absent since this turn, and which came back."""
        left = {str(seat.index): seat.why_absent for seat in asked if seat.absent}
        if left:
            line["left"] = left
        if self._rejoined:
            line["rejoined"] = {seat: attrs.asdict(info) for seat, info in self._rejoined.items()}

    def _write_turn(self, next_began: float = math.inf) -> None:
        """Write the last turn's line of the record, unless that is done, and count its times.

        Args:
            next_began: When the next turn began; infinity if it hasn't.
        """
        line, self._unwritten = self._unwritten, None
        if line is None:
            return
        assert self._game is not None
        try:
            line["digest"] = self._game.digest()
            self.record.turn(line)
        except Exception:
            self._turns -= 1  # The record ends before this turn.
            raise
        self.figures.count_turn(line["times"], 1e6 * (next_began - self._unwritten_began))

    async def _send_end(self) -> None:
        """Send every seat its last bytes, all concurrently, within CLOSING_TIME.

        The result is recorded first, so that after a crash the record has what the bots were sent.
        """
        assert self.outcome is not None
        self._has_sent_end = True
        try:
            self._write_turn()  # if the match was interrupted before the next turn
            self.record.end(self.result())
        except Exception:  # noqa: BLE001 - as in `run`
            self.error = self.error or traceback.format_exc()
            self.outcome = self._aborted()
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for seat in self.seats:
                    if seat.present and seat.successor is None:
                        nursery.start_soon(self._close_seat, seat, self.outcome)
                    elif not seat.dismissed:  # not there since the turn that was broken off
                        nursery.start_soon(self._close_gone, seat, b"")

    async def _close_seat(self, seat: Seat, outcome: Outcome) -> None:
        connection = seat.connection
        hello = connection.hello
        assert hello is not None
        keeps = hello.keep and isinstance(seat.encoder, Version1Encoder)
        keeps = keeps and outcome.termination is not Termination.ABORTED
        try:
            last = self._closing(seat, outcome, keeps=keeps)
        except Exception:  # noqa: BLE001 - the rules may be what is broken
            last, keeps = b"", False
            self.error = self.error or traceback.format_exc()
        if not keeps:
            await connection.close(last)
        elif await connection.send(last, CLOSING_TIME):
            connection.session.end()
        else:
            await connection.close()

    def _closing(self, seat: Seat, outcome: Outcome, *, keeps: bool) -> bytes:
        if self.error is None and outcome.termination is Termination.ABORTED:
            return seat.encoder.error(ErrorCode.SHUTDOWN, self._why_interrupted)
        if self._game is None or seat.connection.session.state is State.WAITING:
            return seat.encoder.error(ErrorCode.INTERNAL, "the arena could not begin the match")
        return self._last_notes[seat.index] + seat.encoder.closing(
            self._game, seat.index, outcome, self._status(), keeps=keeps
        )

    def _scores(self) -> tuple[int, ...]:
        try:
            assert self._game is not None
            return self._game.scores()
        except Exception:  # noqa: BLE001 - the rules are broken, which is reported already
            return (0,) * self.spec.ruleset.seats

    @property
    def fault_counts(self) -> list[Counter[str]]:
        """How often each fault code occurred, by seat."""
        return [tally.counts for tally in self._tallies]

    @property
    def title(self) -> str:
        """A description of the match for people."""
        return f"match {self.spec.match}, {self.spec.ruleset.name}"

    def failures(self) -> list[Failure]:
        """Return the failures of the seats that went out or whose fault ended the match."""
        assert self.outcome is not None
        failures = []
        for seat in self.seats:
            reasons = turn_lines.reasons(seat, self.decisive_faults(seat.index))
            if reasons:
                failures.append(turn_lines.failure(seat, reasons))
        return failures

    def decisive_faults(self, index: int) -> Sequence[FaultInfo]:
        """Return the faults of a seat by which the match ended, if it did so by a forfeit."""
        assert self.outcome is not None
        forfeit = self.outcome.termination is Termination.FORFEIT
        return self._turn_faults[index] if forfeit else ()

    def ending(self, index: int) -> tuple[Ending, str]:
        """Return how the match, which is over, ended for a seat, and why.

        The description is empty for `Ending.NORMAL` and `Ending.VOID`.
        """
        assert self.outcome is not None
        if self.outcome.termination is Termination.VOID:
            return Ending.VOID, ""
        decisive = self.decisive_faults(index)
        return seat_ending(self.seats[index], decisive, self.spec.conditions.late_limit)

    def failure(self, index: int) -> Failure:
        """Return the failure of a seat, without reasons: these lie outside of the match."""
        return turn_lines.failure(self.seats[index], ())

    def result(self) -> ResultInfo:
        """Return the result for the record."""
        assert self.outcome is not None
        digest = ""
        if self.error is None and self._game is not None:
            try:
                digest = self._game.digest()
            except Exception:  # noqa: BLE001 - as in `run`
                self.error = traceback.format_exc()
        return outcome_info(
            self.outcome,
            turns=self._turns,
            digest=digest,
            faults=in_order(self._tallies),
            fault_counts=self.fault_counts,
            endings=[self.ending(index)[0].value for index in range(len(self.seats))],
            error=self.error,
            ended=turn_lines.now(),
        )
