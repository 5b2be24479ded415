"""Builds what a match sends its bots, without a match."""

from lanista.match.conditions import DEFAULT
from lanista.match.encoder import Version1Encoder


def encoder_of(ruleset, settings, seed):
    """Return what makes the lines of a match of version 1, with the usual clock."""
    return Version1Encoder(
        match="0" * 26,
        ruleset=ruleset,
        settings=settings,
        players=tuple("abcd")[: ruleset.seats],
        clock=DEFAULT.limits(),
        seed=seed,
    )
