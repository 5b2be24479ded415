"""The process that keepers are forked from: what bots inherit by it, and what becomes of it."""

import errno
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import trio

from bots_start.processes import (
    ENV,
    ENVIRONMENT,
    KILLED,
    children,
    exit_of,
    failure_of,
    fork_server,
    gone,
    parent,
    pids_in,
    python,
    runs,
    telling,
)
from lanista.bots import fork_server as server_side
from lanista.bots import keeper_process
from lanista.bots.command import OPERATORS_TOKEN
from lanista.bots.process import Exit, start_bot
from lanista.bots.proctree import read_stat, stat_fields
from support.processes import open_files
from support.waiting import PATIENCE

SLEEP = ["sleep", "100"]


def run_script(path, *words):
    """Run a script as an arena of its own; what it printed, as JSON. It prints no warning."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", str(path), *words],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (0, "") == (done.returncode, done.stderr)
    return json.loads(done.stdout)


async def test_keepers_are_children_of_the_arena_and_come_from_one_process():
    before = children()
    assert 0 == fork_server()
    async with start_bot(SLEEP, ENV, grace=0) as one:
        server = fork_server()
        async with start_bot(SLEEP, ENV, grace=0) as two:
            assert {one.keeper, two.keeper} == children() - before
            assert server == fork_server()
        assert os.getpid() == parent(server)
    assert KILLED == one.exit == two.exit


async def test_fork_server_and_keepers_hold_nothing_of_each_other():
    """A socket of the fork server would keep it from ending, a pipe a keeper or its bot."""
    async with start_bot(SLEEP, ENV, grace=0) as bot:
        of_keeper, of_server = open_files(bot.keeper), open_files(fork_server())
    assert [] == [leads for leads in of_keeper.values() if leads.startswith(("socket:", "/memfd:"))]
    assert [] == [leads for leads in of_server.values() if leads.startswith(("pipe:", "/memfd:"))]
    assert ["/dev/null"] * 2 == [of_keeper[0], of_server[0]]


async def test_a_bot_gets_a_large_environment_and_many_words(script):
    """A megabyte of both: more than a message between processes holds."""
    path = script("""
        import os, sys
        print(len(sys.argv), sum(map(len, sys.argv[1:])), len(os.environ["LARGE7"]))
    """)
    env = ENV | {f"LARGE{n}": "x" * 100_000 for n in range(8)}
    async with start_bot([*python(path), *["word"] * 50_000], env) as bot:
        assert Exit(code=0) == await bot.exited()
    assert "50001 200000 100000\n" == bot.output_tail()


@pytest.mark.parametrize(
    ("word", "variable", "why"),
    [
        ("a\0b", {}, "embedded null byte"),
        ("", {"": "x"}, "illegal environment variable name"),
        ("", {"A=B": "x"}, "illegal environment variable name"),
        ("", {"A": "x\0y"}, "embedded null byte"),
    ],
)
async def test_what_no_program_can_be_given_is_told(word, variable, why):
    assert why == await failure_of(["true", word], ENV | variable)


async def test_the_operators_token_is_not_handed_on(monkeypatch):
    """A bot may read the environment of the process above it, if it isn't in a sandbox."""
    monkeypatch.setenv(OPERATORS_TOKEN, "secret")
    async with start_bot(["sh", "-c", "cat /proc/$PPID/environ"], ENV) as bot:
        await bot.exited()
    assert "PATH=" in bot.output_tail()
    assert OPERATORS_TOKEN not in bot.output_tail()


HERITAGE = """
    import json, os, resource, sys
    from pathlib import Path
    import trio
    from bots_start.processes import fork_server
    from lanista.bots.command import environment
    from lanista.bots.process import start_bot
    LOOK = [sys.executable, "-I", "-S", "-c", '''if True:
        import os, resource
        print([
            os.getcwd(), os.umask(0), os.nice(0), resource.getrlimit(resource.RLIMIT_NOFILE),
            os.sched_getaffinity(0), open("/proc/self/oom_score_adj").read(), os.getgid(),
        ])
    ''']
    ENV = environment(port=1, name="n")
    CORES = sorted(os.sched_getaffinity(0))
    HARD = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    CHANGES = [
        lambda: os.chdir(sys.argv[1]),
        lambda: os.umask(0o147),
        lambda: os.nice(3),
        lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (123, HARD)),
        lambda: Path("/proc/self/oom_score_adj").write_text("321"),
    ]
    if len(CORES) > 1:
        CHANGES.append(lambda: os.sched_setaffinity(0, CORES[:1]))
    if os.geteuid() == 0:
        CHANGES.append(lambda: os.setgid(54321))
    async def look():
        async with start_bot(LOOK, ENV) as bot:
            await bot.exited()
        assert str(bot.exit) == "exited with code 0", (bot.exit, bot.output_tail())
        return bot.output_tail(), fork_server()
    async def main():
        os.umask(0o022)
        looks = [await look()]
        for change in CHANGES:
            change()
            looks.append(await look())
        looks.append(await look())
        print(json.dumps([len(CHANGES), looks]))
    trio.run(main)
"""


