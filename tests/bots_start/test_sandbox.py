"""What a bot in a sandbox can and can't do; with real ones, where bubblewrap is installed.

Without it these tests are skipped, and fail where CI=true is set.
"""

import contextlib
import json
import os
import socket
import sys
import tempfile
import types
from pathlib import Path

import pytest
import trio

from bots_start.arena import BOTS, listening, needs_sandbox
from bots_start.processes import end_of
from lanista.bots import sandbox
from lanista.bots.limits import MIB, BotLimits
from lanista.bots.process import Exit, start_bot
from lanista.bots.sandbox import Sandbox
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.usefixtures("one_sandbox")


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


TRIED = """
import json, os, socket, sys
def tried(action, *words):
    try:
        return action(*words)
    except OSError as error:
        return type(error).__name__
"""
"""The beginning of a bot that tells what came of what it tries: an error's name, or a value."""


@pytest.fixture
def trying(script):
    """Write a script that begins with TRIED."""
    return lambda text: script(TRIED + text)


async def told(arena, path, *words, **options):
    """Run a script in a sandbox; what it prints as JSON."""
    command = [sys.executable, str(path), *words]
    async with arena.start(*command, sandboxed=True, **options) as bot:
        assert Exit(code=0) == await end_of(bot), bot.output_tail()
    return json.loads(bot.output_tail())


@needs_sandbox
async def test_there_is_no_network_but_the_arena(trying):
    """Not the host's loopback, no abstract socket, none in the file system, wherever it lies.

    Even if the command names it. One that isn't named is shown in hexadecimal.
    """
    path = trying("""
def reach(family, address):
    sock = socket.socket(family)
    sock.settimeout(5)
    return tried(sock.connect, address) or "connected"
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
async def test_nothing_can_be_written_but_scratch(trying, tmp_path):
    path = trying("""
def write(folder):
    with open(folder + "/lanista-probe", "w") as file:
        file.write("x")
    return True
print(json.dumps([
    {folder: tried(write, folder) is True for folder in sys.argv[1:]},
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
async def test_it_sees_its_own_processes_alone_and_is_nobody_there_is(trying):
    """No root, no capability, none to be had; and nothing that only root may read."""
    path = trying("""
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines())
def readable(path):
    return tried(lambda: open(path).close()) is None
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
            assert Exit(code=0) == await end_of(bot)
    assert "reset\n" == bot.output_tail()


LOOKER = f"""{TRIED}
files = [tried(lambda: open(path).read()) for path in ("m.jsonl.part", "own.txt")]
print(json.dumps([sorted(os.listdir("records")), *files]))
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
            box = Sandbox(port=arena.port, hidden=hidden)
            async with start_bot(command, arena.env, sandbox=box) as bot:
                assert Exit(code=0) == await end_of(bot), bot.output_tail()
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
        box = Sandbox(port=arena.port, hidden=(part,))
        async with start_bot(
            [sys.executable, str(path)], arena.env, sandbox=box, cwd=tmp_path, grace=0
        ) as bot:
            await until(bot.output_tail)
            part.write_text("more")
            part.rename(tmp_path / "m.jsonl")
    assert "more" == (tmp_path / "m.jsonl").read_text()


def test_home_is_what_the_environment_and_what_the_system_says(tmp_path, monkeypatch):
    """As far as that is a folder; `/`, as users of services have it, isn't a home to be covered."""
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to("home")
    (tmp_path / "other").mkdir()
    home, other = (os.path.realpath(tmp_path / name) for name in ("home", "other"))
    missing = str(tmp_path / "missing")
    known = {1: other, 2: "/", 3: missing, 4: ""}
    entries = {user: types.SimpleNamespace(pw_dir=folder) for user, folder in known.items()}
    monkeypatch.setattr(sandbox.pwd, "getpwuid", entries.__getitem__)
    link = {"HOME": str(tmp_path / "link")}
    assert {home, other} == sandbox._homes(1, link)
    assert {other} == sandbox._homes(1, {})
    for user in 2, 3, 4, 5:
        assert {home} == sandbox._homes(user, link)
        for value in "/", "", ".", missing:
            assert set() == sandbox._homes(user, {"HOME": value})
