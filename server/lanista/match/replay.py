"""Replaying a recorded match from its verdicts and raw answers, and comparing every digest.

A replay obeys the record's verdicts and ignores its times, so it needs no clock. What the rules can
check is checked: an answer that the record calls malformed must be malformed by the rules, the
totals of faults must be those that the rules find, and the outcome must be the recorded one.

What was refused isn't recorded: `turn_faults` derives it, with its messages, from the verdicts, the
answers and the position. Whoever wants to know more of a turn that `judge` has read asks for that
before `carry_out`. What a seat was sent isn't recorded either: `payloads` makes the same bytes as
in the match, so that a bot can be fed them again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from lanista.errors import LanistaError, file_errors, printable_line
from lanista.games import registry
from lanista.games.base import (
    Answer,
    BadBoardError,
    BadSettingError,
    Consequence,
    Game,
    Late,
    Malformed,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Ruleset,
    Token,
    TooManySubmovesError,
    Verdict,
    complete_settings,
)
from lanista.games.outcome import REMOVED, Outcome, Termination, by_score, forfeit, undecided
from lanista.match.encoder import DialectEncoder, Encoder, Version1Encoder, dialect_of
from lanista.match.record import (
    BadRecordError,
    FaultInfo,
    Header,
    Record,
    ResultInfo,
    TurnInfo,
    read_record,
)
from lanista.match.verdicts import (
    NAMES,
    REFUSAL_CODES,
    REFUSED,
    FaultTally,
    faults_of,
    in_order,
    read_answer,
)
from lanista_protocol import Hello, LocalProtocolError


class MismatchError(LanistaError):
    """A record contradicts the rules."""

    def __init__(self, message: str) -> None:
        super().__init__(printable_line(message))


@attrs.frozen(eq=False)
class JudgedTurn:
    """A recorded turn with its verdicts, which are right by the rules."""

    turn: TurnInfo
    verdicts: Sequence[Verdict]
    """The verdicts, by seat."""
    tokens: Sequence[Sequence[Token]]
    """The tokens of each answer that counts, by seat; empty for other verdicts than `Answer`."""


def read_with_rules(path: Path) -> tuple[Record, Ruleset]:
    """Read a record, and find the rules of its game.

    Raises FileError, BadRecordError or UnknownGameError, whose message names the file.
    """
    with file_errors("can't read", path):
        record = read_record(path)
    try:
        return record, registry.get(record.header.game)
    except registry.UnknownGameError as error:
        raise registry.UnknownGameError(f"{path}: {error}") from None


def start(header: Header, ruleset: Ruleset) -> Game:
    """Return the game of a recorded match before its first turn.

    The ruleset is that of the record's game. Raises BadRecordError if the record is of another
    version, or its settings or board are invalid in this ruleset.
    """
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
            raise BadRecordError(f"the record's header: {player.name!a} can't be a player's name")
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
        # Generating the board uses up random numbers, and the game goes on with those after them.
        generated = ruleset.write_board(ruleset.generate(settings, chance))
        if generated != header.board:
            raise BadRecordError(f"the seed {header.seed} makes another board than the record's")
    try:
        return ruleset.new(settings, board, chance)
    except BadBoardError as error:
        raise BadRecordError(f"the record's header: {error}") from None


def judge(game: Game, previous: TurnInfo | None, turn: TurnInfo) -> JudgedTurn:
    """Return a recorded turn with its verdicts, after checking that they can be right.

    The game stands before the turn; `previous` is the turn before it, if there was one. Raises
    MismatchError if the record contradicts the rules, BadRecordError if the turn is invalid by any.
    """
    if game.outcome() is not None:
        raise MismatchError(
            f"turn {turn.turn}: by the rules the match was over after turn {turn.turn - 1}"
        )
    _check_presence(previous, turn)
    seats = range(len(turn.verdicts))
    verdicts, tokens = zip(*[_checked_verdict(game, turn, seat) for seat in seats], strict=True)
    return JudgedTurn(turn, verdicts, tokens)


def carry_out(game: Game, judged: JudgedTurn, *, is_void: bool = False) -> None:
    """Advance the game in which a turn was judged and compare the digest.

    A turn that made the match void doesn't advance it. Raises MismatchError if the digest differs.
    """
    turn = judged.turn
    if not is_void:
        game.advance(judged.verdicts)
    digest = game.digest()
    if digest != turn.digest:
        raise MismatchError(
            f"turn {turn.turn}: digest {digest} by the rules, {turn.digest} in the record"
        )


def judged_turns(record: Record, game: Game) -> Iterator[JudgedTurn]:
    """Yield each turn while the game, as returned by `start`, stands before it; then advance it.

    It raises the errors of `judge` and `carry_out`.
    """
    previous = None
    for turn in record.turns:
        judged = judge(game, previous, turn)
        yield judged
        carry_out(game, judged, is_void=_is_void_here(record, turn))
        previous = turn


def positions(record: Record, ruleset: Ruleset) -> Iterator[Game]:
    """Yield the game before the first turn and after each one; it is one object, which changes.

    It raises the errors of `start`, `judge` and `carry_out`.
    """
    game = start(record.header, ruleset)
    yield game
    previous = None
    for turn in record.turns:
        is_void = _is_void_here(record, turn)
        carry_out(game, judge(game, previous, turn), is_void=is_void)
        previous = turn
        if not is_void:
            yield game


def played_turns(record: Record) -> Sequence[TurnInfo]:
    """Return the turns that were carried out: all but one that made the match void."""
    if record.turns and _is_void_here(record, record.turns[-1]):
        return record.turns[:-1]
    return record.turns


def verify(record: Record, ruleset: Ruleset) -> int:
    """Replay the whole record, and return how many turns were compared.

    It raises MismatchError if the record contradicts the rules, and the errors of `start`.
    """
    game = start(record.header, ruleset)
    tallies = [FaultTally() for _ in record.header.players]
    for judged in judged_turns(record, game):
        for seat, tally in enumerate(tallies):
            gone = judged.turn.reason_gone(seat)
            if tally.count(judged.verdicts[seat], None if gone is None else gone.code):
                faults = seat_faults(record.header, judged, seat)
                tally.keep(faults, is_out=gone is not None)
    result = record.result
    if result is None:
        return len(record.turns)
    if result.turns != len(record.turns):
        raise MismatchError(
            f"the record has {len(record.turns)} turns; its result says {result.turns}"
        )
    if result.error is not None and result.end == Termination.ABORTED.value:
        # The match was broken off within a turn, so there is no position to compare.
        return len(record.turns)
    outcome = game.outcome()
    if outcome is None:
        outcome = _ended_by_runner(ruleset, game, record, result)
        for fault in _removals(result):
            tallies[fault.seat].count(Missing(), fault.code)
            tallies[fault.seat].keep([fault], is_out=True)
    by_rules = (outcome.termination.value, outcome.reason, outcome.ranks, outcome.scores)
    if by_rules != (result.end, result.reason, result.ranks, result.scores):
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
    _check_faults(result, tallies)
    return len(record.turns)


def _check_faults(result: ResultInfo, tallies: Sequence[FaultTally]) -> None:
    """Check the totals of faults and the examples, but not their messages, which may change."""
    counts = [dict(tally.counts) for tally in tallies]
    if counts != list(result.fault_counts):
        raise MismatchError(
            f"the numbers of faults by seat are {list(result.fault_counts)} in the record, "
            f"{counts} by the rules"
        )
    recorded, derived = (
        [(fault.turn, fault.seat, fault.code, fault.index) for fault in faults]
        for faults in (result.faults, in_order(tallies))
    )
    if recorded != derived:
        raise MismatchError(
            f"the result's faults are {recorded} in the record, {derived} by the rules"
        )


def _removals(result: ResultInfo) -> list[FaultInfo]:
    """Return the faults of a turn that wasn't played because a seat was removed in it."""
    if result.reason != REMOVED:
        return []
    return [fault for fault in result.faults if fault.turn == result.turns]


