"""How long matches that begin together keep one daemon's event loop from everything else.

    python tests/bench/beginnings.py [MATCHES ...]

A real daemon in a process of its own, in which an instrument of trio's times every step of a task,
from one `await` to the next, and every pass of the loop. All its bots live in one other process,
and wait in the lobby until all matches are complete.

Steps and passes are told by the wall clock; by the processor time of the loop's thread; and by that
of all threads of the daemon, as the loop may have to wait for one of them. So on a busy machine the
last two tell what the arena itself has caused.
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
from measured import keep, listening
from thinking import bots, judged

MATCHES = (100,)
SEATS = 4
ROUNDS = 20
BOUNDS = (5, 10, 20, 50)
"""Milliseconds above which steps and passes are counted."""


# -- the daemon ------------------------------------------------------------------------------------


CLOCKS = {
    "wall": time.perf_counter,
    "loop_processor": time.thread_time,
    "all_processor": time.process_time,
}


class Spans(trio.abc.Instrument):
    """The durations of all steps and passes of an event loop since its first match began.

    They are kept in arrays: a list for each of them would give the garbage collector more to search
    than all matches do, and so make the steps longer that are measured.
    """

    def __init__(self):
        self.names = []  # of the tasks of the steps
        self.steps = [array("d") for _ in CLOCKS]  # by clock, seconds
        self.passes = [array("d") for _ in CLOCKS]
        self.collections = [0, 0, 0]  # by generation, milliseconds of the longest collection
        self.pass_began = self.step_began = None
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

    def after_io_wait(self, timeout):  # noqa: ARG002 - trio's interface
        self.pass_began = now() if self.measures else None

    def before_io_wait(self, timeout):  # noqa: ARG002 - as above
        if self.pass_began is not None:
            keep_since(self.pass_began, self.passes)

    def before_task_step(self, task):  # noqa: ARG002 - as above
        self.step_began = now() if self.measures else None

    def after_task_step(self, task):
        if self.step_began is not None:
            self.names.append(task.name)
            keep_since(self.step_began, self.steps)


def now():
    return [clock() for clock in CLOCKS.values()]


def keep_since(began, durations):
    for clock, before, kept in zip(CLOCKS.values(), began, durations, strict=True):
        kept.append(clock() - before)


def milliseconds(durations):
    """The worst duration, and how many are over each bound."""
    durations = [1000 * seconds for seconds in durations]
    over = {f"over_{bound}": sum(took > bound for took in durations) for bound in BOUNDS}
    return {"worst_ms": round(max(durations), 1), **over}


def daemon(figures, words):
    """Run a command of Lanista with the instrument, and write down what it measured."""
    from lanista.cli import main

    spans = Spans()
    gc.callbacks.append(spans.collecting)
    trio.run = functools.partial(trio.run, instruments=[spans])
    sys.argv = ["lanista", *words]
    try:
        main()
    finally:
        told = {"worst_collections_ms": spans.collections}
        for index, clock in enumerate(CLOCKS):
            told[f"steps_{clock}"] = milliseconds(spans.steps[index])
            told[f"passes_{clock}"] = milliseconds(spans.passes[index])
        worst = Counter()
        for name, took in zip(spans.names, spans.steps[1], strict=True):
            worst[name] = max(worst[name], round(1000 * took, 1))
        told["worst_steps_ms"] = dict(worst.most_common(6))
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
    rows = []
    for matches in [int(word) for word in sys.argv[1:]] or MATCHES:
        rows.append(beginnings(matches))
        print(json.dumps(rows[-1]), flush=True)
    keep("beginnings", {"aim": "worst stall under 10 ms, none misjudged, none void", "rows": rows})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--daemon"]:
        daemon(sys.argv[2], sys.argv[3:])
    else:
        main()
