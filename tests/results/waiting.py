"""Starts the programs of this folder that begin when their input is closed."""

import contextlib
import subprocess
import sys
from pathlib import Path


@contextlib.contextmanager
def ready(program, *words):
    """A program of this folder that says that it is ready; killed in the end."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", Path(__file__).with_name(program), *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert "ready\n" == process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