def test_a_bot_inherits_what_the_arena_has_when_it_starts(script, tmp_path):
    """Also what has changed since the first bot; for that the fork server is replaced."""
    count, looks = run_script(script(HERITAGE), str(tmp_path))
    *looks, last = looks
    texts = [text for text, _ in looks]
    assert count + 1 == len(set(texts))  # each change is seen
    assert texts[-1].startswith(f"['{tmp_path}', {0o147}, {os.nice(0) + 3}, (123, ")
    assert "'321" in texts[-1]
    assert count + 1 == len({server for _, server in looks})
    assert looks[-1] == last  # nothing has changed


async def test_a_removed_working_directory_is_inherited_too(tmp_path, monkeypatch):
    """The folder is held as by any process; one that is made in its place is another one."""
    folder = tmp_path / "folder"
    bots = []
    for _ in range(2):
        folder.mkdir()
        monkeypatch.chdir(folder)
        folder.rmdir()
        async with start_bot(["readlink", "/proc/self/cwd"], ENV) as bot:
            await bot.exited()
        bots.append((bot.output_tail(), fork_server()))
    texts, servers = zip(*bots, strict=True)
    assert (f"{folder} (deleted)\n",) * 2 == texts
    assert 2 == len(set(servers))


async def test_a_killed_fork_server_leaves_bots_alone_and_is_started_again(family):
    async with start_bot(python(family), ENV, grace=0) as bot:
        pids = await pids_in(bot, 4)
        killed = fork_server()
        os.kill(killed, signal.SIGKILL)
        await gone([killed])
        assert all(map(runs, pids))
        async with start_bot(["true"], ENV) as another:
            assert Exit(code=0) == await another.exited()
        assert fork_server() not in {0, killed}
        assert read_stat(killed) is None  # reaped
        assert bot.exit is None
    assert [] == [pid for pid in pids if read_stat(pid)]
    assert KILLED == bot.exit


def stop(pid):
    """Stop a process, and wait until it stands."""
    os.kill(pid, signal.SIGSTOP)
    until = time.monotonic() + PATIENCE
    while stat_fields(pid)[0] != b"T":
        assert time.monotonic() < until


async def test_a_stopped_fork_server_goes_on():
    async with start_bot(["true"], ENV):
        server = fork_server()
    stop(server)
    assert Exit(code=0) == await exit_of(["true"])
    assert server == fork_server()


