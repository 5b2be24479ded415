"""The line about bots that could start processes without end: where it matters, and only there."""

import sys

import pytest

from lanista.bots import cgroup
from lanista.bots.limits import NO_LIMITS
from lanista.cli import common
from lanista.games import registry
from lanista.hosting.bot_pool import Contestant

CAMPER_JOE = registry.house_bots("angrymob")["CamperJoe"]

MINE = Contestant(name="mine", command=("./mybot",))
LINE = (
    "note: as root and without a sandbox, mine could start processes faster than they can be "
    "ended; --sandbox bwrap or another user prevents that\n"
)


def be_root_in_a_container(monkeypatch):
    """Be root, on a terminal, without control groups; call this in the test, as pytest replaces
    stderr before it."""
    monkeypatch.setattr(common.os, "geteuid", lambda: 0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(cgroup, "can_have_groups", lambda: False)


@pytest.mark.parametrize(
    ("bot", "line"),
    [
        (MINE, LINE),
        (Contestant(name="mine", command=("./mybot",), sandboxed=True), ""),
        (Contestant(name="mine", command=("./mybot",), limits=NO_LIMITS), ""),
        (Contestant(name="Joe", command=("python3", "-m", CAMPER_JOE)), ""),
    ],
)
def test_root_is_told_of_a_bot_that_nothing_bounds(monkeypatch, capsys, bot, line):
    """Not of one in a sandbox, one whose limit was lifted, or one of ours."""
    be_root_in_a_container(monkeypatch)
    common.warn_of_bombs([bot])
    assert line.split() == capsys.readouterr().err.split()


@pytest.mark.parametrize("safe", ["user", "groups", "pipe"])
def test_whom_it_does_not_concern_is_not_told(monkeypatch, capsys, safe):
    """The kernel bounds an ordinary user's bots, and ends those in groups; a log needs no hint."""
    be_root_in_a_container(monkeypatch)
    if safe == "user":
        monkeypatch.setattr(common.os, "geteuid", lambda: 1000)
    elif safe == "groups":
        monkeypatch.setattr(cgroup, "can_have_groups", lambda: True)
    else:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    common.warn_of_bombs([MINE])
    assert "" == capsys.readouterr().err
