"""What `lanista sprt` counts beside the test itself: A's points, block by block."""

import attrs
import pytest

from cli.test_tournament_display import done, match
from lanista.cli.sprt import EXIT_UNDECIDED, code_of
from lanista.cli.tournament_run import Scores
from lanista.competition.director import Report
from lanista.competition.setup import prepare
from lanista.games.outcome import Ending
from ratings.samples import standings
from results.samples import seat
from support.tournament import directing, setup_in

PLAIN = match(Ending.NORMAL, Ending.NORMAL)


def ranked(names, ranks, end="finished"):
    """A match that ended so."""
    return attrs.evolve(PLAIN, seats=tuple(map(seat, names, ranks)), end=end)


def test_two_players_have_five_scores():
    scores = Scores("A")
    assert "" == scores.line()
    scores.event(done(1, ranked("AB", (1, 2)), ranked("BA", (2, 1))))  # 2
    assert (
        "A scored 100.0 % in 1 block; by its points in a block, from 0 to 2: 0, 0, 0, 0, 1"
        == scores.line()
    )
    scores.event(done(2, ranked("AB", (1, 1)), ranked("BA", (1, 2))))  # ½
    scores.event(done(3, ranked("AB", (2, 1)), ranked("BA", (1, 2))))  # 0
    scores.event(done(4, ranked("AB", (1, 2)), ranked("BA", (1, 2))))  # 1
    # 3½ of 8 points
    assert (
        "A scored 43.8 % in 4 blocks; by its points in a block, from 0 to 2: 1, 1, 1, 0, 1"
        == scores.line()
    )


def test_a_void_match_has_no_points():
    scores = Scores("A")
    void = ranked("AB", (2, 1), end="void")
    scores.event(done(1, void, ranked("AB", (1, 2)), ranked("BA", (2, 1))))
    assert scores.line().startswith("A scored 100.0 % in 1 block;")


def test_four_players_count_what_is_between_a_and_b():
    """A A B B on places 1 2 3 4: A's two beat B's two, 4 of 4; among themselves nothing counts."""
    scores = Scores("A")
    scores.event(done(1, ranked("AABB", (1, 2, 3, 4))))
    scores.event(done(2, ranked("ABBA", (1, 2, 3, 4))))  # the first beats both, the last none
    assert "A scored 75.0 % in 2 blocks; by its points in a block, from 0 to 4: " in scores.line()
    scores = Scores("A")
    scores.event(done(1, *[ranked("AABB", (1, 2, 3, 4))] * 4))
    assert "A scored 100.0 % in 1 block" == scores.line()  # 33 scores are no line for people


async def test_blocks_of_a_test_the_other_way_round_do_not_count(tmp_path):
    setup = setup_in(
        tmp_path, bots=2, seeds={"count": 3, "base": 1}, format="sprt", blocks=3, sprt={"elo1": 1.0}
    )
    with directing(setup) as director:
        await director.run()
    swapped = prepare(attrs.evolve(setup.spec, bots=setup.spec.bots[::-1]), tmp_path)
    for test, line in ((setup, "A scored 58.3 % in 3 blocks"), (swapped, "")):
        scores = Scores(test.bots[0])
        scores.begin(test)
        assert line == scores.line().partition(";")[0]


@pytest.mark.parametrize(("decision", "code"), [("H1", 0), ("H0", 1), ("", EXIT_UNDECIDED)])
def test_the_exit_code_tells_the_decision(decision, code):
    report = Report(
        setup=None,
        standings=standings([]),
        over=True,
        halted="",
        interrupted=False,
        decision=decision,
    )
    assert code == code_of(report)
