"""Plays one match: tells every seat, collects answers, judges them, advances the game.

Names no game and touches no socket: rules by `lanista.rules.base`, bytes by `encoder` and `seat`.
Between the hand-over and the arrival of the answers nothing is parsed, logged or stored.
"""

import math
import traceback
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence

import attrs
import trio

from lanista.match import turn_lines
from lanista.match.bundle import Failure
from lanista.match.conditions import MatchSpec
from lanista.match.connection import CLOSING_TIME, Connection
from lanista.match.encoder import DialectEncoder, Encoder, MatchInfo, Version1Encoder
from lanista.match.record import FaultInfo, RecordWriter, ResultInfo, outcome_info, squeezed
from lanista.match.seat import Seat
from lanista.match.stalls import StallMonitor
from lanista.rules.base import (
    Answer,
    Consequence,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    TooManySubmovesError,
    Verdict,
)
from lanista.rules.outcome import Outcome, Termination, ranks_by_score
from lanista_protocol import (
    ErrorCode,
    MalformedLineError,
    Note,
    NoteCode,
    State,
    shown,
    tokenize,
)

VERDICT_WORDS: Mapping[type[Verdict], str] = {
    Answer: "answer",
    Late: "late",
    Malformed: "malformed",
    Missing: "missing",
    Out: "out",
}
"""How the record writes a verdict."""

OUT = Out()
OWN_SHARE = 0.5
"""Share of a stall from which on work for a late bot's own address is held to have caused it."""
LONG_LINE = 4096
"""Characters of an answer above which reading it gets a slice of the loop's time to itself."""

Watcher = Callable[[Game], Awaitable[None]]
"""Called with the position after the opening and after every turn, outside every clock."""


