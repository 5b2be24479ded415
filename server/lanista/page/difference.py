"""The first difference between two recorded matches, such as those of two versions of a bot.

Answers are compared by what counts in the game: the verdicts and the tokens, neither their times
nor what bots logged. Up to the first difference both records hold the same match, so both answers
were given in the same position, and the ruleset can put them into words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import attrs

from lanista.games.base import Game, Ruleset, turn_word
from lanista.games.picture import counted
from lanista.match.record import Header, Record, TurnInfo
from lanista.match.replay import (
    JudgedTurn,
    judge,
    played_turns,
    positions,
    read_with_rules,
    seat_faults,
    start,
)
from lanista.page.answer_words import SUBMOVES_SHOWN, decoded
from lanista.page.position_words import LINES, differing, position_words
from lanista_protocol import MalformedLineError, shown, tokenize

RAW_SHOWN = 200
"""Maximum length of an answer as it was sent, in characters."""
UNSEEN = "they look the same; what viewers can't see differs, such as the random numbers to come"


@attrs.frozen(kw_only=True)
class SeatAnswer:
    """What became of a seat's turn in one of the records."""

    verdict: str
    raw: str | None
    """The answer as it was sent, quoted and cut; None if there was none."""
    submoves: tuple[str, ...]
    """Submoves in words that the other record's answer doesn't have; empty if there are none or
    the ruleset can't say it."""
    faults: tuple[str, ...]
    """What was wrong with the answer, or why the seat is out since this turn."""


@attrs.frozen(kw_only=True)
class SeatDifference:
    """A seat that answered differently in the two records."""

    seat: int
    a: SeatAnswer
    b: SeatAnswer
    note: str | None = None
    """What the submoves alone don't show, such as that only their order differs."""


@attrs.frozen(kw_only=True)
class Difference:
    """The first difference between records A and B; empty parts don't differ."""

    start: tuple[str, ...] = ()
    """How the matches begin differently, one line for each thing."""
    is_comparable: bool = True
    """Whether they begin in the same position, so that their turns can be compared."""
    turn: int | None = None
    """The first turn in which a seat answered differently; None if there is none."""
    seats: tuple[SeatDifference, ...] = ()
    """The seats that answered differently in that turn."""
    position_turn: int | None = None
    """The number of turns after which the positions first differ; None if they never do."""
    position: tuple[str, ...] = ()
    """How they differ there, one line for each thing."""
    turns: tuple[int, int] = (0, 0)
    """The number of turns that were carried out in A and in B."""
    end: tuple[str, ...] = ()
    """How A and B end differently, although no answer differs in the turns that both have."""

    @property
    def found(self) -> bool:
        """Whether the matches differ; other names or time limits alone are no difference."""
        return not self.is_comparable or self.turn is not None or bool(self.end)


def first_difference(a: Record, b: Record, ruleset: Ruleset) -> Difference:
    """Find the first difference between two records.

    Args:
        a: The first record.
        b: The second record.
        ruleset: The rules of the game of `a`.

    Raises:
        MismatchError: A record contradicts the rules.
        BadRecordError: A record is of another version of the game, or its board is invalid.
    """
    blocking, others = _start(a.header, b.header)
    begin = (*blocking, *others)
    turns = played_turns(a), played_turns(b)
    counts = (len(turns[0]), len(turns[1]))
    if not blocking and start(a.header, ruleset).digest() != start(b.header, ruleset).digest():
        # Making a board uses up random numbers, which a match with the board given still has.
        blocking = ["the random numbers"]
    if blocking:
        return Difference(start=begin, is_comparable=False, turns=counts)
    both = list(zip(*turns, strict=False))
    at = next((turn for turn, pair in enumerate(both) if list(_differing(*pair))), None)
    apart = next((turn for turn, pair in enumerate(both) if pair[0].digest != pair[1].digest), None)
    if at is None:
        # The same answers lead to the same position. If a record says otherwise, one is wrong;
        # playing both again finds out which.
        if apart is not None:
            _games(a, b, ruleset, apart + 1)
        return Difference(
            start=begin, turns=counts, end=tuple(_end(a, b, counts, turn_word(ruleset)))
        )
    game = _game(a, ruleset, at)
    before = both[at - 1] if at else (None, None)
    judged = [judge(game, *pair) for pair in zip(before, both[at], strict=True)]
    seats = tuple(_seats(a.header, b.header, game, *judged))
    words: tuple[str, ...] = ()
    if apart is not None:
        words = position_words(*_games(a, b, ruleset, apart + 1)) or (UNSEEN,)
    return Difference(
        start=begin,
        turn=at,
        seats=seats,
        position_turn=None if apart is None else apart + 1,
        position=words,
        turns=counts,
    )


