"""How long matches that begin together keep one daemon's event loop from everything else.

    python tests/bench/beginnings.py [MATCHES ...]

A real daemon in a process of its own, in which an instrument of trio's times every step of a task,
from one `await` to the next, by the processor time of the loop's thread: on a busy machine, too,
that is what the arena itself has caused. All its bots live in one other process, and wait in the
lobby until all matches are complete.
"""

import functools
import gc
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from array import array
from collections import Counter
from pathlib import Path

import trio
from measured import keep, listening, numbers_given, printed
from thinking import bots, judged

MATCHES = (100,)
SEATS = 4
ROUNDS = 20
BOUNDS = (5, 10, 20, 50)
"""Milliseconds above which steps are counted."""


# -- the daemon ------------------------------------------------------------------------------------


class Steps(trio.abc.Instrument):
    """The durations of all steps of an event loop since its first match began.

    They are kept in an array: lists would give the garbage collector more to search than all
    matches do, and so make the steps longer that are measured.
    """

    def __init__(self):
        self.names = []  # of the tasks of the steps
        self.seconds = array("d")
        self.collections = [0, 0, 0]  # by generation, milliseconds of the longest collection
        self.step_began = None
        self.measures = False

    def collecting(self, phase, info):
        """A callback of the garbage collector."""
        if phase == "start":
            self.collection_began = time.thread_time()
        elif self.measures:
            took = round(1000 * (time.thread_time() - self.collection_began), 1)
            generation = info["generation"]
            self.collections[generation] = max(self.collections[generation], took)

    def task_spawned(self, task):
        self.measures |= task.name.endswith("Matches._run")

    def before_task_step(self, task):  # noqa: ARG002 - trio's interface
        self.step_began = time.thread_time() if self.measures else None

    def after_task_step(self, task):
        if self.step_began is not None:
            self.names.append(task.name)
            self.seconds.append(time.thread_time() - self.step_began)


def daemon(figures, words):
    """Run a command of Lanista with the instrument, and write down what it measured."""
    from lanista.cli import main

    steps = Steps()
    gc.callbacks.append(steps.collecting)
    trio.run = functools.partial(trio.run, instruments=[steps])
    sys.argv = ["lanista", *words]
    try:
        main()
    finally:
        took = [1000 * seconds for seconds in steps.seconds]
        worst = Counter()
        for name, milliseconds in zip(steps.names, took, strict=True):
            worst[name] = max(worst[name], round(milliseconds, 1))
        told = {
            "worst_collections_ms": steps.collections,
            "worst_steps_ms": dict(worst.most_common(6)),
            **{f"steps_over_{bound}_ms": sum(each > bound for each in took) for bound in BOUNDS},
        }
        Path(figures).write_text(json.dumps(told))


# -- both ------------------------------------------------------------------------------------------


def beginnings(matches):
    """Begin so many matches together, and play them to their ends."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        words = [
            *("serve", "--port", "0", "--web", "127.0.0.1:0", "--game", "hogwarts"),
            *("--data", folder, "--start", "manual", "--matches", str(matches)),
            *("--set", f"NUM_ROUNDS={ROUNDS}", "--max-connections", "2000"),
            *("--late-limit", "1000"),
        ]
        program = sys.executable, __file__, "--daemon", figures
        with listening(words, program=program, stdin=subprocess.PIPE) as (process, port):
            results, welcomed = multiprocessing.Queue(), multiprocessing.Semaphore(0)
            hellos = [f"b{number} v=1 game=hogwarts keep=1" for number in range(SEATS * matches)]
            args = port, hellos, results, welcomed.release
            host = multiprocessing.Process(target=bots, args=args)
            host.start()
            for _ in hellos:
                welcomed.acquire()
            time.sleep(2)  # the last bots are welcomed before they are in the lobby
            process.stdin.write("\n" * matches)
            process.stdin.flush()
            process.communicate(timeout=600)
            slow = results.get(timeout=60)
            host.join()
        return {"matches": matches, **judged(folder, slow), **json.loads(figures.read_text())}


def main():
    rows = printed(map(beginnings, numbers_given() or MATCHES))
    keep("beginnings", {"aim": "worst stall under 10 ms, none misjudged, none void", "rows": rows})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--daemon"]:
        daemon(sys.argv[2], sys.argv[3:])
    else:
        main()
