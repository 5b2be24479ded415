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
from ratings.rating_cases import Case, names, play, spread

TWO = seatings("ab")
FOUR = seatings("abcd")
WON, LOST, DRAWN, SPLIT = ((1, 2), (2, 1)), ((2, 1), (1, 2)), ((1, 1), (1, 1)), ((1, 2), (1, 2))


def table(blocks, bots, seated=TWO, **more):
    fillers = more.pop("fillers", ())
    values = {"name": "cup", "game": "angrymob", "format": "round-robin"} | more
    return compute(bots=bots, counted=count(blocks, seated, bots, fillers), **values)


def ranks(standings):
    return [(row.rank, row.bot) for row in standings.rows]


def test_nothing_was_played():
    standings = table([], ["b", "a"], planned=4, words="not begun")
    assert [(1, "b"), (1, "a")] == ranks(standings)
    for row in standings.rows:
        assert (0, 0, 0.0, 0) == (row.matches, row.blocks, row.points, row.draws)
        assert (0, 0) == row.places
        assert row.rating is row.rank_low is row.rank_high is row.superior is None
        assert {} == row.endings
    assert ((), ()) == (standings.head_to_head, standings.seat_advantage)
    assert (0, 0, 4, 2) == (standings.blocks, standings.matches, standings.planned, standings.seats)
    assert ("cup", "angrymob", "not begun") == (standings.name, standings.game, standings.words)
    assert not standings.over


def test_a_round_robin_of_two_players():
    """a beats b 2-0 and c 1½-½, b and c draw both: 3½, 1, 1½."""
    blocks = [
        BlockScore(("a", "b"), WON),
        BlockScore(("c", "a"), ((1, 1), (1, 2))),
        BlockScore(("b", "c"), DRAWN),
    ]
    standings = table(blocks, ["a", "b", "c"])
    assert [(1, "a"), (2, "c"), (3, "b")] == ranks(standings)
    first, second, third = standings.rows
    assert [3.5, 1.5, 1.0] == [row.points for row in standings.rows]
    assert [4, 4, 4] == [row.matches for row in standings.rows]
    assert [2, 2, 2] == [row.blocks for row in standings.rows]
    assert [(3, 0), (0, 1), (0, 2)] == [row.places for row in standings.rows]
    assert [1, 3, 2] == [row.draws for row in standings.rows]
    assert first.rating.value > second.rating.value > third.rating.value
    assert first.rating.low < first.rating.value <= first.rating.high
    assert pytest.approx(fmean(row.rating.value for row in standings.rows)) == CENTRE
    assert first.superior > 0.5
    assert third.superior is None
    assert [("a", "c"), ("a", "b"), ("c", "a"), ("c", "b"), ("b", "a"), ("b", "c")] == [
        (one.bot, one.opponent) for one in standings.head_to_head
    ]
    assert [1.5, 2.0, 0.5, 1.0, 0.0, 1.0] == [one.points for one in standings.head_to_head]
    assert {2} == {one.matches for one in standings.head_to_head}
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
    assert [(1, "a"), (1, "c"), (3, "b")] == ranks(table(blocks, ["a", "b", "c"]))


def test_points_a_match_decide_while_some_have_played_less():
    """a: 2 of 4; c: 1½ of 2; b: ½ of 2, and d nothing yet."""
    blocks = [BlockScore(("a", "b"), ((1, 2), (1, 1))), BlockScore(("a", "c"), ((1, 1), (1, 2)))]
    standings = table(blocks, ["a", "b", "c", "d"])
    assert [(1, "c"), (2, "a"), (3, "b"), (4, "d")] == ranks(standings)
    assert [0.75, 0.5, 0.25] == [row.points / row.matches for row in standings.rows[:3]]
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
    assert [(1, "d"), (2, "a"), (3, "b"), (3, "c")] == ranks(standings)
    assert [2.0, 4.0, 0.0, 0.0] == [row.points for row in standings.rows]


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
    assert [(1, "c"), (2, "a"), (2, "d"), (4, "b"), (5, "late")] == ranks(standings)


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
    one, other = standings.rows
    assert ("a", "b") == (one.bot, other.bot)
    assert endings == one.endings
    assert (1, 2, 3) == (one.late_turns, one.malformed_turns, one.illegal_moves)
    assert (0, 0, 0) == (other.late_turns, other.malformed_turns, other.illegal_moves)
    assert [False, True] == [one.benched, other.benched]
    assert [1.0, 5.0] == [one.points, other.points]
    assert (3, 7, None) == (standings.voids, standings.uncounted, standings.planned)
    assert standings.over
    assert "done" == standings.words


def test_points_of_four():
    """By match 3, 2, 1, 0; a tie of the first two 2½ each, and place 1 for both."""
    ranks_ = ((1, 2, 3, 4), (1, 1, 3, 4), (4, 3, 2, 1), (1, 1, 1, 1))
    standings = table([BlockScore(("a", "b", "c", "d"), ranks_)], ["a", "b", "c", "d"], FOUR)
    # Seatings rotate: from seat 0 on a b c d, then b c d a, c d a b, d a b c.
    assert {"a": 3 + 0 + 2 + 1.5, "b": 2 + 2.5 + 3 + 1.5, "c": 1 + 2.5 + 0 + 1.5} == {
        row.bot: row.points for row in standings.rows if row.bot != "d"
    }
    assert ["b", "a", "c", "d"] == [row.bot for row in standings.rows]
    assert [1, 1, 1, 1] == [row.draws for row in standings.rows]
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
    one, other = standings.rows
    assert [(1, "A"), (2, "B")] == ranks(standings)
    assert [12, 12] == [one.matches, other.matches]
    assert [3, 3] == [one.blocks, other.blocks]
    assert (48.0, 0.0) == (one.points, other.points)  # 2 seats above 2, in 12 matches
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
    bots, house = (
        ["a", "b", "c", "house", "other house", "idle"],
        {"house", "other house", "nobody"},
    )
    standings = table(blocks, bots, format="ladder", house=house)
    rows = {row.bot: row for row in standings.rows}
    assert {"house", "other house"} == {row.bot for row in standings.rows if row.rank is None}
    assert [1, 2, 3, 4] == [row.rank for row in standings.rows if row.rank is not None]
    assert "idle" == standings.rows[-1].bot
    values = [row.rating.value for row in standings.rows[:-1]]
    assert sorted(values, reverse=True) == values
    house = [rows[name].rating.value for name in ("house", "other house")]
    assert pytest.approx(fmean(house)) == CENTRE
    assert rows["house"].rank_low is None is rows["house"].rank_high
    assert all(rows[bot].rank_high <= 3 for bot in "abc")
    plain = table(blocks, bots, format="ladder")
    assert rows["a"].rating.value - rows["b"].rating.value == pytest.approx(
        next(row for row in plain.rows if row.bot == "a").rating.value
        - next(row for row in plain.rows if row.bot == "b").rating.value
    )
    assert "| a |" in markdown_text(standings)
    assert "|  | house (house bot) |" in markdown_text(standings)
    assert '"rank": null' in json_text(standings)
    assert "the mean of the house bots is 1500" in html_text(standings)


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
