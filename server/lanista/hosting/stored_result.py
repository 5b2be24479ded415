"""Make the rows of the database for a match that is over, from its record's result."""

from collections.abc import Sequence

from lanista.bots.process import Exit
from lanista.games.outcome import ENDINGS, Ending
from lanista.match.record import ResultInfo
from lanista.results.match_result import MatchResult, SeatResult, fault_counts


def match_result(
    result: ResultInfo,
    bots: Sequence[str],
    *,
    seating: int,
    attempt: int,
    seconds: float,
    stall: float,
    record: str,
    exits: Sequence[Exit | None] = (),
) -> MatchResult:
    """Return the rows that are stored of a match that is over.

    This decides neither who has won, nor how the match ended for a bot, nor what counts.

    Args:
        result: The result, as in its record.
        bots: The names by which the bots are stored, by seat.
        seating: The number of its seating in the block, from 0.
        attempt: The number of the attempt, from 1.
        seconds: Duration of the match, in seconds.
        stall: Duration of the host's longest stall during the match, in seconds.
        record: The path of its record, relative to the folder of records.
        exits: By seat, how the bot's process ended, or None if it runs; empty if we started none.
    """
    return MatchResult(
        seating=seating,
        attempt=attempt,
        end=result.end,
        reason=result.reason,
        turns=result.turns,
        digest=result.digest,
        seconds=seconds,
        stall=stall,
        seats=tuple(
            _seat_result(result, seat, bot, exits[seat] if exits else None)
            for seat, bot in enumerate(bots)
        ),
        record=record,
    )


def _seat_result(result: ResultInfo, seat: int, bot: str, exit_: Exit | None) -> SeatResult:
    ending = ENDINGS[result.endings[seat]]
    fault = result.fault_out(seat)
    words = "" if fault is None else fault.words
    if ending is Ending.DISCONNECT and exit_ is not None:
        if str(exit_) not in words:
            words = f"{words}; its process {exit_}"
        if exit_.is_crash:
            ending = Ending.CRASH
    return SeatResult(
        bot=bot,
        rank=result.ranks[seat],
        score=result.scores[seat],
        ending=ending,
        words=" ".join(words.split()),
        **fault_counts(result.fault_counts[seat]),
    )
