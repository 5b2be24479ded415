"""The text of limits, and ending bots that break them, with real processes."""

import contextlib
import os
import re
import resource
import shutil
import signal
import sys
import tempfile

import attrs
import pytest

from bots_start.arena import listening, needs_sandbox
from bots_start.processes import ENV, end_of, pids_in, python, runs
from lanista.bots import proctree, usage
from lanista.bots.limits import (
    GIB,
    MIB,
    NO_LIMITS,
    BotLimits,
    LimitsError,
    describe_broken,
    parse_limits,
    readable_size,
)
from lanista.bots.process import start_bot
from support.waiting import until


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", NO_LIMITS),
        (
            "memory=512M,cpu=60,files=256,file-size=10m,processes=16",
            BotLimits(memory=512 * MIB, cpu=60, open_files=256, file_size=10 * MIB, processes=16),
        ),
        (" memory = 2G , cpu = none", BotLimits(memory=2 * GIB, cpu=None)),
        ("memory=33554432,processes=0", BotLimits(memory=32 * MIB, processes=None)),
    ],
)
def test_limits_are_read_and_what_is_not_named_keeps_its_default(text, expected):
    assert expected == parse_limits(text)


def test_the_defaults():
    """docs/limits.md tells them."""
    expected = {
        "memory": GIB,
        "cpu": 3600,
        "file_size": 256 * MIB,
        "open_files": 1024,
        "processes": 64,
    }
    assert expected == attrs.asdict(BotLimits())
    assert BotLimits().any
    assert not NO_LIMITS.any
    assert NO_LIMITS == BotLimits(memory=0, cpu=0, file_size=0, open_files=0, processes=0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "'' isn't KEY=VALUE: write for example 'memory=512M,cpu=60', or 'none'"),
        ("memory", "'memory' isn't KEY=VALUE: write for example 'memory=512M,cpu=60', or 'none'"),
        (
            "memory=1G,ram=1",
            "there is no limit 'ram': known are memory, cpu, file-size, files, processes",
        ),
        ("cpu=1,cpu=2", "cpu is given twice: give it once"),
        (
            "memory=lots",
            "memory='lots' isn't valid: give bytes, perhaps with K, M or G, such as 512M",
        ),
        ("cpu=1.5", "cpu='1.5' isn't valid: give whole seconds, such as 60"),
        ("processes=1K", "processes='1K' isn't valid: give a whole number, such as 64"),
        ("cpu=-1", "cpu='-1' isn't valid: give whole seconds, such as 60"),
        (
            "memory=1M",
            "memory=1048576 can't be a limit: give at least 16M, or 0 for no limit",
        ),
        ("files=3", "files=3 can't be a limit: give at least 16, or 0 for no limit"),
        (
            "file-size=2000000000G",
            "file-size=2147483648000000000 can't be a limit: give at least 4K, or 0 for no limit",
        ),
    ],
)
def test_each_mistake_in_limits_is_told(text, why):
    with pytest.raises(LimitsError) as caught:
        parse_limits(text)
    assert f"limits {text!r}: {why}" == str(caught.value)


def test_words_for_people():
    assert ["1 GiB", "1.1 GiB", "200 MiB", "1000 KiB", "17 bytes"] == [
        readable_size(size) for size in (GIB, int(1.1 * GIB), 200 * MIB, 1000 * 1024, 17)
    ]
    assert [
        "used 1.1 GiB of memory; the limit is 1 GiB",
        "used more than 1 GiB of memory, its limit",
        "used 61 s of CPU time; the limit is 60 s",
        "had 300 processes; the limit is 64",
    ] == [
        describe_broken("memory", GIB, int(1.1 * GIB)),
        describe_broken("memory", GIB, 0),
        describe_broken("cpu", 60, 61),
        describe_broken("processes", 64, 300),
    ]


# More than the 1 only if the keeper had no processor for a while.
SECONDS_USED = "was ended: it used [1-9] s of CPU time; the limit is 1 s"

SANDBOXED = pytest.mark.parametrize(
    "sandboxed",
    [pytest.param(False, id="plain"), pytest.param(True, id="sandboxed", marks=needs_sandbox)],
)


@SANDBOXED
@pytest.mark.usefixtures("one_sandbox")
async def test_a_memory_eater_is_ended_near_its_limit(sandboxed):
    """It would take 3 GiB. Between two looks it can take what 4 GiB/s give in 10 ms, and more only
    if the keeper had no processor for a while: hence the room to 2 GiB."""
    async with listening() as arena:
        limits = BotLimits(memory=100 * MIB)
        async with arena.first_turn("memory_eater.py", limits=limits, sandboxed=sandboxed) as bot:
            how = await end_of(bot)
    assert "was ended: it used " == str(how)[:19]
    assert " of memory; the limit is 100 MiB" == str(how)[-32:]
    size, unit = str(how).split()[4:6]
    assert 100 <= float(size) * {"MiB": 1, "GiB": 1024}[unit] < 2048


