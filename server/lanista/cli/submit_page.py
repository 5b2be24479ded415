"""Requests of `lanista submit` to an arena's page (docs/api.md), and the names that it keeps."""

import base64
import contextlib
import fcntl
import http.client
import io
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from ssl import SSLCertVerificationError, SSLContext, SSLError
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import attrs
import click

from lanista.arena.spec import BOT_NAME_FORM, is_bot_name
from lanista.arena.tokens import new_token
from lanista.cli.common import say
from lanista.errors import BadInputError, FileError, RefusedError, file_errors, one_line
from lanista.system import write_whole
from lanista.toml_spec import SpecReader, strict_converter, toml_text

PATIENCE = 120.0
"""Seconds for which an answer is awaited: tokens are compared one after another."""
MAX_ANSWER = 128 << 20
"""Maximum size of an answer in bytes; sources have up to 64 MiB."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
"""Seconds until a request is sent again that couldn't be answered: at first, and at most."""
GIVE_UP = 300.0
"""Seconds after which a request isn't sent again any more."""
MAX_KEPT = 1 << 20
"""Maximum size of the file of kept names in bytes."""

T = TypeVar("T")


class NoAnswerError(BadInputError):
    """The page doesn't answer; later it may. What was asked for may have been done."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait
        """Seconds after which the page, or a proxy before it, wants to be asked again."""


class NotNowError(NoAnswerError):
    """The page, or a proxy before it, says that it can't do now what was asked for."""


def _answered(ask: Callable[[], T], of: type[NoAnswerError] = NotNowError) -> T:
    """Return the answer to a request, and say on stderr if it must be waited for.

    For some minutes the request is sent again after errors `of` a class.
    """
    begin, wait, is_said = time.monotonic(), FIRST_WAIT, False
    while True:
        try:
            return ask()
        except of as error:
            pause = max(wait, error.wait)
            if time.monotonic() + pause > begin + GIVE_UP:
                what = f"it was asked again for {GIVE_UP / 60:g} minutes"
                if error.wait > GIVE_UP:
                    what = f"try again in {error.wait:g} s"
                raise type(error)(f"{error}; {what}") from None
            if not is_said:
                words = f"{error}; it is asked again for up to {GIVE_UP / 60:g} minutes"
                say(words, err=True)
                is_said = True
        time.sleep(pause)
        wait = min(2 * wait, LONGEST_WAIT)


