"""What a bot in a sandbox can and can't do; with real ones, where bubblewrap is installed.

Without it these tests are skipped, and fail where CI=true is set.
"""

import contextlib
import json
import os
import signal
import socket
import sys
import tempfile
import types
from pathlib import Path

import pytest
import trio

from bots_start.arena import BOTS, CAN_SANDBOX, HOST, listening, needs_sandbox
from bots_start.processes import PATIENCE, gone, parent, python
from lanista.bots import keeper, proctree, sandbox, usage
from lanista.bots.limits import MIB, BotLimits
from lanista.bots.process import Exit, start_bot
from lanista.bots.sandbox import Sandbox, SandboxError, check_sandbox

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def script(tmp_path):
    """Write a script to where a bot of another user can read it: pytest's folders are closed."""
    count = 0

    def write(text):
        nonlocal count
        count += 1
        path = tmp_path / f"bot{count}.py"
        path.write_text(text, encoding="utf-8")
        path.chmod(0o644)
        return path

    return write


@pytest.fixture
def shown():
    """A folder that a sandbox shows."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(os.path.realpath(name))
        folder.chmod(0o755)
        yield folder


def exists(path):
    """Whether something is there on this machine, outside of any sandbox."""
    return Path(path).exists()


def listening_sockets(stack, abstract):
    """Sockets for all users: two in folders that no sandbox shows, two in one that it may show."""
    paths = []
    for top, names in ("/tmp", ["socket"]), ("/tmp", ["socket"]), ("/var/tmp", ["named", "other"]):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=top)))
        folder.chmod(0o755)
        paths += [str(folder / name) for name in names]
    for address in ("\0" + abstract, *paths):
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(address)
        unix.listen()
        if address in paths:
            Path(address).chmod(0o777)
    return paths


async def told(arena, path, *words, **options):
    """Run a script in a sandbox; what it prints as JSON."""
    command = [sys.executable, str(path), *words]
    async with arena.start(*command, sandboxed=True, **options) as bot:
        with trio.fail_after(PATIENCE):
            assert Exit(code=0) == await bot.exited(), bot.output_tail()
    return json.loads(bot.output_tail())


@needs_sandbox
async def test_there_is_no_network_but_the_arena(script):
    """Not the host's loopback, no abstract socket, none in the file system, wherever it lies.

    Even if the command names it. One that isn't named is shown in hexadecimal.
    """
    path = script("""
import json, os, socket, sys
def reach(family, address):
    sock = socket.socket(family)
    sock.settimeout(5)
    try:
        sock.connect(address)
    except OSError as error:
        return type(error).__name__
    return "connected"
port, abstract, *paths = sys.argv[1:]
paths = [bytes.fromhex(path[1:]) if path.startswith("x") else path for path in paths]
print(json.dumps([
    reach(socket.AF_INET, ("127.0.0.1", int(port))),
    reach(socket.AF_UNIX, "\\0" + abstract),
    *[reach(socket.AF_UNIX, path) for path in paths],
    reach(socket.AF_INET, (os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"]))),
    [line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]],
]))
""")
    abstract = f"lanista-test-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        paths = listening_sockets(stack, abstract)
        async with listening() as arena, listening() as other:
            named = [
                paths[0],
                "x" + paths[1].encode().hex(),
                paths[2],
                "x" + paths[3].encode().hex(),
            ]
            answers = await told(arena, path, str(other.port), abstract, *named)
    refused = "ConnectionRefusedError"
    hidden = [refused, "FileNotFoundError", refused, refused]
    assert [refused, refused, *hidden, "connected", ["lo"]] == answers


@needs_sandbox
async def test_nothing_can_be_written_but_scratch(script, tmp_path):
    path = script("""
import json, os, sys
def write(folder):
    try:
        with open(folder + "/lanista-probe", "w") as file:
            file.write("x")
    except OSError:
        return False
    return True
print(json.dumps([
    {folder: write(folder) for folder in sys.argv[1:]},
    os.environ["HOME"], os.environ["TMPDIR"], os.path.expanduser("~"), os.getcwd(),
]))
""")
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    closed = ["/", "/usr", "/etc", "/var/tmp", "/dev", "/run", "/proc", "/proc/sys", "/sys"]
    closed += [str(open_folder), str(Path.home()), str(BOTS), "."]
    async with listening() as arena:
        answers = await told(arena, path, *closed, "/tmp", "/dev/shm", cwd=open_folder)
    assert answers == [
        {**dict.fromkeys(closed, False), "/tmp": True, "/dev/shm": True},
        *("/tmp", "/tmp", "/tmp", str(open_folder)),
    ]
    assert not exists("/tmp/lanista-probe")


@needs_sandbox
async def test_it_sees_its_own_processes_alone_and_is_nobody_there_is(script):
    """No root, no capability, none to be had; and nothing that only root may read."""
    path = script("""
import json, os, subprocess
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines())
def readable(path):
    try:
        open(path).close()
    except OSError:
        return False
    return True
