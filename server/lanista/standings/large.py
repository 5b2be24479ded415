"""The standings of a large ladder: a thousand bots and a million matches in a few seconds.

`compute` takes minutes and much memory for as many. This is a reduced form, which differs in three
points: there are no head-to-head results; all samples of the bootstrap are quadratic approximations
(`large_fit`), so that the intervals of bots with few matches are rougher; and the ratings are those
with the pseudo-matches of the bootstrap, which pull a bot with few matches towards the mean of all.
Blocks are read one after another, and only arrays of numbers are kept of them.
"""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from lanista.match.ending import Ending
from lanista.pairing.blocks import BlockScore, Seating
from lanista.pairing.kinds import FormatName
from lanista.standings import large_fit
from lanista.standings.bootstrap import MOST_UNITS
from lanista.standings.compute import assemble
from lanista.standings.counting import (
    OwnSums,
    Tally,
    block_sums,
    closure,
    own_sums,
    scored_directly,
    whole,
)
from lanista.standings.likelihood import ELO
from lanista.standings.numerics import Bools, Floats, Ints, NDArray, np
from lanista.standings.rating import (
    SAMPLES,
    Ratings,
    ends,
    estimate_of,
    rank_intervals,
    superiority,
    widening,
    zero_of,
)
from lanista.standings.table import Standings

_AT_ONCE = 1 << 16
"""Number of matches that are summed up at once."""
_SEED = 20


@attrs.frozen(kw_only=True, eq=False)
class Results:
    """The matches of a ladder as arrays, for N bots, B blocks and M matches of S seats."""

    bots: int
    block_players: NDArray[np.int16]
    """(B, S): the player at each place."""
    match_blocks: NDArray[np.int32]
    """(M,): the index of the match's block."""
    players: NDArray[np.int16]
    """(M, S): the player in each seat."""
    ranks: NDArray[np.int8]
    """(M, S): the rank of each seat."""


def compute_large(
    *,
    name: str,
    game: str,
    bots: Sequence[str],
    house: Collection[str] = (),
    played: Iterable[BlockScore],
    seated: Sequence[Seating],
    endings: Mapping[str, Mapping[Ending, int]] | None = None,
    faults: Mapping[str, tuple[int, int, int]] | None = None,
    voids: int = 0,
    benched: Collection[str] = (),
    live: Mapping[str, float] | None = None,
) -> Standings:
    """Return the standings of a ladder, ranked by rating; the arguments are those of `compute`.

    Args:
        name: The ladder's name.
        game: The game's name.
        bots: The names of the table's bots, of which there are 32,767 at most.
        house: The names of the bots that hold the scale and take no rank.
        played: All blocks that count, each of which is on an opening of its own.
        seated: The seatings of each of them.
        endings: By bot: how its matches ended, void ones included.
        faults: By bot: late turns, malformed turns and illegal moves in all matches that count.
        voids: The number of void matches.
        benched: The names of benched bots.
        live: By bot: its live rating.

    Raises:
        KeyError: A block was played by another bot.
    """
    results = results_of(played, seated, bots)
    sums = _tally(results)
    ratings = None
    if len(results.players):
        ratings = rate_large(results, sums.blocks, np.isin(np.array(bots), list(house)))
    return assemble(
        name=name,
        game=game,
        format=FormatName.LADDER.value,
        seats=len(seated[0]),
        bots=bots,
        house=house,
        sums=sums,
        ratings=ratings,
        endings=endings or {},
        faults=faults or {},
        benched=benched,
        order=None,
        byes={},
        live=live or {},
        blocks=len(results.block_players),
        planned=None,
        matches=len(results.players),
        voids=voids,
        uncounted=0,
        over=False,
        words="",
    )


