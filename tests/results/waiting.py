"""Runs programs of this folder: some to their end, some that begin when their input is closed."""

import contextlib
import functools
import os
import socket
import subprocess
import sys
from pathlib import Path

from e2e.prepared import forked

HERE = Path(__file__).parent
PATIENCE = 100


def output_of(*words, **how):
    """Run Python to its end, where it must print nothing on stderr; return what it printed."""
    ended = subprocess.run(
        [sys.executable, "-W", "error", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        **how,
    )
    assert (0, "") == (ended.returncode, ended.stderr)
    return ended.stdout


@contextlib.contextmanager
def ready(program, *words):
    """A program of this folder that says that it is ready, and goes on at its `begin`.

    It is a fork of a process that has loaded what it needs; killed in the end.
    """
    words = [str(HERE / program), *map(str, words)]
    change = (
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "del sys.argv[0]\n"
        "runpy.run_path(sys.argv[0])\n"
        "sys.exit()"
    )
    ours, theirs = socket.socketpair()
    with ours, ours.makefile(encoding="utf-8") as lines:
        with theirs:
            files = {"stdin": theirs, "stdout": theirs, "stderr": sys.__stderr__}
            process = forked(words, change, cwd="/", env={**os.environ}, **files)
            if process is None:
                process = subprocess.Popen([sys.executable, "-W", "error", *words], **files)
        process.stdout = lines
        process.begin = functools.partial(ours.shutdown, socket.SHUT_WR)
        try:
            assert "ready\n" == lines.readline()
            yield process
        finally:
            process.kill()
            process.wait()
