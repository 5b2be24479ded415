"""The standing ladder: who meets whom and when, in cases made by hand and after any events."""

import math
import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.arena.ladders.ladder import OPEN_BLOCKS, RETURN, TRIES, Ladder, LadderResult
from lanista.arena.ladders.ratings import KEPT, LadderRatings
from lanista.pairing.blocks import seatings


def make(seats=2, **settings):
    return Ladder(seated=seatings(range(seats)), **settings)


def wait(ladder, names, now=0.0):
    for name in names:
        ladder.wait(name, name, now)


def finish(ladder, match, now, ranks=None, *, again=(), failed=()):
    """End a match, so that the first seat wins; the names in `again` wait at once."""
    ladder.over(match, now, ranks or tuple(range(1, len(match.names) + 1)), failed)
    wait(ladder, again, now)


def result_of(match, ranks, now, failed=()):
    return LadderResult(match.pairing, match.seating, match.attempt, ranks, failed, now)


# Blocks


@pytest.mark.parametrize("seats", [2, 4])
def test_a_block_goes_on_at_once_and_gives_every_name_every_seat(seats):
    names = "ABCDEFGH"
    ladder = make(seats)
    wait(ladder, names)
    first = ladder.next(0.0)
    played = [first]
    for number in range(1, seats):
        now = float(number)
        finish(ladder, played[-1], now, again=first.names)
        played.append(ladder.next(now))
    assert {first.pairing} == {match.pairing for match in played}
    taken = Counter((name, seat) for match in played for seat, name in enumerate(match.names))
    assert {(name, seat): 1 for name in first.names for seat in range(seats)} == taken


def test_nobody_waits_for_an_absent_opponent_but_the_block_stays_open():
    ladder = make()
    wait(ladder, "AB")
    first = ladder.next(0.0)
    finish(ladder, first, 10.0, again="A")
    wait(ladder, "C", 10.0)
    assert ladder.next(10.0) is None  # B may be coming back
    assert 10.0 + RETURN == ladder.due(10.0)
    second = ladder.next(10.0 + RETURN)
    assert {"A", "C"} == set(second.names)
    wait(ladder, "B", 20.0)
    assert ladder.next(20.0) is None
    finish(ladder, second, 30.0, again="A")
    third = ladder.next(30.0)
    assert (first.pairing, 1 - first.seating) == (third.pairing, third.seating)


def test_a_block_is_closed_when_its_names_stay_away():
    ladder = make(block_timeout=600.0)
    wait(ladder, "AB")
    first = ladder.next(0.0)
    finish(ladder, first, 10.0)
    wait(ladder, "AB", 610.0)
    assert first.pairing != ladder.next(610.0).pairing


def test_a_name_has_few_open_blocks():
    ladder = make(block_timeout=math.inf)
    first = None
    for number in range(OPEN_BLOCKS + 1):
        now = 100.0 * number
        wait(ladder, ["A", f"B{number}"], now)
        match = ladder.next(now)
        first = first or match
        finish(ladder, match, now + 10)
    wait(ladder, ["A", "B0"], now + 50)
    assert first.pairing != ladder.next(now + 50).pairing
    assert len(ladder._idle) == OPEN_BLOCKS - 1  # and one is running


def test_void_matches_are_played_again_but_not_for_ever():
    ladder = make()
    attempts = []
    for number in range(TRIES + 1):
        wait(ladder, "AB", float(number))
        match = ladder.next(float(number))
        attempts.append((match.pairing.opening, match.seating, match.attempt))
        ladder.over(match, float(number), None, failed=["A"])
    *tries, other = attempts
    assert [(0, tries[0][1], attempt) for attempt in range(1, TRIES + 1)] == tries
    assert (1, 1) == (other[0], other[2])
    assert {"A": 0, "B": 0} == {name: entry.matches for name, entry in ladder._names.items()}


def test_a_match_ends_once():
    ladder = make()
    wait(ladder, "AB")
    match = ladder.next(0.0)
    finish(ladder, match, 1.0)
    with pytest.raises(KeyError):
        finish(ladder, match, 1.0)


# Pairing


