"""Requests and answers of HTTP: parsing the one, making the other, and refusing.

Whatever answers a request returns an `Answer` or raises `RefusedError`, which becomes a `refusal`.
"""

import gzip
import http
import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qsl

import attrs
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.streams import StreamReader

from lanista.errors import RefusedError

_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
"""The headers of every answer, beside the policy."""
JSON = "application/json"
AGAIN = 5
"""Seconds after which a request may be tried again that can't be carried out now."""
_LENGTH = re.compile(
    rb"(?<=\r\n)content-length:[ \t]*([0-9]{1,12})[ \t]*(?:\r\n|\Z)", re.IGNORECASE
)


@attrs.frozen
class Answer:
    """The answer to a request."""

    body: bytes
    type: str = JSON
    """The content type."""
    name: str | None = None
    """The file name under which a browser saves it; None if it isn't for saving."""
    status: http.HTTPStatus = http.HTTPStatus.OK
    packed: bool = False
    """Whether the body is compressed by gzip."""
    lasts: bool = False
    """Whether the address always has the same answer, which needn't be asked for again."""
    allow: tuple[str, ...] = ()
    """The methods that the address takes, if it refuses one."""

    def gzip(self) -> "Answer":
        """Return the same answer, compressed."""
        # Level 6 takes 10 ms for the page's script; level 9 saves 1 % of it.
        return attrs.evolve(self, body=gzip.compress(self.body, 6, mtime=0), packed=True)

    def serialized(self, embed: Sequence[str] = ()) -> tuple[bytes, bytes]:
        """Return the bytes to send, head and body; `embed` are the sites that may show it within.

        They aren't joined, as that would be a copy of a file for each who reads it slowly.
        """
        headers = Headers(HEADERS)
        headers["Content-Security-Policy"] = _CSP + (" ".join(embed) or "'none'")
        if self.name is not None:
            headers["Content-Disposition"] = f'attachment; filename="{self.name}"'
        if self.allow:
            headers["Allow"] = ", ".join(self.allow)
        if self.status is http.HTTPStatus.UNAUTHORIZED:
            headers["WWW-Authenticate"] = "Bearer"
        if self.status is http.HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = str(AGAIN)
        headers["Content-Type"] = self.type
        if self.lasts:
            del headers["Cache-Control"]
            headers["Cache-Control"] = "max-age=31536000, immutable"
        if self.packed:
            headers["Content-Encoding"] = "gzip"
            headers["Vary"] = "Accept-Encoding"
        headers["Content-Length"] = str(len(self.body))
        headers["Connection"] = "close"
        return Response(self.status, self.status.phrase, headers).serialize(), self.body


def refusal(status: int, message: str, allow: tuple[str, ...] = ()) -> Answer:
    """Return the answer which says that a request isn't carried out; `allow` is as in `Answer`."""
    body = json.dumps({"error": message}).encode()
    return Answer(body, status=http.HTTPStatus(status), allow=allow)


def json_answer(value: Any) -> Answer:
    """Return an answer that has a small value as JSON."""
    return Answer(json.dumps(value).encode())


# Each makes a refusal with the message that it is given.
bad_request = partial(RefusedError, http.HTTPStatus.BAD_REQUEST)
forbidden = partial(RefusedError, http.HTTPStatus.FORBIDDEN)
not_found = partial(RefusedError, http.HTTPStatus.NOT_FOUND)
unavailable = partial(RefusedError, http.HTTPStatus.SERVICE_UNAVAILABLE)


def crowded() -> RefusedError:
    """Return the refusal of a request because others need its place, or have taken all."""
    return unavailable(f"the page has too many requests at once; try again in {AGAIN} s")


def parse_request(data: bytes) -> tuple[Request, int]:
    """Parse a request, and return it with the size of its body in bytes; refuse anything else."""
    head, end, _ = data.partition(b"\r\n\r\n")
    lengths = {int(length) for length in _LENGTH.findall(head)}
    if len(lengths) > 1:
        raise bad_request("not an HTTP request: it has two lengths")
    reader = StreamReader()
    reader.feed_data(_LENGTH.sub(b"", head) + end)  # `websockets` refuses requests with a body
    reader.feed_eof()
    try:
        next(Request.parse(reader.read_line))
    except StopIteration as parsed:
        return cast("Request", parsed.value), max(lengths, default=0)
    except Exception as error:  # noqa: BLE001 - of many types, as its documentation says
        raise bad_request(f"not an HTTP request: {error}"[:500]) from None
    raise bad_request("not an HTTP request: it doesn't end")


def parse_parameters(text: str) -> dict[str, str]:
    """Parse the parameters in the address of a request; refuse it if there is one twice."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
    except ValueError:
        raise bad_request("the query isn't NAME=VALUE&…") from None
    parameters = dict(pairs)
    if len(parameters) < len(pairs):
        raise bad_request("a parameter is given twice; give it once")
    return parameters


def check_parameters(parameters: dict[str, str], known: tuple[str, ...]) -> None:
    """Raise RefusedError if a request has a parameter that isn't known."""
    for name in parameters:
        if name not in known:
            names = ", ".join(known) or "none"
            raise bad_request(f"no parameter {name!r} here; known are: {names}")
