"""Who runs tasks: processes of this machine, executors that were given."""

import contextlib
import errno
import functools
import multiprocessing.popen_spawn_posix
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor

import pytest

from e2e.running import runs, wait_until, wait_until_gone
from lanista.competition import executors
from lanista.competition.executors import GivenWorkers, LocalWorkers, deal
from lanista.competition.running import open_executor
from lanista.errors import SpecError
from lanista.system import usable_cores
from support import errands

PATIENCE = 60


@pytest.fixture
def local():
    """Make local workers; they are ended after the test."""
    made = []

    def make(*arguments, **options):
        made.append(LocalWorkers(*arguments, **options))
        made[-1].start()
        return made[-1]

    yield make
    for workers in made:
        workers.terminate()


def pids_of(workers):
    return [process.pid for slot in workers._all for process in slot.context.processes]


def result(future: Future):
    return future.result(PATIENCE)


@contextlib.contextmanager
def one_at_work(workers, folder):
    """Have one of them work as long as the block does; its process id is in the file `waits`."""
    waiting = workers.submit(errands.wait_for, folder / "go", folder / "waits")
    yield
    (folder / "go").touch()
    result(waiting)


def test_workers_that_the_system_does_not_start_are_ended_without_an_error(local, monkeypatch):
    """Under a low `ulimit -u` they can't be started, and only that is told."""

    def lacking(*_):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    workers = local(1)
    with monkeypatch.context() as patched:
        patched.setattr(multiprocessing.popen_spawn_posix.Popen, "_launch", lacking)
        with pytest.raises(BlockingIOError) as told:
            workers.submit(errands.pid)
    assert 7 == result(workers.submit(errands.echo, 7))
    assert 1 == len(pids_of(workers))
    workers.terminate()
    assert told.traceback  # by which the process that wasn't started is still there


def test_a_dead_worker_is_replaced_and_no_other_is_harmed(local, tmp_path):
    workers = local(2)
    with one_at_work(workers, tmp_path):
        with pytest.raises(workers.losses):
            result(workers.submit(errands.die))
        assert 7 == result(workers.submit(errands.echo, 7))


