"""How late the event loop is while names and tokens of 100 hellos a second are checked.

Spans with hellos and spans without take turns, as the machine itself makes a loop late too. Of the
hellos a half brings a token that was right lately; the others bring one that must be compared or
hashed: right ones of names that come for the first time, wrong ones, and new names, from many
addresses. There are more of these than a core can compare, so many still wait when a span ends.
A machine that does nothing else is needed to see the loop itself.
"""

import logging
import random
import tempfile
from collections import Counter

import structlog
import trio
from measured import keep, percentile

from lanista.arena import tokens
from lanista.arena.names import LOOK_INTERVAL, Names
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.names import NameStore, Registrar
from lanista_protocol import Hello, RemoteProtocolError

HELLOS_A_SECOND = 100
SPAN = 4.0
SPANS = 3
KNOWN = 500
"""Names that are registered before, with hashes that cost nothing to make."""
TICK = 0.001


async def watch(late):
    """Note again and again how many milliseconds late the event loop is, until cancelled."""
    while True:
        due = trio.current_time() + TICK
        await trio.sleep(TICK)
        late.append((trio.current_time() - due) * 1000)


def hello(number, chance):
    match number % 6:
        case 0:
            return Hello(name=f"known{chance.randrange(KNOWN)}", token="right")
        case 1:
            return Hello(name=f"known{chance.randrange(KNOWN)}", token=f"wrong{number}")
        case 2:
            return Hello(name=f"new{number}", token="right")
        case _:
            return Hello(name="regular", token="right")


async def span(late, names, numbers, outcomes):
    """Watch the loop while hellos come; there are none if there are no numbers for them."""
    chance = random.Random(1)

    async def check(number):
        address = f"10.0.{number % 40}.1"
        try:
            await names.check(hello(number, chance), address)
        except RemoteProtocolError as error:
            outcomes[error.code.value] += 1
        else:
            outcomes["in"] += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch, late)
        with trio.move_on_after(SPAN):
            if numbers is None:
                await trio.sleep_forever()
            while True:
                nursery.start_soon(check, next(numbers))
                await trio.sleep(1 / HELLOS_A_SECOND)
        nursery.cancel_scope.cancel()


def figures(values):
    """Return the median, the 99th percentile and the maximum."""
    return [round(percentile(values, share), 2) for share in (0.5, 0.99, 1)]


async def main():
    hashed = tokens.hash_of("right")
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as folder, Database.of_arena(DataFolder(folder)) as database:
        store = NameStore(database)
        for number in range(KNOWN):
            store.register(f"known{number}", hashed, Registrar.OPERATOR)
        names = Names(store, is_open=True)
        without, under = [], []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(names.run)
            await names.check(Hello(name="regular", token="right"), "10.0.0.1")
            await trio.sleep(2 * LOOK_INTERVAL)
            numbers = iter(range(10**9))
            for _ in range(SPANS):
                await span(without, names, None, outcomes)
                await span(under, names, numbers, outcomes)
            nursery.cancel_scope.cancel()
    keep(
        "names",
        {
            "hellos_a_second": HELLOS_A_SECOND,
            "outcomes": dict(outcomes),
            "loop_late_ms_median_p99_most_without": figures(without),
            "loop_late_ms_median_p99_most": figures(under),
            "aim": "hellos don't make the loop later than 10 ms",
        },
    )


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    trio.run(main)
