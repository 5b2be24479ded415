"""The blocks of a tournament as arrays: sorted by their content, with equal matches merged.

So the order in which blocks ended leaves no trace in any figure, down to the last bit; and the
arrays are small, as a tournament has far fewer different matches than matches.

Letters in shapes: N bots, S seats, B blocks, M different matches, K different patterns (ways to
rank the seats), T stages of a ranking at most (S - 1).
"""

import itertools
import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Self

import attrs

from lanista.ratings.numerics import Bools, Floats, Ints, NDArray, np
from lanista.results.blocks import BlockScore, Seating

MANY_OPENINGS = 3
"""The number of openings from which on it can be seen what the blocks of one have in common."""
MOST_VERSIONS = 20
"""The most versions of a bot that are players of their own, those that played last; what older
ones played counts for the oldest of them. It bounds the time and memory that a table takes."""
_EVEN_OPENINGS = 2.0
"""The number of equal openings that they must at least be worth if blocks lie unevenly on them."""


@attrs.frozen(kw_only=True, eq=False)
class Counted:
    """Everything that was played, as arrays.

    A player is a bot's index in the spec's order; all fillers together are player N. On a ladder
    with submitted programs each version of a bot is a player: those of a bot follow one another, in
    the order of their first matches.
    """

    bots: int
    """N, the number of players but for the fillers."""
    bot_of: Ints
    """(N,): the bot of which each player is a version, numbered from 0 without gaps."""
    versions: tuple[int | None, ...]
    """By player: the number of the version; None for a bot that nobody has submitted."""
    seats: int
    block_players: Ints
    """(B, places): by block, the player at each place."""
    openings: Ints
    """(B,): its opening, numbered from 0 in their order, without gaps."""
    block_of: Ints
    """(all matches,): by match that was played, its block."""
    match_of: Ints
    """(all matches,): by match that was played, which of the M different ones it is."""
    players: Ints
    """(M, S): the player in each seat."""
    pattern_of: Ints
    """(M,): which of the K patterns its ranks are."""
    patterns: Ints
    """(K, S): the rank of each seat; 1 is best, equal ranks are ties."""
    times: Ints
    """(M,): how often this match was played."""

    @property
    def successors(self) -> Ints:
        """The players that are versions of the same bot as the player before each of them."""
        return np.flatnonzero(np.diff(self.bot_of) == 0) + 1

    @property
    def current(self) -> Ints:
        """By bot: the version that played the bot's latest match, given a block for each match."""
        last = np.zeros(self.bots + 1, dtype=np.int64)
        for players in self.block_players.T:
            np.maximum.at(last, players, np.arange(1, self.blocks + 1))
        order = np.lexsort((last[:-1], self.bot_of))
        return np.asarray(order[np.diff(self.bot_of, append=-1) != 0])

    @property
    def by_bot(self) -> Self:
        """The same with each bot as one player, whatever its versions."""
        bots = len(set(self.bot_of.tolist()))
        if bots == self.bots:
            return self
        player_of = np.append(self.bot_of, bots)
        return attrs.evolve(
            self,
            bots=bots,
            bot_of=np.arange(bots),
            versions=(None,) * bots,
            block_players=player_of[self.block_players],
            players=player_of[self.players],
        )

    @property
    def blocks(self) -> int:
        """Number of blocks."""
        return len(self.openings)

    @property
    def matches(self) -> int:
        """Number of matches that were played."""
        return len(self.match_of)

    @property
    def ranks(self) -> Ints:
        """(M, S): the rank of each seat."""
        return self.patterns[self.pattern_of]

    @property
    def played(self) -> Bools:
        """(N,): whether each player played."""
        blocks = np.bincount(self.block_players.ravel(), minlength=self.bots + 1)
        return np.asarray(blocks[: self.bots] > 0)

    @property
    def fillers(self) -> bool:
        """Whether a filler played."""
        return bool((self.players == self.bots).any())


def count(
    played: Sequence[BlockScore],
    seated: Sequence[Seating],
    bots: Sequence[str],
    fillers: Collection[str] = (),
) -> Counted:
    """Return the blocks as arrays; all fillers are one player from here on.

    `seated` are the seatings of each block, and `bots` those of the table.
    """
    player_of = {name: len(bots) for name in fillers} | {name: i for i, name in enumerate(bots)}
    rankings = {ranks: number for number, ranks in enumerate({r for b in played for r in b.ranks})}
    players_of = {names: [player_of[name] for name in names] for names in {b.bots for b in played}}
    by_block = [rankings[ranks] for block in played for ranks in block.ranks]
    return counted(
        bot_of=np.arange(len(bots)),
        versions=(None,) * len(bots),
        seated=seated,
        block_players=np.array([players_of[block.bots] for block in played], dtype=np.int64),
        openings=np.array([block.opening for block in played], dtype=np.int64),
        patterns=np.array(list(rankings), dtype=np.int64).reshape(-1, len(seated[0])),
        pattern_of=np.array(by_block, dtype=np.int64),
    )


