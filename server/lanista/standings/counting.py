"""The blocks of a tournament as arrays: equal ones together, in an order that is theirs alone.

Everything that standings derive starts here, so the order in which blocks ended leaves no trace in
any figure, down to the last bit. Names go in, numbers come out; nothing is estimated here.

Letters in shapes: N bots, S seats, K seatings of a block, U different blocks, X different blocks
where those on different draws (seed and map) are different, M different matches, T stages of a
ranking at most (S - 1).
"""

from collections.abc import Collection, Sequence
from typing import Any

import attrs

from lanista.pairing.blocks import BlockScore, Seating
from lanista.standings.numerics import Bools, Floats, Ints, NDArray, np

MANY_DRAWS = 10
"""Draws from which on what they have in common can be seen."""
_EVEN_DRAWS = 5.0
"""As many must they be worth, where blocks lie unevenly on them."""
_TWO = 2


@attrs.frozen(kw_only=True, eq=False)
class Counted:
    """What was played. A player is a bot's index in the spec's order; all fillers are player N."""

    bots: int
    """N, how many bots the table has."""
    seats: int
    seatings: int
    times: Ints
    """(U,): how often a block with these bots and these ranks was played."""
    block_players: Ints
    """(U, places): who had which place."""
    block_matches: Ints
    """(U, K): by seating, which of the M matches it was."""
    cell_blocks: Ints
    """(X,): which of the U blocks."""
    cell_draws: Ints
    """(X,): on which draw, from 0 in the order of their numbers, without gaps."""
    cell_times: Ints
    """(X,): how often that block was played on that draw."""
    players: Ints
    """(M, S): who sat where."""
    ranks: Ints
    """(M, S): the place that each seat won; 1 is best, equal ones are ties."""
    match_times: Ints
    """(M,): how often this match was played."""

    @property
    def blocks(self) -> int:
        """Blocks in all."""
        return int(self.times.sum())

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
    """The blocks as arrays.

    Args:
        played: All blocks that count.
        seated: The seatings of each of them.
        bots: The names of the table's bots.
        fillers: The names of those that only fill seats; in all that follows they are one player.

    Raises:
        ValueError: A block has a bot that is neither, or not as many ranks as it has seats.
    """
    player_of = {name: len(bots) for name in fillers} | {name: i for i, name in enumerate(bots)}
    shape = np.array(seated, dtype=np.int64).reshape(len(seated), -1)
    different_bots = {block.bots for block in played}
    for names in different_bots:
        for name in names:
            if name not in player_of:
                raise ValueError(f"a block was played by {name!r}, which is no bot of the spec")
        if len(names) != shape.shape[1]:
            raise ValueError(f"a block of {len(names)} bots, seatings of {shape.shape[1]} seats")
    # By players, not by names: fillers are one player, so a block with one of them is the same as
    # with another, and the order of a set of names must leave no trace.
    players_of = {names: tuple(player_of[name] for name in names) for names in different_bots}
    tuples = sorted(set(players_of.values()))
    rankings = sorted({ranks for block in played for ranks in block.ranks})
    bots_id = {players: number for number, players in enumerate(tuples)}
    ranking_id = {ranks: number for number, ranks in enumerate(rankings)}
    if any(len(ranks) != shape.shape[1] for ranks in rankings) or any(
        len(block.ranks) != len(seated) for block in played
    ):
        raise ValueError(f"a block without {len(seated)} rankings of {shape.shape[1]} seats each")

    rows = np.empty((len(played), 1 + len(seated)), dtype=np.int64)
    rows[:, 0] = [bots_id[players_of[block.bots]] for block in played]
    rows[:, 1:] = np.array(
        [ranking_id[ranks] for block in played for ranks in block.ranks], dtype=np.int64
    ).reshape(len(played), len(seated))
    first, block, times = distinct_rows(rows)
    rows = rows[first]
    _, draws = np.unique(
        np.array([one.draw for one in played], dtype=np.int64), return_inverse=True
    )
    cells = np.stack([draws, block], axis=1)
    first_cell, _, cell_times = distinct_rows(cells)
    cells = cells[first_cell]

    by_place = np.array(tuples, dtype=np.int64).reshape(len(tuples), shape.shape[1])
    keys = (rows[:, :1] * len(seated) + np.arange(len(seated))) * max(len(rankings), 1)
    matches, block_matches = np.unique(keys + rows[:, 1:], return_inverse=True)
    block_matches = block_matches.reshape(keys.shape).astype(np.int64)
    match_times = weighted_counts(block_matches, np.repeat(times, len(seated)), len(matches))
    seating, ranking = np.divmod(matches, max(len(rankings), 1))
    bots_number, seating = np.divmod(seating, len(seated))
    return Counted(
        bots=len(bots),
        seats=shape.shape[1],
        seatings=len(seated),
        times=times,
        block_players=by_place[rows[:, 0]],
        block_matches=block_matches,
        cell_blocks=cells[:, 1],
        cell_draws=cells[:, 0],
        cell_times=cell_times,
        players=np.take_along_axis(by_place[bots_number], shape[seating], axis=1),
        ranks=np.array(rankings, dtype=np.int64).reshape(len(rankings), shape.shape[1])[ranking],
        match_times=match_times.astype(np.int64),
    )


