"""The table: ranks, points, places, what is counted, from blocks to `Standings`."""

from statistics import fmean

import numpy as np
import pytest

from lanista.games.outcome import Ending
from lanista.ratings.compute import compute
from lanista.ratings.counting import count
from lanista.ratings.html import html_text
from lanista.ratings.table import CENTRE
from lanista.ratings.text import json_text, markdown_text
from lanista.results.blocks import BlockScore, seatings
from lanista.results.match_result import BotEndings, Endings
from ratings import samples
from ratings.rating_cases import Case, names, play, spread

TWO = seatings("ab")
FOUR = seatings("abcd")
WON, LOST, DRAWN, SPLIT = ((1, 2), (2, 1)), ((2, 1), (1, 2)), ((1, 1), (1, 1)), ((1, 2), (1, 2))


def table(blocks, bots, seated=TWO, **more):
    fillers = more.pop("fillers", ())
    about = {"name": "cup", "game": "angrymob", "format": "round-robin"}
    values = about | {"ended": Endings(bots={}, voids=0)} | more
    return compute(bots=bots, counted=count(blocks, seated, bots, fillers), **values)


def rows(standings, *fields):
    """These fields of each row."""
    return [tuple(getattr(row, field) for field in fields) for row in standings.rows]


def test_nothing_was_played():
    expected = [samples.row(1, "b"), samples.row(1, "a")]
    about = {"planned": 4, "words": "not begun"}
    assert samples.standings(expected, **about) == table([], ["b", "a"], **about)


def test_a_round_robin_of_two_players():
    """a beats b 2-0 and c 1½-½, b and c draw both: 3½, 1, 1½."""
    blocks = [
        BlockScore(("a", "b"), WON),
        BlockScore(("c", "a"), ((1, 1), (1, 2))),
        BlockScore(("b", "c"), DRAWN),
    ]
    standings = table(blocks, ["a", "b", "c"])
    assert [
        (1, "a", 3.5, 4, 2, (3, 0), 1),
        (2, "c", 1.5, 4, 2, (0, 1), 3),
        (3, "b", 1.0, 4, 2, (0, 2), 2),
    ] == rows(standings, "rank", "bot", "points", "matches", "blocks", "places", "draws")
    first, second, third = standings.rows
    assert first.rating.value > second.rating.value > third.rating.value
    assert first.rating.low < first.rating.value <= first.rating.high
    assert pytest.approx(fmean(row.rating.value for row in standings.rows)) == CENTRE
    assert first.superior > 0.5
    assert third.superior is None
    assert [
        ("a", "c", 2, 1.5),
        ("a", "b", 2, 2.0),
        ("c", "a", 2, 0.5),
        ("c", "b", 2, 1.0),
        ("b", "a", 2, 0.0),
        ("b", "c", 2, 1.0),
    ] == [(met.bot, met.opponent, met.matches, met.points) for met in standings.head_to_head]
    assert first.superior == standings.head_to_head[0].superior
    assert 2 == len(standings.seat_advantage)
    assert (3, 6) == (standings.blocks, standings.matches)


def test_equal_points_share_the_best_rank():
    """1, 1, 3, in the spec's order."""
    blocks = [
        BlockScore(("c", "a"), DRAWN),
        BlockScore(("a", "b"), WON),
        BlockScore(("c", "b"), WON),
    ]
    assert [(1, "a"), (1, "c"), (3, "b")] == rows(table(blocks, ["a", "b", "c"]), "rank", "bot")


def test_points_a_match_decide_while_some_have_played_less():
    """a: 2 of 4; c: 1½ of 2; b: ½ of 2, and d nothing yet."""
    blocks = [BlockScore(("a", "b"), ((1, 2), (1, 1))), BlockScore(("a", "c"), ((1, 1), (1, 2)))]
    standings = table(blocks, ["a", "b", "c", "d"])
    assert [
        (1, "c", 1.5, 2),
        (2, "a", 2.0, 4),
        (3, "b", 0.5, 2),
        (4, "d", 0.0, 0),
    ] == rows(standings, "rank", "bot", "points", "matches")
    assert standings.rows[3].rating is None
    assert standings.rows[2].superior is None


def test_a_gauntlet_is_ranked_by_rating():
    """b and c did alike against the challenger, d better; points would put the challenger first."""
    blocks = [
        BlockScore(("a", "b"), WON),
        BlockScore(("a", "c"), WON),
        BlockScore(("a", "d"), LOST),
    ]
    standings = table(blocks, ["a", "b", "c", "d"], format="gauntlet")
    assert [
        (1, "d", 2.0),
        (2, "a", 4.0),
        (3, "b", 0.0),
        (3, "c", 0.0),
    ] == rows(standings, "rank", "bot", "points")


