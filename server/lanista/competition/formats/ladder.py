"""The ladder: which of the names that wait meet, and when (docs/arena.md#what-a-ladder-is).

It is a state machine without clock and I/O: the present time is an argument, in seconds on any
scale that never runs backwards, and chance is given. Its caller

- sets `ratings` whenever there are new ones;
- reports who waits (`wait`, `leave`) and which matches are over (`over`);
- after each of these, and at the time that `due` returns, begins the matches that `next` returns,
  as many as it has room for.

**Pairing.** Whoever has waited longest is paired first; the wait of a new name counts up to double.
Its opponents are chosen among the greater part of those who wait (`LONGEST`): so nobody waits much
longer than the others. Every `EVERY` matches of a name they are drawn by chance: if all opponents
were similar, luck would choose who meets whom, and the distances between ratings would come out too
large. If few wait, pairing is put off for a small part of the time that a match takes, so that
there is a choice; for longer if nobody waits but recent opponents.

**House bots** don't wait: any number of matches may have the same one.

**Followers** begin no match, but may be the opponents of those who do: programs that the arena
starts itself, when there are no cores for more of their own matches, or when enough was played.

Memory is bounded by the number of names. After a restart the last matches of each are enough.
"""

import math
import random
from collections.abc import Collection, Container, Hashable, Iterable, Mapping, Sequence
from statistics import fmean

import attrs

RECENT = 5
"""The number of matches for which an opponent is a recent one; recent opponents come last."""
NEW = 30
"""The number of matches after which the bonus of a new name for its wait has fallen to half."""
LONGEST = 0.5
"""The share of the waiting names, the longest waiting ones, that are preferred as opponents."""
EVERY = 4
"""Every so many matches, a name's opponents are drawn by chance, whatever their ratings."""
CHOICE = 8
"""The number of waiting names for each seat from which on there is enough choice."""
PATIENCE = 0.05
"""How long a pairing is put off if there is less choice, as a fraction of a match's duration."""
PATIENCE_IF_RECENT = 0.15
"""The same if all opponents would be recent ones; else the same four would often stay together."""
MOST_PATIENCE = 60.0
"""The longest time for which a pairing is put off, in seconds."""
FIRST_REST = 60.0
"""Duration of the first rest, in seconds; each further one is twice as long."""
DAY = 86_400.0
"""Duration of the longest rest, in seconds; also how long a name plays without a failure before its
earlier failures are forgotten."""
_AVERAGED = 50
"""The number of matches over which their duration is averaged."""


@attrs.define
class _Failures:
    in_a_row: int = 0
    rests: int = 0
    """The number of its rests; each has doubled the next one."""
    last: float = -math.inf
    """The time of its last failure, or the end of the rest after it."""


@attrs.define(eq=False)
class _Name:
    """The state of a name: whether it plays, how often it has, whom it met last."""

    name: str
    owner: Hashable = None
    since: float = 0.0
    """From when on its wait is counted, if it waits: it isn't paired before that."""
    playing: bool = False
    matches: int = 0
    """The number of its matches that are known here."""
    recent: tuple[str, ...] = ()
    """Its last opponents, the latest one last."""

    @property
    def bonus(self) -> float:
        """The factor by which its wait counts more than that of a name with many matches."""
        return 1 + NEW / (NEW + self.matches)


