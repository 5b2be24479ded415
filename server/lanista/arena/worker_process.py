"""Processes that work for an arena as long as it runs, each at the other end of a link.

Such a process is started again when it has ended (`keep_running`). It ends with the arena, whatever
it is doing then, and everything that it logs goes to the arena, which has the one log.

The link is a pair of Unix sockets, over which each side sends messages: a JSON object, some bytes
with it if need be, and sockets. Each message is preceded by the lengths of both, four bytes each.
Both ends are programs of the same installation, so a message that can't be read is a bug.
"""

import array
import json
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import attrs
import trio

from lanista.system import STOPPING, undoing

_HEADER = struct.Struct("!II")
MAX_SOCKETS = 64
"""Maximum number of sockets of a message."""
ENDING_TIME = 0.5
"""Seconds that such a process has to exit by itself."""
PAUSE = 0.1
"""Seconds until a process is started again, twice as long each time that it ended at once."""
LONGEST_PAUSE = 10.0
"""The longest such pause, in seconds, and the time after which one hasn't ended at once."""


_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


# -- the link ------------------------------------------------------------------------------------


class BrokenLinkError(Exception):
    """The other side has ended, or has sent too few sockets."""


@attrs.frozen
class Message:
    """A message that was received."""

    content: dict[str, Any]
    data: bytes = b""
    sockets: Sequence[socket.socket] = ()
    """Sockets that came with it, which the receiver has to close."""


@attrs.define(eq=False)
class Link:
    """One end of the connection, which owns its socket. Run `write` beside its users."""

    _socket: socket.socket
    # The rest of each message that isn't sent yet, and its sockets, which go with its first byte.
    _outbox: deque[tuple[memoryview, Sequence[socket.socket]]] = attrs.field(
        factory=deque, init=False
    )
    _is_broken: bool = attrs.field(default=False, init=False)
    _stuck: trio.Event = attrs.field(factory=trio.Event, init=False)  # there is work for `write`
    _sent: trio.Event = attrs.field(factory=trio.Event, init=False)  # the outbox is empty

    def __attrs_post_init__(self) -> None:
        self._socket.setblocking(False)

    def post(
        self,
        content: Mapping[str, Any],
        data: bytes = b"",
        sockets: Sequence[socket.socket] = (),
    ) -> None:
        """Send a JSON object and bytes, or as much of it as is possible now; the rest follows.

        Sockets are handed to the other process. They are closed here in any case.
        """
        encoded = _encode(content).encode()
        whole = _HEADER.pack(len(encoded), len(data)) + encoded + data
        self._outbox.append((memoryview(whole), sockets))
        self._flush()

    async def send(self, content: Mapping[str, Any], data: bytes = b"") -> None:
        """Send a whole message, as `post` does, and wait until the kernel has it.

        Raises:
            BrokenLinkError: The other side has ended. It may have received the message.
        """
        self.post(content, data)
        while self._outbox:
            await self._sent.wait()
        if self._is_broken:
            raise BrokenLinkError("the other side has ended")

    def _flush(self) -> None:
        while self._outbox:
            unsent, sockets = self._outbox[0]
            descriptors = [handed.fileno() for handed in sockets]
            try:
                sent = socket.send_fds(self._socket, [unsent], descriptors)
            except BlockingIOError:
                self._stuck.set()
                return
            except OSError:
                self._break()
                return
            close_sockets(sockets)
            self._outbox[0] = unsent[sent:], ()
            if sent == len(unsent):
                self._outbox.popleft()
        self._sent.set()
        self._sent = trio.Event()

    def _break(self) -> None:
        """Send no more, and let both sides read the end after what was sent."""
        self._is_broken = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        while self._outbox:
            close_sockets(self._outbox.popleft()[1])
        self._sent.set()

    async def write(self) -> None:
        """Send what can't be sent at once, until cancelled or the link is closed."""
        with suppress(trio.ClosedResourceError, OSError):
            while True:
                await self._stuck.wait()
                self._stuck = trio.Event()
                while self._outbox:
                    await trio.lowlevel.wait_writable(self._socket)
                    self._flush()

    async def receive(self) -> Message | None:
        """Wait for the next message; return None after the last one."""
        await trio.lowlevel.checkpoint()
        sockets: list[socket.socket] = []  # each is here as soon as it has come
        message = None
        try:
            length, more = _HEADER.unpack(await self._read(_HEADER.size, sockets))
            body = await self._read(length + more, sockets)
            message = Message(json.loads(body[:length]), body[length:], sockets)
        except EOFError:
            pass
        finally:
            if message is None:
                close_sockets(sockets)
        return message

    async def _read(self, length: int, sockets: list[socket.socket]) -> bytes:
        """Read so many bytes, and the sockets that come with them; EOFError if the end is first."""
        received = bytearray()
        room = socket.CMSG_SPACE(MAX_SOCKETS * array.array("i").itemsize)
        while len(received) < length:
            try:
                data, ancillary, _, _ = self._socket.recvmsg(
                    length - len(received), room, getattr(socket, "MSG_CMSG_CLOEXEC", 0)
                )
            except BlockingIOError:
                try:
                    await trio.lowlevel.wait_readable(self._socket)
                except (trio.ClosedResourceError, OSError):
                    raise EOFError from None
                continue
            except OSError:  # the other side has ended without reading all
                raise EOFError from None
            for level, kind, payload in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    descriptors = array.array("i")
                    descriptors.frombytes(payload[: len(payload) - len(payload) % 4])
                    sockets += [socket.socket(fileno=number) for number in descriptors]
            if not data:
                raise EOFError
            received += data
        return bytes(received)

    def close(self) -> None:
        """Close the link; messages that weren't sent are dropped."""
        if self._socket.fileno() >= 0:
            self._break()
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