def _ended_by_runner(ruleset: Ruleset, game: Game, record: Record, result: ResultInfo) -> Outcome:
    """Return the outcome of a match that was ended by the runner and not by the rules."""
    scores = game.scores()
    match result.end:
        case "aborted":
            return undecided(Termination.ABORTED, scores, "interrupted")
        case "void" if record.turns and "late" in record.turns[-1].verdicts:
            return undecided(Termination.VOID, scores, "stall")
        case "forfeit" if record.turns and _are_all_out(record.turns[-1]):
            return by_score(scores, "all-out", Termination.FORFEIT)
        case "forfeit" if ruleset.consequence is Consequence.FORFEIT and _removals(result):
            removed = {fault.seat for fault in _removals(result)}
            return forfeit([seat in removed for seat in range(len(scores))], scores, REMOVED)
        case _:
            raise MismatchError(
                f"by the rules the match isn't over; in the record its end is {result.end}"
            )


def _are_all_out(turn: TurnInfo) -> bool:
    return all(
        name == "out" or turn.reason_gone(seat) is not None
        for seat, name in enumerate(turn.verdicts)
    )


def _check_presence(previous: TurnInfo | None, turn: TurnInfo) -> None:
    """Check that just those seats are out that have gone, and that absent ones are absent."""
    for seat, name in enumerate(turn.verdicts):
        before = "answer" if previous is None else previous.verdicts[seat]
        was_gone = before == "out" or (
            previous is not None and previous.reason_gone(seat) is not None
        )
        if was_gone != (name == "out"):
            raise MismatchError(
                f"turn {turn.turn}: seat {seat} has verdict {name!r} after {before!r}; "
                "a seat is out from the turn after it has gone"
            )
        was_absent = previous is not None and previous.was_absent(seat)
        _check_gap(turn, seat, was_absent=was_absent)


