"""Round-robin and gauntlet: formats whose blocks are all known from the start.

The blocks are handed out one opening after another, so that after each opening all bots have met as
the format says.
"""

import operator
from collections.abc import Callable, Sequence

from lanista.competition.formats.base import Contest, Format, Progress, turned
from lanista.competition.formats.designs import balanced
from lanista.results.blocks import BlockScore, Pairing


class Fixed(Format):
    """A fixed list of blocks for each opening."""

    def __init__(
        self,
        contest: Contest,
        lists: Sequence[Sequence[tuple[str, ...]]],
        also_counts: Callable[[tuple[str, ...]], bool] = lambda _: False,
    ) -> None:
        """Begin with nothing played.

        `lists` has, by rotation modulo their number, the blocks of an opening in the order of play.
        `also_counts` returns whether a block that isn't in them counts if it was played.
        """
        super().__init__(contest)
        self._openings = contest.openings
        self._lists = [tuple(blocks) for blocks in lists]
        self._sets = [frozenset(blocks) for blocks in self._lists]
        self._also_counts = also_counts
        # By rotation: how many openings have it; counted when it is first needed.
        self._list_counts: list[int] | None = None
        self._wanted = self._count_wanted()
        self._played = 0
        # How many of the played blocks are wanted: listed, and without a benched bot.
        self._played_wanted = 0
        # Where to look for the next block; what was skipped is never wanted again.
        self._opening = 0
        self._index = 0

    def _count_wanted(self) -> int:
        kept = [sum(map(self._playable, blocks)) for blocks in self._lists]
        if len(set(kept)) == 1:
            return kept[0] * self._openings
        if self._list_counts is None:
            self._list_counts = [0] * len(kept)
            for opening in range(self._openings):
                self._list_counts[self._list_index(opening)] += 1
        return sum(map(operator.mul, kept, self._list_counts))

    def _list_index(self, opening: int) -> int:
        # With one list, as for two seats, the rotation needn't be known.
        return self._rotation(opening) % len(self._lists) if len(self._lists) > 1 else 0

    def _is_listed(self, pairing: Pairing) -> bool:
        return pairing.bots in self._sets[self._list_index(pairing.opening)]

    def counts(self, pairing: Pairing) -> bool:
        """Return whether it is one of the listed blocks, or may be counted with them."""
        return 0 <= pairing.opening < self._openings and (
            self._is_listed(pairing) or self._also_counts(pairing.bots)
        )

    def _take(self, played: BlockScore) -> None:
        if not self.counts(played.pairing):
            return
        self._played += 1
        self._played_wanted += self._is_wanted(played.pairing)

    def _is_wanted(self, pairing: Pairing) -> bool:
        return self._is_listed(pairing) and self._playable(pairing.bots)

    def bench(self, *bots: str) -> None:
        """Take bots out: those of their blocks that aren't played yet are no longer wanted."""
        if self.benched.keys() >= set(bots):
            return
        self.benched |= dict.fromkeys(bots)
        self._wanted = self._count_wanted()
        self._played_wanted = sum(
            self.counts(pairing) and self._is_wanted(pairing) for pairing in self._recorded
        )

    def _next(self) -> Pairing | None:
        while self._opening < self._openings:
            blocks = self._lists[self._list_index(self._opening)]
            while self._index < len(blocks):
                pairing = Pairing(blocks[self._index], self._opening)
                self._index += 1
                if self._playable(pairing.bots) and self._free(pairing):
                    return pairing
            self._opening += 1
            self._index = 0
        return None

    def over(self) -> bool:
        """Return whether every block that is wanted was played."""
        return self._played_wanted == self._wanted

    def progress(self) -> Progress:
        """Return the progress, with blocks that were played and are no longer wanted."""
        unwanted = self._played - self._played_wanted
        return Progress(played=self._played, planned=self._wanted + unwanted)


