"""The lines of a match's record: made from its seats, and written while the bots think.

The size of the record is bounded here, whatever the bots send.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import attrs

from lanista import __version__
from lanista.games.base import Game, Verdict
from lanista.match.channel import RoundTrip
from lanista.match.conditions import MatchSpec
from lanista.match.encoder import DialectEncoder
from lanista.match.figures import MatchFigures
from lanista.match.record import (
    FORMAT,
    FaultInfo,
    Header,
    PlayerInfo,
    RejoinInfo,
    encode,
    squeezed,
    whole_of,
)
from lanista.match.record_writer import RecordWriter
from lanista.match.seat import Seat
from lanista.match.verdicts import NAMES, REFUSED

LOG_KEPT = 4 * 1024 * 1024
"""How many bytes of a seat's log a record keeps, enough for 16 KiB in each of 250 turns."""
LOG_OVER = "# … the rest of this match's log was dropped\n"
"""The line that replaces the first log that isn't kept."""
ANSWERS_KEPT = 16 * 1024 * 1024
"""How many bytes of a seat's answers a record keeps."""
REFUSED_KEPT = 4096
"""How many characters of a refused answer are kept."""


@attrs.define
class Room:
    """How many bytes the record still has room for, of what one seat sends."""

    log: int = LOG_KEPT
    """Room for logs, in bytes; once it is negative, all further logs are dropped."""
    answers: int = ANSWERS_KEPT
    """Room for answers, in bytes."""

    def keep_log(self, log: str) -> str:
        """Return what is kept of a turn's log: all of it, or none."""
        if not log or self.log < 0:
            return ""
        self.log -= len(encode(log))
        return log if self.log >= 0 else LOG_OVER

    def holds(self, line: str) -> bool:
        """Return whether an answer can be kept whole."""
        return len(line) <= self.answers or len(squeezed(line)) <= self.answers

    def keep_answer(self, line: str, *, is_refused: bool) -> str:
        """Return what is kept of an answer: all, or the beginning of a long refused one."""
        line = squeezed(line)
        if is_refused:
            line = line[: REFUSED_KEPT if self.answers else 0]
            self.answers = max(0, self.answers - len(encode(line)))
        else:
            # Numbers and letters alone, of which JSON escapes none; it adds two quotes.
            self.answers = max(0, self.answers - len(line) - 2)
        return line


def header(
    spec: MatchSpec,
    seats: Sequence[Seat],
    board: str,
    commands: Sequence[tuple[str, ...] | None] | None,
) -> Header:
    """Return the header of a match's record."""
    players = [
        PlayerInfo(
            name=seat.name,
            protocol="classic" if isinstance(seat.encoder, DialectEncoder) else "1",
            command=commands[seat.index] if commands else None,
            notes=seat.connection.greeting.notes,
        )
        for seat in seats
    ]
    return Header(
        lanista_record=FORMAT,
        software=__version__,
        match=spec.match,
        started=now(),
        game=spec.ruleset.name,
        game_version=spec.ruleset.version,
        settings=dict(spec.settings),
        board=board,
        generated=spec.board is None,
        seed=spec.seed,
        seat_seeds=spec.seat_seeds,
        players=tuple(players),
        clock=spec.limits,
        attempt=spec.attempt,
        ladder=spec.ladder,
    )


