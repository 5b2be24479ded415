"""The standing ladder: which of the names that wait meet, and when.

It is a state machine without clock and I/O: the present time is an argument, in seconds on any
scale that never runs backwards. Its caller

- gives a new `Ladder` the stored matches by `restore`;
- reports who waits (`wait`, `leave`) and which matches are over (`over`);
- after each of these, and at the time that `due` returns, begins the matches that `next` returns,
  as many as it has room for.

**Blocks.** As in a tournament, names meet in blocks: one opening, played in all seatings. The next
match of an open block goes before everything else as soon as all its names wait. Nobody waits for
an absent opponent, except for the moment (`RETURN`) that a bot needs to come back after a match:
then a name is paired anew, and its block stays open. A block is closed with what was played if
nothing was played in it for `block_timeout`, if one of its names has begun `OPEN_BLOCKS` others, or
after `TRIES` void or aborted matches.

**Pairing.** Whoever has waited longest is paired first; the wait of a new name counts up to double.
Its opponents are those with the most similar live ratings, recent opponents last. If many wait,
they are taken from the third that has waited longest, so that nobody waits much longer than the
others. If few wait, pairing is put off for a small part of the time that a block takes, so that
there is a choice; for longer if nobody waits but recent opponents. Names of one owner never meet.

**House bots** don't wait: any number of matches may have the same one. If somebody has waited for
`fill_after` and there are too few opponents, house bots take the seats that are missing. They are
rated as everybody is.

**Several arenas** may play one ladder, each with the names that are connected to it. What the
others have played is taken by `over_elsewhere`; their blocks can't be continued here.

**Restart.** Everything but who waits follows from the stored matches: the last ones of each name,
and how many it has played. `restore` takes about 15 µs for each, as it updates no ratings: they are
made at the end (`ladder_ratings`). Memory is bounded by the number of names; of matches only those
are kept. A window of the latest blocks concerns only the ratings.
"""

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import attrs

from lanista.arena.ladders.ratings import LadderRatings
from lanista.pairing.rests import Rests
from lanista.pairing.blocks import Pairing, Seating
from lanista.pairing.ladder import RECENT
from lanista.pairing.shared import arranged

OPEN_BLOCKS = 3
"""The number of open blocks that a name may have."""
TRIES = 3
"""The number of void or aborted matches after which a block is closed."""
NEW = 30
"""The number of matches after which the bonus of a new name for its wait has fallen to half."""
CHOICE = 8
"""The number of waiting names for each seat from which on there is enough choice."""
PATIENCE = 0.05
"""How long a pairing is put off if there is less choice, as a fraction of a block's duration."""
PATIENCE_IF_RECENT = 0.15
"""The same if all opponents would be recent ones; else the same four would often stay together."""
MOST_PATIENCE = 60.0
"""The longest time for which a pairing is put off, in seconds."""
RETURN = 2.0
"""Seconds after a match within which its names aren't paired anew, since its block may go on.

A bot that plays one match a connection needs a moment to come back.
"""
MOST_ELSEWHERE = 1000
"""The number of other arenas' blocks that are remembered; further ones are likely to be over."""
_AVERAGED = 50
"""The number of matches over which their duration is averaged."""


@attrs.frozen
class LadderMatch:
    """A match to begin: one seating of a block."""

    pairing: Pairing
    """The block: its names by place, and the number of its opening."""
    seating: int
    """The number of the seating among those of a block."""
    attempt: int
    """The number of the attempt, from 1; above 1 after void or aborted matches of the block."""
    names: tuple[str, ...]
    """The names by seat."""


@attrs.frozen
class LadderResult:
    """A match that is over; the first three attributes are those of the `LadderMatch`."""

    pairing: Pairing
    seating: int
    attempt: int
    ranks: tuple[int, ...] | None
    """By seat: 1 is best, equal ranks are ties. None if it was void, so it doesn't count."""
    failed: Collection[str]
    """The names that failed in it."""
    time: float
    """When it was over."""


@attrs.frozen
class Counted:
    """The matches that count, counted beside a ladder; see `Ladder.recount`."""

    ratings: LadderRatings
    matches: Counter[str] = attrs.field(factory=Counter, init=False)
    """The number of matches of each name."""
    blocks: dict[Pairing, int] = attrs.field(factory=dict, init=False)
    """The numbers of the blocks, in the order in which they were first counted."""

    def keep(self, pairing: Pairing, names: Sequence[str], ranks: Sequence[int]) -> None:
        """Count a match, and leave rating it to `LadderRatings.rate_anew`."""
        self.ratings.keep(names, ranks, self._number(pairing, names))

    def add(self, pairing: Pairing, names: Sequence[str], ranks: Sequence[int]) -> None:
        """Count and rate a match."""
        self.ratings.add(names, ranks, self._number(pairing, names))

    def _number(self, pairing: Pairing, names: Sequence[str]) -> int:
        self.matches.update(names)
        return self.blocks.setdefault(pairing, len(self.blocks))


