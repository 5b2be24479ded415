"""Plays a recorded match again from its verdicts and raw answers, and compares every digest.

Obeys the record's verdicts, never its times. No socket and no clock.
"""

from collections.abc import Iterator

from lanista.match.record import (
    BadRecordError,
    Header,
    Record,
    ResultInfo,
    TurnInfo,
    one_line,
)
from lanista.rules.base import (
    Answer,
    BadBoardError,
    BadSettingError,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Ruleset,
    Verdict,
    complete_settings,
)
from lanista.rules.outcome import Outcome, Termination, ranks_by_score
from lanista_protocol import MalformedLineError, tokenize

_REFUSALS = frozenset(code.value for code in RefusalCode)
_PRESENT = frozenset({"answer", "malformed"})
"""Verdicts of a seat that is still there when the turn is over."""
_SHORTENED = frozenset({"late", "malformed"})
"""Verdicts of answers that a record may keep only in part."""


class MismatchError(Exception):
    """The record says something else than the rules."""

    def __init__(self, words: str) -> None:
        super().__init__(one_line(words))


def start(record: Record, ruleset: Ruleset) -> Game:
    """The recorded match's game before its first turn.

    Raises:
        BadRecordError: Its settings or board are none of this ruleset, or of another version.
    """
    return start_of(record.header, ruleset)


def start_of(header: Header, ruleset: Ruleset) -> Game:
    """As `start`, from a record's header alone."""
    if header.game != ruleset.name:
        raise BadRecordError(
            f"the record is of {header.game}; these are the rules of {ruleset.name}"
        )
    if header.game_version != ruleset.version:
        raise BadRecordError(
            f"the record is of {header.game} version {header.game_version}; "
            f"installed is version {ruleset.version}"
        )
    if len(header.players) != ruleset.seats:
        raise BadRecordError(
            f"the record has {len(header.players)} players; {header.game} is for {ruleset.seats}"
        )
    for player in header.players:
        if not player.name.isprintable():
            raise BadRecordError(f"the record's header: {player.name!a} is no player's name")
    low, high = ruleset.seeds
    if not low <= header.seed <= high:
        raise BadRecordError(f"the record's seed {header.seed} isn't from {low} to {high}")
    try:
        settings = complete_settings(ruleset, header.settings)
        board = ruleset.read_board(header.board)
    except (BadSettingError, BadBoardError) as error:
        raise BadRecordError(f"the record's header: {error}") from None
    chance = ruleset.chance(header.seed)
    if header.generated:
        # Again by the same draws: the game goes on with the chance that made its board.
        made = ruleset.write_board(ruleset.generate(settings, chance))
        if made != header.board:
            raise BadRecordError(f"the seed {header.seed} makes another board than the record's")
    try:
        return ruleset.new(settings, board, chance)
    except BadBoardError as error:
        raise BadRecordError(f"the record's header: {error}") from None


def positions(record: Record, ruleset: Ruleset) -> Iterator[Game]:
    """The game before the first turn and after every one: one object that changes.

    Raises:
        MismatchError: A digest differs, or the rules end the match elsewhere than the record.
        BadRecordError: As `start`.
    """
    game = start(record, ruleset)
    yield game
    before = None
    for turn in record.turns:
        is_void = _is_void_here(record, turn)
        step(game, before, turn, is_void=is_void)
        before = turn
        if not is_void:
            yield game


def step(game: Game, before: TurnInfo | None, turn: TurnInfo, *, is_void: bool = False) -> None:
    """Carry out one recorded turn and compare the digest.

    Args:
        game: Changes.
        before: The turn before, if there was one.
        turn: The turn.
        is_void: It is the one that made the match void: judged, but not carried out.

    Raises:
        MismatchError: The record says something else than the rules.
        BadRecordError: It says what no record can.
    """
    if game.outcome() is not None:
        raise MismatchError(
            f"turn {turn.turn}: by the rules the match was over after turn {turn.turn - 1}"
        )
    _check_presence(before, turn)
    verdicts = [verdict(game, turn, seat) for seat in range(len(turn.verdicts))]
    if not is_void:
        game.advance(verdicts)
    digest = game.digest()
    if digest != turn.digest:
        raise MismatchError(
            f"turn {turn.turn}: digest {digest} by the rules, {turn.digest} in the record"
        )


def turns(record: Record, game: Game) -> Iterator[list[Verdict]]:
    """The verdicts of every turn that was carried out, made when they are asked for.

    Args:
        record: What to play again.
        game: As `start` gives it; whoever asks for the turns advances it by each.

    Raises:
        MismatchError: An answer that the record calls well formed isn't, or the other way.
    """
    for turn in record.turns:
        if not _is_void_here(record, turn):
            yield [verdict(game, turn, seat) for seat in range(len(turn.verdicts))]


def verify(record: Record, ruleset: Ruleset) -> int:
    """Play the whole record again; how many turns were compared.

    Raises:
        MismatchError: The record says something else than the rules.
        BadRecordError: As `start`.
    """
    game = None
    for game in positions(record, ruleset):  # noqa: B007 - the last one counts
        pass
    assert game is not None
    result = record.result
    if result is None:
        return len(record.turns)
    if result.turns != len(record.turns):
        raise MismatchError(
            f"the record has {len(record.turns)} turns; its result says {result.turns}"
        )
    if result.error is not None and result.end == Termination.ABORTED.value:
        # The arena broke off somewhere within a turn: there is no position to compare with.
        return len(record.turns)
    outcome = game.outcome() or _ended_by_runner(game, record, result)
    if not result.agrees_with(outcome):
        raise MismatchError(
            f"the result is {outcome.termination.value} ({outcome.reason}), ranks {outcome.ranks}, "
            f"scores {outcome.scores} by the rules; {result.end} ({result.reason}), "
            f"ranks {result.ranks}, scores {result.scores} in the record"
        )
    digest = game.digest()
    if result.error is None and result.digest != digest:
        raise MismatchError(
            f"the result's digest is {result.digest} in the record, {digest} by the rules"
        )
    return len(record.turns)


