"""kill -9 of a tournament at any moment: nothing lost, nothing twice, nothing left running."""

import os
import random
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from e2e.cup import PAIRS, blocks_printed, outcome, start_cup, workers_of_cup, write_cup
from e2e.running import wait_until, wait_until_gone
from lanista import competition as tournament
from lanista.results.database import Store
from results.samples import asking
from support.processes import processes_in


@pytest.fixture
def cup(tmp_path, started):
    """Write a spec of this many seeds; return its folder, and a function that runs it there."""

    def write(seeds):
        folder = tmp_path / "cup"
        write_cup(folder, seeds=seeds, concurrency=2)

        def run():
            return started(start_cup(folder))

        return folder, run

    return write


@pytest.mark.parametrize(
    ("kills", "seeds"),
    [(1, 4), pytest.param(20, 56, marks=pytest.mark.long)],
    ids=["one", "twenty"],
)
def test_killed_at_random_moments(cup, tmp_path, kills, seeds):
    """Killed and started again, it ends as if it had never been disturbed.

    In the last run a worker is killed, which costs no run.
    """
    seed = secrets.randbits(32)
    print(f"moments drawn from {seed}")
    chance = random.Random(seed)

    undisturbed = write_cup(tmp_path / "undisturbed", seeds=seeds)
    with ThreadPoolExecutor(1) as threads:  # saves the time to start a manager and its workers
        assert tournament.run(undisturbed, executor=threads).over
    expected = outcome(undisturbed)

    folder, start = cup(seeds)
    stored = []
    for kill in range(1, kills + 1):
        run = start()
        # While it plays, while it stores: a moment after some block. While it starts, but for the
        # last kill: then something is stored.
        blocks = chance.choice([1, 1, 2, 3] if kill == kills else [0, 1, 1, 2, 3])
        run.until(lambda run=run, blocks=blocks: blocks_printed(run) >= blocks, f"{blocks} blocks")
        time.sleep(chance.uniform(0, 1.0 if not blocks else 0.1))
        before = processes_in(folder)
        run.process.kill()
        run.wait()
        assert run.process.pid in before
        wait_until_gone(before)
        wait_until(lambda: not processes_in(folder), "all that the run had started is gone")
        if (folder / "cup.db").exists():
            stored.append(_whole_blocks(folder))
    assert stored == sorted(stored)
    assert stored[-1] < seeds * PAIRS, "it was over before the last kill"

    run = start()
    run.until(lambda: workers_of_cup(folder), "a worker runs")
    os.kill(workers_of_cup(folder)[0], signal.SIGKILL)
    assert 0 == run.wait(), run.err
    assert '"event": "worker-lost"' in run.out
    assert expected == outcome(folder / "cup.toml")
    with Store.open(folder / "cup.db", create=False) as store:
        records = [
            folder / "cup.records" / stored.match.record for stored in asking(store).matches()
        ]
    assert 2 * PAIRS * seeds == len(records)
    assert all(map(os.path.isfile, records))
    assert [] == list((folder / "cup.records" / ".playing").iterdir())


def _whole_blocks(folder):
    """How many blocks are stored; each of them must be whole, and all its records be there."""
    try:
        store = Store.open(folder / "cup.db", create=False)
    except Exception as error:
        if "no database of" in str(error) or "not there" in str(error):
            return 0  # killed before its tables were made
        raise
    with store:
        blocks = asking(store).played()
        assert all(2 == len(block.ranks) for block in blocks)
        for stored in asking(store).matches():
            assert (folder / "cup.records" / stored.match.record).is_file()
    return len(blocks)
