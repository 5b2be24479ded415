"""A disk that fills up while an arena with a ladder plays, and has room again later."""

import os
import signal

import pytest

from chaos.ladder_arena import Arena, Bots, check_results
from soak.disk import Disk

pytestmark = pytest.mark.one_user

BEGINS, ENDS = "no match is started, as records can't be written", "records can be written again"
UNSTORED, STORED = "results can't be stored yet", "results are stored again"


@pytest.fixture
def disk(tmp_path):
    """The data folder of the arena, on a small disk of its own."""
    try:
        disk = Disk(tmp_path / "data", 8 << 20)
    except OSError as error:
        pytest.skip(f"a small disk can't be mounted: {error.strerror}")
    yield disk
    disk.unmount()


def test_bots_wait_for_room_and_no_result_is_lost(disk, tmp_path, started):
    """Some matches are aborted when it is full; from then on bots wait, and the log stays short."""
    host = f"127.{os.getpid() % 200 + 20}.0.1"
    arena = started(Arena(tmp_path, 0, host, 0, 1))
    with Bots(host) as bots:
        bots.go(arena.listens())
        for _ in range(2):
            bots.wait_for(5)
            disk.fill()
            # It may have said so already, and again, as matches that are aborted make room.
            arena.until(lambda: arena.err.count(BEGINS) > arena.err.count(ENDS), "the disk is full")
            disk.fill()  # what was free again
            disk.empty()
            arena.until(lambda: arena.err.count(BEGINS) == arena.err.count(ENDS), "there is room")
        bots.wait_for(5)
        arena.until(
            lambda: arena.err.count(UNSTORED) == arena.err.count(STORED), "all results are stored"
        )
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait()
    lines = [line for line in arena.err.splitlines() if "level=error" in line]
    assert 50 > len(lines), lines
    check_results(tmp_path, bots.told)
