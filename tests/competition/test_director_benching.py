"""The director benches bots that go on failing, and what it has handed out of them counts."""

import itertools
import threading

import attrs
import pytest

from competition.directed import PATIENCE, Log, Wrapped, crashing, one_by_one, run
from lanista.competition import events
from lanista.competition.scheduler import _Wanted
from lanista.competition.standings import standings_of
from lanista.results.blocks import FormatName
from lanista.results.database import Store
from results.samples import asking
from support.tournament import directing, format_of, play, setup_in, stored


async def test_a_bot_that_fails_running_is_benched_and_named(tmp_path):
    setup = setup_in(tmp_path, behaviour={"B": "crash"}, seeds=(1, 2, 3, 4), bench_after=5)
    report, log = await run(setup, one_by_one, threads=1)
    (benched,) = log.of(events.Benched)
    assert ("B", "crash: B fell over") == (benched.bot, benched.words)
    assert 5 <= benched.failures
    assert report.over
    with_b = [block for block in stored(setup) if "B" in block.bots]
    # Two matches a block, so the third block benches it; what was handed out is played.
    assert 3 <= len(with_b) < 8
    assert 4 == sum(set(block.bots) == {"A", "C"} for block in stored(setup))

    _, log = await run(setup)
    (again,) = log.of(events.Benched)
    assert benched == again
    assert len(with_b) == sum("B" in block.bots for block in stored(setup))


async def test_a_success_in_between_begins_the_count_anew(tmp_path):
    setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3, 4, 5, 6), bench_after=3)
    calls = []

    def every_second(task):
        calls.append(task)
        if len(calls) % 2:
            task = crashing(task)
        return one_by_one(task)

    report, log = await run(setup, every_second, threads=1)
    assert report.over
    assert 6 == len(calls)
    assert [] == log.of(events.Benched)


async def test_a_block_in_flight_does_not_bring_it_back(tmp_path):
    """One that it plays well, and that ends after the one that benched it."""
    setup = setup_in(tmp_path, bots=2, seeds=tuple(range(1, 9)), bench_after=2)
    benched = threading.Event()

    def first_two_are_fine(task):
        (block,) = task.blocks
        if block.opening.seed == 2:
            assert benched.wait(PATIENCE)
        if block.opening.seed <= 2:
            return one_by_one(task)
        return one_by_one(crashing(task))

    def hear(event):
        if isinstance(event, events.Benched):
            benched.set()

    report, log = await run(setup, first_two_are_fine, hears=hear)
    assert (True, "") == (report.over, report.halted)
    assert [1, 3, 2] == [block.seed for block in stored(setup)]
    assert ["B"] == [row.bot for row in report.standings.rows if row.benched]
    with Store.open(setup.database, create=False) as store:
        assert {} == asking(store).running_failures(4)
        assert report.standings == standings_of(setup, store)

    report, again = await run(setup)
    assert log.of(events.Benched) == again.of(events.Benched)
    assert ["B"] == [row.bot for row in report.standings.rows if row.benched]
    assert 3 == len(stored(setup))


async def test_the_format_hears_of_blocks_and_benches_in_the_order_of_commits(tmp_path):
    """Not that of the spec, and when resuming too: in a knockout it decides who goes on."""
    setup = setup_in(tmp_path, bots=4, seeds=(1, 2, 3), bench_after=2)

    def b_then_a(task):
        (block,) = task.blocks
        worst = next((bot for bot in "CA" if bot in block.bots), None)
        return one_by_one(task if worst is None else crashing(task, worst))

    class Listening(Wrapped):
        def __init__(self):
            super().__init__(format_of(setup))
            self.heard, self.out = [], []

        def hear(self, played):
            self.heard.append(setup.block_id(played.bots, setup.opening(played.opening)))

        def record(self, played):
            self.hear(played)
            self._real.record(played)

        def bench(self, *bots):
            self.out += bots
            self._real.bench(*bots)

        def resume(self, stored, benched):
            self.out += benched
            for played, out in stored:
                self.hear(played)
                self.out += out
            self._real.resume(stored, benched)

    first, second = Listening(), Listening()
    await run(setup, b_then_a, format_=first)
    assert {"A", "C"} == set(first.out)
    await run(setup, format_=second)
    assert [block.id for block in stored(setup)] == first.heard == second.heard
    assert first.out == second.out


