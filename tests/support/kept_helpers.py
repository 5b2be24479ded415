"""Helper processes that stay from test to test: to start one costs half a second of processor time.

They have the usual priority, as a test waits for them beside other tests, not beside matches. A
test that is about the start or the end of such a process does without this.
"""

import contextlib
from collections import defaultdict

import attrs
import trio

from lanista.helper_processes import ENDING_TIME, HelperProcess

FORGET = """
import sys
if "lanista.page.replay_worker" in sys.modules:
    sys.modules["lanista.page.replay_worker"]._worker = None
"""
"""What a process does between two tests, as it keeps something from call to call."""


@attrs.frozen
class _Opened:
    """What has opened a helper's context; when it is closed, its idle process is left."""

    opened: object
    context: object
    left: list

    async def __aexit__(self, *raised):
        idle = self.context._worker_cache
        idle.prune()
        self.left.extend(idle)
        idle.clear()
        await self.opened.__aexit__(*raised)


@contextlib.contextmanager
def helper_pool():
    """The processes that tests leave, by the memory that they may use; they end with this."""
    pool = defaultdict(list)
    yield pool
    for worker in [worker for alike in pool.values() for worker in alike]:
        worker.shutdown()
        worker.proc.join(ENDING_TIME)


@contextlib.contextmanager
def keeping(monkeypatch, pool):
    """Have helpers begin with a process of the pool, which gets it back at the end."""
    open_ = HelperProcess._open
    left = defaultdict(list)

    async def open_kept(helper):
        helper.niceness = 0
        await open_(helper)
        kind = helper.max_memory
        helper._opened = _Opened(helper._opened, helper._context, left[kind])
        with contextlib.suppress(IndexError):
            helper._context._worker_cache.append(pool[kind].pop())

    monkeypatch.setattr(HelperProcess, "_open", open_kept)
    yield
    for kind, workers in left.items():
        for worker in workers:
            trio.run(worker.run_sync, exec, FORGET)
            pool[kind].append(worker)
