"""Configuration of the arena's log: lines on stderr, as text or as JSON.

What bots and peers have sent is in it, so each value is shortened, and whatever isn't printable is
escaped.
"""

import contextlib
import json
import logging
import math
import os
import select
from collections.abc import Mapping, Sequence
from typing import Any, TextIO, cast

import structlog

from lanista.arena.spec import LogFormat
from lanista.errors import printable
from lanista.hosting import accept

MAX_TEXT = 8192
"""Maximum length of a text in a line, in characters; the middle of a longer one is left out."""
MAX_ITEMS = 100
"""Maximum number of items of a list in a line."""
FIRST = ("timestamp", "level", "event")
"""The keys with which each line begins."""


WAIT = 0.005
"""Seconds for which a line waits for room; none of the next ones does if there was none."""


class Stderr:
    """A stream to stderr that ignores errors: a log that nobody reads must not end a match.

    Nor does it stop all matches: what a full pipe or a stopped terminal has no room for is dropped.
    """

    def __init__(self) -> None:
        self._wait = WAIT

    def write(self, text: str) -> None:
        """Write one line unbuffered, or drop it if stderr is closed or full."""
        data = text.encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):
            # A pipe that is ready has room for so many bytes, at least.
            for start in range(0, len(data), select.PIPE_BUF):
                _, ready, _ = select.select([], [2], [], self._wait)
                self._wait = WAIT if ready else 0
                if not ready:
                    break
                os.write(2, data[start : start + select.PIPE_BUF])

    def flush(self) -> None:
        """Do nothing; lines aren't buffered."""


class _Accepting(logging.Handler):
    """Passes on that `hosting.accept` can't accept connections: at most once in ten seconds."""

    pause = 10.0
    """Seconds between two messages."""
    last = -math.inf

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record without its trace."""
        if record.created - self.last > self.pause:
            self.last = record.created
            structlog.get_logger().error("can't accept connections", why=record.getMessage())


def shortened(value: Any) -> Any:
    """Return a value as it is logged: of bounded size, and of types that JSON has."""
    match value:
        case str():
            if len(value) <= MAX_TEXT:
                return value
            half = MAX_TEXT // 2
            return f"{value[:half]} … {value[-half:]}"
        case float():
            return value if math.isfinite(value) else str(value)
        case bool() | int() | None:
            return value
        case Mapping():
            pairs = list(value.items())[:MAX_ITEMS]
            return {shortened(str(key)): shortened(item) for key, item in pairs}
        case Sequence():
            return [shortened(item) for item in value[:MAX_ITEMS]]
        case _:
            return shortened(str(value))


def json_line(_: Any, __: str, event: structlog.typing.EventDict) -> str:
    """Render a line of the log as a JSON object that has nothing but printable ASCII."""
    ordered = {key: event[key] for key in FIRST if key in event} | dict(event)
    return json.dumps(ordered, allow_nan=False).replace("\x7f", "\\u007f")


def escaped(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Escape what a terminal would obey, except ends of lines, which the renderer escapes."""
    return {
        key: printable(value, kept="\n") if isinstance(value, str) else value
        for key, value in event.items()
    }


def configure_log(log_format: LogFormat = LogFormat.TEXT) -> None:
    """Configure structlog; commands that serve call this once."""
    renderer: structlog.typing.Processor
    escaping = [] if log_format is LogFormat.JSON else [escaped]
    if log_format is LogFormat.JSON:
        renderer = json_line
    elif os.isatty(2):
        renderer = structlog.dev.ConsoleRenderer()
    else:
        # It quotes and escapes values, so that text of a bot stays on one line.
        renderer = structlog.processors.LogfmtRenderer(key_order=FIRST, drop_missing=True)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            lambda _, __, event: shortened(event),
            *escaping,
            renderer,
        ],
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", Stderr())),
        cache_logger_on_first_use=True,
    )
    accept.log.addHandler(_Accepting())
    accept.log.propagate = False
