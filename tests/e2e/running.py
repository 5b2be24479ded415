"""What the end-to-end tests share: the command line and bots as processes, scripted sockets.

Every process started here is ended by its own id, whatever becomes of the test; every wait is
bounded and says what it waited for. No rule is tested here.
"""

import contextlib
import io
import json
import os
import shlex
import signal
import socket
import struct
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest
import structlog

from e2e.prepared import forked
from support.processes import adopt_no_orphans, runs
from support.thread_workers import ThreadWorkers

PATIENCE = 60
"""Seconds that anything is waited for before a test fails. Nothing is expected to need them."""
BOTS = Path(__file__).parents[1] / "bots"
PROMPT = "from lanista import helper_processes\nhelper_processes.LOW_PRIORITY = 0\n"
"""Has what works beside an arena's loop get its share of a machine that is busy with other tests;
with a low priority it would get next to nothing.
"""


def command(*words):
    """The words that run `lanista`, warnings being errors; what is told on exit goes to stderr."""
    return [sys.executable, "-W", "error", "-m", "lanista", *map(str, words)]


def environment(**more):
    """Our environment without what would reach into an arena or its bots."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LANISTA_")}
    return kept | more


def bot_words(script, *words):
    """The words that run a bot of tests/bots."""
    return [sys.executable, "-S", str(BOTS / f"{script}.py"), *map(str, words)]


def bot(script, *words):
    """The command line of a bot of tests/bots, as `lanista play` takes it."""
    return shlex.join(bot_words(script, *words))


def stdio(code):
    """The command line of a bot for stdin and stdout that runs this code."""
    return "stdio:" + shlex.join(
        [sys.executable, "-I", "-S", "-u", "-c", f"import os, sys\n{code}"]
    )


def asked(code):
    """The command line of a bot for stdin and stdout that runs this code once it is asked."""
    return stdio("while sys.stdin.readline() != 'go\\n': pass\n" + code)


class Program:
    """A running `lanista`, or bot. Its output goes to files, so that it never blocks on us."""

    def __init__(self, words, folder, *, env=None, stdin=subprocess.DEVNULL):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._out, self._err = folder / "stdout", folder / "stderr"
        self._words = words
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = self._start(
                words, cwd=folder, env=env or environment(), stdin=stdin, stdout=out, stderr=err
            )

    def _start(self, words, **how):
        return subprocess.Popen(words, start_new_session=True, **how)

    @property
    def out(self):
        """What it has printed so far."""
        return self._out.read_text(encoding="utf-8")

    @property
    def err(self):
        """What it has written to stderr so far."""
        return self._err.read_text(encoding="utf-8")

    def until(self, condition, what):
        """Wait until a condition holds once; it must do so before the program ends."""
        held = False

        def holds_or_ended():
            nonlocal held
            ended = self.process.poll() is not None  # first: then what it did last is seen
            held = bool(condition())
            return held or ended

        wait_until(holds_or_ended, what, self._told)
        assert held, f"ended before {what}\n{self._told()}"

    def begins(self, condition, what):
        """Wait as `until` does; end it if that fails, as nobody else may know of it yet."""
        try:
            self.until(condition, what)
        except BaseException:
            self.end()
            raise

    def wait(self):
        """Wait for its end; the exit code."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pytest.fail(f"still running after {PATIENCE} s\n{self._told()}")

    def signal(self, number):
        """Send it a signal, to it alone."""
        self.process.send_signal(number)

    def end(self):
        """Have it gone."""
        if self.process.poll() is None:
            # With what a shell has started; the group is that of its session. It is there until we
            # wait for it, also if it has ended since.
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        if self.process.stdin:
            self.process.stdin.close()

    def _told(self):
        return f"$ {shlex.join(map(str, self._words))}\n{self.out[-2000:]}\n{self.err[-4000:]}"


@contextlib.contextmanager
def written_to(number, path):
    """Have all that this process, or one that it starts, writes to a descriptor go to a file."""
    kept = os.dup(number)
    with path.open("ab") as file:  # to the end, since another descriptor may lead there too
        os.dup2(file.fileno(), number)
    try:
        with io.TextIOWrapper(io.FileIO(number, "w", closefd=False), encoding="utf-8") as stream:
            yield stream
    finally:
        os.dup2(kept, number)
        os.close(kept)


