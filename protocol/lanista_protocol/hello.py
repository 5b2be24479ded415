"""The bot's first line, with its name and options (PROTOCOL.md 2).

Parses one line that is complete; `lines` splits what was received into lines.
"""

import re
import unicodedata

import attrs

from lanista_protocol.errors import ErrorCode, HttpRequestError, RemoteProtocolError, shown

VERSION = 1
"""The protocol version that this package speaks."""
MAX_NAME = 32
"""Maximum length of a bot's name, in code points."""
_ROOM = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TOKEN = re.compile(r"[A-Za-z0-9._=-]{1,128}")
_SMALL_NUMBER = re.compile(r"[0-9]{1,4}")
_FLAG = re.compile(r"[01]")
_GAME = re.compile(r"\S{1,64}")
_HTTP_REQUEST = re.compile(
    r"(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PRI) .*HTTP/[0-9]\.[0-9]"
)
# Each known option, with the pattern of its value and a description of that for error messages.
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
    """A bot's name, and the options that it asked for."""

    name: str
    """The bot's name: 1 to 32 printable code points, with single spaces between words."""
    version: int | None = None
    """The requested protocol version. None means the ruleset's classic dialect, if it has one."""
    game: str | None = None
    """The requested ruleset, which may not exist. None means the arena's default."""
    room: str | None = None
    """The room in which to wait for opponents. Bots that name no room share one of their own."""
    seat: int | None = None
    """The requested seat, from 0, which the game may not have. None means any."""
    token: str | None = attrs.field(default=None, repr=False)
    """The secret for this name or seat; it must never be logged."""
    keep: bool = False
    """Whether to stay connected after a match and play the next one."""
    notes: bool = False
    """Whether to be sent every `note`."""


def bad_hello(message: str) -> RemoteProtocolError:
    """Return the error for a hello that can't be used."""
    return RemoteProtocolError(ErrorCode.BAD_HELLO, message)


def parse_hello(line: str) -> Hello:
    """Parse a hello line, given without its newline.

    Raises:
        RemoteProtocolError: The line isn't a valid hello (`bad-hello`), or asks for a version that
            isn't spoken here (`unknown-version`).
        HttpRequestError: The line is the first one of an HTTP request (`bad-hello`).
    """
    if _HTTP_REQUEST.fullmatch(line):
        raise HttpRequestError(ErrorCode.BAD_HELLO, "an HTTP request; this port is for bots")
    for char in line:
        if unicodedata.category(char) == "Cc":
            raise bad_hello(
                f"control character {shown(char)} in the hello; send `NAME key=value …`"
            )
    words = [word for word in line.split(" ") if word]
    first_option = next((i for i, word in enumerate(words) if "=" in word), len(words))
    name = _checked_name(" ".join(words[:first_option]))
    options: dict[str, str] = {}
    for word in words[first_option:]:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise bad_hello(f"{shown(word)} after the first option; options are key=value")
        if key not in _FORMS:
            continue  # PROTOCOL.md 2: an unknown option is ignored
        if key in options:
            raise bad_hello(f"option {key} twice; give it once")
        if (expected := option_fault(key, value)) is not None:
            # A token is a secret, also where it is malformed: messages get into logs.
            given = "an invalid value" if key == "token" else f"the value {shown(value)}"
            raise bad_hello(f"option {key} has {given}; it must be {expected}")
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


def option_fault(key: str, value: str) -> str | None:
    """Return what the value of a known option must be; None if this value is right."""
    form, description = _FORMS[key]
    return None if form.fullmatch(value) else description


def _checked_name(name: str) -> str:
    if not name:
        raise bad_hello("no name; the first line is `NAME` or `NAME key=value …`")
    if len(name) > MAX_NAME:
        raise bad_hello(f"the name has {len(name)} characters; {MAX_NAME} at most")
    for char in name:
        # Letters, marks, numbers, punctuation and symbols; the space is the only separator.
        if char != " " and unicodedata.category(char)[0] not in "LMNPS":
            raise bad_hello(
                f"character {shown(char)} in the name; use letters, digits, symbols and spaces"
            )
    return name
