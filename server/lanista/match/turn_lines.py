"""The lines of a match's record, built from its seats, and the reasons of its failures.

Nothing is judged here; that is the task of `runner`. But the size of the record is bounded here,
whatever the bots send.
"""

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
from lanista.match.verdicts import REFUSED

LOG_KEPT = 4 * 1024 * 1024
"""How many bytes of a seat's log a record keeps, enough for 16 KiB in each of 250 turns."""
LOG_OVER = "# … the rest of this match's log was dropped\n"
"""The line that replaces the first log that isn't kept."""
ANSWERS_KEPT = 16 * 1024 * 1024
"""How many bytes of a seat's answers a record keeps."""
REFUSED_KEPT = 4096
"""How many characters of a refused answer are kept."""
REASONS_KEPT = 100
"""How many faults a failure names as its reasons."""


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

    def keep_answer(self, line: str, *, is_refused: bool) -> str:
        """Return what is kept of an answer: all, or the beginning of a long refused one."""
        line = squeezed(line)
        if is_refused:
            line = line[: REFUSED_KEPT if self.answers else 0]
        self.answers = max(0, self.answers - len(encode(line)))
        return line


def header(
    spec: MatchSpec,
    seats: Sequence[Seat],
    board: str,
    commands: Sequence[tuple[str, ...] | None] | None,
) -> Header:
    """Return the header of a match's record."""
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
        clock=ClockInfo(
            first=clock.first,
            turn=clock.turn,
            late_limit=spec.conditions.late_limit,
            lag_allowance=spec.conditions.lag_allowance,
        ),
        try_=spec.try_,
        ladder=spec.ladder,
    )


def turn(
    number: int,
    began: float,
    asked: Sequence[Seat],
    stall: float,
    *,
    verdicts: Sequence[str],
    faults: Sequence[FaultInfo],
    rooms: Sequence[Room],
) -> dict[str, Any]:
    """Return the attributes of a `record.TurnInfo` that come from the seats.

    These are the answers, times, faults, logs and the stall. The turn is also added to `last_turns`
    of each seat, for a failure bundle.

    Args:
        number: The number of the turn.
        began: When the turn began, on trio's clock.
        asked: The seats that were asked in the turn.
        stall: Seconds for which the host stalled in the turn.
        verdicts: The verdicts by seat, as the record writes them.
        faults: Why seats are out since this turn, and what is wrong with malformed answers.
        rooms: The room left by seat, which is reduced by what is kept.
    """
    raw: list[str | None] = [None] * len(verdicts)
    times: list[tuple[int, ...] | None] = [None] * len(verdicts)
    logs = {}
    shortened = {}
    lags = {}
    for seat in asked:
        if seat.lag:
            lags[str(seat.index)] = round(seat.lag * 1e6)
        room = rooms[seat.index]
        if seat.line is not None:
            is_refused = verdicts[seat.index] in REFUSED
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
            (number, seat.payload, seat.line, log, times[seat.index], seat.limit)
        )
    line: dict[str, Any] = {"turn": number, "verdicts": verdicts, "raw": raw, "times": times}
    # What is wrong with a malformed answer follows from the answer, if that is kept as it came.
    lines = {seat.index: seat.line for seat in asked}
    unclear = [
        fault
        for fault in faults
        if verdicts[fault.seat] != "malformed" or raw[fault.seat] != lines[fault.seat]
    ]
    if unclear:
        line["faults"] = [attrs.asdict(fault) for fault in unclear]
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
    """Return a seat's times in a turn that began at `began`, as a record has them.

    Returns:
        The times in microseconds; None if the seat was out before its bytes were sent.
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


def reasons(seat: Seat, faults: Sequence[FaultInfo]) -> tuple[str, ...]:
    """Return why a seat failed: why it is out, or else the faults that ended the match."""
    if seat.gone is not None:
        return (f"{seat.gone}: {seat.gone_message}",)
    lines = []
    for fault in faults[-REASONS_KEPT:]:
        place = "" if fault.index is None else f", submove {fault.index}"
        lines.append(f"turn {fault.turn}{place}: {fault.code}: {fault.words}")
    return tuple(lines)


def failure(seat: Seat, reasons: tuple[str, ...]) -> Failure:
    """Return a seat's failure, for a bundle, with its last turns."""
    turns = tuple(Exchange(*values) for values in seat.last_turns)
    return Failure(seat=seat.index, name=seat.name, reasons=reasons, turns=turns)


def now() -> str:
    """Return the present moment as ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