@attrs.define(eq=False)
class Match:
    """One match. `run` once; then `finish` to complete its record."""

    spec: MatchSpec
    connections: Sequence[Connection]
    """By seat; their hellos are read."""
    names: Sequence[str]
    """By seat."""
    record: RecordWriter
    stalls: StallMonitor = attrs.field(factory=StallMonitor)
    watcher: Watcher | None = None
    commands: Sequence[tuple[str, ...] | None] | None = None
    """By seat, the words a bot was started by, for the record."""
    why_gone: Callable[[int], Awaitable[str | None]] | None = None
    """Tells by seat why a bot has closed its connection, where more is known than that it did."""

    seats: list[Seat] = attrs.field(init=False)
    outcome: Outcome | None = attrs.field(init=False, default=None)
    error: str | None = attrs.field(init=False, default=None)
    fault_counts: list[Counter[str]] = attrs.field(init=False, factory=list)
    """By seat, how often each code of a fault: all of them, where the result keeps the last."""
    _game: Game | None = attrs.field(init=False, default=None)
    _turns: int = attrs.field(init=False, default=0)
    _scope: trio.CancelScope = attrs.field(init=False, factory=trio.CancelScope)
    _nursery: trio.Nursery | None = attrs.field(init=False, default=None)
    _allowance: float = attrs.field(init=False, default=0.0)
    _turn_faults: list[FaultInfo] = attrs.field(init=False, factory=list)  # of this turn
    _kept_faults: list[deque[FaultInfo]] = attrs.field(init=False, factory=list)  # by seat
    _rooms: list[turn_lines.Room] = attrs.field(init=False, factory=list)  # by seat
    _last_notes: list[bytes] = attrs.field(init=False, factory=list)
    _why_interrupted: str = attrs.field(init=False, default="")
    _told: bool = attrs.field(init=False, default=False)  # whether the end was told

    def __attrs_post_init__(self) -> None:
        info = MatchInfo(
            match=self.spec.match,
            game=self.spec.ruleset.name,
            players=tuple(self.names),
            limits=self.spec.conditions.clock,
            seed=self.spec.seed,
        )
        version1 = Version1Encoder(info)
        classic = self.spec.ruleset.classic
        self.seats = []
        self._last_notes = [b"" for _ in self.names]
        self._kept_faults = [deque(maxlen=turn_lines.FAULTS_KEPT) for _ in self.names]
        self.fault_counts = [Counter() for _ in self.names]
        self._rooms = [turn_lines.Room() for _ in self.names]
        for index, (name, connection) in enumerate(zip(self.names, self.connections, strict=True)):
            assert connection.hello is not None
            encoder: Encoder = version1
            if connection.hello.version is None and classic is not None:
                encoder = DialectEncoder(classic)
            self.seats.append(Seat(index, name, connection, encoder))

    def interrupt(self, why: str = "the arena is shutting down") -> None:
        """End the match as aborted; its seats are told why."""
        self._why_interrupted = why
        self._scope.cancel()

    def kick(self, seat: int, why: str) -> None:
        """Put a seat out: in this turn, or in the next one if it has answered already."""
        self.seats[seat].kick(why)

    # -- the whole match -----------------------------------------------------------------------

    async def run(self) -> Outcome:
        """Play to the end. The record's `.part` file has everything then, result included.

        An error in the rules or in the record's file ends this match as aborted.
        """
        try:
            self._begin()
            with self.stalls.watching(), self._scope:
                async with trio.open_nursery() as self._nursery:
                    await self._play()
                    # Inside, so that nobody waits for the farewell of one who went out last.
                    await self._tell_the_end()
        except Exception:  # noqa: BLE001 - whatever it is, it must not reach another match
            self.error = traceback.format_exc()
        if self.outcome is None:
            self.outcome = self._aborted()
        if not self._told:
            await self._tell_the_end()
        return self.outcome

    def _aborted(self) -> Outcome:
        """The outcome that nobody won: all share the first place."""
        return Outcome(
            termination=Termination.ABORTED,
            ranks=(1,) * self.spec.ruleset.seats,
            scores=self._scores(),
            reason="interrupted" if self.error is None else "error",
        )

    def _begin(self) -> None:
        spec = self.spec
        written = ""
        try:
            chance = spec.ruleset.chance(spec.seed)
            board = spec.board
            if board is None:
                board = spec.ruleset.generate(spec.settings, chance)
            written = spec.ruleset.write_board(board)
            self._game = spec.ruleset.new(spec.settings, board, chance)
            self._allowance = spec.conditions.clock.allowance(spec.ruleset.max_turns(spec.settings))
        finally:
            # Also when the rules failed: the record that tells it needs a header.
            self.record.begin(turn_lines.header(spec, self.seats, written, self.commands))

    async def _play(self) -> None:
        """Turn after turn, until there is an outcome."""
        game = self._game
        assert game is not None
        await trio.lowlevel.checkpoint()  # interrupted already: the bots aren't told of a match
        status = self._status()
        if self.watcher is not None:
            await self.watcher(game)
        told = [seat.encoder.opening(game, seat.index, status) for seat in self.seats]
        for seat in self.seats:
            seat.connection.session.start()
        while True:
            began = trio.current_time()
            asked = [seat for seat in self.seats if seat.playing]
            await self._exchange(asked, told)
            stall = self.stalls.worst(began, trio.current_time())
            if self.why_gone is not None:
                for seat in asked:
                    if seat.gone == "disconnected":
                        seat.gone_words = await self.why_gone(seat.index) or seat.gone_words
            verdicts = await self._judge(asked)
            # Whether it was the bot or the host nobody can know: played again, not counted. Unless
            # the host was busy with connections of the bot's own address.
            void = stall > self.spec.conditions.stall_margin and any(
                isinstance(verdicts[seat.index], Late)
                and seat.connection.work_since(began) < stall * OWN_SHARE
                for seat in asked
            )
            notes = self._refuse_all(asked, verdicts, void=void)
            if not void:
                game.advance(verdicts)
            self._write(began, asked, verdicts, stall, status)
            self._turns += 1
            # Known before anybody is waited for: what comes between can't undo it any more.
            self.outcome = self._ending(game, void=void)
            if self.outcome is not None and not void:
                self._last_notes = notes
            status = self._status()
            self._dismiss(asked, notes)
            if self.watcher is not None:
                await self.watcher(game)
            if self.outcome is not None:
                return
            told = [
                notes[seat.index] + seat.encoder.turn(game, seat.index, status)
                if seat.playing
                else b""
                for seat in self.seats
            ]

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

    # -- a turn --------------------------------------------------------------------------------

    async def _exchange(self, asked: Sequence[Seat], told: Sequence[bytes]) -> None:
        """Give every seat its bytes, then wait until each has answered or run out of time."""
        limit = self.spec.conditions.clock.of_turn(self._turns)
        for seat in asked:
            seat.ask()
        blocked = False
        for seat in asked:
            if seat.playing:
                blocked |= seat.hand_over(told[seat.index], limit)
        if blocked:
            # A bot that doesn't read must not keep its bytes' turn from the others: the one case
            # in which seats need tasks of their own.
            async with trio.open_nursery() as nursery:
                for seat in asked:
                    nursery.start_soon(self._exchange_apart, seat)
            return
        waited = False
        with trio.CancelScope(deadline=max([seat.deadline for seat in asked])) as scope:
            for seat in asked:
                waited |= await seat.answer()
        for seat in asked:
            if not seat.settled:
                await seat.last_look()
        if not waited and not scope.cancelled_caught:
            # Bots whose answers are always there already must not keep the loop from the others.
            await trio.lowlevel.checkpoint()

    async def _exchange_apart(self, seat: Seat) -> None:
        if seat.blocked:
            await seat.hand_over_rest()
        with trio.CancelScope(deadline=seat.deadline):
            await seat.answer()
        if not seat.settled:
            await seat.last_look()

    async def _judge(self, asked: Sequence[Seat]) -> list[Verdict]:
        """A verdict a seat."""
        verdicts: list[Verdict] = [OUT] * len(self.seats)
        for seat in asked:
            if seat.line is not None and len(seat.line) > LONG_LINE:
                # Reading this takes milliseconds, each seat's: the other matches go between.
                await trio.lowlevel.checkpoint()
            verdicts[seat.index] = self._verdict(seat)
        return verdicts

    def _refuse_all(
        self, asked: Sequence[Seat], verdicts: Sequence[Verdict], *, void: bool
    ) -> list[bytes]:
        """Record all that doesn't count; the notes that each seat is sent next."""
        self._turn_faults = []
        notes = [b""] * len(self.seats)
        for seat in asked:
            verdict = verdicts[seat.index]
            refusals = _refusals(verdict)
            if refusals:
                notes[seat.index] = b"".join(
                    [self._refuse(seat, refusal, void=void) for refusal in refusals]
                )
            if seat.gone is not None and not isinstance(verdict, Late):
                self._fault(seat, seat.gone, None, seat.gone_words)
        return notes

    def _verdict(self, seat: Seat) -> Verdict:
        assert self._game is not None
        if seat.line is None and seat.gone not in {None, "late"}:
            return Missing()
        came = seat.arrived
        # Who did not read its turn is late, whatever it had sent ahead.
        if seat.line is None or came is None or seat.gone or not came.in_time(seat.deadline):
            self._spend(seat, seat.deadline - seat.handed_at)
            return Late()
        self._spend(seat, min(came.latest, seat.deadline) - seat.handed_at)
        seat.late_streak = 0
        try:
            answer = self._game.parse(seat.index, tokenize(seat.line))
        except MalformedLineError as error:
            return Malformed(Refusal(RefusalCode.MALFORMED, str(error)))
        except MalformedAnswerError as error:
            return Malformed(error.refusal)
        except TooManySubmovesError as error:
            seat.lose(ErrorCode.TOO_MANY_SUBMOVES.value, str(error))
            return Missing()
        if len(squeezed(seat.line)) > self._rooms[seat.index].answers:
            # The record can't hold it, and without it no replay would be the same.
            most = turn_lines.ANSWERS_KEPT // 1024**2
            words = f"its answers have more than {most} MiB, which is all that a match may have"
            seat.lose(ErrorCode.TOO_MANY_SUBMOVES.value, words)
            return Missing()
        return answer

    def _spend(self, seat: Seat, seconds: float) -> None:
        if math.isfinite(seconds):
            seat.used += max(0.0, seconds)

    def _refuse(self, seat: Seat, refusal: Refusal, *, void: bool) -> bytes:
        """Record a refusal; the note's bytes if the seat is told."""
        words = refusal.message
        if refusal.code is RefusalCode.LATE:
            seat.late_streak += 1
            words = self._late_words(seat)
            if (
                not void
                and self.spec.ruleset.consequence is Consequence.SKIP
                and seat.late_streak >= self.spec.conditions.late_limit
            ):
                words += f"; late {seat.late_streak} turns in a row, so it is out"
                seat.lose("late", words)
        if refusal.code is RefusalCode.MALFORMED and seat.line is not None:
            words += f"; the line was {shown(seat.line)}"
        self._fault(seat, refusal.code.value, refusal.index, words)
        hello = seat.connection.hello
        assert hello is not None
        if hello.notes or self.spec.ruleset.consequence is Consequence.FORFEIT:
            code = NoteCode(refusal.code.value)
            return seat.encoder.note(Note(code, self._turns, refusal.index, words))
        return b""

    def _late_words(self, seat: Seat) -> str:
        limit = self.spec.conditions.clock.of_turn(self._turns)
        if seat.gone is not None:
            return seat.gone_words
        if seat.arrived is None:
            return f"no answer within {limit:g} s"
        took = seat.arrived.latest - seat.handed_at
        return f"the answer came after {took:.4f} s; the limit is {limit:g} s"

    def _fault(self, seat: Seat, code: str, index: int | None, words: str) -> None:
        fault = FaultInfo(turn=self._turns, seat=seat.index, code=code, index=index, words=words)
        self._turn_faults.append(fault)
        self._kept_faults[seat.index].append(fault)
        self.fault_counts[seat.index][code] += 1

    def _dismiss(self, asked: Sequence[Seat], notes: Sequence[bytes]) -> None:
        """Close the connections of the seats that went out in this turn, beside the match."""
        assert self._nursery is not None
        for seat in asked:
            if seat.gone is not None:
                self._nursery.start_soon(self._close_gone, seat, notes[seat.index])
                seat.dismissed = True

    async def _close_gone(self, seat: Seat, notes: bytes) -> None:
        code = next((c for c in ErrorCode if c.value == seat.gone), None)
        error = b"" if code is None else seat.encoder.error(code, seat.gone_words)
        await seat.connection.close(notes + error)

    def _status(self) -> tuple[float, ...]:
        """By seat, the share of the match's time that was used; -1 when out (PROTOCOL.md 5)."""
        allowance = self._allowance or math.inf
        return tuple(
            [
                round(min(1.0, seat.used / allowance), 4) if seat.playing else -1.0
                for seat in self.seats
            ]
        )

    # -- telling -------------------------------------------------------------------------------

    def _write(
        self,
        began: float,
        asked: Sequence[Seat],
        verdicts: Sequence[Verdict],
        stall: float,
        status: Sequence[float],
    ) -> None:
        """The turn's line of the record."""
        assert self._game is not None
        words = [VERDICT_WORDS[type(verdict)] for verdict in verdicts]
        line = turn_lines.turn(self._turns, began, asked, stall, verdicts=words, rooms=self._rooms)
        line["digest"] = self._game.digest()
        if any(status):
            line["status"] = status
        line |= turn_lines.faults(self._turn_faults, self._rooms)
        self.record.turn(line)

    async def _tell_the_end(self) -> None:
        """Send every seat its last bytes, all at once, bounded by CLOSING_TIME.

        The result is recorded before: what bots were told is known also after a crash.
        """
        assert self.outcome is not None
        self._told = True
        try:
            self.record.end(self.result())
        except Exception:  # noqa: BLE001 - as in `run`
            self.error = self.error or traceback.format_exc()
            self.outcome = self._aborted()
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for seat in self.seats:
                    if seat.playing:
                        nursery.start_soon(self._close_seat, seat, self.outcome)
                    elif not seat.dismissed:  # went out in the turn in which the match broke off
                        nursery.start_soon(self._close_gone, seat, b"")

    async def _close_seat(self, seat: Seat, outcome: Outcome) -> None:
        connection = seat.connection
        hello = connection.hello
        assert hello is not None
        keeps = hello.keep and isinstance(seat.encoder, Version1Encoder)
        keeps = keeps and outcome.termination is not Termination.ABORTED
        try:
            last = self._last_words(seat, outcome, keeps=keeps)
        except Exception:  # noqa: BLE001 - the rules may be what is broken
            last, keeps = b"", False
            self.error = self.error or traceback.format_exc()
        if not keeps:
            await connection.close(last)
        elif await connection.send(last, CLOSING_TIME):
            connection.session.end()
        else:
            await connection.close()

    def _last_words(self, seat: Seat, outcome: Outcome, *, keeps: bool) -> bytes:
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
        except Exception:  # noqa: BLE001 - the rules are what is broken; told already
            return (0,) * self.spec.ruleset.seats

    @property
    def title(self) -> str:
        """The match, for people."""
        return f"match {self.spec.match}, {self.spec.ruleset.name}"

    def failures(self) -> list[Failure]:
        """The seats that were put out, or whose fault ended the match."""
        assert self.outcome is not None
        forfeit = self.outcome.termination is Termination.FORFEIT
        last = self._turns - 1
        found = []
        for seat, kept in zip(self.seats, self._kept_faults, strict=True):
            faults = [fault for fault in kept if forfeit and fault.turn == last]
            reasons = turn_lines.reasons(seat, faults)
            if reasons:
                found.append(turn_lines.failure(seat, reasons))
        return found

    def failure(self, index: int) -> Failure:
        """The last turns of a seat that failed for a reason outside of the match, for a bundle."""
        return turn_lines.failure(self.seats[index], ())

    def result(self) -> ResultInfo:
        """The result as the record tells it."""
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
            faults=sorted(
                (fault for kept in self._kept_faults for fault in kept),
                key=lambda fault: fault.turn,
            ),
            error=self.error,
            ended=turn_lines.now(),
        )


def _refusals(verdict: Verdict) -> tuple[Refusal, ...]:
    if isinstance(verdict, Answer):
        return verdict.refused
    if isinstance(verdict, Malformed):
        return (verdict.refusal,)
    if isinstance(verdict, Late):
        return (Refusal(RefusalCode.LATE, ""),)
    return ()
