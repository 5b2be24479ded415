"""What these tests share: bots as `lanista check` takes them."""

import sys
from pathlib import Path

from lanista.check.bout import Tested
from lanista.games import registry
from lanista.hosting.bot_pool import Contestant
from lanista.match.conditions import Clock

HERE = Path(__file__).parent


def mode(name):
    """The words of this folder's bot that does one thing wrong."""
    return (sys.executable, "-S", str(HERE / "bot.py"), name)


def under_check(words, *, game="angrymob", time_move=5.0, time_start=30.0):
    """A bot under check; the clock is generous unless the test is about it."""
    return Tested(
        bot=Contestant(name="tested", command=words),
        ruleset=registry.get(game),
        seed=5,
        clock=Clock(time_init=20.0, time_move=time_move, time_start=time_start),
    )