Competitor = str | tuple[str, int]
"""Who plays on a ladder: a bot's name, or for a submitted program its name and its version."""
Page = tuple[Sequence[str], Sequence[Competitor]]
"""Matches of a ladder: their ranks by seat, each as a JSON list, and who plays in all seats."""


class _Patterns(dict[str, int]):
    """Numbers of patterns by their JSON list, each of which is parsed once."""

    def __init__(self) -> None:
        self.ranks: list[list[int]] = []

    def __missing__(self, text: str) -> int:
        self.ranks.append(json.loads(text))
        self[text] = number = len(self.ranks) - 1
        return number


class _Players(dict[Competitor, int]):
    """Numbers of competitors; versions get theirs in the order in which they are met."""

    def __init__(self, bots: Sequence[str]) -> None:
        self.bot_of = list(range(len(bots)))
        self.versions: list[int | None] = [None] * len(bots)
        super().__init__(zip(bots, self.bot_of, strict=True))

    def __missing__(self, competitor: Competitor) -> int:
        name, version = competitor if isinstance(competitor, tuple) else (competitor, None)
        if version is None:
            raise KeyError(f"{name!r} isn't a bot of the table")
        self.bot_of.append(self[name])
        self.versions.append(version)
        self[competitor] = number = len(self.bot_of) - 1
        return number

    def in_order(self, players: Ints) -> tuple[Ints, Ints, tuple[int | None, ...]]:
        """Return the players of all seats as `Counted` numbers them, and its two lists."""
        players = self._merged(players)[players]
        first = np.full(len(self.bot_of), len(players))
        np.minimum.at(first, players, np.arange(len(players)))
        submitted = {of for of, number in zip(self.bot_of, self.versions, strict=True) if number}
        # A bot has a player even if nothing of it was played.
        there = [
            player
            for player, of in enumerate(self.bot_of)
            if first[player] < len(players) or of not in submitted
        ]
        there.sort(key=lambda player: (self.bot_of[player], first[player]))
        number = np.zeros(len(self.bot_of), dtype=np.int64)
        number[there] = np.arange(len(there))
        bot_of = np.array(self.bot_of, dtype=np.int64)[there]
        return number[players], bot_of, tuple(self.versions[player] for player in there)

    def _merged(self, players: Ints) -> Ints:
        """Return by player the one for which it counts: itself, or a later version of its bot."""
        last = np.zeros(len(self.bot_of), dtype=np.int64)
        np.maximum.at(last, players, np.arange(1, len(players) + 1))
        of_bot: dict[int, list[int]] = {}
        for player, bot in enumerate(self.bot_of):
            of_bot.setdefault(bot, []).append(player)
        counts_for = np.arange(len(self.bot_of))
        for versions in of_bot.values():
            if len(versions) > MOST_VERSIONS:
                versions.sort(key=last.__getitem__, reverse=True)
                counts_for[versions[MOST_VERSIONS:]] = versions[MOST_VERSIONS - 1]
        return counts_for


def count_pages(pages: Iterable[Page], seats: int, bots: Sequence[str]) -> Counted:
    """Return the matches of a ladder as arrays; each is a block on an opening of its own.

    It does what `count` does, for matches that are read page by page: a million of them take a
    second or two.

    Raises:
        KeyError: A match was played by a bot that isn't in `bots`.
    """
    competitors, patterns = _Players(bots), _Patterns()
    players, pattern_of = ([np.zeros(0, dtype=np.int64)] for _ in range(2))
    for ranks, names in pages:
        players.append(np.fromiter(map(competitors.__getitem__, names), dtype=np.int64))
        pattern_of.append(np.fromiter(map(patterns.__getitem__, ranks), dtype=np.int64))
    of_seats, bot_of, versions = competitors.in_order(np.concatenate(players))
    block_players = of_seats.reshape(-1, seats)
    return counted(
        bot_of=bot_of,
        versions=versions,
        seated=(tuple(range(seats)),),
        block_players=block_players,
        openings=np.arange(len(block_players)),
        patterns=np.array(patterns.ranks, dtype=np.int64).reshape(-1, seats),
        pattern_of=np.concatenate(pattern_of),
    )


