"""The first difference between two recorded matches, such as those of two versions of a bot.

Answers are compared by what counts in the game: the verdicts and the tokens, neither their times
nor what bots logged. Up to the first difference both records hold the same match, so both answers
were given in the same position, and the ruleset can put them into words.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import attrs

from lanista.games.base import Game, Ruleset, turn_word
from lanista.games.picture import Event, Frame, Mark, Place, Scene, counted
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
from lanista.page.played_turn import SUBMOVES_SHOWN, decoded, place_words
from lanista_protocol import MalformedLineError, shown, tokenize

LINES = 20
"""Maximum number of lines about units, about cells and about events; a line says how many more."""
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
    """Find the first difference between two records, by the rules of the game of `a`.

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
            for record in (a, b):
                _game(record, ruleset, apart + 1)
        return Difference(
            start=begin, turns=counts, end=tuple(_end(a, b, counts, turn_word(ruleset)))
        )
    game = _game(a, ruleset, at)
    before = both[at - 1] if at else (None, None)
    judged = [judge(game, *pair) for pair in zip(before, both[at], strict=True)]
    seats = tuple(_seats(a.header, b.header, game, *judged))
    words: tuple[str, ...] = ()
    if apart is not None:
        games = [_game(record, ruleset, apart + 1) for record in (a, b)]
        words = _position_words(*games) or (UNSEEN,)
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
        return _differing_line("the games differ", a.game, b.game), []
    versions = shown(a.game_version), shown(b.game_version)
    blocking = _differing_line(f"the versions of {a.game} differ", *versions)
    for name in sorted(a.settings.keys() | b.settings.keys()):
        values = [settings.get(name, "not given") for settings in (a.settings, b.settings)]
        blocking += _differing_line(f"setting {shown(name)}", *values)
    blocking += _differing_line("the seeds differ", a.seed, b.seed)
    if a.board != b.board:
        lines = zip_longest(a.board.splitlines(keepends=True), b.board.splitlines(keepends=True))
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
        others += _differing_line(what, *(f"{limit:g} s" if limit else "none" for limit in limits))
    late_limits = a.clock.late_limit, b.clock.late_limit
    others += _differing_line("late turns in a row that put a bot out", *late_limits)
    return blocking, others


# -- answers --------------------------------------------------------------------------------------


def _differing(a: TurnInfo, b: TurnInfo) -> Iterator[int]:
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
            a=_answer(a, one, seat, only[0]),
            b=_answer(b, other, seat, only[1]),
            note=note,
        )