print(json.dumps({
    "names": sorted(
        open(f"/proc/{pid}/comm").read().strip() for pid in os.listdir("/proc") if pid.isdecimal()
    ),
    "user": os.getuid(), "groups": os.getgroups(), "shadow": readable("/etc/shadow"),
    "powers": [int(status[key], 16) for key in ("CapPrm", "CapEff", "CapAmb")],
    "no new": status["NoNewPrivs"],
    "sees launcher": readable(f"/proc/{os.getppid()}/environ"),
    "session": os.getsid(0) == os.getpid(),
}))
""")
    async with listening() as arena:
        answers = await told(arena, path)
    names = answers.pop("names")
    assert 3 == len(names)  # bubblewrap's first process, the launcher, the bot
    assert "bwrap" in names
    user = answers.pop("user")
    if os.geteuid() == 0:
        assert sandbox.FIRST_USER <= user < sandbox.FIRST_USER + sandbox.USERS
        assert [] == answers["groups"]
    else:
        assert os.geteuid() == user
    del answers["groups"]
    assert answers == {
        "shadow": False,
        "powers": [0, 0, 0],
        "no new": "1",
        "sees launcher": False,
        "session": True,
    }


@needs_sandbox
async def test_its_environment_holds_no_secret(script):
    path = script("import json, os; print(json.dumps(dict(os.environ)))")
    async with listening() as arena:
        env = arena.env | {"AWS_SECRET_ACCESS_KEY": "x", "LANISTA_DATABASE": "y", "LC_TIME": "C"}
        answers = await told(arena, path, env=env)
    assert not {"AWS_SECRET_ACCESS_KEY", "LANISTA_DATABASE"} & answers.keys()
    assert ["C", "t0k", "/tmp"] == [answers[key] for key in ("LC_TIME", "LANISTA_TOKEN", "HOME")]


@needs_sandbox
async def test_many_files_fill_the_scratch_folder_and_not_the_disk():
    async with (
        listening() as arena,
        arena.first_turn(
            "many_files.py", "/tmp", sandboxed=True, limits=BotLimits(file_size=8 * MIB)
        ) as bot,
    ):
        assert Exit(code=0) == await bot.exited()
    # The folder itself takes a page.
    assert bot.output_tail() in {"No space left on device 7\n", "No space left on device 8\n"}
    assert not exists("/tmp/many0")


@needs_sandbox
async def test_one_file_is_limited_in_the_sandbox_too():
    async with (
        listening() as arena,
        arena.first_turn(
            *("disk_filler.py", "/tmp/filled"),
            sandboxed=True,
            scratch_size=20 * MIB,
            limits=BotLimits(file_size=5 * MIB),
        ) as bot,
    ):
        assert Exit(code=0) == await bot.exited()
    assert f"File too large {5 * MIB}\n" == bot.output_tail()


@needs_sandbox
async def test_limits_are_set_inside(script):
    """Threads only as a backstop; for an ordinary user since Linux 5.14, in the namespace's own
    count."""
    path = script("""
import json, resource
names = ("CORE", "CPU", "FSIZE", "NOFILE", "NPROC")
print(json.dumps([resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names]))
""")
    limits = BotLimits(cpu=7, file_size=MIB, open_files=50, processes=100)
    async with listening() as arena:
        answers = await told(arena, path, limits=limits)
    assert [[0, 0], [8, 9], [MIB, MIB], [50, 50], [1600, 1600]] == answers


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
async def test_bytes_and_half_closes_pass_both_ways(script):
    """A megabyte is echoed; the bot ends its half, the arena answers after that and ends its own;
    there is no second connection."""
    path = script("""
import os, socket
address = os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])
sock = socket.create_connection(address)
try:
    print(socket.create_connection(address).recv(1))
except (ConnectionRefusedError, ConnectionResetError):
    print("refused")
size = 0
while size < 1 << 20:
    piece = sock.recv(65536)
    size += len(piece)
    sock.sendall(piece)
sock.shutdown(socket.SHUT_WR)
print(sock.recv(100), sock.recv(100))
""")
    data = os.urandom(1 << 20)
    async with (
        listening() as arena,
        arena.start(sys.executable, str(path), sandboxed=True, grace=PATIENCE) as bot,
        await arena.listener.accept() as stream,
    ):
        received = b""

        async def receive():
            nonlocal received
            async for piece in stream:
                received += piece

        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(receive)
                await stream.send_all(data)
            assert data == received
            await stream.send_all(b"bye")
            await stream.send_eof()
            assert Exit(code=0) == await bot.exited()
    assert "refused\nb'bye' b''\n" == bot.output_tail()


@needs_sandbox
async def test_resets_pass_both_ways(script):
    path = script("""
