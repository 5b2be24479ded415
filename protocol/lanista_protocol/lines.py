"""Splitting received bytes into lines, with the limits of PROTOCOL.md 1.

Nothing here depends on what a line means.
"""

import re

from lanista_protocol.errors import ErrorCode, RemoteProtocolError

HELLO_LIMIT = 512
"""Maximum length of the hello line in bytes, before its newline; a `\\r` there counts."""
LINE_LIMIT = 65_536
"""Maximum length of any later line in bytes, before its newline.

Also how many bytes of one bot are held unread.
"""
# Possessive (`+` after the counts), as there is only one way to match: to remember each line for
# another try would take megabytes of memory, and milliseconds.
_LOG_LINES = re.compile(rb"(?:#[^\n]{0,%d}+\n)++" % (LINE_LIMIT - 1))


class LineBuffer(bytearray):
    """A buffer of received bytes from which complete lines are taken."""

    def __init__(self) -> None:
        super().__init__()
        self._searched = 0  # leading bytes known to hold no newline

    def take_line(self, limit: int) -> bytes | None:
        r"""Remove and return the next line, without `\n` or `\r\n`; None if none is complete.

        Raises:
            RemoteProtocolError: There are more than `limit` bytes before the newline
                (`line-too-long`).
        """
        end = self.find(b"\n", self._searched)
        if (end if end >= 0 else len(self)) > limit:
            raise RemoteProtocolError(
                ErrorCode.LINE_TOO_LONG,
                f"a line of more than {limit} bytes; end each line with a newline",
            )
        if end < 0:
            self._searched = len(self)
            return None
        line = bytes(self[:end])
        del self[: end + 1]
        self._searched = 0
        return line.removesuffix(b"\r")

    def take_log(self) -> bytes:
        """Remove and return all complete `#` lines at the head, with their newlines.

        They are taken in one piece, so that a bot that floods its log costs no loop over lines.
        A line of more than `LINE_LIMIT` bytes is left for `take_line`, which refuses it.
        """
        if not self.startswith(b"#") or self.find(b"\n", self._searched) < 0:
            return b""
        match = _LOG_LINES.match(self)
        if match is None:
            return b""
        log = match.group()
        # Before Python 3.11.5 it may end within a line that doesn't match, as a part of it does:
        # https://github.com/python/cpython/issues/106052
        log = log[: log.rfind(b"\n") + 1]
        del match  # A match exports the buffer, and a bytearray can't shrink while it is exported.
        del self[: len(log)]
        self._searched = 0
        return bytes(log)
