"""Ladders and version tests: formats that go on until they are ended, or have decided."""

import random
from collections import Counter

import pytest

from competition.formats import by_alphabet, handed_out, make, ranked
from lanista.competition.formats.base import Contest
from lanista.competition.formats.sprt import VersionTest
from lanista.competition.spec import Sprt
from lanista.results.blocks import BlockScore, Pairing

# Ladder


@pytest.mark.parametrize(("seats", "count"), [(2, 20), (4, 5)])
def test_nobody_starves_on_a_ladder(seats, count):
    bots = [f"bot{at}" for at in range(count)]
    format_ = make("ladder", bots, seats=seats)
    chance = random.Random(count)
    begun = Counter(dict.fromkeys(bots, 0))
    running = []
    for _ in range(300):
        pairing = format_.next()
        begun.update(pairing.bots)
        assert max(begun.values()) - min(begun.values()) <= 4
        running.append(pairing)
        if len(running) > 5:
            pairing = running.pop(int(chance.random() * len(running)))
            format_.record(ranked(format_, pairing, bots.index))
    assert not format_.over()


def test_a_ladder_prefers_the_nearest_rated():
    """Twenty of very different strength: most opponents are in the nearer half of the field."""
    bots = [f"bot{at:02}" for at in range(20)]
    format_ = make("ladder", bots)
    far = []
    for _ in range(600):
        pairing = format_.next()
        format_.record(ranked(format_, pairing, bots.index))
        far.append(abs(bots.index(pairing.bots[0]) - bots.index(pairing.bots[1])))
    # Chance alone: a mean of 7 places.
    assert sum(far[200:]) / 400 < 4.5


def test_meetings_of_a_ladder_count_their_draws():
    handed = [make("ladder", "ab").next()]
    format_ = make("ladder", "ab")
    assert handed == [Pairing(("a", "b"), 0)]
    format_.record(BlockScore(("a", "b"), ((1, 2), (2, 1)), 1))
    # 1 was played before; 0 and then 2 are free.
    assert [0, 2, 3] == [format_.next().opening for _ in range(3)]


@pytest.mark.parametrize("seats", [2, 4])
def test_a_ladder_plays_each_block_on_another_draw(seats):
    """So that all seeds and maps come in turn, and no seed's luck counts for many blocks."""
    bots = [f"bot{at:02}" for at in range(20)]
    format_ = make("ladder", bots, seats=seats, blocks=100)
    assert list(range(100)) == [pairing.opening for pairing in handed_out(format_)]


def test_a_ladder_fills_the_draws_that_were_never_begun():
    """Whoever played on the others, and wherever the spec puts their seeds now."""
    format_ = make("ladder", "abcd")
    for bots, draw in [("ab", 7), ("cd", 0), ("bd", 2), ("ac", 7)]:
        pairing = Pairing(tuple(bots), draw)
        format_.record(ranked(format_, pairing, by_alphabet))
        assert format_.counts(pairing)
    assert [1, 3, 4, 5, 6, 8] == [format_.next().opening for _ in range(6)]


def test_a_ladder_ends_after_its_blocks():
    format_ = make("ladder", "abc", blocks=4)
    handed = handed_out(format_)
    assert 4 == len(handed)
    for pairing in handed:
        assert not format_.over()
        format_.record(ranked(format_, pairing, by_alphabet))
    assert format_.over()


def test_a_bot_that_joins_a_ladder_catches_up():
    """It is in every block until the others are no further."""
    before = make("ladder", "abcd")
    told = []
    for _ in range(40):
        pairing = before.next()
        before.record(ranked(before, pairing, by_alphabet))
        told.append(pairing)
    format_ = make("ladder", "abcde")
    for pairing in told:
        format_.record(ranked(format_, pairing, by_alphabet))
    # 20 blocks a bot were played; e needs that many, in which the others play 5 each.
    assert all("e" in format_.next().bots for _ in range(20))


# Version test


class Scripted:
    """A test that decides once it has so many scores; it keeps them."""

    bounds = (-2.94, 2.94)

    def __init__(self, enough=10**9):
        self.enough = enough
        self.scores = []

    def add(self, score):
        self.scores.append(score)

    @property
    def llr(self):
        return float(len(self.scores))

    @property
    def decision(self):
        return "H1" if len(self.scores) >= self.enough else None


def version_test(test, *, seats=2, blocks=None):
    contest = Contest(
        bots=("new", "old"),
        fillers=(),
        seated=make("sprt", ["new", "old"], seats=seats).seated,
        openings=3,
        blocks=blocks,
        maps=1,
        rotation=lambda draw: draw,
    )
    return VersionTest(contest, test)


def by_place(format_, *ranks):
    """The ranks of a block's matches, in each of which the places have these."""
    return tuple(tuple(ranks[place] for place in seating) for seating in format_.seated)