class Ladder:
    """A ladder: pairs the names that wait."""

    def __init__(
        self,
        *,
        seats: int,
        chance: random.Random,
        house: Sequence[str] = (),
        fill_after: float = 10.0,
        bench_after: int = 3,
    ) -> None:
        """Begin with nothing played and nobody waiting.

        `chance` deals the seats. The bots in `house` fill seats that are missing after `fill_after`
        seconds. A name rests after `bench_after` failed matches in a row.
        """
        self._seats = seats
        self._chance = chance
        self._house = tuple(house)
        self.limit(fill_after, bench_after)
        # Only names that have failed are in it.
        self._failures: dict[str, _Failures] = {}
        # By resting name: when its rest ends; infinity if the operator has benched it.
        self._resting: dict[str, float] = {}
        self.ratings = {}
        self.followers: Container[str] = ()
        """The names that begin no match; others' matches may have them."""
        self._names: dict[str, _Name] = {}
        self._waiting: dict[str, _Name] = {}
        # When each running match began. A match is known by its names by seat, since only house
        # bots play several at once, and they never play alone.
        self._running: dict[tuple[str, ...], float] = {}
        # The average duration of the last matches, and how many of them were averaged.
        self._duration = 0.0
        self._averaged = 0

    def limit(self, fill_after: float, bench_after: int) -> None:
        """Go on with other values of these arguments of the constructor."""
        self._fill_after = fill_after
        self._bench_after = bench_after

    @property
    def ratings(self) -> Mapping[str, float]:
        """The ratings by name, on any scale. A name without one counts as of mean strength."""
        return self._ratings

    @ratings.setter
    def ratings(self, ratings: Mapping[str, float]) -> None:
        self._ratings = ratings
        self._mean = fmean(ratings.values()) if ratings else 0.0

    def wait(self, name: str, owner: Hashable, now: float) -> None:
        """Let a name wait for matches; if it waits already, its wait goes on.

        If it still plays a match, as after a second connection, it waits for the end of that. Names
        with equal owners don't meet. A house bot can't wait.
        """
        if name in self._house:
            raise ValueError(f"{name!r} is the name of a house bot, which can't wait")
        entry = self._name(name)
        entry.owner = owner
        if name not in self._waiting:
            self._waiting[name] = entry
            self._wait_from(entry, now)

    def leave(self, name: str) -> None:
        """Let a name wait no longer; a match that it plays goes on until `over`."""
        self._waiting.pop(name, None)

    def next(self, now: float) -> tuple[str, ...] | None:
        """Return a match to begin now, its names by seat, which then no longer wait; or None."""
        chosen, _ = self._choose(now)
        if chosen is None:
            return None
        dealt = list(chosen)
        self._chance.shuffle(dealt)
        match = tuple(dealt)
        self._running[match] = now
        self._note_opponents(match)
        for entry in self._entries(match):
            entry.playing = True
            del self._waiting[entry.name]
        return match

    def due(self, now: float) -> float | None:
        """Return when to call `next` again although nothing else happens; None for never."""
        chosen, when = self._choose(now)
        if chosen is not None:
            return now
        return when if when < math.inf else None

    def over(
        self,
        match: tuple[str, ...],
        now: float,
        *,
        counts: bool = True,
        failed: Collection[str] = (),
    ) -> None:
        """Take the end of a running match; names that stay connected wait again by `wait`.

        It `counts` unless it was void or aborted; `failed` are the names that failed in it.
        """
        begun = self._running.pop(match)
        if counts:
            self._averaged = min(self._averaged + 1, _AVERAGED)
            self._duration += (now - begun - self._duration) / self._averaged
            self._count(match, failed, now)
        for entry in self._entries(match):
            entry.playing = False
            self._wait_from(entry, now)

    def take(self, names: Sequence[str], failed: Collection[str], now: float) -> None:
        """Take a match that counts and that was played before this run, or by another arena."""
        self._note_opponents(names)
        self._count(names, failed, now)

    def fail(self, name: str, now: float) -> None:
        """Count a failure of a name, in a match or as of a program that doesn't start."""
        failures = self._failures.setdefault(name, _Failures())
        if now >= failures.last + DAY:
            failures.rests = failures.in_a_row = 0
        failures.in_a_row += 1
        failures.last = now
        if failures.in_a_row >= self._bench_after:
            # The exponent is bounded, since a float has no power of 2 above 1023.
            failures.last = now + min(FIRST_REST * 2.0 ** min(failures.rests, 99), DAY)
            failures.rests += 1
            self._resting[name] = max(failures.last, self._resting.get(name, now))

    def presence(self, now: float) -> Mapping[str, int]:
        """Return how many names are present, house bots aside: `waiting`, `playing`, `resting`."""
        resting = self.resting(now)
        playing = {name for match in self._running for name in match}.difference(self._house)
        there = self._waiting.keys() - playing
        return {
            "waiting": len(there - resting.keys()),
            "playing": len(playing),
            "resting": len(there & resting.keys()),
        }

    def resting(self, now: float) -> Mapping[str, float]:
        """Return the names that rest, and until when: infinity if the operator has benched one."""
        for name in [name for name, until in self._resting.items() if until <= now]:
            del self._resting[name]
        return self._resting

    def bench(self, name: str) -> None:
        """Pair a name no longer, until it is unbenched."""
        self._resting[name] = math.inf

    def is_benched(self, name: str) -> bool:
        """Return whether the operator has benched a name."""
        return self._resting.get(name) == math.inf

    def unbench(self, name: str, now: float) -> None:
        """Let a name play that was benched or rests; its failures are forgotten."""
        self._failures.pop(name, None)
        self._resting.pop(name, None)
        for entry in self._entries([name]):
            self._wait_from(entry, now)

    # Choosing

    def _choose(self, now: float) -> tuple[Sequence[str] | None, float]:
        """Choose the names of a match; if there are none, return when there may be some."""
        resting = self.resting(now)
        when = min(
            (end for name, end in resting.items() if name in self._waiting or name in self._house),
            default=math.inf,
        )
        free = []
        for entry in self._waiting.values():
            if entry.playing or entry.name in resting:
                continue
            if entry.since <= now:
                free.append(entry)
            else:
                when = min(when, entry.since)
        if all(entry.name in self.followers for entry in free):
            return None, when
        missing = self._seats - len({entry.owner for entry in free})
        chosen, later = self._fill(free, missing, now) if missing > 0 else self._pair(free, now)
        return chosen, min(when, later)

    def _pair(self, free: list[_Name], now: float) -> tuple[Sequence[str] | None, float]:
        """Choose a match of those that are free, as `_choose`."""
        if self._running and len(free) < CHOICE * self._seats:
            first = self._longest_waiting(free)
            recent = self._recent(first)
            fresh = any(entry.name not in recent for entry in free if entry.owner != first.owner)
            patience = self._duration * (PATIENCE if fresh else PATIENCE_IF_RECENT)
            begin = first.since + min(patience, MOST_PATIENCE)
            if begin > now:
                return None, begin
        order = sorted(free, key=lambda entry: (entry.since - now) * entry.bonus)
        first = next(entry for entry in order if entry.name not in self.followers)
        return (first.name, *self._opponents(first, order)), now

    def _longest_waiting(self, free: Iterable[_Name]) -> _Name:
        """Return the one that has waited longest of those that may begin a match."""
        leaders = (entry for entry in free if entry.name not in self.followers)
        return min(leaders, key=lambda entry: entry.since)

    def _fill(
        self, free: list[_Name], missing: int, now: float
    ) -> tuple[Sequence[str] | None, float]:
        """Choose a match as `_choose`, in which house bots take the seats that are missing."""
        resting = self.resting(now)
        house = [name for name in self._house if name not in resting]
        if not free or missing > len(house):
            return None, math.inf
        first = self._longest_waiting(free)
        begin = first.since + self._fill_after
        if begin > now:
            return None, begin
        recent, rating = self._recent(first), self._rating(first.name)
        house.sort(key=lambda name: (name in recent, abs(self._rating(name) - rating)))
        return (first.name, *self._opponents(first, free), *house[:missing]), now

    def _opponents(self, first: _Name, order: Sequence[_Name]) -> list[str]:
        """Return the best opponents of a name: of different owners, and at most one for each seat.

        Those that may play are given in order, whoever has waited longest first.
        """
        recent, rating = self._recent(first), self._rating(first.name)
        by_chance = first.matches % EVERY == EVERY - 1
        longest = max(math.ceil(LONGEST * len(order)), self._seats)
        candidates = sorted(
            (
                entry.name in recent,
                place >= longest,
                self._chance.random() if by_chance else abs(self._rating(entry.name) - rating),
                place,
            )
            for place, entry in enumerate(order)
            if entry.owner != first.owner
        )
        owners = {first.owner}
        opponents = []
        for *_, place in candidates:
            entry = order[place]
            if len(owners) == self._seats:
                break
            if entry.owner not in owners:
                owners.add(entry.owner)
                opponents.append(entry.name)
        return opponents

    def _rating(self, name: str) -> float:
        return self._ratings.get(name, self._mean)

    def _recent(self, entry: _Name) -> set[str]:
        """Return the recent opponents of a name: at most half of those who are present."""
        present = len(self._waiting) + len(self._running) * self._seats + len(self._house)
        return set(entry.recent[max(0, len(entry.recent) - (present - 1) // 2) :])

    # Keeping account

    def _name(self, name: str) -> _Name:
        entry = self._names.get(name)
        if entry is None:
            entry = self._names[name] = _Name(name)
        return entry

    def _entries(self, names: Iterable[str]) -> list[_Name]:
        return [self._name(name) for name in names if name not in self._house]

    def _wait_from(self, entry: _Name, now: float) -> None:
        """Let the wait of a name begin now, or when it has rested, if that is later."""
        rest = self.resting(now).get(entry.name, now)
        entry.since = rest if rest < math.inf else now

    def _note_opponents(self, names: Sequence[str]) -> None:
        recent = RECENT * (self._seats - 1)
        for entry in self._entries(names):
            # In an order that doesn't depend on the seats, which the ladder has dealt by chance.
            opponents = sorted(name for name in names if name != entry.name)
            entry.recent = (*entry.recent, *opponents)[-recent:]

    def _count(self, names: Sequence[str], failed: Collection[str], now: float) -> None:
        for name in names:
            if name in failed:
                self.fail(name, now)
            elif name in self._failures:
                self._failures[name].in_a_row = 0
            if name not in self._house:
                self._name(name).matches += 1
