"""The reduced form of the standings: it agrees with the full one where both can be computed."""

import json

import numpy as np
import pytest

from lanista.pairing.blocks import BlockScore, seatings
from lanista.standings import bootstrap, large, large_fit
from lanista.standings.compute import compute
from lanista.standings.counting import count
from lanista.standings.large import compute_large
from lanista.standings.likelihood import ELO, maximum, model_of
from standings.rating_cases import Case, names, play, spread

CASES = {
    "2 players": Case(seats=2, elo=spread(8, 500), blocks=20, missing=0.2),
    "4 players": Case(seats=4, elo=spread(8, 500), blocks=60, missing=0.2),
    "4 players without ties": Case(seats=4, elo=spread(8, 500), blocks=60, tied=0),
}
WON = ((1, 2), (2, 1))


def blocks_of(case):
    """The blocks of a case, each on an opening of its own."""
    played = play(case, np.random.default_rng(3))
    return [block._replace(opening=number) for number, block in enumerate(played)]


def results_of(blocks, seats, bots):
    """The blocks as they are read from a database: in pages, with blocks that don't count."""
    pages = []
    for start in range(0, len(blocks), 7):
        here = list(enumerate(blocks[start : start + 7], start + 1))
        matches = [
            (number, seating, json.dumps(ranks))
            for number, block in here
            for seating, ranks in enumerate(block.ranks)
            if ranks
        ]
        numbers = [number for number, _ in here]
        pages.append(
            (numbers, [json.dumps(block.bots) for _, block in here], *zip(*matches, strict=True))
        )
    return large.results_of(pages, seatings(range(seats)), bots)


def both(blocks, bots, seats, house=()):
    common = {"name": "x", "game": "y", "bots": bots, "house": house}
    full = compute(format="ladder", played=blocks, seated=seatings(range(seats)), **common)
    return full, compute_large(results=results_of(blocks, seats, bots), **common)


def fitted(case, blocks, **more):
    """The size of the model, the choices and the number of lots."""
    results = results_of(blocks, case.seats, names(case))
    lots = np.arange(len(blocks)).astype(np.int16)[results.match_blocks]
    tied = large_fit.tie_sizes(results.patterns)
    size = large_fit.Size(players=results.bots, seats=case.seats, tied=tied)
    groups = large_fit.choices_of(
        *(results.players, results.patterns, results.match_patterns), lots, tied
    )
    return size, groups, len(blocks)


@pytest.mark.parametrize("name", CASES)
def test_the_likelihood_is_that_of_the_full_form(name):
    """Its maximum, its information, and the parts of it that lots have."""
    case = CASES[name]
    blocks = blocks_of(case)
    model = model_of(count(blocks, seatings(range(case.seats)), names(case)))
    expected, information = maximum(model, bootstrap.PSEUDO)
    size, groups, lots = fitted(case, blocks)
    assert model.tied == size.tied
    gradient, its_information, scores = large_fit.evaluate(groups, size, expected, lots=lots)
    assert np.zeros(size.all) == pytest.approx(gradient, abs=1e-9)
    assert np.abs(its_information - information).max() < 1e-4
    found = large_fit.fit(groups, size, lots)
    assert expected * ELO == pytest.approx(found.at * ELO, abs=0.01)
    prior = large_fit.evaluate([], size, expected)[0]
    assert np.zeros(size.all) == pytest.approx(scores.sum(axis=0) + prior, abs=1e-9)


def test_parts_of_the_matches_lead_to_the_maximum_of_all(monkeypatch):
    """So near that it doesn't matter beside the errors of the ratings."""
    case = Case(seats=4, elo=spread(8, 500), blocks=400)
    size, groups, lots = fitted(case, blocks_of(case))
    whole = large_fit.fit(groups, size, lots)
    for name, value in (("_FIRST", 200), ("_NEXT", 900), ("_FEW", 10)):
        monkeypatch.setattr(large_fit, name, value)
    found = large_fit.fit(groups, size, lots)
    assert not np.array_equal(whole.at, found.at)
    error = np.sqrt(np.diag(whole.inverse))[: size.players]
    assert (np.abs(whole.at - found.at)[: size.players] < 0.35 * error).all()
    assert error == pytest.approx(np.sqrt(np.diag(found.inverse))[: size.players], rel=0.15)


