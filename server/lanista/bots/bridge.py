"""The stdio bridge: lets a bot that reads stdin and writes stdout play over TCP.

A bridge is a process of its own for each such bot. It imports little, so it starts quickly, and it
adds only some ten microseconds to an answer. It sends the hello, then passes on bytes in both
directions: from the bot whole lines at a time, each answer after the log lines for it. It doesn't
interpret the lines, except that it prints those of the arena that are for people.
"""

import contextlib
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from lanista.bots.execute import hint
from lanista.errors import printable
from lanista.system import STOPPING, heeded, notice_silence

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for a connection to the arena."""
LAST_WAIT = 2.0
"""Seconds that the bot may take to exit by itself after the arena has closed the connection."""
TERM_WAIT = 0.5
"""Seconds that the bot has to exit after SIGTERM, before SIGKILL."""
READ = 65536
"""Number of bytes to read at once, which is also the capacity of a pipe."""
PIECE = select.PIPE_BUF
"""Number of bytes that a pipe surely takes without blocking when poll reports it as writable."""
BACKLOG = 1 << 20
"""Number of bytes waiting to be sent to the arena above which the bot's output isn't read."""
UNREAD = 16 << 20
"""Number of bytes waiting to be read by the bot above which the bot is ended. The connection must
always be read, or else we wouldn't notice that the arena has closed it."""
EXIT_UNREAD = 1
"""Exit code of the bridge when it has ended the bot for that."""
EXIT_ERROR = 1
"""Exit code instead of the bot's 0 if the arena has ended the connection by an error, or before it
has said anything. The client libraries have the same."""
LINE_LIMIT = 65536
"""Maximum length of a line in bytes (PROTOCOL.md 1). Longer ones are passed on, and the arena
refuses them."""
LOG_KEPT = 32768
"""Maximum number of bytes of log lines for one answer. The arena keeps half of that, and notes that
the log was cut."""
TOLD = (b"\nerror ", b"\nnote room ", b"\nnote benched ", b"\nwait ")
"""The beginnings of the arena's lines that are for people, each with the newline before it."""
NOT_GREETED = (
    "lanista connect: the connection ended before a match; check that the arena is running, and "
    "that the port is the one for bots"
)
"""The line that is printed if nothing has come from the arena, and the bot has told of nothing.

The client libraries have the same words.
"""
_LOG_PIECE = 8192  # code points, of at most 4 bytes each, which is below LINE_LIMIT


class CannotConnectError(Exception):
    """The arena can't be reached, or the bot can't be started; the message says which and why."""


class NoArenaError(CannotConnectError):
    """There is no connection to the arena; a UnicodeError says that no host can be called so."""

    def __init__(self, reason: OSError | UnicodeError) -> None:
        super().__init__(f"no arena: {getattr(reason, 'strerror', None) or reason}")
        self.reason = reason


def run(
    command: Sequence[str],
    hello: str,
    host: str,
    port: int,
    *,
    secure: Callable[[socket.socket], socket.socket] | None = None,
    tell_waiting: Callable[[list[str]], None] | None = None,
) -> int:
    """Connect, start the bot, and pass on lines until the bot or the connection ends.

    What the bot writes to stderr goes to our own stderr, and also to the arena, as `#` lines before
    the next answer (PROTOCOL.md 4). SIGINT, SIGTERM and SIGHUP end the bot. For TLS, `secure`
    performs the handshake over a connected socket, and returns the socket to use. When the
    bot has to wait for an opponent, `tell_waiting` is called once, with the numbers of seats that
    are taken and needed.

    Returns the bot's exit code, or minus the signal that ended it or us; 0 if the bot was ended
    because it went on after the connection was closed. Instead of 0 it is EXIT_ERROR if the arena
    has refused the bot or put it out.

    Raises:
        CannotConnectError: The program can't be started, or (`NoArenaError`) there is no connection
            to the arena.
    """
    try:
        arena = socket.create_connection((host, port), CONNECT_TIMEOUT)
    except (OSError, UnicodeError) as error:
        raise NoArenaError(error) from None
    notice_silence(arena)
    if secure is not None:
        arena = secure(arena)
    with arena:
        arena.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        arena.setblocking(False)
        wake, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        for number in (*heeded(), signal.SIGCHLD):
            # The byte in the pipe ends a wait. The handler wouldn't, if it ran just before it.
            signal.signal(number, lambda _number, _frame: None)
        try:
            # In a process group of its own, so that everything it starts can be ended with it.
            bot = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "LANISTA_STDIO": "1"},
                bufsize=0,
                process_group=0,
            )
        except OSError as error:
            why = f"{error.strerror}{hint(error, command[0])}"
            raise CannotConnectError(f"can't start {command[0]!r}: {why}") from None
        with bot:
            try:
                bridge = _Bridge(arena, bot, wake, tell_waiting)
                code = bridge.run(hello.encode() + b"\n")
                if code == 0 and not bridge.arena_open and not bridge.is_greeted:
                    print(NOT_GREETED, file=sys.stderr)  # noqa: T201 - a program of its own
                    return EXIT_ERROR
                return code or (EXIT_ERROR if bridge.is_put_out else 0)
            finally:
                with contextlib.suppress(OSError):
                    os.killpg(bot.pid, signal.SIGKILL)