async def test_time_of_children_that_nobody_waits_for_counts(script):
    """One after the other, of 0.6 s each, reaped by the kernel; 20 would use 12 s."""
    path = script("""
        import os, signal, time
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        for _ in range(20):
            read, write = os.pipe()
            if os.fork() == 0:
                while time.process_time() < 0.6:
                    pass
                os._exit(0)
            os.close(write)
            os.read(read, 1)  # ends with the child
            os.close(read)
    """)
    async with start_bot(python(path), ENV, limits=BotLimits(cpu=1), grace=0) as bot:
        assert re.fullmatch(SECONDS_USED, str(await end_of(bot)))


@SANDBOXED
@pytest.mark.usefixtures("one_sandbox")
async def test_memory_that_only_descriptors_hold_counts(sandboxed, script):
    """Memfds, written and never mapped, are in no process's own figures."""
    path = script("""
        import os, signal
        kept = [os.memfd_create("x") for _ in range(4)]
        for fd in kept:
            for _ in range(50):
                os.write(fd, bytes(2**20))
        signal.pause()
    """)
    limits = BotLimits(memory=64 * MIB)
    async with (
        listening() as arena,
        arena.start(sys.executable, str(path), limits=limits, sandboxed=sandboxed) as bot,
    ):
        how = await end_of(bot)
    assert re.fullmatch(r"was ended: it used [\d.]+ MiB of memory; the limit is 64 MiB", str(how))


WATCHING = """
import select, signal, socket, sys
kept = [one := select.epoll()]
for _ in range(int(sys.argv[1])):
    kept.append(other := select.epoll())
    other.register(one)
if "in transit" in sys.argv:
    kept += socket.socketpair()
    socket.send_fds(kept[-1], [b"x"], [one.fileno()])
print("watching", flush=True)
signal.pause()
"""


@SANDBOXED
@pytest.mark.usefixtures("one_sandbox")
@pytest.mark.parametrize(
    ("words", "is_many"), [(["100"], False), (["101"], True), (["1", "in transit"], True)]
)
async def test_who_holds_the_watches_that_are_used_up_is_found(
    monkeypatch, sandboxed, script, words, is_many
):
    monkeypatch.setattr(usage, "MOST_WATCHES", 100)
    command = [sys.executable, str(script(WATCHING)), *words]
    async with listening() as arena, arena.start(*command, sandboxed=sandboxed) as bot:
        await until(lambda: "watching" in bot.output_tail())
        with monkeypatch.context() as patch:
            patch.setattr(usage.os, "getpid", lambda: bot.keeper)
            watch = usage.Watch(0, 0, 64, 0)
            assert (None, usage.LONGEST) == watch.look()
            patch.setattr(watch, "_can_watch", lambda: False)
            broken = "watches 100 0" if is_many else None
            assert broken == watch.look()[0]


def test_whether_another_descriptor_can_be_watched(tmp_path):
    watch = usage.Watch(0, 0, 64, 0)
    assert [True, True] == [watch._can_watch() for _ in range(2)]
    epoll, _ = watch._probe
    with (tmp_path / "file").open("w") as file:  # epoll refuses files, as it does what is too many
        watch._probe = epoll, file
        assert not watch._can_watch()
    assert "held more than 10000 epoll watches, its limit" == describe_broken("watches", 10000, 0)


async def test_one_that_dies_of_the_limit_of_files_is_told_why(tmp_path):
    """As programs do that don't expect it; Python does."""
    command = ["dd", "if=/dev/zero", f"of={tmp_path}/filled", "bs=1M", "count=20"]
    async with start_bot(command, ENV, limits=BotLimits(file_size=5 * MIB)) as bot:
        how = await bot.exited()
    assert signal.SIGXFSZ == how.signal
    assert "was ended: it wrote a file larger than 5 MiB, its limit" == str(how)


async def test_no_core_is_dumped_and_nothing_else_changes(script):
    """Without limits nothing is set, with limits the kernel's own are."""
    names = "CORE", "CPU", "FSIZE", "NOFILE", "AS", "DATA"
    kinds = [int(getattr(resource, f"RLIMIT_{name}")) for name in names]
    path = script(f"import resource; print([*map(resource.getrlimit, {kinds})])")
    told = []
    for limits in (NO_LIMITS, BotLimits(cpu=7, file_size=MIB, open_files=50)):
        async with start_bot([sys.executable, str(path)], ENV, limits=limits) as bot:
            await bot.exited()
        told.append(eval(bot.output_tail()))
    ours = [*map(resource.getrlimit, kinds)]
    assert [ours, [(0, 0), (8, 9), (MIB, MIB), (50, 50), *ours[4:]]] == told


