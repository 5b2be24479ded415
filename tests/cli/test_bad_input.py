"""What can't be used gets one line on stderr, with exit code 2 and without a traceback:
what was wrong, where, and what would be right.
"""

import errno
import os
import shlex
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from e2e.running import run_here
from lanista.cli.common import say

PLAY = "play angrymob CamperJoe CamperJoe"
LONG = "x" * 5000
SEEDS = f"{-(2**63)} to {2**63 - 1}"
SET = "expected NAME=VALUE with a whole number"

BAD = {
    "unknown command": ("serf", "No such command 'serf'"),
    "unknown option": ("play --colour", "No such option '--colour'"),
    "no bot": ("play angrymob", "Angry Mob is for 2 bots; 0 given"),
    "no format": ("replay export empty", "Missing option '--format'. Choose"),
    "unknown game": ("play chess A B", "unknown game 'chess'; known games: angrymob"),
    "a command without quotes": (
        "play angrymob python3 mybot.py CamperJoe",
        "Angry Mob is for 2 bots; 3 given; put a command of several words in quotes:",
    ),
    "unknown bot": (
        "play angrymob CamperJim CamperJoe",
        "unknown bot 'CamperJim': no house bot of angrymob (CamperJoe, ProfessorRandom, R",
    ),
    "empty bot": ("play angrymob '' CamperJoe", "bot command '' names no program"),
    "seed no number": (f"{PLAY} -s lucky", "Invalid value for '-s' / '--seed': 'lucky' is not"),
    "seed too big": (f"{PLAY} -s {2**63}", f"seed {2**63}; a seed of angrymob is from {SEEDS}"),
    "last seed too big": (f"{PLAY} -s {2**63 - 2} -n 3", f"seed {2**63}; a seed of angrymob"),
    "unknown setting": (
        f"{PLAY} --set rounds=3",
        "Angry Mob has no setting 'rounds'; its settings are: move_limit",
    ),
    "setting no number": (f"{PLAY} --set move_limit=many", f"--set 'move_limit=many': {SET}"),
    "limits that can't be meant": (
        f"{PLAY} --limits memory=1M",
        "limits 'memory=1M': memory=1048576 can't be a limit: give at least 16M",
    ),
    "seed to check": (
        "check hogwarts Null -s -1",
        "seed -1; a seed of hogwarts is from 0 to",
    ),
    "time to check": (
        "check hogwarts Null --time-move 0",
        "--time-init and --time-move: 0 is no limit",
    ),
    "limit too small": (
        f"{PLAY} --move-limit 0",
        "setting move_limit of Angry Mob is 0; it must be from 1 to 1000000",
    ),
    "no map": (
        f"{PLAY} -i hell",
        "no map file 'hell', and no shipped map of that name; shipped maps of angrymob: a",
    ),
    "map name too long": (f"{PLAY} -i {LONG}", f"no map file '{LONG}"),
    "map a folder": (f"{PLAY} -i folder", "no map file 'folder'"),
    "map asymmetric": (f"{PLAY} -i asymmetric.map", "asymmetric.map: line 3, column 3: "),
    "map to serve": ("serve -i token.map", "token.map: line 2, column 5: "),
    "map empty": ("map check angrymob empty", "empty: "),
    "map no text": ("map check angrymob binary", "binary: can't be read as text ('utf-8'"),
    "record the map": (
        f"{PLAY} -i right.map -o folder/../right.map",
        "-o folder/../right.map: is the map of -i; give the record another name",
    ),
    "record a folder": (f"{PLAY} -o folder", "-o folder: name a file for the record of one"),
    "record's folder a file": (f"{PLAY} -n 2 -o empty", "-o empty: name a file for the record"),
    "records below a file": (f"{PLAY} -n 2 -o empty/folder", "can't write the record empty/folder"),
    "record's name too long": (f"{PLAY} -o {LONG}", f"can't write the record {LONG}: File name"),
    "data below a file": (
        "serve --data empty/data",
        "can't write records to empty/data/records: Not a directory",
    ),
    "unwritable map": (
        "map generate angrymob -s 1 -o folder",
        "can't write folder: Is a directory",
    ),
    "seed of a map": (
        f"map generate angrymob -s {-(2**63) - 1}",
        f"seed {-(2**63) - 1}; a seed of angrymob is from",
    ),
    "page of no record": ("replay html folder/nowhere", "can't read folder/nowhere: No such file"),
    "no record": ("replay verify nowhere", "can't read nowhere: No such file or directory"),
    "empty record": ("replay verify empty", "empty: "),
}
"""Command lines by what is wrong with them, and how what is said of each begins."""


