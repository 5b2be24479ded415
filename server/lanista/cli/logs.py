"""The arena's log: lines on stderr, for people on a terminal, `key=value` elsewhere."""

import contextlib
import logging
import math
import os
from typing import TextIO, cast

import structlog

from lanista.hosting import accept


class Stderr:
    """Standard error, whose reader may leave: a log that nobody reads must not end a match."""

    def write(self, text: str) -> None:
        """Write one line, unbuffered; nothing happens if it can't be."""
        with contextlib.suppress(OSError):
            os.write(2, text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""


class _Accepting(logging.Handler):
    """Logs in our form that no connection can be accepted, for want of file descriptors.

    It comes ten times a second while that lasts; one in ten seconds is enough.
    """

    pause = 10.0
    last = -math.inf

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record without its trace."""
        if record.created - self.last > self.pause:
            self.last = record.created
            structlog.get_logger().error("can't accept connections", why=record.getMessage())


def configure_log() -> None:
    """Configure structlog; called once by commands that serve."""
    renderer: structlog.typing.Processor
    if os.isatty(2):
        renderer = structlog.dev.ConsoleRenderer()
    else:
        # Quotes and escapes values, so that what a bot says stays one line.
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
