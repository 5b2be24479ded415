"""Which bots are kept for another match, on a ladder and in a tournament."""

import pytest
import trio
import trio.testing

from lanista.arena.ladder_matches import LadderMatches
from lanista.bots.limits import BotLimits
from lanista.bots.process import Bot, Exit
from lanista.hosting.bot_pool import Contestant, PooledBot
from lanista.match.connection import Connection


@pytest.fixture
async def pooled():
    """A bot that stays for further matches, and was started an hour ago."""
    contestant = Contestant(name="Ann", command=("./ann",), limits=BotLimits(cpu=60), restart=False)
    began = trio.current_time() - 3600
    return PooledBot(contestant, "key", Bot(("./ann",)), Connection(None), 0.1, began)


async def test_a_bot_stays_while_it_can_play(pooled):
    assert pooled.may_play_again
    pooled.bot.settle(Exit(code=0))
    assert not pooled.may_play_again


@pytest.mark.parametrize(("used", "stays"), [(29, True), (31, False)])
async def test_a_ladder_starts_a_bot_afresh_before_it_breaks_its_limit(
    monkeypatch, pooled, nursery, used, stays
):
    """The limit of processor time is one match's, but the kernel counts from the start."""
    monkeypatch.setattr(Bot, "cpu_used", lambda _: used)
    ladders = LadderMatches(None, {})
    ladders.open(nursery)
    nursery.start_soon(ladders._give_back, pooled)
    await trio.testing.wait_all_tasks_blocked()
    assert stays is not pooled.leave.is_set()
