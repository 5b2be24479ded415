"""The arena's side of keepers: having them forked, and waiting for their end.

docs/design.md, "Bot processes", says when the `fork_server` is used and when it is replaced. If
this process forks itself without exec (a pool of `multiprocessing`), the child has a fork server of
its own as soon as it starts a bot. What `_inherited` doesn't compare, such as namespaces and
control groups, stays as it was when the fork server was started.

If a keeper is killed, its bot dies with it (by PR_SET_PDEATHSIG), but processes that the bot
started become children of the nearest subreaper above: the arena, if it has called
`become_subreaper`, which then kills them (`end_orphans`). Only those children are waited for, never
just any child, because each keeper is waited for by itself.
"""

import atexit
import contextlib
import errno
import marshal
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import trio

from lanista.bots import keeper, proctree, syscalls
from lanista.bots.command import OPERATORS_TOKEN
from lanista.system import undoing

DIRECTORY = str(Path(keeper.__file__).parent)
"""The folder of the modules that `interpreter` runs."""

_ANSWER_TIMEOUT = 10.0
"""Seconds to wait for the fork server's answer: far more than it needs on a busy machine."""

_LIMITS = tuple(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))

unreaped: set[int] = set()
"""Pids of the keepers that this process has started and not yet reaped."""


@attrs.define(eq=False)
class KeeperProcess:
    """A keeper that this process has started and has to reap."""

    pid: int

    code: int | None = None
    """Its exit code, or minus the signal that killed it; None until `poll` has seen its end."""

    def __attrs_post_init__(self) -> None:
        unreaped.add(self.pid)

    def poll(self) -> bool:
        """Return whether it has ended, and reap it if so."""
        if self.code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # this process ignores SIGCHLD, so the kernel has reaped it
                pid, status = self.pid, 0
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                unreaped.discard(pid)
        return self.code is not None

    async def wait(self) -> int:
        """Wait until it has ended, and return its `code`; call this once its pipes are closed."""
        # The kernel closes the files of a process moments before it can be waited for: so there is
        # rarely a second round, and neither a thread nor a descriptor is worth its while.
        pause = keeper.FIRST_PAUSE
        while not self.poll():
            await trio.sleep(pause / 1000)
            pause = min(2 * pause, keeper.LAST_PAUSE)
        assert self.code is not None
        return self.code


def interpreter(module: str) -> list[str]:
    """Return the beginning of a command line that runs the `main` of a module in this folder."""
    # Modules are imported rather than run as scripts, because Python caches the compiled code of
    # imported modules only: that saves 4 of 24 ms. Their folder is appended to the path, not
    # prepended, so that no module of ours hides one of Python's.
    code = f"import sys; sys.path.append(sys.argv[1]); import {module}; {module}.main(sys.argv[2:])"
    # -I -S: the environment and the directory must not affect it; it also starts a third faster.
    # -B: whether compiled code is written is for the arena to decide.
    return [sys.executable, "-I", "-S", "-B", "-c", code, DIRECTORY]


def start_keeper(
    lifeline: int, status: int, output: int, arguments: Sequence[str], env: Mapping[str, str]
) -> KeeperProcess:
    """Start a keeper, which starts a bot; the arguments are those of `keeper.keep`.

    The bot's output goes to `output`, the write end of a pipe, as the keeper's own would.

    Raises:
        OSError: There are no more descriptors or processes, or the fork server gave no answer.
    """
    variables = {str(name): str(value) for name, value in env.items()}
    # `marshal` takes no subclass of str, such as NumPy's.
    content = memoryview(marshal.dumps((list(map(str, arguments)), variables)))
    request = _unnamed_file()
    descriptors = [lifeline, status, output, request]
    try:
        while content:
            content = content[os.write(request, content) :]
        if syscalls.can_fork_siblings():
            try:
                return KeeperProcess(_fork_server.fork(descriptors))
            except OSError as error:
                # gVisor and QEMU's user mode have no CLONE_PARENT (EINVAL). And a user's bots may
                # have so many descriptors in transit that it may send none now (ETOOMANYREFS).
                if error.errno not in {errno.EINVAL, errno.ETOOMANYREFS}:
                    raise
        return KeeperProcess(_interpreter(descriptors))
    finally:
        os.close(request)


def _unnamed_file() -> int:
    """Return a descriptor of a new file without a name, on Linux in memory."""
    if sys.platform == "linux":
        return os.memfd_create("lanista-keeper")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _interpreter(descriptors: Sequence[int]) -> int:
    """Start an interpreter that runs `fork_server.main` with some descriptors; return its pid."""
    # Popen closes all descriptors but the named ones, so that no keeper holds another's lifeline.
    process = subprocess.Popen(
        [*interpreter("fork_server"), *map(str, descriptors)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={key: value for key, value in os.environ.items() if key != OPERATORS_TOKEN},
        pass_fds=descriptors,
        start_new_session=True,
    )
    process.returncode = 0  # it is waited for by its pid: Popen mustn't try, nor complain
    return process.pid


def _inherited() -> tuple[object, ...]:
    """Return what keepers inherit from this process, as far as a program may change it."""
    folder = Path("/proc/self/cwd").stat()  # `.` may be closed to us
    status = proctree.read("/proc/self/status").splitlines()
    return (
        *(os.getresuid(), os.getresgid(), os.getgroups()),
        *(folder.st_dev, folder.st_ino),
        next((line for line in status if line.startswith(b"Umask:")), b""),
        *(os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0), os.sched_getaffinity(0)),
        proctree.read("/proc/self/oom_score_adj"),
        *map(resource.getrlimit, _LIMITS),
    )


