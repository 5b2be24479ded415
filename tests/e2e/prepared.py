"""A process that has loaded what an arena needs; the tests' arenas, and others, are forks of it.

Most of what the start of an arena costs is loading Lanista and making ready what its page has
to tell. A fork has that already, and is the command line as a process all the same: a child of the
test with its own arguments, environment, folder and output, which ends as it likes. Where the start
of a process itself is tested, tests start an interpreter.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile

from lanista.bots.syscalls import can_fork_siblings, fork_sibling

LOADED = (
    *("alembic.command", "lanista.arena.match_worker", "lanista.arena.server"),
    *("lanista.cli.arena", "lanista.cli.serve", "lanista.cli.serving"),
    *(f"lanista.games.{game}.ruleset" for game in ("angrymob", "crematoria", "hogwarts")),
    *(f"lanista.games.{game}.originals" for game in ("crematoria", "hogwarts")),
    *("lanista.page.metrics", "lanista.page.server", "trio_parallel"),
)
"""Modules that arenas load by and by. None begins a thread, as forks are of one thread only."""
MOST = 1 << 20
"""Bytes of a request, most of which is the environment."""


class Forked:
    """A process that was forked, with what the tests use of `subprocess.Popen`'s interface."""

    stdin = None

    def __init__(self, pid):
        self.pid = pid
        self.returncode = None

    def poll(self):
        """Return the exit code, negative for a signal; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout=None):
        """Wait for its end, for so many seconds at most; return the exit code."""
        if self.poll() is None:
            end = os.pidfd_open(self.pid)
            try:
                select.select([end], [], [], timeout)
            finally:
                os.close(end)
            if self.poll() is None:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return self.returncode

    def send_signal(self, number):
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        """Kill it."""
        self.send_signal(signal.SIGKILL)


def forked(words, change, *, cwd, env, stdout, stderr, stdin=None):
    """Run `lanista WORD…` in a fork, after some lines of Python, which may also end it.

    Without `stdin` there is nothing to read.

    Returns:
        The process; None where the system can't fork for another process, as macOS and gVisor.
    """
    if not can_fork_siblings():
        return None
    request = {"words": list(map(str, words)), "change": change, "cwd": str(cwd), "env": env}
    server = prepare()
    files = [file.fileno() for file in (stdout, stderr, stdin) if file is not None]
    socket.send_fds(server, [json.dumps(request).encode()], files)
    pid = int(server.recv(100))
    return Forked(pid) if pid else None


@functools.cache
def prepare():
    """Start the process from which all are forked; return the socket to it, with which it ends."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-W", "error", __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def _serve(requests):
    """Fork this process for every request; return, in a fork, the request and its descriptors."""
    while True:
        message, files, *_ = socket.recv_fds(requests, MOST, 3)
        if not message:
            sys.exit()
        try:
            pid = fork_sibling()
        except OSError:
            pid = None
        if pid == 0:
            return json.loads(message), files
        requests.send(b"%d" % (pid or 0))
        for file in files:
            os.close(file)


def _main():
    for name in LOADED:
        importlib.import_module(name)
    from lanista.cli import main
    from lanista.page import view
    from lanista.page.routes import packed_files

    packed_files()
    view.games()
    view.bots(None)
    gc.collect()
    gc.freeze()  # forks share memory only as long as no search for garbage writes to it
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        request, files = _serve(requests)
    # From here on this is the command.
    os.setsid()
    for standard, file in zip((1, 2, 0), files, strict=False):
        os.dup2(file, standard)
        os.close(file)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    tempfile.tempdir = None  # something may have asked for it already
    sys.argv[:] = ["lanista", *request["words"]]
    exec(request["change"], {})
    main()


if __name__ == "__main__":
    _main()