def json_of(difference: Difference) -> dict[str, Any]:
    """Return a difference as JSON (docs/cli.md, `replay diff --json`)."""
    return {"differs": difference.found, **attrs.asdict(difference)}


def json_of_files(a: Path, b: Path) -> dict[str, Any]:
    """Return the first difference between the records in two files, as JSON.

    Raises:
        LanistaError: One isn't a record, or contradicts the rules.
        OSError: One can't be read.
    """
    (one, ruleset), (other, _) = read_with_rules(a), read_with_rules(b)
    return json_of(first_difference(one, other, ruleset))


# -- how they begin -------------------------------------------------------------------------------


def _start(a: Header, b: Header) -> tuple[list[str], list[str]]:
    """Return what prevents a comparison of turns, and what else differs at the start."""
    if a.game != b.game:
        return differing("the games differ", a.game, b.game), []
    versions = shown(a.game_version), shown(b.game_version)
    blocking = differing(f"the versions of {a.game} differ", *versions)
    for name in sorted(a.settings.keys() | b.settings.keys()):
        values = [settings.get(name, "not given") for settings in (a.settings, b.settings)]
        blocking += differing(f"setting {shown(name)}", *values)
    blocking += differing("the seeds differ", a.seed, b.seed)
    if a.board != b.board:
        lines = zip_longest(a.board.splitlines(), b.board.splitlines())
        line = next(number for number, pair in enumerate(lines, 1) if pair[0] != pair[1])
        blocking.append(f"the maps differ, first in line {line} of the map's file")
    others = []
    if not blocking and a.generated != b.generated:
        made = ["made from the seed" if header.generated else "given" for header in (a, b)]
        others.append(f"the map is the same, but {made[0]} in A, {made[1]} in B")
    for seat, players in enumerate(zip_longest(a.players, b.players)):
        names = ["nobody" if player is None else shown(player.name) for player in players]
        if names[0] != names[1]:
            others.append(f"seat {seat} is {names[0]} in A, {names[1]} in B")
    for what, *limits in (
        ("time for the first answer", a.clock.time_init, b.clock.time_init),
        ("time for every other answer", a.clock.time_move, b.clock.time_move),
        ("time added for round trips", a.clock.lag_allowance, b.clock.lag_allowance),
    ):
        others += differing(what, *(f"{limit:g} s" if limit else "none" for limit in limits))
    late_limits = a.clock.late_limit, b.clock.late_limit
    others += differing("late turns in a row that put a bot out", *late_limits)
    return blocking, others


# -- answers --------------------------------------------------------------------------------------


def _differing(a: TurnInfo, b: TurnInfo) -> Iterator[int]:
    """Yield the seats whose turns differ in what counts in the game."""
    for seat in range(len(a.verdicts)):
        if not _is_same(a, b, seat):
            yield seat


def _is_same(a: TurnInfo, b: TurnInfo, seat: int) -> bool:
    gone = [reason and reason.code for reason in (a.reason_gone(seat), b.reason_gone(seat))]
    if a.verdicts[seat] != b.verdicts[seat] or gone[0] != gone[1]:
        return False
    if a.verdicts[seat] == "late":
        return True  # such an answer has no effect, and may not even have arrived in one match
    if a.raw[seat] == b.raw[seat]:
        return _whole(a, seat) == _whole(b, seat)
    return a.verdicts[seat] == "answer" and _tokens(a.raw[seat]) == _tokens(b.raw[seat])


