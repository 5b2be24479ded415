"""The messages that viewers send: JSON objects, read with errors for whoever wrote them."""

import json
from collections.abc import Mapping
from typing import Any

from lanista.errors import BadInputError

LONGEST = 4096
"""Maximum length of a text message in characters."""


class BadMessageError(BadInputError):
    """A request can't be carried out; the message is shown to the viewer."""


def parse(data: str | bytes) -> dict[str, Any]:
    """Return a message as a JSON object.

    Raises:
        BadMessageError: It is none, or too long, or has an unusable `id`.
    """
    if isinstance(data, bytes):
        raise BadMessageError("binary; a message is a JSON object in text")
    if len(data) > LONGEST:
        # Parsing it would hold up the matches.
        raise BadMessageError(f"{len(data)} characters; no message needs more than {LONGEST}")
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadMessageError(f"not JSON ({error})") from None
    if not isinstance(message, dict):
        raise BadMessageError("not a JSON object")
    if not isinstance(message.get("id"), int | str | None):
        raise BadMessageError("id is neither a whole number nor text")
    return message


def field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a field of a message.

    Raises:
        BadMessageError: There is none, or it isn't of this type.
    """
    value = message.get(name)
    if type(value) is not kind:
        kinds = {str: "text", int: "a whole number", bool: "true or false", list: "a list"}
        raise BadMessageError(f"{name} is {value!r}; it should be {kinds[kind]}")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise BadMessageError(f"half a character (a lone surrogate) in {name}") from None
    return value
