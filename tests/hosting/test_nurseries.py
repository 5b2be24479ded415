"""The nursery of tasks that serve a block."""

import pytest
import trio

from lanista.nurseries import helpers_nursery


async def test_what_the_block_raises_comes_as_it_is_when_the_helpers_have_ended():
    ended = []

    async def help_out():
        try:
            await trio.sleep_forever()
        finally:
            ended.append(True)

    async def work():
        async with helpers_nursery() as nursery:
            nursery.start_soon(help_out)
            await trio.lowlevel.checkpoint()
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        await work()
    assert [True] == ended


async def test_the_helpers_end_with_the_block():
    async with helpers_nursery() as nursery:
        nursery.start_soon(trio.sleep_forever)


async def test_a_helpers_own_error_is_not_lost():
    async def fail():
        raise ValueError("a fault")

    async def work():
        async with helpers_nursery() as nursery:
            nursery.start_soon(fail)
            await trio.sleep_forever()

    with pytest.raises(ExceptionGroup) as caught:
        await work()
    assert caught.group_contains(ValueError, match="a fault")
