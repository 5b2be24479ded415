"""The story of a match: chapters, the deciding round, and what each loser lost by."""

import attrs
from hypothesis import given
from hypothesis import strategies as st

from lanista.games import registry
from lanista.games.base import ending_text
from lanista.games.picture import Event, Frame
from lanista.match.record import FaultInfo, ResultInfo, TurnInfo
from lanista.page.story import BEST_ROUNDS, MAX_CHAPTERS, Storyteller

ANGRYMOB = registry.get("angrymob")


def frame(turn, *events):
    return Frame(turn=turn, marks=(), captions=(), events=events)


def turn(number, verdicts, **more):
    seats = range(len(verdicts))
    return TurnInfo(
        turn=number,
        verdicts=verdicts,
        raw=tuple("" for _ in seats),
        times=tuple(None for _ in seats),
        digest="",
        **more,
    )


def result(ranks, scores, reason="move-limit"):
    return ResultInfo(end="finished", reason=reason, ranks=ranks, scores=scores, turns=0, digest="")


def told(chapters):
    return [(chapter.round, chapter.seat, chapter.text) for chapter in chapters]


def story_by_scores(*scores, events=None, ranks=None):
    storyteller = Storyteller()
    for number, of_round in enumerate(scores):
        storyteller.take(frame(number, *(events or {}).get(number, ())), of_round)
    whole = None if ranks is None else result(ranks, scores[-1])
    return storyteller.story(ANGRYMOB, whole)


def test_who_takes_the_lead_and_keeps_it_for_a_while():
    """A lead of one round is no chapter; the loser learns when it was ahead for the last time."""
    lead = [(0, 0), *[(5, 3)] * 5, (5, 6), *[(7, 6)] * 5, *[(7, 10)] * 5]
    story = story_by_scores(*lead, ranks=(2, 1))
    takes = [(n, seat) for n, seat, text in told(story.chapters) if "takes the lead" in text]
    assert [(1, 0), (12, 1)] == takes
    assert (11, 0, "was ahead of B for the last time, 7 to 6") == told(story.losses[0])[0]
    assert 12 == story.decided
    assert (16, 1, f"wins: {ending_text(ANGRYMOB, 'move-limit')}") == told(story.chapters)[-1]


def test_who_gives_no_orders_for_long_is_told_from_where_on():
    """The longest of such spans; nothing was refused or late, so no fault tells it."""
    storyteller = Storyteller()
    storyteller.take(frame(0), (0, 0))
    for number in range(1, 41):
        orders = "" if number in range(5, 15) or number >= 20 else "1 U"
        answers = attrs.evolve(turn(number - 1, ("answer", "answer")), raw=(orders, "1 U"))
        storyteller.take(frame(number), (0, number), answers)
    story = storyteller.story(ANGRYMOB, result((2, 1), (0, 40)))
    quiet = (20, 0, "gives no orders in 21 turns from here on")
    assert quiet in told(story.chapters)
    assert quiet == told(story.losses[0])[0]


def test_who_was_never_ahead_learns_when_half_of_the_gap_was_there():
    story = story_by_scores((0, 0), (2, 0), (4, 0), (6, 0), (8, 0), ranks=(1, 2))
    assert (2, 1, "was 4 points behind A, half of the final gap") == told(story.losses[1])[0]


def test_events_are_told_where_a_score_changed_much_more_than_usual():
    """With the change; two of a seat's events in full, the others as a number."""
    scores = [(number, 0) for number in range(20)]
    scores[10:] = [(number + 50, 0) for number in range(10, 20)]
    events = {
        5: [Event(0, "nothing much")],
        10: [Event(1, "fell"), *(Event(0, f"took {n}") for n in range(4))],
    }
    story = story_by_scores(*scores, events=events)
    texts = [text for _, _, text in told(story.chapters)]
    assert "took 0; took 1 and 2 more (+51)" in texts
    assert not any("nothing much" in text for text in texts)


def test_faults_and_failures():
    """Each kind once, with its number; for the loser with the share of its turns, gravest first."""
    storyteller = Storyteller()
    storyteller.take(frame(0), (1, 1))

    def fault(number, code, words):
        return FaultInfo(turn=number, seat=1, code=code, index=None, words=words)

    late = fault(0, "late", "no answer within 0.2 s")
    illegal = [fault(1, "illegal", "no unit there")] * 2
    gone = fault(2, "disconnected", "its process exited")
    storyteller.take(frame(1), (2, 1), turn(0, ("answer", "late")), [late])
    storyteller.take(frame(2), (3, 1), turn(1, ("answer", "answer")), illegal)
    storyteller.take(frame(3), (4, 1), turn(2, ("answer", "missing"), faults=(gone,)), [gone])
    storyteller.take(frame(4), (5, 1), turn(3, ("answer", "out")))
    story = storyteller.story(ANGRYMOB, result((1, 2), (5, 1)))
    chapters = told(story.chapters)
    assert (1, 1, "1 answer too late from here on") in chapters
    assert (2, 1, "2 orders refused from here on") in chapters
    assert (3, 1, "is out: its process exited") in chapters
    assert [
        (3, 1, "is out: its process exited"),
        (1, 1, "1 answer too late, in 1 of 3 turns; the first: no answer within 0.2 s"),
        (2, 1, "2 orders refused; the first: no unit there"),
    ] == told(story.losses[1])[:3]


@given(
    st.lists(st.lists(st.integers(0, 50), min_size=4, max_size=4), min_size=1, max_size=90),
    st.lists(st.tuples(st.integers(0, 89), st.integers(0, 3)), max_size=100),
    st.none() | st.lists(st.integers(1, 4), min_size=4, max_size=4),
)
def test_any_match_has_a_story_within_its_bounds(scores, happened, ranks):
    events = {}
    for number, seat in happened:
        events.setdefault(number, []).append(Event(seat, "did something"))
    ranks = None if ranks is None else tuple(ranks)
    story = story_by_scores(*map(tuple, scores), events=events, ranks=ranks)
    last = len(scores) - 1
    rounds = [chapter.round for chapter in story.chapters]
    assert sorted(rounds) == rounds
    assert len(rounds) <= MAX_CHAPTERS
    first, end = story.best
    assert min(BEST_ROUNDS, last) == end - first
    every = [*story.chapters, *(chapter for told in story.losses.values() for chapter in told)]
    assert all(0 <= number <= last for number in (first, end, *(c.round for c in every)))
