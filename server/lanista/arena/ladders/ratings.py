"""The live ratings of a ladder, which the last matches of each name determine.

An openskill rating forgets: a match counts e times less after some 70 further ones. So a few last
matches of each name are kept, and ratings made anew from these are as good as those that were
updated by every match. They are made anew at the start, in a time that depends on the number of
names and not on what was ever played, and when the operator has struck a name.

If only the matches of the latest blocks count (`window`), ratings also have to forget the others.
Therefore they are made anew whenever a block has left the window: a few matches at a time, with
each match that is added, so that no match of the arena has to wait for it.
"""

from collections import deque
from collections.abc import Sequence

import attrs

from lanista.pairing.live_ratings import LiveRatings

KEPT = 50
"""The number of matches that are kept for each name."""
ANEW_AT_ONCE = 20
"""The number of older matches that are rated anew with each new one if there is a window."""


@attrs.define(eq=False)
class _Match:
    """A match that is kept."""

    block: int
    """The number of its block, in the order in which blocks were first counted."""
    names: tuple[str, ...]
    """By seat."""
    ranks: tuple[int, ...]
    uses: int = 0
    """The number of its names of whose last matches it is one."""


class LadderRatings:
    """The live ratings of a ladder."""

    def __init__(self, window: int | None = None) -> None:
        """Begin without matches.

        Args:
            window: The number of the latest blocks whose matches count; None for all.
        """
        self._window = window
        self._live = LiveRatings()
        # A match stays as long as it is one of the last of any of its names; in the order of
        # results, and by name.
        self._kept: dict[_Match, None] = {}
        self._last: dict[str, deque[_Match]] = {}
        self._latest = -1
        # The oldest block whose matches `_live` may contain, and the ratings that will take its
        # place, with the matches that these lack.
        self._oldest = 0
        self._next: tuple[LiveRatings, deque[_Match]] | None = None

    def keep(self, names: Sequence[str], ranks: Sequence[int], block: int = 0) -> None:
        """Take the result of a match without updating any rating; `rate_anew` is to follow.

        Args:
            names: The names, by seat.
            ranks: Their ranks; 1 is best, equal ranks are ties.
            block: The number of its block, in the order in which blocks were first counted.
        """
        match = _Match(block, tuple(names), tuple(ranks))
        self._latest = max(self._latest, block)
        self._kept[match] = None
        for name in match.names:
            last = self._last.setdefault(name, deque())
            if len(last) == KEPT:
                self._drop(last.popleft())
            last.append(match)
            match.uses += 1

    def add(self, names: Sequence[str], ranks: Sequence[int], block: int = 0) -> None:
        """Take the result of a match, which updates the ratings of its names; see `keep`.

        It changes no rating if its block has left the window, as one that was open for long may.
        """
        self.keep(names, ranks, block)
        if block >= self._first:
            self._live.rate(names, ranks)
            if self._next is not None:
                self._next[1].append(next(reversed(self._kept)))
        if self._next is None and self._first > self._oldest:
            self._begin_anew()
        if self._next is not None:
            self._go_on(ANEW_AT_ONCE)

    def rate_anew(self) -> None:
        """Make all ratings anew from the matches that are kept; 70 µs for each of them."""
        self._begin_anew()
        self._go_on(len(self._kept))

    def skill(self, name: str) -> float:
        """Return a name's skill: similar ones are good opponents."""
        return self._live.skill(name)

    def ordinal(self, name: str) -> float:
        """Return a name's rating as it is shown: low as long as it has played little."""
        return self._live.ordinal(name)

    @property
    def _first(self) -> int:
        """The number of the oldest block whose matches count."""
        return 0 if self._window is None else max(0, self._latest - self._window + 1)

    def _drop(self, match: _Match) -> None:
        """Keep a match for one name less."""
        match.uses -= 1
        if not match.uses:
            del self._kept[match]

    def _begin_anew(self) -> None:
        first = self._first
        self._oldest = first
        self._next = LiveRatings(), deque(match for match in self._kept if match.block >= first)

    def _go_on(self, matches: int) -> None:
        """Rate some matches anew; the new ratings replace the old ones when all are rated."""
        assert self._next is not None
        ratings, missing = self._next
        for _ in range(min(matches, len(missing))):
            match = missing.popleft()
            ratings.rate(match.names, match.ranks)
        if not missing:
            self._live, self._next = ratings, None
