"""Tokens of names: making them, and hashing them so that a copy of the database reveals none.

A hash is text of the form `$scrypt$ln=14,r=8,p=1$SALT$HASH` (the PHC string format), so the cost
may be changed later without making older hashes useless. `hash_of` and `matches` take a twentieth
of a second of a core, and 16 MiB, and let other threads run meanwhile.
"""

import base64
import hashlib
import hmac
import re
import secrets

LOG_N, R, P = 14, 8, 1
"""The cost of new hashes: https://datatracker.ietf.org/doc/html/rfc7914#section-2"""
_MAX_MEMORY = 64 * 1024 * 1024
"""Bytes that a hash may take to compute; a damaged one could ask for any number of them."""
_SALT_SIZE = 16
_HASH_SIZE = 32
_FORM = re.compile(
    r"\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)", re.ASCII
)


class DamagedHashError(Exception):
    """A hash that none of our versions has written; the message doesn't contain it."""


def new_token() -> str:
    """Return a token that nobody can guess; neither shells nor URLs need it quoted."""
    return secrets.token_hex(16)


def hash_of(token: str) -> str:
    """Return a new hash of a token, with a salt of its own. It blocks: run it in a thread."""
    salt = secrets.token_bytes(_SALT_SIZE)
    return _text(salt, _scrypt(token, salt, LOG_N, R, P))


def matches(token: str, token_hash: str) -> bool:
    """Return whether a hash is that of a token. It blocks: run it in a thread.

    It is a DamagedHashError if the hash can't be read.
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
