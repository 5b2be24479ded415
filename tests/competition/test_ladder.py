"""The ladder: who meets whom and when, in cases made by hand and after any events."""

import math
import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.competition.formats.ladder import DAY, EVERY, RECENT, Ladder


def make(seats=2, **settings):
    return Ladder(seats=seats, chance=random.Random(1), **settings)


def wait(ladder, names, now=0.0):
    for name in names:
        ladder.wait(name, name, now)


def finish(ladder, match, now, *, again=(), failed=()):
    """End a match; the names in `again` wait at once."""
    ladder.over(match, now, failed=failed)
    wait(ladder, again, now)


def begun(ladder, now=0.0):
    """All matches that begin now."""
    return list(iter(lambda: ladder.next(now), None))


# Matches


def test_a_match_ends_once():
    ladder = make()
    wait(ladder, "AB")
    match = ladder.next(0.0)
    finish(ladder, match, 1.0)
    with pytest.raises(KeyError):
        finish(ladder, match, 1.0)


def test_a_match_that_does_not_count_leaves_no_trace():
    """Neither for rests nor for the number of matches; its names wait anew."""
    ladder = make(bench_after=1)
    wait(ladder, "AB")
    ladder.over(ladder.next(0.0), 5.0, counts=False, failed="A")
    wait(ladder, "AB", 5.0)
    assert ladder.resting(5.0).get("A") is None
    assert [0, 0] == [entry.matches for entry in ladder._names.values()]
    assert {"A", "B"} == set(ladder.next(5.0))


def test_nobody_waits_for_an_absent_opponent():
    """There is no second match of a pair to wait for, so that leaving gains nothing."""
    ladder = make()
    wait(ladder, "AB")
    finish(ladder, ladder.next(0.0), 10.0, again="A")
    wait(ladder, "C", 10.0)
    assert {"A", "C"} == set(ladder.next(10.0))


@pytest.mark.parametrize("seats", [2, 4])
def test_in_the_long_run_everybody_has_each_seat_equally_often(seats):
    names = "ABCDEFGH"
    ladder = make(seats)
    taken = Counter()
    for number in range(2000):
        wait(ladder, names, float(number))
        for match in begun(ladder, float(number)):
            taken.update((name, seat) for seat, name in enumerate(match))
            ladder.over(match, float(number))
    of_each = sum(taken.values()) / len(names)
    for name in names:
        for seat in range(seats):
            # 2,000 matches of each at random: a standard deviation of 1 or 2 % of the mean.
            assert of_each / seats == pytest.approx(taken[name, seat], rel=0.1)


# Pairing


def test_similar_names_meet():
    """And one without a rating, which counts as of mean strength, meets those of mid-field."""
    strength = {f"bot{number:02}": 50.0 * number for number in range(21)}
    ladder = make()
    ladder.ratings = strength
    wait(ladder, ["new", *strength])
    first, *others = begun(ladder)
    (opponent,) = set(first) - {"new"}
    assert 350 <= strength[opponent] <= 650
    assert 10 == len(others)
    distances = [abs(strength[one] - strength[two]) / 50 for one, two in others]
    assert sum(distances) / 10 < 3  # by chance it would be 7


def test_every_so_many_matches_opponents_are_drawn_by_chance():
    """If all were similar, luck would choose who meets whom, and ratings would be stretched."""
    strength = {"first": 0.0, **{f"bot{number:02}": 50.0 * number for number in range(1, 20)}}
    opponents = [set() for _ in range(EVERY)]
    for seed in range(30):
        for played, met in enumerate(opponents):
            ladder = Ladder(seats=2, chance=random.Random(seed))
            ladder.ratings = strength
            for _ in range(played):
                ladder.take(["first", "another"], (), 0.0)
            wait(ladder, strength)
            met.update(set(ladder.next(0.0)) - {"first"})
    *usual, drawn = opponents
    assert [{"bot01"}] * (EVERY - 1) == usual
    assert len(drawn) >= 5


def test_recent_opponents_come_last():
    ladder = make()
    wait(ladder, "ABCD")
    now, met = 0.0, []
    for _ in range(12):
        running = begun(ladder, now)
        met.append({frozenset(match) for match in running})
        now += 10.0
        for match in running:
            finish(ladder, match, now, again=match)
    assert all(one.isdisjoint(two) for one, two in pairwise(met))


