"""The live ratings of a ladder, which the last matches of each name determine.

An openskill rating forgets: a match counts e times less after some 70 further ones. So a few last
matches of each name are kept, and ratings made anew from these are as good as those that were
updated by every match. They are made anew at the start, in a time that depends on the number of
names and not on what was ever played, and when the operator has struck a name's matches.
"""

from collections import deque
from collections.abc import Sequence
from itertools import chain

from lanista.pairing.live_ratings import LiveRatings

KEPT = 50
"""The number of matches that are kept for each name."""

_Match = tuple[int, tuple[str, ...], tuple[int, ...]]
"""The number of a match in the order of results, its names by seat, and their ranks."""


class LadderRatings:
    """The live ratings of a ladder."""

    def __init__(self) -> None:
        self._live = LiveRatings()
        # A match stays as long as it is one of the last of any of its names.
        self._last: dict[str, deque[_Match]] = {}
        self._matches = 0

    def keep(self, names: Sequence[str], ranks: Sequence[int]) -> None:
        """Take the result of a match without updating any rating; `rate_anew` is to follow."""
        match = (self._matches, tuple(names), tuple(ranks))
        self._matches += 1
        for name in match[1]:
            last = self._last.get(name)
            if last is None:
                last = self._last[name] = deque(maxlen=KEPT)
            last.append(match)

    def add(self, names: Sequence[str], ranks: Sequence[int]) -> None:
        """Take the result of a match, which updates the ratings of its names."""
        self.keep(names, ranks)
        self._live.rate(names, ranks)

    def rate_anew(self) -> None:
        """Make all ratings anew from the matches that are kept; 70 µs for each of them."""
        self._live = LiveRatings()
        for _, names, ranks in sorted(set(chain.from_iterable(self._last.values()))):
            self._live.rate(names, ranks)

    def skill(self, name: str) -> float:
        """Return a name's skill: similar ones are good opponents."""
        return self._live.skill(name)

    def ordinal(self, name: str) -> float:
        """Return a name's rating as it is shown: low as long as it has played little."""
        return self._live.ordinal(name)
