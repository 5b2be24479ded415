"""How many matches one daemon plays side by side until a bot is misjudged late.

A real daemon in a process of its own, and the bots of thinking.py in two processes.

`--workers 1 2` measures a daemon that plays its matches itself, then one with two workers.
"""

import argparse
import json
import multiprocessing
import subprocess
import tempfile

from measured import keep, listening
from thinking import bots, judged

TURNS = 60
STEPS = (50, 100, 200)


def side_by_side(matches, workers):
    """Play so many at once: counts of late verdicts, misjudged ones, and void matches."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            *("serve", "--port", "0", "--no-web", "--data", folder, "--matches", str(matches)),
            *("--move-limit", str(TURNS), "--map", "meadow", "--max-connections", "2000"),
            *("--workers", str(workers)),
        ]
        with listening(words) as (daemon, port):
            hellos = [f"b{number} v=1" for number in range(2 * matches)]
            results = multiprocessing.Queue()
            hosts = [
                multiprocessing.Process(target=bots, args=(port, hellos[half::2], results))
                for half in range(2)
            ]
            for host in hosts:
                host.start()
            slow = {}
            for _ in hosts:
                slow.update(results.get(timeout=300))
            for host in hosts:
                host.join()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:  # a void match, whose bots have left, doesn't count
                daemon.terminate()
                daemon.wait(60)
        told = judged(folder, slow)
    assert told["records"] >= matches, f"{told['records']} records of {matches} matches"
    return {"workers": workers, "matches": matches, **told}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1], metavar="N")
    parser.add_argument("--matches", type=int, nargs="+", default=STEPS, metavar="N")
    options = parser.parse_args()
    rows = []
    most = {}
    for workers in options.workers:
        for matches in options.matches:
            rows.append(side_by_side(matches, workers))
            print(json.dumps(rows[-1]), flush=True)
            if rows[-1]["misjudged"]:
                break
            most[workers] = matches
    keep(
        "side_by_side",
        {"most_without_misjudging_by_workers": most, "aim": "200, none", "rows": rows},
    )


if __name__ == "__main__":
    main()
