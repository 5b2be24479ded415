"""`lanista.competition.run` and `run_async`, from whatever kind of program."""

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading

import pytest
import trio

import lanista
from lanista.competition.events import BlockDone

CUP = {
    "name": "cup",
    "game": "angrymob",
    "format": "round-robin",
    "settings": {"move_limit": 20},
    "clock": {"time_init": 0.0, "time_move": 0.0, "stall_margin": 600.0},
    "concurrency": 1,
    "bots": [{"name": name, "command": name} for name in ("RandomRunners", "CamperJoe")],
}
SHORT = {**CUP, "seeds": [1]}
LONG = {**CUP, "seeds": list(range(2000))}


@pytest.mark.usefixtures("in_threads")
def test_within_a_loop_of_asyncio(here, run_asyncio):
    """Both the sync and the async function work there, as in a notebook."""

    async def main():
        ticks = []

        async def tick():
            while True:
                ticks.append(1)
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        first = lanista.competition.run({**SHORT, "name": "first"})
        assert len(ticks) <= 1  # the loop stood still
        second = await lanista.competition.run_async({**SHORT, "name": "second"})
        assert len(ticks) > 1
        ticking.cancel()
        return first, second

    first, second = run_asyncio(main)
    assert (True, True) == (first.over, second.over)
    scores = [[row["score"] for row in report.matches()] for report in (first, second)]
    assert 4 == len(scores[0])
    assert scores[0] == scores[1]


@pytest.mark.usefixtures("in_threads")
async def test_within_a_loop_of_trio():
    """Its report can be sent to another process, as the processes of a pool do with results."""
    report = await lanista.competition.run_async({**SHORT, "name": "one"})
    assert report.over
    assert report.matches() == pickle.loads(pickle.dumps(report)).matches()
    assert lanista.competition.run({**SHORT, "name": "two"}).over


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_it_and_it_goes_on_later(here):
    """Events are told in the caller's thread; no process is left, as after every test here."""
    stored = []
    threads = set()

    def on_event(event):
        threads.add(threading.get_ident())
        stored.extend([event] if isinstance(event, BlockDone) else [])
        if len(stored) == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        lanista.competition.run(LONG, on_event=on_event)
    assert {threading.get_ident()} == threads
    begun = []
    report = lanista.competition.run({**LONG, "seeds": [0, 1, 2]}, on_event=begun.append)
    assert report.over
    assert begun[0].progress.played >= 1


def test_what_a_callback_raises_ends_it():
    def on_event(event):
        raise KeyError(type(event).__name__)

    with pytest.raises(KeyError):
        lanista.competition.run(LONG, on_event=on_event)


async def test_one_that_is_cancelled_is_over():
    with trio.CancelScope() as scope:
        await lanista.competition.run_async(LONG, on_event=lambda _: scope.cancel())
    assert scope.cancelled_caught


def test_without_a_loop_the_async_form_says_so():
    coroutine = lanista.competition.run_async(LONG)
    with pytest.raises(RuntimeError, match="await this in a loop of trio or asyncio"):
        coroutine.send(None)


CELLS = """
import signal
from IPython.core.interactiveshell import InteractiveShell

def interrupt(event):
    signal.raise_signal(signal.SIGINT)

shell = InteractiveShell.instance()
shell.user_ns.update(SHORT={short!r}, LONG={long!r}, interrupt=interrupt)
assert shell.run_cell("import lanista").success
assert shell.run_cell("report = await lanista.competition.run_async(SHORT)").success
assert shell.user_ns["report"].over
ended = shell.run_cell("lanista.competition.run(LONG, on_event=interrupt)")
assert isinstance(ended.error_in_exec, KeyboardInterrupt), ended
assert shell.run_cell("report = None").success
"""


def test_in_a_cell_of_ipython(here):
    """Interrupting the cell ends the tournament; the shell goes on.

    In a process of its own, as IPython wants the main thread's event loop for itself.
    """
    pytest.importorskip("IPython")
    program = CELLS.format(short=SHORT, long=LONG)
    environment = os.environ | {"IPYTHONDIR": str(here / "ipython")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=here, env=environment, capture_output=True, text=True
    )
    assert 0 == done.returncode, done.stdout + done.stderr
