"""Runs programs of this folder: some to their end, some that begin when their input is closed."""

import contextlib
import os
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
    """A program of this folder that says that it is ready; killed in the end.

    It is a fork of a process that has loaded what it needs.
    """
    words = [str(HERE / program), *map(str, words)]
    theirs, ours = os.pipe()
    told, tells = os.pipe()
    with (
        open(ours, "w", encoding="utf-8") as stdin,  # noqa: PTH123 - a descriptor
        open(told, encoding="utf-8") as stdout,  # noqa: PTH123
    ):
        with open(theirs, "rb") as given, open(tells, "wb") as output:  # noqa: PTH123
            files = {"stdin": given, "stdout": output, "stderr": sys.__stderr__}
            change = (
                "import runpy, sys\n"
                f"sys.path.insert(0, {str(HERE)!r})\n"
                "del sys.argv[0]\n"
                "runpy.run_path(sys.argv[0])\n"
                "sys.exit()"
            )
            process = forked(words, change, cwd="/", env={**os.environ}, **files)
            if process is None:
                process = subprocess.Popen([sys.executable, "-W", "error", *words], **files)
        process.stdin, process.stdout = stdin, stdout
        try:
            assert "ready\n" == process.stdout.readline()
            yield process
        finally:
            process.kill()
            process.wait()
