"""Which bots of a match have broken a limit, when a stall would make the match void."""

import math
import types

import pytest
import trio

from lanista.bots.limits import NO_LIMITS, BotLimits
from lanista.bots.process import Bot
from lanista.hosting.bot_pool import NOTICE_TIME, limit_breakers

BROKEN = "its process was ended: it had 17 processes; the limit is 16"


def started(limits=None, *, broken=False, gone_at=math.inf):
    """As much of a bot that was started for a match as is looked at."""
    bot = Bot(("./bot",), limits=limits or BotLimits(processes=16), gone_at=gone_at)
    if broken:
        bot.hear("limit processes 16 17")
    return types.SimpleNamespace(bot=bot)


async def test_what_is_known_already_is_not_waited_for(autojump_clock):
    bots = [started(), started(broken=True), started()]
    began = trio.current_time()
    assert {1: BROKEN} == await limit_breakers(bots, began)
    assert trio.current_time() == began


async def test_a_keeper_gets_a_moment_to_notice(autojump_clock):
    bots = [started(), started()]

    async def notice():
        await trio.sleep(NOTICE_TIME / 2)
        bots[0].bot.hear("limit processes 16 17")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(notice)
        assert {0: BROKEN} == await limit_breakers(bots, trio.current_time())


@pytest.mark.parametrize(("limits", "seconds"), [(None, NOTICE_TIME), (NO_LIMITS, 0.0)])
async def test_if_nothing_is_noticed_the_wait_is_short(autojump_clock, limits, seconds):
    """And there is none where no bot has a limit."""
    began = trio.current_time()
    assert {} == await limit_breakers([started(limits)], began)
    assert seconds == pytest.approx(trio.current_time() - began)


async def test_a_bot_that_was_gone_before_the_turn_is_not_to_blame(autojump_clock):
    now = trio.current_time()
    bots = [started(broken=True, gone_at=now - 1), started(broken=True, gone_at=now + 1)]
    assert {1: BROKEN} == await limit_breakers(bots, now)
