"""Work in a trio loop of its own, in a thread of its own, for callers of any kind.

A program that calls Lanista may have no event loop, or may run trio's or asyncio's, as a notebook
does. Matches are played in a thread beside it all the same: so neither the caller's work nor its
loop delays a bot's answer, and the caller's thread stays free for Ctrl-C.
"""

import asyncio
import atexit
import contextlib
import threading
import weakref
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any, Generic, Protocol, TypeVar

import sniffio
import trio

T = TypeVar("T")


class _Alarm(Protocol):
    """What a caller waits for; it can be rung in any thread."""

    def renew(self) -> None:
        """Make it silent again; the caller looks for news after this and before it waits."""

    def ring(self) -> None:
        """Wake whoever waits, now or later."""


class _TrioAlarm:
    def __init__(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self.renew()

    def renew(self) -> None:
        self._event = trio.Event()

    def ring(self) -> None:
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(self._set)

    def _set(self) -> None:
        self._event.set()

    async def wait(self) -> None:
        await self._event.wait()

    async def wait_shielded(self) -> None:
        with trio.CancelScope(shield=True):
            await self._event.wait()


class _AsyncioAlarm:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()

    def renew(self) -> None:
        self._event.clear()

    def ring(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        await self._event.wait()

    async def wait_shielded(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):  # the first one is raised afterwards
            await self._event.wait()


class _ThreadAlarm:
    def __init__(self) -> None:
        self._event = threading.Event()

    def renew(self) -> None:
        self._event.clear()

    def ring(self) -> None:
        self._event.set()

    def wait(self) -> None:
        self._event.wait()


class Job(Generic[T]):
    """One piece of work, begun at once; iterate over its messages, then take its result."""

    def __init__(self, work: Callable[["Job[T]"], Awaitable[T]]) -> None:
        """Begin.

        Args:
            work: The work, an async function for trio. It is given the job, to `post` messages.
        """
        self.interrupt: Callable[[], None] | None = None
        """Set by the work, to end it in its own way when the job is cancelled; None to have trio
        cancel it. Called in the job's thread."""
        self._work = work
        self._inbox: deque[Any] = deque()
        self._alarm: _Alarm | None = None
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._is_cancelled = False
        self._result: T | None = None
        self._error: BaseException | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        _running.add(self)
        # A daemon, since the end of a program mustn't wait for matches that nobody wants any more:
        # `_end_all` ends them then.
        self._thread = threading.Thread(target=self._run, name="lanista", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = trio.run(self._main)
        except BaseException as error:  # noqa: BLE001 - raised again where the result is taken
            self._error = error
        self._over.set()
        self._ring()

    async def _main(self) -> T | None:
        with self._scope:
            with self._lock:
                self._token = trio.lowlevel.current_trio_token()
                if self._is_cancelled:
                    self._scope.cancel()
            return await self._work(self)
        return None

    def post(self, message: Any) -> None:
        """Give the caller a message; to be called in the job's thread."""
        self._inbox.append(message)
        self._ring()

    @property
    def unread(self) -> int:
        """How many messages the caller has not taken yet."""
        return len(self._inbox)

    def _ring(self) -> None:
        alarm = self._alarm
        if alarm is not None:
            alarm.ring()

    def cancel(self) -> None:
        """Have the work end, without waiting for that; can be called in any thread."""
        with self._lock:
            self._is_cancelled = True
            if self._token is not None:
                with contextlib.suppress(trio.RunFinishedError):
                    self._token.run_sync_soon(self._cancel_work)

    def _cancel_work(self) -> None:
        if self.interrupt is not None:
            self.interrupt()
        else:
            self._scope.cancel()

    def call(self, function: Callable[[], None]) -> None:
        """Have a function called in the job's thread, unless the work is over."""
        with self._lock:
            if self._token is not None:
                with contextlib.suppress(trio.RunFinishedError):
                    self._token.run_sync_soon(function)

    def end(self) -> None:
        """Have the work end, and wait for that."""
        self.cancel()
        self._thread.join()

    @property
    def result(self) -> T:
        """The result of the work, which is over.

        Raises:
            BaseException: What the work has raised.
        """
        assert self._over.is_set()
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # it refers to frames, which refer to it
        return self._result  # type: ignore[return-value] # None only if nobody wants it

    def messages(self) -> Generator[Any, None, None]:
        """Yield the messages until the work is over; if this is broken off, the work is ended."""
        alarm = _ThreadAlarm()
        self._alarm = alarm
        try:
            while True:
                alarm.renew()
                is_over = self._over.is_set()
                while self._inbox:
                    yield self._inbox.popleft()
                if is_over:
                    return
                alarm.wait()
        finally:
            if not self._over.is_set():
                self.end()

    async def messages_async(self) -> AsyncGenerator[Any, None]:
        """Yield the messages as `messages` does, in a loop of trio's or asyncio's.

        Raises:
            RuntimeError: The caller runs in another loop, or none.
        """
        alarm = _alarm_of_loop()
        self._alarm = alarm
        try:
            while True:
                alarm.renew()
                is_over = self._over.is_set()
                while self._inbox:
                    yield self._inbox.popleft()
                if is_over:
                    return
                await alarm.wait()
        finally:
            self.cancel()
            while True:
                alarm.renew()
                if self._over.is_set():
                    break
                await alarm.wait_shielded()


def _alarm_of_loop() -> _TrioAlarm | _AsyncioAlarm:
    try:
        library = sniffio.current_async_library()
    except sniffio.AsyncLibraryNotFoundError:
        library = "no event loop"
    if library == "trio":
        return _TrioAlarm()
    if library == "asyncio":
        return _AsyncioAlarm()
    raise RuntimeError(f"await this in a loop of trio or asyncio; this is {library}")


_running: "weakref.WeakSet[Job[Any]]" = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """End what still runs when the program ends."""
    for job in list(_running):
        job.end()
