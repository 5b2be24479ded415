"""How bots in a sandbox end, what is left of them, and why one isn't started."""

import os
import signal
import sys

import pytest
import trio

from bots_start.arena import BOTS, CAN_SANDBOX, listening, needs_sandbox
from bots_start.processes import end_of, failure_of, gone, parent, python
from lanista.bots import keeper, proctree, sandbox, usage
from lanista.bots.command import HOST
from lanista.bots.limits import BotLimits
from lanista.bots.process import Exit
from lanista.bots.sandbox import Sandbox, SandboxError, check_sandbox
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("one_sandbox")


@needs_sandbox
@pytest.mark.parametrize(
    ("last_words", "how"),
    [
        ("sys.exit(0)", Exit(code=0)),
        ("sys.exit(3)", Exit(code=3)),
        ("os._exit(139)", Exit(code=139)),
        ("os.kill(os.getpid(), 11)", Exit(signal=signal.SIGSEGV)),
        ("os.kill(os.getpid(), 9)", Exit(signal=signal.SIGKILL)),
    ],
)
async def test_how_it_ended_is_told_as_without_a_sandbox(script, last_words, how):
    """And the last it said arrives, in order, though nobody reads before its end."""
    path = script(f"""
import os, socket, sys
sock = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
sock.sendall(b"x" * 100_000 + b"last")
{last_words}
""")
    async with (
        listening() as arena,
        arena.start(sys.executable, str(path), sandboxed=True, limits=BotLimits()) as bot,
        await arena.listener.accept() as stream,
    ):
        with trio.fail_after(PATIENCE):
            assert how == await bot.exited()
            received = b"".join([piece async for piece in stream])
    assert b"x" * 100_000 + b"last" == received


@needs_sandbox
@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["./missing"], "No such file or directory: './missing'"),
        (["missing-program"], "No such file or directory: 'missing-program' on PATH"),
        (["./wire.py"], "Permission denied: './wire.py' (a program must be an executable file"),
    ],
)
async def test_what_cannot_be_executed_inside_is_told(command, why):
    async with listening() as arena, arena.start(*command, sandboxed=True, cwd=BOTS) as bot:
        assert str(await bot.exited()).startswith(f"could not be started: {why}")
        assert bot.pid is None
    assert "" == bot.output_tail()


def instead_of_a_sandbox(monkeypatch, code):
    """Have a sandbox be a process that writes to the keeper what launcher and bubblewrap do."""
    words = [sys.executable, "-I", "-S", "-c", f"import os; {code}"]
    monkeypatch.setattr(Sandbox, "wrap", lambda *_: (words, {}))


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("os.write(20, b'\\0left 2\\nkilled 11\\n'); os._exit(139)", Exit(signal=11)),
        ("os.write(20, b'\\0left 2\\n'); os._exit(3)", Exit(code=3)),
        (
            "os.write(20, b'\\0le'); os.write(20, b'ft 2\\n'); os.write(20, b'killed 6\\n')",
            Exit(signal=6),
        ),
    ],
)
async def test_a_bot_that_ends_at_once_ends_as_any(monkeypatch, code, how):
    """Though the news of its start and of its end may come together, or in pieces."""
    instead_of_a_sandbox(monkeypatch, code)
    async with listening() as arena, arena.start("x", sandboxed=True) as bot:
        assert how == await end_of(bot)
        assert bot.pid is not None
        assert 2 == bot.left_behind


async def test_what_is_said_of_a_failure_cannot_command_a_terminal(monkeypatch):
    """Names of files may hold anything; what isn't to be printed is written as an escape."""
    instead_of_a_sandbox(monkeypatch, "os.write(20, b'bwrap: \\x1b[31mbad \\xff\\r\\nwolf\\n')")
    async with listening() as arena, arena.start("x", sandboxed=True) as bot:
        why = r"could not be started: bwrap: \x1b[31mbad \xff\r wolf"
        assert Exit(failure=why) == await bot.exited()


@needs_sandbox
async def test_what_bubblewrap_says_is_the_reason(monkeypatch):
    real_files = sandbox._files
    monkeypatch.setattr(
        sandbox,
        "_files",
        lambda *args, **options: [*real_files(*args, **options), "--ro-bind", "/no/such", "/x"],
    )
    async with listening() as arena, arena.start("true", sandboxed=True) as bot:
        why = "bwrap: Can't find source path /no/such: No such file or directory"
        assert Exit(failure=f"could not be started: {why}") == await bot.exited()


async def test_without_an_arena_to_connect_to_it_cannot_be_started():
    """Also where no sandbox can be made: then that is said. There is no fall-back."""
    async with listening() as arena:
        env, port = arena.env, arena.port
    why = await failure_of(["true"], env, sandbox=Sandbox(port=port))
    if CAN_SANDBOX:
        assert f"Connection refused: '{HOST}:{port}' (the arena)" == why