@pytest.fixture
def files(tmp_path):
    """Files that can't be used."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\n")
    (tmp_path / "asymmetric.map").write_text("2 3\nA . .\n. 1 B\n")
    (tmp_path / "right.map").write_text("2 3\nA . .\n. . B\n")
    (tmp_path / "token.map").write_text("2 3\nA . x\n. . B\n")


@pytest.mark.parametrize(("words", "told"), BAD.values(), ids=BAD)
def test_bad_input_is_told_in_one_line(lanista, files, words, told):
    who, _, message = lanista(*shlex.split(words)).refusal.partition(": ")
    assert f"lanista {words} ".startswith(f"{who} ")
    assert message.startswith(told)
    assert message.endswith("\n")


def test_an_unwritable_record_is_told_before_a_bot_starts(tmp_path):
    """As a process, warnings being errors: nothing is left open either."""
    (tmp_path / "file").write_bytes(b"")
    marker = tmp_path / "marker"
    bot = shlex.join([sys.executable, "-c", f"open({str(marker)!r}, 'w')"])
    words = ("play", "angrymob", bot, bot, "-o", "file/match.gz")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "lanista", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert (2, "", 1) == (done.returncode, done.stdout, done.stderr.count("\n"))
    assert done.stderr.startswith("lanista: can't write the record file/")
    assert ".part" not in done.stderr  # nothing was written that could be there
    assert not marker.exists()


def test_a_host_of_another_machine_is_told(tmp_path):
    """An address that can't be listened on; 192.0.2.1 is nobody's (RFC 5737)."""
    done = run_here(["serve", "--host", "192.0.2.1", "--port", "0"], tmp_path)
    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert done.err.startswith("lanista: can't listen on 192.0.2.1:0: ")
    assert done.err.endswith("; choose another address with --host and --port\n")


def test_a_current_folder_that_was_removed_is_told(lanista, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    told = "lanista: can't use the current folder: No such file or directory\n"
    assert told == lanista("sprt", "CamperJoe", "RandomRunners").refusal


def test_interrupting_a_command_gives_130(lanista, monkeypatch):
    """Ctrl-C outside a match, as in a long `map check`: no traceback."""

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("lanista.hosting.inputs._map_text", interrupted)
    done = lanista("map", "check", "angrymob", "pit")
    assert (130, "", "") == (done.code, done.out, done.err.strip())


def test_an_error_of_ours_gives_70_and_its_traceback(lanista, monkeypatch):
    """An error is told at once, however many others it has followed from."""

    def fail(_, others=40):
        try:
            if others:
                fail(_, others - 1)
            {}.pop("")
        except KeyError as cause:
            raise KeyError("ours") from cause

    monkeypatch.setattr("lanista.games.registry.get", fail)
    done = lanista(*PLAY.split())
    assert (70, "") == (done.code, done.out)
    assert done.err.endswith("KeyError: 'ours'\n")


@pytest.mark.parametrize(
    ("error", "limit"),
    [
        (ExceptionGroup("", [OSError(errno.EMFILE, "")]), "raise its limit (ulimit -n)"),
        (RuntimeError("can't start new thread"), "raise its limit (ulimit -u)"),
    ],
)
def test_a_limit_of_the_system_that_is_too_low_is_told(lanista, monkeypatch, error, limit):
    """A limit is told, even if another error has followed from it."""

    def fail(_):
        try:
            raise error
        finally:
            None.close()

    monkeypatch.setattr("lanista.games.registry.get", fail)
    assert limit in lanista(*PLAY.split()).refusal


def test_in_a_terminal_a_long_line_is_broken_between_words(capsys, monkeypatch):
    """It goes on below its beginning, or below what stands in the second column."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "12")
    say("one two three", "  one two three", "ok    one two", "/a/word/of/more no-hyphen")
    said = "one two\nthree\n  one two\n  three\nok    one\n      two\n"
    assert said + "/a/word/of/more\nno-hyphen\n" == capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *product(("--time-init", "--time-move"), ("nan", "inf", "1e-9", "-1")),
        *product(("--time-start",), ("nan", "inf", "-1", "0")),
        *product(("--stall-margin",), ("nan", "inf")),
        *product(("--delay",), ("nan", "inf", "-1")),
    ],
)
def test_seconds_are_a_finite_number_and_a_time_one_that_the_wire_can_tell(lanista, option, value):
    assert option in lanista(*PLAY.split(), option, value).refusal


@pytest.mark.parametrize("target", ["/dev/null", "fifo"])
def test_a_record_replaces_no_device(lanista, target):
    if target == "fifo":
        os.mkfifo(target)
    assert "not a regular file" in lanista(*PLAY.split(), "-o", target).refusal
    assert not Path(target).is_file()