def test_who_has_waited_longest_is_paired_first_and_new_names_earlier():
    ladder = make()
    for name in "ABCDE":
        for _ in range(5000):
            ladder.take([name, "X"], (), 0.0)
    for number, name in enumerate("EDCBA"):
        ladder.wait(name, name, float(number))
    ladder.wait("new", "new", 4.0)
    assert "E" in ladder._choose(4.0)[0]
    assert "E" in ladder._choose(7.0)[0]
    assert "new" in ladder._choose(9.0)[0]  # 5 s count as 10, the 9 s of E as 9


def test_with_little_choice_pairing_is_put_off_while_matches_run():
    ladder = make()
    wait(ladder, "ABCD")
    one, _ = ladder.next(0.0), ladder.next(0.0)
    finish(ladder, one, 100.0, again=one)
    assert ladder.next(100.0) is None
    assert 115.0 == ladder.due(100.0)  # they have just met: 15 % of a match of 100 s
    assert ladder.next(114.0) is None
    wait(ladder, "E", 102.0)
    assert 105.0 == ladder.due(102.0)  # E is new to them: 5 %
    assert "E" in ladder.next(105.0)


# House bots


def test_house_bots_fill_missing_seats_after_a_while():
    ladder = make(4, house=["Null", "Demo", "Dummy"], fill_after=10.0)
    wait(ladder, "A", 5.0)
    wait(ladder, "B", 9.0)
    assert ladder.next(14.9) is None
    assert 15.0 == ladder.due(9.0)
    match = ladder.next(15.0)
    assert {"A", "B"} < set(match)
    assert 2 == len({"Null", "Demo", "Dummy"} & set(match))


def test_a_house_bot_plays_any_number_of_matches_at_once():
    ladder = make(house=["Null"], fill_after=0.0)
    ladder.wait("A", "Ann", 0.0)
    ladder.wait("B", "Ann", 0.0)
    one, two = begun(ladder)
    assert {"A", "B"} == {*one, *two} - {"Null"}
    finish(ladder, one, 1.0)
    finish(ladder, two, 1.0)


def test_the_house_bot_that_is_nearest_takes_the_seat():
    ladder = make(house=["Weak", "Like", "Strong"], fill_after=0.0)
    ladder.ratings = {"Weak": -300.0, "A": 120.0, "Like": 100.0, "Strong": 300.0}
    wait(ladder, "A")
    assert {"A", "Like"} == set(ladder.next(0.0))


def test_a_lone_name_meets_different_house_bots_in_turn():
    ladder = make(house=["Null", "Demo", "Dummy"], fill_after=10.0)
    opponents, now = [], 0.0
    for _ in range(6):
        wait(ladder, "A", now)
        now = ladder.due(now)
        match = ladder.next(now)
        finish(ladder, match, now, again="A")
        opponents += set(match) - {"A"}
    assert all(one != two for one, two in pairwise(opponents))


def test_house_bots_are_never_alone_and_never_wait():
    ladder = make(house=["Null", "Demo"], fill_after=0.0)
    assert ladder.next(1e6) is None
    assert ladder.due(1e6) is None
    with pytest.raises(ValueError, match="house bot"):
        ladder.wait("Null", "x", 0.0)


def test_a_house_bot_that_fails_rests_too():
    ladder = make(house=["Null"], fill_after=0.0, bench_after=1)
    wait(ladder, "A")
    finish(ladder, ladder.next(0.0), 1.0, again="A", failed=["Null"])
    assert ladder.next(1.0) is None
    assert 61.0 == ladder.due(10.0)
    assert ladder.next(61.0) is not None


# Rests


def test_a_failing_name_rests():
    ladder = make(bench_after=2)
    wait(ladder, "AB")
    for now in (0.0, 10.0):
        assert ladder.resting(now).get("A") is None
        finish(ladder, ladder.next(now), now + 10, again="AB", failed=["A"])
    assert 80.0 == ladder.resting(20.0).get("A")
    assert ladder.next(30.0) is None
    assert 80.0 == ladder.due(30.0)
    assert ladder.next(80.0) is not None