import os, socket, struct, sys
sock = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
sock.sendall(b"hello")
if sys.argv[1] == "resets":
    sock.recv(1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    sys.stdin.read()
    import signal; signal.pause()
else:
    try:
        print(sock.recv(100))
    except ConnectionResetError:
        print("reset")
""")
    async with listening() as arena:
        async with (
            arena.start(sys.executable, str(path), "resets", sandboxed=True) as bot,
            await arena.listener.accept() as stream,
        ):
            assert b"hello" == await stream.receive_some()
            await stream.send_all(b"x")
            with trio.fail_after(PATIENCE), pytest.raises(trio.BrokenResourceError):
                await stream.receive_some()
            assert bot.exit is None
        async with arena.start(sys.executable, str(path), "hears", sandboxed=True) as bot:
            stream = await arena.listener.accept()
            assert b"hello" == await stream.receive_some()
            # A linger of no time makes close() send a reset (socket(7)).
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            await stream.aclose()
            with trio.fail_after(PATIENCE):
                assert Exit(code=0) == await bot.exited()
    assert "reset\n" == bot.output_tail()


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
        with trio.fail_after(PATIENCE):
            assert how == await bot.exited()
        assert bot.pid is not None
        assert 2 == bot.left_behind


async def test_what_is_said_of_a_failure_cannot_command_a_terminal(monkeypatch):
    """Names of files may hold anything; what isn't to be printed is written as an escape."""
    instead_of_a_sandbox(monkeypatch, "os.write(20, b'bwrap: \\x1b[31mbad \\xff\\r\\nwolf\\n')")
    async with listening() as arena, arena.start("x", sandboxed=True) as bot:
        why = r"could not be started: bwrap: \x1b[31mbad \xff\r wolf"
        assert Exit(failure=why) == await bot.exited()


@needs_sandbox
async def test_a_socket_of_datagrams_cannot_be_sent_to(script, shown):
    path = script("""
import json, socket, sys
sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
try:
    sock.sendto(b"out", sys.argv[1])
    print(json.dumps("sent"))
except OSError as error:
    print(json.dumps(type(error).__name__))
""")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as unix:
        unix.bind(str(shown / "socket"))
        (shown / "socket").chmod(0o777)
        async with listening() as arena:
            assert "ConnectionRefusedError" == await told(arena, path, str(shown / "socket"))


LOOKER = """
import json, os, sys
def read(path):
    try:
        return open(path).read()
    except OSError as error:
        return type(error).__name__
print(json.dumps([sorted(os.listdir("records")), read("m.jsonl.part"), read("own.txt")]))
"""
"""Tells of a folder and of two files in its working directory."""


@needs_sandbox
async def test_what_is_hidden_cannot_be_read(monkeypatch, shown):
    """Files, even named ones; folders but for what is needed in them, the working directory too."""
    (shown / "records").mkdir()
    texts = {"records/old": "secret", "records/bot.py": LOOKER, "own.txt": "own"}
    for path, text in (texts | {"m.jsonl.part": "secret"}).items():
        (shown / path).write_text(text)
    monkeypatch.chdir(shown)
    command = (sys.executable, "records/bot.py", "m.jsonl.part")
    answers = []
    for hidden in (), ("records", "m.jsonl.part", shown, shown.parent, "/", "missing"):
        async with listening() as arena:
            box = Sandbox(host=HOST, port=arena.port, hidden=hidden)
            async with start_bot(command, arena.env, sandbox=box) as bot:
                with trio.fail_after(PATIENCE):
                    assert Exit(code=0) == await bot.exited(), bot.output_tail()
        answers.append(json.loads(bot.output_tail()))
    assert [["bot.py", "old"], "secret", "own"] == answers[0]
    assert [["bot.py"], "PermissionError", "FileNotFoundError"] == answers[1]


@needs_sandbox
async def test_a_hidden_file_can_be_replaced_while_the_bot_runs(script, tmp_path):
    """As a record is when the match is over; its cover is the sandbox's own."""
    path = script("print('there', flush=True); import signal; signal.pause()")
    part = tmp_path / "m.jsonl.part"
    part.write_text("secret")
    async with listening() as arena:
        box = Sandbox(host=HOST, port=arena.port, hidden=(part,))
        async with start_bot(
            [sys.executable, str(path)], arena.env, sandbox=box, cwd=tmp_path, grace=0
        ) as bot:
            with trio.fail_after(PATIENCE):
                while not bot.output_tail():  # noqa: ASYNC110 -- nothing tells
                    await trio.sleep(0.01)
            part.write_text("more")
            part.rename(tmp_path / "m.jsonl")
    assert "more" == (tmp_path / "m.jsonl").read_text()


def test_home_is_what_the_environment_and_what_the_system_says(tmp_path, monkeypatch):
    """As far as that is a folder; `/`, as users of services have it, isn't a home to be covered."""
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to("home")
    (tmp_path / "other").mkdir()
    home, other = (os.path.realpath(tmp_path / name) for name in ("home", "other"))
    known = {1: other, 2: "/", 3: "/nonexistent", 4: ""}
    entries = {user: types.SimpleNamespace(pw_dir=folder) for user, folder in known.items()}
    monkeypatch.setattr(sandbox.pwd, "getpwuid", entries.__getitem__)
    link = {"HOME": str(tmp_path / "link")}
    assert {home, other} == sandbox._homes(1, link)
    assert {other} == sandbox._homes(1, {})
    for user in 2, 3, 4, 5:
        assert {home} == sandbox._homes(user, link)
        for value in "/", "", ".", "/nonexistent":
            assert set() == sandbox._homes(user, {"HOME": value})


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
        port = arena.port
    box = Sandbox(host=HOST, port=port)
    async with start_bot(["true"], arena_env(port), sandbox=box) as bot:
        failure = (await bot.exited()).failure
    if CAN_SANDBOX:
        why = f"Connection refused: '{HOST}:{port}' (the arena)"
        assert f"could not be started: {why}" == failure
    else:
        assert failure is not None


def arena_env(port):
    return {"PATH": os.environ["PATH"], "LANISTA_HOST": HOST, "LANISTA_PORT": str(port)}


async def test_without_bubblewrap_it_is_an_error(monkeypatch):
    monkeypatch.setattr(sandbox.shutil, "which", lambda _: None)
    why = (
        "sandbox: bubblewrap (bwrap) isn't installed: install the package 'bubblewrap' "
        "(apt-get install bubblewrap), or run bots with --sandbox none"
    )
    with pytest.raises(SandboxError) as caught:
        check_sandbox()
    assert why == str(caught.value)
    async with start_bot(["true"], {}, sandbox=Sandbox(host=HOST, port=1)) as bot:
        assert Exit(failure=f"could not be started: {why}") == bot.exit


async def test_on_an_unknown_machine_it_is_an_error(monkeypatch):
    monkeypatch.setattr(sandbox.syscalls, "machine", lambda: "riscv64")
    monkeypatch.setattr(sandbox, "_bwrap", lambda: "bwrap")
    why = (
        "sandbox: the filter of system calls is for x86_64 and aarch64, not riscv64; "
        "--sandbox none runs bots without a sandbox"
    )
    with pytest.raises(SandboxError) as caught:
        check_sandbox()
    assert why == str(caught.value)
    async with start_bot(["true"], {}, sandbox=Sandbox(host=HOST, port=1)) as bot:
        assert Exit(failure=f"could not be started: {why}") == bot.exit


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
        "new namespace. docs/limits.md says what a system must allow; --sandbox none runs bots "
        "without a sandbox"
    ) == str(caught.value)


