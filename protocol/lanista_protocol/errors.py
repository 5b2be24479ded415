"""The two families of errors: misuse by our own code, and faults of the peer.

Whatever bytes a peer sends, they result in messages or in a `RemoteProtocolError`, and never in
any other exception.
"""

from enum import Enum


class ErrorCode(Enum):
    """The codes of `error CODE words…` lines (PROTOCOL.md 7)."""

    BAD_HELLO = "bad-hello"
    HELLO_TIMEOUT = "hello-timeout"
    UNKNOWN_GAME = "unknown-game"
    UNKNOWN_VERSION = "unknown-version"
    BAD_TOKEN = "bad-token"  # noqa: S105 - a code, not a secret
    NAME_TAKEN = "name-taken"
    SEAT_TAKEN = "seat-taken"
    SERVER_FULL = "server-full"
    REPLACED = "replaced"
    NOT_UTF8 = "not-utf8"
    LINE_TOO_LONG = "line-too-long"
    FLOOD = "flood"
    TOO_MANY_SUBMOVES = "too-many-submoves"
    LATE = "late"
    SHUTDOWN = "shutdown"
    INTERNAL = "internal"


class NoteCode(Enum):
    """The codes of `note CODE TURN INDEX words…` lines (PROTOCOL.md 7)."""

    LATE = "late"
    MALFORMED = "malformed"
    ILLEGAL = "illegal"
    BENCHED = "benched"
    ROOM = "room"


class LocalProtocolError(Exception):
    """Our own code asked for something that the protocol doesn't allow in this state: a bug."""


class RemoteProtocolError(Exception):
    """A breach of the protocol by the peer; the connection closes after an `error` line."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(f"{code.value}: {message}")
        self.code = code
        """The code to send in the `error` line."""
        self.message = message
        """The explanation for people: one printable line."""


class HttpRequestError(RemoteProtocolError):
    """A browser or another HTTP client connected instead of a bot; it may be answered in HTTP."""


def shown(text: str | bytes, limit: int = 40) -> str:
    """Return what a peer sent in a form that is safe for a message: quoted, escaped, ASCII, cut.

    Bytes are escaped one by one, because they are shown where they aren't valid text. If there are
    more than `limit` code points or bytes, `...` follows the closing quote.
    """
    head = text[:limit].decode("latin-1") if isinstance(text, bytes) else text[:limit]
    escaped = head.encode("unicode_escape").decode("ascii").replace("'", "\\'")
    return f"'{escaped}'" + ("..." if len(text) > limit else "")