@pytest.mark.parametrize("name", CASES)
def test_the_table_is_nearly_that_of_the_full_form(name):
    case = CASES[name]
    bots = names(case)
    full, reduced = both(blocks_of(case), bots, case.seats, house=bots[:2])
    assert full.blocks == reduced.blocks
    assert full.matches == reduced.matches
    assert () == reduced.head_to_head
    for one, other in zip(full.rows, reduced.rows, strict=True):
        for what in ("rank", "bot", "matches", "points", "blocks", "places", "draws"):
            assert getattr(one, what) == getattr(other, what)
        width = one.rating.high - one.rating.low
        assert one.rating.value == pytest.approx(other.rating.value, abs=0.05 * width)
        assert one.rating.low == pytest.approx(other.rating.low, abs=0.2 * width)
        assert one.rating.high == pytest.approx(other.rating.high, abs=0.2 * width)
    assert full.rows[-1].superior is None is reduced.rows[-1].superior
    superior = [[row.superior for row in rows.rows[:-1]] for rows in (full, reduced)]
    assert superior[0] == pytest.approx(superior[1], abs=0.08)
    for one, other in zip(full.seat_advantage, reduced.seat_advantage, strict=True):
        assert one.value == pytest.approx(other.value, abs=2)
        assert one.low == pytest.approx(other.low, abs=8)


def test_who_won_all_or_lost_all_lacks_an_end():
    """As in the full form; the others hold the scale."""
    blocks = [
        BlockScore(("a", "b"), ((1, 2), ()), 0),
        *(BlockScore(("b", "c"), ((1, 2), (1, 2)), number) for number in range(1, 13)),
        BlockScore(("c", "d"), WON, 13),
    ]
    full, reduced = both(blocks, ["a", "b", "c", "d", "idle"], 2)
    assert ["d", "idle"] == [row.bot for row in reduced.rows[-2:]]
    for one, other in zip(
        *(sorted(table.rows, key=lambda row: row.bot) for table in (full, reduced)), strict=True
    ):
        if one.rating is None:
            assert other.rating is None
            continue
        assert (one.rating.low is None) == (other.rating.low is None)
        assert (one.rating.high is None) == (other.rating.high is None)
    rows = {row.bot: row for row in reduced.rows}
    assert 0 == pytest.approx(rows["b"].rating.value + rows["c"].rating.value, abs=1e-6)


def test_nothing_was_played():
    _, reduced = both([], ["a", "b"], 2, house=["b"])
    assert [(1, "a"), (None, "b")] == [(row.rank, row.bot) for row in reduced.rows]
    assert () == reduced.seat_advantage


def test_a_block_of_another_bot():
    with pytest.raises(KeyError, match="x"):
        results_of([BlockScore(("a", "x"), WON)], 2, ["a", "b"])


def test_blocks_of_which_no_match_counts_are_left_out():
    """Also those of bots that aren't in the table."""
    some = [
        BlockScore(("x", "y"), ((), ())),
        BlockScore(("b", "a"), ((), (2, 1))),
        BlockScore(("a", "x"), ((), ())),
        BlockScore(("a", "c"), WON),
    ]
    results = results_of(some, 2, ["a", "b", "c"])
    assert [[1, 0], [0, 2]] == results.block_players.tolist()
    assert [[0, 1], [0, 2], [2, 0]] == results.players.tolist()
    assert [0, 1, 1] == results.match_blocks.tolist()
    ranks = results.patterns[results.match_patterns]
    assert [[2, 1], [1, 2], [2, 1]] == ranks.tolist()


def test_equal_ladders_have_equal_tables():
    case = CASES["2 players"]
    one, other = (both(blocks_of(case), names(case), 2)[1] for _ in range(2))
    assert one == other
