"""Playing one match: each seat is sent its turn and answers, and the game advances.

docs/design.md, "A walk through a turn", says which modules do what.
"""

import math
import traceback
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

import attrs
import trio

from lanista.games.base import Consequence, Game
from lanista.games.conformance import require_scores
from lanista.games.outcome import Ending, Outcome, Termination, undecided
from lanista.match import closing, turn_lines
from lanista.match.bundle import Failure
from lanista.match.clock import ClockInfo
from lanista.match.conditions import MatchSpec, PreparedBoard, prepare_board
from lanista.match.connection import Connection
from lanista.match.encoder import DialectEncoder, Encoder, Version1Encoder, dialect_of
from lanista.match.figures import MatchFigures
from lanista.match.judge import Judge, is_late
from lanista.match.record import FaultInfo, ResultInfo
from lanista.match.record_writer import RecordWriter
from lanista.match.seat import AbsentSeats, RejoinError, Seat
from lanista.match.stalls import StallMonitor
from lanista.match.turn_lines import TurnLines
from lanista.match.verdicts import in_order
from lanista.nurseries import ungrouped
from lanista_protocol import ErrorCode, State

OWN_SHARE = 0.5
"""Share of a stall above which work for the late bot's own address is blamed for it."""
RULES_RAISE = (Exception, SystemExit)
"""The exceptions by which a game's methods end their match alone; others end the process."""
MEASURED_EVERY = 32
"""Number of turns after which the round trips to the bots are measured again."""