@attrs.frozen(kw_only=True)
class Page:
    """The page of an arena."""

    url: str
    """Its address, without a slash at its end."""
    context: SSLContext | None = None
    """How its certificate is checked; None for http."""

    @classmethod
    def of(cls, address: str) -> "Page":
        """Return the page of an address, as a browser shows it."""
        try:
            parts = urlsplit(address if "://" in address else f"http://{address}")
            host = (parts.hostname or "").encode("idna")  # as connecting does
            is_right = parts.scheme in {"http", "https"} and host and parts.port != 0
        except ValueError:  # also UnicodeError, as for two dots in a row
            is_right = False
        if not is_right or not address.isascii() or not address.isprintable() or " " in address:
            raise BadInputError(
                f"--arena {address!r}: expected the address of the arena's page, as "
                "http://HOST:8080"
            )
        url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}{parts.path.rstrip('/')}"
        if parts.scheme == "http":
            return cls(url=url)
        from lanista_client.tls import context_of

        try:
            context = context_of(os.environ.get("LANISTA_TLS_CA") or None, "LANISTA_TLS_CA")
        except ValueError as error:
            raise BadInputError(str(error)) from None
        return cls(url=url, context=context)

    def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> bytes:
        """Send a request and return the body of its answer.

        Raises:
            RefusedError: The page refuses it.
            NoAnswerError: There is no such page now.
            BadInputError: Its certificate isn't trusted.
        """
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        if self.context is None:
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=PATIENCE)
        else:
            connection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=PATIENCE, context=self.context
            )
        try:
            connection.connect()
            # It answers before it has read all of a request that it refuses.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                if body is None:
                    connection.request(method, parts.path + path, headers=dict(headers))
                else:  # in pieces, each of which may take as long
                    sent = {**headers, "Content-Length": str(len(body))}
                    connection.request(method, parts.path + path, io.BytesIO(body), sent)
            answer = connection.getresponse()
            data = answer.read(MAX_ANSWER)
        except SSLCertVerificationError as error:
            from lanista_client.tls import reason

            raise BadInputError(f"{self.url}: {reason(error, parts.hostname)}") from None
        except (OSError, http.client.HTTPException) as error:
            hint = "; perhaps its address begins with http:" if isinstance(error, SSLError) else ""
            raise NoAnswerError(
                f"{self.url}: no arena's page answers there: {one_line(error)}{hint}"
            ) from None
        finally:
            connection.close()
        if answer.status in {HTTPStatus.OK, HTTPStatus.CREATED}:
            return data
        words = self._words(answer, data)
        if answer.status == HTTPStatus.SERVICE_UNAVAILABLE:
            after = answer.getheader("Retry-After", "").strip()
            # A proxy may give a date instead, for which it is asked as if there were none.
            raise NotNowError(words, float(after) if re.fullmatch("[0-9]{1,6}", after) else 0.0)
        if answer.status in {HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT}:  # of a proxy
            raise NoAnswerError(words)
        raise RefusedError(answer.status, words)

    def _words(self, answer: http.client.HTTPResponse, data: bytes) -> str:
        try:
            return str(json.loads(data)["error"])
        except (ValueError, KeyError, TypeError, RecursionError):
            status = f"{answer.status} {answer.reason}".strip()
            words = f"{self.url}: no arena's page answers there, but status {status} comes"
            # A proxy before the page leads from http to https.
            if other := answer.getheader("Location", "")[:200].partition("/api/")[0]:
                return f"{words}; try {other}"
            text = " ".join(data[:200].decode("ascii", "replace").split())
            if text and answer.getheader("Content-Type", "").startswith("text/plain"):
                return f"{words}: {text}"  # as the port of bots, which says where the page is
            return words

    def json(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Any:
        """Send a request, and return its answer, which must be JSON."""
        data = self.ask(method, path, headers, body)
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise BadInputError(
                f"{self.url}: what is there isn't an arena's page; give the address that browsers "
                "open"
            )
        return value


# -- names and tokens that are kept ----------------------------------------------------------------


@attrs.frozen(kw_only=True)
class KeptName:
    """A name with its token."""

    arena: str
    """The address of the arena's page."""
    name: str
    token: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class KeptNames:
    """The names with which programs were handed in, the latest one last."""

    names: tuple[KeptName, ...] = ()

    def of(self, arena: str, name: str | None) -> KeptName | None:
        """Return a name at an arena; or if no name is given, the only one there."""
        here = [one for one in self.names if one.arena == arena]
        if name is not None:
            here = [one for one in here if one.name.casefold() == name.casefold()]
        if len(here) > 1:
            names = ", ".join(one.name for one in here)
            raise BadInputError(f"programs were handed in as {names}; choose one by --name")
        return here[0] if here else None


_READER = SpecReader(KeptNames, strict_converter(), MAX_KEPT)


def kept_path() -> Path:
    """Return the file with the names; outside of a program's folder, so that none packs it."""
    return Path(click.get_app_dir("lanista"), "names.toml")


def kept_names() -> KeptNames:
    """Read the names that are kept."""
    path = kept_path()
    return _READER.read(path) if path.exists() else KeptNames()


@contextlib.contextmanager
def _changing() -> Iterator[None]:
    """Make the folder of kept names, and have other programs wait that would change them, too."""
    folder = kept_path().parent
    with file_errors("can't write", kept_path()):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # the file system has no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def keep(name: KeptName) -> None:
    """Keep a name instead of its earlier token, in a file that only its owner reads."""
    with _changing():
        _replace(name, name)


def keep_new(name: KeptName) -> KeptName:
    """Keep a name with a new token, unless another program has done so; return what is kept."""
    with _changing():
        there = kept_names().of(name.arena, name.name)
        if there is None:
            _replace(name, name)
        return there or name


def forget(name: KeptName) -> None:
    """Keep a name no longer."""
    with _changing():
        _replace(name)


def _replace(name: KeptName, *by: KeptName) -> None:
    others = [
        one
        for one in kept_names().names
        if (one.arena, one.name.casefold()) != (name.arena, name.name.casefold())
    ]
    head = "# Names for `lanista submit`. Whoever has a token can hand in under its name.\n"
    tables = [attrs.asdict(one) for one in (*others, *by)]
    path = kept_path()
    with file_errors("can't write", path):
        content = (head + toml_text({"names": tables})).encode()
        write_whole(path, [content], mode=0o600)


# -- what was handed in ----------------------------------------------------------------------------


@attrs.define(kw_only=True)
class SubmissionsPage:
    """Asks an arena's page about the programs of one name on one ladder."""

    page: Page
    ladder: str
    who: KeptName
    """The name and the token that the requests are made with."""
    is_kept: bool
    """Whether they are kept."""
    is_new: bool
    """Whether the token was made just now, so that nobody has seen it yet."""
    about: Mapping[str, Any]
    """The limits and languages of the ladder, as the page tells them to everybody."""

    @classmethod
    def of(
        cls,
        address: str,
        ladder: str,
        name: str | None,
        token: str | None,
        *,
        makes_token: bool,
    ) -> "SubmissionsPage":
        """Find the ladder, and what is kept of name and token if they aren't given."""
        page = Page.of(address)
        kept = kept_names().of(page.url, name)
        if name is None:
            if kept is None:
                raise BadInputError(f"no name is kept for {page.url}; give one by --name")
            name = kept.name
        if not is_bot_name(name):
            raise BadInputError(f"--name {name!r}: expected {BOT_NAME_FORM}")
        if token is None and kept is not None:
            token = kept.token
        is_new = token is None
        if token is None:
            if not makes_token:
                raise BadInputError(
                    f"no token is kept for {name} at {page.url}; give it by --token"
                )
            token = new_token()
        try:
            about = _answered(partial(page.json, "GET", _path(ladder), {}))
        except RefusedError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            raise BadInputError(
                f"{page.url}: no programs can be handed in to {ladder!r}: {error}"
            ) from None
        who = KeptName(arena=page.url, name=name, token=token)
        if is_new:  # kept before it is used: no name is registered with a token that is lost
            kept = keep_new(who)
            is_new, who = kept == who, kept
        is_kept = kept is not None and kept.token == who.token
        return cls(page=page, ladder=ladder, who=who, is_kept=is_kept, is_new=is_new, about=about)

    def ask(self, method: str, path: str = "", *, again: type[NoAnswerError] = NotNowError) -> Any:
        """Send a request about submissions, repeated after `again` errors; return its answer."""
        return _answered(partial(self._json, method, path), again)

    def hand_in(self, file: str, data: bytes) -> Any:
        """Hand in a file, and return what the page says of its version.

        If a new name is refused, as another's, it isn't kept.
        """
        try:
            path = f"?file={quote(file, safe='', errors='surrogateescape')}"
            return _answered(partial(self._json, "POST", path, data))
        except RefusedError as error:
            if self.is_new and error.status == HTTPStatus.FORBIDDEN:
                forget(self.who)
            raise
        except NotNowError:
            raise
        except NoAnswerError as error:
            raise NoAnswerError(
                f"{error}; it may have taken {file}: see lanista submit --list when it "
                "answers again"
            ) from None

    def download(self, number: int) -> bytes:
        """Return a version as it was handed in."""
        path = f"{_path(self.ladder)}/{number}/source"
        return _answered(partial(self.page.ask, "GET", path, self._headers()))

    def _json(self, method: str, path: str, body: bytes | None = None) -> Any:
        answer = self.page.json(method, f"{_path(self.ladder)}{path}", self._headers(), body)
        if not self.is_kept:
            self.is_kept = True
            try:  # it is right, so that it needn't be given again
                keep(self.who)
            except FileError as error:  # the arena has done what was asked for
                say(f"{error}; give --name and --token the next time too", err=True)
        return answer

    def _headers(self) -> dict[str, str]:
        credentials = base64.b64encode(f"{self.who.name}:{self.who.token}".encode())
        return {"Authorization": f"Basic {credentials.decode('ascii')}"}


def _path(ladder: str) -> str:
    return f"/api/1/ladders/{quote(ladder, safe='', errors='surrogateescape')}/submissions"
