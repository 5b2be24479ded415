"""A program that plays and is killed leaves folders only until the next one plays."""

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading

import pytest

from e2e.running import Program, environment
from lanista.temporary import TemporaryFolder

PROGRAM = """
    import itertools
    import lanista

    def silent(state):
        while True:
            pass

    bots = [silent, "CamperJoe"]
    list(lanista.play_many("angrymob", [bots], itertools.count(), workers=1, no_clock=True))
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files of this process and of what it starts; empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def begun(tmp_path, temporary, started):
    """A function that starts a program, whose bot thinks for ever, and returns it and its folders.

    These are the folder of the bot's function and that of records being written.
    """

    def begin():
        before = folders()
        text = textwrap.dedent(PROGRAM)
        words = [sys.executable, "-W", "error", "-c", text]
        program = started(Program(words, tmp_path / "program", env=environment()))
        program.until(lambda: len(folders() - before) == 2, "it plays")
        return program, folders() - before

    def folders():
        records = tmp_path / "program/lanista-records"
        return {*temporary.glob("lanista-functions-*"), *records.glob(".playing-*")}

    return begin


def test_what_a_killed_program_left_is_removed_by_the_next_run(begun):
    """And what a run that goes on has is left to it."""
    running, kept = begun()
    killed, left = begun()
    killed.signal(signal.SIGKILL)
    killed.wait()
    assert all(map(os.path.exists, left))
    begun()
    assert not any(map(os.path.exists, left))
    assert all(map(os.path.exists, kept))
    assert running.process.poll() is None


def test_threads_leave_each_others_folders_alone(temporary, monkeypatch):
    """A folder that was made just now, and isn't locked yet, stays too."""
    make, made = tempfile.mkdtemp, []
    other = threading.Thread(target=lambda: made.append(TemporaryFolder("one")))

    def making(**where):
        folder = make(**where)
        if other.ident is None:
            other.start()
            other.join(timeout=0.2)
        return folder

    monkeypatch.setattr("tempfile.mkdtemp", making)
    with TemporaryFolder("one") as first:
        other.join()
        with made[0] as second:
            assert {first.path, second.path} == set(temporary.iterdir())
    assert [] == list(temporary.iterdir())


def test_nothing_but_folders_of_ended_processes_is_removed(tmp_path):
    """Other names, other kinds of files, what belongs to other users or is locked, stays."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    kept, elsewhere = tmp_path / "kept", tmp_path / "elsewhere"
    names = [
        *(f"one-{gone.pid}-abcdefgh.old", f"one-0{gone.pid}-abcdefgh", "one-abcdefgh"),
        *(f"one-{gone.pid}-islocked", f"one-{gone.pid}-forother"),
    ]
    for name in names:
        (kept / name).mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    (kept / f"one-{gone.pid}-abcdlink").symlink_to(elsewhere)
    (kept / f"one-{gone.pid}-abcdfile").touch()
    if os.geteuid() == 0:
        os.chown(kept / names[-1], 12345, 12345)
    else:
        (kept / names[-1]).rmdir()
    expected = set(kept.iterdir())
    (kept / f"one-{gone.pid}-abcdefgh").mkdir()
    held = os.open(kept / names[-2], os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_SH)
        with TemporaryFolder("one", kept) as last:
            assert {*expected, last.path} == set(kept.iterdir())
    finally:
        os.close(held)
    assert (elsewhere / "file").exists()
