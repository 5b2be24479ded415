"""Judging a match's answers: the verdict on each seat's turn, and what is wrong with it.

The game isn't changed: it stands before the turn while that is judged.
"""

import math
from collections.abc import Sequence

import attrs
import trio

from lanista.games.base import (
    Answer,
    Consequence,
    Game,
    Late,
    Missing,
    Out,
    RefusalCode,
    TooManySubmovesError,
    Verdict,
)
from lanista.games.conformance import require_outcome
from lanista.games.outcome import REMOVED, Outcome, Termination, by_score, forfeit
from lanista.match.conditions import MatchSpec
from lanista.match.figures import MatchFigures
from lanista.match.record import FaultInfo
from lanista.match.seat import Seat
from lanista.match.stalls import PassLimit
from lanista.match.turn_lines import ANSWERS_KEPT, Room, times_of
from lanista.match.verdicts import FaultTally, faults_of, late_message, read_answer
from lanista_protocol import ErrorCode

LONG_LINE = 4096
"""Length of an answer in characters above which it may wait for a pass of its own to be parsed."""
MANY_REFUSED = 100
"""Number of refused submoves above which the same holds for their messages."""
_OUT = Out()


@attrs.define(eq=False)
class Judge:
    """The judge of one match, who puts out seats that are late too often or send too much."""

    spec: MatchSpec
    seats: Sequence[Seat]
    rooms: Sequence[Room]
    """By seat, the room that the record has left."""
    figures: MatchFigures
    """Where late answers are counted."""
    passes: PassLimit
    tallies: Sequence[FaultTally] = attrs.field(init=False)
    """The faults of the whole match, by seat."""
    faults: list[list[FaultInfo]] = attrs.field(init=False)
    """The faults of the present turn, by seat, as far as their messages were written."""

    def __attrs_post_init__(self) -> None:
        self.tallies = [FaultTally() for _ in self.seats]
        self.faults = [[] for _ in self.seats]

    # -- verdicts ------------------------------------------------------------------------------

    async def verdicts(self, game: Game, playing: Sequence[Seat]) -> list[Verdict]:
        """Return the verdicts on a turn, by seat, given the seats that are still in the match."""
        verdicts: list[Verdict] = [_OUT] * len(self.seats)
        for seat in playing:
            if seat.line is not None and len(seat.line) > LONG_LINE:
                # Parsing this takes milliseconds. Many such answers in one pass would be a stall,
                # by which strangers could make the matches of others void.
                await self.passes.wait()
            verdicts[seat.index] = self._verdict(game, seat)
        return verdicts

    def _verdict(self, game: Game, seat: Seat) -> Verdict:
        if is_late(seat):
            _spend(seat, seat.deadline - seat.handed_at - seat.lag)
            return Late()
        arrived = seat.arrived
        if seat.line is None or arrived is None:
            return Missing()
        _spend(seat, min(arrived.latest, seat.deadline) - seat.handed_at - seat.lag)
        seat.late_streak = 0
        try:
            verdict, _ = read_answer(game, seat.index, seat.line)
        except TooManySubmovesError as error:
            seat.lose(ErrorCode.TOO_MANY_SUBMOVES.value, str(error))
            return Missing()
        if isinstance(verdict, Answer) and not self.rooms[seat.index].holds(seat.line):
            # Without the answer the match couldn't be replayed.
            limit = ANSWERS_KEPT // 1024**2
            message = (
                f"its answers in this match add up to more than {limit} MiB, which is the limit"
            )
            seat.lose(ErrorCode.TOO_MANY_SUBMOVES.value, message)
            return Missing()
        return verdict

    # -- faults --------------------------------------------------------------------------------

    async def note_faults(
        self,
        turn: int,
        began: float,
        playing: Sequence[Seat],
        verdicts: Sequence[Verdict],
        *,
        in_stall: bool,
    ) -> list[bytes]:
        """Count the faults of a turn; return the notes that each seat is sent next, by seat.

        The turn began at `began` on trio's clock. `in_stall` says whether a late answer may be the
        fault of a stall of this machine, so that it doesn't count for the limit of late turns.
        """
        self.faults = [[] for _ in self.seats]
        notes = [b""] * len(self.seats)
        for seat in playing:
            verdict, tally = verdicts[seat.index], self.tallies[seat.index]
            if isinstance(verdict, Answer) and not verdict.refused:
                continue
            times = times_of(seat, began)
            if isinstance(verdict, Late):
                self.figures.count_late(in_stall=in_stall)
            if not in_stall and (isinstance(verdict, Late) or seat.absent):
                self._count_late(turn, seat, times)
            wants_examples = tally.count(verdict, seat.gone)
            wants_notes = self.spec.ruleset.consequence is Consequence.FORFEIT
            wants_notes |= seat.connection.greeting.notes
            if isinstance(verdict, Answer) and not wants_notes and not wants_examples:
                continue  # Nobody reads the messages, and there may be thousands.
            if isinstance(verdict, Answer) and len(verdict.refused) > MANY_REFUSED:
                # Shielded, as the faults are counted of the whole turn or not at all.
                with trio.CancelScope(shield=True):
                    await self.passes.wait()
            faults = self._faults(turn, seat, verdict, times)
            self.faults[seat.index] = faults
            tally.keep(faults, is_out=seat.gone is not None)
            if wants_notes and not isinstance(verdict, Missing):
                notes[seat.index] = b"".join([seat.encoder.note(fault) for fault in faults])
        return notes

    def _count_late(self, turn: int, seat: Seat, times: Sequence[int] | None) -> None:
        """Count a turn that was late or missing; put the seat out after too many of them in a row.

        A bot that is already back, and so will be asked in the next turn, isn't put out before.
        """
        seat.late_streak += 1
        if (
            seat.successor is not None
            or self.spec.ruleset.consequence is not Consequence.SKIP
            or seat.late_streak < self.spec.clock.late_limit
        ):
            return
        if seat.absent:
            message = f"late or absent {seat.late_streak} turns in a row, so it is out"
            seat.lose("disconnected", f"{seat.why_absent}; {message}")
        else:
            message = late_message(times, seat.limit)
            message += f"; late {seat.late_streak} turns in a row, so it is out"
            seat.lose("late", _with_hint(turn, seat, message))

    def _faults(
        self, turn: int, seat: Seat, verdict: Verdict, times: Sequence[int] | None
    ) -> list[FaultInfo]:
        if seat.gone is not None:
            code = RefusalCode.LATE.value if isinstance(verdict, Late) else seat.gone
            return [_reason_out(turn, seat, code)]
        faults = faults_of(turn, seat.index, verdict, line=seat.line, times=times, limit=seat.limit)
        if isinstance(verdict, Late) and seat.silence_hint:
            return [attrs.evolve(f, words=_with_hint(turn, seat, f.words)) for f in faults]
        return faults

    def count_out(self, turn: int, seat: Seat) -> None:
        """Count the fault by which a seat is out without having been judged in a turn."""
        assert seat.gone is not None
        tally = self.tallies[seat.index]
        tally.count(Missing(), seat.gone)
        faults = self.faults[seat.index] = [_reason_out(turn, seat, seat.gone)]
        tally.keep(faults, is_out=True)

    # -- the outcome ---------------------------------------------------------------------------

    def outcome(self, game: Game, turn: int) -> Outcome | None:
        """Return the outcome after a turn; None if the match goes on.

        An outcome that no rules can lead to is an error. So is a game that doesn't end as it has
        promised, as it could go on for ever.
        """
        outcome = game.outcome()
        if outcome is not None:
            require_outcome(outcome, game, len(self.seats))
        if outcome is None and not any(seat.playing for seat in self.seats):
            outcome = by_score(game.scores(), "all-out", Termination.FORFEIT)
        most = self.spec.ruleset.max_turns(self.spec.settings)
        if outcome is None and turn + 1 >= most:
            name = self.spec.ruleset.name
            raise RuntimeError(f"the game {name} goes on after the {most} turns of its max_turns")
        return outcome

    def removal(self, game: Game, turn: int) -> Outcome:
        """Return the outcome of a match that a kick ends within a turn, which isn't played.

        The rules can't tell who has lost, as they would need verdicts on all seats.
        """
        self.faults = [[] for _ in self.seats]
        for seat in self.seats:
            seat.leave_if_kicked()
            if seat.gone is not None:
                self.count_out(turn, seat)
        at_fault = [seat.gone is not None for seat in self.seats]
        return forfeit(at_fault, game.scores(), REMOVED)


def is_late(seat: Seat) -> bool:
    """Return whether a seat that was asked has given no answer in time.

    It isn't late if its answer is missing, since its connection ended before.
    """
    if seat.line is None or seat.arrived is None:
        return seat.present or seat.gone == "late"
    # A bot that did not read its turn is late, even if it had sent an answer ahead.
    return seat.gone is not None or not seat.arrived.in_time(seat.deadline)


def _with_hint(turn: int, seat: Seat, message: str) -> str:
    """Return a message about a late answer, with the seat's hint if it has never answered."""
    is_silent = seat.line is None and seat.connection.session.owed > turn
    return f"{message}; {seat.silence_hint}" if is_silent and seat.silence_hint else message


def _spend(seat: Seat, seconds: float) -> None:
    if math.isfinite(seconds):
        seat.used += max(0.0, seconds)


def _reason_out(turn: int, seat: Seat, code: str) -> FaultInfo:
    return FaultInfo(turn=turn, seat=seat.index, code=code, index=None, words=seat.gone_message)
