"""The story of a match: chapters, the deciding round, and what each loser lost by."""

from itertools import zip_longest

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.games import registry
from lanista.games.base import Submove, ending_text
from lanista.games.picture import Event, Frame, Mark, Scene
from lanista.match.record import FaultInfo, ResultInfo, TurnInfo
from lanista.page.played_turn import PlayedTurn
from lanista.page.story import BEST_ROUNDS, MAX_CHAPTERS, Storyteller

ANGRYMOB = registry.get("angrymob")


def frame(turn, *events):
    return Frame(turn=turn, marks=(), captions=(), events=events)


def turn(number, verdicts, faults=(), *, answers=None, **more):
    """A turn with these verdicts and faults; `more` is what else its record has."""
    empty = {
        "raw": tuple("" for _ in verdicts),
        "times": tuple(None for _ in verdicts),
        "faults": tuple(fault for fault in faults if fault.code == "disconnected"),
    }
    info = TurnInfo(turn=number, verdicts=verdicts, digest="", **(empty | more))
    return PlayedTurn(info, faults, answers)


def result(ranks, scores, reason="move-limit"):
    return ResultInfo(end="finished", reason=reason, ranks=ranks, scores=scores, turns=0, digest="")


def told(chapters):
    return [(chapter.round, chapter.seat, chapter.text) for chapter in chapters]


SCENE = Scene(rows=1, cols=100, ground=(), owners={})


def story_by_scores(*scores, turns=(), events=None, ranks=None, scene=SCENE, limit=0.0):
    """The story of a match with these scores round by round, to which these turns led."""
    storyteller = Storyteller(scene, limit)
    for number, (of_round, led_here) in enumerate(zip_longest(scores, [None, *turns])):
        storyteller.take(frame(number, *(events or {}).get(number, ())), of_round, led_here)
    whole = None if ranks is None else result(ranks, scores[-1])
    return storyteller.story(ANGRYMOB, whole)


def test_who_takes_the_lead_and_keeps_it_for_a_while():
    """A lead of one round is no chapter; the loser learns when it was ahead for the last time."""
    lead = [(0, 0), *[(5, 3)] * 5, (5, 6), *[(7000, 6)] * 5, *[(7000, 9000)] * 5]
    story = story_by_scores(*lead, ranks=(2, 1))
    takes = [(n, seat) for n, seat, text in told(story.chapters) if "takes the lead" in text]
    assert [(1, 0), (12, 1)] == takes
    assert (11, 0, "was ahead of B for the last time, 7,000 to 6") == told(story.losses[0])[0]
    assert 12 == story.decided
    assert (16, 1, f"wins: {ending_text(ANGRYMOB, 'move-limit')}") == told(story.chapters)[-1]


@pytest.mark.parametrize(
    ("empty", "told_of_it"),
    [
        ({*range(5, 15), *range(20, 41)}, "gives no orders in 21 turns from here on"),
        (
            {*range(1, 13), 16, *range(20, 31)},
            "gives no orders in 24 of 40 turns (rounds 1, 2, 3 …)",
        ),
    ],
)
def test_who_gives_no_orders_for_long_is_told_from_where_on(empty, told_of_it):
    """The longest of such spans, and others if they are as many; no fault tells it."""
    turns = [
        turn(number, ("answer",) * 2, raw=("" if number + 1 in empty else "1 U", "1 U"))
        for number in range(40)
    ]
    scores = [(0, number) for number in range(41)]
    scene = attrs.evolve(SCENE, turn_word="round")
    story = story_by_scores(*scores, turns=turns, ranks=(2, 1), scene=scene)
    (quiet,) = [chapter for chapter in told(story.chapters) if "no orders" in chapter[2]]
    assert told_of_it == quiet[2]
    assert quiet == told(story.losses[0])[0]


