"""The story of a match: its chapters, the round that decided it, and why each bot fell behind.

It goes by scores, by the events that rules report, by faults, and by the units and orders that were
wasted. Rounds are counted as frames are: round n is the position after n turns.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, pairwise
from statistics import fmean

import attrs

from lanista.games.base import Ruleset, ending_text
from lanista.games.picture import Event, Frame, Scene, counted
from lanista.match.record import BotInfo, FaultInfo, Record, ResultInfo, TurnInfo
from lanista.match.replay import judge, played_turns, start
from lanista.page.answer_times import AnswerTime, times_told
from lanista.page.played_turn import PlayedTurn, play
from lanista.page.seat_colours import letter
from lanista.page.wasted import HALF, Effort, Efforts, Waste, longest_waste, share

MAX_CHAPTERS = 14
"""Number of chapters above which the least important ones are left out."""
MAX_EVENTS = 6
"""Number of events of the rules that become chapters."""
REMARKABLE = 3.0
"""How many times its seat's mean change of the score an event's turn must have to be a chapter."""
LEAD_LASTS = 25
"""A lead counts if it lasts for the match's length divided by this, or to the end."""
BEST_ROUNDS = 30
"""The length of the best part in rounds: twenty seconds at the page's usual speed."""
MUCH_WRITTEN = 10_000
"""Number of characters in one turn from which on a bot's writing is told beside its late turns."""
QUIET = 10
"""Number of turns in a row with empty answers from which on they are told."""
RARE = 20
"""Faults in fewer than one of so many turns are told after wasted units and orders."""
ROUNDS_TOLD = 3
"""Number of rounds with faults of a kind that are told: they may show a pattern."""
EVENTS_TOLD = 2
"""Number of events of a seat in one round that are told in full."""
AFTERWARDS = 10
"""Number of rounds after a seat lost the lead, and half of it before, in which the winner's best
event is looked for."""

_FIRST_FAULTS = {
    "late": "{} too late",
    "malformed": "{} unreadable",
    "illegal": "{} refused",
}
_THINGS = {"late": "answer", "malformed": "answer", "illegal": "order"}


@attrs.frozen
class Chapter:
    """Something that happened in a match, in words that go with the name of a seat."""

    round: int
    seat: int | None
    """The seat that it is about, which the text doesn't name; None for none."""
    text: str
    last: int | None = None
    """The last round of efforts that were wasted for many turns; None for anything else."""


@attrs.frozen(kw_only=True)
class Story:
    """The story of a match that is over."""

    chapters: tuple[Chapter, ...]
    """The chapters of the match, in order of rounds."""
    decided: int | None
    """The round in which the winner's lead grew the most; None if nobody won or it never grew."""
    best: tuple[int, int]
    """The first and the last round of the part in which the most happened."""
    losses: Mapping[int, tuple[Chapter, ...]]
    """For each seat that didn't win: what it lost by, the gravest first; and so are the seats."""


@attrs.define
class _Faults:
    first: FaultInfo
    count: int = 0
    rounds: list[int] = attrs.field(factory=list)
    """The rounds, each once."""

    def add(self, fault: FaultInfo) -> None:
        self.count += 1
        if fault.turn + 1 not in self.rounds[-1:]:
            self.rounds.append(fault.turn + 1)


@attrs.define
class LateTurns:
    """The turns in which a seat gave no answer in time."""

    times_told: Callable[[], str]
    """Tells how long the answers took that came in time."""
    first: int | None = None
    """The first of its latest such turns in a row; None if it has answered since."""
    written: dict[int, int] = attrs.field(factory=dict)
    """By turn, the number of characters of its answer and its log."""

    def told(self, bot: BotInfo | None) -> str:
        """Return how long its other answers took, and whether it wrote much in one of these turns.

        It is what follows the words of its fault; empty if there is nothing to tell. What its
        process wrote besides is in `bot`, as far as that is known.
        """
        times = self.times_told()
        if bot is not None and bot.output_turns:
            most = max(count + len(bot.written_in(turn)) for turn, count in self.written.items())
        else:
            most = max(self.written.values())
        written = f"it wrote {most} characters in one turn" if most >= MUCH_WRITTEN else ""
        return "".join(f"; {words}" for words in (times, written) if words)