def close_sockets(sockets: Iterable[socket.socket]) -> None:
    """Close sockets that are not to be handed over, or that have been."""
    for handed in sockets:
        handed.close()


# -- in the arena --------------------------------------------------------------------------------


@attrs.define(eq=False)
class LinkedProcess:
    """A running process, and the arena's end of its link."""

    title: str
    """Its name in the log."""
    about: Mapping[str, Any]
    """Further keys and values of its lines in the log."""
    link: Link
    process: trio.Process

    async def listen(self, hear: Callable[[dict[str, Any]], object]) -> bool:
        """Pass on what the process says, except for its log, until it ends; return True then.

        If something can't be understood, that is logged, and nothing more is read.
        """
        try:
            while (message := await self.link.receive()) is not None:
                content = message.content
                if content["kind"] == "log":
                    fields = content["fields"] | self.about
                    log.write(content["level"], content["event"], **fields)
                else:
                    hear(content)
        except Exception:  # noqa: BLE001 - a fault of the process must not end the arena
            log.error(
                "a process sent something that can't be understood",
                process=self.title,
                **self.about,
                trace=traceback.format_exc(),
            )
            return False
        return True

    async def stop(self) -> None:
        """Close the link, and have the process gone."""
        self.link.close()
        with trio.CancelScope(shield=True):
            with trio.move_on_after(ENDING_TIME):
                await self.process.wait()
            if self.process.returncode is None:
                self.process.kill()
                await self.process.wait()


async def keep_running(
    use: Callable[[LinkedProcess], Awaitable[object]],
    title: str,
    module: str,
    *arguments: str,
    **about: Any,
) -> None:
    """Start a process of a module again and again, until cancelled; there is a pause in between.

    `use` works with each until it has ended; then it is stopped. Its title, and what else the log
    says about it, are those of `LinkedProcess`.
    """
    pause = PAUSE
    while True:
        began = trio.current_time()
        try:
            ours, theirs = socket.socketpair()
            link = Link(ours)
            with undoing(link.close), theirs:
                process = LinkedProcess(title, about, link, await start(module, theirs, *arguments))
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(link.write)
                    await use(process)
                    nursery.cancel_scope.cancel()
            finally:
                await process.stop()
        except OSError as error:
            log.error("can't start a process", process=title, why=error.strerror, **about)
        if trio.current_time() - began > LONGEST_PAUSE:
            pause = PAUSE
        await trio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def start(module: str, theirs: socket.socket, *arguments: str) -> trio.Process:
    """Start a process of a module, which is given its socket's number and the arguments."""
    # -P: modules in the arena's working directory must not hide ours.
    argv = [sys.executable, "-P", "-m", module, str(theirs.fileno()), *arguments]
    return await trio.lowlevel.open_process(
        argv, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
    )


# -- the log -------------------------------------------------------------------------------------


class _Log:
    """The arena's log, for modules that are loaded in these processes too.

    Its methods are those of structlog. To import that takes a quarter of the time in which such a
    process starts, so it is only imported where the log is written.
    """

    def __init__(self) -> None:
        self.write = _write

    def __getattr__(self, level: str) -> Callable[..., None]:
        return partial(self.write, level)


def _write(level: str, event: str, /, **fields: Any) -> None:
    import structlog  # noqa: PLC0415 - see above

    getattr(structlog.get_logger(), level)(event, **fields)


log = _Log()


# -- in the process ------------------------------------------------------------------------------


def end_of_link() -> socket.socket:
    """Return this process's end of its link; the process exits as soon as the arena's is closed.

    What stops an arena is often sent to all its processes; here it is ignored, since the arena
    decides what follows. What is printed goes to stderr. The arena sees to it that there aren't
    more connections than may be; as it may allow more later, the system's limit holds here.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY:  # which macOS says, and doesn't accept
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    os.dup2(2, 1)
    ours = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_exit_with, args=[os.dup(ours.fileno())], daemon=True).start()
    return ours


def forward_log(link: Link) -> None:
    """Have what this process logs sent to the arena."""

    def write(level: str, event: str, /, **fields: Any) -> None:
        link.post({"kind": "log", "level": level, "event": event, "fields": fields})

    log.write = write


def _exit_with(descriptor: int) -> None:
    """Wait in a thread until the other end of the link is closed, then end this process at once.

    The event loop would notice the end too, but not while it is stuck, in a ruleset say.
    """
    hangup = select.poll()
    hangup.register(descriptor, 0)  # hanging up is always reported
    hangup.poll()
    os._exit(1)