def test_users_that_a_container_lacks_are_noticed(tmp_path):
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "uid_map").write_text("0 100000 65536\n")
    assert sandbox._is_mapped(65535, str(tmp_path))
    assert not sandbox._is_mapped(sandbox.FIRST_USER, str(tmp_path))


def test_only_loopback_is_inside():
    with pytest.raises(ValueError) as caught:
        Sandbox(host="192.0.2.1", port=1)
    assert "loopback" in str(caught.value)


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
                with trio.fail_after(PATIENCE):
                    while bot.output_tail().count("there") < 2:  # noqa: ASYNC110 -- nothing tells
                        await trio.sleep(0.01)
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
        with trio.fail_after(PATIENCE):
            while bot.output_tail().count("there") < 2:  # noqa: ASYNC110 -- nothing tells
                await trio.sleep(0.01)
        keeper_pid = parent(bot.pid)
        with monkeypatch.context() as patch:
            patch.setattr(usage.os, "getpid", lambda: keeper_pid)
            assert (None, usage.LONGEST) == usage.Watch(0, 0, 2, keeper.SANDBOX_PROCESSES).look()
            assert ("processes 1 2", 10) == usage.Watch(0, 0, 1, keeper.SANDBOX_PROCESSES).look()


@needs_sandbox
async def test_what_it_leaves_behind_is_counted_and_ends_with_it(script):
    path = script("""
import os, signal
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        signal.pause()
os._exit(0)
""")
    async with listening() as arena, arena.start(*python(path), sandboxed=True) as bot:
        its_keeper = parent(bot.pid)
        with trio.fail_after(PATIENCE):
            assert Exit(code=0) == await bot.exited()
        assert 3 == bot.left_behind
        await gone(proctree.with_descendants([its_keeper], proctree.processes())[1:])
