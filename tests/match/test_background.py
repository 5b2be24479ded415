"""Work that is no match's leaves the loop to the matches, however much of it there is."""

from itertools import pairwise

import pytest
import trio

from lanista.match.background import PIECE_TIME, PIECES, BackgroundWork
from lanista.match.connection import Connection
from support.memory import channel_pair

HELLOS = 300


async def test_hellos_that_come_at_once_are_read_few_at_a_time(autojump_clock):
    """No more than PIECES of them in a pass of the loop, in which a match's task has a step."""
    background = BackgroundWork()
    read, seen = [], []

    async def greet(channel, number):
        await Connection(channel, background=background).read_hello()
        read.append(number)

    async def match():
        while len(read) < HELLOS:
            seen.append(len(read))
            await trio.lowlevel.checkpoint()
        seen.append(len(read))

    async with trio.open_nursery() as nursery:
        ends = []
        for number in range(HELLOS):
            channel, bot = channel_pair()
            ends.append(bot)
            nursery.start_soon(greet, channel, number)
        await trio.testing.wait_all_tasks_blocked()
        for bot in ends:
            bot.write_now(b"Ann v=1\n", stamp=None)
        nursery.start_soon(match)
    steps = [after - before for before, after in pairwise(seen)]
    assert HELLOS == sum(steps)
    # Who runs first in a pass is chance: the end of one and the beginning of the next may be met.
    assert 2 * PIECES >= max(steps)
    assert len(steps) < HELLOS  # and not one at a time


async def test_work_is_counted_by_address_and_time(mock_clock):
    background = BackgroundWork()
    for host, seconds in (("near", 1), ("far", 2), ("near", 4)):
        async with background.piece(host):
            mock_clock.jump(seconds)
    assert 5 == pytest.approx(background.done.spent("near", 0.0))
    assert 4 == pytest.approx(background.done.spent("near", 1.5))
    assert 0 == background.done.spent("near", 7.0)
    assert 0 == background.done.spent("nobody", 0.0)
    async with background.piece("far"):
        pass  # nothing to be measured is reckoned all the same
    assert PIECE_TIME == background.done.spent("far", 7.0 - 1e-9)


async def test_addresses_take_turns(autojump_clock):
    """One piece of an address that comes after a crowd of another is done among the first."""
    background = BackgroundWork(1)
    done = []

    async def work(host):
        async with background.piece(host):
            done.append(host)

    async with trio.open_nursery() as nursery, background.piece("first"):
        for _ in range(100):
            nursery.start_soon(work, "crowd")
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(2):
            nursery.start_soon(work, "few")
        await trio.testing.wait_all_tasks_blocked()
    assert ["crowd", "few", "crowd", "few", "crowd"] == done[:5]
    assert 102 == len(done)


async def test_who_gives_up_waiting_leaves_the_place_to_others(autojump_clock):
    background = BackgroundWork(1)
    for _ in range(3):
        async with trio.open_nursery() as nursery:

            async def work():
                async with background.piece("gives up"):
                    pytest.fail("it was cancelled")

            async with background.piece("first"):
                nursery.start_soon(work)
                await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()
    with trio.CancelScope() as scope:
        scope.cancel()
        async with background.piece("gives up"):
            pytest.fail("it was cancelled")
    with trio.fail_after(1):
        async with background.piece("next"):
            pass