def _ended_by_runner(game: Game, record: Record, result: ResultInfo) -> Outcome:
    """The outcome that a result can tell although the rules didn't end the match.

    Raises:
        MismatchError: It tells one that only the rules could bring about.
    """
    scores = game.scores()
    ranks, reason = (1,) * len(scores), "interrupted"
    match result.end:
        case "aborted":
            termination = Termination.ABORTED
        case "void" if record.turns and "late" in record.turns[-1].verdicts:
            termination, reason = Termination.VOID, "stall"
        case "forfeit" if record.turns and not _PRESENT.intersection(record.turns[-1].verdicts):
            # rules: all seats were put out, the last of them in this turn.
            termination, ranks, reason = Termination.FORFEIT, ranks_by_score(scores), "all-out"
        case _:
            raise MismatchError(
                f"by the rules the match isn't over; in the record its end is {result.end}"
            )
    return Outcome(termination=termination, ranks=ranks, scores=scores, reason=reason)


def _check_presence(before: TurnInfo | None, turn: TurnInfo) -> None:
    """Who has gone is out from then on, and nobody else is (PROTOCOL.md 5)."""
    for seat, word in enumerate(turn.verdicts):
        was = "answer" if before is None else before.verdicts[seat]
        may_be_out = was in {"late", "missing", "out"}
        if (word == "out" and not may_be_out) or (was in {"missing", "out"} and word != "out"):
            raise MismatchError(
                f"turn {turn.turn}: seat {seat} has verdict {word!r} after {was!r}; "
                "a seat is out from the turn after it has gone"
            )


def _is_void_here(record: Record, turn: TurnInfo) -> bool:
    """Whether this turn was written but not carried out: the one that made a match void."""
    result = record.result
    return result is not None and result.end == "void" and turn is record.turns[-1]


def verdict(game: Game, turn: TurnInfo, seat: int) -> Verdict:
    """Return the verdict that the record tells of a seat in the turn that comes next in the game.

    Raises:
        MismatchError: It doesn't agree with the faults and the answer that are told there.
        BadRecordError: It is none that a record can tell.
    """
    found = _told_verdict(game, turn, seat)
    told = _told_faults(turn, seat)
    match found:
        case Answer():
            expected = [(refusal.code.value, refusal.index) for refusal in found.refused]
        case Late():
            expected = [(RefusalCode.LATE.value, None)]
        case Malformed():
            expected = [(found.refusal.code.value, found.refusal.index)]
        case Missing():
            # Why it went is in no rule; but it is one reason, and none of an answer's.
            why = "disconnected" if not told or told[0][0] in _REFUSALS else told[0][0]
            expected = [(why, None)]
        case Out():
            expected = []
    more = turn.more_faults.get(str(seat), 0)
    if told != expected[: len(told)] or len(told) + more != len(expected):
        others = f" and {more} more" if more else ""
        raise MismatchError(
            f"turn {turn.turn}: the faults of seat {seat} are {told}{others} in the record; "
            f"its verdict is {turn.verdicts[seat]!r}, for which the rules say {expected}"
        )
    return found


def _told_faults(turn: TurnInfo, seat: int) -> list[tuple[str, int | None]]:
    return [(fault.code, fault.index) for fault in turn.faults if fault.seat == seat]


def _told_verdict(game: Game, turn: TurnInfo, seat: int) -> Verdict:
    word, raw = turn.verdicts[seat], turn.raw[seat]
    if str(seat) in turn.shortened and word not in _SHORTENED:
        raise BadRecordError(
            f"turn {turn.turn}: the answer of seat {seat} is shortened; "
            f"with verdict {word!r} none is"
        )
    match word:
        case "late":
            return Late()
        case "missing":
            return Missing()
        case "out":
            return Out()
        case "malformed" if str(seat) in turn.shortened:
            # There is too little of it to judge by: what was wrong with it is in the fault.
            told = [fault for fault in turn.faults if fault.seat == seat]
            index, words = (told[0].index, told[0].words) if told else (None, "")
            return Malformed(Refusal(RefusalCode.MALFORMED, words, index))
        case "malformed" if raw is not None:
            return _malformed(game, turn.turn, seat, raw)
        case "answer" if raw is not None:
            try:
                return game.parse(seat, tokenize(raw))
            except (MalformedLineError, MalformedAnswerError) as error:
                raise MismatchError(
                    f"turn {turn.turn}: the answer of seat {seat} is malformed by the rules "
                    f"({error}), in order in the record"
                ) from None
        case _:
            raise BadRecordError(
                f"turn {turn.turn}: seat {seat} has verdict {word!r} and answer {raw!r}"
            )


def _malformed(game: Game, turn: int, seat: int, raw: str) -> Malformed:
    try:
        game.parse(seat, tokenize(raw))
    except MalformedLineError as error:
        return Malformed(Refusal(RefusalCode.MALFORMED, str(error)))
    except MalformedAnswerError as error:
        return Malformed(error.refusal)
    raise MismatchError(
        f"turn {turn}: the answer of seat {seat} is in order by the rules, malformed in the record"
    )
