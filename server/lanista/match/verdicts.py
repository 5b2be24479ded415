"""The verdict on an answer that came in time, and the faults of answers with their messages.

A match and its replay read answers by the same function, so what the rules say of an answer in a
replay is what they said when it was played. A bot may commit a hundred thousand faults in a match.
They are counted while it is played, and the message is written only where somebody reads it.
Whoever wants all of them asks `replay`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import attrs

from lanista.games.base import (
    Answer,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Token,
    Verdict,
)
from lanista.match.record import FaultInfo
from lanista_protocol import MalformedLineError, shown, tokenize

NAMES: Mapping[type[Verdict], str] = {
    Answer: "answer",
    Late: "late",
    Malformed: "malformed",
    Missing: "missing",
    Out: "out",
}
"""The names of the verdicts in a record."""
REFUSED = frozenset({"late", "malformed"})
"""The names of the verdicts on answers of which a record may keep only the beginning, as they
aren't needed to replay the match."""
REFUSAL_CODES = frozenset(code.value for code in RefusalCode)
"""The codes of the faults for which an answer, or a part of it, is refused."""


def read_answer(game: Game, seat: int, line: str) -> tuple[Answer | Malformed, Sequence[Token]]:
    """Read an answer in the position in which it was given; the game doesn't change.

    Returns the verdict, and the answer's tokens; none if it isn't a line of tokens. Raises
    TooManySubmovesError if there are more submoves than the rules allow in a turn.
    """
    try:
        tokens = tokenize(line)
    except MalformedLineError as error:
        return Malformed(Refusal(RefusalCode.MALFORMED, str(error))), ()
    try:
        return game.parse(seat, tokens), tokens
    except MalformedAnswerError as error:
        return Malformed(error.refusal), tokens


EXAMPLES = 3
"""Maximum number of a seat's faults of each code that are kept as examples."""


@attrs.define
class FaultTally:
    """The faults of one seat in a match."""

    counts: Counter[str] = attrs.field(factory=Counter)
    examples: list[FaultInfo] = attrs.field(factory=list)
    """The first faults, and the one by which the seat is out."""

    def count(self, verdict: Verdict, gone: str | None) -> bool:
        """Count the faults of a turn; return whether some of them are to be kept as examples.

        `gone` is the code of the reason why the seat is out since this turn; None if it isn't.
        """
        found: dict[str, int] = {}
        if isinstance(verdict, Answer):
            repeats = verdict.repeats
            found = {
                RefusalCode.ILLEGAL.value: len(verdict.refused) - repeats,
                RefusalCode.IGNORED.value: repeats,
            }
        elif isinstance(verdict, Late):
            found[RefusalCode.LATE.value] = 1
        elif isinstance(verdict, Malformed):
            found[RefusalCode.MALFORMED.value] = 1
        elif gone is not None:
            found[gone] = 1
        wants = gone is not None
        for code, number in found.items():
            if number:
                wants |= self.counts[code] < EXAMPLES
                self.counts[code] += number
        return wants

    def keep(self, faults: Sequence[FaultInfo], *, is_out: bool) -> None:
        """Keep faults of a turn as examples, as far as there is room for their codes.

        `is_out` says whether the seat is out by the only one of them, which is always kept.
        """
        kept = Counter(fault.code for fault in self.examples)
        for fault in faults:
            if is_out and kept[fault.code] == EXAMPLES:
                last = max(n for n, known in enumerate(self.examples) if known.code == fault.code)
                del self.examples[last]
            elif kept[fault.code] == EXAMPLES:
                continue
            kept[fault.code] += 1
            self.examples.append(fault)


def in_order(tallies: Sequence[FaultTally]) -> list[FaultInfo]:
    """Return the examples of all seats, in order of turns and then of seats."""
    examples = [fault for tally in tallies for fault in tally.examples]
    return sorted(examples, key=lambda fault: fault.turn)


def faults_of(
    turn: int,
    seat: int,
    verdict: Verdict,
    *,
    line: str | None,
    times: Sequence[int] | None,
    limit: float,
) -> list[FaultInfo]:
    """Return the faults of an answer with their messages, those apart for which a seat is out.

    Times and limit are as in `late_message`.
    """
    refusals: Sequence[Refusal] = ()
    if isinstance(verdict, Answer):
        refusals = verdict.refusals()
    elif isinstance(verdict, Late):
        refusals = (Refusal(RefusalCode.LATE, late_message(times, limit)),)
    elif isinstance(verdict, Malformed):
        assert line is not None
        message = f"{verdict.refusal.message}; the line was {shown(line)}"
        refusals = (attrs.evolve(verdict.refusal, message=message),)
    return [
        FaultInfo(
            turn=turn,
            seat=seat,
            code=refusal.code.value,
            index=refusal.index,
            words=refusal.message,
        )
        for refusal in refusals
    ]


def late_message(times: Sequence[int] | None, limit: float) -> str:
    """Return what is wrong with a late answer, given its times as recorded and its limit in s."""
    if times is None or len(times) == 1:
        return f"no answer within {limit:g} s"
    return f"the answer came after {times[2] / 1e6:.4f} s; the limit is {limit:g} s"