def test_the_operator_decides_who_rests():
    ladder = make(bench_after=1)
    ladder.bench("A")
    wait(ladder, "AB")
    assert (None, None) == (ladder.next(10.0), ladder.due(10.0))
    ladder.fail("A", 10.0)
    assert {"A": math.inf} == ladder.resting(1e9)
    ladder.unbench("A", 10.0)
    assert {} == ladder.resting(10.0)
    assert ladder.next(10.0) is not None
    ladder.fail("B", 20.0)
    ladder.unbench("B", 20.0)
    assert {} == ladder.resting(20.0)
    ladder.fail("B", 21.0)
    assert {"B": 81.0} == ladder.resting(21.0)


# Restart, other arenas


def test_matches_that_are_taken_count_for_opponents_and_rests_as_if_played_here():
    """Of many matches the last ones of each name tell as much as all."""
    played, all_, last = (make(bench_after=2) for _ in range(3))
    chance, stored = random.Random(1), []
    names = "ABCDEF"
    for number in range(600):
        now = 100.0 * number
        wait(played, names, now)
        match = chance.choice(begun(played, now))
        failed = [name for name in match if name == "B" and number > 590]
        for running in list(played._running):
            if running == match:
                played.over(match, now, failed=failed)
                stored.append((match, failed, now))
            else:
                played.over(running, now, counts=False)
    for ladder, some in [(all_, stored), (last, stored[-100:])]:
        for match, failed, now in some:
            ladder.take(match, failed, now)
    assert played.resting(now) == all_.resting(now) == last.resting(now)
    assert "B" in last.resting(now)
    for name in names:
        assert played._names[name].matches == all_._names[name].matches
        assert RECENT == len(last._names[name].recent)
        assert all_._names[name].recent == last._names[name].recent


# Any sequence of events

NAMES = [f"bot{number}" for number in range(9)]
HOUSE = ["house0", "house1", "house2"]
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["wait", "wait", "wait", "leave", "over", "over", "void", "fail", "pass"]),
        st.integers(0, 1000),
    ),
    max_size=120,
)


@pytest.mark.parametrize("seats", [2, 4])
@given(events=EVENTS, house=st.integers(0, 3), owners=st.integers(1, 9), room=st.integers(1, 5))
def test_any_sequence_of_events(seats, events, house, owners, room):
    """Who plays waited, doesn't rest, plays once, and meets no name of its own owner."""
    ladder = make(seats, house=HOUSE[:house])
    ladder.ratings = {name: 100.0 * number for number, name in enumerate(NAMES[3:])}
    owner = {name: number % owners for number, name in enumerate(NAMES)}
    waiting, running, finished = set(), [], Counter()
    now = 0.0
    for what, number in events:
        name = NAMES[number % len(NAMES)]
        if what == "wait":
            ladder.wait(name, owner[name], now)
            waiting.add(name)
        elif what == "leave":
            ladder.leave(name)
            waiting.discard(name)
        elif what == "pass":
            due = ladder.due(now)
            if due is not None and due > now and len(running) < room:
                between = now + (due - now) * (number / 1001)
                assert ladder.next(between) is None
                now = due
            now += number / 50
        elif running:
            match = running.pop(number % len(running))
            now += number / 100
            failed = [match[0]] if what == "fail" else []
            ladder.over(match, now, counts=what != "void", failed=failed)
            if what != "void":
                finished.update(match)
        while len(running) < room and (match := ladder.next(now)) is not None:
            players = [player for player in match if player not in HOUSE]
            assert seats == len(set(match))
            assert players
            assert waiting >= set(players)
            assert len(players) == len({owner[player] for player in players})
            assert not any(set(players) & set(other) for other in running)
            assert all(ladder.resting(now).get(player) is None for player in match)
            waiting -= set(players)
            running.append(match)
    assert {name: finished[name] for name in NAMES if finished[name]} == {
        name: entry.matches for name, entry in ladder._names.items() if entry.matches
    }