def counted(
    *,
    bot_of: Ints,
    versions: tuple[int | None, ...],
    seated: Sequence[Seating],
    block_players: Ints,
    openings: Ints,
    patterns: Ints,
    pattern_of: Ints,
) -> Counted:
    """Return what was played, in an order that doesn't depend on that of the arguments.

    They are those of `Counted`, but for `seated`, the seatings of each block, and for `pattern_of`:
    by block and seating, which pattern the ranks of the match are. Openings may have any numbers.
    """
    seats = len(seated[0])
    block_players = block_players.reshape(-1, seats)
    first, which, _ = distinct_rows(patterns)
    patterns, pattern_of = patterns[first], which[pattern_of]
    sitting = block_players[:, np.array(seated, dtype=np.int64)].reshape(-1, seats)
    first, match_of, times = distinct_rows(np.column_stack([sitting, pattern_of]))
    players, of_different = sitting[first], pattern_of[first]

    # Blocks in the order of their openings, and of what was played in them.
    by_seating = match_of.reshape(-1, len(seated))
    order = np.lexsort((*by_seating.T[::-1], openings))
    return Counted(
        bots=len(bot_of),
        bot_of=bot_of,
        versions=versions,
        seats=seats,
        block_players=block_players[order],
        openings=np.unique(openings[order], return_inverse=True)[1].astype(np.int64),
        block_of=np.repeat(np.arange(len(block_players)), len(seated)),
        match_of=by_seating[order].ravel(),
        players=players,
        pattern_of=of_different,
        patterns=patterns,
        times=times,
    )


def weighted_counts(numbers: Ints, weights: NDArray[Any], size: int) -> Floats:
    """Return the sum of the weights of each number from 0 to size - 1, shape (size,)."""
    return np.bincount(numbers.ravel(), weights.ravel(), minlength=size).astype(np.float64)