def weighted_counts(numbers: Ints, weights: NDArray[Any], size: int) -> Floats:
    """(size,): the sum of the weights of each number, 0 to size - 1."""
    return np.bincount(numbers.ravel(), weights.ravel(), minlength=size).astype(np.float64)


def distinct_rows(rows: Ints) -> tuple[Ints, Ints, Ints]:
    """The different rows of a table of numbers, in ascending order.

    `np.unique` of a table compares rows as bytes and takes ten times as long.

    Returns:
        Of each different row: where it is first. Of each row: which of the different ones it is.
        Of each different row: how often it is there.
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
    """What is taken to be independent of each other: draws, or blocks where these are too few."""

    by_draw: bool
    """Whether all blocks on one draw count as one thing: a bot that likes a map likes it against
    everybody."""
    all: float
    """How many there are. Draws with unlike numbers n of blocks count as (sum n)^2 / sum n^2 equal
    ones (Kish, "Survey Sampling", 1965)."""
    of_bot: Floats
    """(N,): with blocks of each bot, counted alike."""


def independent(counted: Counted) -> Independent:
    """Find out what is; by draws from `MANY_DRAWS` on."""
    places, n = counted.block_players, counted.bots
    draws = int(counted.cell_draws.max(initial=-1)) + 1
    on_draw = weighted_counts(counted.cell_draws, counted.cell_times, draws)
    of_all = _kish(np.zeros(draws, dtype=np.int64), on_draw, 1)[0]
    # A bot with two places of a block plays it once.
    part = 1 / (places[:, :, None] == places[:, None, :]).sum(axis=2)
    if draws < MANY_DRAWS or of_all < _EVEN_DRAWS:
        blocks = weighted_counts(places, counted.times[:, None] * part, n + 1)[:n]
        return Independent(by_draw=False, all=float(counted.blocks), of_bot=np.rint(blocks))
    cells, which = np.unique(
        places[counted.cell_blocks] * draws + counted.cell_draws[:, None], return_inverse=True
    )
    blocks = counted.cell_times[:, None] * part[counted.cell_blocks]
    of_bot = _kish(cells // draws, weighted_counts(which, blocks, len(cells)), n + 1)[:n]
    return Independent(by_draw=True, all=float(of_all), of_bot=of_bot)


def _kish(owner: Ints, sizes: Floats, owners: int) -> Floats:
    """(owners,): how many equal parts the parts of each are worth."""
    squares = weighted_counts(owner, sizes**2, owners)
    return weighted_counts(owner, sizes, owners) ** 2 / np.where(squares > 0, squares, 1.0)


def reached(owners: Ints, ranks: Ints, size: int) -> Bools:
    """(size, size): who scored something against whom, directly or by way of others; all itself.

    Args:
        owners: (M, S): whose each seat of each match is: a player's, or the seat's own number.
        ranks: (M, S)
        size: How many owners there are.
    """
    pairs = owners[:, :, None] * size + owners[:, None, :]
    behind = ranks[:, :, None] > ranks[:, None, :]
    # One number more: where those go who scored nothing.
    found = np.bincount(np.where(behind, size * size, pairs).ravel(), minlength=size * size + 1)
    scored: Bools = (found[:-1].reshape(size, size) > 0) | np.eye(size, dtype=bool)
    while True:
        # Paths twice as long each time.
        further = scored.astype(np.float32) @ scored > 0
        if (further == scored).all():
            return scored
        scored = further


def connected(reach: Bools) -> Ints:
    """(size,): parts in which everybody reaches everybody: the number of their first member."""
    return np.asarray((reach & reach.T).argmax(axis=1), dtype=np.int64)


@attrs.frozen(kw_only=True, eq=False)
class Tally:
    """Sums over all matches, by bot; fillers have no row and no column here."""

    matches: Ints
    """(N,): in which it played; once even where it had two seats."""
    blocks: Ints
    """(N,)"""
    points: Floats
    """(N,): an opponent placed below gives 1, a tied one one half."""
    places: Ints
    """(N, S): how often it had place 1, 2, …; ties count for the best place. Two seats: without
    the matches in `draws`."""
    draws: Ints
    """(N,): matches in which all had the same place."""
    met: Ints
    """(N, N): matches in which both played."""
    won: Floats
    """(N, N): points of the row's bot against the column's alone."""


def tally(counted: Counted) -> Tally:
    """Sum it up.

    A bot with two seats of a match has the points of both and a place for each, and gets none from
    its other seat; against an opponent with two seats, the mean over the pairs of seats counts, so
    that a match gives a point between two bots, as always.
    """
    n, seats = counted.bots, counted.seats
    players, ranks, times = counted.players, counted.ranks, counted.match_times
    size = n + 1
    pair = players[:, :, None] * size + players[:, None, :]
    other = players[:, :, None] != players[:, None, :]
    below = ranks[:, :, None] < ranks[:, None, :]
    # By match and pair of seats: 1, one half, 0.
    better = (below + 0.5 * (ranks[:, :, None] == ranks[:, None, :])) * other
    # By match and seat: how many seats its bot has.
    held = seats - other.sum(axis=2)
    weight = times[:, None, None] / (held[:, :, None] * held[:, None, :]) * other

    def square(values: Floats) -> Floats:
        return weighted_counts(pair, values, size * size).reshape(size, size)[:n, :n]

    def by_player(values: NDArray[Any]) -> Floats:
        return weighted_counts(players, values, size)[:n]

    drawn = (ranks == ranks[:, :1]).all(axis=1)
    place = 1 + below.sum(axis=1)
    places = weighted_counts(
        players * seats + place - 1,
        np.where(drawn & (seats == _TWO), 0, times)[:, None] * np.ones(seats),
        size * seats,
    ).reshape(size, seats)[:n]
    held_places = (counted.block_players[:, :, None] == counted.block_players[:, None, :]).sum(2)
    blocks = weighted_counts(counted.block_players, counted.times[:, None] / held_places, size)[:n]
    return Tally(
        matches=_whole(by_player(times[:, None] / held)),
        blocks=_whole(blocks),
        points=by_player(better.sum(axis=2) * times[:, None]),
        places=_whole(places),
        draws=_whole(by_player(np.where(drawn, times, 0)[:, None] / held)),
        met=_whole(square(weight)),
        won=square(weight * better),
    )


def _whole(values: Floats) -> Ints:
    """Counts that were summed in parts, as 1/2 + 1/2."""
    return np.rint(values).astype(np.int64)
