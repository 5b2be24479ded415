"""The operator's token: who may give commands on the page, and how fast its token can be guessed.

Comparing this token costs nothing. What has to be slow is finding out whether a guess is right, and
the operator may be behind the same address as whoever guesses: behind a proxy, all are. So after
some wrong tokens from an address, those that come from there wait for their turn, at an interval,
until they are told that they are wrong. What the right token gets depends on its length:

- A long one can't be guessed at any rate, so it is accepted at once, always.
- A short one has to wait in the same queue, as every answer that comes without waiting could be
  used for guessing. So a guesser can delay the operator, by one interval for each connection that
  waits; the arena warns of such a token.

The log reports wrong tokens, with one line now and then. Bots' tokens have limits of their own
(`lanista.arena.names`).
"""

import hmac

import attrs
import structlog

from lanista.arena.limits import Allowance, LogLimit

LONG = 16
"""Number of characters of a token that can't be guessed, provided that they are random."""
WRONG_TOKENS, WRONG_TOKEN_INTERVAL = 10, 5.0
"""How many wrong tokens of an address are answered at once, and seconds until the next one is."""
LOG_INTERVAL = 10.0
"""Minimum seconds between two log lines on wrong tokens."""

log = structlog.get_logger()


@attrs.define(eq=False)
class OperatorToken:
    """Finds out who is the operator."""

    token: str | None = attrs.field(repr=False)
    """The token; None: everybody is the operator."""
    _wrong_tokens: Allowance = attrs.field(
        factory=lambda: Allowance(WRONG_TOKENS, WRONG_TOKEN_INTERVAL), init=False
    )
    _lines: LogLimit = attrs.field(factory=lambda: LogLimit(1, LOG_INTERVAL), init=False)

    @property
    def is_needed(self) -> bool:
        """Whether commands need a token at all."""
        return self.token is not None

    async def is_operators(self, given: str | None, address: str) -> bool:
        """Return whether somebody with a token, or without one, is the operator.

        This may have to wait, as the top of this module says. A connection may ask for only one
        token at a time: the number of connections is what limits how many wait.

        Args:
            given: The token that was shown; None for none.
            address: The address of whoever shows it, from `lanista.arena.admission.address_of`.
        """
        if self.token is None:
            return True
        if given is None:
            return False
        # A token from outside may have lone surrogates.
        is_right = hmac.compare_digest(
            given.encode("utf-8", "surrogatepass"), self.token.encode("utf-8", "surrogatepass")
        )
        if is_right and not is_short(self.token):
            return True
        async with self._wrong_tokens.turn(address):
            if not is_right:
                self._wrong_tokens.use(address)
                if self._lines.allows():
                    count = self._lines.left_out + 1
                    log.warning("wrong operator's token", host=address, count=count)
        return is_right


def is_short(token: str) -> bool:
    """Return whether a token has so few characters that it may be guessed."""
    return len(token) < LONG
