"""Work in a trio loop of its own, in a thread of its own, for callers of any kind.

A program that calls Lanista may have no event loop, or may run trio's or asyncio's, as a notebook
does. Matches are played in a thread beside it all the same: so neither the caller's work nor its
loop delays a bot's answer, and the caller's thread stays free for Ctrl-C.
"""

import contextlib
import multiprocessing.util
import threading
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import partial
from typing import Any, Generic, TypeVar

import attrs
import sniffio
import trio

T = TypeVar("T")


@attrs.define(eq=False)
class _Alarm:
    """What a caller waits for; it can be rung in any thread."""

    make_event: Callable[[], Any]
    """Makes an event, of `threading`, trio or asyncio."""
    soon: Callable[[Callable[[], object]], object]
    """Has a function called in the thread of whoever waits, or at once if events are for any."""
    shield: Callable[[], contextlib.AbstractContextManager[object]] = contextlib.nullcontext
    """Makes a context in which whoever was cancelled can wait once more."""
    event: Any = attrs.field(init=False)

    def renew(self) -> None:
        """Make it silent again; the caller looks for news after this and before it waits."""
        self.event = self.make_event()

    def ring(self) -> None:
        """Wake whoever waits, now or later."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self.soon(self.event.set)


class Job(Generic[T]):
    """One piece of work, begun at once; iterate over its messages, then take its result."""

    def __init__(self, work: Callable[["Job[T]"], Awaitable[T]]) -> None:
        """Begin the work, an async function for trio; it is given the job, to `post` messages."""
        self.interrupt: Callable[[], None] | None = None
        """Set by the work, to end it in its own way when the job is cancelled; None to have trio
        cancel it. Called in the job's thread."""
        self._work = work
        self._inbox: deque[Any] = deque()
        self._alarm: _Alarm | None = None
        self._scope = trio.CancelScope()
        self._token: trio.lowlevel.TrioToken | None = None
        self._is_cancelled = False
        self._is_read = False
        self._result: T | None = None
        self._error: BaseException | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        # A daemon, since the end of a program mustn't wait for matches that nobody wants any more.
        # They are ended then, also in a process that multiprocessing has started: it calls no
        # functions of `atexit`.
        self._thread = threading.Thread(target=self._run, name="lanista", daemon=True)
        self._at_exit = multiprocessing.util.Finalize(None, self.end, exitpriority=100)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = trio.run(self._main)
        except BaseException as error:  # noqa: BLE001 - raised again where the result is taken
            self._error = error
        self._at_exit.cancel()
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
        self._is_cancelled = True  # for `_main`, if that hasn't begun
        self.call(self._cancel_work)

    def _cancel_work(self) -> None:
        if self.interrupt is not None:
            self.interrupt()
        else:
            self._scope.cancel()

    def call(self, function: Callable[[], None]) -> bool:
        """Have a function called in the job's thread; return False if its loop isn't running."""
        with self._lock:
            if self._token is not None:
                with contextlib.suppress(trio.RunFinishedError):
                    self._token.run_sync_soon(function)
                    return True
        return False

    def end(self) -> None:
        """Have the work end, and wait for that."""
        self.cancel()
        self._thread.join()

    @property
    def result(self) -> T:
        """The result of the work, which is over; what the work has raised is raised here."""
        assert self._over.is_set()
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # it refers to frames, which refer to it
        return self._result  # type: ignore[return-value] # None only if nobody wants it

    def follow(self, take: Callable[[Any], object]) -> T:
        """Call a function with each message; return the result. What it raises ends the work."""
        with contextlib.closing(self.messages()) as messages:
            for message in messages:
                take(message)
        return self.result

    async def follow_async(self, take: Callable[[Any], object]) -> T:
        """Do as `follow` does, in a loop of trio's or asyncio's; cancelling it ends the work."""
        async with contextlib.aclosing(self.messages_async()) as messages:
            async for message in messages:
                take(message)
        return self.result

    def messages(self) -> Generator[Any, None, None]:
        """Yield the messages until the work is over; if this is broken off, the work is ended."""
        alarm = _Alarm(threading.Event, lambda ring: ring())
        try:
            while True:
                yield from self._news(alarm)
                if self._is_read:
                    return
                alarm.event.wait()
        finally:
            if not self._over.is_set():
                self.end()

    async def messages_async(self) -> AsyncGenerator[Any, None]:
        """Do as `messages` does, in a loop of trio's or asyncio's; elsewhere raise RuntimeError."""
        try:
            alarm = _alarm_of_loop()
        except RuntimeError:
            self.cancel()
            raise
        try:
            while True:
                for message in self._news(alarm):
                    yield message
                if self._is_read:
                    return
                await alarm.event.wait()
        finally:
            self.cancel()
            while True:
                alarm.renew()
                if self._over.is_set():
                    break
                with alarm.shield():
                    await alarm.event.wait()

    def _news(self, alarm: _Alarm) -> Generator[Any, None, None]:
        """Yield the messages that are there; then the alarm rings at the next one, or at the end.

        After the last one of all, `_is_read` is true.
        """
        alarm.renew()
        self._alarm = alarm
        is_over = self._over.is_set()  # asked before the messages, none of which is posted later
        while self._inbox:
            yield self._inbox.popleft()
        self._is_read = is_over


def _alarm_of_loop() -> _Alarm:
    try:
        library = sniffio.current_async_library()
    except sniffio.AsyncLibraryNotFoundError:
        library = "no event loop"
    if library == "trio":
        token = trio.lowlevel.current_trio_token()
        return _Alarm(trio.Event, token.run_sync_soon, partial(trio.CancelScope, shield=True))
    if library == "asyncio":
        import asyncio  # noqa: PLC0415 - loaded already; workers don't need it

        # Where it is shielded, it is cancelled already: that is raised afterwards.
        cancelled = partial(contextlib.suppress, asyncio.CancelledError)
        return _Alarm(asyncio.Event, asyncio.get_running_loop().call_soon_threadsafe, cancelled)
    raise RuntimeError(f"await this in a loop of trio or asyncio; this is {library}")
