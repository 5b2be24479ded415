"""The bot's first line: its name and options (PROTOCOL.md 2). No line splitting here."""

import re
import unicodedata

import attrs

from lanista_protocol.errors import ErrorCode, HttpRequestError, RemoteProtocolError, shown

VERSION = 1
"""The protocol version that this package speaks."""
MAX_NAME = 32
_ROOM = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TOKEN = re.compile(r"[A-Za-z0-9._=-]{1,128}")
_SMALL_NUMBER = re.compile(r"[0-9]{1,4}")
_FLAG = re.compile(r"[01]")
_GAME = re.compile(r"\S{1,64}")
_HTTP_REQUEST = re.compile(
    r"(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PRI) .*HTTP/[0-9]\.[0-9]"
)
_FORMS: dict[str, tuple[re.Pattern[str], str]] = {
    "v": (_SMALL_NUMBER, "a whole number"),
    "game": (_GAME, "a game's name"),
    "room": (_ROOM, "1 to 64 of A-Z a-z 0-9 . _ -"),
    "seat": (_SMALL_NUMBER, "a whole number from 0"),
    "token": (_TOKEN, "1 to 128 of A-Z a-z 0-9 . _ = -"),
    "keep": (_FLAG, "0 or 1"),
    "notes": (_FLAG, "0 or 1"),
}


@attrs.frozen(kw_only=True)
class Hello:
    """What a bot says of itself."""

    name: str
    """1 to 32 printable code points, single spaces."""
    version: int | None = None
    """The protocol version asked for; None: the ruleset's classic dialect, if it has one."""
    game: str | None = None
    """The ruleset wanted; None: the arena's default. Not yet known to exist."""
    room: str | None = None
    """Wait for opponents in this room only; None is a room of its own."""
    seat: int | None = None
    """The seat asked for. Not yet known to exist."""
    token: str | None = attrs.field(default=None, repr=False)
    """The secret for this name or seat; never in a log."""
    keep: bool = False
    """Stay connected after a match and take the next one."""
    notes: bool = False
    """Also be sent every `note`."""


def bad_hello(words: str) -> RemoteProtocolError:
    """The error for a hello that can't be used."""
    return RemoteProtocolError(ErrorCode.BAD_HELLO, words)


def parse_hello(line: str) -> Hello:
    """Read a hello line without its newline.

    Raises:
        RemoteProtocolError: `bad-hello` with the reason, or `unknown-version`.
        HttpRequestError: `bad-hello`: it is the first line of an HTTP request.
    """
    if _HTTP_REQUEST.fullmatch(line):
        raise HttpRequestError(ErrorCode.BAD_HELLO, "an HTTP request; this port is for bots")
    for char in line:
        if unicodedata.category(char) == "Cc":
            raise bad_hello(f"control character {shown(char)} in the hello; say `NAME key=value …`")
    words = [word for word in line.split(" ") if word]
    first_option = next((at for at, word in enumerate(words) if "=" in word), len(words))
    name = _checked_name(" ".join(words[:first_option]))
    options: dict[str, str] = {}
    for word in words[first_option:]:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise bad_hello(f"{shown(word)} after the first option; options are key=value")
        if key not in _FORMS:
            continue  # PROTOCOL.md 2: an unknown option is ignored
        if key in options:
            raise bad_hello(f"option {key} twice; say it once")
        form, described = _FORMS[key]
        if not form.fullmatch(value):
            given = "a value not of its form" if key == "token" else shown(value)
            raise bad_hello(f"option {key} has {given}; it is {described}")
        options[key] = value
    version = options.get("v")
    if version is not None and int(version) != VERSION:
        raise RemoteProtocolError(
            ErrorCode.UNKNOWN_VERSION,
            f"version {int(version)}; this arena speaks version {VERSION}",
        )
    seat = options.get("seat")
    return Hello(
        name=name,
        version=None if version is None else int(version),
        game=options.get("game"),
        room=options.get("room"),
        seat=None if seat is None else int(seat),
        token=options.get("token"),
        keep=options.get("keep") == "1",
        notes=options.get("notes") == "1",
    )


def _checked_name(name: str) -> str:
    if not name:
        raise bad_hello("no name; the first line is `NAME` or `NAME key=value …`")
    if len(name) > MAX_NAME:
        raise bad_hello(f"the name has {len(name)} characters; {MAX_NAME} at most")
    for char in name:
        # Letters, marks, numbers, punctuation, symbols; the only separator is the space.
        if char != " " and unicodedata.category(char)[0] not in "LMNPS":
            raise bad_hello(f"character {shown(char)} in the name; letters, digits and signs only")
    return name
