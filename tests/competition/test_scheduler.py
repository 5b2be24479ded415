"""The size of tasks; the rest is tested with the two kinds of schedulers, here and in library/."""

import pytest

from lanista.competition import events
from lanista.competition.executors import Workers
from lanista.competition.formats.base import Progress
from lanista.competition.scheduler import MAX_BLOCKS, Scheduler
from lanista.competition.worker import Finished
from lanista.games.outcome import Ending
from lanista.results.match_result import BlockResult
from results.samples import match, seat

CRASHED = match(0, seat("a", 1, Ending.CRASH), end="forfeit", seconds=0.001)


def took(seconds, *matches):
    result = BlockResult(block="x", bots=("a", "b"), matches=matches)
    return Finished(result=result, records={}, seconds=seconds)


class Idle(Workers):
    """Workers that are never given a task."""

    def submit(self, *task):
        raise AssertionError(task)

    def terminate(self):
        pass

    def close(self, *_):
        pass


class Sizing(Scheduler):
    """A scheduler that only says how large tasks should be."""

    progress = Progress(played=0, planned=None)
    running = 0
    _next = _record = _playing = None

    def __init__(self, slots=2):
        super().__init__(None, {}, Idle())
        self._workers.slots = slots

    def after(self, *finished):
        self._learn(finished)
        return self._task_size()


@pytest.mark.parametrize(
    ("seconds", "size"), [(3.0, 1), (0.6, 1), (0.25, 4), (0.001, MAX_BLOCKS), (0, MAX_BLOCKS)]
)
def test_a_task_takes_about_a_second(seconds, size):
    scheduler = Sizing()
    assert 1 == scheduler.after(), "nothing is known yet"
    assert size == scheduler.after(*[took(seconds)] * 3)


def test_it_follows_what_tasks_take():
    scheduler = Sizing()
    scheduler.after(took(0.1))
    # 0.7 · 0.1 + 0.3 · 0.5 = 0.22
    assert 4 == scheduler.after(took(0.5))


def test_near_the_end_all_slots_have_something_left():
    scheduler = Sizing(slots=4)
    scheduler.progress, scheduler.running = Progress(played=80, planned=100), 5
    # 100 - 80 - 5 = 15, for four slots
    assert 4 == scheduler.after(took(0.001))
    scheduler.progress, scheduler.running = Progress(played=100, planned=100), 0
    assert 1 == scheduler.after()


def test_blocks_in_which_a_bot_failed_say_nothing():
    crashed = took(0.001, CRASHED)
    scheduler = Sizing()
    assert 1 == scheduler.after(crashed)
    assert 4 == scheduler.after(took(0.25), crashed)


async def test_the_threads_of_a_cluster_are_counted_before_the_first_task():
    """They are told, as the workers hadn't been reached when the run began."""
    scheduler = Sizing(slots=1)
    told = []
    scheduler._next, scheduler._emit = lambda: None, told.append
    scheduler._workers.count_threads = lambda: 3
    await scheduler._play()
    assert [events.Resized(slots=3, workers=3)] == told
    assert 3 == scheduler._workers.slots


@pytest.mark.parametrize(
    ("counts", "told"), [([0], [0]), ([1], []), ([0, 0, 1, 1, 0], [0, 1, 0]), ([None, 1], [])]
)
async def test_a_cluster_without_workers_is_told_though_it_has_a_slot(counts, told):
    scheduler = Sizing(slots=1)
    emitted = []
    scheduler._next, scheduler._emit = lambda: None, emitted.append
    scheduler._workers.count_threads = lambda: counts[0]
    await scheduler._play()
    for count in counts[1:]:
        scheduler._resize(count)
    assert [events.Resized(slots=1, workers=count) for count in told] == emitted
    assert 1 == scheduler._workers.slots