async def test_what_an_exited_bot_left_is_watched_too(script):
    """The bot's own end is told as it was, and what became of the rest."""
    path = script("""
        import os, signal
        read, write = os.pipe()
        if os.fork():
            os._exit(3)
        os.close(write)
        os.read(read, 1)  # ends with the bot
        for _ in range(4):
            if os.fork() == 0:
                break
        signal.pause()
    """)
    async with start_bot(python(path), ENV, limits=BotLimits(processes=4), grace=0) as bot:
        await end_of(bot)
        await until(lambda: bot.exit.limit is not None)
    words = "exited with code 3; what it had started was ended: it had 5 processes; the limit is 4"
    assert words == str(bot.exit)


async def test_processes_left_behind_are_counted(family):
    """Three of the family are left when the fourth, the bot, is killed; no zombie counts."""
    async with start_bot(python(family), ENV, grace=0) as bot:
        pids = await pids_in(bot, 4)
        proctree.send(bot.pid, signal.SIGKILL)
        await bot.exited()
        assert 3 == bot.left_behind
        assert 3 == sum(map(runs, pids))
    async with start_bot(["true"], ENV) as bot:
        await bot.exited()
        assert 0 == bot.left_behind


class FakeProc:
    """A folder that looks like /proc."""

    def __init__(self, root):
        self.root = root

    def process(self, pid, parent_pid, *, rss=0, ticks=(0, 0, 0, 0), status="", rollup=""):
        folder = self.root / str(pid)
        task = folder / "task" / str(pid)
        task.mkdir(parents=True)
        self.stat(pid, parent_pid, ticks, rss)
        (folder / "status").write_text(status)
        (folder / "smaps_rollup").write_text(rollup)
        (task / "children").write_text("")
        if parent_pid:
            children = self.root / str(parent_pid) / "task" / str(parent_pid) / "children"
            children.write_text(children.read_text() + f"{pid} ")

    def stat(self, pid, parent_pid, ticks, rss=0):
        pages = rss // usage.PAGE
        fields = ["S", parent_pid, *[0] * 9, *ticks, *[0] * 4, 100, 0, pages]
        path = self.root / str(pid) / "stat"
        path.write_text(f"{pid} (a ) b) {' '.join(map(str, fields))}\n")

    def end(self, pid):
        shutil.rmtree(self.root / str(pid))


@pytest.fixture
def fake_proc(tmp_path, monkeypatch):
    """Two children and a grandchild of a keeper, 100."""
    monkeypatch.setattr(proctree, "PROC", str(tmp_path))
    monkeypatch.setattr(usage.os, "getpid", lambda: 100)
    proc = FakeProc(tmp_path)
    proc.process(100, 0)
    for pid, parent_pid in (101, 100), (102, 101), (103, 100):
        proc.process(
            pid,
            parent_pid,
            rss=10 * MIB,
            ticks=(10, 20, 30, 40),
            status=f"VmRSS: {10 << 10} kB\nRssAnon: {4 << 10} kB\nRssShmem: {2 << 10} kB\n",
            rollup=f"Pss: 9999999 kB\nPss_Anon: {3 << 10} kB\nPss_Shmem: {1 << 10} kB\n",
        )
    return proc


@pytest.mark.parametrize("walks", [False, True])
def test_the_tree_is_found_with_and_without_the_kernels_lists_of_children(
    fake_proc, monkeypatch, walks
):
    monkeypatch.setattr(proctree, "has_children_lists", lambda: walks)
    monkeypatch.setattr(usage.Watch, "_reaped", lambda _: 50)
    watch = usage.Watch(0, 3, 2, 0)
    assert ("processes 2 3", usage.SHORTEST) == watch.look()
    assert (None, usage.LONGEST) == usage.Watch(0, 1000, 3, 0).look()
    assert (None, usage.LONGEST) == usage.Watch(0, 1000, 1, 2).look()
    # Three times 1 s (100 ticks) and what was reaped.
    assert ("cpu 3 3", usage.SHORTEST) == usage.Watch(0, 3, 0, 0).look()


def test_a_thousand_children_of_a_process_are_found(fake_proc, monkeypatch):
    """The kernel gives their list page by page."""
    read, born = os.read, {101, 103, *range(1000, 3000)}
    children = fake_proc.root / "100" / "task" / "100" / "children"
    children.write_text("".join(f"{pid} " for pid in sorted(born)))
    monkeypatch.setattr(proctree, "has_children_lists", lambda: True)
    monkeypatch.setattr(proctree.os, "read", lambda file, size: read(file, min(size, 4096)))
    assert {*born, 102} == {*proctree.descendants(100)}