def _whole(turn: TurnInfo, seat: int) -> object:
    """Return size and hash of an answer of which the record has only the beginning."""
    return turn.shortened.get(str(seat))


def _tokens(raw: str | None) -> object:
    try:
        return tokenize(raw or "")
    except MalformedLineError:
        return raw  # the replay will refuse the record


def _seats(
    a: Header, b: Header, game: Game, one: JudgedTurn, other: JudgedTurn
) -> Iterator[SeatDifference]:
    words = decoded(game, one), decoded(game, other)
    for seat in _differing(one.turn, other.turn):
        orders = [
            None
            if of_turn is None or (of_seat := of_turn[seat]) is None
            else [submove.text for submove in of_seat]
            for of_turn in words
        ]
        note = None
        only: list[tuple[str, ...]] = [(), ()]
        if orders[0] is not None and orders[1] is not None:
            only = [_only_in(orders[0], orders[1]), _only_in(orders[1], orders[0])]
            if not any(only):
                is_cut = max(map(len, (orders[0], orders[1]))) >= SUBMOVES_SHOWN
                note = (
                    f"the first {SUBMOVES_SHOWN} submoves are the same, later ones differ"
                    if is_cut and orders[0] == orders[1]
                    else "the same submoves in another order"
                )
        else:
            only = [tuple(of_turn or ()) for of_turn in orders]
        yield SeatDifference(
            seat=seat,
            a=_answer(a, game, one, seat, only[0]),
            b=_answer(b, game, other, seat, only[1]),
            note=note,
        )


def _only_in(submoves: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the submoves that the others don't have, in their order."""
    left, only = Counter(others), []
    for submove in submoves:
        if left[submove]:
            left[submove] -= 1
        else:
            only.append(submove)
    return tuple(only)


def _answer(
    header: Header, game: Game, judged: JudgedTurn, seat: int, submoves: tuple[str, ...]
) -> SeatAnswer:
    turn = judged.turn
    raw = turn.raw[seat]
    faults = seat_faults(header, game, judged, seat)
    return SeatAnswer(
        verdict=turn.verdicts[seat],
        raw=None if raw is None else shown(raw, RAW_SHOWN),
        submoves=submoves,
        faults=tuple(
            ("" if fault.index is None else f"submove {fault.index}: ")
            + f"{fault.code}: {fault.words}"
            for fault in faults[:LINES]
        ),
    )


# -- positions and ends ---------------------------------------------------------------------------


def _game(record: Record, ruleset: Ruleset, turns: int) -> Game:
    """Return the game of a record after so many turns, which it has."""
    *_, game = islice(positions(record, ruleset), turns + 1)
    return game


def _games(a: Record, b: Record, ruleset: Ruleset, turns: int) -> tuple[Game, Game]:
    return _game(a, ruleset, turns), _game(b, ruleset, turns)


def _end(a: Record, b: Record, counts: tuple[int, int], word: str) -> Iterator[str]:
    """Yield how each of the records ends, if they end differently.

    Args:
        a: The first record.
        b: The second record.
        counts: The number of turns of each.
        word: The game's word for a turn.
    """
    results = [
        result and (result.end, result.reason, result.ranks, result.scores)
        for result in (a.result, b.result)
    ]
    if counts[0] == counts[1] and results[0] == results[1]:
        return
    for name, record, count in zip("AB", (a, b), counts, strict=True):
        result = record.result
        played = counted(count, word)
        if result is None:
            yield f"{name} was cut off after {played}: it has no result"
        else:
            scores = ", ".join(map(str, result.scores))
            yield (
                f"{name} ended after {played}: {shown(result.end)} ({shown(result.reason)}), "
                f"scores {scores}"
            )