@contextlib.contextmanager
def log_of_its_own():
    """Undo at the end what a command in this process changes of how it logs."""
    configure = structlog.configure
    with pytest.MonkeyPatch.context() as patch:
        # A logger that is kept would write as this command wants it for ever.
        patch.setattr(
            "structlog.configure",
            lambda **given: configure(**{**given, "cache_logger_on_first_use": False}),
        )
        try:
            yield
        finally:
            structlog.reset_defaults()


def run_here(words, folder, env=None, *, output=None):
    """Run `lanista WORD…` to its end in this process, in a folder: code, out, err, folder.

    Python and Lanista are loaded already, which is most of what a short command costs. Bots are
    processes all the same; the workers of a tournament are threads. What the command changes of
    this process is changed back.

    Args:
        words: The words after `lanista`.
        folder: The working directory, made if need be.
        env: The whole environment; None: ours.
        output: A file for all that is printed, in its order, told as `out`; None: what goes to
            standard error is kept apart, as `err`.
    """
    from lanista.cli import main

    folder.mkdir(parents=True, exist_ok=True)
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    out = output or folder / "stdout"
    err = output or folder / "stderr"
    for path in {out, err}:
        path.unlink(missing_ok=True)
    with (
        log_of_its_own(),
        pytest.MonkeyPatch.context() as patch,
        written_to(1, out) as sys_out,
        written_to(2, err) as sys_err,
    ):
        patch.chdir(folder)
        patch.setattr("sys.argv", ["lanista", *map(str, words)])
        patch.setattr("sys.stdout", sys_out)
        patch.setattr("sys.stderr", sys_err)
        # The tests' process stays in the control group that it is in.
        patch.setattr("lanista.bots.cgroup.use_cgroups", lambda: False)
        if str(words[0]) in {"tournament", "sprt"}:
            patch.setattr("lanista.competition.running.LocalWorkers", ThreadWorkers)
        had = dict(os.environ)
        os.environ.clear()
        os.environ.update(env or environment())
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        finally:
            os.environ.clear()
            os.environ.update(had)
            adopt_no_orphans()
    assert handlers == {number: signal.getsignal(number) for number in handlers}
    return types.SimpleNamespace(
        code=code,
        out=out.read_text(encoding="utf-8"),
        err="" if output else err.read_text(encoding="utf-8"),
        folder=folder,
    )


class Lanista(Program):
    """`lanista WORD…`, forked from a process that has loaded it.

    `change`: lines of Python that it runs before, which make a wait short, say.
    """

    forks = True
    """Whether it may be a fork, which shares memory with the process that it is forked from."""

    def __init__(self, words, folder, *, change="", **how):
        self._change = PROMPT + change
        super().__init__(words, folder, **how)

    def _start(self, words, *, stdin, **how):
        # What a test writes to its input needs more than a fork.
        process = None
        if self.forks and stdin is subprocess.DEVNULL:
            process = forked(words, self._change, **how)
        if process is None:
            code = f"{self._change}\nfrom lanista.cli import main\nmain()"
            words = [sys.executable, "-W", "error", "-c", code, *map(str, words)]
            process = super()._start(words, stdin=stdin, **how)
        return process


