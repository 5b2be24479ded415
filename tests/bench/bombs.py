"""How fast matches with a fork bomb end, whether they say why, and what is left of the bomb.

    python tests/bench/bombs.py [MATCHES [USER ...]]

For root and an ordinary user, with and without a sandbox, and for each kind of bomb of
tests/bots/detaching_bomb.py: so many matches of `lanista play` (10) against a house bot, with a
clock of 0.2 s and `processes=16`. Prints how the matches ended, how long they and the ends of all
processes took, and how many were left when `lanista play` had exited. Nothing is asserted.

Only root can run it, and only where it can make a control group (version 1) of `pids`: everything
runs in one of at most 1500 processes (or BOUND, an environment variable), which is killed after a
minute. KINDS, another one, has the kinds of bombs to measure.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

BOMB = Path(__file__).parents[1] / "bots" / "detaching_bomb.py"
EVERY = "children sessions orphans sessions-aside orphans-aside"
KINDS = os.environ.get("KINDS", EVERY).split()
ORDINARY = 54321
GROUP = Path("/sys/fs/cgroup/pids/lanista-bombs")
PROCESSES = int(os.environ.get("BOUND", "1500"))
FORKS = 60_000
PATIENCE = 60


def members():
    """The pids in the group."""
    return list(map(int, (GROUP / "cgroup.procs").read_text().split()))


def kill():
    """End everything in the group."""
    while pids := members():
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        time.sleep(0.01)


def played(user, sandbox, kind):
    """Play a match: what was printed, the seconds it took, what was left, and for how long."""
    python = sys.executable
    if user:
        python = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/local/bin:/usr/bin")
    words = ["sh", "-c", f'echo 0 > {GROUP}/cgroup.procs; exec "$@"', "sh"]
    words += ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
    # The modules of our environment, without the standard library of this Python.
    modules = [path for path in sys.path if path and not path.startswith(sys.base_prefix)]
    words += [python, "-P", "-m", "lanista", "play", "angrymob"]
    words += [f"{python} -S {BOMB} {kind} {FORKS}", "CamperJoe", "--console", "--seed", "1"]
    words += ["--sandbox", sandbox]
    words += ["--time-move", "0.2", "--limits", "processes=16"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        watchdog = threading.Timer(PATIENCE, kill)
        watchdog.start()
        began = time.monotonic()
        try:
            done = subprocess.run(
                words,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(modules), "HOME": "/"},
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            took = time.monotonic() - began
            left = len(members())
            while members() and time.monotonic() - began < PATIENCE:
                time.sleep(0.01)
            stayed = time.monotonic() - began - took
        finally:
            watchdog.cancel()
            kill()
        abouts = [path.read_text() for path in Path(folder).glob("*/*/about.txt")]
    return "".join([done.stdout, done.stderr, *abouts]), took, left, stayed


def main():
    """Play them all."""
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    GROUP.mkdir()
    try:
        (GROUP / "pids.max").write_text(f"{PROCESSES}\n")
        for user in map(int, sys.argv[2:] or (0, ORDINARY)):
            for sandbox in ("none", "bwrap"):
                for kind in KINDS:
                    endings, times, lefts, longest = Counter(), [], [], 0.0
                    for _ in range(matches):
                        text, took, left, stayed = played(user, sandbox, kind)
                        why = re.search(r"was ended: it had .*?; the limit is 16.*", text)
                        end = "void" if "void" in text else "counted"
                        if "did not start" in text:
                            end = "not started"  # as when a socket of the machine goes just then
                        endings[end, "with the reason" if why else "without the reason"] += 1
                        times.append(took)
                        lefts.append(left)
                        longest = max(longest, stayed)
                        if not why:
                            print(text[-700:])
                    ends = ", ".join(f"{n} {' '.join(what)}" for what, n in endings.items())
                    print(
                        f"user {user}, sandbox {sandbox}, {kind}: {ends}; "
                        f"{min(times):.1f} to {max(times):.1f} s; left at most {max(lefts)}, "
                        f"for {longest:.1f} s",
                        flush=True,
                    )
    finally:
        kill()
        GROUP.rmdir()


if __name__ == "__main__":
    main()
