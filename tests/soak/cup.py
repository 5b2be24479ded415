"""A process that plays a tournament again and again, and kills parts of it: cup.py FOLDER

The first is left alone; each other one loses workers, is killed as a whole and resumed, and must
come to the same matches and standings. Writes a line of JSON for each tournament that is over.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from e2e.cup import outcome, start_cup, workers_of_cup, write_cup
from e2e.running import Program
from support.processes import processes_in

PATIENCE = 300.0


class Cup:
    """One tournament in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spec = write_cup(folder, seeds=8)
        self.killed = 0
        """How often a worker or the whole was killed."""

    def play(self, *, kills: bool) -> int:
        """Play it to its end; its exit code."""
        while True:
            run = start_cup(self.folder)
            try:
                if kills and self._kill_some(run):
                    continue
                return run.process.wait(PATIENCE)
            finally:
                self.end()

    def _kill_some(self, run: Program) -> bool:
        """Kill a worker, then perhaps all: whether it must be resumed."""
        for whole in (False, random.random() < 0.7):
            try:
                run.process.wait(random.uniform(1, 6))
            except subprocess.TimeoutExpired:
                pass
            else:
                return False
            if whole:
                run.end()
                self.killed += 1
                return True
            for pid in workers_of_cup(self.folder)[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed += 1
        return False

    def end(self) -> None:
        """End all that it has started; that ends by itself soon after the tournament has."""
        for patience in (5.0, 0.0):
            until = time.monotonic() + patience
            while processes_in(self.folder) and time.monotonic() < until:
                time.sleep(0.05)
        for pid in processes_in(self.folder):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def main() -> None:
    """Play until ended."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder = Path(sys.argv[1])
    expected: object = None
    number = 0
    while True:
        cup = Cup(folder / f"cup-{number}")
        code = cup.play(kills=number > 0)
        wrong = [f"the tournament ended with exit code {code}"] if code else []
        if not code:
            found = outcome(cup.spec)
            expected = found if number == 0 else expected
            if found != expected:
                wrong.append("it came to other matches or standings than the one left alone")
        print(json.dumps({"cup": number, "killed": cup.killed, "wrong": wrong}), flush=True)
        number += 1


if __name__ == "__main__":
    main()