def round_robin(contest: Contest) -> Fixed:
    """Return a round-robin, in which every bot meets every other equally often.

    With two seats every two bots meet on every opening, in the rounds of the circle method, so that
    no bot is ahead of another by more than two blocks. With four, every opening is one balanced
    design; the circular orders of its blocks change from opening to opening (see `base.turned`).
    Blocks of the same bots that another design asked for, while the spec listed fewer or more bots,
    count as well.
    """
    # In the order of names, so that blocks stay wanted if the spec lists its bots in another order.
    names = sorted(contest.entries)
    if len(contest.seated[0]) == 2:
        pairs = [(names[one], names[other]) for one, other in circle(len(names))]
        return Fixed(contest, [pairs])
    known = frozenset(names)
    design = [tuple(names[place] for place in block) for block in balanced(len(names))]
    return Fixed(
        contest,
        [[turned(block, number) for block in design] for number in range(6)],
        also_counts=lambda bots: len(set(bots)) == 4 and known.issuperset(bots),
    )


def circle(count: int) -> list[tuple[int, int]]:
    """Return all pairs of 0 … count-1, the lower number first, round by round of the circle method.

    One point stands still and the others move around it; an odd count gets an empty place.
    """
    around = [*range(count), -1] if count % 2 else [*range(count)]
    pairs: list[tuple[int, int]] = []
    for _ in range(len(around) - 1):
        for one, other in zip(around, reversed(around[len(around) // 2 :]), strict=False):
            if min(one, other) >= 0:
                pairs.append((min(one, other), max(one, other)))
        around.insert(1, around.pop())
    return pairs


PERIOD = 24
"""The number of rotations after which four-seat blocks repeat: enough to mix the bots evenly."""


def gauntlet(contest: Contest, challenger: str) -> Fixed:
    """Return a gauntlet, in which one bot, the challenger, meets all the others.

    With four seats the challenger meets every other bot three times on every opening, once at each
    distance around the table (once in all if there are just four bots). The three others of a block
    are a triple that is moved around a circle of all the others, a different triple for each
    rotation, so that the others meet each other as equally as possible. Blocks with the challenger
    that were played while the spec listed fewer or more bots count as well.
    """
    others = sorted(entry for entry in contest.entries if entry != challenger)
    if len(contest.seated[0]) == 2:
        # In the order of names, as in a round-robin, so that the two formats share results.
        pairs = [(min(challenger, other), max(challenger, other)) for other in others]
        return Fixed(contest, [pairs])
    period = 3 if len(others) == 3 else PERIOD
    bases = triples(len(others), period)

    def blocks_of(number: int) -> list[tuple[str, ...]]:
        base = bases[number]
        # Just three others make one block, wherever on the circle the triple starts.
        steps = [number] if len(others) == 3 else _steps(len(others))
        return [
            (challenger, *(others[(place + step) % len(others)] for place in base))
            for step in steps
        ]

    known = frozenset(contest.entries)
    return Fixed(
        contest,
        [blocks_of(number) for number in range(period)],
        also_counts=lambda bots: (
            challenger in bots and len(set(bots)) == 4 and known.issuperset(bots)
        ),
    )


def _steps(size: int) -> list[int]:
    """Return 0 … size-1, every third first, so that neighbours don't play one after another."""
    return [step for start in range(3) for step in range(start, size, 3)]


def triples(size: int, count: int) -> list[tuple[int, int, int]]:
    """Return triples of Z_size to be moved around, one for each rotation.

    Each is (0, a, b) and is chosen greedily so that the differences occur as equally often as
    possible: it is the triple whose three differences were used least so far, and the first of
    equals. Three points at equal distances are left out (unless there are just three points), as
    moving around the circle would give each such triple three times.
    """
    # Triples that are translates of each other give the same blocks; one of them is enough.
    different: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for a in range(1, size - 1):
        for b in range(a + 1, size):
            if size == 3 or (a, b) != (size / 3, 2 * size / 3):
                sides = (a, b - a, size - b)
                shape = min(sides[start:] + sides[:start] for start in range(3))
                different.setdefault(shape, (0, a, b))
    met = [0] * size
    chosen: list[tuple[int, int, int]] = []
    for _ in range(count):
        best = min(
            different.values(),
            key=lambda triple: sum(met[d] for d in _differences(triple, size)),
        )
        for d in _differences(best, size):
            met[d] += 1
        chosen.append(best)
    return chosen


def _differences(triple: tuple[int, int, int], size: int) -> list[int]:
    """Return the differences of each two points of a triple, both ways.

    Half of an even size occurs twice, as two points at that distance meet twice.
    """
    return [(one - other) % size for one in triple for other in triple if one != other]
