"""Tokens of names: making them, hashing them so that a copy of the database reveals none, and what
the operator does with them.

A hash is text of the form `$scrypt$ln=14,r=8,p=1$SALT$HASH` (the PHC string format), so the cost
may be changed later without making older hashes useless. `hash_of` and `matches` take a twentieth
of a second of a core, and 16 MiB, and let other threads run meanwhile.
"""

import base64
import contextlib
import hashlib
import hmac
import re
import secrets

from lanista.arena.spec import BOT_NAME_FORM, is_bot_name
from lanista.errors import BadInputError
from lanista.results.names import NameStore, Registrar, key_of
from lanista.suggestions import nearest
from lanista_protocol import RemoteProtocolError, parse_hello, shown

LOG_N, R, P = 14, 8, 1
"""The cost of new hashes: https://datatracker.ietf.org/doc/html/rfc7914#section-2"""
_MAX_MEMORY = 64 * 1024 * 1024
"""Bytes that a hash may take to compute; a damaged one could ask for any number of them."""
_SALT_SIZE = 16
_HASH_SIZE = 32
_FORM = re.compile(
    r"\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)", re.ASCII
)


class NameRefusedError(BadInputError):
    """The operator's command for a name can't be carried out; the message is one line."""


class DamagedHashError(Exception):
    """A hash that none of our versions has written; the message doesn't contain it."""


def new_token() -> str:
    """Return a token that nobody can guess, and that needs no quoting on a command line."""
    return secrets.token_hex(16)


def hash_of(token: str) -> str:
    """Return a new hash of a token, with a salt of its own. It blocks: run it in a thread."""
    salt = secrets.token_bytes(_SALT_SIZE)
    return _text(salt, _scrypt(token, salt, LOG_N, R, P))


def matches(token: str, token_hash: str) -> bool:
    """Return whether a hash is that of a token. It blocks: run it in a thread.

    Raises:
        DamagedHashError: The hash can't be read.
    """
    form = _FORM.fullmatch(token_hash)
    if form is None:
        raise DamagedHashError("the stored hash of the token can't be read")
    log_n, r, p = map(int, form.group(1, 2, 3))
    try:
        salt, expected = map(_decoded, form.group(4, 5))
        found = _scrypt(token, salt, log_n, r, p)
    except ValueError:  # of base64, or of a cost that is none or too high
        raise DamagedHashError("the stored hash of the token can't be computed") from None
    return hmac.compare_digest(found, expected)


def salted(token: str, salt: bytes) -> bytes:
    """Return what a token and a salt always give. It blocks: run it in a thread."""
    return _scrypt(token, salt, LOG_N, R, P)


def hash_of_nothing() -> str:
    """Return a hash that no token matches, which takes as long as any other to compare with."""
    return _text(secrets.token_bytes(_SALT_SIZE), secrets.token_bytes(_HASH_SIZE))


def _scrypt(token: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(
        token.encode(), salt=salt, n=1 << log_n, r=r, p=p, maxmem=_MAX_MEMORY, dklen=_HASH_SIZE
    )


def _text(salt: bytes, hashed: bytes) -> str:
    return f"$scrypt$ln={LOG_N},r={R},p={P}${_encoded(salt)}${_encoded(hashed)}"


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii").rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


# -- the operator's commands -----------------------------------------------------------------------


def add_name(store: NameStore, name: str, token: str | None = None) -> str:
    """Register a name for the operator, and return its token, which is stored nowhere.

    Without a token, it gets a new one that nobody can guess.

    Raises:
        NameRefusedError: It can't be a name on a ladder, or is registered already; or the token
            can't be one.
        StoreError: It can't be written.
    """
    name = " ".join(name.split())
    if not is_bot_name(name):
        raise NameRefusedError(f"{shown(name)} can't be a name on a ladder; use {BOT_NAME_FORM}")
    token = _token(token)
    token_hash = hash_of(token)
    registered = store.register(name, token_hash, Registrar.OPERATOR)
    if registered.token_hash != token_hash:
        raise NameRefusedError(
            f"{registered.name!r} is registered already; `lanista arena name reset` gives it "
            "another token"
        )
    return token


def reset_token(store: NameStore, name: str, token: str | None = None) -> str:
    """Give a name another token in place of its old one, as `add_name` does, and return it.

    Raises:
        NameRefusedError: The name isn't registered, or the token can't be one.
        StoreError: It can't be written.
    """
    token = _token(token)
    if not store.set_token(name, hash_of(token)):
        raise _unknown(store, name)
    return token


def remove_name(store: NameStore, name: str) -> None:
    """Remove a name, which can then be registered again.

    Raises:
        NameRefusedError: The name isn't registered.
        StoreError: It can't be written.
    """
    if not store.remove(name):
        raise _unknown(store, name)


def _token(given: str | None) -> str:
    """Return a token that a hello can have."""
    if given is None:
        return new_token()
    # The hello's own reader decides. The token isn't repeated, as messages get into logs.
    with contextlib.suppress(RemoteProtocolError):
        if parse_hello(f"name token={given}").token == given:
            return given
    raise NameRefusedError("this can't be a token; use 1 to 128 of A-Z a-z 0-9 . _ = -")


def _unknown(store: NameStore, name: str) -> NameRefusedError:
    names = {key_of(registered.name): registered.name for registered in store.names()}
    close = nearest(key_of(name), names)
    hint = (
        "`lanista arena name list` lists them"
        if close is None
        else f"did you mean {names[close]!r}?"
    )
    return NameRefusedError(f"no name {shown(name)} is registered; {hint}")