def test_a_gauntlet_cannot_tell_apart_who_drew_all():
    """Joe and Runner drew all; that Runner lost to Gravity as well says little about Joe."""
    blocks = [BlockScore(("Runner", "Gravity"), LOST), BlockScore(("Joe", "Runner"), DRAWN)]
    for times in (2, 20):
        first, *others = table(blocks * times, ["Joe", "Runner", "Gravity"], format="gauntlet").rows
        assert ("Gravity", None) == (first.bot, first.rating.high)
        assert first.rating.low > CENTRE or times == 2
        for row in others:
            assert row.rating.low < CENTRE < row.rating.high
            assert abs(row.rating.value - CENTRE) < 0.5 * (row.rating.high - row.rating.value)


def test_who_won_all_and_who_lost_all_lack_an_end():
    blocks = [
        BlockScore(("a", "b"), WON),
        BlockScore(("b", "c"), SPLIT),
        BlockScore(("c", "d"), WON),
    ] * 3
    a, *middle, d = table(blocks, ["a", "b", "c", "d"], format="ladder").rows
    assert ("a", None) == (a.bot, a.rating.high)
    assert ("d", None) == (d.bot, d.rating.low)
    assert a.rating.low is not None is not d.rating.high
    assert all(row.rating.low < row.rating.value < row.rating.high for row in middle)
    assert pytest.approx(fmean(row.rating.value for row in middle), abs=1e-6) == CENTRE


def test_the_order_of_a_format_holds():
    """A knockout's, in which fillers have places too."""
    blocks = [
        BlockScore(("a", "b"), WON),
        BlockScore(("c", "d"), WON),
        BlockScore(("a", "c"), LOST),
    ]
    order = [(1, "c"), (2, "Null"), (3, "d"), (3, "a"), (5, "b")]
    standings = table(
        blocks, ["a", "b", "c", "d", "late"], fillers=["Null"], format="knockout", order=order
    )
    assert [(1, "c"), (2, "a"), (2, "d"), (4, "b"), (5, "late")] == rows(standings, "rank", "bot")


def test_what_is_passed_on():
    endings = {Ending.NORMAL: 1, Ending.CRASH: 1, Ending.VOID: 3}
    one = BotEndings(endings=endings, late=1, malformed=2, illegal=3)
    standings = table(
        [BlockScore(("a", "b"), SPLIT)],
        ["a", "b"],
        format="ladder",
        ended=Endings(bots={"a": one}, voids=3),
        benched=["b"],
        byes={"b": 4.0},
        planned=None,
        uncounted=7,
        over=True,
        words="done",
    )
    assert [
        ("a", endings, 1, 2, 3, False, 1.0),
        ("b", {}, 0, 0, 0, True, 5.0),
    ] == rows(
        standings,
        *("bot", "endings", "late_turns", "malformed_turns", "illegal_moves", "benched", "points"),
    )
    assert (3, 7, None) == (standings.voids, standings.uncounted, standings.planned)
    assert (True, "done") == (standings.over, standings.words)


def test_points_of_four():
    """By match 3, 2, 1, 0; a tie of the first two 2½ each, and place 1 for both."""
    ranks_ = ((1, 2, 3, 4), (1, 1, 3, 4), (4, 3, 2, 1), (1, 1, 1, 1))
    standings = table([BlockScore(("a", "b", "c", "d"), ranks_)], ["a", "b", "c", "d"], FOUR)
    # Seatings rotate: from seat 0 on a b c d, then b c d a, c d a b, d a b c.
    assert [
        ("b", 2 + 2.5 + 3 + 1.5, 1),
        ("a", 3 + 0 + 2 + 1.5, 1),
        ("c", 1 + 2.5 + 0 + 1.5, 1),
        ("d", 0 + 1 + 1 + 1.5, 1),
    ] == rows(standings, "bot", "points", "draws")
    assert 24 == sum(row.points for row in standings.rows)  # 6 a match
    assert 4 == len(standings.seat_advantage)
    # A match in which all tie is a first place of all, and told besides.
    assert all(sum(row.places) == row.matches for row in standings.rows)
    assert (2, 1, 0, 1) == next(row.places for row in standings.rows if row.bot == "a")


