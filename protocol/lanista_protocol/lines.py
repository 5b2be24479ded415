"""Bytes to lines, with the limits of PROTOCOL.md 1. Knows nothing of what a line means."""

import re

from lanista_protocol.errors import ErrorCode, RemoteProtocolError

HELLO_LIMIT = 512
"""Bytes of a hello line before its newline; a `\\r` there counts."""
LINE_LIMIT = 65_536
"""Bytes of any later line before its newline; also what is held unread of one bot."""
_LOG_LINES = re.compile(rb"(?:#[^\n]{0,%d}\n)+" % (LINE_LIMIT - 1))


class LineBuffer:
    """Received bytes that aren't used yet."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0  # bytes known to hold no newline

    def __len__(self) -> int:
        return len(self._data)

    def startswith(self, prefix: bytes) -> bool:
        """Whether these are the first of the bytes."""
        return self._data.startswith(prefix)

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._data += data

    def take_line(self, limit: int) -> bytes | None:
        r"""The next complete line without `\n` or `\r\n`; None if there is none yet.

        Raises:
            RemoteProtocolError: `line-too-long`: more than `limit` bytes before the newline.
        """
        end = self._data.find(b"\n", self._searched)
        if (end if end >= 0 else len(self._data)) > limit:
            raise RemoteProtocolError(
                ErrorCode.LINE_TOO_LONG,
                f"a line of more than {limit} bytes; end lines by a newline",
            )
        if end < 0:
            self._searched = len(self._data)
            return None
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        self._searched = 0
        return line.removesuffix(b"\r")

    def take_log(self) -> bytes:
        """All complete lines at the head that begin with `#`, with their newlines, at once.

        In one piece, so that a bot that floods its log costs no loop over lines. It ends before a
        line of more than `LINE_LIMIT` bytes, which `take_line` then refuses as any other.
        """
        if not self._data.startswith(b"#") or self._data.find(b"\n", self._searched) < 0:
            return b""
        found = _LOG_LINES.match(self._data)
        if found is None:
            return b""
        log = found.group()
        del found  # it holds the buffer, which can't shrink meanwhile
        del self._data[: len(log)]
        self._searched = 0
        return bytes(log)