Watcher = Callable[[Game], Awaitable[None] | None]
"""Called with the game before the first turn and after each one, while no seat's clock runs.

If it returns something to wait for, the match waits for that.
"""


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
    """Called with a seat whose bot closed its connection; returns the reason, if it is known. It
    shouldn't refer to the match: in a cycle of references, all of it would stay in memory until the
    garbage collector has searched it."""
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

    silence_hints: Sequence[str] = ()
    """By seat: why its bot may be late if it has never answered, for the message; or empty."""

    seats: list[Seat] = attrs.field(init=False)
    outcome: Outcome | None = attrs.field(init=False, default=None)
    """The outcome; None until the match is over."""
    started: str = attrs.field(init=False, default="")
    """When it began, as in its record; set as soon as it runs."""
    error: str | None = attrs.field(init=False, default=None)
    """The traceback of the arena's or the ruleset's error that aborted the match."""
    figures: MatchFigures = attrs.field(init=False, factory=MatchFigures)
    _absent: AbsentSeats = attrs.field(init=False)
    _judge: Judge = attrs.field(init=False)
    _lines: TurnLines = attrs.field(init=False)
    _game: Game | None = attrs.field(init=False, default=None)
    # Seconds that a bot may take for all its answers; 0 if that isn't limited.
    _allowance: float = attrs.field(init=False, default=0.0)
    _limits: ClockInfo = attrs.field(
        init=False, default=attrs.Factory(lambda self: self.spec.limits, takes_self=True)
    )
    _scope: trio.CancelScope = attrs.field(init=False, factory=trio.CancelScope)
    _nursery: trio.Nursery | None = attrs.field(init=False, default=None)
    # Whether a seat was kicked in a match in which a fault forfeits.
    _is_decided: bool = attrs.field(init=False, default=False)
    # By seat, the notes on its answer to the turn that ended the match.
    _last_notes: Sequence[bytes] = attrs.field(init=False)
    _why_interrupted: str = attrs.field(init=False, default="")
    _has_sent_end: bool = attrs.field(init=False, default=False)

    def __attrs_post_init__(self) -> None:
        spec, clock = self.spec, self._limits
        version1 = Version1Encoder(
            match=spec.match,
            ruleset=spec.ruleset,
            settings=spec.settings,
            players=self.names,
            clock=clock,
            seed=spec.seed,
            seat_seeds=spec.seat_seeds,
        )
        has_limits = clock.time_init and clock.time_move
        has_gaps = spec.ruleset.consequence is Consequence.SKIP and has_limits
        self.seats = []
        for index, (name, connection) in enumerate(zip(self.names, self.connections, strict=True)):
            dialect = dialect_of(connection.greeting, spec.ruleset)
            encoder: Encoder = version1 if dialect is None else DialectEncoder(dialect)
            may_rejoin = bool(has_gaps) and index in self.may_rejoin and dialect is None
            seat = Seat(index, name, connection, encoder, may_rejoin=may_rejoin)
            seat.silence_hint = self.silence_hints[index] if self.silence_hints else ""
            self.seats.append(seat)
        self._last_notes = [b""] * len(self.seats)
        self._absent = AbsentSeats(self.seats, spec.ruleset)
        self._lines = TurnLines(self.record, self.seats, self.figures)
        self._judge = Judge(spec, self.seats, self._lines.rooms, self.figures, self.stalls.passes)

    @property
    def turn(self) -> int:
        """The present turn's number; once the match is over, the number of turns."""
        return self._lines.turns

    @property
    def title(self) -> str:
        """A description of the match for people."""
        return f"match {self.spec.match}, {self.spec.ruleset.name}"

    # -- from outside, while it is played ------------------------------------------------------

    def interrupt(self, why: str = "the arena is shutting down") -> None:
        """Abort the match; its seats are sent the reason."""
        self._why_interrupted = why
        self._scope.cancel()

    def kick(self, seat: int, why: str, code: ErrorCode = ErrorCode.SHUTDOWN) -> None:
        """Put a seat out in this turn, or in the next one if it has answered; its bot is sent why.

        If its answer is awaited, its connection is closed at once: the others may have no time
        limit, and the turn lasts until they have answered. In a match where a fault forfeits,
        nobody waits for the others: if one of them hasn't answered, the match ends before the end
        of this turn.
        """
        place = self.seats[seat]
        is_awaited = place.is_awaited
        place.kick(why, code)
        self._absent.wake()
        if self.spec.ruleset.consequence is Consequence.FORFEIT:
            self._is_decided = True
            for other in self.seats:
                other.excuse()
        if is_awaited and place.look() and place.gone == code.value and not place.dismissed:
            assert self._nursery is not None
            place.dismissed = True
            self._nursery.start_soon(closing.send_away, place)

    def rejoin(self, seat: int, connection: Connection) -> Connection | None:
        """Let a seat's bot go on over another connection, from the next turn on.

        Its hello has been read. If an answer is awaited on the old connection, the turn is missing.
        The match closes or ends the new connection like any other. If it is over before, the
        connection waits as it did before, and is the caller's again.

        Returns the connection that is replaced, which the caller closes; None if it was broken.
        Raises RejoinError if the bot can't come back; the connection remains the caller's then.
        """
        if self.outcome is not None:
            raise RejoinError("the match is over")
        return self._absent.rejoin(self.seats[seat], connection)

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
                    assert self._game is not None
                    timer = TurnTimer(self.seats, self._nursery)
                    try:
                        await self._play(self._game, timer)
                        timer.stop()
                        # Within the nursery, so that the other seats don't wait until the
                        # connection of a seat that went out in the last turn is closed.
                        await self._send_end()
                    except RULES_RAISE as error:
                        # Here, as an exception that cancels a nursery refers to itself, and the
                        # match would be garbage to search for.
                        self.error = "".join(traceback.format_exception(error))
                        self._nursery.cancel_scope.cancel()
        except BaseException as error:
            # No error may reach other matches.
            cause = ungrouped(error)
            if not isinstance(cause, RULES_RAISE):
                raise
            self.error = "".join(traceback.format_exception(cause))
            del cause  # it refers to this frame, which refers to it
        if self.outcome is None:
            self.outcome = self._aborted()
        if not self._has_sent_end:
            await self._send_end()
        return self.outcome

    def _begin(self) -> None:
        spec = self.spec
        board_text = ""
        try:
            prepared = self.prepared or prepare_board(
                spec.ruleset, spec.settings, spec.seed, spec.board
            )
            board_text = prepared.text
            self._game = spec.ruleset.new(spec.settings, prepared.board, prepared.chance)
            self._allowance = self._limits.allowance(spec.ruleset.max_turns(spec.settings))
        finally:
            # Also when the rules failed, because the record of that failure needs a header.
            header = turn_lines.header(spec, self.seats, board_text, self.commands)
            self.started = header.started
            self.record.begin(header)

    async def _play(self, game: Game, timer: "TurnTimer") -> None:
        judge, lines, absent = self._judge, self._lines, self._absent
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
            if absent.possible:
                for seat in absent.take_successors():
                    self._measure(seat)
                    # Without the notes on its last answer, which came over another connection.
                    payloads[seat.index] = seat.encoder.opening(game, seat.index, status)
            number, began = lines.turns, trio.current_time()
            limit = self._limits.of_turn(number)
            asked = [seat for seat in self.seats if seat.present]
            playing = asked
            if absent.possible:
                playing = [seat for seat in self.seats if seat.playing]
            is_blocked = _hand_over(asked, payloads, limit)
            lines.write(began)
            if number and number % MEASURED_EVERY == 0:
                for seat in asked:
                    self._measure(seat)
            await _collect(asked, timer, self.stalls, is_blocked=is_blocked)
            if self._is_decided and not all(seat.settled for seat in asked):
                self.outcome = judge.removal(game, number)
                return
            if absent.possible:
                await absent.wait(began + limit)
            stall = self.stalls.worst(began, trio.current_time())
            if self.why_gone is not None:
                for seat in asked:
                    if seat.gone == "disconnected":
                        gone = await self.why_gone(seat.index)
                        seat.gone_message = gone or seat.gone_message
            await self.stalls.passes.wait()
            void = in_stall = self._is_unfair(asked, began, stall)
            if void and await self._put_out_limit_breakers(began):
                void = False
                if self.spec.ruleset.consequence is Consequence.FORFEIT:
                    self.outcome = judge.removal(game, number)
                    return
            verdicts = await judge.verdicts(game, playing)
            notes = await judge.note_faults(number, began, playing, verdicts, in_stall=in_stall)
            outcome: Outcome | None
            if void:
                outcome = undecided(Termination.VOID, game.scores(), "stall")
            else:
                game.advance(verdicts)
                outcome = judge.outcome(game, number)
                if outcome is not None:
                    for seat in absent.give_up():
                        judge.count_out(number, seat)
            lines.add(
                game,
                began,
                asked,
                verdicts,
                judge.faults,
                stall=stall,
                status=status,
                rejoined=absent.rejoined if absent.possible else None,
                is_timed=len(playing) == len(asked),
            )
            if outcome is not None:
                lines.write()
            # Set before the next `await`, so that an interrupt there can't undo a finished match.
            self.outcome = outcome
            if self.outcome is not None and not void:
                self._last_notes = notes
            status = self._status()
            assert self._nursery is not None
            closing.dismiss(self._nursery, playing, notes)
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
            self._lines.write()
            await wait

    def _measure(self, seat: Seat) -> None:
        """Measure the round trip to a seat's bot, for its next time limits and for the record."""
        found = seat.measure(self.spec.lag_allowance)
        if found is not None:
            self._lines.note_round_trip(seat, found)

    def _is_unfair(self, asked: Sequence[Seat], began: float, stall: float) -> bool:
        """Return whether an answer may be late because of this machine, so that the match is void.

        That isn't so if the machine, which stalled for so many seconds in the turn that began then,
        was busy with connections from the late bot's own address.
        """
        return stall > self.spec.clock.stall_margin and any(
            is_late(seat) and seat.connection.work_since(began) < stall * OWN_SHARE
            for seat in asked
        )

    async def _put_out_limit_breakers(self, began: float) -> bool:
        """Put out the seats whose bots have broken a limit; return whether there is any.

        Such a bot may itself be why this machine stalled: otherwise a bot that is about to lose
        could make the match void, again and again, by starting processes without end.
        """
        if self.limit_breakers is None:
            return False
        breakers = await self.limit_breakers(began)
        for index, why in breakers.items():
            seat = self.seats[index]
            seat.lose("disconnected", why)
            seat.line = None
        return bool(breakers)

    def _status(self) -> tuple[float, ...]:
        """Return by seat the share of the match's time that was used; -1 if out (PROTOCOL.md 5)."""
        # To four digits; `round` would take several times as long, and this is done in every turn.
        scale = 10_000 / (self._allowance or math.inf)
        return tuple(
            [int(seat.used * scale) / 10_000 if seat.gone is None else -1.0 for seat in self.seats]
        )

    # -- the end -------------------------------------------------------------------------------

    def _aborted(self) -> Outcome:
        reason = "interrupted" if self.error is None else "error"
        return undecided(Termination.ABORTED, self._scores(), reason)

    def _scores(self) -> tuple[int, ...]:
        try:
            assert self._game is not None
            scores = self._game.scores()
            require_scores(scores, len(self.seats))
        except RULES_RAISE:  # which is reported already
            return (0,) * len(self.seats)
        return scores

    async def _send_end(self) -> None:
        """Send every seat its last bytes, within CLOSING_TIME; whoever doesn't stay is closed.

        The result is recorded first, so that after a crash the record has what the bots were sent.
        """
        assert self.outcome is not None
        self._has_sent_end = True
        try:
            self._lines.write()  # if the match was interrupted before the next turn
            self.record.end(self.result())
        except Exception:  # noqa: BLE001 - as in `run`
            self.error = self.error or traceback.format_exc()
            self.outcome = self._aborted()
        slow: list[Callable[[], Awaitable[None]]] = []
        for seat in self.seats:
            if seat.present and seat.successor is None:
                last, stays = self._last_bytes(seat, self.outcome)
                if not stays:
                    slow.append(partial(seat.connection.close, last))
                elif rest := seat.connection.send_some(last):  # what it doesn't take at once
                    slow.append(partial(closing.end, seat.connection, rest))
                else:
                    seat.connection.session.end()
            elif not seat.dismissed:  # not there since the turn that was broken off
                slow.append(partial(closing.send_away, seat))
        if slow:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as nursery:
                    for each in slow:
                        nursery.start_soon(each)

    def _last_bytes(self, seat: Seat, outcome: Outcome) -> tuple[bytes, bool]:
        """Return what a seat is sent last, and whether its bot keeps its connection."""
        if self.error is None and outcome.termination is Termination.ABORTED:
            return seat.encoder.error(ErrorCode.SHUTDOWN, self._why_interrupted), False
        stays = closing.stays(seat, outcome)
        try:
            if self._game is None or seat.connection.session.state is State.WAITING:
                message = "the arena could not begin the match"
                return seat.encoder.error(ErrorCode.INTERNAL, message), stays
            status = self._status()
            last = seat.encoder.closing(self._game, seat.index, outcome, status, keeps=stays)
        except RULES_RAISE:  # as the game is asked once more
            self.error = self.error or traceback.format_exc()
            return b"", False
        return self._last_notes[seat.index] + last, stays

    # -- once it is over -----------------------------------------------------------------------

    def failure(self, index: int) -> Failure:
        """Return the failure of a seat; without reasons, if they can't lie in the match."""
        return closing.seat_failure(self.seats[index], self._decisive_faults(index))

    def _decisive_faults(self, index: int) -> Sequence[FaultInfo]:
        """Return the faults of a seat by which the match ended, if it did so by a forfeit."""
        assert self.outcome is not None
        forfeit = self.outcome.termination is Termination.FORFEIT
        return self._judge.faults[index] if forfeit else ()

    def ending(self, index: int) -> tuple[Ending, str]:
        """Return how the match, which is over, ended for a seat, and why.

        The description is empty for `Ending.NORMAL` and `Ending.VOID`.
        """
        assert self.outcome is not None
        if self.outcome.termination is Termination.VOID:
            return Ending.VOID, ""
        decisive, limit = self._decisive_faults(index), self.spec.clock.late_limit
        return closing.seat_ending(self.seats[index], decisive, limit)

    def result(self) -> ResultInfo:
        """Return the result for the record."""
        assert self.outcome is not None
        digest = ""
        if self.error is None and self._game is not None:
            try:
                # Each written turn has the digest of the position since then.
                digest = self._lines.digest or self._game.digest()
            except RULES_RAISE:  # as in `run`
                self.error = traceback.format_exc()
        outcome, tallies = self.outcome, self._judge.tallies
        return ResultInfo(
            end=outcome.termination.value,
            reason=outcome.reason,
            ranks=outcome.ranks,
            scores=outcome.scores,
            turns=self.turn,
            digest=digest,
            faults=tuple(in_order(tallies)),
            fault_counts=tuple(dict(tally.counts) for tally in tallies),
            endings=tuple(self.ending(index)[0].value for index in range(len(self.seats))),
            error=self.error,
            ended=turn_lines.now(),
        )