def _check_gap(turn: TurnInfo, seat: int, *, was_absent: bool) -> None:
    """Check that a seat is absent from when it left until it came back."""
    name, key = turn.verdicts[seat], str(seat)
    is_back = key in turn.rejoined
    was_asked = name != "out" and (is_back or not was_absent)
    if is_back and name == "out":
        problem = "came back, but is out"
    elif not was_asked and name == "missing" and (turn.raw[seat], turn.times[seat]) != (None, None):
        problem = "was absent, but has an answer or times"
    elif not was_asked and name not in {"missing", "out"}:
        problem = f"was absent and did not come back, but has verdict {name!r}"
    elif key in turn.left and not (was_asked and turn.was_absent(seat)):
        problem = "left, but isn't absent since this turn"
    elif was_asked and turn.was_absent(seat) and key not in turn.left:
        problem = "has verdict 'missing', but has neither gone nor left"
    else:
        return
    raise MismatchError(f"turn {turn.turn}: seat {seat} {problem}")


def _is_void_here(record: Record, turn: TurnInfo) -> bool:
    """Tell whether this turn made the match void, so that it was recorded but not carried out."""
    result = record.result
    return result is not None and result.end == "void" and turn is record.turns[-1]


def _checked_verdict(game: Game, turn: TurnInfo, seat: int) -> tuple[Verdict, Sequence[Token]]:
    """Return the recorded verdict of a seat and, if it is `Answer`, the answer's tokens."""
    verdict, tokens = _recorded_verdict(game, turn, seat)
    recorded = [(fault.code, fault.index) for fault in turn.faults if fault.seat == seat]
    expected: list[list[tuple[str, int | None]]] = [[]]
    match verdict:
        case Late():
            expected = [[], [(RefusalCode.LATE.value, None)]]
        case Malformed():
            expected = [[(verdict.refusal.code.value, verdict.refusal.index)]]
            if str(seat) not in turn.shortened:
                expected.append([])
        case Missing():
            # The rules don't know why a seat has gone. But there is one reason at most, and it
            # isn't one for which an answer is refused. Without one, the seat is absent.
            code = recorded[0][0] if recorded else "disconnected"
            expected = [[], [("disconnected" if code in REFUSAL_CODES else code, None)]]
    if recorded not in expected:
        raise MismatchError(
            f"turn {turn.turn}: the faults of seat {seat} are {recorded} in the record; "
            f"with verdict {turn.verdicts[seat]!r} they can be {' or '.join(map(str, expected))}"
        )
    return verdict, tokens


def seat_faults(header: Header, judged: JudgedTurn, seat: int) -> list[FaultInfo]:
    """Return all faults of a seat in a turn."""
    turn = judged.turn
    recorded = [fault for fault in turn.faults if fault.seat == seat]
    return recorded or faults_of(
        turn.turn,
        seat,
        judged.verdicts[seat],
        line=turn.raw[seat],
        times=turn.times[seat],
        limit=header.clock.of_turn(turn.turn) + turn.lag(seat),
    )


def turn_faults(header: Header, judged: JudgedTurn) -> list[FaultInfo]:
    """Return all faults of a turn, in order of seats."""
    seats = range(len(judged.verdicts))
    return [fault for seat in seats for fault in seat_faults(header, judged, seat)]


def all_faults(record: Record, game: Game) -> Iterator[list[FaultInfo]]:
    """Yield the faults of each turn; the game is carried through the record."""
    for judged in judged_turns(record, game):
        yield turn_faults(record.header, judged)


