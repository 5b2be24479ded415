"""Tokens of names: making them, and hashing them so that a copy of the database reveals none.

A hash is text of the form `$scrypt$ln=14,r=8,p=1$SALT$HASH` (the PHC string format), so the cost
may be changed later without making older hashes useless. `hash_of` and `matches` take a twentieth
of a second of a core, and 16 MiB, and let other threads run meanwhile.
"""

import base64
import hashlib
import hmac
import secrets

LOG_N, R, P = 14, 8, 1
"""The cost of new hashes: https://datatracker.ietf.org/doc/html/rfc7914#section-2"""
_MAX_MEMORY = 64 * 1024 * 1024
"""Bytes that a hash may take to compute."""
_SALT_SIZE = 16
_HASH_SIZE = 32


def new_token() -> str:
    """Return a token that nobody can guess; neither shells nor URLs need it quoted."""
    return secrets.token_hex(16)


def hash_of(token: str) -> str:
    """Return a new hash of a token, with a salt of its own. It blocks: run it in a thread."""
    salt = secrets.token_bytes(_SALT_SIZE)
    return _text(salt, _scrypt(token, salt, LOG_N, R, P))


def matches(token: str, token_hash: str) -> bool:
    """Return whether a hash is that of a token. It blocks: run it in a thread."""
    _, _, costs, salt, hashed = token_hash.split("$")
    log_n, r, p = (int(cost.partition("=")[2]) for cost in costs.split(","))
    return hmac.compare_digest(_scrypt(token, _decoded(salt), log_n, r, p), _decoded(hashed))


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
    return base64.b64decode(text + "=" * (-len(text) % 4))
