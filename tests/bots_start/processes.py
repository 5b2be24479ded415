"""What the tests of bot processes share: looking at processes, and waiting for them to go."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import trio

from lanista.bots import keeper_process
from lanista.bots.command import environment
from lanista.bots.process import Bot, Exit, start_bot
from lanista.bots.proctree import processes, read_stat
from support.processes import runs
from support.waiting import PATIENCE, until

ENV = environment(port=4000, name="Camper", token="t0k")
KILLED = Exit(signal=signal.SIGKILL, by_arena=True)

# The environment of a program that imports what the tests do.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def python(path: Path) -> tuple[str, ...]:
    """The command that runs a script with this interpreter."""
    return (sys.executable, "-I", "-S", str(path))


def parent(pid: int) -> int:
    """The parent of a process; of a bot, that is its keeper."""
    stat = read_stat(pid)
    assert stat is not None
    return stat[0]


def children() -> set[int]:
    """The children of this process, zombies too, without its fork server."""
    all_ours = {pid for pid, (parent_pid, _) in processes().items() if parent_pid == os.getpid()}
    return all_ours - {fork_server()}


def fork_server() -> int:
    """The fork server of this process; 0 while there is none."""
    return keeper_process._fork_server.pid


@contextlib.asynccontextmanager
async def telling(script: Path, *words: str) -> AsyncIterator[tuple[trio.Process, Any]]:
    """Run a script as an arena of its own for the block, with its first line, which is JSON."""
    command = [sys.executable, str(script), *words]
    arena = await trio.lowlevel.open_process(command, env=ENVIRONMENT, stdout=subprocess.PIPE)
    try:
        line = b""
        with trio.fail_after(PATIENCE):
            while not line.endswith(b"\n"):
                more = await arena.stdout.receive_some()
                assert more, "it ended before it told anything"
                line += more
        yield arena, json.loads(line)
    finally:
        arena.kill()
        await arena.wait()
        await arena.stdout.aclose()


async def end_of(bot: Bot) -> Exit:
    """Wait for a bot's end, and return how it ended; the test fails if it goes on."""
    with trio.fail_after(PATIENCE):
        return await bot.exited()


async def exit_of(words: Sequence[str], env: Mapping[str, str] = ENV, **options: Any) -> Exit:
    """Start a bot, and return how it ended by itself; options as of `start_bot`."""
    async with start_bot(words, env, **options) as bot:
        return await end_of(bot)


async def failure_of(words: Sequence[str], env: Mapping[str, str] = ENV, **options: Any) -> str:
    """Return why a bot can't be started; options as of `start_bot`."""
    how = await exit_of(words, env, **options)
    assert how == Exit(failure=how.failure)
    return how.failure.removeprefix("could not be started: ")


async def gone(pids: Iterable[int]) -> None:
    """Wait until none of these processes runs; the test fails if one still does after PATIENCE."""
    left = list(pids)
    await until(lambda: not any(map(runs, left)))


async def pids_in(bot: Bot, count: int) -> Sequence[int]:
    """Wait until a bot and what it started have written `count` pids, a line each."""
    await until(lambda: bot.output_tail().count("\n") >= count)
    return [int(line) for line in bot.output_tail().split()]