@pytest.mark.parametrize(
    ("is_killed", "why"),
    [
        # It may have forked a keeper before: so it isn't asked again for that bot.
        (True, "the process that starts bots has ended"),
        (False, "the process that starts bots doesn't answer"),
    ],
)
async def test_a_fork_server_that_gives_no_answer_fails_one_bot_and_is_replaced(
    monkeypatch, is_killed, why
):
    async with start_bot(["true"], ENV):
        server = fork_server()
    send = socket.send_fds

    def stop_and_send(*what):
        stop(server)
        send(*what)
        if is_killed:
            os.kill(server, signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(keeper_process.socket, "send_fds", stop_and_send)
        keeper_process._fork_server._requests.settimeout(PATIENCE if is_killed else 0.2)
        assert why == await failure_of(["true"])
    assert read_stat(server) is None
    assert Exit(code=0) == await exit_of(["true"])


async def test_an_interrupted_request_spoils_no_other(monkeypatch):
    """Ctrl-C between request and answer: the answer must not be taken for the next one's."""
    before = children()
    with monkeypatch.context() as patch:
        patch.setattr(keeper_process.socket.socket, "recv", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            async with start_bot(SLEEP, ENV):
                pytest.fail("the block was entered")
    async with start_bot(SLEEP, ENV, grace=0) as bot:
        assert bot.keeper == parent(bot.pid)
    assert KILLED == bot.exit
    # The keeper of the first has ended with its lifeline; nobody else knows it.
    with trio.fail_after(PATIENCE):
        while left := children() - before:
            for pid in left:
                os.waitpid(pid, os.WNOHANG)  # noqa: ASYNC222 -- WNOHANG doesn't wait
            await trio.sleep(0.01)


async def test_bots_leave_their_arena_some_threads():
    """The kernel counts those of a user together, and an arena that can have none more ends."""
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    most = min([50_000, *(limit for limit in before if limit != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_NPROC, (most, before[1]))
    try:
        async with start_bot(SLEEP, ENV, grace=0) as bot:
            left = most - server_side.ARENAS_THREADS
            assert (left, left) == resource.prlimit(bot.pid, resource.RLIMIT_NPROC)
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, before)


async def test_too_many_processes_are_told(monkeypatch):
    answer = -errno.EAGAIN
    monkeypatch.setattr(keeper_process._ForkServer, "_ask", lambda *_: answer)
    assert "[Errno 11] Resource temporarily unavailable" == await failure_of(["true"])


def test_a_failed_fork_is_answered_by_its_error(monkeypatch):
    def fork():
        raise BlockingIOError(errno.EAGAIN, "no more")

    def leave(code):
        raise SystemExit(code)

    monkeypatch.setattr(server_side.syscalls, "fork_sibling", fork)
    monkeypatch.setattr(server_side.os, "_exit", leave)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    told = []
    # It leaves when the other end is closed, which is after the answer.
    reader = threading.Thread(target=lambda: told.append((ours.recv(16), ours.close())))
    with theirs, ours, Path(os.devnull).open() as file:
        socket.send_fds(ours, [b"."], [file.fileno()] * server_side.DESCRIPTORS)
        reader.start()
        with pytest.raises(SystemExit) as left:
            server_side.serve(theirs)
        reader.join()
    assert [(b"-11", None)] == told
    assert 0 == left.value.code


@pytest.fixture(params=["unknown system", "no CLONE_PARENT", "too many in transit"])
def interpreters(request, monkeypatch):
    """A system on which no fork server can be, or be reached: every keeper is an interpreter."""

    def send(*_):
        raise OSError(errno.ETOOMANYREFS, "Too many references: cannot splice")

    if request.param == "unknown system":
        monkeypatch.setattr(keeper_process.syscalls, "can_fork_siblings", lambda: False)
    elif request.param == "too many in transit":
        monkeypatch.setattr(keeper_process.socket, "send_fds", send)
    else:
        answer = -errno.EINVAL
        monkeypatch.setattr(keeper_process._ForkServer, "_ask", lambda *_: answer)


@pytest.mark.usefixtures("interpreters")
async def test_without_a_fork_server_all_is_the_same(family, tmp_path):
    before = children()
    async with start_bot(python(family), ENV, grace=0) as bot:
        pids = await pids_in(bot, 4)
        assert bot.keeper == parent(bot.pid)
        assert {bot.keeper} == keeper_process.unreaped == children() - before
        held = [leads for leads in open_files(bot.keeper).values() if leads.startswith("pipe:")]
        assert 4 == len({*held})
    assert [] == [pid for pid in pids if read_stat(pid)]
    assert KILLED == bot.exit
    show = ["sh", "-c", "echo $LANISTA_NAME; pwd; exit 3"]
    async with start_bot(show, ENV, cwd=tmp_path) as bot:
        assert Exit(code=3) == await bot.exited()
    assert f"Camper\n{tmp_path}\n" == bot.output_tail()
    assert "Argument list too long: 'echo'" == await failure_of(["echo", "x" * 3_000_000])
    async with start_bot(SLEEP, ENV, grace=0) as bot:
        os.kill(bot.keeper, signal.SIGKILL)
        assert "was lost: its keeper was killed by SIGKILL" == str(await bot.exited())


def test_loops_in_several_threads_share_it():
    servers, exits = set(), []

    async def play():
        for _ in range(5):
            async with start_bot(["true"], ENV) as bot:
                servers.add(fork_server())
                exits.append(await bot.exited())

    threads = [threading.Thread(target=trio.run, args=(play,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [Exit(code=0)] * 20 == exits
    assert 1 == len(servers)


FORKED = """
    import json, os, signal, sys, warnings
    import trio
    from bots_start.processes import fork_server
    from lanista.bots.command import environment
    from lanista.bots.process import start_bot
    warnings.simplefilter("ignore")  # Python 3.12 and newer warn of forks
    ENV = environment(port=1, name="n")
    async def play():
        async with start_bot(["true"], ENV) as bot:
            return str(await bot.exited())
    trio.run(play)
    ours = fork_server()
    child = os.fork()
    if child == 0:
        before = fork_server()
        told = trio.run(play)
        print(json.dumps([os.getpid(), before, ours, fork_server(), told]), flush=True)
        signal.pause()
    os.waitpid(child, 0)
"""


async def test_a_fork_of_the_arena_has_one_of_its_own(script):
    """And doesn't keep its parent's alive, if that is killed."""
    async with telling(script(FORKED)) as (_, (child, before, arenas, childs, told)):
        assert 0 == before
        assert "exited with code 0" == told
        assert all(map(runs, {child, arenas, childs}))
        assert 3 == len({child, arenas, childs})
    await gone([arenas])
    assert runs(child)
    assert runs(childs)
    os.kill(child, signal.SIGKILL)
    await gone([child, childs])


STREAMS_CLOSED = """
    import json, os
    for standard in 0, 2:
        os.close(standard)
    import trio
    from lanista.bots.command import environment
    from lanista.bots.process import start_bot
    async def main():
        command = ["sh", "-c", "readlink /proc/self/fd/0; echo to stderr >&2"]
        async with start_bot(command, environment(port=1, name="n")) as bot:
            await bot.exited()
        print(json.dumps([str(bot.exit), bot.output_tail()]))
    trio.run(main)
"""


def test_an_arena_without_standard_streams_starts_bots(script):
    """With `lanista play … 2>&-`, the numbers of the closed streams are used for other files."""
    expected = ["exited with code 0", "/dev/null\nto stderr\n"]
    assert expected == run_script(script(STREAMS_CLOSED))