@given(
    seed=st.integers(0, 10**6),
    many=st.integers(5, 12),
    room=st.integers(1, 2),
    strength=st.sampled_from([0.0, 1000.0]),
)
def test_nobody_waits_for_ever(seed, many, room, strength):
    """Whoever waits plays before all others have played a few times more."""
    chance, ladder = random.Random(seed), make()
    names = NAMES[:1] + [f"other{number}" for number in range(many - 1)]
    # The first one is far from all others, whom it must not wait for.
    ladder.ratings = {name: strength * (name != names[0]) + chance.random() for name in names}
    played, running, now = Counter(), [], 0.0
    wait(ladder, names)
    for _ in range(100):
        while len(running) < room and (match := ladder.next(now)) is not None:
            running.append(match)
        if len(running) < room and (due := ladder.due(now)) is not None:
            now = max(now, min(due, now + 5.0))
        if running:
            now += chance.uniform(0, 10)
            match = running.pop(chance.randrange(len(running)))
            played.update(match)
            finish(ladder, match, now, again=match)
    fewest, most = (pick(played[name] for name in names) for pick in (min, max))
    assert most <= 2 * fewest + 4


def test_each_rest_is_twice_as_long_up_to_a_day():
    rests = make(bench_after=1)
    now, lengths = 0.0, []
    for _ in range(200):
        rests.fail("Ann", now)
        until = rests.resting(now)["Ann"]
        lengths.append(until - now)
        now = until
    assert [60.0, 120.0, 240.0] == lengths[:3]
    assert {DAY} == set(lengths[11:])


def test_success_ends_the_row_but_the_next_rest_is_still_longer():
    rests = make(bench_after=2)
    for now in (0.0, 1.0):
        rests.fail("Ann", now)
    rests.take(["Ann"], (), 0.0)
    rests.fail("Ann", 100.0)
    assert {} == rests.resting(100.0)
    rests.fail("Ann", 101.0)
    assert {"Ann": 101.0 + 120.0} == rests.resting(101.0)


def test_a_day_without_failures_begins_after_the_rest():
    rests = make(bench_after=1)
    rests.fail("Ann", 0.0)
    rests.fail("Ann", 60.0)
    end = 60.0 + 120.0
    rests.fail("Ann", end + DAY - 1)
    assert {"Ann": end + DAY - 1 + 240.0} == rests.resting(end + DAY - 1)
    later = end + DAY - 1 + 240.0 + DAY
    rests.fail("Ann", later)
    assert {"Ann": later + 60.0} == rests.resting(later)


@given(st.integers(1, 5), st.lists(st.tuples(st.booleans(), st.floats(0, DAY)), max_size=50))
def test_only_a_failure_begins_a_rest_and_none_exceeds_a_day(bench_after, matches):
    rests = make(bench_after=bench_after)
    now, in_a_row, last = 0.0, 0, 0.0
    for failed, pause in matches:
        now = max(now + pause, rests.resting(now + pause).get("Ann", 0.0))
        in_a_row = (in_a_row if now < last + DAY else 0) + 1 if failed else 0
        if failed:
            rests.fail("Ann", now)
        else:
            rests.take(["Ann"], (), 0.0)
        until = rests.resting(now).get("Ann")
        if failed:
            last = until or now
        assert (until is not None) == (in_a_row >= bench_after)
        assert until is None or 60.0 <= until - now + 1e-6
        # After some days a difference of times is rounded.
        assert until is None or until - now <= DAY + 1e-6


# Followers


def test_followers_begin_no_match_but_play_those_of_others():
    """Neither among themselves nor against house bots, however long they wait."""
    ladder = make(house=["Demo"], fill_after=1.0)
    ladder.followers = {"A", "B"}
    wait(ladder, "AB")
    assert (None, None) == (ladder.next(1000.0), ladder.due(1000.0))
    wait(ladder, "C", 1000.0)
    (match,) = begun(ladder, 1000.0)
    assert "C" in match
    assert 1 == len({"A", "B"} & set(match))


def test_a_follower_makes_nobody_wait_for_a_choice():
    """A pairing is put off by the wait of whoever begins it, not by that of its followers."""
    ladder = make()
    wait(ladder, "ABCD")
    for match in begun(ladder):
        finish(ladder, match, 100.0)  # matches take 100 s, so that pairings are put off
    ladder.followers = {"A", "B"}
    wait(ladder, "AB", 100.0)
    wait(ladder, "CDE", 500.0)
    assert ladder.next(500.0) is not None
    due = ladder.due(500.0)
    assert 500.0 < due <= 515.0
    assert ladder.next(due) is not None
