"""Each format by itself: who meets whom, byes, places, verdicts, errors."""

import random
from collections import Counter
from itertools import combinations

import pytest

from competition.formats import by_alphabet, handed_out, make, play, ranked
from lanista.competition.formats.knockout import EXTENSIONS, bracket, heats_of
from lanista.competition.spec import Sprt
from lanista.errors import SpecError
from lanista.results.blocks import BlockScore, Pairing

# Round-robin


def test_round_robin_of_two_seats_is_draw_by_draw():
    handed = handed_out(make("round-robin", "dcba", draws=2))
    assert [0] * 6 + [1] * 6 == [pairing.opening for pairing in handed]
    for draw in (0, 1):
        pairs = [pairing.bots for pairing in handed if pairing.opening == draw]
        assert sorted(combinations("abcd", 2)) == sorted(pairs)
    # Each half of a round has everybody once.
    assert all(
        len({*one.bots, *two.bots}) == 4 for one, two in zip(handed[::2], handed[1::2], strict=True)
    )


def test_three_bots_and_a_filler_are_one_block_a_draw():
    format_ = make("round-robin", "abc", seats=4, draws=6, fillers=("Null",))
    handed = handed_out(format_)
    assert [{"a", "b", "c", "Null"}] * 6 == [set(pairing.bots) for pairing in handed]
    assert 6 == len({pairing.bots for pairing in handed})


@pytest.mark.parametrize("bots", ["abcdefg", "abcdefghijkl"])
def test_round_robin_of_four_seats_meets_equally_on_each_draw(bots):
    for draw, handed in Counter(
        (pairing.opening, pair)
        for pairing in handed_out(make("round-robin", bots, seats=4))
        for pair in combinations(sorted(pairing.bots), 2)
    ).items():
        assert {7: 2, 12: 3}[len(bots)] == handed, draw


def test_a_long_round_robin_is_taken_up_whole():
    """20 bots, 264 draws: 190 · 264 = 50,160 blocks."""
    bots = [f"bot{at}" for at in range(20)]
    pairings = handed_out(make("round-robin", bots, draws=264))
    assert 50_160 == len(pairings)
    results = [BlockScore(bots, ((1, 2), (2, 1)), opening) for bots, opening in pairings]
    format_ = make("round-robin", bots, draws=264)
    for played in results:
        format_.record(played)
    assert format_.next() is None
    assert format_.over()


def test_a_very_long_round_robin_is_planned_at_once():
    """Blocks are counted by what a draw has: draw by draw this would not end in time."""
    for seats in (2, 4):
        format_ = make("round-robin", "abcdefgh", seats=seats, draws=10**9)
        format_.bench("a")
        assert (0, 0) == (format_.next().opening, format_.progress().played)


# Gauntlet


def test_gauntlet_of_two_seats():
    handed = handed_out(make("gauntlet", "abcd", draws=2, challenger="c"))
    assert [("a", "c"), ("b", "c"), ("c", "d")] * 2 == [pairing.bots for pairing in handed]


@pytest.mark.parametrize("bots", ["abcd", "abcdefg", "abcdefghijk"])
def test_gauntlet_of_four_seats_has_all_others_equally_often(bots):
    handed = handed_out(make("gauntlet", bots, seats=4, draws=5))
    assert {"a"} == {pairing.bots[0] for pairing in handed}
    often = 1 if len(bots) == 4 else 3
    for draw in range(5):
        blocks = [pairing.bots for pairing in handed if pairing.opening == draw]
        assert dict.fromkeys(bots[1:], often) == Counter(
            bot for block in blocks for bot in block[1:]
        )
        assert len(blocks) == len(set(map(frozenset, blocks)))
        if often == 3:
            # Each is once next after the challenger, once opposite, once next before it.
            assert all(
                sorted(bots[1:]) == sorted(column) for column in list(zip(*blocks, strict=True))[1:]
            )


def test_gauntlet_without_its_challenger_is_over():
    format_ = make("gauntlet", "abc")
    format_.bench("a")
    assert format_.over()


# Swiss


def test_swiss_pairs_neighbours_who_have_not_met():
    rounds = play(make("swiss", "abcdefgh", rounds=3), by_alphabet)
    assert [
        # By the spec's order.
        {"ab", "cd", "ef", "gh"},
        # a c e g have 2 points, b d f h none.
        {"ac", "eg", "bd", "fh"},
        # a e have 4, b c f g 2 (in the spec's order), d h none.
        {"ae", "bc", "fg", "dh"},
    ] == [{"".join(pairing.bots) for pairing in handed} for handed in rounds]
    assert [{0}, {1}, {2}] == [{pairing.opening for pairing in handed} for handed in rounds]


