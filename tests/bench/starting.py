"""Starting a bot: milliseconds until it runs, and until it has run, ended and been reaped.

The bot is /bin/true, the smallest there is, with default limits. Measured beside it, in turns, is
the same with an interpreter for every keeper, as on systems without a fork server.
"""

import time

import trio
from measured import keep, median, processor_seconds

from lanista.bots import syscalls
from lanista.bots.command import environment
from lanista.bots.keeper_process import close_fork_server
from lanista.bots.limits import BotLimits
from lanista.bots.process import start_bot

BOTS = 200
WAYS = ("forked", "interpreter")


def use(way):
    """Have keepers of bots that are started from now on made in this way."""
    syscalls.can_fork_siblings = lambda: way == "forked"


def processor_time():
    """Milliseconds that this process and its children have used."""
    return 1000 * sum(processor_seconds())


async def start():
    """Start a bot and see it end: milliseconds till it runs, in all, and of processor time."""
    env = environment(port=4000, name="bench")
    used = processor_time()
    began = time.perf_counter()
    async with start_bot(["/bin/true"], env, limits=BotLimits()) as bot:
        started = time.perf_counter()
        await bot.exited()
    ended = time.perf_counter()
    assert bot.exit.code == 0, bot.exit
    return 1000 * (started - began), 1000 * (ended - began), processor_time() - used


async def bots():
    """By way, what `start` returned; and the fork server's own processor time, a bot's share."""
    rows = {way: [] for way in WAYS}
    for _ in range(BOTS):
        for way in WAYS:
            use(way)
            rows[way].append(await start())
    used = processor_time()
    close_fork_server()
    share = (processor_time() - used) / BOTS
    return {way: list(zip(*taken, strict=True)) for way, taken in rows.items()}, share


def main():
    of_bots, share = trio.run(bots)
    figures = {}
    for way in WAYS:
        started, ended, used = of_bots[way]
        figures |= {
            f"{way}_ms_to_start": median(started),
            f"{way}_ms_in_all": median(ended),
            f"{way}_least_ms_to_start": round(min(started), 2),
            f"{way}_cpu_ms": round(sum(used) / BOTS + (share if way == "forked" else 0), 2),
        }
    keep("starting", figures)


if __name__ == "__main__":
    main()