def results_of(
    played: Iterable[BlockScore], seated: Sequence[Seating], bots: Sequence[str]
) -> Results:
    """Return the blocks as arrays.

    Raises:
        KeyError: A block was played by another bot.
    """
    seats = len(seated[0])
    player_of = {bot: number for number, bot in enumerate(bots)}.__getitem__
    players, seatings, blocks, ranks = array("h"), array("b"), array("i"), array("b")
    number = -1
    for number, block in enumerate(played):
        players.extend(map(player_of, block.bots))
        for seating, its_ranks in enumerate(block.ranks):
            if its_ranks:
                blocks.append(number)
                seatings.append(seating)
                ranks.extend(its_ranks)
    block_players = np.array(players, dtype=np.int16).reshape(number + 1, seats)
    match_blocks = np.array(blocks, dtype=np.int32)
    places = np.array(seated)[np.array(seatings, dtype=np.int64)]
    return Results(
        bots=len(bots),
        block_players=block_players,
        match_blocks=match_blocks,
        players=np.take_along_axis(block_players[match_blocks], places, axis=1),
        ranks=np.array(ranks, dtype=np.int8).reshape(len(match_blocks), seats),
    )


def _tally(results: Results) -> Tally:
    n, seats = results.bots, results.block_players.shape[1]
    own = OwnSums(np.zeros(n), np.zeros(n), np.zeros((n, seats)), np.zeros(n))
    for players, ranks in _pieces(results):
        some = own_sums(players, ranks, np.ones(len(players), dtype=np.int64), n)
        own = OwnSums(*(a + b for a, b in zip(own, some, strict=True)))
    blocks = np.zeros(n)
    for start in range(0, len(results.block_players), _AT_ONCE):
        some_blocks = results.block_players[start : start + _AT_ONCE].astype(np.int64)
        blocks += block_sums(some_blocks, np.ones(len(some_blocks), dtype=np.int64), n)
    return Tally(
        matches=whole(own.matches),
        blocks=whole(blocks),
        points=own.points,
        places=whole(own.places),
        draws=whole(own.draws),
        met=np.zeros((0, 0), dtype=np.int64),
        won=np.zeros((0, 0)),
    )