@pytest.mark.parametrize("kind", ["swiss", "knockout"])
@pytest.mark.parametrize(("maps", "blocks"), [(1, 3), (3, 2)])
def test_each_round_has_its_own_seeds_on_each_map(kind, maps, blocks):
    """Three maps, two blocks: draws are seed by seed, each on maps 0, 1, 2."""
    rounds = play(make(kind, "abcd", draws=1, maps=maps, blocks=blocks), by_alphabet)
    each = maps * blocks
    assert [set(range(each)), set(range(each, 2 * each))] == [
        {pairing.opening for pairing in handed} for handed in rounds
    ]
    assert [2 * each, 2 * each if kind == "swiss" else each] == list(map(len, rounds))


@pytest.mark.parametrize("kind", [pytest.param("swiss", marks=pytest.mark.long), "knockout"])
def test_a_round_has_no_more_blocks_than_can_be_planned(kind):
    with pytest.raises(SpecError) as caught:
        make(kind, "abcdefghij", maps=2, blocks=100_000)
    message = str(caught.value)
    assert message.startswith("blocks: 100000 a meeting on 2 maps makes 1,000,000 blocks a round; ")
    # As many as there can be.
    format_ = make(kind, "abcd", maps=2, blocks=62_500)
    assert Pairing(("a", "b" if kind == "swiss" else "d"), 0) == format_.next()


def test_swiss_odd_count_has_byes_for_the_lowest():
    """The last has the first bye, then the lowest without one; a bye is a block's 2 points."""
    format_ = make("swiss", "abcde", rounds=3)
    assert {"e": 2.0} == format_.byes()
    play(format_, by_alphabet)
    # Round 2: a, c, e 2 points; b, d none: d's bye; a-c, b-e. Round 3: a 4, the others 2: c's.
    assert {"e": 2.0, "d": 2.0, "c": 2.0} == format_.byes()


def test_swiss_repeats_only_when_there_is_nobody_new():
    pairs = Counter(
        pairing.bots
        for handed in play(make("swiss", "abcd", rounds=6), by_alphabet)
        for pairing in handed
    )
    assert dict.fromkeys(combinations("abcd", 2), 2) == pairs


def test_swiss_order_by_points_then_buchholz_then_direct():
    """Round 1: a-b, c-d; round 2: a-c, b-d.

    a 4; b 2 and c 2, d 0. b met a and d: 4; c met d and a: 4. They didn't meet: they share.
    """
    format_ = make("swiss", "abcd", rounds=2)
    assert [(1, "a"), (1, "b"), (1, "c"), (1, "d")] == format_.order()
    play(format_, by_alphabet)
    assert [(1, "a"), (2, "b"), (2, "c"), (4, "d")] == format_.order()
    assert "a wins" == format_.verdict()
    even = make("swiss", "ab")
    play(even, lambda _: 0)
    assert "a and b share the first place" == even.verdict()
    even = make("swiss", "abcd")
    play(even, lambda _: 0)
    assert "a, b, c and d share the first place" == even.verdict()
    even = make("swiss", "abcdef")
    play(even, lambda _: 0)
    assert "a, b, c and 3 others share the first place" == even.verdict()


def test_swiss_equals_are_ordered_by_what_they_scored_against_each_other():
    """In a heat of four, what they scored against the others is no part of that."""
    format_ = make("swiss", "abcd", seats=4, rounds=1)
    pairing = format_.next()
    # a 9, b 5, c 9, d 1; a was ahead of c in three matches of four.
    best_first = ["acbd", "acbd", "acbd", "cbda"]
    ranks = tuple(
        tuple(1 + best_first[number].index(pairing.bots[place]) for place in seating)
        for number, seating in enumerate(format_.seated)
    )
    format_.record(BlockScore(pairing.bots, ranks, pairing.opening))
    assert [(1, "a"), (2, "c"), (3, "b"), (4, "d")] == format_.order()
    assert "a wins" == format_.verdict()


@pytest.mark.parametrize(
    ("seats", "rounds_of"),
    [(2, {2: 1, 3: 2, 8: 3, 9: 4, 20: 5}), (4, {4: 1, 7: 2, 8: 2, 13: 4, 16: 4})],
)
def test_swiss_default_rounds(seats, rounds_of):
    for count, rounds in rounds_of.items():
        format_ = make("swiss", [chr(97 + at) for at in range(count)], seats=seats)
        assert f"round 1 of {rounds}" == format_.progress().words


