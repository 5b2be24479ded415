"""The stdio bridge: a bot that reads stdin and writes stdout plays over TCP.

A process of its own beside each such bot, for the standard library alone: it starts in no time and
adds some ten microseconds to an answer. It says the hello; then it hands on bytes, whole lines of
the bot's at a time, and understands none of them, but for what it prints when the arena says
`error`. No clock, no game and no other match is known here.
"""

import contextlib
import errno
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from lanista.signals import STOPPING, heeded

CONNECT_TIMEOUT = 10.0
"""Seconds."""
LAST_WAIT = 2.0
"""Seconds in which the bot may end by itself once the arena has closed."""
TERM_WAIT = 0.5
"""Seconds it has after SIGTERM, before SIGKILL."""
READ = 65536
"""Bytes at once; also what a pipe holds."""
PIECE = select.PIPE_BUF
"""Bytes that a pipe of which poll says that it can be written to takes without a wait."""
BACKLOG = 1 << 20
"""Bytes waiting to be taken by the arena above which the bot isn't read any more."""
UNREAD = 16 << 20
"""Bytes waiting to be taken by the bot above which it is ended. The arena is always read: behind
what isn't read, its end couldn't be seen."""
EXIT_UNREAD = 1
"""Exit code of the bridge then."""
LINE_LIMIT = 65536
"""Bytes of a line that the arena takes (PROTOCOL.md 1); a longer one it is to refuse itself."""
LOG_KEPT = 32768
"""Bytes of log lines for one answer: the arena keeps half of it, and says then that it cut."""
_LOG_PIECE = 8192  # code points, at most 4 bytes each: within the arena's limit of a line


class CannotConnectError(Exception):
    """No connection to the arena, or no bot to connect; says which and why."""


def run(command: Sequence[str], hello: str, host: str, port: int) -> int:
    """Connect, start the bot, and hand on lines until one of both ends.

    What the bot writes to stderr goes to our own, and its lines also to the arena, as `#` lines
    before the answer that comes next (PROTOCOL.md 4). SIGINT, SIGTERM and SIGHUP end the bot.

    Args:
        command: The words of the bot's command line.
        hello: The line to say first, without its newline.
        host: Where the arena is.
        port: Its TCP port.

    Returns:
        The bot's exit code, or minus the signal that ended it or us; 0 when the bot outlived the
        connection and was ended for that.

    Raises:
        CannotConnectError: There is no arena, or no such program.
    """
    try:
        arena = socket.create_connection((host, port), CONNECT_TIMEOUT)
    except UnicodeError:  # of the codec for international names
        raise CannotConnectError(f"{host!r} is no host's name or address") from None
    except OSError as error:
        why = error.strerror or error
        raise CannotConnectError(f"no arena at {host}, port {port}: {why}") from None
    with arena:
        arena.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        arena.setblocking(False)
        wake, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        for number in heeded():
            # The byte in the pipe ends the wait; a handler alone might come just before it.
            signal.signal(number, lambda _number, _frame: None)
        try:
            # A group of its own, so that all it starts can be ended with it.
            bot = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            raise CannotConnectError(f"can't start {command[0]!r}: {error.strerror}") from None
        with bot:
            try:
                return _Bridge(arena, bot, wake).run(hello.encode() + b"\n")
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(bot.pid, signal.SIGKILL)
                for pipe in (bot.stdin, bot.stdout, bot.stderr):
                    assert pipe is not None
                    with contextlib.suppress(OSError):
                        pipe.close()


