"""Ending fork bombs that detach, and what keeps them small until then.

The bombs of tests/bots/detaching_bomb.py have a fixed number of forks, so no machine is lost if one
isn't ended.
"""

import os
import re
from pathlib import Path

import pytest
import trio

from bots_start.arena import listening, needs_sandbox
from bots_start.processes import ENV, end_of, gone, python, telling
from lanista.bots import cgroup, execute, proctree
from lanista.bots.limits import BotLimits
from lanista.bots.process import start_bot
from lanista.system import control_group
from support.waiting import until

FORKS = 400
ENDED = r"was ended: it had \d+ processes; the limit is 20"


@pytest.fixture
def without_groups(monkeypatch):
    """No bot of this test has a control group, whatever an earlier test has set."""
    monkeypatch.setattr(cgroup, "_base", None)


@pytest.fixture
def with_groups(monkeypatch):
    """Bots of this test have control groups, or it is skipped; this process stays in its own."""
    monkeypatch.setattr(cgroup, "_limits", False)
    base = control_group()
    if base is None or not cgroup._can_make_groups(base):
        pytest.skip("no control groups (version 2) can be made here")
    monkeypatch.setattr(cgroup, "_base", base)
    return base


async def ended(kind, *, sandboxed=False):
    """How a bot ended that became a bomb of this kind; nothing of it is left then."""
    async with listening() as arena:
        limits = BotLimits(processes=20)
        words = ("detaching_bomb.py", kind, str(FORKS))
        async with arena.first_turn(*words, limits=limits, sandboxed=sandboxed) as bot:
            how = await end_of(bot)
            await until(lambda: bot.gone_at <= trio.current_time())
    return str(how)


@pytest.mark.usefixtures("without_groups")
@pytest.mark.parametrize("kind", ["sessions", "orphans"])
async def test_a_bomb_is_ended_process_by_process(kind):
    """Where nothing else is possible; its processes are in no group with the bot."""
    assert re.fullmatch(ENDED, await ended(kind))


@pytest.mark.one_user
@pytest.mark.usefixtures("with_groups")
async def test_a_bomb_is_ended_by_its_control_group():
    """The kernel kills all in the group in which the bot began, whatever else it has left."""
    assert re.fullmatch(ENDED, await ended("sessions"))


@needs_sandbox
@pytest.mark.usefixtures("without_groups", "one_sandbox")
async def test_a_bomb_is_ended_with_its_sandbox():
    assert re.fullmatch(ENDED, await ended("orphans", sandboxed=True))


@pytest.mark.usefixtures("without_groups")
async def test_a_limit_broken_since_the_last_look_is_told(script):
    """The match ends, and the bot with it, before its keeper looks at its processes again."""
    path = script("""
        import os, signal
        for _ in range(9):
            if os.fork() == 0:
                signal.pause()
        print("forked", flush=True)
        signal.pause()
    """)
    async with start_bot(python(path), ENV, limits=BotLimits(processes=5), grace=0) as bot:
        # On a busy machine its keeper may look before all are forked, and nothing is printed then.
        await until(lambda: bot.output_bytes or bot.broken_limit)
    assert "was ended: it had 6 processes; the limit is 5" == str(bot.exit)


@pytest.mark.one_user
@pytest.mark.usefixtures("with_groups")
async def test_a_group_goes_with_the_last_process_even_if_the_arena_has_died(script):
    """Its keeper removes it; nobody else would."""
    path = script("""
        import json, os
        import trio
        from lanista.bots.limits import BotLimits
        from lanista.bots.command import environment
        from lanista.bots.process import start_bot
        from lanista.bots.cgroup import use_cgroups
        async def main():
            env = environment(port=1, name="n")
            async with start_bot(["sleep", "100"], env, limits=BotLimits()) as bot:
                print(json.dumps([bot.keeper, bot.pid, os.getpid()]), flush=True)
                await trio.sleep_forever()
        assert use_cgroups()
        trio.run(main)
    """)
    async with telling(path) as (_, (keeper, bot, pid)):
        group = control_group(Path(f"/proc/{bot}"))
        assert group.name.startswith(f"lanista-bot-{pid}-")
        assert group.is_dir()
    await until(lambda: not group.exists())
    await gone([keeper])


async def test_a_keeper_goes_before_its_bot_which_has_our_priority():
    async with start_bot(["sleep", "100"], ENV, limits=BotLimits(), grace=0) as bot:
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        assert ours == os.getpriority(os.PRIO_PROCESS, bot.pid)
        if os.geteuid() == 0:
            assert -20 == os.getpriority(os.PRIO_PROCESS, bot.keeper)


@pytest.mark.parametrize(
    ("processes", "cores", "threads"),
    [(64, 2, 1024), (16, 2, 256), (1, 2, 256), (1, 128, 512), (64, 128, 1024)],
)
def test_a_bot_may_have_a_few_threads_for_each_process_and_some_for_each_core(
    monkeypatch, processes, cores, threads
):
    """A single process of Java or PyTorch has that many on a large machine."""
    monkeypatch.setattr(execute.os, "cpu_count", lambda: cores)
    assert threads == execute.threads(processes)


def test_an_ordinary_users_threads_are_limited_with_room_for_other_bots(monkeypatch):
    """The kernel counts those of all bots together, also of those in other containers, which can't
    be seen; and it doesn't limit root's."""
    monkeypatch.setattr(proctree, "threads_of", {54321: 100}.get)
    monkeypatch.setattr(execute.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(execute.os, "geteuid", lambda: 54321)
    monkeypatch.setattr(proctree, "sees_all", lambda: True)
    assert 100 + 3 * 320 == execute.other_threads(20)
    assert execute.other_threads(0) is None
    monkeypatch.setattr(proctree, "sees_all", lambda: False)  # in a container
    assert execute.other_threads(20) is None
    monkeypatch.setattr(proctree, "sees_all", lambda: True)
    monkeypatch.setattr(execute.os, "geteuid", lambda: 0)
    assert execute.other_threads(20) is None


def test_the_threads_of_a_user_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(proctree, "PROC", str(tmp_path))
    for pid, threads in (7, 3), (8, 5):
        (tmp_path / str(pid)).mkdir()
        fields = " ".join(["S", *["0"] * 16, str(threads), *["0"] * 9])
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a) {fields}\n")
    (tmp_path / "self").mkdir()
    assert 8 == proctree.threads_of(os.geteuid())
    assert 0 == proctree.threads_of(os.geteuid() + 1)
