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


@pytest.mark.parametrize(
    ("bot", "where", "line"),
    [
        (MINE, {}, LINE),
        # Not of one in a sandbox, one whose limit was lifted, or one of ours.
        (Contestant(name="mine", command=("./mybot",), sandboxed=True), {}, ""),
        (Contestant(name="mine", command=("./mybot",), limits=NO_LIMITS), {}, ""),
        (Contestant(name="Joe", command=("python3", "-c", "run", CAMPER_JOE)), {}, ""),
        # The kernel bounds an ordinary user's bots, and ends those in groups; a log needs no hint.
        (MINE, {"user": 1000}, ""),
        (MINE, {"groups": True}, ""),
        (MINE, {"terminal": False}, ""),
    ],
)
def test_root_is_told_of_a_bot_that_nothing_bounds(monkeypatch, capsys, bot, where, line):
    where = {"user": 0, "groups": False, "terminal": True} | where
    monkeypatch.setattr(common.os, "geteuid", lambda: where["user"])
    monkeypatch.setattr(cgroup, "can_have_groups", lambda: where["groups"])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: where["terminal"], raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    common.warn_of_bombs([bot])
    assert line.split() == capsys.readouterr().err.split()
