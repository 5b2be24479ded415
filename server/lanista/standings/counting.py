"""The blocks of a tournament as arrays: equal blocks are merged, and sorted by their content.

Everything in the standings is derived from these arrays, so the order in which blocks ended leaves
no trace in any figure, down to the last bit. Merging equal blocks also makes the arrays small: a
tournament has far fewer different results than blocks. Names go in and numbers come out; nothing is
estimated here.

Letters in shapes: N bots, S seats, K seatings of a block, U different blocks, X different blocks if
those on different openings (seed and map) are told apart, M different matches, T stages of a
ranking at most (S - 1).
"""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import attrs

from lanista.pairing.blocks import BlockScore, Seating
from lanista.standings.numerics import Bools, Floats, Ints, NDArray, np

MANY_OPENINGS = 10
"""The number of openings from which on it can be seen what the blocks of one have in common."""
_EVEN_OPENINGS = 5.0
"""The number of equal openings that they must at least be worth if blocks lie unevenly on them."""


@attrs.frozen(kw_only=True, eq=False)
class Counted:
    """Everything that was played, as arrays.

    A player is a bot's index in the spec's order; all fillers together are player N.
    """

    bots: int
    """N, the number of bots in the table."""
    seats: int
    seatings: int
    times: Ints
    """(U,): how often a block with these bots and these ranks was played."""
    block_players: Ints
    """(U, places): the player at each place."""
    block_matches: Ints
    """(U, K): by seating, the index of its match among the M ones; -1 if it is missing."""
    cell_blocks: Ints
    """(X,): the index of the block among the U ones."""
    cell_openings: Ints
    """(X,): its opening, numbered from 0 in their order, without gaps."""
    cell_times: Ints
    """(X,): how often that block was played on that opening."""
    players: Ints
    """(M, S): the player in each seat."""
    ranks: Ints
    """(M, S): the rank of each seat; 1 is best, equal ranks are ties."""
    match_times: Ints
    """(M,): how often this match was played."""

    @property
    def blocks(self) -> int:
        """Number of blocks in all."""
        return int(self.times.sum())

    @property
    def matches(self) -> int:
        """Number of matches in all."""
        return int(self.match_times.sum())

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
    """Return the blocks as arrays.

    Args:
        played: All blocks that count; each has at least one match.
        seated: The seatings of each of them.
        bots: The names of the table's bots.
        fillers: The names of the bots that only fill seats; they are one player from here on.

    Raises:
        ValueError: A block has an unknown bot, or its ranks don't fit the number of seats.
    """
    player_of = {name: len(bots) for name in fillers} | {name: i for i, name in enumerate(bots)}
    shape = np.array(seated, dtype=np.int64).reshape(len(seated), -1)
    different_bots = {block.bots for block in played}
    for names in different_bots:
        for name in names:
            if name not in player_of:
                raise ValueError(f"a block was played by {name!r}, which isn't a bot of the spec")
        if len(names) != shape.shape[1]:
            raise ValueError(
                f"a block has {len(names)} bots, but its seatings have {shape.shape[1]} seats"
            )
    # Blocks are compared by players, not by names: fillers are one player, so a block with one of
    # them equals one with another, and the order of a set of names must leave no trace.
    players_of = {names: tuple(player_of[name] for name in names) for names in different_bots}
    tuples = sorted(set(players_of.values()))
    rankings = sorted({ranks for block in played for ranks in block.ranks})
    bots_id = {players: number for number, players in enumerate(tuples)}
    ranking_id = {ranks: number for number, ranks in enumerate(rankings)}
    if any(len(ranks) not in {0, shape.shape[1]} for ranks in rankings) or any(
        len(block.ranks) != len(seated) or not any(block.ranks) for block in played
    ):
        raise ValueError(
            f"a block doesn't have {len(seated)} rankings of {shape.shape[1]} seats each"
        )

    rows = np.empty((len(played), 1 + len(seated)), dtype=np.int64)
    rows[:, 0] = [bots_id[players_of[block.bots]] for block in played]
    rows[:, 1:] = np.array(
        [ranking_id[ranks] for block in played for ranks in block.ranks], dtype=np.int64
    ).reshape(len(played), len(seated))
    first, block, times = distinct_rows(rows)
    rows = rows[first]
    _, openings = np.unique(
        np.array([block.opening for block in played], dtype=np.int64), return_inverse=True
    )
    cells = np.stack([openings, block], axis=1)
    first_cell, _, cell_times = distinct_rows(cells)
    cells = cells[first_cell]

    by_place = np.array(tuples, dtype=np.int64).reshape(len(tuples), shape.shape[1])
    keys = (rows[:, :1] * len(seated) + np.arange(len(seated))) * max(len(rankings), 1)
    matches, block_matches = np.unique(keys + rows[:, 1:], return_inverse=True)
    block_matches = block_matches.reshape(keys.shape).astype(np.int64)
    match_times = weighted_counts(block_matches, np.repeat(times, len(seated)), len(matches))
    if rankings and not rankings[0]:  # the ranking of a missing match, which is sorted first
        there = matches % len(rankings) > 0
        block_matches = np.where(there, np.cumsum(there) - 1, -1)[block_matches]
        matches, match_times = matches[there], match_times[there]
    seating, ranking = np.divmod(matches, max(len(rankings), 1))
    bots_number, seating = np.divmod(seating, len(seated))
    by_ranking = np.array(
        [ranks or (0,) * shape.shape[1] for ranks in rankings], dtype=np.int64
    ).reshape(len(rankings), shape.shape[1])
    return Counted(
        bots=len(bots),
        seats=shape.shape[1],
        seatings=len(seated),
        times=times,
        block_players=by_place[rows[:, 0]],
        block_matches=block_matches,
        cell_blocks=cells[:, 1],
        cell_openings=cells[:, 0],
        cell_times=cell_times,
        players=np.take_along_axis(by_place[bots_number], shape[seating], axis=1),
        ranks=by_ranking[ranking],
        match_times=match_times.astype(np.int64),
    )