def test_memory_is_counted_as_exactly_as_needed(fake_proc):
    """Resident 30 MiB; without files 18 MiB; in equal parts, where shared, 12 MiB."""
    pause = 40 * MIB * 1000 // usage.GROWTH
    assert (None, max(pause, usage.SHORTEST)) == usage.Watch(70 * MIB, 0, 0, 0).look()
    # 2 GiB free are used up in half a second at 4 GiB/s; but a look is due after 250 ms.
    assert (None, usage.LONGEST) == usage.Watch(2 * GIB, 0, 0, 0).look()
    pids = [101, 102, 103]
    assert 18 * MIB == usage.memory_of(pids, 20 * MIB)
    assert 12 * MIB == usage.memory_of(pids, 15 * MIB)
    assert 6 * MIB == usage.memory_of([101], 1 * MIB)
    # Of the 6 (or 3) MiB that are mapped and shared, some may be of memfds: the larger counts.
    assert 19 * MIB == usage.memory_of(pids, 20 * MIB, memfds=7 * MIB)
    assert 16 * MIB == usage.memory_of(pids, 18 * MIB, memfds=7 * MIB)
    assert 12 * MIB == usage.memory_of(pids, 11 * MIB, memfds=2 * MIB)
    (fake_proc.root / "101" / "smaps_rollup").unlink()  # not ours to look into
    assert 14 * MIB == usage.memory_of(pids, 15 * MIB)
    assert (f"memory {13 * MIB} {14 * MIB}", usage.SHORTEST) == usage.Watch(
        13 * MIB, 0, 0, 0
    ).look()


def test_processor_time_of_what_is_gone_counts_once(fake_proc, monkeypatch):
    """Of a child that its parent or the keeper waits for, in their time, at the latest by the next
    look; of one that nobody waits for, as it was seen last."""
    monkeypatch.setattr(proctree, "has_children_lists", lambda: True)
    reaped = 0
    monkeypatch.setattr(usage.Watch, "_reaped", lambda _: reaped)
    watch = usage.Watch(0, 100, 0, 0)

    def used():
        watch.look()
        return watch.most_cpu

    assert 3.0 == used()
    fake_proc.end(102)
    assert 3.0 == used()
    fake_proc.stat(101, 100, (110, 20, 30, 40))  # 1 s of its own; it hasn't waited for 102
    assert 4.0 == used()
    fake_proc.process(104, 101, ticks=(50, 0, 0, 0))
    assert 4.5 == used()
    fake_proc.end(104)
    assert 4.5 == used()
    fake_proc.stat(101, 100, (110, 20, 90, 40))  # it has waited for 104, which used 0.1 s more
    assert 4.6 == used()
    fake_proc.end(103)
    reaped = 100
    assert 4.6 == used()
    assert 4.6 == used()


def test_one_that_a_list_of_children_skips_is_not_gone(fake_proc, monkeypatch):
    monkeypatch.setattr(proctree, "has_children_lists", lambda: True)
    monkeypatch.setattr(usage.Watch, "_reaped", lambda _: 0)
    watch = usage.Watch(0, 100, 0, 0)
    for listed in ("101 103", "101", "101", "101 103"):
        (fake_proc.root / "100" / "task" / "100" / "children").write_text(listed)
        watch.look()
    assert 3.0 == watch.most_cpu


def test_each_memfd_is_measured_once():
    """However many descriptors and processes have it; other files aren't."""
    before = usage.memfds_of([os.getpid()])
    with contextlib.ExitStack() as stack:
        for size in (3, 2):
            fds = [os.memfd_create("x")]
            fds.append(os.dup(fds[0]))
            for fd in fds:
                stack.callback(os.close, fd)
            os.write(fds[0], bytes(size * MIB))
        stack.enter_context(tempfile.TemporaryFile(buffering=0)).write(bytes(MIB))
        assert before + 5 * MIB == usage.memfds_of([os.getpid(), os.getpid()])
    assert before == usage.memfds_of([os.getpid(), 2**30])


def test_descriptors_are_looked_through_seldom_if_that_takes_long(monkeypatch):
    now = 1000.0
    monkeypatch.setattr(usage.time, "monotonic", lambda: now)
    looks = []

    def slow(pids):
        nonlocal now
        looks.append(now)
        now += 0.1
        return len(pids)

    monkeypatch.setattr(usage, "memfds_of", slow)
    watch = usage.Watch(MIB, 0, 0, 0)
    for later in (0, 1.0, 0.9, 0.2):
        now += later
        watch._measure_memfds([1, 2, 3])
    assert [1000.0, 1002.2] == pytest.approx(looks)
    assert 3 == watch._memfds
