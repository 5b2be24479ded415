"""Kill -9 of an arena with ladders at any moment: its results are those of its records, each once.

The arena's own process and its match workers are killed in turn, while bots play that come back by
themselves. Every arena has the same data folder and, on an address of the test's own, the same
port, so a socket that outlived its arena would keep the next one from starting.
"""

import contextlib
import os
import random
import signal
import time

import pytest

from chaos.ladder_arena import Arena, Bots, check_results
from e2e.running import PATIENCE, wait_until
from support.processes import processes_in

pytestmark = pytest.mark.one_user


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="short"), pytest.param(20, id="long", marks=pytest.mark.long)]
)
def test_every_match_whose_end_was_told_is_stored_once(tmp_path, started, kills):
    chance = random.Random(kills)
    host, port = f"127.{os.getpid() % 200 + 20}.{kills}.1", 0
    victims = [(2, "worker"), (2, "worker then front"), (1, "front"), (2, "front")]
    arena = None
    with Bots(host) as bots:
        for kill in range(kills):
            workers, victim = victims[kill % len(victims)]
            if arena is None:
                arena = started(Arena(tmp_path, kill, host, port, workers))
            port = arena.listens()
            bots.go(port)
            bots.wait_for(chance.randrange(2, 12))
            time.sleep(chance.random() * 0.02)  # a match takes some milliseconds: kill anywhere
            if "worker" in victim:
                wait_until(arena.workers, "a worker runs")
                with contextlib.suppress(ProcessLookupError):  # it may just be another's turn
                    os.kill(chance.choice(arena.workers()), signal.SIGKILL)
            if "front" in victim or kill + 1 == kills:
                arena.signal(signal.SIGKILL)
                arena.process.wait(PATIENCE)
                wait_until(lambda: not processes_in(tmp_path), "nothing is left of the arena")
                arena = None
        arena = started(Arena(tmp_path, kills, host, port, 1))
        bots.port = arena.listens()
        bots.wait_for(3)
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait()
    assert "Traceback" not in arena.err
    wait_until(lambda: not processes_in(tmp_path), "nothing is left of the arena")
    check_results(tmp_path, bots.told)
