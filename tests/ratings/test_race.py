"""The curve of the leaders' ratings: its points, what they come from, what is remembered."""

import pytest

from lanista.ratings import compute as module
from lanista.ratings.compute import MAX_BOTS, MAX_POINTS, Races, compute, points_of
from lanista.ratings.counting import count
from lanista.ratings.table import CENTRE
from lanista.results.blocks import BlockScore

SEATED = ((0, 1), (1, 0))
WON, LOST = ((1, 2), (2, 1)), ((2, 1), (1, 2))


@pytest.mark.parametrize(
    ("blocks", "points"),
    [(0, []), (3, [1, 2, 3]), (31, [*range(2, 31, 2), 31]), (1001, [*range(50, 1001, 50), 1001])],
)
def test_points_are_at_equal_steps_and_at_the_end(blocks, points):
    assert points == sorted(points_of(blocks))


@pytest.mark.parametrize("blocks", [1, 29, 30, 31, 299, 301, 10**6])
def test_there_are_few_points(blocks):
    assert len(points_of(blocks)) <= MAX_POINTS + 1


def test_a_curve_follows_the_results():
    """Ann wins at first, then Bob; Cid plays nothing at first, so he has no rating there."""
    played = [BlockScore(("Ann", "Bob"), ranks) for ranks in (WON, WON, LOST, LOST, LOST)]
    played.append(BlockScore(("Bob", "Cid"), WON))
    curve = Races().race_of(["Bob", "Cid"], played, SEATED, ["Ann", "Bob", "Cid"])
    assert [1, 2, 3, 4, 5, 6] == curve["blocks"]
    bob, cid = (one["ratings"] for one in curve["curves"])
    assert ["Bob", "Cid"] == [one["bot"] for one in curve["curves"]]
    assert bob[0] > bob[1] and bob[1] < bob[2] < bob[3] < bob[4]  # noqa: PT018 - one curve
    assert bob[3] == CENTRE
    assert [None] * 5 == cid[:5]
    assert cid[5] < bob[5]


def test_a_curve_ends_at_the_ratings_of_the_table():
    """Exactly, or both could be rounded to different whole numbers; a bot that lost every match
    doesn't hold the scale, in either of them.
    """
    bots = ["Ann", "Bob", "Cid"]
    played = [BlockScore(("Ann", "Bob"), ranks) for ranks in (WON, WON, LOST)]
    played += [BlockScore((bot, "Cid"), WON) for bot in ("Ann", "Bob")]
    curves = Races().race_of(bots, played, SEATED, bots)["curves"]
    table = compute(
        name="cup", game="angrymob", format="ladder", bots=bots, counted=count(played, SEATED, bots)
    )
    of_table = {row.bot: row.rating.value for row in table.rows}
    assert of_table == {curve["bot"]: curve["ratings"][-1] for curve in curves}
    assert of_table["Ann"] + of_table["Bob"] == pytest.approx(2 * CENTRE)


def test_known_points_are_not_computed_again(monkeypatch):
    computed = []
    ratings = module.ratings_of

    def counting(played, *args):
        computed.append(len(played))
        return ratings(played, *args)

    monkeypatch.setattr(module, "ratings_of", counting)
    races = Races()
    played = [BlockScore(("Ann", "Bob"), ranks) for ranks in (WON, LOST, WON)]
    (first,) = races.race_of(["Ann"], played[:2], SEATED, ["Ann", "Bob"])["curves"]
    (whole,) = races.race_of(["Ann"], played, SEATED, ["Ann", "Bob"])["curves"]
    assert first["ratings"] == whole["ratings"][:2]
    assert [1, 2, 3] == computed


def test_too_many_bots_have_no_curve():
    names = [f"bot {number}" for number in range(MAX_BOTS + 1)]
    curves = Races().race_of(names[:1], [BlockScore(tuple(names[:2]), WON)], SEATED, names)
    assert {"blocks": [], "curves": [{"bot": names[0], "ratings": []}]} == curves
