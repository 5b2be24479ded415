"""How much of matches' work a pass of the event loop does."""

import time
from collections import Counter

import pytest
import trio

from lanista.match import stalls as stalls_module
from lanista.match.judge import LONG_LINE, MANY_REFUSED
from lanista.match.stalls import PASS_TIME, SHARED_AFTER, PassLimit, StallMonitor
from match.playing import COUNTING, SKIPPERS, answers, sit


class Passes(trio.abc.Instrument):
    """Counts the passes of the event loop."""

    count = 0

    def after_io_wait(self, timeout):  # noqa: ARG002 - trio's interface
        self.count += 1


@pytest.fixture
def spent(monkeypatch):
    """The time, which a test spends."""
    spent = [0.0]
    monkeypatch.setattr(stalls_module.time, "perf_counter", lambda: spent[0])
    return spent


@pytest.fixture
async def limit():
    limit, passed = PassLimit(), Passes()
    trio.lowlevel.add_instrument(limit)
    trio.lowlevel.add_instrument(passed)
    return limit, passed


async def work(limit, passed, spent, seconds, times, done):
    for _ in range(times):
        await limit.wait()
        spent[0] += seconds
        done[passed.count] += 1
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize(
    ("seconds", "most"), [(0.4 * PASS_TIME, 3), (0.9 * PASS_TIME, 2), (2 * PASS_TIME, 1)]
)
async def test_a_pass_ends_when_it_has_worked_for_long(limit, spent, seconds, most):
    """With the match that makes it long; all have their turns in the end."""
    done = Counter()
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(work, *limit, spent, seconds, 5, done)
    assert 100 == done.total()
    assert most == max(done.values())


async def test_a_short_pass_lets_everyone_through(limit, spent):
    done = Counter()
    await trio.lowlevel.checkpoint()
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(work, *limit, spent, 0.01 * PASS_TIME, 1, done)
    assert [20] == list(done.values())


@pytest.mark.parametrize(
    ("answer", "waits_a_turn"),
    [("1", 1), ("1" + " " * LONG_LINE, 1 + 3), ("1" + " 1" * (MANY_REFUSED + 1), 1 + 3)],
)
async def test_matches_wait_between_the_answers_and_the_next_turn(
    tmp_path, monkeypatch, answer, waits_a_turn
):
    """They also wait before each long answer and many messages, which could all be in one pass."""
    waits = []

    async def wait(self):
        waits.append(self)
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(PassLimit, "wait", wait)
    stalls = StallMonitor()
    hellos = [f"{hello} notes=1" for hello in SKIPPERS]
    table = sit(tmp_path, COUNTING, hellos, settings={"rounds": 3}, stalls=stalls)
    await table.play(*[answers(answer, answer, answer)] * 3)
    assert [stalls.passes] * 3 * waits_a_turn == waits


async def test_a_match_that_need_not_wait_goes_on_in_a_pass_that_has_just_begun(limit, spent):
    """Turn after turn, until the pass is shared with the other tasks."""
    limit, passed = limit
    await trio.lowlevel.checkpoint()
    first, turns = passed.count, 0
    while passed.count == first:
        turns += 1
        spent[0] += 0.3 * SHARED_AFTER
        await limit.share()
    assert 4 == turns


async def test_a_pass_that_is_not_measured_is_shared_at_once():
    """Without a heartbeat nobody measures a pass, so each match shares each of them."""
    passed = Passes()
    trio.lowlevel.add_instrument(passed)
    for turns in range(1, 4):
        await PassLimit().share()
        assert turns == passed.count


async def test_the_heartbeat_measures_passes(autojump_clock):
    """Without it, as in a test, nobody waits."""
    stalls = StallMonitor()
    assert not stalls.passes._is_over
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stalls.beat)
        await trio.sleep(1)
        assert stalls.passes._began <= time.perf_counter()
        nursery.cancel_scope.cancel()
    with pytest.raises(KeyError):
        trio.lowlevel.remove_instrument(stalls.passes)