class Daemon(Lanista):
    """`lanista serve` on a free port; with its page there, or none.

    `web`: HOST:PORT of the page. `page` is the address that was printed for it; None without one.
    """

    def __init__(self, folder, *options, web=None, **how):
        page = ["--no-web"] if web is None else ["--web", web]
        super().__init__(["serve", "--port", 0, *page, *options], folder, **how)
        self.data = folder / "lanista-data"
        self.has_page = web is not None
        self.listens()

    def listens(self):
        """Wait until it says where it and its page listen; its port."""
        lines = 1 + self.has_page
        self.begins(lambda: self.out.count("\n") >= lines, "the arena says where it listens")
        arena, *page = self.out.splitlines()
        self.port = int(arena.rpartition(":")[2])
        self.page = page[0].removeprefix("page: ") if self.has_page else None
        return self.port

    def records(self):
        """The complete records, oldest first."""
        return sorted(self.data.glob("records/*/*.jsonl.gz"))

    def record_of(self, match):
        """Wait for the record of a match and read it."""
        self.until(
            lambda: any(match in path.name for path in self.records()), f"the record of {match}"
        )
        (path,) = (path for path in self.records() if match in path.name)
        return read(path)

    def record_with(self, name):
        """Wait for a record in which someone of this name plays; read the first one."""
        found = []

        def is_there():
            found[:] = [
                record
                for record in map(read, self.records())
                if name in {player.name for player in record.header.players}
            ]
            return found

        self.until(is_there, f"a record with {name}")
        return found[0]

    def bot_environment(self, name):
        """What a bot of tests/bots needs to find its way here."""
        return environment(LANISTA_HOST="127.0.0.1", LANISTA_PORT=str(self.port), LANISTA_NAME=name)


class FileArena(Daemon):
    """`lanista arena run` of a file with this text, in a folder.

    `page` has no slash at its end.

    Args:
        folder: The file's; its data folder is there, called `data` in the text or not named.
        text: That of the file.
        running: The name of the folder for its output.
        waits: Whether to wait until it listens.
        change: As of `Lanista`.
    """

    def __init__(self, folder, text, *, running="running", waits=True, change=""):
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "arena.toml"
        file.write_text(text)
        Lanista.__init__(self, ["arena", "run", file], folder / running, change=change)
        self.data = folder / ("data" if 'data = "data"' in text else "lanista-data")
        self.has_page = 'listen = "none"' not in text
        if waits:
            self.listens()

    def listens(self):
        super().listens()
        self.page = self.page and self.page.removesuffix("/")
        return self.port


def hello(name, room, options="v=1 keep=1"):
    """The first line of a bot on a ladder, with a token of its own."""
    return f"{name} {options} room={room} token=secret-of-{name}"


def ask(viewer, do, **fields):
    """The answer to what a viewer says on the page's WebSocket; what else is told is dropped."""
    viewer.send(json.dumps({"do": do, "id": 1, **fields}))
    while (answer := json.loads(viewer.recv(PATIENCE))).get("id") != 1:
        pass
    return answer


def wait_until(condition, what, told=str):
    """Poll until a condition holds; the test fails after PATIENCE."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {PATIENCE} s until {what}\n{told()}")
        time.sleep(0.01)


def read(path):
    """A record's lines: the header, the turns, the result."""
    from lanista.match.record import read_record

    return read_record(path)


def digests(record):
    """What happened in a match, turn by turn."""
    return [turn.digest for turn in record.turns]


def as_json(done):
    """The results that `lanista play --json` printed."""
    return [json.loads(line) for line in done.out.splitlines()]


def wait_until_gone(pids):
    """Wait until none of these processes runs."""
    wait_until(lambda: not any(map(runs, pids)), f"processes {pids} are gone")


class Peer:
    """A scripted bot: a socket in the test's hands."""

    def __init__(self, port, hello="", *, address="127.0.0.1"):
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE)
        self.socket.bind((address, 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self.socket.makefile("rb")
        if hello:
            self.say(hello + "\n")

    def say(self, text):
        """Send."""
        self.socket.sendall(text.encode())

    def line(self):
        """The next line; the test fails if there is none."""
        line = self._reader.readline()
        assert line.endswith(b"\n"), f"the connection ended behind {line!r}"
        return line.decode().removesuffix("\n")

    def until(self, keyword):
        """The lines up to the first that begins with this word."""
        lines = [self.line()]
        while lines[-1].split(" ")[0] != keyword:
            lines.append(self.line())
        return lines

    def rest(self):
        """All up to the end of the connection, which must come."""
        return self._reader.read().decode()

    def reset(self):
        """Close by a reset: what is on its way is lost (socket(7), SO_LINGER)."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.leave()

    def leave(self):
        """Close."""
        self._reader.close()
        self.socket.close()