def test_a_worker_is_another_process_and_stays_whatever_its_tasks_raise(local):
    """It leaves the terminal's signals to the manager, as Ctrl-C goes to all of the process group.

    Nothing is held back from bots.
    """
    workers = local(1)
    assert ([signal.SIGINT, signal.SIGHUP], []) == result(workers.submit(errands.ignored))
    before = result(workers.submit(errands.pid))
    assert os.getpid() != before
    with pytest.raises(ValueError, match="no such thing"):
        result(workers.submit(errands.fail, "no such thing"))
    assert before == result(workers.submit(errands.pid))
    assert [before] == pids_of(workers)


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(
            "multiprocessing.queues.Queue._start_thread",
            marks=pytest.mark.skipif(sys.version_info >= (3, 12), reason="the pool heeds it"),
        ),
        "concurrent.futures.process._ExecutorManagerThread.start",
    ],
)
def test_a_thread_that_the_system_refuses_is_an_error(local, monkeypatch, start):
    """Without the pool's threads, no result of a task would ever come. No process is left."""

    def refuse(_):
        raise RuntimeError("can't start new thread")

    workers = local(1)
    with monkeypatch.context() as patch:
        patch.setattr(start, refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            workers.submit(errands.pid)
    assert [] == workers._all
    wait_until(lambda: [] == multiprocessing.active_children(), "no process is left")
    result(workers.submit(errands.pid))


def test_terminate_kills_what_runs(local, tmp_path):
    workers = local(2)
    waiting = workers.submit(errands.wait_for, tmp_path / "never", tmp_path / "waits")
    wait_until((tmp_path / "waits").exists, "the task runs")
    idle = result(workers.submit(errands.pid))
    pids = pids_of(workers)
    assert idle in pids
    assert 2 == len(pids)
    workers.terminate()
    workers.terminate()
    wait_until_gone(pids)
    assert isinstance(waiting.exception(PATIENCE), BrokenExecutor)


def test_close_has_every_worker_say_farewell(local, tmp_path):
    workers = local(2)
    with one_at_work(workers, tmp_path):
        result(workers.submit(errands.pid))
    pids = pids_of(workers)
    (tmp_path / "said").mkdir()
    workers.close(functools.partial(errands.note_farewell, tmp_path / "said"))
    said = {int(path.name) for path in (tmp_path / "said").iterdir()}
    assert set(pids) == said
    wait_until_gone(pids)


def test_pinned_workers_have_cores_of_their_own_until_they_settle_on_fewer(local, tmp_path):
    workers = local(2, pin=True)
    with one_at_work(workers, tmp_path):
        other, cores = (result(workers.submit(what)) for what in (errands.pid, errands.cores))
        workers.set_slots(1)
        wait_until_gone([other])
    assert [int((tmp_path / "waits").read_text())] == pids_of(workers)
    assert deal(usable_cores(), 2)[1] == tuple(cores)
    workers.set_slots(1)  # now that it is idle
    assert usable_cores() == result(workers.submit(errands.cores))


@pytest.mark.parametrize(
    ("cores", "slots", "dealt"),
    [
        ([0, 1, 2, 3], 2, [(0, 1), (2, 3)]),
        ([0, 1, 2, 3, 4], 2, [(0, 1), (2, 3)]),
        ([4, 7], 3, [(4,), (7,), (4,)]),
        ([5], 1, [(5,)]),
    ],
)
def test_deal(cores, slots, dealt):
    assert dealt == deal(cores, slots)


SCRIPT = """
import threading
from multiprocessing import resource_tracker
from pathlib import Path
from lanista.competition.executors import LocalWorkers
from support import errands
print("main runs", flush=True)
workers = LocalWorkers(2)
workers.start()
futures = [workers.submit(errands.wait_for, "never", f"waits{number}") for number in range(2)]
status = Path(f"/proc/{resource_tracker._resource_tracker._pid}/status").read_text()
held = int(status.partition("SigBlk:")[2].split()[0], 16)
print("SIGHUP is held back from the tracker:", bool(held & 1), flush=True)
Path("told").touch()
threading.Event().wait()
"""


def test_workers_end_with_a_manager_that_is_killed(tmp_path):
    """kill -9 of the manager leaves no worker; the script's top level isn't run in workers; and a
    terminal that is closed ends nothing before the manager does.
    """
    (tmp_path / "script.py").write_text(SCRIPT)
    folders = os.pathsep.join(path for path in sys.path if path)
    with (tmp_path / "out").open("wb") as out:
        manager = subprocess.Popen(
            [sys.executable, "-W", "error", "script.py"],
            cwd=tmp_path,
            stdout=out,
            env=os.environ | {"PYTHONPATH": folders},
        )
    try:
        beats = [tmp_path / f"waits{number}" for number in range(2)]
        beats_told = [*beats, tmp_path / "told"]
        wait_until(lambda: all(path.exists() for path in beats_told), "tasks run")
        wait_until(lambda: all(beat.read_text() for beat in beats), "their processes are known")
        pids = [int(beat.read_text()) for beat in beats]
        assert all(map(runs, pids))
    finally:
        manager.kill()
        manager.wait(PATIENCE)
    wait_until_gone(pids)
    told = "main runs\nSIGHUP is held back from the tracker: True\n"
    assert told == (tmp_path / "out").read_text()


class TestGiven:
    def test_slots_are_the_pools(self):
        with ThreadPoolExecutor(3) as pool:
            assert 3 == GivenWorkers(pool).slots
            assert 2 == GivenWorkers(pool, 2).slots

    def test_it_is_used_and_left_open(self):
        with ThreadPoolExecutor(2) as pool:
            workers = open_executor(pool, seats=2)
            said = []
            assert 7 == result(workers.submit(errands.echo, 7))
            workers.close(lambda: said.append(threading.get_ident()))
            assert 2 == len(said)
            assert 8 == result(pool.submit(errands.echo, 8))

    def test_terminate_takes_back_what_does_not_run(self):
        go, begun = threading.Event(), threading.Event()

        def wait():
            begun.set()
            go.wait(PATIENCE)

        with ThreadPoolExecutor(1) as pool:
            workers = GivenWorkers(pool)
            running, queued = workers.submit(wait), workers.submit(wait)
            begun.wait(PATIENCE)
            workers.terminate()
            assert (False, True) == (running.cancelled(), queued.cancelled())
            go.set()

    def test_one_that_was_shut_down(self):
        pool = ThreadPoolExecutor(1)
        pool.shutdown()
        workers = GivenWorkers(pool)
        with pytest.raises(RuntimeError):
            workers.submit(errands.pid)
        workers.close(errands.pid)
        workers.terminate()


@pytest.mark.parametrize(
    "executor", ["", "dask", "dask://host", "dask://host:0", "dask://host:1/x"]
)
def test_an_unknown_executor_lists_the_known(executor):
    with pytest.raises(SpecError) as refused:
        open_executor(executor, seats=2)
    assert f"executor: {executor!a}; it can be local, dask-local, dask://HOST:PORT" == str(
        refused.value
    )


@pytest.mark.parametrize("executor", ["local", "dask-local"])
@pytest.mark.parametrize(("cores", "seats", "slots"), [(8, 2, 4), (7, 4, 1), (2, 4, 1)])
def test_local_concurrency_gives_each_bot_a_core(executor, cores, seats, slots, monkeypatch):
    """Unless a number is given."""
    monkeypatch.setattr(executors, "usable_cores", lambda: list(range(cores)))
    assert slots == open_executor(executor, seats=seats).slots
    assert 3 == open_executor(executor, 3, seats=seats).slots


def test_files_in_the_working_directory_hide_no_modules_from_workers(tmp_path, monkeypatch):
    """And what makes sure of that isn't inherited by the bots that a worker starts."""
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "socket.py").write_text("raise SystemExit('not that one')")
    workers = LocalWorkers(1)
    try:
        assert None is result(workers.submit(os.getenv, "PYTHONSAFEPATH"))
    finally:
        workers.terminate()


def test_without_distributed_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "lanista.competition.cluster", raising=False)
    with pytest.raises(SpecError) as refused:
        open_executor("dask-local", seats=2)
    assert (
        "executor: dask-local: dask.distributed isn't installed; pip install 'lanista[cluster]'"
        == str(refused.value)
    )