@attrs.define(eq=False)
class TurnLines:
    """The lines of a match's turns: each is made after its turn, and written during the next.

    It is written when the bots have been sent their next turn, while they think. That delays no
    answer, since the kernel notes when answers arrive.
    """

    record: RecordWriter
    seats: Sequence[Seat]
    figures: MatchFigures
    """Where the times of turns and the round trips are counted."""
    turns: int = attrs.field(init=False, default=0)
    """Number of turns that have a line; during a turn, its number."""
    digest: str = attrs.field(init=False, default="")
    """The digest in the last line that was written; empty before the first one."""
    rooms: Sequence[Room] = attrs.field(
        init=False, default=attrs.Factory(lambda self: [Room() for _ in self.seats], True)
    )
    """The room that is left, by seat."""
    # The last turn's line without its digest, until it is written; and what belongs to it: the
    # game, and when the turn began or negative infinity, as in `add`.
    _unwritten: tuple[dict[str, Any], Game, float] | None = attrs.field(init=False, default=None)
    # By seat, the round trips that were measured since the last line.
    _round_trips: dict[str, tuple[int, int]] = attrs.field(init=False, factory=dict)

    def note_round_trip(self, seat: Seat, found: RoundTrip) -> None:
        """Keep a measured round trip to a seat's bot for the line of this turn."""
        self._round_trips[str(seat.index)] = found.smoothed, found.least
        self.figures.round_trips.add(found.smoothed)

    def add(
        self,
        game: Game,
        began: float,
        asked: Sequence[Seat],
        verdicts: Sequence[Verdict],
        faults: Sequence[Sequence[FaultInfo]],
        *,
        stall: float,
        status: Sequence[float],
        rejoined: Mapping[str, RejoinInfo] | None,
        is_timed: bool,
    ) -> None:
        """Add the line of a turn, and the turn to `last_turns` of each seat, for failure bundles.

        The game stands after the turn, which began at `began` on trio's clock; `asked` are the
        seats that were asked in it. By seat come the verdicts, the faults whose messages were
        written, and the share of the match's time that was used before the turn (`status`). `stall`
        is how many seconds the host stalled. `rejoined` has the seats whose bots came back in this
        turn; None if no seat can be absent. `is_timed` says whether nothing but answers was waited
        for.
        """
        names = [NAMES[type(verdict)] for verdict in verdicts]
        line = self._line(began, asked, names, faults, stall)
        line["digest"] = ""  # its place among the keys
        if any(status):
            line["status"] = status
        if self._round_trips:
            line["round_trips"], self._round_trips = self._round_trips, {}
        if rejoined is not None:
            left = {str(seat.index): seat.why_absent for seat in asked if seat.absent}
            if left:
                line["left"] = left
            if rejoined:
                line["rejoined"] = {seat: attrs.asdict(info) for seat, info in rejoined.items()}
        self._unwritten = line, game, began if is_timed else -math.inf
        self.turns += 1

    def write(self, next_began: float = math.inf) -> None:
        """Write the last turn's line, unless that is done, and count its times.

        `next_began` is when the next turn began; infinity if it hasn't.
        """
        if self._unwritten is None:
            return
        (line, game, began), self._unwritten = self._unwritten, None
        try:
            line["digest"] = self.digest = game.digest()
            self.record.turn(line)
        except Exception:
            self.turns -= 1  # The record ends before this turn.
            raise
        self.figures.count_turn(line["times"], 1e6 * (next_began - began))

    def _line(
        self,
        began: float,
        asked: Sequence[Seat],
        names: Sequence[str],
        faults: Sequence[Sequence[FaultInfo]],
        stall: float,
    ) -> dict[str, Any]:
        """Return the attributes of a `record.TurnInfo` that come from the seats and their bots."""
        raw: list[str | None] = [None] * len(names)
        times: list[tuple[int, ...] | None] = [None] * len(names)
        logs = {}
        shortened = {}
        lags = {}
        for seat in asked:
            if seat.lag:
                lags[str(seat.index)] = round(seat.lag * 1e6)
            room = self.rooms[seat.index]
            if seat.line is not None:
                is_refused = names[seat.index] in REFUSED
                kept = raw[seat.index] = room.keep_answer(seat.line, is_refused=is_refused)
                if is_refused and kept != squeezed(seat.line):
                    shortened[str(seat.index)] = attrs.asdict(whole_of(seat.line))
            log = room.keep_log(seat.connection.session.take_log())
            if log:
                logs[str(seat.index)] = log
            times[seat.index] = times_of(seat, began)
            if times[seat.index] is None:
                continue
            arrived = seat.arrived
            if arrived is not None and arrived.in_doubt(seat.deadline):
                # The answer counts only because it was read too late to know: a stall of the host.
                stall = max(stall, arrived.read_at - seat.deadline)
            seat.last_turns.append(
                (self.turns, seat.payload, seat.line, log, times[seat.index], seat.limit)
            )
        line: dict[str, Any] = {"turn": self.turns, "verdicts": names, "raw": raw, "times": times}
        # Why seats are out since this turn. What is wrong with a malformed answer follows from the
        # answer, if that is kept as it came.
        unclear = [
            attrs.asdict(fault)
            for seat in self.seats
            if (
                raw[seat.index] != seat.line
                if names[seat.index] == "malformed"
                else seat.gone is not None
            )
            for fault in faults[seat.index]
        ]
        if unclear:
            line["faults"] = unclear
        if stall:
            line["stall"] = round(stall, 4)
        if logs:
            line["logs"] = logs
        if shortened:
            line["shortened"] = shortened
        if lags:
            line["lags"] = lags
        return line


def times_of(seat: Seat, began: float) -> tuple[int, ...] | None:
    """Return a seat's times in a turn that began at `began`, as a record has them, in microseconds.

    None if the seat was out before its bytes were sent.
    """
    handed = seat.handed_at
    if handed < began:
        return None
    handed_after = round((handed - began) * 1e6)
    arrived = seat.arrived
    if arrived is None:
        return (handed_after,)
    return (
        handed_after,
        round((arrived.earliest - handed) * 1e6),
        round((arrived.latest - handed) * 1e6),
        round((arrived.read_at - handed) * 1e6),
    )


def now() -> str:
    """Return the present moment as ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