@pytest.mark.parametrize(
    "threads", [*(pytest.param(few, marks=pytest.mark.long) for few in (1, 2)), 8]
)
async def test_a_bot_that_fails_every_match_loses_no_more_than_bench_it(tmp_path, threads):
    """However many play at once, and though a second's worth of its blocks would be many."""
    setup = setup_in(
        tmp_path, bots=3, behaviour={"B": "crash"}, seeds=tuple(range(1, 81)), bench_after=5
    )
    tasks = []

    def quick(task):
        tasks.append([block.bots for block in task.blocks])
        return [attrs.evolve(one, seconds=0.001) for one in play(task)]

    report, _ = await run(setup, quick, threads=threads)
    assert report.over
    # Two matches a block: the third block benches it.
    assert 3 == sum("B" in block.bots for block in stored(setup))
    assert all(len(blocks) == 1 for blocks in tasks if any("B" in bots for bots in blocks))
    assert max(map(len, tasks)) > 80 / 8 / 2


async def test_a_bot_that_begins_to_fail_is_handed_out_block_by_block(tmp_path):
    """From its first failure on it has no more blocks in hand than would bench it."""
    setup = setup_in(tmp_path, seeds=tuple(range(1, 13)), bench_after=7)
    went_well = threading.Event()

    def first_is_fine(task):
        if "B" not in task.contestants:
            return one_by_one(task)
        (block,) = task.blocks
        if (block.bots, block.opening.seed) == (("A", "B"), 1):
            return one_by_one(task)
        # After the good one is stored, as a good one ends the count of failures.
        assert went_well.wait(PATIENCE)
        return one_by_one(crashing(task))

    def hear(event):
        if isinstance(event, events.BlockDone) and event.bots == ("A", "B"):
            went_well.set()

    report, log = await run(setup, first_is_fine, threads=4, hears=hear)
    assert report.over
    assert 1 == len(log.of(events.Benched))
    # The good block, and four more: the fourth benches it.
    assert 1 + 4 == sum("B" in block.bots for block in stored(setup))
    assert 12 == sum({"A", "C"} == set(block.bots) for block in stored(setup))


@pytest.mark.parametrize("format_name", list(FormatName))
async def test_blocks_of_it_that_wait_are_given_back(tmp_path, format_name):
    """Taken from the format ahead; it is over without them."""
    setup = setup_in(
        tmp_path,
        bots=2,
        behaviour={"B": "crash"},
        seeds=tuple(range(1, 7)),
        format=format_name,
        bench_after=2,
        **({} if format_name in ("round-robin", "gauntlet") else {"blocks": 6}),
    )
    log = Log()
    with directing(setup, one_by_one, threads=1, on_event=log) as director:
        ahead = itertools.islice(iter(director._next, None), 6)
        director._waiting.extend(map(_Wanted, ahead))
        report = await director.run()
    assert (True, "") == (report.over, report.halted)
    assert ["B"] == [event.bot for event in log.of(events.Benched)]
    assert 1 == len(stored(setup))


async def test_fewer_failures_are_borne_than_before(tmp_path):
    setup = setup_in(tmp_path, bots=2, behaviour={"B": "crash"}, seeds=(1, 2), bench_after=9)
    _, log = await run(setup)
    assert [] == log.of(events.Benched)
    stricter = setup_in(tmp_path, bots=2, behaviour={"B": "crash"}, seeds=(1, 2, 3), bench_after=4)
    for _ in range(2):
        report, log = await run(stricter)
        (benched,) = log.of(events.Benched)
        assert ("B", 4, "crash: B fell over") == (benched.bot, benched.failures, benched.words)
        assert report.over
    assert 2 == len(stored(stricter))