def test_swiss_pods_and_byes():
    """Six: one pod, two byes of 1½ points a match, of four matches; who sat out plays next."""
    format_ = make("swiss", "abcdef", seats=4, rounds=2)
    assert {"e": 6.0, "f": 6.0} == format_.byes()
    first, second = play(format_, by_alphabet)
    assert ["abcd"] == ["".join(sorted(pairing.bots)) for pairing in first]
    # a 12, b 8, e and f 6, c 4, d 0: the lowest without a bye sit out.
    assert ["abef"] == ["".join(sorted(pairing.bots)) for pairing in second]
    assert {"e": 6.0, "f": 6.0, "c": 6.0, "d": 6.0} == format_.byes()


def test_swiss_walkover_for_what_is_not_played():
    """One of b's two blocks with a was played: for the other one a has the points of a bye."""
    format_ = make("swiss", "abcd", blocks=2)
    first = format_.next()
    assert ("a", "b") == first.bots
    format_.record(ranked(format_, first, by_alphabet))
    format_.bench("b")
    assert {"a": 2.0} == format_.byes()
    assert all("b" not in pairing.bots for pairing in handed_out(format_))


def test_swiss_waits_for_what_was_handed_out_to_a_benched_bot():
    format_ = make("swiss", "abcd", rounds=1)
    handed = handed_out(format_)
    format_.bench("b")
    for pairing in handed:
        assert not format_.over()
        format_.record(ranked(format_, pairing, by_alphabet))
    assert format_.over()
    assert {} == format_.byes()
    assert all(map(format_.counts, handed))


# Knockout


@pytest.mark.parametrize(
    ("count", "lines"), [(2, [0, 1]), (4, [0, 3, 1, 2]), (7, [0, 7, 3, 4, 1, 6, 2, 5])]
)
def test_bracket(count, lines):
    assert lines == bracket(count)


@pytest.mark.parametrize(
    ("seats", "heats", "places"),
    [
        (2, [["ah", "de", "bg", "cf"], ["ad", "bc"], ["ab"]], [1, 2, 3, 3, 5, 5, 5, 5]),
        # Two heats, of each two go on; the final gives the places.
        (4, [["adeh", "bcfg"], ["abcd"]], [1, 2, 3, 4, 5, 5, 5, 5]),
    ],
)
def test_knockout_of_eight(seats, heats, places):
    format_ = make("knockout", "abcdefgh", seats=seats)
    rounds = play(format_, by_alphabet)
    assert heats == [["".join(sorted(pairing.bots)) for pairing in handed] for handed in rounds]
    assert places == [place for place, _ in format_.order()]
    assert "abcdefgh" == "".join(bot for _, bot in format_.order())
    assert "a wins" == format_.verdict()


def test_knockout_has_byes_for_the_first_seeds():
    format_ = make("knockout", "abcde")
    assert [("d", "e")] == [pairing.bots for pairing in handed_out(format_)][:1]
    assert {"a": 2.0, "b": 2.0, "c": 2.0} == format_.byes()


def test_knockout_extends_what_is_drawn():
    """A mini-match of two blocks that ends even gets one more, then another."""
    format_ = make("knockout", "ab", blocks=2)
    for wanted in ([0, 1], [2], [3]):
        handed = handed_out(format_)
        assert wanted == [pairing.opening for pairing in handed]
        for pairing in handed:
            strength = {"a": 0, "b": 1 if pairing.opening == 3 else 0}
            format_.record(ranked(format_, pairing, strength.__getitem__))
    assert "b wins" == format_.verdict()
    assert [(1, "b"), (2, "a")] == format_.order()
    assert (4, 4) == (format_.progress().played, format_.progress().planned)


def test_knockout_that_stays_drawn_goes_by_seed_and_says_so():
    format_ = make("knockout", "ba", blocks=2)
    assert 1 + EXTENSIONS == len(play(format_, lambda _: 0))
    assert (
        "b wins; b advanced in place of a in round 1 as the higher seed, as they were "
        "still even after 20 extensions" == format_.verdict()
    )


def test_a_heat_is_extended_only_where_it_matters():
    """Places 1 and 2 even: both go on. Places 2 and 3 even: one block more."""
    format_ = make("knockout", "abcdefgh", seats=4)
    strength = {"a": 9, "d": 9, "e": 5, "h": 1} | {"b": 9, "c": 5, "f": 5, "g": 1}
    first = handed_out(format_)
    for pairing in first:
        format_.record(ranked(format_, pairing, strength.__getitem__))
    assert [("bcfg", 1)] == [
        ("".join(sorted(pairing.bots)), pairing.opening) for pairing in handed_out(format_)
    ]


