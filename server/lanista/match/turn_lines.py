"""What a match tells of itself: the record's header and turns, and the reasons of failures.

Looks at seats and judges nothing, which is `runner`'s; but it holds the record to its bounds,
whatever bots send.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import attrs

from lanista import __version__
from lanista.match.bundle import Exchange, Failure
from lanista.match.conditions import MatchSpec
from lanista.match.encoder import DialectEncoder
from lanista.match.record import (
    FORMAT,
    ClockInfo,
    FaultInfo,
    Header,
    PlayerInfo,
    encode,
    squeezed,
    whole_of,
)
from lanista.match.seat import Seat

LOG_KEPT = 4 * 1024 * 1024
"""Bytes of a seat's log that a match's record keeps: 16 KiB in each of 250 turns."""
LOG_OVER = "# … the rest of this match's log was dropped\n"
ANSWERS_KEPT = 16 * 1024 * 1024
"""Bytes of a seat's answers and faults that a match's record keeps."""
REFUSED_KEPT = 4096
"""Characters of a refused answer that are kept."""
REFUSED = frozenset({"late", "malformed"})
"""Verdicts of answers that no replay needs to read."""
FAULTS_KEPT = 100
"""How many faults of a seat are told: the first ones of a turn, and in the result the last."""
_FAULT_SIZE = 80
"""Bytes of a fault in the record without its words, at most."""


@attrs.define
class Room:
    """Bytes that the record of a match still has for what one seat sends."""

    log: int = LOG_KEPT
    """Negative: all is dropped from now on, and the log says so."""
    answers: int = ANSWERS_KEPT

    def keep_log(self, log: str) -> str:
        """Return what is kept of a turn's log: all or nothing."""
        if not log or self.log < 0:
            return ""
        self.log -= len(encode(log))
        return log if self.log >= 0 else LOG_OVER

    def keep_answer(self, line: str, *, is_refused: bool) -> str:
        """Return what is kept of an answer: its beginning, if it was refused and is long."""
        line = squeezed(line)
        if is_refused:
            line = line[: REFUSED_KEPT if self.answers else 0]
        self.answers = max(0, self.answers - len(encode(line)))
        return line

    def keep_fault(self, words: str, before: int) -> bool:
        """Return whether a fault is kept, when so many of the same turn are."""
        if before >= (FAULTS_KEPT if self.answers else 1):
            return False
        self.answers = max(0, self.answers - _FAULT_SIZE - len(encode(words)))
        return True


def header(
    spec: MatchSpec,
    seats: Sequence[Seat],
    board: str,
    commands: Sequence[tuple[str, ...] | None] | None,
) -> Header:
    """All that decides a match, and who plays it."""
    players = []
    for seat in seats:
        hello = seat.connection.hello
        assert hello is not None
        players.append(
            PlayerInfo(
                name=seat.name,
                protocol="classic" if isinstance(seat.encoder, DialectEncoder) else "1",
                command=commands[seat.index] if commands else None,
                notes=hello.notes,
            )
        )
    clock = spec.conditions.clock
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
        players=tuple(players),
        clock=ClockInfo(first=clock.first, turn=clock.turn, late_limit=spec.conditions.late_limit),
        try_=spec.try_,
    )


def turn(
    number: int,
    began: float,
    asked: Sequence[Seat],
    stall: float,
    *,
    verdicts: Sequence[str],
    rooms: Sequence[Room],
) -> dict[str, Any]:
    """The attributes of a `record.TurnInfo` that the seats tell: answers, times, logs, stall.

    Each seat keeps what was said with it for a bundle.

    Args:
        number: The turn.
        began: When it began, by trio's clock.
        asked: The seats that were asked in it.
        stall: Seconds for which the host kept the loop waiting in it.
        verdicts: By seat, as the record writes them.
        rooms: By seat; what is kept now is taken off.
    """
    raw: list[str | None] = [None] * len(verdicts)
    times: list[tuple[int, ...] | None] = [None] * len(verdicts)
    logs = {}
    shortened = {}
    for seat in asked:
        room = rooms[seat.index]
        if seat.line is not None:
            is_refused = verdicts[seat.index] in REFUSED
            kept = raw[seat.index] = room.keep_answer(seat.line, is_refused=is_refused)
            if is_refused and kept != squeezed(seat.line):
                shortened[str(seat.index)] = attrs.asdict(whole_of(seat.line))
        log = room.keep_log(seat.connection.session.take_log())
        if log:
            logs[str(seat.index)] = log
        handed = seat.handed_at
        if handed < began:
            continue  # lost before the turn's bytes went out
        after = round((handed - began) * 1e6)
        came = seat.arrived
        if came is None:
            times[seat.index] = (after,)
        else:
            times[seat.index] = (
                after,
                round((came.earliest - handed) * 1e6),
                round((came.latest - handed) * 1e6),
                round((came.read_at - handed) * 1e6),
            )
            if came.in_doubt(seat.deadline):
                # Counted because we read it too late to know: that is the host's stall.
                stall = max(stall, came.read_at - seat.deadline)
        seat.last_turns.append((number, seat.told, seat.line, log, times[seat.index], seat.limit))
    line: dict[str, Any] = {"turn": number, "verdicts": verdicts, "raw": raw, "times": times}
    if stall:
        line["stall"] = round(stall, 4)
    if logs:
        line["logs"] = logs
    if shortened:
        line["shortened"] = shortened
    return line


def faults(found: Sequence[FaultInfo], rooms: Sequence[Room]) -> dict[str, Any]:
    """The attributes of a `record.TurnInfo` that tell a turn's faults; none without any.

    Args:
        found: All of the turn.
        rooms: By seat; what is kept now is taken off.
    """
    kept = []
    counts: Counter[int] = Counter()
    more: Counter[str] = Counter()
    for fault in found:
        if rooms[fault.seat].keep_fault(fault.words, counts[fault.seat]):
            counts[fault.seat] += 1
            kept.append(attrs.asdict(fault))
        else:
            more[str(fault.seat)] += 1
    told: dict[str, Any] = {}
    if kept:
        told["faults"] = kept
    if more:
        told["more_faults"] = more
    return told


def reasons(seat: Seat, faults: Sequence[FaultInfo]) -> tuple[str, ...]:
    """Why a seat failed: that it was put out or left, else the faults that ended the match."""
    if seat.gone is not None:
        return (f"{seat.gone}: {seat.gone_words}",)
    found = []
    for fault in faults:
        place = "" if fault.index is None else f", submove {fault.index}"
        found.append(f"turn {fault.turn}{place}: {fault.code}: {fault.words}")
    return tuple(found)


def failure(seat: Seat, why: tuple[str, ...]) -> Failure:
    """The last turns of a seat that failed."""
    turns = tuple(Exchange(*values) for values in seat.last_turns)
    return Failure(seat=seat.index, name=seat.name, reasons=why, turns=turns)


def now() -> str:
    """The present moment, ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
