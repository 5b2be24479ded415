"""kill -9 of a tournament at any moment: nothing lost, nothing twice, nothing left running."""

import json
import os
import random
import secrets
import signal
import time
from pathlib import Path

import pytest

from e2e.running import Program, command, runs, wait_until, wait_until_gone
from lanista.store.database import Store
from lanista.tournament import load, standings_of

SPEC = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = {{ count = {seeds}, base = 7 }}
settings = {{ move_limit = 8 }}
concurrency = 2
# Nothing is late, whatever else this machine does: the same matches, digest by digest.
clock = {{ first = 60.0, turn = 60.0, start = 60.0, stall_margin = 60.0 }}

[[bots]]
name = "Joe"
command = "CamperJoe"

[[bots]]
name = "Gravity"
command = "GravityGoers"

[[bots]]
name = "Random"
command = "RandomRunners"
"""
PAIRS = 3


def living_in(folder):
    """The processes whose working directory this is: a run's manager, workers, keepers, bots."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                cwd = (entry / "cwd").readlink()
            except OSError:  # gone, or not ours to see
                continue
            if cwd == folder and runs(int(entry.name)):
                found.append(int(entry.name))
    return found


@pytest.fixture
def tournament(tmp_path, started):
    """Write a spec of so many seeds into a folder; then start `lanista tournament run` there."""

    def write(name, seeds):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "cup.toml").write_text(SPEC.format(seeds=seeds))

        def run():
            program = Program(command("tournament", "run", "cup.toml", "--json"), folder)
            started(program)
            return program

        return folder, run

    return write


def outcome(folder):
    """What a tournament came to: its digests, and its standings."""
    setup = load(folder / "cup.toml")
    with Store.open(setup.database, create=False) as store:
        return store.digests(), standings_of(setup, store)


def blocks_of(program):
    """How many blocks a run has told of."""
    return program.out.count('"event": "block-done"')


@pytest.mark.parametrize(
    ("kills", "seeds"),
    [(1, 6), pytest.param(20, 56, marks=pytest.mark.long)],
    ids=["one", "twenty"],
)
def test_killed_at_random_moments(tournament, kills, seeds):
    """Killed and started again, it ends as if it had never been disturbed."""
    seed = secrets.randbits(32)
    print(f"moments drawn from {seed}")
    chance = random.Random(seed)

    folder, start = tournament("undisturbed", seeds)
    whole = start()
    assert 0 == whole.wait(), whole.err
    assert seeds * PAIRS == blocks_of(whole)
    expected = outcome(folder)

    folder, start = tournament("killed", seeds)
    stored = []
    for kill in range(1, kills + 1):
        run = start()
        # While it plays, while it stores: a moment after some block. While it starts, but for the
        # last kill: then something is stored.
        blocks = chance.choice([1, 1, 2, 3] if kill == kills else [0, 1, 1, 2, 3])
        run.until(lambda run=run, blocks=blocks: blocks_of(run) >= blocks, f"{blocks} blocks")
        time.sleep(chance.uniform(0, 1.0 if not blocks else 0.1))
        before = living_in(folder)
        run.process.kill()
        run.wait()
        assert run.process.pid in before
        wait_until_gone(before)
        wait_until(lambda: not living_in(folder), "all that the run had started is gone")
        if (folder / "cup.db").exists():
            stored.append(_whole_blocks(folder))
    assert stored == sorted(stored)
    assert stored[-1] < seeds * PAIRS, "it was over before the last kill"

    run = start()
    assert 0 == run.wait(), run.err
    assert expected == outcome(folder)
    with Store.open(folder / "cup.db", create=False) as store:
        records = [folder / "cup.records" / stored.match.record for stored in store.matches()]
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
        blocks = store.played()
        assert all(2 == len(block.ranks) for block in blocks)
        for stored in store.matches():
            assert (folder / "cup.records" / stored.match.record).is_file()
    return len(blocks)


def test_a_killed_worker_is_replaced(tournament):
    """By the kernel, say, for want of memory: its blocks are played by another."""
    folder, start = tournament("cup", seeds=4)
    run = start()
    run.until(lambda: blocks_of(run) >= 2, "two blocks")
    workers = [
        pid
        for pid in living_in(folder)
        if b"multiprocessing.spawn" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    assert 2 == len(workers)
    os.kill(workers[0], signal.SIGKILL)
    assert 0 == run.wait(), run.err
    told = [json.loads(line) for line in run.out.splitlines()]
    assert 1 == sum(event["event"] == "worker-lost" for event in told)
    with Store.open(folder / "cup.db", create=False) as store:
        assert 4 * PAIRS == len(store.played())
    wait_until(lambda: not living_in(folder), "all that the run had started is gone")
