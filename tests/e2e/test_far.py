"""Bots far away: their way is real to the kernel, and `lag_allowance` makes up for it.

The network of `far.py` needs a network namespace of its own, not root.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.running import read

FAR = Path(__file__).with_name("far.py")
ARENA = """
host = "10.99.0.1"
port = 0
workers = {workers}
page = {{ listen = "none" }}

[[ladders]]
name = "far"
game = "hogwarts"
settings = {{ NUM_ROUNDS = {rounds} }}
lag_allowance = {allowance}
clock = {{ time_init = 20, time_move = 0.2, late_limit = 100, stall_margin = 600 }}
"""
ALLOWANCE = 0.25


def play(folder, *bots, workers=1, rounds=3):
    """One match of bots, each (round trip, jitter, loss, thinking time); what each answer was."""
    alone = ["unshare", "--user", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("unshare (util-linux) or ip (iproute2) is not installed")
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no network of one's own")
    text = ARENA.format(workers=workers, rounds=rounds, allowance=ALLOWANCE)
    (folder / "arena.toml").write_text(text)
    words = [",".join(map(str, bot)) for bot in bots]
    ended = subprocess.run(
        [*alone, sys.executable, FAR, folder, *words], capture_output=True, text=True, timeout=100
    )
    assert 0 == ended.returncode, ended.stderr
    record = read(Path(ended.stdout.strip()))
    assert "finished" == record.result.end
    seats = {player.name: seat for seat, player in enumerate(record.header.players)}
    return record, [seats[f"bot{number}"] for number in range(len(bots))]


def check_limits(record, seat, least):
    """Its limits were longer by the way that the kernel knows, which is at least the real one."""
    assert least <= record.turns[0].round_trips[str(seat)][1] / 1e6
    for turn in record.turns:
        assert min(least, ALLOWANCE) <= turn.lag(seat) <= ALLOWANCE
        in_time = len(turn.times[seat]) > 1 and turn.times[seat][1] / 1e6 <= 0.2 + turn.lag(seat)
        assert not turn.turn or in_time == (turn.verdicts[seat] == "answer")


def verdicts(record, seat):
    """Its different verdicts; on a busy machine any bot may be late now and then."""
    return {turn.verdicts[seat] for turn in record.turns[1:]}


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.long), 2])
def test_the_way_is_made_up_for_and_slowness_is_not(tmp_path, workers):
    """At 0.2 s away, every answer would be late without the allowance."""
    record, seats = play(
        tmp_path,
        *[(0.2, 0, 0, 0.02), (0.08, 0, 0, 0.02), (0.2, 0, 0, 0.7), (0, 0, 0, 0.02)],
        workers=workers,
    )
    for seat, least in zip(seats, (0.2, 0.08, 0.2, 0.0), strict=True):
        check_limits(record, seat, least)
    assert "answer" in verdicts(record, seats[0])
    assert {"late"} == verdicts(record, seats[2])


@pytest.mark.long
def test_jitter_and_loss(tmp_path):
    """Packets that come late or twice are no reason for a wrong verdict."""
    record, seats = play(
        tmp_path,
        *[(0.08, 0.02, 0, 0.1), (0.08, 0.02, 0.02, 0.1), (0.2, 0.05, 0.05, 0.1), (0, 0, 0, 0.1)],
        rounds=60,
    )
    for seat, least in zip(seats, (0.08, 0.08, 0.2, 0.0), strict=True):
        check_limits(record, seat, least)
    assert "answer" in verdicts(record, seats[3])