# -- one exchange with the bots ------------------------------------------------------------------


def _hand_over(asked: Sequence[Seat], payloads: Sequence[bytes], limit: float) -> bool:
    """Ask each seat for its next answer, and hand it what it is sent before that, by seat.

    Every seat has `limit` seconds, and what is added for its way. Returns whether something is
    still to be sent, since a bot doesn't read.
    """
    # All are asked before any bytes go out, so that the hand-overs follow without delay.
    for seat in asked:
        seat.ask()
    is_blocked = False
    for seat in asked:
        if seat.present:
            is_blocked |= seat.hand_over(payloads[seat.index], limit)
    return is_blocked


@attrs.define(eq=False)
class TurnTimer:
    """The timer of a match, which wakes it when the time for a turn's answers is over.

    A cancel scope for every turn would cost a tenth of it. The one task of this timer sleeps until
    the end of some turn's time; most often the match is in a later turn by then, and it sleeps on.
    """

    seats: Sequence[Seat]
    nursery: trio.Nursery
    """Where the task runs, which begins when it is needed first."""
    _deadline: float = attrs.field(init=False, default=math.inf)
    _sleep: trio.CancelScope | None = attrs.field(init=False, default=None)
    _is_stopped: bool = attrs.field(init=False, default=False)

    def set(self, deadline: float) -> None:
        """Set when to wake the match, on trio's clock; any earlier moment is forgotten."""
        self._deadline = deadline
        if self._sleep is None:
            self._sleep = trio.CancelScope()
            self.nursery.start_soon(self._run)
        elif deadline < self._sleep.deadline:  # to set it costs more than to look
            self._sleep.deadline = deadline

    async def _run(self) -> None:
        while not self._is_stopped:
            with trio.CancelScope(deadline=self._deadline) as self._sleep:
                await trio.sleep_forever()
            if trio.current_time() >= self._deadline:
                self._deadline = math.inf
                for seat in self.seats:
                    if not seat.settled:
                        seat.connection.channel.wake()

    def stop(self) -> None:
        """End the task, if it has begun."""
        self._is_stopped = True
        if self._sleep is not None:
            self._sleep.cancel()


