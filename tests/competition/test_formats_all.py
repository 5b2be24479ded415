"""What holds for every format: simulated tournaments, results in any order, benches, resuming."""

import random
from collections import Counter

import attrs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from competition.formats import make
from lanista.results.blocks import BlockScore, FormatName, Pairing, SeatingsName, seatings

BLOCKS = {FormatName.LADDER: 25, FormatName.SPRT: 25, FormatName.KNOCKOUT: 2, FormatName.SWISS: 2}


def names(count):
    """Not in the order of the alphabet, so that nothing takes one order for the other."""
    return [f"bot{7 * at % 41:02}" for at in range(count)]


def new(kind, bots, seats, **keys):
    """A format of a few draws; with as many fillers as it takes."""
    fillers = [f"Null-{at}" for at in range(seats - len(bots))]
    blocks = BLOCKS.get(kind)
    return make(kind, bots, seats=seats, draws=2, fillers=fillers, blocks=blocks, **keys)


def result(pairing, seated, salt=0, draws=0.3):
    """A result that follows from the pairing alone, so that a resumed tournament has the same."""
    chance = random.Random(f"{pairing} {salt}")
    ranks = []
    for _ in seated:
        values = [chance.random() for _ in pairing.bots]
        if chance.random() < draws:
            values = [0.5] * len(values)
        ranks.append(tuple(1 + sum(other < own for other in values) for own in values))
    return BlockScore(pairing.bots, tuple(ranks), pairing.opening)


@attrs.define
class Run:
    """A simulated tournament: blocks are handed out some at a time and end in any order."""

    format: object
    chance: random.Random
    at_once: int = 4
    salt: int = 0
    handed: list[Pairing] = attrs.field(factory=list)
    running: list[Pairing] = attrs.field(factory=list)
    told: list[Pairing] = attrs.field(factory=list)

    def step(self):
        """Hand out, and end one block. Returns whether anything could be done."""
        while len(self.running) < self.at_once:
            pairing = self.format.next()
            if pairing is None:
                break
            assert pairing not in self.handed
            assert pairing not in self.told
            self.handed.append(pairing)
            self.running.append(pairing)
        if not self.running:
            return False
        self.end(self.running.pop(int(self.chance.random() * len(self.running))))
        return True

    def end(self, pairing):
        self.told.append(pairing)
        self.format.record(result(pairing, self.format.seated, self.salt))

    def play(self, steps=10_000):
        for _ in range(steps):
            if not self.step():
                break
        return self


def state(format_):
    """All that a format tells."""
    return (
        format_.progress(),
        format_.order(),
        format_.verdict(),
        dict(format_.byes()),
        format_.over(),
    )


FIELDS = [(kind, seats) for kind in FormatName for seats in (2, 4) if kind is not FormatName.SPRT]


@pytest.mark.parametrize(("kind", "seats"), FIELDS)
@settings(max_examples=settings().max_examples // 3)
@given(count=st.integers(2, 14), seed=st.integers(0, 10**6), at_once=st.integers(1, 9))
def test_it_ends_and_all_it_handed_out_counts(kind, seats, count, seed, at_once):
    run = Run(new(kind, names(count), seats), random.Random(seed), at_once, seed).play()
    format_ = run.format
    assert format_.over()
    assert format_.next() is None
    assert all(format_.counts(pairing) for pairing in run.told)
    assert all(len(set(pairing.bots)) == seats for pairing in run.told)
    progress = format_.progress()
    assert len(run.told) == progress.played == progress.planned
    order = format_.order()
    if order is not None:
        assert sorted(names(count)) == sorted(bot for _, bot in order)
        places = [place for place, _ in order]
        assert [1 + sum(other < place for other in places) for place in places] == places


@pytest.mark.parametrize(("kind", "seats"), FIELDS)
@settings(max_examples=settings().max_examples // 3)
@given(
    count=st.integers(2, 12),
    seed=st.integers(0, 10**6),
    at_once=st.integers(1, 6),
    stop=st.integers(0, 60),
)
@example(count=4, seed=0, at_once=1, stop=1)  # on a ladder, chance has a say in most blocks
@example(count=10, seed=1, at_once=1, stop=10)  # some have played too much when it is resumed
def test_a_resumed_one_goes_on_as_if_nothing_had_happened(kind, seats, count, seed, at_once, stop):
    """Blocks that were running are lost; they're handed out again, and the rest is the same."""
    bots = names(count)
    whole = Run(new(kind, bots, seats), random.Random(seed), at_once, seed).play()
    first = Run(new(kind, bots, seats), random.Random(seed), at_once, seed).play(stop)
    again = Run(new(kind, bots, seats), random.Random(seed + 1), at_once, seed)
    for pairing in first.told:
        again.end(pairing)
    again.play()
    assert again.format.over()
    assert Counter(again.told).most_common(1)[0][1] == 1
    if kind is not FormatName.LADDER or at_once == 1:
        # A ladder's choice depends on the order in which results come; the others' doesn't.
        assert set(whole.told) == set(again.told)
        assert state(whole.format) == state(again.format)
    if at_once == 1:
        assert whole.told == again.told


@pytest.mark.parametrize(("kind", "seats"), FIELDS)
@given(
    count=st.integers(2, 12),
    seed=st.integers(0, 10**6),
    at_once=st.integers(1, 6),
    benches=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 11)), max_size=5),
)
def test_it_ends_whoever_is_benched_whenever(kind, seats, count, seed, at_once, benches):
    bots = names(count)
    run = Run(new(kind, bots, seats), random.Random(seed), at_once, seed)
    benched = set()
    for steps, at in sorted(benches):
        run.play(max(0, steps - len(run.told)))
        before = set(run.handed)
        run.format.bench(bots[at % count])
        benched.add(bots[at % count])
        run.format.bench(bots[at % count])
        pairing = run.format.next()
        if pairing is not None:
            assert benched.isdisjoint(pairing.bots)
            assert pairing not in before
            run.handed.append(pairing)
            run.running.append(pairing)
    run.play()
    assert run.format.over()
    assert run.format.next() is None
    order = run.format.order()
    assert order is None or sorted(bots) == sorted(bot for _, bot in order)
    # Blocks with a benched bot count if they were handed out before, and nothing counts twice.
    assert run.format.progress().played == sum(map(run.format.counts, run.told))