class _Bridge:
    """The bot's pipes, the connection, and the bytes that are on their way between them."""

    def __init__(
        self,
        arena: socket.socket,
        bot: subprocess.Popen[bytes],
        wake: int,
        tell_waiting: Callable[[list[str]], None] | None,
    ) -> None:
        assert bot.stdin is not None
        assert bot.stdout is not None
        assert bot.stderr is not None
        self.arena = arena
        # What a socket raises that isn't ready.
        self.not_yet: tuple[type[OSError], ...] = (BlockingIOError,)
        if type(arena) is not socket.socket:
            import ssl  # noqa: PLC0415 - loaded already

            self.not_yet = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
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
        self.is_greeted = False  # whether the arena has said anything
        self.is_put_out = False  # whether it has said `error`
        self.tell_waiting = tell_waiting  # None once that is said
        self.answer = b""  # an unfinished line of its stdout
        self.log = b""  # an unfinished line of its stderr
        self.logged = bytearray()  # log lines to send before the next answer
        self.arena_tail = b"\n"  # the last bytes from the arena, which may begin one of `TOLD`

    def run(self, hello: bytes) -> int:
        """Send the hello, then pass on bytes until the bot or the connection has ended."""
        self.to_arena += hello
        self.write_to_arena()
        deadline: float | None = None
        while True:
            ready = self.wait(deadline)
            if self.wake in ready:
                number = os.read(self.wake, 1)[0]
                if number in STOPPING:
                    return -number
            if ready.get(self.arena.fileno(), 0) & ~select.POLLOUT:
                self.read_arena()
            if len(self.to_bot) > UNREAD:
                print(f"lanista connect: the bot has left {UNREAD} bytes unread", file=sys.stderr)  # noqa: T201 - a program of its own
                self.end_bot()
                return EXIT_UNREAD
            if self.to_bot and self.stdin in ready:
                self.write_to_bot()
            if self.stderr in ready:
                self.read_log()
            if 2 in ready:
                self.write_log(PIECE)
            if self.stdout in ready:
                self.read_bot()
            if self.to_arena:
                self.write_to_arena()
            if not self.arena_open and not self.to_bot and self.stdin is not None:
                self.close_stdin()
            if not self.arena_open and deadline is None:
                deadline = time.monotonic() + LAST_WAIT
            if self.bot.poll() is not None:
                return self.drain()
            if deadline is not None and time.monotonic() >= deadline:
                return self.end_bot()

    def wait(self, deadline: float | None) -> dict[int, int]:
        """Wait until a moment of `time.monotonic`, if any; return the events by descriptor."""
        poll = select.poll()
        poll.register(self.wake, select.POLLIN)
        if self.arena_open:
            poll.register(self.arena, select.POLLIN | (select.POLLOUT if self.to_arena else 0))
        if self.to_bot and self.stdin is not None:
            poll.register(self.stdin, select.POLLOUT)
        if self.stdout is not None and len(self.to_arena) < BACKLOG:
            poll.register(self.stdout, select.POLLIN)
        if self.stderr is not None and len(self.to_stderr) < READ:
            poll.register(self.stderr, select.POLLIN)
        if self.to_stderr:
            poll.register(2, select.POLLOUT)
        timeout = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        return dict(poll.poll(timeout))

    # -- from the arena to the bot ---------------------------------------------------------------

    def read_arena(self) -> None:
        try:
            data = self.arena.recv(READ)
        except self.not_yet:
            return
        except OSError:  # a reset
            data = b""
        if not data:
            self.arena_open = False
            self.to_arena.clear()
            return
        self.is_greeted = True
        self.to_bot += data
        self.write_to_bot()
        self.print_told(data)

    def write_to_bot(self) -> None:
        while self.to_bot and self.stdin is not None:
            try:
                written = os.write(self.stdin, self.to_bot)
            except BlockingIOError:
                return
            except OSError:  # it has closed its stdin, which is allowed
                self.close_stdin()
                return
            del self.to_bot[:written]
        if self.stdin is None:
            self.to_bot.clear()

    def close_stdin(self) -> None:
        """Close the bot's stdin, so that a bot that reads to the end of it exits."""
        assert self.bot.stdin is not None
        with contextlib.suppress(OSError):
            self.bot.stdin.close()
        self.stdin = None
        self.to_bot.clear()

    def end_output(self) -> None:
        """Tell the arena that nothing more is sent."""
        with contextlib.suppress(OSError):
            # With TLS, the socket's own method would forget how to decrypt what still comes.
            socket.socket.shutdown(self.arena, socket.SHUT_WR)

    def print_told(self, data: bytes) -> None:
        """Print those lines of the arena that are for people; most bots ignore them."""
        text = self.arena_tail + data
        while starts := [start for begin in TOLD if (start := text.find(begin)) >= 0]:
            line, newline, rest = text[min(starts) + 1 :].partition(b"\n")
            if not newline:
                self.arena_tail = b"\n" + line[:LINE_LIMIT]
                return
            message = printable(line.decode("utf-8", "replace"))
            if line.startswith(b"wait "):
                _, *taken = message.split()
                if self.tell_waiting is not None and len(set(taken)) == 2:  # not all are there
                    self.tell_waiting(taken)
                    self.tell_waiting = None
            else:
                self.is_put_out |= line.startswith(b"error ")
                print(f"lanista connect: the arena says: {message}", file=sys.stderr)  # noqa: T201 - a program of its own
            text = b"\n" + rest
        # Keep the beginning of the last line: its first words may be cut anywhere.
        self.arena_tail = text[text.rfind(b"\n") :][: max(map(len, TOLD))]

    # -- from the bot to the arena ---------------------------------------------------------------

    def read_log(self) -> None:
        """Read from the bot's stderr, for our own stderr and for the next answer's log.

        This reads at most as much as a pipe holds. So when an answer has come, one call reads
        everything that was written before it, however fast the bot goes on writing.
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

    def write_log(self, size: int) -> None:
        """Write up to so many bytes of the bot's stderr to our own."""
        try:
            written = os.write(2, self.to_stderr[:size])
        except OSError:  # it has no reader any more
            self.to_stderr.clear()
        else:
            del self.to_stderr[:written]

    def read_bot(self) -> None:
        """Read from the bot's stdout, and send whole lines to the arena, after their log."""
        assert self.stdout is not None
        self.read_log()  # what the bot wrote to stderr before the answer can be read by now
        try:
            data = os.read(self.stdout, READ)
        except BlockingIOError:
            return
        if not data:
            self.stdout = None
            self.send(self.answer)
            self.answer = b""
            if not self.to_arena:  # for the arena, this means that the bot has left
                self.end_output()
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
        """Send an answer after its log, in one write."""
        if not self.arena_open:
            return
        self.to_arena += bytes(self.logged) + data
        self.logged.clear()
        self.write_to_arena()

    def write_to_arena(self) -> None:
        while self.to_arena and self.arena_open:
            try:
                # Python ignores SIGPIPE, and TLS takes no flags.
                sent = self.arena.send(self.to_arena)
            except self.not_yet:
                return
            except OSError:  # the arena has closed it, but what it sent before is still to be read
                self.to_arena.clear()
                return
            del self.to_arena[:sent]
        if self.stdout is None and self.arena_open:
            self.end_output()

    # -- the end -----------------------------------------------------------------------------------

    def drain(self) -> int:
        """Send what a bot that has ended has written before, and return its exit code."""
        while self.stdout is not None:
            before = self.answer
            self.read_bot()
            if self.answer == before and not self.readable(self.stdout):
                break  # a process that the bot started still has its stdout open
        while self.readable(self.stderr):
            self.read_log()
        if self.log and len(self.logged) < LOG_KEPT:
            self.logged += _log_lines(self.log)
        if self.logged:
            self.send(b"")
        self.arena.settimeout(LAST_WAIT)
        with contextlib.suppress(OSError):
            self.arena.sendall(self.to_arena)
            # If we closed the connection with something unread, the kernel would reset it, and the
            # arena might not get what was just sent.
            self.end_output()
            until = time.monotonic() + LAST_WAIT
            while self.arena.recv(READ) and time.monotonic() < until:
                pass
        while self.to_stderr:
            self.write_log(READ)
        return self.bot.wait()

    def readable(self, fd: int | None) -> bool:
        if fd is None:
            return False
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(0))

    def end_bot(self) -> int:
        """End a bot that still runs after its connection has ended."""
        with contextlib.suppress(OSError):
            os.killpg(self.bot.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.bot.wait(TERM_WAIT)
        return 0


def _log_lines(line: bytes) -> bytes:
    """Turn a line of stderr into log lines of the protocol: UTF-8, of limited length."""
    text = line.removesuffix(b"\r").decode("utf-8", "backslashreplace")
    starts = range(0, len(text) or 1, _LOG_PIECE)
    pieces = [text[start : start + _LOG_PIECE] for start in starts]
    if text.startswith("#@") and len(pieces) == 1:
        return f"{text}\n".encode()  # it draws (PROTOCOL.md 9), and is a log line already
    return "".join([f"# {piece}\n" for piece in pieces]).encode()


def end_as(code: int) -> int:
    """Return a code of `run`, or end this process by the signal that has ended the bot."""
    if code < 0:
        # No core dump: it would be of this process, not of the bot.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def main(command: Sequence[str]) -> int:
    """Run a bot for the arena that the environment names (`python -m lanista.bots.bridge …`)."""
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
