"""What a match tells of itself: the record's header and turns, and the reasons of failures.

Looks at seats and decides nothing; `runner` judges.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lanista import __version__
from lanista.match.bundle import Exchange, Failure
from lanista.match.record import FORMAT, ClockInfo, FaultInfo, Header, PlayerInfo
from lanista.match.seat import Seat
from lanista.match.speech import InDialect

if TYPE_CHECKING:
    from lanista.match.runner import MatchSpec


def header(
    spec: "MatchSpec",
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
                protocol="classic" if isinstance(seat.speech, InDialect) else "1",
                command=commands[seat.index] if commands else None,
                notes=hello.notes,
            )
        )
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
        clock=ClockInfo(first=spec.limits.first, turn=spec.limits.turn, late_limit=spec.late_limit),
        try_=spec.try_,
    )


def turn(
    number: int, began: float, seats: int, asked: Sequence[Seat], stall: float
) -> dict[str, Any]:
    """The attributes of a `record.TurnInfo` that the seats tell: answers, times, logs, stall.

    Each seat keeps what was said with it for a bundle.

    Args:
        number: The turn.
        began: When it began, by trio's clock.
        seats: How many the match has.
        asked: Those that were asked in it.
        stall: Seconds for which the host kept the loop waiting in it.
    """
    raw: list[str | None] = [None] * seats
    times: list[tuple[int, ...] | None] = [None] * seats
    logs = {}
    for seat in asked:
        raw[seat.index] = seat.line
        log = seat.connection.session.take_log()
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
    line: dict[str, Any] = {"turn": number, "raw": raw, "times": times}
    if stall:
        line["stall"] = round(stall, 4)
    if logs:
        line["logs"] = logs
    return line


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
