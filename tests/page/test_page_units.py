"""Unit tests of the page's modules that need no browser, run by node."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parent / "browser"
OLDEST = 20
"""Node's version from which it has a test runner that finds what these tests use."""
BOUND = 120
"""Seconds; they take a few."""


def node():
    """Node's path; skips if there is none, or an old one."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed (package nodejs)")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"v(\d+)\.", said)
    if version is None or int(version[1]) < OLDEST:
        pytest.skip(f"node says it is {said.strip()!r}; {OLDEST} or later is needed")
    return found


def test_units_of_the_page():
    """All files in one process, which takes a fifth of the time of a process for each."""
    files = sorted(TESTS.glob("*.test.js"))
    imports = [f"--import={path}" for path in files]
    words = [node(), "--test-reporter=tap", *imports, "--eval", ""]
    done = subprocess.run(words, cwd=TESTS, capture_output=True, text=True, timeout=BOUND)
    assert 0 == done.returncode, done.stdout + done.stderr
    ran = re.search(r"^# tests (\d+)$", done.stdout, re.MULTILINE)
    assert ran is not None
    assert int(ran[1]) > len(files)
