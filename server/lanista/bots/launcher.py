"""The launcher: starts a bot inside its sandbox and relays its connection to the arena.

    launcher.main([HOST, PORT, USER, LIMITS, PROGRAM, ARGUMENT, ...])

runs in a network namespace that has only a loopback interface. It listens there on HOST and PORT,
where the bot expects the arena. It relays bytes both ways between the bot's connection and one to
the real arena, which was made outside, before the sandbox (descriptor UPLINK_FD). Data, half-closes
and resets are passed on as they come, so that bot and arena notice nothing but a few dozen
microseconds of delay. A second connection is refused, or reset if it came at once.

Before the bot starts, the launcher and the keeper agree as `execute.IS_READY` says. After the bot's
end, it writes to LAUNCHER_FD the line `left N` (how many other processes run in the sandbox) and,
if a signal killed the bot, the line `killed SIGNAL`. It exits with the bot's exit code.

USER is the id of a user to become first, with the group of the same number; 0 for no change. LIMITS
is `BotLimits.encode`; the limits are set in the bot, after the change of user. The first process of
the sandbox reaps orphans. It ends with the launcher, and with it everything else in the sandbox.
"""

import _socket
import os
import select
import time

# `typing` would take 10 ms to import, for every bot.
TYPE_CHECKING = False
if TYPE_CHECKING or __package__:
    from lanista.bots import execute, proctree, syscalls
else:  # in the sandbox, where it is run without packages
    import execute
    import proctree
    import syscalls

# Bytes that are passed on at once.
PIECE = 65536

# Seconds for which the remaining output of a bot that has ended is still sent to the arena.
DRAIN_TIME = 1.0


class Flow:
    """One direction of the connection: bytes that came from `source` and have to go to `sink`."""

    def __init__(self, source: _socket.socket, sink: _socket.socket) -> None:
        self.source = source
        self.sink = sink
        self.pending = b""
        self.is_over = False  # the source has closed its half, and so have we towards the sink

    def move(self) -> bool:
        """Read a piece if none is pending, and write what the sink takes of it.

        Returns whether anything was read or written. Raises OSError if a peer has reset its side.
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
        return True


class Launcher:
    """One bot and the two connections between which its bytes are relayed."""

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
        self.wake = execute.woken_by_children()

    def start(self, user: int, limits: str, command: list[str]) -> int:
        """Fork and execute the bot; return its pid, or 0 if that failed, which is reported."""
        trouble, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                is_alone = bool(user) or counts_threads_by_namespace()
                execute.set_limits(execute.Limits(limits), 0 if is_alone else None)
                remark = "; it runs as another user here: chmod +rx for all" if user else ""
                execute.execute(command, os.environ, write, remark=remark)
            finally:
                os._exit(127)  # not sys.exit: the launcher's code must not run a second time
        os.close(write)
        error_text = b""
        while data := os.read(trouble, 4096):
            error_text += data
        os.close(trouble)
        os.write(execute.LAUNCHER_FD, error_text or execute.IS_STARTED)
        return 0 if error_text else pid

    def serve(self, bot: int) -> int:
        """Relay bytes until the bot has ended; return its wait status."""
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
                except OSError:
                    self.reset()
            if self.wake in ready:
                os.read(self.wake, 4096)
                pid, status = os.waitpid(bot, os.WNOHANG)
                if pid:
                    return status

    def accept(self) -> None:
        """Accept the bot's connection and stop listening: a bot has only one."""
        assert self.listener is not None
        try:
            fd, _ = self.listener._accept()  # type: ignore[attr-defined]  # noqa: SLF001 -- `socket` itself does so
        except OSError:  # the bot has closed it already
            return
        self.listener.close()
        self.listener = None
        self.local = _socket.socket(fileno=fd)
        self.local.setblocking(False)
        self.local.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        self.flows = Flow(self.local, self.uplink), Flow(self.uplink, self.local)

    def reset(self) -> None:
        """Reset both connections, after one side has reset its own."""
        for sock in (self.local, self.uplink):
            assert sock is not None
            # A linger time of zero makes close() send a reset (socket(7)).
            sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            sock.close()
        self.flows = ()

    def finish(self) -> None:
        """Send what the bot had written before it ended."""
        if self.listener is not None:
            self.accept()
        if not self.flows:
            return
        out = self.flows[0]
        deadline = time.monotonic() + DRAIN_TIME
        try:
            while out.move() or out.pending:
                if out.pending:
                    poll = select.poll()
                    poll.register(self.uplink.fileno(), select.POLLOUT)
                    if not poll.poll(max(0, (deadline - time.monotonic()) * 1000)):
                        return  # the arena doesn't read any more
        except OSError:
            self.reset()


def counts_threads_by_namespace() -> bool:
    """Return whether the kernel counts a user's threads per user namespace (since Linux 5.14)."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)) or 0)) >= (5, 14)


def become(user: int) -> None:
    """Change from root to a user of the bot's own, if one is given, and hide this process from it.

    This can't be undone, since the sandbox allows no new privileges.
    """
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    # The bot runs as the same user, and must not inspect this process or use its descriptors.
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)


def main(arguments: list[str]) -> None:
    """Run one bot; the top of this module describes the arguments."""
    host, port, user, limits, *command = arguments
    for fd in (execute.UPLINK_FD, execute.LAUNCHER_FD, execute.GO_FD):
        os.set_inheritable(fd, False)
    os.dup2(1, 2)  # until now, stderr went to the keeper, for error messages of bubblewrap
    os.write(execute.LAUNCHER_FD, execute.IS_READY)
    if os.read(execute.GO_FD, 1) != execute.GO:
        os._exit(127)  # the keeper reports why
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
    # Pid 1 of the namespace is bubblewrap's.
    others = [pid for pid in proctree.processes() if pid not in {1, os.getpid()}]
    left = sum(map(proctree.runs, others))
    report = f"left {left}\n" + (f"killed {-code}\n" if code < 0 else "")
    os.write(execute.LAUNCHER_FD, report.encode())
    os._exit(code if code >= 0 else 128 - code)  # 128 + signal, as a shell does