def test_two_versions_of_a_bot_in_four_seats():
    """A, A, B, B: a bot's points are those against the other; the two share a point a match."""
    seated = seatings("AABB")
    ranks_ = tuple(
        tuple(1 + place for place in seating) for seating in seatings(range(4))[: len(seated)]
    )
    standings = table(
        [BlockScore(("A", "A", "B", "B"), ranks_)] * 3, ["A", "B"], seated, format="sprt"
    )
    # 2 seats above 2, in 12 matches.
    assert [
        (1, "A", 12, 3, 48.0),
        (2, "B", 12, 3, 0.0),
    ] == rows(standings, "rank", "bot", "matches", "blocks", "points")
    assert [(12, 12.0), (12, 0.0)] == [(met.matches, met.points) for met in standings.head_to_head]


def test_fillers_have_no_row():
    blocks = [BlockScore(("a", "b", "Null", "Null 2"), ((1, 2, 3, 3),) * 4)]
    standings = table(blocks, ["a", "b"], FOUR, fillers=("Null", "Null 2"))
    assert {"a", "b"} == {row.bot for row in standings.rows}
    assert {("a", "b"), ("b", "a")} == {(met.bot, met.opponent) for met in standings.head_to_head}
    assert 4 == standings.rows[0].matches


def test_house_bots_hold_the_scale_and_take_no_rank():
    """Their mean is `CENTRE`, whoever joins; the others' ranks are as if they weren't there."""
    blocks = [
        BlockScore(("a", "house"), ((1, 2), (1, 2))),
        BlockScore(("a", "house"), WON),
        BlockScore(("b", "house"), SPLIT),
        BlockScore(("b", "other house"), LOST),
        BlockScore(("c", "other house"), SPLIT),
        BlockScore(("other house", "a"), SPLIT),
    ] * 4
    bots = ["a", "b", "c", "house", "other house", "idle"]
    house = {"house", "other house", "nobody"}
    standings = table(blocks, bots, format="ladder", house=house)
    by_bot = {row.bot: row for row in standings.rows}
    assert {"house", "other house"} == {row.bot for row in standings.rows if row.rank is None}
    assert [1, 2, 3, 4] == [row.rank for row in standings.rows if row.rank is not None]
    assert "idle" == standings.rows[-1].bot
    values = [row.rating.value for row in standings.rows[:-1]]
    assert sorted(values, reverse=True) == values
    of_house = [by_bot[name].rating.value for name in ("house", "other house")]
    assert pytest.approx(fmean(of_house)) == CENTRE
    assert by_bot["house"].rank_low is None is by_bot["house"].rank_high
    assert all(by_bot[bot].rank_high <= 3 for bot in "abc")
    plain = {row.bot: row.rating for row in table(blocks, bots, format="ladder").rows}
    apart = by_bot["a"].rating.value - by_bot["b"].rating.value
    assert pytest.approx(plain["a"].value - plain["b"].value) == apart
    assert "| a |" in markdown_text(standings)
    assert "|  | house (house bot) |" in markdown_text(standings)
    assert '"rank": null' in json_text(standings)
    assert "the mean of the house bots is 1500" in html_text(standings)


def test_ranks_overlap_because_of_a_third_bot_though_two_can_be_told_apart():
    """So pages may say only the converse: c has met each of the others on one opening."""
    blocks = [BlockScore(("a", "b"), WON if number < 35 else LOST, number) for number in range(50)]
    blocks += [BlockScore((bot, "c"), SPLIT, 50 + number) for number, bot in enumerate("ab")]
    standings = table(blocks, ["a", "b", "c"], format="ladder")
    of_bot = {row.bot: row for row in standings.rows}
    assert of_bot["a"].rank_high >= of_bot["b"].rank_low
    (superior,) = [p.superior for p in standings.head_to_head if (p.bot, p.opponent) == ("a", "b")]
    assert superior > 0.99


def test_one_bot_among_fillers():
    """It is its own mean; a block of fillers alone rates nobody."""
    ranks_ = ((1, 2, 2, 4),) * 4
    fillers = ("Null", "Null 2", "Null 3", "Null 4")
    blocks = [BlockScore(("a", *fillers[:3]), ranks_), BlockScore(fillers, ranks_)]
    (row,) = table(blocks, ["a"], FOUR, fillers=fillers).rows
    assert row.rating.value == CENTRE
    assert (1, 1, 1) == (row.rank, row.rank_low, row.rank_high)
    (row,) = table(blocks[1:], ["a"], FOUR, fillers=fillers).rows
    assert row.rating is None


@pytest.mark.parametrize("format_", ["round-robin", pytest.param("ladder", marks=pytest.mark.long)])
def test_standings_do_not_depend_on_the_order_of_blocks(format_):
    case = Case(seats=4, elo=spread(8, 300), blocks=4)
    blocks = play(case, np.random.default_rng(11))
    one = table(blocks, names(case), FOUR, format=format_)
    other = table(blocks[::-1], names(case), FOUR, format=format_)
    assert one == other