def test_names_of_one_owner_never_meet():
    ladder = make()
    for name in "ABC":
        ladder.wait(name, "Ann", 0.0)
    assert ladder.next(1e6) is None
    ladder.wait("D", "Bob", 1e6)
    assert "D" in ladder.next(1e6).names


def test_a_block_ends_where_its_names_get_one_owner():
    ladder = make()
    wait(ladder, "AB")
    first = ladder.next(0.0)
    ladder.over(first, 1.0, (1, 2))
    for name in "AB":
        ladder.wait(name, "Ann", 1.0)
    assert ladder.next(100.0) is None


def trained(strength, *, matches=600):
    """A ladder that has seen these names play each other, the stronger one winning."""
    ladder, chance = make(), random.Random(3)
    names = list(strength)
    for _ in range(matches):
        two = chance.sample(names, 2)
        ladder._ratings.add(two, (1, 2) if strength[two[0]] > strength[two[1]] else (2, 1))
    return ladder


def test_similar_names_meet():
    strength = {f"bot{number:02}": number for number in range(20)}
    ladder = trained(strength)
    wait(ladder, strength)
    matches = list(iter(lambda: ladder.next(0.0), None))
    assert 10 == len(matches)
    distances = [abs(strength[one] - strength[two]) for one, two in (m.names for m in matches)]
    assert sum(distances) / 10 < 4  # by chance it would be 7


def test_recent_opponents_come_last():
    ladder = make()
    wait(ladder, "ABCD")
    now = 0.0
    met = []
    for _ in range(12):
        running = list(iter(lambda now=now: ladder.next(now), None))
        met += [frozenset(match.names) for match in running]
        now += 10.0
        for match in running:
            finish(ladder, match, now, again=match.names)
    blocks = met[::4]  # two matches a block, two blocks at a time
    assert all(one != two for one, two in pairwise(blocks))


def test_who_has_waited_longest_is_paired_first_and_new_names_earlier():
    ladder = make()
    ladder.restore([], played=dict.fromkeys("ABCDE", 10_000))
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
    for now in (100.0, 200.0):  # both matches of the block
        finish(ladder, one, now, again=one.names)
        one = ladder.next(now) if now == 100.0 else one
    assert ladder.next(200.0) is None
    assert 230.0 == ladder.due(200.0)  # they have just met: 15 % of two matches of 100 s
    assert ladder.next(229.0) is None
    wait(ladder, "E", 202.0)
    assert 210.0 == ladder.due(202.0)  # E is new to them: 5 %
    assert "E" in ladder.next(210.0).names


# House bots


def test_house_bots_fill_missing_seats_after_a_while():
    ladder = make(4, house=["Null", "Demo", "Dummy"], fill_after=10.0)
    wait(ladder, "A", 5.0)
    wait(ladder, "B", 9.0)
    assert ladder.next(14.9) is None
    assert 15.0 == ladder.due(9.0)
    match = ladder.next(15.0)
    assert {"A", "B"} < set(match.names)
    assert 2 == len({"Null", "Demo", "Dummy"} & set(match.names))
    finish(ladder, match, 20.0, again="AB")
    assert match.pairing == ladder.next(20.0).pairing  # house bots are always there
    assert {"A", "B", "Null", "Demo", "Dummy"} == ladder.live().keys()


def test_a_lone_name_meets_different_house_bots_in_turn():
    ladder = make(house=["Null", "Demo", "Dummy"], fill_after=10.0)
    opponents, now = [], 0.0
    for _ in range(6):
        wait(ladder, "A", now)
        for _ in range(2):
            now = ladder.due(now)
            match = ladder.next(now)
            finish(ladder, match, now, again="A")
        opponents += set(match.names) - {"A"}
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


# Rests, strikes


def test_a_failing_name_rests():
    ladder = make(bench_after=2)
    wait(ladder, "AB")
    for now in (0.0, 10.0):
        assert ladder.resting_until("A", now) is None
        finish(ladder, ladder.next(now), now + 10, again="AB", failed=["A"])
    assert 80.0 == ladder.resting_until("A", 20.0)
    assert ladder.next(30.0) is None
    assert 80.0 == ladder.due(30.0)
    assert ladder.next(80.0) is not None


