"""Processes that work for an arena as long as it runs, each at the other end of a link.

Such a process is started with the number of its link's socket, and started again when it has ended
(`keep_running`). It ends with the arena, whatever it is doing then, and everything that it logs
goes to the arena, which has the one log.
"""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import attrs
import structlog
import trio

from lanista.arena.link import Link
from lanista.system import STOPPING

ENDING_TIME = 0.5
"""Seconds that such a process has to exit by itself."""
PAUSE = 0.1
"""Seconds until a process is started again, twice as long each time that it ended at once."""
LONGEST_PAUSE = 10.0
"""The longest such pause, in seconds, and the time after which one hasn't ended at once."""

log = structlog.get_logger()


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
        """Pass on what the process says, except for its log, until it ends.

        Returns:
            Whether everything was understood; if not, that is logged, and nothing more is read.
        """
        try:
            while (message := await self.link.receive()) is not None:
                for unwanted in message.sockets:
                    unwanted.close()
                content = message.content
                if content["kind"] == "log":
                    getattr(log, content["level"])(
                        content["event"], **(content["fields"] | self.about)
                    )
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
    """Start a process again and again, until cancelled; there is a pause in between.

    Args:
        use: Works with the process that was started, until it has ended; then it is stopped.
        title: What the log calls it.
        module: The module that it runs. It is given its socket's number and the arguments.
        arguments: The arguments.
        about: What else the log says about it.
    """
    pause = PAUSE
    while True:
        began = trio.current_time()
        try:
            ours, theirs = socket.socketpair()
            link = Link(ours)
            try:
                with theirs:
                    process = LinkedProcess(
                        title, about, link, await start(module, theirs, *arguments)
                    )
            except BaseException:
                link.close()
                raise
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
    """Start a process of a module, which is given its socket's number and the arguments.

    Raises:
        OSError: It can't be started.
    """
    # -P: modules in the arena's working directory must not hide ours.
    argv = [sys.executable, "-P", "-m", module, str(theirs.fileno()), *arguments]
    return await trio.lowlevel.open_process(
        argv, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
    )


# -- in the process ------------------------------------------------------------------------------


def end_of_link() -> socket.socket:
    """Return this process's end of its link; the process exits as soon as the arena's is closed.

    What stops an arena is often sent to all its processes; here it is ignored, since the arena
    decides what follows. What is printed goes to stderr.
    """
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    os.dup2(2, 1)
    ours = socket.socket(fileno=int(sys.argv[1]))
    threading.Thread(target=_exit_with, args=[os.dup(ours.fileno())], daemon=True).start()
    return ours


def forward_log(link: Link) -> None:
    """Have what this process logs sent to the arena."""

    def to_front(_: Any, level: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        link.post({"kind": "log", "level": level, "event": event.pop("event"), "fields": event})
        raise structlog.DropEvent

    structlog.configure(processors=[to_front], cache_logger_on_first_use=True)


def _exit_with(descriptor: int) -> None:
    """Wait in a thread until the other end of the link is closed, then end this process at once.

    The event loop would notice the end too, but not while it is stuck, in a ruleset say.
    """
    hangup = select.poll()
    hangup.register(descriptor, 0)  # hanging up is always reported
    hangup.poll()
    os._exit(1)