async def every_way_says(why):
    """Check what is said of sandboxes here, and of a bot that is to be started in one."""
    with pytest.raises(SandboxError) as caught:
        check_sandbox()
    assert why == str(caught.value)
    assert why == await failure_of(["true"], {}, sandbox=Sandbox(port=1))


async def test_without_bubblewrap_it_is_an_error(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: None)
    await every_way_says(
        "sandbox: bubblewrap (bwrap) isn't installed: install the package 'bubblewrap' "
        "(apt-get install bubblewrap)"
    )


async def test_on_an_unknown_machine_it_is_an_error(monkeypatch):
    monkeypatch.setattr(sandbox.syscalls, "machine", lambda: "riscv64")
    monkeypatch.setattr(sandbox, "_bwrap", lambda: "bwrap")
    await every_way_says(
        "sandbox: the filter of system calls is for x86_64 and aarch64, not riscv64"
    )


async def test_where_files_cannot_be_limited_no_bot_is_started(monkeypatch):
    """As in what is no sandbox: the files of this machine's own folders are never limited."""
    before = [os.statvfs(folder).f_files for folder in ("/tmp", "/dev/shm")]
    instead_of_a_sandbox(
        monkeypatch, "os.write(20, b'\\1'); os.write(1, os.read(22, 1)); os._exit(127)"
    )
    async with listening() as arena, arena.start("x", sandboxed=True) as bot:
        why = "the files of its sandbox can't be limited: No such process"
        assert Exit(failure=f"could not be started: {why}") == await bot.exited()
    assert "!" == bot.output_tail()
    assert before == [os.statvfs(folder).f_files for folder in ("/tmp", "/dev/shm")]


def test_where_namespaces_cannot_be_made_it_is_an_error(tmp_path, monkeypatch):
    """Whatever bubblewrap says is told, in one line."""
    bwrap = tmp_path / "bwrap"
    bwrap.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create\nnew namespace' >&2; exit 1\n"
    )
    bwrap.chmod(0o755)
    monkeypatch.setattr(sandbox, "_bwrap", lambda: str(bwrap))
    with pytest.raises(SandboxError) as caught:
        check_sandbox()
    assert (
        "sandbox: bubblewrap can't make namespaces here; it said: bwrap: No permissions to create "
        "new namespace. docs/limits.md says what a system must allow"
    ) == str(caught.value)


def test_users_that_a_container_lacks_are_noticed(tmp_path):
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "uid_map").write_text("0 100000 65536\n")
    assert sandbox._is_mapped(65535, str(tmp_path))
    assert not sandbox._is_mapped(sandbox.FIRST_USER, str(tmp_path))


@needs_sandbox
async def test_one_that_ignores_polite_signals_is_ended_with_all_it_started(script, tmp_path):
    """By the arena, and by the death of its keeper; pids inside are others, so by its tree."""
    path = script("""
import os, signal
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
print("there", flush=True)
signal.pause()
""")
    async with listening() as arena:
        for by_keeper in (False, True):
            async with arena.start(*python(path), sandboxed=True) as bot:
                await until(lambda: bot.output_tail().count("there") == 2)
                its_keeper = parent(bot.pid)
                tree = proctree.with_descendants([its_keeper], proctree.processes())[1:]
                assert len(tree) >= 5  # bubblewrap twice, launcher, bot, its daemon
                if by_keeper:
                    os.kill(its_keeper, signal.SIGKILL)
                    await gone(tree)
            assert [] == [pid for pid in tree if proctree.runs(pid)]
            if not by_keeper:
                assert Exit(signal=signal.SIGKILL, by_arena=True) == bot.exit


@needs_sandbox
async def test_the_sandboxs_own_processes_do_not_count(script, monkeypatch):
    """The bot and one child are two, where the machine has five."""
    path = script("""
import os, signal
os.fork()
print("there", flush=True)
signal.pause()
""")
    async with listening() as arena, arena.start(*python(path), sandboxed=True) as bot:
        await until(lambda: bot.output_tail().count("there") == 2)
        keeper_pid = parent(bot.pid)
        with monkeypatch.context() as patch:
            patch.setattr(usage.os, "getpid", lambda: keeper_pid)
            assert (None, usage.LONGEST) == usage.Watch(0, 0, 2, keeper.SANDBOX_PROCESSES).look()
            assert ("processes 1 2", 10) == usage.Watch(0, 0, 1, keeper.SANDBOX_PROCESSES).look()


@needs_sandbox
async def test_what_it_leaves_behind_is_counted_and_ends_with_it(script):
    path = script("""
import os, signal, socket
sock = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.pause()
sock.recv(1)
os._exit(0)
""")
    async with (
        listening() as arena,
        arena.start(*python(path), sandboxed=True) as bot,
        await arena.listener.accept() as stream,
    ):
        its_keeper = parent(bot.pid)
        await stream.send_all(b"x")
        assert Exit(code=0) == await end_of(bot)
        assert 3 == bot.left_behind
        await gone(proctree.with_descendants([its_keeper], proctree.processes())[1:])
