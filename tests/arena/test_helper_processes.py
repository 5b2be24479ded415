"""Helper processes: work beside the loop, and their end with the process that started them."""

import contextlib
import os
import resource
import signal
import subprocess
import sys

import pytest
import trio

from e2e.running import wait_until
from lanista.helper_processes import LOW_PRIORITY, HelperDiedError, HelperProcess
from lanista.spawning import begin_helper
from support.processes import runs
from support.waiting import until

SCRIPT = """
import os, sys, trio
from lanista.helper_processes import HelperProcess

async def main():
    helper = HelperProcess()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(helper.run)
        print(await helper.call(os.getpid), flush=True)
        nursery.start_soon(helper.call, exec, sys.argv[1])
        await trio.sleep_forever()

if __name__ == "__main__":
    trio.run(main)
"""


@pytest.mark.parametrize("more", ["", "import time; time.sleep(600)", "while True: pass"])
def test_they_end_with_a_process_that_was_killed(tmp_path, more):
    """After a call, and in the middle of one."""
    begun = tmp_path / "begun"
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    work = f"open({str(begun)!r}, 'w').close()\n{more}"
    with subprocess.Popen([sys.executable, script, work], stdout=subprocess.PIPE) as process:
        try:
            helper = int(process.stdout.readline())
            wait_until(begun.exists, "the call has begun")
            assert runs(helper)
        finally:
            process.kill()
    wait_until(lambda: not runs(helper), "the helper has ended")


def test_files_in_the_working_directory_hide_no_modules(tmp_path):
    """Nor from the process in which multiprocessing tracks semaphores."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/socket.py").write_text("raise SystemExit('not that one')")
    script = tmp_path / "script.py"
    script.write_text(
        SCRIPT.replace("os.getpid", "os.getenv, 'PYTHONSAFEPATH'").replace(
            "await trio.sleep_forever()", "nursery.cancel_scope.cancel()"
        )
    )
    run = subprocess.run(
        [sys.executable, script, ""], cwd=tmp_path / "home", capture_output=True, check=False
    )
    assert (0, b"None\n", b"") == (run.returncode, run.stdout, run.stderr)


@contextlib.asynccontextmanager
async def running(**options):
    helper = HelperProcess(**options)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(helper.run)
        yield helper
        nursery.cancel_scope.cancel()


async def test_it_ends_with_its_run_though_one_was_killed():
    async with running() as helper:
        first = await helper.call(os.getpid)
        assert first == await helper.call(os.getpid)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: not runs(first), "it has ended")
        second = await helper.call(os.getpid)
        assert first != second
        os.kill(second, signal.SIGSTOP)  # it can't end by itself
    assert not runs(second)


async def test_a_helper_has_low_priority_and_as_much_memory_as_it_was_given():
    async with running(max_memory=2**30) as helper, running(niceness=0) as other:
        here = os.getpriority(os.PRIO_PROCESS, 0)
        assert min(here + LOW_PRIORITY, 19) == await helper.call(os.getpriority, os.PRIO_PROCESS, 0)
        assert here == await other.call(os.getpriority, os.PRIO_PROCESS, 0)
        first = await helper.call(os.getpid)
        with pytest.raises(HelperDiedError, match="the process had too little memory"):
            await helper.call(bytearray, 2**30)
        assert not runs(first)
        assert [0] * 3 == list(await helper.call(bytearray, 3))


async def test_calls_that_wait_are_made_in_the_next_helper_after_one_had_too_little_memory():
    """Otherwise one visitor's comparison would end those of all others."""
    lengths = []

    async def measure(helper):
        lengths.append(await helper.call(len, "abc"))

    async def fill(helper):
        with pytest.raises(HelperDiedError, match="too little memory"):
            await helper.call(bytearray, 2**62)

    async with running() as helper, trio.open_nursery() as nursery:
        nursery.start_soon(fill, helper)
        nursery.start_soon(measure, helper)
        nursery.start_soon(measure, helper)
    assert [3, 3] == lengths


BEGIN = """
from pathlib import Path
from lanista import spawning
spawning.control_group = lambda: Path(base) / "lanista-arena"
spawning.begin_helper(niceness, None)
"""


async def test_a_helper_leaves_the_arenas_control_group_for_one_of_low_priority(tmp_path):
    """Niceness counts only within a group: there, bots in theirs would wait for it."""
    joined = tmp_path / "lanista-helpers" / "cgroup.procs"
    joined.parent.mkdir()
    async with running() as helper:
        await helper.call(exec, BEGIN, {"base": str(tmp_path), "niceness": 0})
        assert not joined.exists()
        await helper.call(exec, BEGIN, {"base": str(tmp_path), "niceness": 1})
    assert "0\n" == joined.read_text()


async def test_a_helper_takes_no_more_memory_than_the_arena_may():
    """Whoever isn't root can't raise a limit, so it would not even start."""
    async with running() as helper:
        limits = (2**29, 2**29)
        await helper.call(resource.setrlimit, resource.RLIMIT_AS, limits)
        await helper.call(begin_helper, 0, 2**30)
        assert limits == await helper.call(resource.getrlimit, resource.RLIMIT_AS)


async def test_an_error_in_a_call_is_the_callers():
    async with running() as helper:
        with pytest.raises(ZeroDivisionError):
            await helper.call(divmod, 1, 0)


async def test_an_exit_in_a_call_ends_the_call_alone():
    """A game's method that makes a board or draws may exit; the arena has called it and goes on."""
    async with running() as helper:
        with pytest.raises(HelperDiedError, match=r"^sys.exit\(\) was called in the process: no$"):
            await helper.call(sys.exit, "no")
        assert (1, 0) == await helper.call(divmod, 1, 1)


async def test_one_that_dies_during_a_call_is_an_error_of_its_own():
    async with running() as helper:
        with pytest.raises(HelperDiedError, match=r"^the process ended \(1\)$"):
            await helper.call(os._exit, 1)


async def test_one_whose_call_is_cancelled_is_killed(tmp_path):
    begun = tmp_path / "begun"
    work = f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(600)"
    async with running() as helper:
        pid = await helper.call(os.getpid)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(helper.call, exec, work)
            await until(begun.exists)
            nursery.cancel_scope.cancel()
        assert not runs(pid)