class _Bridge:
    """The two sides, and what is on its way between them."""

    def __init__(self, arena: socket.socket, bot: subprocess.Popen[bytes], wake: int) -> None:
        assert bot.stdin is not None
        assert bot.stdout is not None
        assert bot.stderr is not None
        self.arena = arena
        self.bot = bot
        self.wake = wake
        self.stdin: int | None = bot.stdin.fileno()
        self.stdout: int | None = bot.stdout.fileno()
        self.stderr: int | None = bot.stderr.fileno()
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.to_bot = bytearray()
        self.to_arena = bytearray()
        self.to_stderr = bytearray()
        self.arena_open = True
        self.answer = b""  # an unfinished line of the bot's
        self.log = b""  # an unfinished line of its stderr
        self.logged = bytearray()  # log lines for the next answer
        self.heard = b""  # the end of what the arena has said, for its `error`
        self.exit_fd = _exit_fd(bot.pid)

    def run(self, hello: bytes) -> int:
        """Until the bot or the connection has ended; as `run` of the module returns."""
        self.to_arena += hello
        self.tell_arena()
        deadline: float | None = None
        while True:
            ready = self.wait(deadline)
            if self.wake in ready:
                number = os.read(self.wake, 1)[0]
                if number in STOPPING:
                    return -number
            if ready.get(self.arena.fileno(), 0) & ~select.POLLOUT:
                self.hear_arena()
            if len(self.to_bot) > UNREAD:
                print(f"lanista connect: the bot has left {UNREAD} bytes unread", file=sys.stderr)  # noqa: T201 - a process tells its end so
                self.end_bot()
                return EXIT_UNREAD
            if self.to_bot and self.stdin in ready:
                self.tell_bot()
            if self.stderr in ready:
                self.hear_log()
            if 2 in ready:
                self.pass_on_log(PIECE)
            if self.stdout in ready:
                self.hear_bot()
            if self.to_arena:
                self.tell_arena()
            if not self.arena_open and not self.to_bot and self.stdin is not None:
                self.close_stdin()
            if not self.arena_open and deadline is None:
                deadline = time.monotonic() + LAST_WAIT
            if self.bot.poll() is not None:
                return self.last_words()
            if deadline is not None and time.monotonic() >= deadline:
                return self.end_bot()

    def wait(self, deadline: float | None) -> dict[int, int]:
        """Wait for something to do; the descriptors and what they are ready for."""
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        events = 0
        if self.arena_open:
            events |= select.POLLIN
            events |= select.POLLOUT if self.to_arena else 0
        if events:
            poll.register(self.arena, events)
        if self.to_bot and self.stdin is not None:
            poll.register(self.stdin, select.POLLOUT)
        if self.stdout is not None and len(self.to_arena) < BACKLOG:
            poll.register(self.stdout, select.POLLIN)
        if self.stderr is not None and len(self.to_stderr) < READ:
            poll.register(self.stderr, select.POLLIN)
        if self.to_stderr:
            poll.register(2, select.POLLOUT)
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        if self.exit_fd is not None:
            poll.register(self.exit_fd, select.POLLIN)
        elif self.stdout is None or timeout is not None:
            timeout = min(timeout or 50.0, 50.0)  # no way to be told of its end but to look
        return dict(poll.poll(timeout))

    # -- from the arena to the bot ---------------------------------------------------------------

    def hear_arena(self) -> None:
        """Hand on what the arena says."""
        try:
            data = self.arena.recv(READ)
        except BlockingIOError:
            return
        except OSError:  # a reset
            data = b""
        if not data:
            self.arena_open = False
            self.to_arena.clear()
            return
        self.to_bot += data
        self.tell_bot()
        self.note_error(data)

    def tell_bot(self) -> None:
        """Write what the bot takes."""
        while self.to_bot and self.stdin is not None:
            try:
                written = os.write(self.stdin, self.to_bot)
            except BlockingIOError:
                return
            except OSError:  # it has closed its stdin: it needn't read to play
                self.close_stdin()
                return
            del self.to_bot[:written]
        if self.stdin is None:
            self.to_bot.clear()

    def close_stdin(self) -> None:
        """Nothing more will come: a bot that reads to the end ends then."""
        assert self.bot.stdin is not None
        with contextlib.suppress(OSError):
            self.bot.stdin.close()
        self.stdin = None
        self.to_bot.clear()

    def note_error(self, data: bytes) -> None:
        """Print the line by which the arena throws a bot out: a small bot ignores it."""
        said = self.heard + data
        at = 0 if said.startswith(b"error ") else said.find(b"\nerror ") + 1
        if said.startswith(b"error ") or at > 0:
            line, newline, _ = said[at:].partition(b"\n")
            if newline:
                words = line.decode("utf-8", "replace")
                print(f"lanista connect: the arena says: {_printable(words)}", file=sys.stderr)  # noqa: T201 - a process tells its end so
                self.heard = b"\n"
                return
            self.heard = said[at:][:LINE_LIMIT]
            return
        # From the last line's beginning: `error` may be cut anywhere.
        last = said.rfind(b"\n")
        self.heard = said[last:][: len(b"\nerror ")] if last >= 0 else said[: len(b"error ")]

    # -- from the bot to the arena ---------------------------------------------------------------

    def hear_log(self) -> None:
        """Take what the bot has written to stderr: to our own, and for the next answer's log.

        What a pipe holds at most: all that was there when an answer came, and no more of what a
        flood adds meanwhile.
        """
        if self.stderr is None:
            return
        try:
            data = os.read(self.stderr, READ)
        except BlockingIOError:
            return
        self.to_stderr += data
        if not data:
            self.stderr = None
            data = b"\n" if self.log else b""
        *lines, self.log = (self.log + data).split(b"\n")
        self.log = self.log[:LINE_LIMIT]
        for line in lines:
            if len(self.logged) < LOG_KEPT:
                self.logged += _log_lines(line)

    def pass_on_log(self, size: int) -> None:
        """Write some of what came on stderr to our own."""
        try:
            written = os.write(2, self.to_stderr[:size])
        except OSError:  # nobody reads it
            self.to_stderr.clear()
        else:
            del self.to_stderr[:written]

    def hear_bot(self) -> None:
        """Take what the bot has answered; whole lines go out, its log before them."""
        assert self.stdout is not None
        self.hear_log()  # what was written before the answer is there by now
        try:
            data = os.read(self.stdout, READ)
        except BlockingIOError:
            return
        if not data:
            self.stdout = None
            self.send(self.answer)
            self.answer = b""
            with contextlib.suppress(OSError):  # the arena takes it for the bot's leaving
                if not self.to_arena:
                    self.arena.shutdown(socket.SHUT_WR)
            return
        lines, newline, rest = data.rpartition(b"\n")
        if newline:
            self.send(self.answer + lines + newline)
            self.answer = rest
        else:
            self.answer += data
            if len(self.answer) > LINE_LIMIT + 1:
                self.send(self.answer)
                self.answer = b""

    def send(self, data: bytes) -> None:
        """Send an answer behind its log, in one write."""
        if not self.arena_open:
            return
        self.to_arena += bytes(self.logged) + data
        self.logged.clear()
        self.tell_arena()

    def tell_arena(self) -> None:
        """Write what the connection takes."""
        while self.to_arena and self.arena_open:
            try:
                sent = self.arena.send(self.to_arena, socket.MSG_NOSIGNAL)
            except BlockingIOError:
                return
            except OSError:  # it has closed; what it said before is still to be read
                self.to_arena.clear()
                return
            del self.to_arena[:sent]
        if self.stdout is None and self.arena_open:
            with contextlib.suppress(OSError):
                self.arena.shutdown(socket.SHUT_WR)

    # -- the end -----------------------------------------------------------------------------------

    def last_words(self) -> int:
        """The bot has ended: what it had still written goes out; its exit code."""
        while self.stdout is not None:
            before = self.answer
            self.hear_bot()
            if self.answer == before and not self.readable(self.stdout):
                break  # something that it had started still holds its stdout
        while self.stderr is not None and self.readable(self.stderr):
            self.hear_log()
        if self.log and len(self.logged) < LOG_KEPT:
            self.logged += _log_lines(self.log)
        if self.logged:
            self.send(b"")
        self.arena.settimeout(LAST_WAIT)
        with contextlib.suppress(OSError):
            self.arena.sendall(self.to_arena)
            # Closed with something unread, the system would take back what was just sent.
            self.arena.shutdown(socket.SHUT_WR)
            until = time.monotonic() + LAST_WAIT
            while self.arena.recv(READ) and time.monotonic() < until:
                pass
        while self.to_stderr:
            self.pass_on_log(READ)
        return self.bot.wait()

    def readable(self, fd: int | None) -> bool:
        """Whether a read would give something at once."""
        if fd is None:
            return False
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(0))

    def end_bot(self) -> int:
        """End a bot that has outlived its connection."""
        with contextlib.suppress(OSError):
            os.killpg(self.bot.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.bot.wait(TERM_WAIT)
        return 0


def _exit_fd(pid: int) -> int | None:
    """A descriptor that is readable once the process has ended; None where there is no such."""
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        if error.errno in {errno.ENOSYS, errno.EPERM, errno.EINVAL}:  # an old or closed kernel
            return None
        raise


def _log_lines(line: bytes) -> bytes:
    """A line of stderr as log lines of the protocol: UTF-8, of bounded length."""
    text = line.removesuffix(b"\r").decode("utf-8", "backslashreplace")
    pieces = [text[at : at + _LOG_PIECE] for at in range(0, len(text) or 1, _LOG_PIECE)]
    return "".join([f"# {piece}\n" for piece in pieces]).encode()


def _printable(text: str) -> str:
    """Text from the arena, safe for a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def keep_standard_streams() -> None:
    """Open what is closed of stdin, stdout and stderr: the connection must not get its place."""
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:  # closed by whoever started us
            os.open(os.devnull, os.O_RDWR)


def end_as(code: int) -> int:
    """Return the exit code of a bot, or end this process by the signal that ended the bot."""
    if code < 0:
        # Whoever started us shall see how the bot ended; the core would be this process's own.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def main(command: Sequence[str]) -> int:
    """Run a bot that an arena starts: `python -m lanista.bridge COMMAND…`.

    Where the arena is and what to say comes from the variables that it gives its bots.
    """
    keep_standard_streams()
    hello = f"{os.environ['LANISTA_NAME']} v=1"
    token = os.environ.get("LANISTA_TOKEN")
    if token:
        hello += f" token={token}"
    try:
        code = run(command, hello, os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"]))
    except CannotConnectError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return end_as(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
