"""Which names rest: after several failed matches in a row a name isn't paired for a while."""

import math

import attrs

FIRST_REST = 60.0
"""Duration of the first rest, in seconds; each further one is twice as long."""
DAY = 86_400.0
"""Duration of the longest rest, in seconds; also how long a name plays without a failure before its
next rest is a first one again."""


@attrs.define
class _Failures:
    """The failures of one name."""

    in_a_row: int = 0
    rests: int = 0
    """The number of rests so far, of which each has doubled the next."""
    last: float = -math.inf
    """The time of its last failure, or when the rest after it ends, if that is later."""
    until: float = -math.inf
    """When its rest ends."""


class Rests:
    """The failures of all names, and the rests that follow from them."""

    def __init__(self, bench_after: int) -> None:
        """Begin without failures.

        Args:
            bench_after: The number of failed matches in a row after which a name rests.
        """
        self._bench_after = bench_after
        # Names without failures aren't in it.
        self._failures: dict[str, _Failures] = {}
        self._benched: set[str] = set()

    def until(self, name: str) -> float:
        """Return when a name's rest ends or ended.

        Minus infinity if it never rested; infinity if the operator has benched it.
        """
        if name in self._benched:
            return math.inf
        failures = self._failures.get(name)
        return -math.inf if failures is None else failures.until

    def succeeded(self, name: str) -> None:
        """Take note of a match that a name didn't fail."""
        failures = self._failures.get(name)
        if failures is not None:
            failures.in_a_row = 0

    def failed(self, name: str, now: float) -> None:
        """Take note of a match that a name failed; it may begin to rest."""
        failures = self._failures.setdefault(name, _Failures())
        if now >= failures.last + DAY:
            failures.rests = 0
        failures.in_a_row += 1
        failures.last = max(failures.last, now)
        if failures.in_a_row >= self._bench_after:
            # The exponent is bounded because 2.0**1024 is an error.
            rest = min(FIRST_REST * 2.0 ** min(failures.rests, 60), DAY)
            failures.rests += 1
            failures.until = max(failures.until, now + rest)
            failures.last = max(failures.last, now + rest)

    def forget(self, name: str) -> None:
        """Forget a name's failures, which ends its rest."""
        self._failures.pop(name, None)

    def bench(self, name: str) -> None:
        """Let a name rest until it is unbenched."""
        self._benched.add(name)

    def unbench(self, name: str) -> None:
        """End a name's rest, whatever caused it, and forget its failures."""
        self._benched.discard(name)
        self.forget(name)