@attrs.define(eq=False)
class _Block:
    """An open block."""

    pairing: Pairing
    left: list[int]
    """The numbers of the seatings still to be played, the next one first; none if it is closed."""
    since: float
    """When a match of it was last begun or over."""
    attempt: int = 1
    """The number of the next attempt."""
    number: int | None = None
    """Its number in the order in which blocks were first counted; None if none of its matches was.
    """


@attrs.define(eq=False)
class _Name:
    """The state of a name: whether it plays, how often it has, whom it met last."""

    name: str
    owner: Hashable = None
    since: float = 0.0
    """From when on it may be paired anew, if it waits; its wait is counted from then."""
    held: float = -math.inf
    """Until when it isn't paired anew because the block of its last match may go on."""
    playing: bool = False
    matches: int = 0
    """The number of matches that it has played."""
    recent: tuple[str, ...] = ()
    """Its last opponents, the latest one last."""
    blocks: dict[Pairing, _Block] = attrs.field(factory=dict)
    """Its open blocks."""

    @property
    def bonus(self) -> float:
        """The factor by which its wait counts more than that of a name with many matches."""
        return 1 + NEW / (NEW + self.matches)


class Ladder:
    """A standing ladder: pairs the names that wait."""

    def __init__(
        self,
        *,
        seated: Sequence[Seating],
        house: Sequence[str] = (),
        fill_after: float = 10.0,
        block_timeout: float = 600.0,
        bench_after: int = 3,
        window: int | None = None,
    ) -> None:
        """Begin with nothing played and nobody waiting.

        Args:
            seated: The seatings of each block.
            house: The names of the house bots.
            fill_after: Seconds after which house bots fill the seats that are missing.
            block_timeout: Seconds after which a block whose names stay away is closed.
            bench_after: The number of failed matches in a row after which a name rests.
            window: The number of the latest blocks that count for live ratings; None for all.
        """
        self._seated = tuple(seated)
        self._seats = len(self._seated[0])
        self._house = tuple(house)
        self._rests = Rests(bench_after)
        self.limit(fill_after, block_timeout, bench_after)
        self._window = window
        self._ratings = LadderRatings(window)
        self._counted_blocks = 0
        # The numbers of the latest blocks of other arenas, in the order of their first matches.
        self._elsewhere: dict[Hashable, int] = {}
        self._names: dict[str, _Name] = {}
        self._waiting: dict[str, _Name] = {}
        # By running match: its block, and when it began.
        self._running: dict[LadderMatch, tuple[_Block, float]] = {}
        # The open blocks without a running match, the one that has been idle the longest first.
        self._idle: dict[Pairing, _Block] = {}
        # Every opening from this number on is unused.
        self._next_opening = 0
        # The average duration of the last matches, and how many of them were averaged.
        self._duration = 0.0
        self._averaged = 0

    def limit(self, fill_after: float, block_timeout: float, bench_after: int) -> None:
        """Go on with other values of these arguments of the constructor."""
        self._fill_after = fill_after
        self._block_timeout = block_timeout
        self._rests.bench_after = bench_after

    def restore(
        self, matches: Iterable[LadderResult], played: Mapping[str, int] | None = None
    ) -> None:
        """Take the stored matches, before anything else happens.

        Args:
            matches: All matches that count, in the order in which they were stored; or, of each
                name, at least the last `ladder_ratings.KEPT`, and all in the window. Failures
                before these are forgotten, so a rest may be shorter than it would have been.
            played: By name: the number of all its matches that count; None if `matches` are all.
        """
        numbers: dict[Pairing, int] = {}
        for match in matches:
            self._close_stale(match.time)
            block = self._idle.get(match.pairing)
            if block is None:
                block = self._open(match.pairing, match.time)
                # A block may seem to have been closed in between that wasn't, as matches of others
                # are missing that were struck, or lie too far back.
                block.number = numbers.get(match.pairing)
            block.attempt = max(block.attempt, match.attempt)
            if match.ranks is None:
                self._try_again(block, match.time)
            else:
                names = self._by_seat(match.pairing, match.seating)
                number = numbers[match.pairing] = self._number_of(block)
                self._ratings.keep(names, match.ranks, number)
                self._count(block, match.seating, names, match.failed, match.time)
        for name, number in (played or {}).items():
            if name not in self._house:
                self._name(name).matches = number
        self._ratings.rate_anew()

    def close_blocks(self) -> None:
        """Close all blocks without a running match, with what was played of them."""
        for block in tuple(self._idle.values()):
            self._close(block)

    def is_open(self, pairing: Pairing) -> bool:
        """Return whether matches of a block are running or may follow."""
        return pairing in self._idle or any(match.pairing == pairing for match in self._running)

    def wait(self, name: str, owner: Hashable, now: float) -> None:
        """Let a name wait for matches; if it waits already, its wait goes on.

        It may still play a match, as after a second connection: then it waits for the end of that.

        Args:
            name: The name.
            owner: Its owner; names with equal owners don't meet.
            now: The present time.

        Raises:
            ValueError: It is the name of a house bot.
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

    def next(self, now: float) -> LadderMatch | None:
        """Return a match to begin now, whose names then no longer wait; None if there is none."""
        self._close_stale(now)
        chosen, _ = self._choose(now)
        if chosen is None:
            return None
        if isinstance(chosen, _Block):
            block = chosen
            del self._idle[block.pairing]
        else:
            opening = self._next_opening
            # The number of an opening stays the same for ever, so it is the opening's rotation too.
            block = self._open(Pairing(arranged(chosen, opening, int), opening), now)
        seating = block.left[0]
        names = self._by_seat(block.pairing, seating)
        match = LadderMatch(block.pairing, seating, block.attempt, names)
        self._running[match] = block, now
        for entry in self._entries(names):
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
        match: LadderMatch,
        now: float,
        ranks: Sequence[int] | None,
        failed: Collection[str] = (),
    ) -> None:
        """Take the end of a running match; names that stay connected wait again by `wait`.

        Args:
            match: The match, as `next` has returned it.
            now: The present time.
            ranks: By seat: 1 is best, equal ranks are ties. None if it doesn't count, as it was
                void or aborted; it is then played again when its names wait.
            failed: The names that failed in it.

        Raises:
            KeyError: The match isn't running.
        """
        block, begun = self._running.pop(match)
        if ranks is None:
            self._try_again(block, now)
        else:
            self._averaged = min(self._averaged + 1, _AVERAGED)
            self._duration += (now - begun - self._duration) / self._averaged
            self._ratings.add(match.names, ranks, self._number_of(block))
            self._count(block, match.seating, match.names, failed, now)
        for entry in self._entries(match.names):
            entry.playing = False
            entry.held = now + RETURN if block.left else now
            self._wait_from(entry, now)

    def over_elsewhere(
        self,
        block: Hashable,
        bots: Sequence[str],
        seating: int,
        ranks: Sequence[int],
        *,
        failed: Collection[str],
        now: float,
    ) -> None:
        """Take a match that counts and that another arena has played on this ladder.

        Args:
            block: Stands for its block, of which no match is played here.
            bots: The block's names, by place.
            seating: The number of the seating.
            ranks: By seat: 1 is best, equal ranks are ties.
            failed: The names that failed in it.
            now: The present time.
        """
        names = tuple(bots[place] for place in self._seated[seating])
        number = self._elsewhere.get(block)
        if number is None:
            number = self._elsewhere[block] = self._counted_blocks
            self._counted_blocks += 1
            self._note_opponents(bots)
            if len(self._elsewhere) > MOST_ELSEWHERE:
                del self._elsewhere[next(iter(self._elsewhere))]
        self._ratings.add(names, ranks, number)
        self._count_names(names, failed, now)

    def presence(self, now: float) -> Mapping[str, int]:
        """Return how many names are present, house bots aside: `waiting`, `playing`, `resting`."""
        resting = self._rests.resting(now)
        playing = {name for match in self._running for name in match.names}.difference(self._house)
        there = self._waiting.keys() - playing
        return {
            "waiting": len(there - resting.keys()),
            "playing": len(playing),
            "resting": len(there & resting.keys()),
        }

    def resting_until(self, name: str, now: float) -> float | None:
        """Return until when a name isn't paired, infinity if the operator has benched it.

        Returns None if it doesn't rest.
        """
        return self.resting(now).get(name)

    def resting(self, now: float) -> Mapping[str, float]:
        """Return the names that rest, and until when: infinity if the operator has benched one."""
        return self._rests.resting(now)

    def bench(self, name: str) -> None:
        """Pair a name no longer, until it is unbenched."""
        self._rests.bench(name)

    def is_benched(self, name: str) -> bool:
        """Return whether the operator has benched a name."""
        return self._rests.is_benched(name)

    def unbench(self, name: str, now: float) -> None:
        """Let a name play that was benched or rests; its failures are forgotten."""
        self._rests.unbench(name)
        for entry in self._entries([name]):
            self._wait_from(entry, now)

    def counted(self, matches: Iterable[LadderResult]) -> Counted:
        """Count and rate matches beside this ladder, which isn't changed; a thread may do it."""
        counted = Counted(LadderRatings(self._window))
        for match in matches:
            if match.ranks is not None:
                names = self._by_seat(match.pairing, match.seating)
                counted.keep(match.pairing, names, match.ranks)
        counted.ratings.rate_anew()
        return counted

    def recount(self, counted: Counted) -> None:
        """Take what was counted instead of what counts now, as the operator has struck a name."""
        for entry in self._entries({*self._names, *counted.matches}):
            entry.matches = counted.matches[entry.name]
        self._ratings = counted.ratings
        self._counted_blocks = len(counted.blocks)
        self._elsewhere.clear()  # their numbers were those of the former count
        for block in (*self._idle.values(), *(block for block, _ in self._running.values())):
            block.number = counted.blocks.get(block.pairing)

    def live(self) -> Mapping[str, float]:
        """Return the live rating of each name that has played, and of the house bots.

        As on a tournament's ladder they are openskill's ordinals.
        """
        played = (name for name, entry in self._names.items() if entry.matches)
        return {name: self._ratings.ordinal(name) for name in (*played, *self._house)}

    # Choosing

    def _choose(self, now: float) -> tuple[_Block | tuple[str, ...] | None, float]:
        """Choose what to begin: the next match of a block, or a new block of these names.

        Returns:
            The choice; and if there is none, when there may be one.
        """
        resting = self._rests.resting(now)
        when = min(
            (end for name, end in resting.items() if name in self._waiting or name in self._house),
            default=math.inf,
        )
        free = {
            name: entry
            for name, entry in self._waiting.items()
            if not entry.playing and name not in resting
        }
        house = [name for name in self._house if name not in resting]
        there = {*free, *house}
        for entry in free.values():
            for block in entry.blocks.values():
                if there.issuperset(block.pairing.bots) and self._strangers(block):
                    return block, now
        pairable = [entry for entry in free.values() if entry.since <= now]
        if len(pairable) < len(free):
            when = min(when, *(entry.since for entry in free.values() if entry.since > now))
        missing = self._seats - len({entry.owner for entry in pairable})
        if missing > 0:
            chosen, later = self._fill(pairable, house, missing, now)
        else:
            chosen, later = self._pair(pairable, now)
        return chosen, min(when, later)

    def _pair(self, free: list[_Name], now: float) -> tuple[tuple[str, ...] | None, float]:
        """Choose the names of a new block among those that are free, as `_choose`."""
        if self._running and len(free) < CHOICE * self._seats:
            first = min(free, key=lambda entry: entry.since)
            recent = self._recent(first)
            fresh = any(entry.name not in recent for entry in free if entry.owner != first.owner)
            patience = PATIENCE if fresh else PATIENCE_IF_RECENT
            patience *= self._duration * len(self._seated)
            begin = first.since + min(patience, MOST_PATIENCE)
            if begin > now:
                return None, begin
        order = sorted(free, key=lambda entry: (entry.since - now) * entry.bonus)
        return (order[0].name, *self._opponents(order[0], order)), now

    def _fill(
        self, free: list[_Name], house: list[str], missing: int, now: float
    ) -> tuple[tuple[str, ...] | None, float]:
        """Choose a block of those that are free and of house bots, as `_choose`.

        Args:
            free: The names that are free, of too few owners to fill a match.
            house: The house bots that may play.
            missing: The number of seats that are missing.
            now: The present time.
        """
        if not free or missing > len(house):
            return None, math.inf
        first = min(free, key=lambda entry: entry.since)
        begin = first.since + self._fill_after
        if begin > now:
            return None, begin
        recent, skill = self._recent(first), self._ratings.skill(first.name)
        house.sort(key=lambda name: (name in recent, abs(self._ratings.skill(name) - skill)))
        return (first.name, *self._opponents(first, free), *house[:missing]), now

    def _opponents(self, first: _Name, order: Sequence[_Name]) -> list[str]:
        """Return the best opponents of a name: of different owners, and at most one for each seat.

        Args:
            first: The name.
            order: All names that may play, by how long they have waited, the longest first.
        """
        recent, skill = self._recent(first), self._ratings.skill(first.name)
        longest = max(len(order) // 3, 2 * self._seats)
        candidates = sorted(
            (
                entry.name in recent,
                place >= longest,
                abs(self._ratings.skill(entry.name) - skill),
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

    def _recent(self, entry: _Name) -> set[str]:
        """Return the recent opponents of a name: at most half of those who are present."""
        present = len(self._waiting) + len(self._running) * self._seats + len(self._house)
        return set(entry.recent[max(0, len(entry.recent) - (present - 1) // 2) :])

    def _strangers(self, block: _Block) -> bool:
        """Return whether its names have different owners, which a name can have got meanwhile."""
        owners = [entry.owner for entry in self._entries(block.pairing.bots)]
        return len(owners) == len(set(owners))

    # Keeping account

    def _name(self, name: str) -> _Name:
        entry = self._names.get(name)
        if entry is None:
            entry = self._names[name] = _Name(name)
        return entry

    def _entries(self, names: Iterable[str]) -> list[_Name]:
        """Return the entries of those names that aren't house bots."""
        return [self._name(name) for name in names if name not in self._house]

    def _by_seat(self, pairing: Pairing, seating: int) -> tuple[str, ...]:
        return tuple(pairing.bots[place] for place in self._seated[seating])

    def _wait_from(self, entry: _Name, now: float) -> None:
        """Let the wait of a name begin now, or when it may be paired anew, if that is later."""
        rest = self._rests.resting(now).get(entry.name, now)
        entry.since = max(now, entry.held, rest if rest < math.inf else now)

    def _open(self, pairing: Pairing, now: float) -> _Block:
        """Open a block, which isn't idle yet."""
        self._next_opening = max(self._next_opening, pairing.opening + 1)
        # Another seating comes first on each opening, as many blocks may end after their first
        # match. The rotation of four bots has a period of six.
        many = len(self._seated)
        seatings = [(pairing.opening // 6 + number) % many for number in range(many)]
        block = _Block(pairing, seatings, now)
        for entry in self._entries(pairing.bots):
            if len(entry.blocks) >= OPEN_BLOCKS:
                self._close(min(entry.blocks.values(), key=lambda block: block.since))
            entry.blocks[pairing] = block
        self._note_opponents(pairing.bots)
        return block

    def _note_opponents(self, names: Sequence[str]) -> None:
        """Take note that these names have met."""
        recent = RECENT * (self._seats - 1)
        for entry in self._entries(names):
            opponents = (name for name in names if name != entry.name)
            entry.recent = (*entry.recent, *opponents)[-recent:]

    def _try_again(self, block: _Block, now: float) -> None:
        """Take note of a match of a block that doesn't count."""
        block.attempt += 1
        if block.attempt > TRIES:
            self._close(block)
        self._keep_open(block, now)

    def _count(
        self,
        block: _Block,
        seating: int,
        names: Sequence[str],
        failed: Collection[str],
        now: float,
    ) -> None:
        """Count a match of a block of ours, for the block and for its names."""
        if seating in block.left:
            block.left.remove(seating)
            if not block.left:
                self._close(block)
        self._keep_open(block, now)
        self._count_names(names, failed, now)

    def _count_names(self, names: Sequence[str], failed: Collection[str], now: float) -> None:
        """Count a match for its names."""
        for name in names:
            if name in failed:
                self._rests.failed(name, now)
            else:
                self._rests.succeeded(name)
            if name not in self._house:
                self._name(name).matches += 1

    def _number_of(self, block: _Block) -> int:
        """Return the number of a block of which a match counts."""
        if block.number is None:
            block.number = self._counted_blocks
            self._counted_blocks += 1
        return block.number

    def _keep_open(self, block: _Block, now: float) -> None:
        """Let a block wait for its names, unless it is closed."""
        if block.left:
            block.since = now
            self._idle.pop(block.pairing, None)
            self._idle[block.pairing] = block

    def _close(self, block: _Block) -> None:
        block.left = []
        self._idle.pop(block.pairing, None)
        for entry in self._entries(block.pairing.bots):
            entry.blocks.pop(block.pairing, None)

    def _close_stale(self, now: float) -> None:
        """Close the blocks that have been idle for too long."""
        while self._idle:
            block = next(iter(self._idle.values()))
            if block.since + self._block_timeout > now:
                return
            self._close(block)