def _pieces(results: Results) -> Iterable[tuple[Ints, Ints]]:
    """Yield players and ranks of the matches, piece by piece."""
    for start in range(0, len(results.players), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        yield results.players[part].astype(np.int64), results.ranks[part].astype(np.int64)


def rate_large(results: Results, blocks: Ints, house: Bools, count: int = SAMPLES) -> Ratings:
    """Return the ratings; `Ratings.superior` holds for neighbours in the table alone.

    Args:
        results: What was played, at least one match.
        blocks: (N,): the number of blocks that each bot played.
        house: (N,): the house bots.
        count: The number of samples.
    """
    bots, seats = results.bots, results.players.shape[1]
    generator = np.random.default_rng(_SEED)
    lots = min(len(results.block_players), MOST_UNITS)
    lot_of = (generator.permutation(len(results.block_players)) % lots).astype(np.int16)
    tied = large_fit.tie_sizes(results.ranks)
    size = large_fit.Size(players=bots, seats=seats, tied=tied)
    groups = large_fit.choices_of(
        results.players, results.ranks, lot_of[results.match_blocks], tied
    )
    found = large_fit.fit(groups, size, lots)
    del groups
    values = large_fit.samples(found, size, count, generator)

    rated = blocks > 0
    scored = _scored(results)
    parts = _parts(scored, blocks)
    zero = zero_of(parts, rated, house)

    def centred(worth: Floats) -> Floats:
        of_bots = worth[..., :bots]
        return np.asarray((of_bots - of_bots[..., zero].mean(axis=-1, keepdims=True)) * ELO)

    elo = centred(found.at)
    wide = np.array([widening(number, number) for number in blocks.tolist()])
    widened = elo + wide * (centred(values) - elo)
    low, high = np.quantile(widened, (0.025, 0.975), axis=0)
    rank_low, rank_high = rank_intervals(elo, widened, rated & ~house)
    seat_values = np.arange(bots, bots + seats)
    seat_elo = found.at[seat_values] * ELO
    all_blocks = len(results.block_players)
    off = values[:, seat_values] * ELO - seat_elo
    seat_low, seat_high = np.quantile(
        seat_elo + widening(all_blocks, all_blocks) * off, (0.025, 0.975), axis=0
    )
    seat_low, seat_high = ends(
        *(seat_elo, seat_low, seat_high, _seats_reached(results), np.ones(seats, dtype=bool))
    )
    return Ratings(
        rated=rated,
        elo=elo,
        low=np.where(_reached_by_all(scored.T, parts, zero), np.minimum(low, elo), -np.inf),
        high=np.where(_reached_by_all(scored, parts, zero), np.maximum(high, elo), np.inf),
        zero=zero,
        rank_low=rank_low,
        rank_high=rank_high,
        superior=_superior_of_neighbours(elo, widened, rated),
        seats=tuple(
            estimate_of(value, a, b)
            for value, a, b in zip(seat_elo, seat_low, seat_high, strict=True)
        ),
        tied=tuple(
            (of, float(np.exp(value)))
            for of, value in zip(tied, found.at[bots + seats :].tolist(), strict=True)
        ),
    )


def _superior_of_neighbours(elo: Floats, widened: Floats, rated: Bools) -> Floats:
    """Return `Ratings.superior` for each bot and the one below it; 0 for all other pairs."""
    superior = np.zeros((len(elo), len(elo)))
    order = np.argsort(np.where(rated, -np.round(elo, 1), np.inf), kind="stable")
    above, below = order[:-1], order[1:]
    wins = (widened[:, above] > widened[:, below]).sum(axis=0)
    losses = (widened[:, above] < widened[:, below]).sum(axis=0)
    superior[above, below] = superiority(wins, losses, len(widened))
    return superior


def _scored(results: Results) -> Bools:
    """Return which bot scored against which one in a match of both, (N, N)."""
    scored = np.zeros((results.bots, results.bots), dtype=bool)
    for players, ranks in _pieces(results):
        scored |= scored_directly(players, ranks, results.bots)
    return scored


def _seats_reached(results: Results) -> Bools:
    """Return which seat scored against which one, directly or through others, (S, S)."""
    seats = results.players.shape[1]
    scored = np.zeros((seats, seats), dtype=bool)
    for _, ranks in _pieces(results):
        numbers = np.broadcast_to(np.arange(seats), ranks.shape)
        scored |= scored_directly(numbers, ranks, seats)
    return closure(scored)


def _parts(scored: Bools, blocks: Ints) -> Ints:
    """Return what `counting.connected` does, without knowing who reaches whom everywhere."""
    parts = np.full(len(scored), -1, dtype=np.int64)
    # Nearly all bots are in the part of the one that played most.
    for bot in np.argsort(-blocks, kind="stable").tolist():
        if parts[bot] < 0:
            # A path from a bot back to itself never leaves its part.
            left = parts < 0
            part = _reach(scored, bot, left) & _reach(scored.T, bot, left)
            parts[part] = np.flatnonzero(part)[0]
    return parts


def _reach(scored: Bools, bot: int, among: Bools) -> Bools:
    """Return the bots that a bot reaches by way of some others, itself included."""
    seen = np.zeros(len(scored), dtype=bool)
    seen[bot] = True
    newest = seen
    while newest.any():
        newest = scored[newest].any(axis=0) & among & ~seen
        seen = seen | newest
    return seen


def _reached_by_all(scored: Bools, parts: Ints, zero: Bools) -> Bools:
    """Return which bots are reached by each of the bots whose mean is 0."""
    everywhere = np.ones(len(scored), dtype=bool)
    # All bots of a part reach the same ones.
    reached = [_reach(scored, int(bot), everywhere) for bot in np.unique(parts[zero])]
    return np.asarray(np.all(reached, axis=0))
