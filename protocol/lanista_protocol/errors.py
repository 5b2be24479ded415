"""The two families of errors: our own misuse, and the peer's fault.

Any bytes from a peer give messages or a `RemoteProtocolError`, never anything else.
"""

from enum import Enum


class ErrorCode(Enum):
    """Codes of `error CODE words…` (PROTOCOL.md 7)."""

    BAD_HELLO = "bad-hello"
    HELLO_TIMEOUT = "hello-timeout"
    UNKNOWN_GAME = "unknown-game"
    UNKNOWN_VERSION = "unknown-version"
    BAD_TOKEN = "bad-token"  # noqa: S105 - a code, not a secret
    NAME_TAKEN = "name-taken"
    SEAT_TAKEN = "seat-taken"
    SERVER_FULL = "server-full"
    NOT_UTF8 = "not-utf8"
    LINE_TOO_LONG = "line-too-long"
    FLOOD = "flood"
    TOO_MANY_SUBMOVES = "too-many-submoves"
    LATE = "late"
    SHUTDOWN = "shutdown"
    INTERNAL = "internal"


class NoteCode(Enum):
    """Codes of `note CODE TURN INDEX words…` (PROTOCOL.md 7)."""

    LATE = "late"
    MALFORMED = "malformed"
    ILLEGAL = "illegal"


class LocalProtocolError(Exception):
    """We asked for something that the protocol doesn't allow now. A bug of ours."""


class RemoteProtocolError(Exception):
    """The peer broke the protocol; the connection closes after an `error` line."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(f"{code.value}: {message}")
        self.code = code
        """What to answer."""
        self.message = message
        """The same for a person: one line, printable."""


class HttpRequestError(RemoteProtocolError):
    """A browser or another HTTP client has connected, not a bot; it may be answered in HTTP."""


def shown(text: str | bytes, limit: int = 40) -> str:
    """What a peer sent, safe and short enough for a message: quoted, ASCII, escaped.

    Of bytes each is shown for itself, for they are shown where they are no text. `...` behind the
    quote says that more than `limit` code points, or bytes, came.
    """
    head = text[:limit].decode("latin-1") if isinstance(text, bytes) else text[:limit]
    escaped = head.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return f"'{escaped}'" + ("..." if len(text) > limit else "")
