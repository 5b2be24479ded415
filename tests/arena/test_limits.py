"""Limits for each of many keys: allowances, and turns."""

import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from lanista.arena import limits
from lanista.arena.limits import Allowance, LogLimit, Turns

NEAR, FAR = "10.0.0.1", "10.0.0.2"


async def test_some_at_once_then_one_at_a_time(mock_clock):
    allowance = Allowance(3, 10.0)
    for _ in range(3):
        assert 0 == allowance.wait(NEAR)
        allowance.use(NEAR)
    assert (10, 0) == (allowance.wait(NEAR), allowance.wait(FAR))
    mock_clock.jump(4)
    assert 6 == allowance.wait(NEAR)
    mock_clock.jump(6)
    assert 0 == allowance.wait(NEAR)
    allowance.use(NEAR)
    assert 10 == allowance.wait(NEAR)
    allowance.give_back(NEAR)
    assert 0 == allowance.wait(NEAR)
    # After a long time it is whole again, and no more than that.
    mock_clock.jump(1000)
    for _ in range(3):
        assert 0 == allowance.wait(NEAR)
        allowance.use(NEAR)
    assert 10 == allowance.wait(NEAR)


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=60))
def test_an_allowance_holds_in_every_span_of_time(steps):
    """In no span of time more than the first ones and one for each interval."""

    async def main():
        allowance, used = Allowance(3, 10.0), []
        for pause, comes_back in steps:
            clock.jump(pause)
            if not allowance.wait(NEAR):
                allowance.use(NEAR)
                if comes_back:
                    allowance.give_back(NEAR)
                else:
                    used.append(trio.current_time())
        for first, began in enumerate(used):
            for last, ended in enumerate(used[first:], 1):
                assert last <= 3 + (ended - began) / 10

    clock = MockClock()
    trio.run(main, clock=clock)


async def test_only_some_keys_are_remembered(mock_clock, monkeypatch):
    """The one that was busy last is not forgotten."""
    monkeypatch.setattr(limits, "MAX_KEYS", 10)
    allowance = Allowance(1, 10.0)
    for number in range(100):
        allowance.use(str(number))
        allowance.use(NEAR)
    assert 10 == len(allowance._whole_at)
    assert 0 == allowance.wait("0")
    assert 0 < allowance.wait("99")
    assert 0 < allowance.wait(NEAR)


async def test_whoever_waits_is_woken_when_it_is_allowed(autojump_clock):
    """Not before, also if more was used meanwhile."""
    allowance = Allowance(1, 10.0)

    async def wait_for(key):
        async with allowance.turn(key):
            pass

    allowance.use(NEAR)
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for, NEAR)
        await wait_all_tasks_blocked()
        await wait_for(FAR)
        assert began == trio.current_time()
        allowance.use(NEAR)
    assert 20 == trio.current_time() - began


async def test_tasks_take_turns_in_the_order_in_which_they_came():
    """Each key has its own. Whoever leaves isn't waited for, and nothing is kept."""
    turns, done, go_on = Turns(), [], trio.Event()

    async def work(key, number, scope):
        with scope:
            async with turns.turn(key):
                done.append((key, number))
                await go_on.wait()

    scopes = [trio.CancelScope() for _ in range(4)]
    async with trio.open_nursery() as nursery:
        for number, scope in enumerate(scopes):
            nursery.start_soon(work, NEAR, number, scope)
            await wait_all_tasks_blocked()
        nursery.start_soon(work, FAR, 0, trio.CancelScope())
        await wait_all_tasks_blocked()
        assert [(NEAR, 0), (FAR, 0)] == done
        scopes[1].cancel()
        scopes[0].cancel()  # in its turn
        await wait_all_tasks_blocked()
        assert [(NEAR, 2)] == done[2:]
        go_on.set()
    assert [(NEAR, 3)] == done[3:]
    assert {} == turns._locks
    with trio.CancelScope() as scope:
        scope.cancel()
        async with turns.turn(NEAR):
            done.append(None)
    assert 4 == len(done)
    assert {} == turns._locks


async def test_a_task_that_is_cancelled_takes_nobodys_turn():
    """Also if its turn would have come before it noticed that."""
    turns, done, scope = Turns(), [], trio.CancelScope()

    async def work(scope):
        with scope:
            async with turns.turn(NEAR):
                done.append(scope)

    async with trio.open_nursery() as nursery:
        async with turns.turn(NEAR):
            nursery.start_soon(work, scope)
            await wait_all_tasks_blocked()
            scope.cancel()
        async with turns.turn(NEAR):
            await wait_all_tasks_blocked()  # it leaves
            nursery.start_soon(work, other := trio.CancelScope())
            await wait_all_tasks_blocked()
            assert [] == done
    assert [other] == done
    assert {} == turns._locks


async def test_log_lines_are_left_out_until_the_interval_is_over(mock_clock):
    """They are counted, and so they can be told of with the next one."""
    lines, written = LogLimit(2, 10.0), []

    def log(times):
        written.clear()
        for _ in range(times):
            lines.log(lambda event, **details: written.append(details.get("count", event)), "fault")
        return written

    assert ["fault", "fault"] == log(5)
    mock_clock.jump(9)
    assert [] == log(1)
    mock_clock.jump(1)
    assert [4, "fault", "fault"] == log(3)
    mock_clock.jump(1000)
    assert [1, "fault"] == log(1)
    mock_clock.jump(10)
    assert ["fault"] == log(1)