def distinct_rows(rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different rows of a table of numbers from 0 on, in ascending order.

    `np.unique` of a table compares rows as bytes and takes ten times as long. Returns, by different
    row, the index of its first occurrence; by row, the index of its different row; and, by
    different row, how often it occurs.
    """
    key, keys = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        many = int(column.max(initial=0)) + 1
        if keys * many >= 2**62:
            different, key = np.unique(key, return_inverse=True)
            keys = len(different)
        key, keys = key * many + column, keys * many
    _, first, which, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return first.astype(np.int64), which.astype(np.int64), times.astype(np.int64)


@attrs.frozen(kw_only=True, eq=False)
class Independent:
    """The units that are taken as independent: openings, or blocks if there are few openings."""

    unit_of: Ints
    """(B,): the unit of each block, numbered from 0 without gaps."""
    all: float
    """The number of units.

    Units with unequal numbers n of blocks count as (sum n)^2 / sum n^2 equal ones (Kish, "Survey
    Sampling", 1965).
    """
    of_bot: Floats
    """(N,): the number of units with blocks of each bot, counted in the same way."""


def independent(counted: Counted) -> Independent:
    """Return what is independent: openings, if there are at least `MANY_OPENINGS`, else blocks."""
    places, units, n = counted.block_players, counted.openings, counted.bots
    # A bot that has two places of a block plays it once.
    part = 1 / _held(places)
    openings = int(units.max(initial=-1)) + 1
    if MANY_OPENINGS <= openings < counted.blocks:
        of_all = _kish(np.zeros(counted.blocks, dtype=np.int64), units, np.ones(counted.blocks), 1)
        if of_all[0] >= _EVEN_OPENINGS:
            by_place = np.broadcast_to(units[:, None], places.shape)
            of_bot = _kish(places.ravel(), by_place.ravel(), part.ravel(), n + 1)[:n]
            return Independent(unit_of=units, all=float(of_all[0]), of_bot=of_bot)
    # All are equal, so they only have to be counted: a ladder has as many openings as blocks.
    of_bot = np.rint(weighted_counts(places, part, n + 1)[:n])
    return Independent(unit_of=np.arange(counted.blocks), all=float(counted.blocks), of_bot=of_bot)


def _kish(owner: Ints, unit: Ints, size: Floats, owners: int) -> Floats:
    """Return how many equal units the units of each owner are worth; the arguments are by part."""
    units = int(unit.max(initial=0)) + 1
    cells, which = np.unique(owner * units + unit, return_inverse=True)
    sizes, owner = np.bincount(which, size, len(cells)), cells // units
    squares = weighted_counts(owner, sizes**2, owners)
    return weighted_counts(owner, sizes, owners) ** 2 / np.where(squares > 0, squares, 1.0)


def reached(owners: Ints, ranks: Ints, size: int, successors: Ints | None = None) -> Bools:
    """Return which owner scored against which one, directly or through others, shape (size, size).

    Every owner reaches itself. Two versions of a bot, one after the other, reach each other.
    `owners`, (M, S), has the owner of each seat of each match: a player, or the seat's own number;
    `ranks`, (M, S), the seats' ranks. `successors` is that of `Counted`, if the owners are players.
    """
    scored = np.eye(size, dtype=bool).ravel()
    if successors is not None:
        scored[successors * size + successors - 1] = True
        scored[(successors - 1) * size + successors] = True
    for seat, other in itertools.permutations(range(ranks.shape[1]), 2):
        has_scored = ranks[:, seat] <= ranks[:, other]
        scored[(owners[:, seat] * size + owners[:, other])[has_scored]] = True
    reach = scored.reshape(size, size)
    while True:
        # Each multiplication doubles the length of the paths that are considered.
        further = reach.astype(np.float32) @ reach > 0
        if (further == reach).all():
            return reach
        reach = further


def connected(reach: Bools) -> Ints:
    """Return the part of each owner, named by its first member, shape (size,).

    Within a part every owner reaches every other one.
    """
    return np.asarray((reach & reach.T).argmax(axis=1), dtype=np.int64)


@attrs.frozen(kw_only=True, eq=False)
class Tally:
    """The sums over all matches, by bot; fillers have no row and no column here."""

    matches: Ints
    """(N,): the matches in which it played, counted once even if it had two seats."""
    blocks: Ints
    """(N,): the blocks in which it played."""
    points: Floats
    """(N,): its points: an opponent ranked below gives 1, a tied one ½."""
    places: Ints
    """(N, S): how often it had place 1, 2, …; ties count for the best place.

    With two seats, without the matches in `draws`.
    """
    draws: Ints
    """(N,): the matches in which all had the same rank."""


def tally(counted: Counted) -> Tally:
    """Return the sums over all matches.

    A bot with two seats of a match gets the points and the places of both, but no points against
    its own other seat.
    """
    n, size, seats = counted.bots, counted.bots + 1, counted.seats
    players, ranks, times = counted.players.T, counted.ranks.T, counted.times
    held = _held(counted.players).T
    drawn = (ranks == ranks[0]).all(axis=0)
    told = np.where(drawn, 0, times) if seats == 2 else times
    matches, points, draws = np.zeros(size), np.zeros(size), np.zeros(size)
    places = np.zeros(size * seats)
    for seat, above in enumerate(players):
        own, place = np.zeros(len(times)), np.zeros(len(times), dtype=int)
        for other in range(seats):
            place += ranks[other] < ranks[seat]
            own += times * (above != players[other]) * _ahead(ranks[seat], ranks[other])
        matches += np.bincount(above, times / held[seat], size)
        points += np.bincount(above, own, size)
        draws += np.bincount(above, np.where(drawn, times, 0) / held[seat], size)
        places += np.bincount(above * seats + place, told, size * seats)
    blocks = weighted_counts(counted.block_players, 1 / _held(counted.block_players), size)
    return Tally(
        matches=_whole(matches[:n]),
        blocks=_whole(blocks[:n]),
        points=points[:n],
        places=_whole(places.reshape(size, seats)[:n]),
        draws=_whole(draws[:n]),
    )


def meetings(counted: Counted) -> tuple[Ints, Floats]:
    """Return the matches in which every two bots played, and the points of the row's bot in them.

    Against an opponent with two seats the mean over the pairs of seats counts, so that a match
    gives one point between two bots, as always. Both have the shape (N, N).
    """
    n, size = counted.bots, counted.bots + 1
    players, ranks = counted.players.T, counted.ranks.T
    held = _held(counted.players).T
    met, won = np.zeros(size * size), np.zeros(size * size)
    for seat, other in itertools.permutations(range(counted.seats), 2):
        pair = players[seat] * size + players[other]
        apart = counted.times * (players[seat] != players[other])
        weight = apart / (held[seat] * held[other])
        met += np.bincount(pair, weight, size * size)
        won += np.bincount(pair, weight * _ahead(ranks[seat], ranks[other]), size * size)
    return _whole(met.reshape(size, size)[:n, :n]), won.reshape(size, size)[:n, :n]


def _ahead(ranks: Ints, others: Ints) -> Floats:
    return np.asarray((ranks < others) + 0.5 * (ranks == others))


def _held(players: Ints) -> Ints:
    """Return by match and seat: how many seats the player in it has."""
    held = np.zeros(players.shape, dtype=np.int64)
    for seat in range(players.shape[1]):
        held += players == players[:, seat : seat + 1]
    return held


def _whole(values: Floats) -> Ints:
    """Return counts that were summed up in fractions, as 1/2 + 1/2, as whole numbers."""
    return np.rint(values).astype(np.int64)
