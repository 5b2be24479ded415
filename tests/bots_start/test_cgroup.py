"""Control groups, against an imitation of their files: what is written where, and what is read."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bots_start.processes import ENV, exit_of
from lanista.bots import cgroup
from lanista.bots.cgroup import use_cgroups
from lanista.bots.limits import MIB, BotLimits
from lanista.bots.process import Exit, start_bot
from lanista.system import control_group


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A delegated group `mine.scope`, as the kernel shows it, and the process's own /proc.

    The kernel makes a group's files with its folder and removes them with it; so does this.
    """
    group = tmp_path / "cgroup" / "user slice" / "mine.scope"
    group.mkdir(parents=True)
    (group / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.subtree_control").touch()
    (group / "cgroup.procs").touch()
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text("4:memory:/old\n0::/user slice/mine.scope\n")
    mounted = str(tmp_path / "cgroup").replace(" ", "\\040")
    (proc / "mountinfo").write_text(
        "24 1 0:22 / /proc rw,nosuid shared:12 - proc proc rw\n"
        f"35 24 0:30 / {mounted} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
    )
    real_mkdir = Path.mkdir

    def mkdir(path, *args, **options):
        real_mkdir(path, *args, **options)
        for name in ("cgroup.procs", "cgroup.kill", "memory.events", "memory.swap.max"):
            (path / name).touch()

    removed = {}

    def rmdir(path):
        removed[path.name] = {file.name: file.read_text() for file in path.iterdir()}
        shutil.rmtree(path)

    monkeypatch.setattr(Path, "mkdir", mkdir)
    monkeypatch.setattr(Path, "rmdir", rmdir)
    monkeypatch.setattr(cgroup, "_base", None)
    yield proc, group, removed
    monkeypatch.undo()


async def test_a_bot_gets_a_group_that_is_gone_after_it(tree, monkeypatch):
    """The arena moves to a leaf, the bot joins its group before it is executed."""
    proc, group, removed = tree
    assert use_cgroups(proc)
    assert "+cpu\n" == (group / "cgroup.subtree_control").read_text()  # what was written last
    leaf = group / "lanista-arena"
    assert int((leaf / "cgroup.procs").read_text()) > 0
    limits = BotLimits(memory=32 * MIB, processes=100)
    assert Exit(code=0) == await exit_of(["true"], limits=limits)
    (files,) = removed.values()
    assert files == {
        "memory.max": f"{32 * MIB}\n",
        "memory.swap.max": "0\n",
        "memory.oom.group": "1\n",
        "memory.events": "",
        "pids.max": "1600\n",
        "cgroup.procs": "0\n",
        "cgroup.kill": "1\n",
    }
    folders = {path.name for path in group.iterdir() if path.is_dir()}
    assert {"lanista-arena", "lanista-helpers"} == folders
    assert "4\n" == (group / "lanista-helpers" / "cpu.weight").read_text()
    assert "1000\n" == (leaf / "cpu.weight").read_text()
    async with start_bot(["true"], ENV, limits=BotLimits(memory=None, processes=None)) as bot:
        await bot.exited()
    assert 1 == len(removed)


def test_limits_need_no_shares_of_the_processors(tree):
    """A service may delegate memory and pids alone."""
    proc, group, _ = tree
    (group / "cgroup.controllers").write_text("memory pids rdma\n")
    assert use_cgroups(proc)
    assert "+memory +pids\n" == (group / "cgroup.subtree_control").read_text()


async def test_groups_that_a_killed_process_of_our_id_has_left_are_in_nobodys_way(tree):
    """Ids come again after some 30,000 processes, in a container after each restart."""
    proc, group, _ = tree
    for number in range(1, 500):
        os.mkdir(group / f"lanista-bot-{os.getpid()}-{number}")  # noqa: PTH102 - without the files
    assert use_cgroups(proc)
    assert Exit(code=0) == await exit_of(["true"], limits=BotLimits(memory=32 * MIB))


def test_groups_of_killed_processes_are_removed(tree):
    """If their keepers were killed too; those of a process that runs stay, as it may fill them."""
    proc, group, removed = tree
    killed = subprocess.Popen(["true"])
    killed.wait()
    names = [f"lanista-bot-{killed.pid}-1", f"lanista-bot-{os.getppid()}-1", "lanista-bot-mine"]
    for name in names:
        (group / name).mkdir()
    assert use_cgroups(proc)
    assert names[:1] == list(removed)


async def test_the_kernels_end_for_memory_is_told(tree):
    """A SIGKILL with a count of `oom_kill` is that; the keeper has looked at no memory."""
    proc, group, _ = tree
    assert use_cgroups(proc)
    kill = f"cd '{group}'/lanista-bot-*; echo oom_kill 3 > memory.events; kill -9 $$"
    async with start_bot(["sh", "-c", kill], ENV, limits=BotLimits(memory=32 * MIB)) as bot:
        how = await bot.exited()
    assert "was ended: it used more than 32 MiB of memory, its limit" == str(how)
    kill = kill.replace("oom_kill 3", "oom_kill 0")
    command = ["sh", "-c", kill]
    assert "killed by SIGKILL" == str(await exit_of(command, limits=BotLimits(memory=32 * MIB)))


async def test_a_group_that_cannot_be_joined_or_made_is_a_failure(tree, monkeypatch):
    proc, group, removed = tree
    assert use_cgroups(proc)
    real_make = cgroup.Group.make

    def make(limits, *, sandboxed):
        made = real_make(limits, sandboxed=sandboxed)
        (made.path / "cgroup.procs").unlink()
        return made

    monkeypatch.setattr(cgroup.Group, "make", make)
    async with start_bot(["true"], ENV, limits=BotLimits()) as bot:
        assert str(bot.exit).startswith("could not be started: No such file or directory: ")
        assert str(bot.exit).endswith(" (its control group)")
    assert 1 == len(removed)
    shutil.rmtree(group)
    async with start_bot(["true"], ENV, limits=BotLimits()) as bot:
        assert "could not be started: [Errno 2]" in str(bot.exit)


@pytest.mark.parametrize("lacks", ["controllers", "permission"])
async def test_a_group_that_cannot_limit_serves_to_kill_only(tree, lacks):
    """Nothing moves but the bot where an arena of root wasn't delegated a group."""
    proc, group, removed = tree
    if lacks == "controllers":
        (group / "cgroup.controllers").write_text("cpu pids\n")
    else:
        # As EBUSY or EACCES would: a folder can't be written to either.
        (group / "cgroup.subtree_control").unlink()
        (group / "cgroup.subtree_control").mkdir()
    assert use_cgroups(proc)
    assert not (group / "lanista-arena").exists()
    removed.clear()
    assert Exit(code=0) == await exit_of(["true"], limits=BotLimits())
    (files,) = removed.values()
    assert ("0\n", "1\n") == (files["cgroup.procs"], files["cgroup.kill"])
    assert {"memory.max", "pids.max"}.isdisjoint(files)


@pytest.mark.parametrize("lacks", ["write", "mount", "group", "proc"])
async def test_without_a_group_of_ours_nothing_is_touched(tree, lacks):
    """Bots run as without groups, and the keeper measures."""
    proc, group, removed = tree
    if lacks == "write":
        shutil.rmtree(group)
    elif lacks == "mount":
        (proc / "mountinfo").write_text("24 1 0:22 / /proc rw,nosuid shared:12 - proc proc rw\n")
    elif lacks == "group":
        (proc / "cgroup").write_text("4:memory:/old\n")
    else:
        shutil.rmtree(proc)
    assert not use_cgroups(proc)
    assert not (group / "lanista-arena").exists()
    removed.clear()
    assert Exit(code=0) == await exit_of(["true"], limits=BotLimits())
    assert {} == removed


def test_a_group_below_the_mounted_one(tmp_path):
    """In a container that shows only a part of the tree."""
    (tmp_path / "cgroup").write_text("0::/docker/abc/inner\n")
    (tmp_path / "mountinfo").write_text(
        "35 24 0:30 /docker/abc /sys/fs/cg\\040roup rw - cgroup2 cgroup2 rw\n"
    )
    assert Path("/sys/fs/cg roup/inner") == control_group(tmp_path)
    (tmp_path / "cgroup").write_text("0::/\n")
    (tmp_path / "mountinfo").write_text("35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n")
    assert Path("/sys/fs/cgroup") == control_group(tmp_path)