def test_the_operator_benches_and_unbenches():
    ladder = make()
    ladder.bench("A")
    wait(ladder, "AB")
    assert ladder.next(10.0) is None
    assert ladder.due(10.0) is None
    assert math.inf == ladder.resting_until("A", 10.0)
    ladder.unbench("A", 10.0)
    assert ladder.next(10.0) is not None


def test_matches_that_no_longer_count_leave_no_trace_in_ratings():
    """Two ladders: of one a name was struck, in the other it never played."""
    chance = random.Random(5)
    names = [f"bot{number}" for number in range(6)]
    seen, never = make(), make()
    stored = []
    for opening in range(100):
        wait(seen, names, float(opening))
        match = seen.next(float(opening))
        ranks = tuple(chance.sample([1, 2], 2))
        stored.append(result_of(match, ranks, float(opening)))
        seen.over(match, float(opening), ranks)
    kept = [result for result in stored if "bot0" not in result.pairing.bots]
    never.restore(kept)
    counted = seen.counted(kept[:-1])
    last = kept[-1]
    counted.add(last.pairing, seen._by_seat(last.pairing, last.seating), last.ranks)
    seen.recount(counted)
    assert never.live() == seen.live()
    for name in names[1:]:
        assert never._names[name].matches == seen._names[name].matches


# Restart


def test_ratings_made_anew_are_as_good():
    """After 1,500 matches the last 50 of each name tell as much as all."""
    chance = random.Random(7)
    strength = {f"bot{number:02}": number / 4 for number in range(20)}
    updated, restored = LadderRatings(), LadderRatings()
    for _ in range(1500):
        two = chance.sample(list(strength), 2)
        wins = chance.random() < 1 / (1 + math.exp(strength[two[1]] - strength[two[0]]))
        for ratings in (updated.add, restored.keep):
            ratings(two, (1, 2) if wins else (2, 1))
    restored.rate_anew()

    def misplaced(ratings):
        order = sorted(strength, key=ratings.skill)
        return sum(abs(order.index(name) - number) for number, name in enumerate(strength)) / 20

    assert misplaced(updated) < 2
    assert misplaced(restored) < 2
    assert all(len(last) == KEPT for last in restored._last.values())


@pytest.mark.parametrize("rare", ["A", "F"])
def test_the_last_matches_of_each_name_are_enough_to_restore_a_ladder(rare):
    """Also of a name that hasn't played for long: nothing differs but the openings' numbers."""
    ladder, stored, chance = make(bench_after=2), [], random.Random(1)
    names = "ABCDEF"
    for number in range(600):
        now = 10.0 * number
        here = [name for name in names if name != rare or number < 200]
        wait(ladder, chance.sample(here, 4), now)
        while (match := ladder.next(now)) is not None:
            ranks = chance.choice([(1, 2), (2, 1), (1, 1)])
            failed = [name for name in match.names if name == "B" and number > 590]
            finish(ladder, match, now + 5, ranks, failed=failed)
            stored.append(result_of(match, ranks, now + 5, failed))
    played = Counter(name for one in stored for name in one.pairing.bots)
    of_each, last = Counter(), []
    for one in reversed(stored):
        if any(of_each[name] < KEPT for name in one.pairing.bots):
            last.insert(0, one)
        of_each.update(one.pairing.bots)
    assert len(last) < len(stored) / 2
    restored = []
    for matches, number in ((stored, None), (last, played)):
        again = make(bench_after=2)
        again.restore(matches, number)
        again.close_blocks()
        restored.append(again)
    whole, part = restored
    assert whole.live() == part.live()
    for name in names:
        assert whole.resting_until(name, 6000.0) == part.resting_until(name, 6000.0)
        for what in ("matches", "recent"):
            assert getattr(whole._names[name], what) == getattr(part._names[name], what)


