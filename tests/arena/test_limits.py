"""Limits by address: allowances, and slots in which addresses take turns."""

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from lanista.arena import limits
from lanista.arena.limits import Allowance, CrowdError, FairLimiter

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


async def test_only_some_addresses_are_remembered(mock_clock, monkeypatch):
    """The one that was busy last is not forgotten."""
    monkeypatch.setattr(limits, "MAX_ADDRESSES", 10)
    allowance = Allowance(1, 10.0)
    for number in range(100):
        allowance.use(str(number))
        allowance.use(NEAR)
    assert 10 == len(allowance._whole_at)
    assert 0 == allowance.wait("0")
    assert 0 < allowance.wait("99")
    assert 0 < allowance.wait(NEAR)


@pytest.fixture
async def crowd():
    """A function by which tasks of an address ask for a slot, and what they have done."""
    limiter, done, go_on = FairLimiter(1, 8), [], trio.Event()

    async def work(address, scope):
        with scope:
            async with limiter.slot(address):
                done.append(address)
                await go_on.wait()

    async with trio.open_nursery() as nursery:

        async def ask(address, scope=None):
            nursery.start_soon(work, address, scope or trio.CancelScope())
            await wait_all_tasks_blocked()

        yield limiter, ask, done, go_on
        nursery.cancel_scope.cancel()


async def test_addresses_take_turns(crowd):
    _, ask, done, go_on = crowd
    for address in (NEAR, NEAR, NEAR, FAR, FAR):
        await ask(address)
    assert [NEAR] == done
    go_on.set()
    await wait_all_tasks_blocked()
    assert [NEAR, NEAR, FAR, NEAR, FAR] == done


async def test_one_address_has_half_of_the_places(crowd):
    limiter, ask, _, _ = crowd
    for address in (FAR, *[NEAR] * 4):
        await ask(address)
    with pytest.raises(CrowdError):
        async with limiter.slot(NEAR):
            pass
    for address in "abcd":
        await ask(address)
    with pytest.raises(CrowdError):
        async with limiter.slot("e"):
            pass
    assert 8 == sum(map(len, limiter._waiting.values()))


async def test_whoever_leaves_gives_up_its_place(crowd):
    limiter, ask, done, go_on = crowd
    scopes = [trio.CancelScope() for _ in range(3)]
    for scope in scopes:
        await ask(NEAR, scope)
    await ask(FAR)
    scopes[1].cancel()
    scopes[0].cancel()  # while it holds the slot
    await wait_all_tasks_blocked()
    go_on.set()
    await wait_all_tasks_blocked()
    assert [NEAR, NEAR, FAR] == done
    assert (0, {}) == (limiter._working, limiter._waiting)
    async with limiter.slot(NEAR):
        pass