def _only_in(submoves: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    left, only = Counter(others), []
    for submove in submoves:
        if left[submove]:
            left[submove] -= 1
        else:
            only.append(submove)
    return tuple(only)


def _answer(header: Header, judged: JudgedTurn, seat: int, submoves: tuple[str, ...]) -> SeatAnswer:
    turn = judged.turn
    raw = turn.raw[seat]
    faults = seat_faults(header, judged, seat)
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
    *_, game = islice(positions(record, ruleset), turns + 1)
    return game


def _end(a: Record, b: Record, counts: tuple[int, int], word: str) -> Iterator[str]:
    """Yield how each of the records ends, if they end differently."""
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


# -- how positions differ: what viewers draw of them, in plain English -----------------------------


def _position_words(a: Game, b: Game) -> tuple[str, ...]:
    """Return how the positions of two games on one board differ, one line for each thing."""
    scene, one, other = a.scene(), a.frame(), b.frame()
    lines = list(_over(a, b))
    lines += _values("score", a.scores(), b.scores())
    for column, title in enumerate(scene.stats):
        values = [[stats[column] for stats in frame.stats] for frame in (one, other)]
        if values != [list(a.scores()), list(b.scores())]:
            lines += _values(title, *values)
    lines += _bounded(_units(scene, one, other), "units and cells")
    lines += _bounded(_owners(scene, one.owned, other.owned), "cells")
    lines += _bounded(_events(one.events, other.events), "events")
    return tuple(lines)


def _differing_line(what: str, a: object, b: object) -> list[str]:
    return [] if a == b else [f"{what}: {a} in A, {b} in B"]


def _over(a: Game, b: Game) -> Iterator[str]:
    ends = [game.outcome() for game in (a, b)]
    if ends[0] != ends[1]:
        words = [
            "goes on" if end is None else f"is over: {end.termination.value} ({end.reason})"
            for end in ends
        ]
        yield f"the match {words[0]} in A, {words[1]} in B"


def _values(title: str, a: Sequence[object], b: Sequence[object]) -> Iterator[str]:
    for seat, values in enumerate(zip(a, b, strict=True)):
        yield from _differing_line(f"{title} of seat {seat}", *values)


def _bounded(lines: Iterable[str], things: str) -> Iterator[str]:
    """Yield the first lines, and how many more things differ."""
    rest = iter(lines)
    yield from islice(rest, LINES)
    more = sum(1 for _ in rest)
    if more:
        yield f"… and {more} more differing {things}"


def _units(scene: Scene, a: Frame, b: Frame) -> Iterator[str]:
    """Yield what differs in marks: by the number of their unit, and by cell for all others."""
    numbered = [
        {mark.unit: mark for mark in frame.marks if mark.unit is not None} for frame in (a, b)
    ]
    for unit in sorted(numbered[0].keys() | numbered[1].keys()):
        marks = [of_frame.get(unit) for of_frame in numbered]
        if marks[0] != marks[1]:
            name = next(_name(mark) for mark in marks if mark is not None)
            where = ["not there" if mark is None else _state(scene, mark) for mark in marks]
            yield f"{name}: {where[0]} in A; {where[1]} in B"
    standing = [_by_cell(frame.marks) for frame in (a, b)]
    for place in sorted(standing[0].keys() | standing[1].keys()):
        counts = [of_frame.get(place, Counter()) for of_frame in standing]
        if counts[0] != counts[1]:
            what = [" and ".join(sorted(of_cell.elements())) or "nothing" for of_cell in counts]
            yield f"{place_words(scene, place)}: {what[0]} in A; {what[1]} in B"


def _by_cell(marks: Iterable[Mark]) -> Mapping[Place, Counter[str]]:
    cells: dict[Place, Counter[str]] = {}
    for mark in marks:
        if mark.unit is None:
            owner = "" if mark.seat is None else f" of seat {mark.seat}"
            words = f"{_name(mark)}{owner}" + "".join(f" ({line})" for line in mark.details[1:])
            cells.setdefault((mark.row, mark.col), Counter())[words] += 1
    return cells


def _name(mark: Mark) -> str:
    return mark.details[0] if mark.details else mark.text


def _state(scene: Scene, mark: Mark) -> str:
    """Return where a numbered unit is, whose it is, and what else a viewer says of it."""
    owner = [] if mark.seat is None else [f"of seat {mark.seat}"]
    return ", ".join([f"at {place_words(scene, (mark.row, mark.col))}", *owner, *mark.details[1:]])


def _owners(scene: Scene, a: Mapping[Place, int], b: Mapping[Place, int]) -> Iterator[str]:
    for place in sorted(a.keys() | b.keys()):
        if a.get(place) != b.get(place):
            seats = [
                "nobody" if seat is None else f"seat {seat}"
                for seat in (a.get(place), b.get(place))
            ]
            yield f"{place_words(scene, place)} belongs to {seats[0]} in A, to {seats[1]} in B"


def _events(a: Sequence[Event], b: Sequence[Event]) -> Iterator[str]:
    """Yield what happened in only one of the turns that led to the positions."""
    for name, events, others in (("A", a, b), ("B", b, a)):
        for event in events:
            if event not in others:
                seat = "" if event.seat is None else f"seat {event.seat} "
                yield f"only in {name}: {seat}{event.text}"