def weighted_counts(numbers: Ints, weights: NDArray[Any], size: int) -> Floats:
    """Return the sum of the weights of each number from 0 to size - 1, shape (size,)."""
    return np.bincount(numbers.ravel(), weights.ravel(), minlength=size).astype(np.float64)


def distinct_rows(rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different rows of a table of numbers, in ascending order.

    `np.unique` of a table compares rows as bytes and takes ten times as long.

    Returns:
        By different row: the index of its first occurrence. By row: the index of its different row.
        By different row: how often it occurs.
    """
    key = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        # The key so far is below the number of rows, so this product stays far below 2^63.
        _, key = np.unique(key * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    _, first, which, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return first.astype(np.int64), which.astype(np.int64), times.astype(np.int64)


@attrs.frozen(kw_only=True, eq=False)
class Independent:
    """The units that are taken as independent: openings, or blocks if there are few openings."""

    by_opening: bool
    """Whether all blocks on one opening count as one unit; a bot may like or dislike its map."""
    all: float
    """The number of units.

    Openings with unequal numbers n of blocks count as (sum n)^2 / sum n^2 equal ones (Kish, "Survey
    Sampling", 1965).
    """
    of_bot: Floats
    """(N,): the number of units with blocks of each bot, counted in the same way."""


def independent(counted: Counted) -> Independent:
    """Return what is independent: openings, if there are at least `MANY_OPENINGS`, else blocks."""
    places, n = counted.block_players, counted.bots
    openings = int(counted.cell_openings.max(initial=-1)) + 1
    on_opening = weighted_counts(counted.cell_openings, counted.cell_times, openings)
    of_all = _kish(np.zeros(openings, dtype=np.int64), on_opening, 1)[0]
    # A bot that has two places of a block plays it once.
    part = 1 / (places[:, :, None] == places[:, None, :]).sum(axis=2)
    if openings < MANY_OPENINGS or of_all < _EVEN_OPENINGS:
        blocks = weighted_counts(places, counted.times[:, None] * part, n + 1)[:n]
        return Independent(by_opening=False, all=float(counted.blocks), of_bot=np.rint(blocks))
    cells, which = np.unique(
        places[counted.cell_blocks] * openings + counted.cell_openings[:, None], return_inverse=True
    )
    blocks = counted.cell_times[:, None] * part[counted.cell_blocks]
    of_bot = _kish(cells // openings, weighted_counts(which, blocks, len(cells)), n + 1)[:n]
    return Independent(by_opening=True, all=float(of_all), of_bot=of_bot)


def _kish(owner: Ints, sizes: Floats, owners: int) -> Floats:
    """Return how many equal parts the parts of each owner are worth, shape (owners,)."""
    squares = weighted_counts(owner, sizes**2, owners)
    return weighted_counts(owner, sizes, owners) ** 2 / np.where(squares > 0, squares, 1.0)


def reached(owners: Ints, ranks: Ints, size: int) -> Bools:
    """Return which owner scored against which one, directly or through others, shape (size, size).

    Every owner reaches itself.

    Args:
        owners: (M, S): the owner of each seat of each match: a player, or the seat's own number.
        ranks: (M, S): the rank of each seat.
        size: The number of owners.
    """
    return closure(scored_directly(owners, ranks, size))


def closure(scored: Bools) -> Bools:
    """Return who reaches whom, directly or through others, from who scored against whom."""
    scored = scored | np.eye(len(scored), dtype=bool)
    while True:
        # Each multiplication doubles the length of the paths that are considered.
        further = scored.astype(np.float32) @ scored > 0
        if (further == scored).all():
            return scored
        scored = further


def scored_directly(owners: Ints, ranks: Ints, size: int) -> Bools:
    """Return which owner scored against which one in a match of both, shape (size, size)."""
    pairs = owners[:, :, None] * size + owners[:, None, :]
    unscored = ranks[:, :, None] > ranks[:, None, :]
    # One number more than there are pairs, for the pairs in which nothing was scored.
    counts = np.bincount(np.where(unscored, size * size, pairs).ravel(), minlength=size * size + 1)
    return np.asarray(counts[:-1].reshape(size, size) > 0)


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
    met: Ints
    """(N, N): the matches in which both played; (0, 0) where pairs aren't counted."""
    won: Floats
    """(N, N): the points of the row's bot against the column's bot alone."""


def tally(counted: Counted) -> Tally:
    """Return the sums over all matches.

    A bot with two seats of a match gets the points and the places of both, but no points against
    its own other seat. Against an opponent with two seats the mean over the pairs of seats counts,
    so that a match gives one point between two bots, as always.
    """
    n, size = counted.bots, counted.bots + 1
    players, ranks, times = counted.players, counted.ranks, counted.match_times
    pair = players[:, :, None] * size + players[:, None, :]
    better = _better(players, ranks)
    held = _held(players)
    other = players[:, :, None] != players[:, None, :]
    weight = times[:, None, None] / (held[:, :, None] * held[:, None, :]) * other

    def square(values: Floats) -> Floats:
        return weighted_counts(pair, values, size * size).reshape(size, size)[:n, :n]

    own = own_sums(players, ranks, times, size)
    return Tally(
        matches=whole(own.matches[:n]),
        blocks=whole(block_sums(counted.block_players, counted.times, size)[:n]),
        points=own.points[:n],
        places=whole(own.places[:n]),
        draws=whole(own.draws[:n]),
        met=whole(square(weight)),
        won=square(weight * better),
    )


class OwnSums(NamedTuple):
    """The sums by player that need no pairs of players, not yet made whole numbers."""

    matches: Floats
    points: Floats
    places: Floats
    draws: Floats


def own_sums(players: Ints, ranks: Ints, times: Ints, size: int) -> OwnSums:
    """Return the sums over some matches, as `Tally` has them.

    Args:
        players: (M, S): the player in each seat.
        ranks: (M, S): the rank of each seat.
        times: (M,): how often each match was played.
        size: The number of players.
    """
    seats = players.shape[1]
    held = _held(players)

    def by_player(values: NDArray[Any]) -> Floats:
        return weighted_counts(players, values, size)

    drawn = (ranks == ranks[:, :1]).all(axis=1)
    place = 1 + (ranks[:, :, None] < ranks[:, None, :]).sum(axis=1)
    places = weighted_counts(
        players * seats + place - 1,
        np.where(drawn & (seats == 2), 0, times)[:, None] * np.ones(seats),
        size * seats,
    ).reshape(size, seats)
    return OwnSums(
        matches=by_player(times[:, None] / held),
        points=by_player(_better(players, ranks).sum(axis=2) * times[:, None]),
        places=places,
        draws=by_player(np.where(drawn, times, 0)[:, None] / held),
    )


def block_sums(block_players: Ints, times: Ints, size: int) -> Floats:
    """Return the number of blocks of each player, (size,), not yet made whole numbers."""
    held = (block_players[:, :, None] == block_players[:, None, :]).sum(2)
    return weighted_counts(block_players, times[:, None] / held, size)


def _better(players: Ints, ranks: Ints) -> Floats:
    """Return by match and pair of seats: 1, ½ or 0 points; 0 for two seats of one player."""
    below = ranks[:, :, None] < ranks[:, None, :]
    tied = ranks[:, :, None] == ranks[:, None, :]
    return np.asarray((below + 0.5 * tied) * (players[:, :, None] != players[:, None, :]))


def _held(players: Ints) -> Ints:
    """Return by match and seat: how many seats the player in it has."""
    return np.asarray((players[:, :, None] == players[:, None, :]).sum(axis=2))


def whole(values: Floats) -> Ints:
    """Return counts that were summed up in fractions, as 1/2 + 1/2, as whole numbers."""
    return np.rint(values).astype(np.int64)