@pytest.mark.parametrize("window", [1, 5, 40])
def test_live_ratings_follow_the_latest_blocks_alone(window):
    """As after a restart: at once if there are few matches, otherwise after a few more."""
    chance = random.Random(3)
    names = [f"bot{number}" for number in range(6)]
    ladder, stored = make(window=window), []
    for at in range(120):
        # At the end the first three alone play, for somewhat more than `window` blocks.
        there = names if at < 110 - 2 * window else names[:3]
        for name in names:
            ladder.leave(name)
        wait(ladder, there, float(at))
        match = ladder.next(float(at))
        ranks = tuple(chance.sample([1, 2], 2))
        stored.append(result_of(match, ranks, float(at)))
        ladder.over(match, float(at), ranks)
        restored = make(window=window)
        restored.restore(stored)
        if window < 10:
            assert restored.live() == ladder.live()
    assert {"bot3"} < ladder.live().keys()
    initial = LadderRatings().ordinal("")
    for name, rating in ladder.live().items():
        assert restored.live()[name] == pytest.approx(rating, abs=1.0)
        assert name in names[:3] or rating == initial


@pytest.mark.parametrize("restored", [False, True])
def test_a_match_of_a_block_that_has_left_the_window_changes_no_rating(restored):
    """Such a block may have stayed open, though it seems to have been idle for too long."""
    ladder, stored = make(window=2, block_timeout=600.0), []

    def play(names, now):
        for name in "ABCD":
            ladder.leave(name)
        wait(ladder, names, now)
        match = ladder.next(now)
        stored.append(result_of(match, (1, 2), now))
        ladder.over(match, now, (1, 2))
        return match

    old = play("AB", 0.0)
    play("AC", 100.0)
    void = play_void(ladder, "AB", 500.0)
    assert old.pairing == void.pairing
    play("CD", 700.0)
    assert old.pairing == play("AB", 900.0).pairing
    if restored:
        ladder = make(window=2, block_timeout=600.0)
        ladder.restore(stored)
    initial = LadderRatings().ordinal("")
    assert initial == ladder.live()["B"]
    assert all(initial != ladder.live()[name] for name in "ACD")


def play_void(ladder, names, now):
    """A match that doesn't count."""
    for name in "ABCD":
        ladder.leave(name)
    wait(ladder, names, now)
    match = ladder.next(now)
    ladder.over(match, now, None)
    return match


def state(ladder):
    """Everything that the stored matches determine, but for live ratings."""
    return (
        {
            name: (entry.matches, entry.recent, sorted(entry.blocks))
            for name, entry in ladder._names.items()
            if entry.matches
        },
        {
            pairing: (block.left, block.since, block.attempt)
            for pairing, block in ladder._idle.items()
        },
        ladder._rests._failures,
        ladder._rests._resting,
        ladder._next_opening,
    )


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
    """What always holds; and a restart after it changes nothing that was stored."""
    settings = {"house": HOUSE[:house], "block_timeout": 60.0}
    ladder = make(seats, **settings)
    owner = {name: number % owners for number, name in enumerate(NAMES)}
    waiting, running, stored = set(), [], []
    seat_counts, finished = {}, Counter()
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
            ranks = None if what == "void" else tuple(range(1, seats + 1))
            failed = [match.names[0]] if what == "fail" else []
            ladder.over(match, now, ranks, failed)
            stored.append(result_of(match, ranks, now, failed))
            if ranks is not None:
                finished.update(match.names)
                for seat, player in enumerate(match.names):
                    block = seat_counts.setdefault(match.pairing, Counter())
                    block[player, seat] += 1
        while len(running) < room and (match := ladder.next(now)) is not None:
            players = [player for player in match.names if player not in HOUSE]
            assert seats == len(set(match.names))
            assert players
            assert waiting >= set(players)
            assert len(players) == len({owner[player] for player in players})
            assert not any(set(players) & set(other.names) for other in running)
            assert all(ladder.resting_until(player, now) is None for player in match.names)
            waiting -= set(players)
            running.append(match)
    # No name had a seat of a block twice, and every match that counts was counted once.
    assert all(set(counts.values()) == {1} for counts in seat_counts.values())
    assert {name: finished[name] for name in NAMES if finished[name]} == {
        name: entry.matches for name, entry in ladder._names.items() if entry.matches
    }
    assert all(len(entry.blocks) <= OPEN_BLOCKS for entry in ladder._names.values())
    for match in running:
        ladder.over(match, now, None)
        stored.append(result_of(match, None, now))
    ladder._close_stale(now)
    restarted = make(seats, **settings)
    restarted.restore(stored)
    restarted._close_stale(now)
    for either in (ladder, restarted):
        either._rests.resting(now)
    assert state(ladder) == state(restarted)