@pytest.mark.parametrize(("kind", "seats"), [*FIELDS, (FormatName.SPRT, 2), (FormatName.SPRT, 4)])
@pytest.mark.parametrize("steps", [0, 3, 11])
def test_benching_all_but_one_ends_it_at_once(kind, seats, steps):
    bots = names(2 if kind is FormatName.SPRT else 7)
    run = Run(new(kind, bots, seats), random.Random(1)).play(steps)
    for bot in bots[1:]:
        run.format.bench(bot)
    assert run.format.over()
    assert run.format.next() is None
    run.format.bench(bots[0])
    assert run.format.over()
    for pairing in run.running:
        run.end(pairing)
    assert run.format.over()


@pytest.mark.parametrize("kind", [FormatName.SWISS, FormatName.KNOCKOUT])
@pytest.mark.parametrize("seats", [2, 4])
@given(
    count=st.integers(4, 13),
    seed=st.integers(0, 10**6),
    at_once=st.integers(1, 5),
    benches=st.lists(st.tuples(st.integers(1, 9), st.sets(st.integers(0, 12))), max_size=3),
)
@example(count=5, seed=0, at_once=1, benches=[(1, {0, 2})])
def test_bots_that_were_benched_at_various_times_change_nothing_when_resuming(
    kind, seats, count, seed, at_once, benches
):
    """Several may be benched at the same time; what was handed out before still counts."""
    bots = names(count)
    run = Run(new(kind, bots, seats), random.Random(seed), at_once, seed)
    out = {}
    for steps, who in benches:
        run.play(steps)
        if run.told and len(run.told) not in out:  # if it was over, nobody was benched
            out[len(run.told)] = sorted({bots[at % count] for at in who})
            run.format.bench(*out[len(run.told)])
    run.play()
    stored = [
        (result(pairing, run.format.seated, seed), out.get(number, ()))
        for number, pairing in enumerate(run.told, 1)
    ]
    again = new(kind, bots, seats)
    again.resume(stored)
    assert [*map(run.format.counts, run.told)] == [*map(again.counts, run.told)]
    assert state(run.format) == state(again)


@pytest.mark.parametrize(("kind", "seats"), FIELDS)
def test_a_block_that_is_not_wanted_is_not_counted(kind, seats):
    bots = names(6)
    format_ = new(kind, bots, seats)
    strange = Pairing(("stranger", *sorted(bots)[: seats - 1]), 0)
    format_.record(result(strange, format_.seated))
    assert not format_.counts(strange)
    assert 0 == format_.progress().played
    format_.bench("stranger")
    assert format_.next() is not None


@pytest.mark.parametrize("kind", [FormatName.ROUND_ROBIN, FormatName.LADDER])
def test_bots_in_another_order_keep_what_was_played(kind):
    bots = names(6)
    for seats in (2, 4):
        run = Run(new(kind, bots, seats), random.Random(2)).play(9)
        turned_around = new(kind, bots[::-1], seats)
        assert all(turned_around.counts(pairing) for pairing in run.told)


@pytest.mark.parametrize(("seats", "every"), [(2, 2), (4, 24)])
def test_all_seatings_on_request(seats, every):
    bots = names(5)
    assert seats == len(new(FormatName.SWISS, bots, seats).seated)
    assert every == len(new(FormatName.SWISS, bots, seats, seatings=SeatingsName.ALL).seated)


def test_a_version_test_has_seatings_of_two_names():
    bots = ["old", "new"]
    assert seatings(("old", "new")) == new(FormatName.SPRT, bots, 2).seated
    assert seatings(("old", "old", "new", "new")) == new(FormatName.SPRT, bots, 4).seated
    # Of four places two are A's: 6 ways.
    assert 6 == len(new(FormatName.SPRT, bots, 4, seatings=SeatingsName.ALL).seated)