class _ForkServer:
    """This process's fork server; it runs from the first `fork` until `close`."""

    def __init__(self) -> None:
        self.pid = 0  # 0 while it doesn't run
        self._users = 0  # blocks of `used` that were entered and not left
        self._lock = threading.Lock()  # held from a request to its answer, as threads share it
        self._requests: socket.socket | None = None
        self._inherited: tuple[object, ...] = ()

    def fork(self, descriptors: Sequence[int]) -> int:
        """Have a keeper forked that gets these descriptors, and return its pid."""
        with self._lock:
            if self._inherited != _inherited():
                self._end()
            with undoing(self._end):  # else it is unknown what is in the sockets
                try:
                    answer = self._ask(descriptors)
                except BrokenPipeError:  # it was killed before, so it hasn't seen the request
                    self._end()
                    answer = self._ask(descriptors)
        if answer < 0:
            raise OSError(-answer, os.strerror(-answer))
        return answer

    def _ask(self, descriptors: Sequence[int]) -> int:
        if self._requests is None:
            self._start()
        assert self._requests is not None
        with contextlib.suppress(OSError):  # as in `KeeperProcess.poll`
            # If a signal has stopped it, an event loop would wait here for its answer.
            os.kill(self.pid, signal.SIGCONT)
        try:
            socket.send_fds(self._requests, [b"."], descriptors)
            answer = self._requests.recv(16)
        except TimeoutError:
            raise OSError("the process that starts bots doesn't answer") from None
        except ConnectionResetError:
            answer = b""
        if not answer:
            raise OSError("the process that starts bots has ended")
        return int(answer)

    def _start(self) -> None:
        # What it inherits is looked at first: if that changes meanwhile, it is replaced next time.
        self._inherited = _inherited()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with undoing(ours.close), theirs:
            self.pid = _interpreter([theirs.fileno()])
        ours.settimeout(_ANSWER_TIMEOUT)
        self._requests = ours

    def _end(self) -> None:
        """Kill and reap it, if it runs; keepers that it has forked go on."""
        self.forget()
        if self.pid:
            with contextlib.suppress(ChildProcessError):  # as in `KeeperProcess.poll`
                if os.waitpid(self.pid, os.WNOHANG) == (0, 0):
                    os.kill(self.pid, signal.SIGKILL)
                    os.waitpid(self.pid, 0)
            self.pid = 0

    def forget(self) -> None:
        """Close this process's end of the sockets."""
        if self._requests is not None:
            self._requests.close()
            self._requests = None

    def close(self) -> None:
        """End it; the next `fork` starts another."""
        with self._lock:
            self._end()

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """End it after the block, unless another thread is in such a block."""
        with self._lock:
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._end()


_fork_server = _ForkServer()


def close_fork_server() -> None:
    """End the fork server, if it runs; bots that are running go on, and the next starts another."""
    _fork_server.close()


def starting_bots() -> contextlib.AbstractContextManager[None]:
    """Return a context in which bots are started; after the last one, the fork server ends.

    This is for processes that go on when nothing is played, as a notebook's or a cluster's.
    """
    return _fork_server.used()


def _have_none() -> None:
    """Leave the fork server and the keepers to the process that this one was forked from."""
    global _fork_server  # noqa: PLW0603 -- a property of the process
    _fork_server.forget()
    _fork_server = _ForkServer()
    unreaped.clear()


# -- the orphans of killed keepers ----------------------------------------------------------------

_is_subreaper = False


def become_subreaper() -> bool:
    """Have orphaned descendants become children of this process; return whether that works (Linux).

    A program that runs an arena calls this once, before the first bot. From then on, when a keeper
    was killed, all children of this process that are younger than that keeper and aren't keepers
    themselves are assumed to come from its bot, and are killed. So a program that starts other
    processes while bots run must not call this.
    """
    global _is_subreaper  # noqa: PLW0603 -- a property of the process, as the kernel's own flag is
    _is_subreaper = syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    return _is_subreaper


async def end_orphans(since: int) -> None:
    """Kill and reap the orphans of a killed keeper, with all their descendants.

    Older children than the keeper, which was started so many clock ticks since boot, are left
    alone. Returns when none is left; the caller sets a deadline. Does nothing unless
    `become_subreaper` was called.
    """
    if not _is_subreaper:
        return
    pause = keeper.FIRST_PAUSE
    while orphans := _adopted(since):
        proctree.freeze_and_kill(
            lambda: proctree.with_descendants(_adopted(since), proctree.processes())
        )
        for pid in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)  # noqa: ASYNC222 -- WNOHANG doesn't wait
        await trio.sleep(pause / 1000)
        pause = min(2 * pause, keeper.LAST_PAUSE)


def _adopted(since: int) -> list[int]:
    """Return the adopted children of this process that are young enough, zombies included."""
    this, ours = os.getpid(), unreaped | {_fork_server.pid}
    return [
        pid
        for pid, (parent, start) in proctree.processes().items()
        if parent == this and start >= since and pid not in ours
    ]


# A regular exit needn't wait for the fork server to notice, nor leave it for others to reap.
atexit.register(close_fork_server)
os.register_at_fork(after_in_child=_have_none)
