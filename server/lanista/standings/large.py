"""The standings of a large ladder: a thousand bots and a million matches in a few seconds.

`compute` takes minutes and much memory for as many. This is a reduced form, which differs in three
points: there are no head-to-head results; all samples of the bootstrap are quadratic approximations
(`large_fit`), so that the intervals of bots with few matches are rougher; and the ratings are those
with the pseudo-matches of the bootstrap, which pull a bot with few matches towards the mean of all.
Blocks are read page by page, and only arrays of numbers are kept of them. There are few ways in
which the seats of a match can be ranked (75 with four seats), so a match only has the number of its
pattern.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import attrs

from lanista.match.ending import Ending
from lanista.pairing.blocks import Seating
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

Page = tuple[Sequence[int], Sequence[str], Sequence[int], Sequence[int], Sequence[str]]
"""Blocks and their matches that count, by columns, in the order of the blocks' numbers.

By block: the number, and the names of the bots by place as a JSON list. By match: the block's
number, the seating, and the ranks by seat as a JSON list.
"""


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
    patterns: Ints
    """(K, S): by pattern, the rank of each seat."""
    match_patterns: NDArray[np.int16]
    """(M,): the index of the match's pattern."""

    @property
    def seats(self) -> int:
        """S, the number of seats."""
        return int(self.players.shape[1])


def compute_large(
    *,
    name: str,
    game: str,
    bots: Sequence[str],
    house: Collection[str] = (),
    results: Results,
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
        results: All matches that count (`results_of`).
        endings: By bot: how its matches ended, void ones included.
        faults: By bot: late turns, malformed turns and illegal moves in all matches that count.
        voids: The number of void matches.
        benched: The names of benched bots.
        live: By bot: its live rating.
    """
    sums = _tally(results)
    ratings = None
    if len(results.players):
        ratings = rate_large(results, sums.blocks, np.isin(np.array(bots), list(house)))
    return assemble(
        name=name,
        game=game,
        format=FormatName.LADDER.value,
        seats=results.seats,
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


class _Patterns(dict[str, int]):
    """Numbers of patterns by their JSON list, each of which is parsed once."""

    def __init__(self) -> None:
        self.ranks: list[list[int]] = []

    def __missing__(self, text: str) -> int:
        self.ranks.append(json.loads(text))
        self[text] = number = len(self.ranks) - 1
        return number


def results_of(pages: Iterable[Page], seated: Sequence[Seating], bots: Sequence[str]) -> Results:
    """Return blocks as arrays; those of which no match counts are left out.

    Args:
        pages: The blocks, each of which is on an opening of its own.
        seated: The seatings of each of them.
        bots: The names of the table's bots.

    Raises:
        KeyError: A block was played by another bot.
    """
    seats, places = len(seated[0]), np.array(seated)
    player_of = {bot: number for number, bot in enumerate(bots)}.__getitem__
    patterns = _Patterns()
    block_players = [np.zeros((0, seats), dtype=np.int16)]
    players = [np.zeros((0, seats), dtype=np.int16)]
    match_blocks = [np.zeros(0, dtype=np.int32)]
    match_patterns = [np.zeros(0, dtype=np.int16)]
    many = 0
    for numbers, names, blocks, seatings, ranks in pages:
        is_next = np.diff(blocks, prepend=-1) > 0
        counting = np.searchsorted(numbers, np.array(blocks)[is_next])
        texts = ",".join([names[number] for number in counting.tolist()])
        its_players = np.fromiter(
            map(player_of, chain.from_iterable(json.loads(f"[{texts}]"))),
            dtype=np.int16,
            count=len(counting) * seats,
        ).reshape(-1, seats)
        which = np.cumsum(is_next) - 1
        block_players.append(its_players)
        players.append(np.take_along_axis(its_players[which], places[list(seatings)], axis=1))
        match_blocks.append((many + which).astype(np.int32))
        match_patterns.append(
            np.fromiter(map(patterns.__getitem__, ranks), dtype=np.int16, count=len(ranks))
        )
        many += len(counting)
    return Results(
        bots=len(bots),
        block_players=np.concatenate(block_players),
        match_blocks=np.concatenate(match_blocks),
        players=np.concatenate(players),
        patterns=np.array(patterns.ranks, dtype=np.int64).reshape(-1, seats),
        match_patterns=np.concatenate(match_patterns),
    )


def _tally(results: Results) -> Tally:
    n, seats = results.bots, results.seats
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
        ranks = results.patterns[results.match_patterns[part]]
        yield results.players[part].astype(np.int64), ranks


def rate_large(results: Results, blocks: Ints, house: Bools, count: int = SAMPLES) -> Ratings:
    """Return the ratings; `Ratings.superior` holds for neighbours in the table alone.

    Args:
        results: What was played, at least one match.
        blocks: (N,): the number of blocks that each bot played.
        house: (N,): the house bots.
        count: The number of samples.
    """
    bots, seats = results.bots, results.seats
    generator = np.random.default_rng(_SEED)
    lots = min(len(results.block_players), MOST_UNITS)
    lot_of = (generator.permutation(len(results.block_players)) % lots).astype(np.int16)
    tied = large_fit.tie_sizes(results.patterns)
    size = large_fit.Size(players=bots, seats=seats, tied=tied)
    lots_of_matches = lot_of[results.match_blocks]
    groups = large_fit.choices_of(
        *(results.players, results.patterns, results.match_patterns), lots_of_matches, tied
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
    numbers = np.broadcast_to(np.arange(results.seats), results.patterns.shape)
    return closure(scored_directly(numbers, results.patterns, results.seats))


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
