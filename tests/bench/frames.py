"""How long the replay worker takes for a frame and its JSON: processor time, in this process.

A match of each game, played by house bots; the lowest of some runs. Also how long the head and the
first frames take, as somebody who opens a record waits for them.
"""

import functools
import itertools
import tempfile
import time
from pathlib import Path

from measured import keep, printed, recorded

from lanista.page.replay_worker import ReplayWorker, work

RUNS = 9
MATCHES = {
    "angrymob": ("RandomRunners", "RandomRunners", "--move-limit", "200", "--map", "meadow"),
    "crematoria": ("Demo", "Dummy", "Demo", "Dummy", "--set", "nb_rounds=200"),
    "hogwarts": ("Demo", "Dummy", "Demo", "Dummy"),
}
jobs = itertools.count(1)


def made(record, folder):
    """Make a record's frames: seconds of all and of the first ones, and their number and bytes."""
    job = next(jobs)
    began = time.process_time()
    orders = [functools.partial(ReplayWorker.open, number=job, path=record, live=False, logs=None)]
    count, first, is_over = 0, None, False
    while not is_over:
        reports = work(folder, orders, [job])
        orders = []
        count += sum(len(report.frames) for report in reports)
        is_over = any(report.end is not None or report.failed for report in reports)
        if count and first is None:
            first = time.process_time() - began
    return time.process_time() - began, first, count, (folder / str(job)).stat().st_size


def measured(folder):
    """Yield a row for each game."""
    for game, words in MATCHES.items():
        record = folder / f"{game}.jsonl.gz"
        recorded(record, game, *words)
        made(record, folder)  # whatever is made once
        runs = [made(record, folder) for _ in range(RUNS)]
        took, _, count, size = min(runs)
        yield {
            "game": game,
            "ms_a_frame": round(1000 * took / count, 3),
            "all_ms": round(1000 * took),
            "first_ms": round(1000 * min(first for _, first, _, _ in runs)),
            "frames": count,
            "bytes": size,
        }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        keep("frames", {"rows": printed(measured(Path(name)))})
