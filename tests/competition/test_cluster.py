"""dask.distributed: a real scheduler and workers, one of which is killed; a cluster of our own."""

import contextlib
import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import trio

from e2e.running import bot, bot_words, environment, wait_until, wait_until_gone
from lanista.competition import events, load, run_async
from lanista.competition.running import open_executor
from lanista.errors import SpecError
from support import errands
from support.processes import argv_of, children_of, descendants
from support.tournament import digests, directing, play, setup_in, stored

PATIENCE = 60
QUIET = {"DASK_LOGGING__DISTRIBUTED": "critical"}


@contextlib.contextmanager
def dask(folder, name, *words):
    """A dask program; killed by its id in the end, with nothing that it started left."""
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, words)],
            cwd=folder,
            env=environment(**QUIET),
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers: the scheduler's address, and the workers' processes."""
    found = tmp_path / "scheduler.json"
    here = ("--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", found)
    with dask(
        tmp_path, "scheduler", "scheduler", "--port", 0, "--dashboard-address", "127.0.0.1:0", *here
    ):
        told = (tmp_path / "scheduler.log").read_text
        wait_until(lambda: found.exists() and found.read_text(), "a scheduler", told)
        alone = ("--no-nanny", "--nthreads", 1, "--local-directory", tmp_path)
        with (
            dask(tmp_path, "one", "worker", *here, *alone) as one,
            dask(tmp_path, "two", "worker", *here, *alone) as two,
        ):
            yield json.loads(found.read_text())["address"].replace("tcp:", "dask:"), [one, two]


BLOCKS = 3
"""Three pairs, one seed."""


def spec_of(gate):
    """A round-robin, without haste, of bots that wait in each match until there is a file."""
    waiting = {"command": bot("waits"), "environment": {"GATE": str(gate)}}
    return {
        "name": "cup",
        "game": "angrymob",
        "format": "round-robin",
        "seeds": [1],
        "settings": {"move_limit": 8},
        "clock": {"time_init": 60.0, "time_move": 60.0, "time_start": 60.0, "stall_margin": 60.0},
        "bots": [{"name": name, **waiting} for name in ("One", "Two", "Three")],
    }


async def test_a_worker_is_killed_in_the_middle(cluster, tmp_path):
    """All is played all the same, once, and as without that; its bots end with it."""
    address, (one, two) = cluster
    go = tmp_path / "go"
    spec = spec_of(go)
    bots = []

    async def kill():
        """Kill a worker while its bots think: they are held until it is dead."""

        def has_bots():
            return any(argv_of(pid) == bot_words("waits") for pid in descendants(one.pid))

        await trio.to_thread.run_sync(wait_until, has_bots, "the worker has started bots")
        bots.extend(descendants(one.pid))
        one.kill()
        assert -signal.SIGKILL == await trio.to_thread.run_sync(one.wait, PATIENCE)
        go.touch()

    (tmp_path / "killed").mkdir()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(kill)
        report = await run_async(spec, folder=tmp_path / "killed", executor=address)
    assert (True, "") == (report.over, report.halted)
    wait_until_gone(bots)
    wait_until(lambda: not children_of(two.pid), "the other one's bots are ended")

    (tmp_path / "undisturbed").mkdir()
    with ThreadPoolExecutor(1) as threads:
        whole = await run_async(spec, folder=tmp_path / "undisturbed", executor=threads)
    assert whole.standings == report.standings
    killed, undisturbed = (load(spec, tmp_path / name) for name in ("killed", "undisturbed"))
    assert BLOCKS * 2 == len(digests(killed))
    assert digests(undisturbed) == digests(killed)
    # They came as bytes: this folder is not known to be the workers' too.
    assert BLOCKS * 2 == len(list((tmp_path / "killed" / "cup.records").glob("*/*.jsonl.gz")))


async def test_a_cluster_of_our_own(tmp_path):
    """`dask-local`: it is made for the run, and ends with it."""
    setup = setup_in(tmp_path, bots=2, seeds=tuple(range(1, 9)))
    workers = open_executor("dask-local", 1, seats=2)
    pids = set()
    signals = []

    def hear(event):
        if isinstance(event, events.BlockDone):
            if not signals:  # nothing of a terminal's is held back from bots
                signals.append(workers.submit(errands.ignored).result(PATIENCE))
            pids.update(nanny.pid for nanny in workers._cluster.workers.values())

    with directing(setup, play, workers=workers, on_event=hear) as director:
        report = await director.run()
    assert (True, "") == (report.over, report.halted)
    assert 8 == len(stored(setup))
    assert [([signal.SIGINT, signal.SIGHUP], [])] == signals
    assert 1 == len(pids)
    wait_until_gone(pids)


@pytest.mark.parametrize(
    ("executor", "why"),
    [
        ("dask://127.0.0.1:1", "no dask scheduler answers there"),
        # As when a worker of it dies while it starts.
        ("dask-local", "no cluster can be started: Nanny failed to start. Worker exited"),
    ],
)
def test_a_cluster_that_is_not_there_is_told_in_one_line(monkeypatch, executor, why):
    def fails(**_):
        raise RuntimeError("Nanny failed to start.\nWorker exited")

    monkeypatch.setattr("lanista.competition.cluster.CONNECT", 0.2)
    monkeypatch.setattr("lanista.competition.cluster.distributed.LocalCluster", fails)
    workers = open_executor(executor, seats=2)
    with pytest.raises(SpecError) as refused:
        workers.start()
    workers.terminate()
    assert f"executor: {executor}: {why}" == str(refused.value)
