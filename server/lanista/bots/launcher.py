"""The launcher: starts a bot inside its sandbox and carries its connection out to the arena.

    launcher.main([HOST, PORT, USER, LIMITS, WORD, ...])

runs in a network namespace that has nothing but a loopback interface. It listens there on HOST and
PORT, where the bot expects the arena, and passes bytes both ways between the bot's connection and
one to the real arena, made outside before the sandbox was (descriptor UPLINK_FD). Bytes, halves
that end and resets are passed on as they come, so that the bot and the arena notice nothing but
some dozen microseconds. A second connection is refused, or reset if it came at once.

To LAUNCHER_FD it writes a byte when the sandbox is there, and waits until GO_FD says that the bot
may start; then why the bot couldn't be started, or a NUL byte when it was; after its end the lines
`left N` (other processes there) and, where a signal killed it, `killed SIGNAL`. Its exit code is
the bot's.

USER is a user id to become first, with the group of that number, or 0 to stay who it is. LIMITS is
`BotLimits.encode`; they are set in the bot, after the change of user. The sandbox's first process
reaps the orphans and ends with the launcher, and so does everything in it.
"""

import _socket
import os
import select
import time

# `typing` and `signal` (for its enums) would take 10 ms each to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # the part in C that `signal` wraps
if TYPE_CHECKING or __package__:
    from lanista.bots import execute, proctree
else:  # in the sandbox, where it is run without packages
    import execute
    import proctree

# Bytes that are passed on at once.
PIECE = 65536

# Seconds in which the arena must take what a bot that has ended had still said.
LAST_WORDS = 1.0


class Reset(Exception):  # noqa: N818 -- an event between two peers, nobody's error
    """One side has dropped the connection."""


class Flow:
    """One direction of the connection: what has come from `source` and not gone to `sink` yet."""

    def __init__(self, source: _socket.socket, sink: _socket.socket) -> None:
        self.source = source
        self.sink = sink
        self.pending = b""
        self.is_over = False  # the source has said that it is done, and the sink was told

    def move(self) -> bool:
        """Take a piece, if none is pending, and pass on what can be; False if nothing came.

        Raises:
            Reset: A peer has dropped the connection.
        """
        if self.is_over:
            return False
        try:
            if not self.pending:
                self.pending = self.source.recv(PIECE)
                if not self.pending:
                    self.is_over = True
                    self.sink.shutdown(_socket.SHUT_WR)
                    return False
            self.pending = self.pending[self.sink.send(self.pending) :]
        except BlockingIOError:
            return False
        except OSError as error:
            raise Reset from error
        return True


