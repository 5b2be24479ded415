"""Plays a recorded match again from its verdicts and raw answers, and compares every digest.

Obeys the record's verdicts, never its times. No socket and no clock.
"""

from collections.abc import Iterator

from lanista.match.record import BadRecordError, Record, TurnInfo
from lanista.rules.base import (
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
from lanista_protocol import MalformedLineError, tokenize


class MismatchError(Exception):
    """The record says something else than the rules."""


def start(record: Record, ruleset: Ruleset) -> Game:
    """The recorded match's game before its first turn.

    Raises:
        BadRecordError: Its settings or board are none of this ruleset, or of another version.
    """
    header = record.header
    if header.game_version != ruleset.version:
        raise BadRecordError(
            f"the record is of {header.game} version {header.game_version}; "
            f"installed is version {ruleset.version}"
        )
    if len(header.players) != ruleset.seats:
        raise BadRecordError(
            f"the record has {len(header.players)} players; {header.game} is for {ruleset.seats}"
        )
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
    return ruleset.new(settings, board, chance)


def positions(record: Record, ruleset: Ruleset) -> Iterator[Game]:
    """The game before the first turn and after every one: one object that changes.

    Raises:
        MismatchError: A digest differs, or the rules end the match elsewhere than the record.
        BadRecordError: As `start`.
    """
    game = start(record, ruleset)
    yield game
    for turn in record.turns:
        if game.outcome() is not None:
            raise MismatchError(
                f"turn {turn.turn}: by the rules the match was over after turn {turn.turn - 1}"
            )
        if _is_void_here(record, turn):
            return
        game.advance([_verdict(game, turn, seat) for seat in range(ruleset.seats)])
        digest = game.digest()
        if digest != turn.digest:
            raise MismatchError(
                f"turn {turn.turn}: digest {digest} by the rules, {turn.digest} in the record"
            )
        yield game


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
    outcome, result = game.outcome(), record.result
    if result is None:
        return len(record.turns)
    if outcome is not None and not result.agrees_with(outcome):
        raise MismatchError(
            f"the result is {outcome.termination.value} ({outcome.reason}), ranks {outcome.ranks}, "
            f"scores {outcome.scores} by the rules; {result.end} ({result.reason}), "
            f"ranks {result.ranks}, scores {result.scores} in the record"
        )
    if outcome is None and result.end == "finished":
        raise MismatchError("by the rules the match isn't over; in the record it is finished")
    if result.turns != len(record.turns):
        raise MismatchError(
            f"the record has {len(record.turns)} turns; its result says {result.turns}"
        )
    return len(record.turns)


def _is_void_here(record: Record, turn: TurnInfo) -> bool:
    """Whether this turn was written but not carried out: the one that made a match void."""
    result = record.result
    return result is not None and result.end == "void" and turn is record.turns[-1]


def _verdict(game: Game, turn: TurnInfo, seat: int) -> Verdict:
    word, raw = turn.verdicts[seat], turn.raw[seat]
    match word:
        case "late":
            return Late()
        case "missing":
            return Missing()
        case "out":
            return Out()
        case "malformed":
            return Malformed(Refusal(RefusalCode.MALFORMED, "as recorded"))
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