@pytest.mark.parametrize(
    ("count", "plan"),
    [
        (4, [(1, 3)]),
        (5, [(1, 1), (1, 3)]),
        (7, [(1, 2), (1, 1), (1, 3)]),
        (8, [(2, 4), (1, 3)]),
        (13, [(3, 5), (2, 4), (1, 3)]),
        (15, [(3, 6), (1, 1), (2, 4), (1, 3)]),
        (16, [(4, 8), (2, 4), (1, 3)]),
    ],
)
def test_heats_bring_any_number_down_to_one(count, plan):
    found = []
    while count > 1:
        found.append(heats_of(count))
        count -= found[-1][1]
    assert plan == found


@pytest.mark.parametrize("count", [5, 6, 7, 11, 13, 15])
def test_knockout_of_heats_with_any_number_finds_the_best(count):
    bots = [chr(97 + at) for at in range(count)]
    random.Random(count).shuffle(bots)
    format_ = make("knockout", bots, seats=4)
    planned = format_.progress().planned
    play(format_, by_alphabet)
    assert [(1, "a"), (2, "b")] == list(format_.order())[:2]
    assert planned == format_.progress().played


def test_knockout_goes_on_without_a_benched_bot():
    format_ = make("knockout", "abcd")
    format_.bench("a")
    assert {"d": 2.0} == format_.byes()
    play(format_, by_alphabet)
    assert "b wins" == format_.verdict()
    assert [(1, "b"), (2, "d"), (3, "a"), (3, "c")] == format_.order()


# Errors


def test_knockout_is_not_won_by_one_of_several_that_were_benched_at_once():
    """Nor do they get points for a block in which each of them leaves the other out."""
    live, resumed = (make("knockout", "abcd", seats=4) for _ in range(2))
    live.bench("a", "b")
    resumed.resume([], ["a", "b"])
    for format_ in (live, resumed):
        assert "c wins" == format_.verdict()
        assert {"c": 6.0, "d": 6.0} == format_.byes()


@pytest.mark.parametrize(
    ("kind", "bots", "keys", "line"),
    [
        ("round-robin", "ab", {"rounds": 2}, "rounds: only for swiss, not for round-robin"),
        ("round-robin", "ab", {"blocks": 2}, "blocks: only for swiss, knockout, ladder, sprt, n"),
        ("round-robin", "ab", {"sprt": Sprt()}, "sprt: only for sprt, not for round-robin; remove"),
        ("round-robin", "ab", {"fill": "Null"}, "fill: two bots take all seats of a game of 2"),
        ("sprt", "ab", {"fill": "Null", "seats": 4}, "fill: only for round-robin, gauntlet, swi"),
        ("swiss", "ab", {"challenger": "a"}, "challenger: only for gauntlet, not for swiss"),
        ("gauntlet", "ab", {"challenger": "x"}, "challenger: 'x' isn't a bot here; it can be a, b"),
        ("sprt", "abc", {}, "bots: the format sprt needs exactly two, not 3"),
        ("round-robin", "abc", {"seats": 4}, "bots: the game has 4 seats, and there are only 3"),
        ("round-robin", "abc", {"seats": 3}, "game: it has 3 seats; tournaments are for games of"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(kind, bots, keys, line):
    with pytest.raises(SpecError) as caught:
        make(kind, bots, **keys)
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


# Rounds as people see them


def shown_rounds(format_):
    return [
        [(meeting.bots, meeting.points, meeting.over, meeting.through) for meeting in round_]
        for round_ in format_.rounds()
    ]


def test_rounds_of_a_knockout_are_its_bracket():
    """Neighbouring heats lead to the same one; a bye is a heat of one bot, which goes on."""
    format_ = make("knockout", "abc")
    assert [[(("a",), (0.0,), True, ("a",)), (("b", "c"), (0.0, 0.0), False, ())]] == shown_rounds(
        format_
    )
    play(format_, by_alphabet)
    assert [
        [(("a",), (0.0,), True, ("a",)), (("b", "c"), (2.0, 0.0), True, ("b",))],
        [(("a", "b"), (2.0, 0.0), True, ("a",))],
    ] == shown_rounds(format_)


def test_rounds_of_a_swiss_have_their_byes_last():
    format_ = make("swiss", "abc", rounds=2)
    play(format_, by_alphabet)
    first, second = shown_rounds(format_)
    assert [(("a", "b"), (2.0, 0.0), True, ()), (("c",), (0.0,), True, ())] == first
    assert (("a", "c"), (2.0, 0.0), True, ()) in second
