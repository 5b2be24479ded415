"""Random values: ids of matches, tokens of seats, and seeds."""

import secrets
import time

from lanista.games.base import Ruleset, check_seed

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def match_id() -> str:
    """Return a new id of 26 characters. Ids sort by the time at which they were made.

    An id has the form of a ULID: 48 bits of milliseconds since 1970 and 80 random bits, in
    Crockford's base 32.
    """
    value = (int(time.time() * 1000) << 80) | secrets.randbits(80)
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -5, -5))


def seat_token() -> str:
    """Return a new secret token for a seat."""
    return secrets.token_urlsafe(24).replace("=", "")


def fresh_seed(ruleset: Ruleset) -> int:
    """Return a random seed from the ruleset's whole range, so that it can't be guessed."""
    low, high = ruleset.seeds
    return low + secrets.randbelow(high - low + 1)


def checked_seed(ruleset: Ruleset, seed: int | None) -> int:
    """Return the seed, or a new one if it is None.

    Raises:
        BadInputError: It isn't a whole number in the ruleset's range.
    """
    return fresh_seed(ruleset) if seed is None else check_seed(ruleset, seed)