def _recorded_verdict(game: Game, turn: TurnInfo, seat: int) -> tuple[Verdict, Sequence[Token]]:
    name, raw = turn.verdicts[seat], turn.raw[seat]
    if str(seat) in turn.shortened and name not in REFUSED:
        raise BadRecordError(
            f"turn {turn.turn}: the answer of seat {seat} is shortened, "
            f"which it can't be with verdict {name!r}"
        )
    match name:
        case "late":
            return Late(), ()
        case "missing":
            return Missing(), ()
        case "out":
            return Out(), ()
        case "malformed" if str(seat) in turn.shortened:
            # The rest of the answer isn't known, so what was wrong with it is taken from the fault.
            fault = next((fault for fault in turn.faults if fault.seat == seat), None)
            index, message = (None, "") if fault is None else (fault.index, fault.words)
            return Malformed(Refusal(RefusalCode.MALFORMED, message, index)), ()
        case "answer" | "malformed" if raw is not None:
            return _answer(game, turn.turn, seat, name, raw)
        case _:
            raise BadRecordError(
                f"turn {turn.turn}: seat {seat} has verdict {name!r} and answer {raw!r}"
            )


def _answer(
    game: Game, turn: int, seat: int, name: str, raw: str
) -> tuple[Verdict, Sequence[Token]]:
    """Return the verdict on an answer by the rules, which has to be the recorded one.

    An answer of too many submoves is neither well formed nor malformed: it puts its seat out.
    """
    try:
        verdict, tokens = read_answer(game, seat, raw)
        if NAMES[type(verdict)] == name:
            return verdict, tokens if isinstance(verdict, Answer) else ()
        reason = verdict.refusal.message if isinstance(verdict, Malformed) else "it is well formed"
    except TooManySubmovesError as error:
        reason = str(error)
    raise MismatchError(
        f"turn {turn}: the answer of seat {seat} has verdict {name!r} in the record; by the rules "
        f"it hasn't: {reason}"
    )


# -- what a seat was sent ------------------------------------------------------------------------


def version1(header: Header, ruleset: Ruleset) -> Version1Encoder:
    """Return the encoder of version 1 for a recorded match of this ruleset."""
    return Version1Encoder(
        match=header.match,
        ruleset=ruleset,
        settings=complete_settings(ruleset, header.settings),
        players=tuple(player.name for player in header.players),
        clock=header.clock,
        seed=header.seed,
        seat_seeds=header.seat_seeds,
    )


def asked_turns(record: Record, seat: int) -> list[int]:
    """Return the turns in which a seat was asked for an answer: it was neither absent nor out."""
    turns = []
    was_absent = False
    for turn in record.turns:
        if turn.verdicts[seat] == "out":
            break
        if not was_absent or str(seat) in turn.rejoined:
            turns.append(turn.turn)
            was_absent = turn.was_absent(seat)
    return turns


def payloads(
    record: Record, ruleset: Ruleset, seat: int, hello: Hello | None = None
) -> Iterator[bytes]:
    """Yield the bytes that a seat was sent before each of its answers, from turn 0 on.

    For each turn in which it was asked: notes on its last answer, the position, `go`. If its bot
    has come back, the match's beginning instead of the notes. For a turn in which it was absent: no
    bytes. `hello` is that of the bot that is to be fed, which decides on the dialect and on notes;
    None means as in the match. The errors are those of `verify`; BadRecordError also says that the
    record has what is never sent, such as a player without a name.
    """
    try:
        yield from _payloads(record, ruleset, seat, hello)
    except LocalProtocolError as error:
        raise BadRecordError(f"the record can't be sent: {error}") from None


def _payloads(record: Record, ruleset: Ruleset, seat: int, hello: Hello | None) -> Iterator[bytes]:
    header = record.header
    game = start(header, ruleset)
    player = header.players[seat]
    dialect = None if player.protocol == "1" else ruleset.classic
    if hello is not None:
        dialect = dialect_of(hello, ruleset)
    encoder: Encoder = version1(header, ruleset) if dialect is None else DialectEncoder(dialect)
    wants_notes = player.notes if hello is None else hello.notes
    wants_notes |= ruleset.consequence is Consequence.FORFEIT
    no_time_used = (0.0,) * ruleset.seats
    notes = b""
    asked = frozenset(asked_turns(record, seat))
    for judged in judged_turns(record, game):
        turn = judged.turn
        if turn.verdicts[seat] == "out":
            return
        is_back = str(seat) in turn.rejoined
        if is_back:
            notes = b""
            if hello is None:
                wants_notes = turn.rejoined[str(seat)].notes
        if turn.turn not in asked:
            yield b""
            continue
        status = turn.status or no_time_used
        encode = encoder.opening if is_back or not turn.turn else encoder.turn
        yield notes + encode(game, seat, status)
        if wants_notes:
            notes = b"".join(
                [
                    encoder.note(fault)
                    for fault in seat_faults(header, judged, seat)
                    if fault.code in REFUSAL_CODES
                ]
            )
