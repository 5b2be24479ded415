"""How long the replay worker takes for a frame and its JSON: processor time, in this process.

Given another checkout with its `.venv`, as by `git worktree add`, both make the frames of the same
records by turns, and the ratio of their times is printed: other to this one. A match of each game,
played by house bots; the lowest of some runs. Also how long the head and the first frames take, as
somebody who opens a record waits for them.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import keep, printed, recorded

RUNS = 3
MATCHES = {
    "angrymob": ("RandomRunners", "RandomRunners", "--move-limit", "200", "--map", "meadow"),
    "crematoria": ("Demo", "Dummy", "Demo", "Dummy", "--set", "nb_rounds=200"),
    "hogwarts": ("Demo", "Dummy", "Demo", "Dummy"),
}
MEASURE = """
import hashlib, itertools, json, shutil, sys, tempfile, time
from functools import partial
from pathlib import Path
from lanista.page.replay_worker import ReplayWorker, work

folder = Path(tempfile.mkdtemp())
jobs = itertools.count(1)

def made(record):
    job = next(jobs)
    began = time.process_time()
    orders = [partial(ReplayWorker.open, number=job, path=Path(record), live=False, logs=None)]
    count, first, has_more = 0, None, True
    while has_more:
        reports, has_more = work(folder, orders, [job])
        orders = []
        count += sum(len(report.frames) for report in reports)
        if count and first is None:
            first = time.process_time() - began
    took = time.process_time() - began
    data = (folder / str(job)).read_bytes()
    frames = json.loads(b"[" + data[:-1] + b"]")
    for frame in frames:
        own = frame["own"]
        frame["own"] = sorted(zip(own[::2], own[1::2]))  # in any order
    return {"took": took, "first": first, "count": count, "bytes": len(data),
            "digest": hashlib.sha256(json.dumps(frames).encode()).hexdigest()}

for record in sys.argv[1:]:
    made(record)  # whatever is made once
    runs = [made(record) for _ in range(3)]
    print(json.dumps(min(runs, key=lambda run: run["took"])))
shutil.rmtree(folder)
"""


def measured(python, records):
    """Measure one checkout: a row for each record."""
    words = [str(python), "-c", MEASURE, *map(str, records)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    pythons = {"this": sys.executable}
    if len(sys.argv) > 1:
        pythons["other"] = Path(sys.argv[1]) / ".venv" / "bin" / "python"
    with tempfile.TemporaryDirectory() as folder:
        records = []
        for game, words in MATCHES.items():
            records.append(Path(folder) / f"{game}.jsonl.gz")
            recorded(records[-1], game, *words)
        runs = {name: [] for name in pythons}
        for _ in range(RUNS):
            for name, python in pythons.items():
                runs[name].append(measured(python, records))
    keep("frames", {"rows": printed(compared(runs))})


def compared(runs):
    """Yield a row for each game, from what was measured with each Python."""
    for at, game in enumerate(MATCHES):
        row = {"game": game}
        for name in runs:
            of_game = [run[at] for run in runs[name]]
            best = min(of_game, key=lambda one: one["took"])
            row[f"{name}_ms_a_frame"] = round(1000 * best["took"] / best["count"], 3)
            row[f"{name}_all_ms"] = round(1000 * best["took"])
            row[f"{name}_first_ms"] = round(1000 * min(one["first"] for one in of_game))
            row["frames"], row["bytes"] = best["count"], best["bytes"]
        if len(runs) > 1:
            this, other = ([run[at] for run in of_one] for of_one in runs.values())
            ratios = sorted(b["took"] / a["took"] for a, b in zip(this, other, strict=True))
            row["ratio"] = round(ratios[len(ratios) // 2], 2)
            row["same_bytes"] = this[0]["digest"] == other[0]["digest"]
        yield row


if __name__ == "__main__":
    main()