def test_scores_come_in_the_order_of_draws():
    """Draws 1 and 2 end first: nothing is counted until 0 has."""
    test = Scripted()
    format_ = version_test(test)
    zero, one, two = (format_.next() for _ in range(3))
    assert [("new", "old")] * 3 == [zero.bots, one.bots, two.bots]
    assert [0, 1, 2] == [zero.opening, one.opening, two.opening]
    format_.record(BlockScore(two.bots, ((1, 2), (2, 1)), two.opening))  # both won
    format_.record(BlockScore(one.bots, ((1, 2), (1, 2)), one.opening))  # seat 1 won both
    assert [] == test.scores
    format_.record(BlockScore(zero.bots, ((2, 1), (1, 1)), zero.opening))  # lost and drawn
    assert [0.25, 0.5, 1.0] == test.scores


def test_share_of_two_against_two():
    """In each match A's are 1st and 3rd of four: of 4 meetings of A and B it wins 2 and 1."""
    test = Scripted()
    format_ = version_test(test, seats=4)
    pairing = format_.next()
    assert ("new", "new", "old", "old") == pairing.bots
    format_.record(BlockScore(pairing.bots, by_place(format_, 1, 3, 2, 4), pairing.opening))
    assert [0.75] == test.scores


def test_after_the_decision_nothing_changes_it():
    format_ = version_test(Scripted(enough=2))
    handed = [format_.next() for _ in range(4)]
    for pairing in handed:
        format_.record(BlockScore(pairing.bots, ((1, 2), (2, 1)), pairing.opening))
    assert format_.over()
    assert format_.next() is None
    assert format_.verdict().startswith("H1 accepted: LLR 2.00 (-2.94, 2.94) after 2 blocks; ")
    assert all(map(format_.counts, handed))
    assert 4 == format_.progress().played


def test_a_version_test_counts_blocks_wherever_their_draws_are_now():
    """Of four at most three were played, on what are draws 0, 1 and 4 now: 2 is next, no more."""
    test = Scripted()
    format_ = version_test(test, blocks=4)
    for draw in (0, 1, 4):
        pairing = Pairing(("new", "old"), draw)
        format_.record(BlockScore(pairing.bots, ((1, 2), (2, 1)), pairing.opening))
        assert format_.counts(pairing)
    assert 2 == len(test.scores)
    (pairing,) = handed_out(format_)
    assert 2 == pairing.opening
    format_.record(BlockScore(pairing.bots, ((2, 1), (1, 2)), pairing.opening))
    # Nothing more will fill the gap at 3.
    assert [1.0, 1.0, 0.0, 1.0] == test.scores
    assert format_.over()
    assert (4, 4) == (format_.progress().played, format_.progress().planned)


def test_a_version_test_ends_undecided_after_its_blocks():
    format_ = version_test(Scripted(), blocks=3)
    handed = handed_out(format_)
    assert [0, 1, 2] == [pairing.opening for pairing in handed]
    assert not format_.over()
    for pairing in handed:
        format_.record(BlockScore(pairing.bots, ((1, 2), (2, 1)), pairing.opening))
    assert format_.over()
    assert format_.verdict().startswith("undecided: LLR 3.00 (-2.94, 2.94) after 3 blocks; ")


def scored(format_, *played):
    """Return what the test says of the scores after blocks with these ranks.

    One more is of B against A, which isn't a block of the test.
    """
    format_.record(BlockScore(("old", "new"), played[0], 99))
    for opening, ranks in enumerate(played):
        format_.record(BlockScore(format_.next().bots, ranks, opening))
    words = format_.progress().words.partition("; ")[2]
    assert format_.verdict().endswith(f"; {words}")
    return words


def test_two_players_have_five_scores():
    """2, a half, 0 and 1 of 2: three and a half of 8 points."""
    blocks = [((1, 2), (2, 1)), ((1, 1), (1, 2)), ((2, 1), (1, 2)), ((1, 2), (1, 2))]
    expected = "new scored 43.8 % in 4 blocks; by its points in a block, from 0 to 2: 1, 1, 1, 0, 1"
    assert expected == scored(version_test(Scripted()), *blocks)


def test_four_players_count_what_is_between_a_and_b():
    """A's two beat B's two, 4 of 4 in each match; 33 different scores are no line for people."""
    format_ = version_test(Scripted(), seats=4)
    format_.record(BlockScore(format_.next().bots, by_place(format_, 1, 2, 3, 4), 0))
    assert format_.progress().words.endswith("); new scored 100.0 % in 1 block")


def test_a_version_test_has_the_bounds_that_are_asked_for():
    """log(beta/(1-alpha)), log((1-beta)/alpha); without [sprt] both are 0.05."""
    for keys, bounds in [
        ({}, "(-2.94, 2.94)"),
        ({"sprt": Sprt(alpha=0.01, beta=0.1)}, "(-2.29, 4.50)"),
    ]:
        assert make("sprt", ["new", "old"], **keys).progress().words.endswith(bounds)
