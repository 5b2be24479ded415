"""Configuration of the arena's log: lines on stderr, as `key=value` unless it is a terminal."""

import contextlib
import logging
import math
import os
from typing import TextIO, cast

import structlog

from lanista.hosting import accept


class Stderr:
    """A stream to stderr that ignores errors: a log that nobody reads must not end a match."""

    def write(self, text: str) -> None:
        """Write one line unbuffered, or drop it if stderr is closed."""
        with contextlib.suppress(OSError):
            os.write(2, text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Do nothing; lines aren't buffered."""


class _Accepting(logging.Handler):
    """Passes messages of `hosting.accept`, that it can't accept connections, to structlog.

    There are ten a second while file descriptors are lacking; one in ten seconds is enough.
    """

    pause = 10.0
    """Seconds between two messages."""
    last = -math.inf
    """When the last one was passed on."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record without its trace."""
        if record.created - self.last > self.pause:
            self.last = record.created
            structlog.get_logger().error("can't accept connections", why=record.getMessage())


def configure_log() -> None:
    """Configure structlog; commands that serve call this once."""
    renderer: structlog.typing.Processor
    if os.isatty(2):
        renderer = structlog.dev.ConsoleRenderer()
    else:
        # It quotes and escapes values, so that text of a bot stays on one line.
        renderer = structlog.processors.LogfmtRenderer(
            key_order=["timestamp", "level", "event"], drop_missing=True
        )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", Stderr())),
        cache_logger_on_first_use=True,
    )
    accept.log.addHandler(_Accepting())
    accept.log.propagate = False
