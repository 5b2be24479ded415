"""The samples: their approximations are close, and they are reproducible."""

import numpy as np
import pytest

from lanista.pairing.blocks import BlockScore, seatings
from lanista.standings import bootstrap
from lanista.standings.counting import count, independent
from lanista.standings.likelihood import ELO, maximum, model_of, sums
from standings.rating_cases import Case, names, play, spread

CASES = {
    "2 players": Case(seats=2, elo=spread(6, 400), blocks=10, alike=0.3),
    "4 players": Case(seats=4, elo=spread(8, 300), blocks=20),
    "one far ahead": Case(seats=2, elo=(600.0, 0.0, 0.0, 0.0), blocks=12, tied=0),
}


def sample(some, size):
    return bootstrap.sample(some, size, independent(some.counted))


def model(case, seed=7):
    played = play(case, np.random.default_rng(seed))
    return model_of(count(played, seatings(range(case.seats)), names(case)))


@pytest.mark.parametrize("name", CASES)
def test_few_steps_are_as_good_as_full_maxima(monkeypatch, name):
    """The same weights, each sample's likelihood maximised to the last digit."""
    some = model(CASES[name])
    quick = sample(some, 200)
    monkeypatch.setattr(bootstrap, "_CERTAIN", -1.0)
    monkeypatch.setattr(bootstrap, "_SETTLED_CHORD", 1e-9)
    monkeypatch.setattr(bootstrap, "_SETTLED_NEWTON", 1e-9)
    full = sample(some, 200)
    error = full.values.std(axis=0)
    # The error of the quantiles themselves is 7 % of it.
    off = np.abs(quick.values - full.values)
    assert (off.mean(axis=0) < 0.02 * error).all()
    assert (off.max(axis=0) < 0.15 * error).all()


def test_the_quadratic_approximation_is_near(monkeypatch):
    """Many blocks: nothing is computed afresh, and all is nearly as if it were."""
    some = model(Case(seats=2, elo=spread(4, 200), blocks=150))
    quick = sample(some, 300)
    monkeypatch.setattr(bootstrap, "_CERTAIN", -1.0)
    full = sample(some, 300)
    assert not np.array_equal(quick.values, full.values)
    error = full.values.std(axis=0)
    for share in (0.025, 0.975):
        off = np.quantile(quick.values, share, axis=0) - np.quantile(full.values, share, axis=0)
        assert (np.abs(off) < 0.15 * error).all()


@pytest.mark.parametrize(("by_opening", "missing"), [(True, 0.0), (False, 0.0), (True, 0.4)])
def test_the_error_is_the_sandwich(by_opening, missing):
    """Independently: information⁻¹ · sum of squared scores · information⁻¹.

    Scores of openings with three blocks each; or of blocks, where all are on one opening. Blocks
    that aren't complete have the scores of their matches.
    """
    case = Case(seats=2, elo=spread(3, 300), blocks=60, alike=0.5, liking=150.0, missing=missing)
    played = play(case, np.random.default_rng(8))
    if not by_opening:
        played = [block._replace(opening=0) for block in played]
    seated = seatings("ab")
    some = model_of(count(played, seated, names(case)))
    estimate, information = maximum(some)
    scores = {}
    for number, block in enumerate(played):
        alone = model_of(count([block], seated, names(case)))
        # The same parameters but for the tie, which a single block needn't hold.
        of = np.zeros(some.size)
        of[: alone.size] = alone.counted.match_times @ alone.chosen
        if not alone.tied:
            of[-1] = 0.0
        expected = sums(some, _as_choices(some, block, seated, names(case)), estimate)[1]
        key = block.opening if by_opening else number
        scores[key] = scores.get(key, 0.0) + of - expected
    meat = sum(np.outer(score, score) for score in scores.values())
    inverse = np.linalg.inv(information)
    sandwich = np.sqrt(np.diag(inverse @ meat @ inverse))[:3]
    deviation = sample(some, 1500).values.std(axis=0)[:3]
    assert sandwich * ELO == pytest.approx(deviation * ELO, rel=0.1)


def _as_choices(some, block, seated, bots):
    """(C,): how often a block made each of the model's choices."""
    alone = count([block], seated, bots)
    weights = np.zeros(some.choices)
    for players in alone.players:
        rows = (some.counted.players == players).all(axis=1)
        weights[some.choice_of[np.flatnonzero(rows)[0], 0]] += 1
    return weights


def test_lots_of_blocks_are_as_good_as_blocks(monkeypatch):
    some = model(Case(seats=4, elo=spread(8, 300), blocks=150))
    alone = sample(some, 500).values.std(axis=0)
    monkeypatch.setattr(bootstrap, "MOST_UNITS", 100)
    lots = sample(some, 500).values.std(axis=0)
    assert not np.array_equal(alone, lots)
    # The error of 100 lots is 7 %, that of 500 samples 3 %.
    assert alone == pytest.approx(lots, rel=0.25)
    assert alone.mean() == pytest.approx(lots.mean(), rel=0.08)


def test_all_blocks_of_an_opening_have_one_weight():
    """Each block eight times on its opening: eight times the scores, and as wide as once."""
    once = play(Case(seats=2, elo=spread(4, 200), blocks=40), np.random.default_rng(9))
    bots = [f"bot{number}" for number in range(4)]
    few, many = (
        sample(model_of(count(once * times, seatings("ab"), bots)), 800).values[:, :4].std(axis=0)
        for times in (1, 8)
    )
    assert few == pytest.approx(many, rel=0.12)


def test_too_many_choices_are_approximated(monkeypatch):
    """A bot that lost all in a large tournament: its interval stays of the same order."""
    seated = seatings("ab")
    rest = play(Case(seats=2, elo=spread(4, 200), blocks=40), np.random.default_rng(9))
    lost = [BlockScore(("bot0", "last"), ((1, 2), (2, 1)))] * 40
    some = model_of(count(rest + lost, seated, ["bot0", "bot1", "bot2", "bot3", "last"]))
    exact = sample(some, 400)
    monkeypatch.setattr(bootstrap, "_MOST_EXACT", 0)
    rough = sample(some, 400)
    assert not np.array_equal(exact.values, rough.values)
    widths = [np.ptp(np.quantile(each.values[:, 4], (0.025, 0.975))) for each in (exact, rough)]
    assert 0.4 < widths[1] / widths[0] < 2.5


def test_equal_tournaments_get_equal_samples():
    one, other = (sample(model(CASES["4 players"]), 20) for _ in range(2))
    assert one.values.tolist() == other.values.tolist()
    assert sample(model(CASES["4 players"], seed=10), 20).values.tolist() != one.values.tolist()
