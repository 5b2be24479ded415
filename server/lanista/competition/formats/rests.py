"""Which names rest: after several failed matches in a row a name isn't paired for a while."""

import math
from collections.abc import Mapping

import attrs

FIRST_REST = 60.0
"""Duration of the first rest, in seconds; each further one is twice as long."""
DAY = 86_400.0
"""Duration of the longest rest, in seconds; also how long a name plays without a failure before its
earlier failures are forgotten."""


@attrs.define
class _Failures:
    """The failures of one name."""

    in_a_row: int = 0
    rests: int = 0
    """The number of its rests; each has doubled the next one."""
    last: float = -math.inf
    """The time of its last failure, or the end of the rest after it."""


class Rests:
    """The failures of all names, and the rests that follow from them."""

    def __init__(self, bench_after: int) -> None:
        """Begin without failures.

        Args:
            bench_after: The number of failed matches in a row after which a name rests.
        """
        self.bench_after = bench_after
        # Only names that have failed are in it.
        self._failures: dict[str, _Failures] = {}
        # By resting name: when its rest ends; infinity if the operator has benched it.
        self._resting: dict[str, float] = {}

    def resting(self, now: float) -> Mapping[str, float]:
        """Return the names that rest, and when each rest ends: never if the operator wants it."""
        for name in [name for name, until in self._resting.items() if until <= now]:
            del self._resting[name]
        return self._resting

    def succeeded(self, name: str) -> None:
        """Take note of a match that a name played without failing."""
        failures = self._failures.get(name)
        if failures is not None:
            failures.in_a_row = 0

    def failed(self, name: str, now: float) -> None:
        """Take note of a match that a name failed; it may begin to rest."""
        failures = self._failures.setdefault(name, _Failures())
        if now >= failures.last + DAY:
            failures.rests = failures.in_a_row = 0
        failures.in_a_row += 1
        failures.last = now
        if failures.in_a_row >= self.bench_after:
            # The exponent is bounded, since a float has no power of 2 above 1023.
            failures.last = now + min(FIRST_REST * 2.0 ** min(failures.rests, 99), DAY)
            failures.rests += 1
            self._resting[name] = max(failures.last, self._resting.get(name, now))

    def bench(self, name: str) -> None:
        """Let a name rest until it is unbenched."""
        self._resting[name] = math.inf

    def is_benched(self, name: str) -> bool:
        """Return whether the operator has benched a name."""
        return self._resting.get(name) == math.inf

    def unbench(self, name: str) -> None:
        """End a name's rest, whatever caused it, and forget its failures."""
        self._failures.pop(name, None)
        self._resting.pop(name, None)