async def _collect(
    asked: Sequence[Seat], timer: TurnTimer, stalls: StallMonitor, *, is_blocked: bool
) -> None:
    """Wait until each seat that was asked has answered, or has run out of time.

    `is_blocked` says whether `_hand_over` left something to be sent.
    """
    if is_blocked:
        # A bot that doesn't read must not delay the others. Only in this case do the seats need
        # tasks of their own.
        async with trio.open_nursery() as nursery:
            for seat in asked:
                nursery.start_soon(_exchange_apart, seat)
        return
    is_shared = stalls.is_shared
    if is_shared:
        # Most answers come while the others have their turns. To wait for each costs more.
        await trio.lowlevel.checkpoint()
    unread = iter(asked)
    for seat in unread:
        # A pass of the event loop costs much of a turn, so only if it must.
        if not seat.look():
            await _wait_for(seat, unread, max([seat.deadline for seat in asked]), timer)
            break
    else:
        if not is_shared:
            # Bots that always answer at once must not block the other tasks.
            await stalls.passes.share()
    for seat in asked:
        if not seat.settled:
            await seat.last_look()


async def _wait_for(seat: Seat, others: Iterable[Seat], deadline: float, timer: TurnTimer) -> None:
    """Wait for a seat that has just been looked at, then for the others; until the deadline."""
    timer.set(deadline)
    await seat.connection.channel.wait_readable()
    for each in (seat, *others):
        while not each.look():
            if trio.current_time() >= deadline:
                return
            await each.connection.channel.wait_readable()


async def _exchange_apart(seat: Seat) -> None:
    if seat.blocked:
        await seat.hand_over_rest()
    with trio.CancelScope(deadline=seat.deadline):
        await seat.answer()
    if not seat.settled:
        await seat.last_look()
