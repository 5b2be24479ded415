"""A process that plays a tournament again and again, and kills parts of it: cup.py FOLDER

The first is left alone; each other one loses workers, is killed as a whole and resumed, and must
come to the same matches and standings. Writes a line of JSON for each tournament that is over.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from e2e.running import command, environment
from lanista.store.database import Store
from lanista.tournament import load, standings_of
from soak.watched import descendants, living_in

SPEC = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = { count = 8, base = 7 }
settings = { move_limit = 8 }
concurrency = 1
# Nothing is late, whatever else this machine does: the same matches, digest by digest.
clock = { first = 60.0, turn = 60.0, start = 60.0, stall_margin = 60.0 }

[[bots]]
name = "Joe"
command = "CamperJoe"

[[bots]]
name = "Gravity"
command = "GravityGoers"

[[bots]]
name = "Random"
command = "RandomRunners"
"""
BLOCKS = 24
PATIENCE = 300.0


class Cup:
    """One tournament in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "cup.toml").write_text(SPEC)
        self.killed = 0
        """How often a worker or the whole was killed."""

    def play(self, *, kills: bool) -> int:
        """Play it to its end; its exit code."""
        while True:
            with (self.folder / "told").open("ab") as told:
                run = subprocess.Popen(
                    command("tournament", "run", "cup.toml", "--json"),
                    cwd=self.folder,
                    env=environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=told,
                    stderr=told,
                    start_new_session=True,
                )
            try:
                if kills and self._kill_some(run):
                    continue
                return run.wait(PATIENCE)
            finally:
                self.end()

    def _kill_some(self, run: "subprocess.Popen[bytes]") -> bool:
        """Kill a worker, then perhaps all: whether it must be resumed."""
        for whole in (False, random.random() < 0.7):
            try:
                run.wait(random.uniform(1, 6))
            except subprocess.TimeoutExpired:
                pass
            else:
                return False
            if whole:
                run.kill()
                run.wait()
                self.killed += 1
                return True
            for pid in descendants(run.pid):
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_bytes()
                    if b"multiprocessing.spawn" in words:
                        os.kill(pid, signal.SIGKILL)
                        self.killed += 1
                        break
                except OSError:
                    continue
        return False

    def end(self) -> None:
        """End all that it has started; that ends by itself soon after the tournament has."""
        for patience in (5.0, 0.0):
            until = time.monotonic() + patience
            while living_in(self.folder) and time.monotonic() < until:
                time.sleep(0.05)
        for pid in living_in(self.folder):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def outcome(self) -> object:
        """What it came to: the digests of its matches, and the standings."""
        setup = load(self.folder / "cup.toml")
        with Store.open(setup.database, create=False) as store:
            return store.digests(), standings_of(setup, store)


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
            outcome = cup.outcome()
            expected = outcome if number == 0 else expected
            if outcome != expected:
                wrong.append("it came to other matches or standings than the one left alone")
        print(json.dumps({"cup": number, "killed": cup.killed, "wrong": wrong}), flush=True)
        number += 1


if __name__ == "__main__":
    main()
