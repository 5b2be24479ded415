"""What the tests of the director share: a run in threads of this process, and what it told."""

import contextlib

import attrs
import trio

from support.tournament import directing, play

BLOCKS = 12
"""Three bots are three pairs; four seeds."""
PATIENCE = 60
"""Seconds that a thread is waited for; nothing is expected to need them."""


class Log(list):
    """The events of a run, which a function may hear, too."""

    def __init__(self, hears=lambda _: None):
        super().__init__()
        self._hears = hears

    def __call__(self, event):
        self.append(event)
        self._hears(event)

    def of(self, kind):
        return [event for event in self if isinstance(event, kind)]


def one_by_one(task):
    """Play slowly, so that tasks are of one block each."""
    return [attrs.evolve(one, seconds=2.0) for one in play(task)]


def crashing(task, bot="B"):
    """The task with a bot that crashes in each of its matches."""
    bad = attrs.evolve(task.contestants[bot], environment={"FAKE": "crash"})
    return attrs.evolve(task, contestants={**task.contestants, bot: bad})


class Wrapped:
    """A store or a format of which a test changes something."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        return getattr(self._real, name)


async def happens(event):
    """Wait for another thread's event."""
    assert await trio.to_thread.run_sync(event.wait, PATIENCE)


async def run(setup, play_task=play, *, hears=lambda _: None, **more):
    """Run a tournament to its end: the report, and what was told, which `hears` hears, too."""
    log = Log(hears)
    with directing(setup, play_task, on_event=log, **more) as director:
        return await director.run(), log


@contextlib.asynccontextmanager
async def running(director):
    """Run it beside the block, which a list is given that has its report afterwards."""
    reports = []

    async def main():
        reports.append(await director.run())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(main)
        yield reports