@attrs.define(eq=False)
class Storyteller:
    """Takes the frames of a match in order, and tells its story when it is over."""

    scene: Scene
    limit: float = 0.0
    """The time limit of answers but the first, in seconds; 0 if there is none."""
    late: dict[int, LateTurns] = attrs.field(factory=dict, init=False)
    """By seat that was late or away in any turn."""
    _scores: list[tuple[int, ...]] = attrs.field(factory=list, init=False)
    _events: dict[int, Event] = attrs.field(factory=dict, init=False)
    """By round, what happened to the seat whose score changed most, of those with any event."""
    _breaks: list[Chapter] = attrs.field(factory=list, init=False)
    """Bots that went out, left or came back."""
    _faults: dict[tuple[int, str], _Faults] = attrs.field(factory=dict, init=False)
    """By seat and code."""
    _answers: dict[int, int] = attrs.field(factory=dict, init=False)
    """By seat, the number of its answers."""
    _empty: dict[int, list[int]] = attrs.field(factory=dict, init=False)
    """By seat, the rounds of its empty answers."""
    _efforts: Efforts = attrs.field(init=False)
    _times: dict[int, list[AnswerTime]] = attrs.field(factory=dict, init=False)
    """By seat, how long its answers took that came in time, but for the first one."""

    def __attrs_post_init__(self) -> None:
        self._efforts = Efforts(self.scene)

    def take(self, frame: Frame, scores: Sequence[int], turn: PlayedTurn | None = None) -> None:
        """Take the next frame, with the scores by seat.

        The turn is the one that led here; None at the start, and in files without turns.
        """
        number = len(self._scores)
        self._scores.append(tuple(scores))
        if number:
            changes = self._changes(number)
            seats = {event.seat for event in frame.events if event.seat is not None}
            if seats:
                seat = max(sorted(seats), key=lambda seat: abs(changes[seat]))
                texts = [event.text for event in frame.events if event.seat == seat]
                self._events[number] = Event(seat, _joined(texts))
        if turn is not None:
            self._take_turn(number, turn.info, turn.faults)
        self._efforts.take(number, frame, turn)

    def _take_turn(self, number: int, turn: TurnInfo, faults: Sequence[FaultInfo]) -> None:
        for seat, verdict in enumerate(turn.verdicts):
            if verdict in {"late", "missing"}:
                late = self.late.setdefault(seat, LateTurns(partial(self._times_told, seat)))
                late.first = turn.turn if late.first is None else late.first
                late.written[turn.turn] = turn.written(seat)
            elif verdict != "out" and seat in self.late:
                self.late[seat].first = None
            took = turn.seconds(seat)
            if turn.turn and verdict in {"answer", "malformed"} and took is not None:
                self._times.setdefault(seat, []).append(AnswerTime(number, took))
            self._answers[seat] = self._answers.get(seat, 0) + (verdict != "out")
            if verdict == "answer" and not turn.raw[seat]:
                self._empty.setdefault(seat, []).append(number)
            gone = turn.reason_gone(seat)
            if gone is not None:
                self._breaks.append(Chapter(number, seat, f"is out: {gone.words}"))
        for seat_text, words in turn.left.items():
            self._breaks.append(Chapter(number, int(seat_text), f"left: {words}"))
        self._breaks += [Chapter(number, int(seat), "came back") for seat in turn.rejoined]
        for fault in faults:
            self._faults.setdefault((fault.seat, fault.code), _Faults(fault)).add(fault)

    def _times_told(self, seat: int) -> str:
        return times_told(self._times.get(seat, ()), self.limit, self.scene.turn_word)

    def story(self, ruleset: Ruleset, result: ResultInfo | None) -> Story:
        """Return the story of the frames that were taken, at least one.

        Without a result the last scores tell who won.
        """
        last = len(self._scores) - 1
        best = _winner(result, self._scores[-1])
        seats = range(len(self._scores[-1]))
        wasted = [chapter for seat in seats for chapter in self._wasted(seat, best)]
        chapters = [*self._breaks, *self._first_faults(), *wasted, *self._leads()]
        told = {(chapter.round, chapter.seat) for chapter in chapters}
        chapters += [
            chapter for chapter in self._remarkable() if (chapter.round, chapter.seat) not in told
        ]
        chapters = chapters[: MAX_CHAPTERS - 1]
        if result is not None:
            ending = ending_text(ruleset, result.reason)
            text = "wins" if best is not None else "no single winner"
            chapters.append(Chapter(last, best, text + (f": {ending}" if ending else "")))
        return Story(
            chapters=tuple(sorted(chapters, key=lambda chapter: chapter.round)),
            decided=None if best is None else self._decided(best),
            best=self._best_part(chapters),
            losses={} if best is None else self._losses(best, result),
        )

    def _changes(self, number: int) -> list[int]:
        """Return, by seat, how its score changed in a round."""
        before, now = self._scores[number - 1 : number + 1]
        return [new - old for old, new in zip(before, now, strict=True)]

    def _usual(self, seat: int) -> float:
        """Return by how much a seat's score changed in a round on average."""
        return fmean([abs(now[seat] - old[seat]) for old, now in pairwise(self._scores)] or [0])

    def _first_faults(self) -> Iterator[Chapter]:
        """Yield the first fault of each seat of each grave kind, with the number of them."""
        for (seat, code), faults in self._faults.items():
            if code in _FIRST_FAULTS:
                yield Chapter(faults.first.turn + 1, seat, f"{_faulty(code, faults)} from here on")

    def _leads(self) -> Iterator[Chapter]:
        """Yield the rounds in which another seat took the lead and kept it for a while."""
        spans: list[tuple[int, int]] = []  # leader, first round
        for number, scores in enumerate(self._scores):
            top = max(scores)
            leaders = [seat for seat, score in enumerate(scores) if score == top]
            if len(leaders) == 1 and (not spans or spans[-1][0] != leaders[0]):
                spans.append((leaders[0], number))
        length = len(self._scores)
        lasting = [
            (leader, first)
            for (leader, first), (_, end) in pairwise([*spans, (-1, length)])
            if end == length or end - first >= max(3, length // LEAD_LASTS)
        ]
        previous = None
        for leader, first in lasting:
            if leader != previous and first > 0:
                text = f"takes the lead, {_standing(self._scores[first])}"
                event = self._events.get(first)
                if event and event.seat == leader and self._changes(first)[leader] > 0:
                    text += f": {event.text}"
                yield Chapter(first, leader, text)
            previous = leader

    def _remarkable(self) -> Iterator[Chapter]:
        """Yield the events in whose rounds a score changed much more than usual."""
        usual = [self._usual(seat) for seat in range(len(self._scores[0]))]
        found = []
        for number, event in self._events.items():
            assert event.seat is not None
            change = abs(self._changes(number)[event.seat])
            if change and change >= REMARKABLE * usual[event.seat]:
                found.append((change, -number, event))
        found.sort(key=lambda entry: entry[:2], reverse=True)
        for _, number, event in found[:MAX_EVENTS]:
            yield self._told(-number, event)

    def _told(self, number: int, event: Event) -> Chapter:
        assert event.seat is not None
        change = self._changes(number)[event.seat]
        return Chapter(number, event.seat, event.text + (f" ({change:+,})" if change else ""))

    def _decided(self, best: int) -> int | None:
        leads = [
            scores[best] - max(score for seat, score in enumerate(scores) if seat != best)
            for scores in self._scores
        ]
        growths = [now - before for before, now in pairwise(leads)]
        most = max(growths, default=0)
        return growths.index(most) + 1 if most > 0 else None

    def _best_part(self, chapters: Sequence[Chapter]) -> tuple[int, int]:
        """Return the first and the last round of the part with the most changes and chapters."""
        total = max(sum(map(abs, scores)) for scores in self._scores) or 1
        interest = [0.0] * len(self._scores)
        for number in range(1, len(self._scores)):
            interest[number] = sum(map(abs, self._changes(number))) / total
        usual = fmean(interest) or 1.0
        for chapter in chapters:
            interest[min(chapter.round, len(interest) - 1)] += 2 * usual
        sums = [0.0, *accumulate(interest)]
        length = min(BEST_ROUNDS, len(interest) - 1)
        first = max(
            range(len(interest) - length), key=lambda start: sums[start + length + 1] - sums[start]
        )
        return first, first + length

    def _losses(self, best: int, result: ResultInfo | None) -> dict[int, tuple[Chapter, ...]]:
        """Return what each seat but the winner lost by, those with the gravest reasons first."""
        reasons = {
            seat: [[*group] for group in self._reasons(seat, best, result)]
            for seat in range(len(self._scores[-1]))
            if seat != best
        }
        # Python sorts False, which is that there are some, before True.
        seats = sorted(reasons, key=lambda seat: [not group for group in reasons[seat]])
        return {seat: tuple(chain.from_iterable(reasons[seat])) for seat in seats}

    def _reasons(
        self, seat: int, best: int, result: ResultInfo | None
    ) -> Iterator[Iterable[Chapter]]:
        """Yield what a seat lost by in groups, the gravest first; the same ones for every seat."""
        breaks = [chapter for chapter in self._breaks if chapter.seat == seat]
        out = [chapter for chapter in breaks if chapter.text.startswith("is out")]
        left = [chapter for chapter in breaks if chapter.text.startswith("left")]
        yield [*out, *left[-1:]] if out else []
        rare: list[Chapter] = []
        for code in ("malformed", "late", "illegal"):
            faults = [*self._repeated(seat, code, result)]
            is_rare = self._is_rare(seat, code, result)
            yield [] if is_rare else faults
            rare += faults if is_rare else []
        yield self._wasted(seat, best)
        yield rare
        yield self._fell_behind(seat, best)
        # Most bots have some of them, so they are seldom the reason.
        yield self._repeated(seat, "ignored", result)

    def _is_rare(self, seat: int, code: str, result: ResultInfo | None) -> bool:
        """Tell whether a seat had faults of a kind in few turns, and played to the end."""
        faults = self._faults.get((seat, code))
        out = None if result is None else result.fault_out(seat)
        return (
            faults is not None and out is None and len(faults.rounds) * RARE < self._answers[seat]
        )

    def _wasted(self, seat: int, best: int | None) -> Iterator[Chapter]:
        """Yield from when on a seat gave few orders or useless ones, or moved units to and fro."""
        empty = self._empty.get(seat, [])
        quiet = _longest_run(empty)
        if len(empty) >= 2 * len(quiet) > 0:
            text = f"gives no orders in {len(empty)} of {counted(self._answers[seat], 'turn')}"
            yield Chapter(empty[0], seat, f"{text} ({self._rounds_told(empty)})", empty[-1])
        elif quiet:
            text = f"gives no orders in {counted(len(quiet), 'turn')} from here on"
            yield Chapter(quiet.start, seat, text, quiet[-1])
        units = self._waste(self._efforts.units, seat, best, besides=empty if quiet else ())
        if units is not None:
            turns = len(units.rounds)
            total, ordered = round(units.total / turns), round((units.total - units.wasted) / turns)
            few = f"for only {ordered}" if ordered else "for almost none"
            if total > 1:
                others = " and others" if total - ordered > 1 else ""
                without = f", without {units.why}{others}" if units.why else ""
                text = f"gives orders {few} of {total} units{without}, in {turns} turns"
                yield Chapter(units.rounds[0], seat, f"{text} from here on", units.rounds[-1])
        orders = self._waste(self._efforts.orders, seat, best)
        if orders is not None:
            why = f", mostly as {orders.why}" if orders.why else ""
            text = f"{orders.wasted} of {orders.total} orders have no effect{why}"
            text += f", in {len(orders.rounds)} turns from here on"
            yield Chapter(orders.rounds[0], seat, text, orders.rounds[-1])
        moves = self._waste(self._efforts.moves, seat, best)
        if moves is not None and share(moves.efforts) >= HALF:  # good bots go back, too, at times
            text = f"{moves.wasted} of {moves.total} moves lead back to where the unit came from"
            text += f", {moves.why}, in {len(moves.rounds)} turns from here on"
            yield Chapter(moves.rounds[0], seat, text, moves.rounds[-1])

    def _waste(
        self,
        efforts: Mapping[int, Sequence[Effort]],
        seat: int,
        best: int | None,
        besides: Collection[int] = (),
    ) -> Waste | None:
        """Return the longest waste of a seat, unless the winner wasted half as much or more."""
        left_out = set(besides)
        waste = longest_waste([one for one in efforts.get(seat, ()) if one.round not in left_out])
        if waste is None or best is None:
            return waste
        rounds = set(waste.rounds)
        other = [effort for effort in efforts.get(best, ()) if effort.round in rounds]
        is_usual = share(other) >= 0.5 * share(waste.efforts)
        return None if is_usual else waste

    def _repeated(self, seat: int, code: str, result: ResultInfo | None) -> Iterator[Chapter]:
        faults = self._faults.get((seat, code))
        if faults is None:
            return
        text = _faulty(code, faults)
        if code != "illegal":
            text += f", in {len(faults.rounds)} of {counted(self._answers[seat], 'turn')}"
            if len(faults.rounds) > 1:
                text += f" ({self._rounds_told(faults.rounds)})"
        text += f"; the first: {faults.first.words}"
        if code == "late":
            text += self.late[seat].told(None if result is None else result.bot(seat))
        yield Chapter(faults.first.turn + 1, seat, text)

    def _rounds_told(self, rounds: Sequence[int]) -> str:
        more = " …" if len(rounds) > ROUNDS_TOLD else ""
        return f"{self.scene.turn_word}s {', '.join(map(str, rounds[:ROUNDS_TOLD]))}{more}"

    def _fell_behind(self, seat: int, best: int) -> Iterator[Chapter]:
        gaps = [scores[best] - scores[seat] for scores in self._scores]
        winner = letter(best)
        if gaps[-1] <= 0:
            # The rules, and not the score, say who won: by what the winner did last.
            assert self._efforts.frame is not None
            done = [event.text for event in self._efforts.frame.events if event.seat == best]
            if done:
                yield Chapter(len(gaps) - 1, seat, f"lost when {winner} {done[-1]}")
            return
        ahead = [number for number, gap in enumerate(gaps) if gap < 0]
        if ahead:
            lost = ahead[-1]
            own, other = self._scores[lost][seat], self._scores[lost][best]
            text = f"was ahead of {winner} for the last time, {own:,} to {other:,}"
        else:
            lost = next(number for number, gap in enumerate(gaps) if 2 * gap >= gaps[-1])
            points = f"{gaps[lost]:,} point{'s' if gaps[lost] > 1 else ''}"
            text = f"was {points} behind {winner}, at least half of the final gap"
        yield Chapter(lost, seat, text)
        near = range(max(1, lost - AFTERWARDS // 2), min(lost + AFTERWARDS, len(gaps) - 1) + 1)
        gains = [
            (self._changes(number)[best], number)
            for number in near
            if number in self._events and self._events[number].seat == best
        ]
        gain, number = max(gains, default=(0, 0))
        if gain > self._usual(best):
            yield self._told(number, self._events[number])


def story_of(record: Record, ruleset: Ruleset) -> Story:
    """Return the story of a recorded match.

    Raises:
        MismatchError: The record contradicts the rules.
        BadRecordError: The record is invalid by any rules.
    """
    game = start(record.header, ruleset)
    storyteller = Storyteller(game.scene(), record.header.clock.time_move)
    storyteller.take(game.frame(), game.scores())
    before = None
    for turn in played_turns(record):
        played = play(record.header, game, judge(game, before, turn))
        storyteller.take(game.frame(), game.scores(), played)
        before = turn
    return storyteller.story(ruleset, record.result)


def _winner(result: ResultInfo | None, scores: Sequence[int]) -> int | None:
    if result is not None:
        best = [seat for seat, rank in enumerate(result.ranks) if rank == 1]
    else:
        best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    return best[0] if len(best) == 1 else None


def _longest_run(rounds: Sequence[int]) -> range:
    """Return the longest of the runs of `QUIET` or more rounds in a row; empty if there is none."""
    longest = range(0)
    start = 0
    for place, number in enumerate(rounds):
        if place and number != rounds[place - 1] + 1:
            start = place
        if place - start + 1 >= max(QUIET, len(longest) + 1):
            longest = range(rounds[start], number + 1)
    return longest


def _faulty(code: str, faults: _Faults) -> str:
    if code == "ignored":
        return f"{counted(faults.count, 'order')} without effect"
    return _FIRST_FAULTS[code].format(counted(faults.count, _THINGS[code]))


def _joined(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - EVENTS_TOLD} more" if len(texts) > EVENTS_TOLD else ""
    return "; ".join(texts[:EVENTS_TOLD]) + more


def _standing(scores: Sequence[int]) -> str:
    first, second = sorted(scores, reverse=True)[:2]
    return f"{first:,} to {second:,}"
