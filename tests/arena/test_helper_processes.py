"""Helper processes: work beside the loop, and their end with the process that started them."""

import os
import signal
import subprocess
import sys
import time

import pytest
import trio

from e2e.running import wait_until
from lanista.helper_processes import HelperDiedError, open_helpers
from support.processes import runs

SCRIPT = """
import os, sys, trio
from lanista.helper_processes import open_helpers

async def main():
    async with open_helpers() as helpers, trio.open_nursery() as nursery:
        print(await helpers.call(os.getpid), flush=True)
        nursery.start_soon(helpers.call, exec, sys.argv[1])
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


async def test_they_end_with_the_context_though_one_was_killed():
    async with open_helpers() as helpers:
        first = await helpers.call(os.getpid)
        assert first == await helpers.call(os.getpid)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: not runs(first), "it has ended")
        second = await helpers.call(os.getpid)
        assert first != second
    assert not runs(second)


async def test_an_error_in_a_call_is_the_callers():
    async with open_helpers() as helpers:
        with pytest.raises(ZeroDivisionError):
            await helpers.call(divmod, 1, 0)


async def test_one_that_dies_during_a_call_is_an_error_of_its_own():
    async with open_helpers() as helpers:
        with pytest.raises(HelperDiedError):
            await helpers.call(os._exit, 1)


async def test_one_whose_call_is_cancelled_is_killed():
    async with open_helpers() as helpers:
        helper = await helpers.call(os.getpid)
        with trio.move_on_after(0.01):
            await helpers.call(time.sleep, 600)
        assert not runs(helper)