UNITS = tuple(Mark(0, unit, unit // 10, f"w{unit}", unit=unit) for unit in range(20))
"""Ten of each of two seats."""


def story_by_orders(of_round, *, idle=None, late=()):
    """The story of a match of 60 rounds in which seat 1 wins and gives all its units orders.

    `of_round`: how many units seat 0 gives orders in a round; `idle` those without effect, by unit.
    Seat 0 is late in the turns of `late`.
    """
    storyteller = Storyteller(SCENE)
    storyteller.take(attrs.evolve(frame(0), marks=UNITS), (0, 0))
    for number in range(1, 61):
        ordered = range(of_round(number)), range(10, 20)
        answers = [[Submove("moves", unit) for unit in units] for units in ordered]
        raw = tuple(" ".join(map(str, units)) for units in ordered)
        verdicts, faults = ("answer", "answer"), []
        if number - 1 in late:
            answers[0] = None
            verdicts, raw = ("late", "answer"), (None, raw[1])
            words = "no answer within 0.2 s"
            faults = [FaultInfo(turn=number - 1, seat=0, code="late", index=None, words=words)]
        played = turn(number - 1, verdicts, faults, answers=answers, raw=raw)
        shown = attrs.evolve(frame(number), marks=UNITS, idle=idle(number) if idle else {})
        storyteller.take(shown, (0, 9 * number), played)
    return storyteller.story(ANGRYMOB, result((2, 1), (0, 540)))


def test_who_gives_orders_for_few_units_is_told_from_where_on():
    """It is a chapter, and stands before the round in which the seat fell behind."""
    story = story_by_orders(lambda number: 10 if number < 31 else 3)
    assert [60, None] == [chapter.last for chapter in story.losses[0][:2]]
    few = (
        31,
        0,
        "gives orders for only 3 of 10 units, without w3 and others, in 30 turns from here on",
    )
    assert few in told(story.chapters)
    assert few == told(story.losses[0])[0]
    assert "behind" in told(story.losses[0])[1][2]


def test_orders_without_effect_are_told_with_the_reason():
    """From the round on in which they become many; those of other seats' units count for these."""
    wall = dict.fromkeys(range(8), "a wall is there")

    def idle(number):
        return wall if number > 40 else {0: "it was dead by then", 19: "a wall is there"}

    story = story_by_orders(lambda _: 10, idle=idle)
    text = "160 of 200 orders have no effect, mostly as a wall is there, in 20 turns from here on"
    assert (41, 0, text) in told(story.chapters)
    assert (41, 0, text) == told(story.losses[0])[0]


def test_who_goes_to_and_fro_is_told_from_where_on():
    """If half of its moves lead back, but not for one move in three."""

    def story(periods):
        storyteller = Storyteller(SCENE)
        orders = [[Submove("moves", unit) for unit in of_seat] for of_seat in (range(10), ())]
        for number in range(61):
            marks = tuple(
                Mark(
                    unit, number if number < 20 else 20 + number % period, 0, f"w{unit}", unit=unit
                )
                for unit, period in enumerate(periods)
            )
            played = turn(number - 1, ("answer",) * 2, answers=orders, raw=("moves",) * 2)
            led_here = played if number else None
            storyteller.take(attrs.evolve(frame(number), marks=marks), (0, number), led_here)
        return storyteller.story(ANGRYMOB, result((2, 1), (0, 60)))

    text = (
        "390 of 390 moves lead back to where the unit came from, such as w0 between (0, 20) and "
        "(0, 21), in 39 turns from here on"
    )
    assert (22, 0, text) == told(story([2] * 10).losses[0])[0]
    some = story([2] * 3 + [5] * 7).losses[0]
    assert not any("lead back" in chapter.text for chapter in some)


def test_what_the_winner_wastes_as_well_is_no_reason():
    """Nor is it a chapter, and so isn't what the winner alone wastes."""
    for units in ([*range(5), *range(10, 14)], range(10, 20)):
        idle = dict.fromkeys(units, "a wall is there")
        story = story_by_orders(lambda _: 10, idle=lambda _, idle=idle: idle)
        chapters = *story.chapters, *story.losses[0]
        assert not any("no effect" in chapter.text for chapter in chapters)


@pytest.mark.parametrize(("late", "first"), [(2, "gives orders"), (4, "4 answers too late")])
def test_a_few_faults_are_told_after_what_goes_on_for_long(late, first):
    """A bot that gave orders for few units of 60 turns didn't lose by 2 late ones; by 4 it may."""
    story = story_by_orders(lambda _: 1, late=range(0, 10 * late, 10))
    assert story.losses[0][0].text.startswith(first)


def test_a_late_seat_is_told_how_long_its_other_answers_took():
    """Seat 1 is late from round 13 on; its first answer had another limit, and isn't counted."""
    late = FaultInfo(turn=12, seat=1, code="late", index=None, words="no answer within 0.2 s")
    turns = [
        turn(number, ("answer", "answer"), times=((0,), (0, 0, took, took)))
        for number, took in enumerate([5_000_000, *[20_000] * 6, *[150_000] * 5])
    ]
    turns.append(turn(12, ("answer", "late"), [late], times=((0,), (0,))))
    scores = [(number, 0) for number in range(14)]
    scene = attrs.evolve(SCENE, turn_word="move")
    story = story_by_scores(*scores, turns=turns, ranks=(1, 2), scene=scene, limit=0.2)
    words = "no answer within 0.2 s; its answers took 20 ms, from move 8 on 150 ms"
    assert f"1 answer too late, in 1 of 13 turns; the first: {words}" == story.losses[1][0].text


def test_the_gravest_losses_come_first():
    """Seats that were put out come first, then refused ones, then those only behind."""
    illegal = FaultInfo(turn=0, seat=2, code="illegal", index=0, words="no unit there")
    gone = FaultInfo(turn=2, seat=3, code="disconnected", index=None, words="its process exited")
    verdicts = ("answer", "answer", "answer")
    turns = [
        turn(0, (*verdicts, "answer"), [illegal]),
        turn(1, (*verdicts, "missing"), left={"3": "closed its connection"}),
        turn(2, (*verdicts, "missing"), [gone]),
    ]
    scores = (0, 0, 0, 0), (3, 1, 1, 1), (6, 2, 1, 1), (9, 2, 1, 1)
    story = story_by_scores(*scores, turns=turns, ranks=(1, 2, 3, 3))
    assert [3, 2, 1] == list(story.losses)
    assert [
        (3, 3, "is out: its process exited"),
        (2, 3, "left: closed its connection"),
    ] == told(story.losses[3])[:2]


@pytest.mark.parametrize(
    ("leads", "lost", "points"),
    [((0, 2, 4, 6, 8), 2, "4 points"), ((0, 1, 2), 1, "1 point"), ((0, 0, 1), 2, "1 point")],
)
def test_who_was_never_ahead_learns_when_half_of_the_gap_was_there(leads, lost, points):
    """It may be there at once, as where a game decides all points in its last turn."""
    story = story_by_scores(*((lead, 0) for lead in leads), ranks=(1, 2))
    text = f"was {points} behind A, at least half of the final gap"
    assert (lost, 1, text) == told(story.losses[1])[0]


def test_who_loses_by_the_rules_and_not_by_the_score_learns_what_the_winner_did():
    """The last of the winner's events, as rules report the end after all else."""
    events = {2: [Event(1, "won a fight"), Event(1, "captured the base"), Event(0, "fell")]}
    story = story_by_scores((5, 1), (5, 1), (5, 2), events=events, ranks=(2, 1))
    assert [(2, 0, "lost when B captured the base")] == told(story.losses[0])
    assert () == story_by_scores((5, 1), (5, 1), events=events, ranks=(2, 1)).losses[0]


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

    def fault(number, code, words):
        return FaultInfo(turn=number, seat=1, code=code, index=None, words=words)

    late = fault(0, "late", "no answer within 0.2 s")
    illegal = [fault(1, "illegal", "no unit there")] * 2
    gone = fault(2, "disconnected", "its process exited")
    turns = [
        turn(0, ("answer", "late"), [late]),
        turn(1, ("answer", "answer"), illegal),
        turn(2, ("answer", "missing"), [gone]),
        turn(3, ("answer", "out")),
    ]
    story = story_by_scores((1, 1), (2, 1), (3, 1), (4, 1), (5, 1), turns=turns, ranks=(1, 2))
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