class Launcher:
    """One bot and its connection."""

    def __init__(self, host: str, port: int) -> None:
        self.uplink = _socket.socket(fileno=execute.UPLINK_FD)
        self.uplink.setblocking(False)
        self.listener: _socket.socket | None = _socket.socket()
        self.listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        self.listener.bind((host, port))
        self.listener.listen(1)
        self.listener.setblocking(False)
        self.local: _socket.socket | None = None
        self.flows: tuple[Flow, ...] = ()  # from the bot, to the bot
        self.wake, write = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def start(self, user: int, limits: str, command: list[str]) -> int:
        """Fork and execute the bot; its pid, or 0 when that failed and was told."""
        trouble, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                execute.set_limits(limits, own_user=bool(user) or counts_threads_by_namespace())
                remark = "; it runs as another user here: chmod +rx for all" if user else ""
                execute.execute(command, write, remark=remark)
            finally:
                os._exit(127)  # not sys.exit: the launcher's code must not run a second time
        os.close(write)
        text = b""
        while more := os.read(trouble, 4096):
            text += more
        os.close(trouble)
        os.write(execute.LAUNCHER_FD, text or execute.IS_STARTED)
        return 0 if text else pid

    def serve(self, bot: int) -> int:
        """Carry bytes until the bot has ended; its wait status."""
        while True:
            poll = select.poll()
            poll.register(self.wake, select.POLLIN)
            if self.listener is not None:
                poll.register(self.listener.fileno(), select.POLLIN)
            wanted: dict[int, int] = {}
            for flow in self.flows:
                if flow.pending:
                    fd, event = flow.sink.fileno(), select.POLLOUT
                elif not flow.is_over:
                    fd, event = flow.source.fileno(), select.POLLIN
                else:
                    continue
                wanted[fd] = wanted.get(fd, 0) | event
            for fd, events in wanted.items():
                poll.register(fd, events)
            ready = {fd for fd, _ in poll.poll()}
            if self.listener is not None and self.listener.fileno() in ready:
                self.accept()
            if ready & wanted.keys():
                try:
                    for flow in self.flows:
                        flow.move()
                except Reset:
                    self.reset()
            if self.wake in ready:
                os.read(self.wake, 4096)
                pid, status = os.waitpid(bot, os.WNOHANG)
                if pid:
                    return status

    def accept(self) -> None:
        """Take the bot's connection, the only one there will be."""
        assert self.listener is not None
        try:
            fd, _ = self.listener._accept()  # type: ignore[attr-defined]  # noqa: SLF001 -- `socket` itself does so
        except OSError:  # gone already
            return
        self.listener.close()
        self.listener = None
        self.local = _socket.socket(fileno=fd)
        self.local.setblocking(False)
        self.local.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        self.flows = Flow(self.local, self.uplink), Flow(self.uplink, self.local)

    def reset(self) -> None:
        """One side has dropped the connection: drop the other as hard."""
        for sock in (self.local, self.uplink):
            assert sock is not None
            # A linger of no time makes close() send a reset (socket(7)).
            sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            sock.close()
        self.flows = ()

    def finish(self) -> None:
        """Pass on what a bot that has ended had still said."""
        if self.listener is not None:
            self.accept()
        if not self.flows:
            return
        out = self.flows[0]
        deadline = time.monotonic() + LAST_WORDS
        try:
            while out.move() or out.pending:
                if out.pending:
                    poll = select.poll()
                    poll.register(self.uplink.fileno(), select.POLLOUT)
                    if not poll.poll(max(0, (deadline - time.monotonic()) * 1000)):
                        return  # the arena doesn't listen any more
        except Reset:
            self.reset()


def counts_threads_by_namespace() -> bool:
    """Whether the kernel counts a user's threads in each user namespace apart (Linux 5.14)."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= (5, 14)


def become(user: int) -> None:
    """Give up root for a user that nobody else is; for ever, since no new privileges can come."""
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    # The bot is of the same user: it shall not look into this process, nor use its descriptors.
    proctree.prctl(proctree.PR_SET_DUMPABLE, 0)


def main(arguments: list[str]) -> None:
    """Run one bot; the arguments are told at the top of this module."""
    host, port, user, limits, *command = arguments
    for fd in (execute.UPLINK_FD, execute.LAUNCHER_FD, execute.GO_FD):
        os.set_inheritable(fd, False)
    os.dup2(1, 2)  # it was the keeper's, for what bubblewrap had to say
    os.write(execute.LAUNCHER_FD, execute.IS_READY)
    if os.read(execute.GO_FD, 1) != execute.GO:
        os._exit(127)  # the keeper says why
    try:
        launcher = Launcher(host, int(port))
        become(int(user))
        bot = launcher.start(int(user), limits, command)
    except OSError as error:
        os.write(execute.LAUNCHER_FD, f"in the sandbox: {error}".encode())
        os._exit(127)
    if not bot:
        os._exit(127)
    code = os.waitstatus_to_exitcode(launcher.serve(bot))
    launcher.finish()
    # The first process of the namespace is bubblewrap's.
    others = [pid for pid in proctree.processes() if pid not in {1, os.getpid()}]
    left = sum(map(proctree.runs, others))
    last = f"left {left}\n" + (f"killed {-code}\n" if code < 0 else "")
    os.write(execute.LAUNCHER_FD, last.encode())
    os._exit(code if code >= 0 else 128 - code)  # as a shell tells of a signal
