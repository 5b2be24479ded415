"""How many matches one daemon plays side by side until a bot is misjudged late.

    python tests/bench/side_by_side.py [MATCHES ...]

A real daemon in a process of its own, and the bots of thinking.py in two processes.
"""

import multiprocessing
import subprocess
import tempfile

from measured import keep, listening, numbers_given, printed
from thinking import bots, judged

TURNS = 60
STEPS = (50, 100, 200)


def side_by_side(matches):
    """Play so many at once: counts of late verdicts, misjudged ones, and void matches."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            *("serve", "--port", "0", "--no-web", "--data", folder, "--matches", str(matches)),
            *("--move-limit", str(TURNS), "--map", "meadow", "--max-connections", "2000"),
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
    return {"matches": matches, **told}


def main():
    rows = printed(map(side_by_side, numbers_given() or STEPS))
    keep("side_by_side", {"aim": "200, none misjudged", "rows": rows})


if __name__ == "__main__":
    main()
