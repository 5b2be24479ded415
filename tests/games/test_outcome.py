"""Outcomes: forfeits, places by score, draws."""

import pytest

from lanista.games.outcome import Outcome, Termination, forfeit, ranks_by_score


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ((5,), (1,)),
        ((5, 9), (2, 1)),
        ((9, 9), (1, 1)),
        ((9, 9, 4), (1, 1, 3)),
        ((4, 9, 9), (3, 1, 1)),
        ((1, 4, 4, 9), (4, 2, 2, 1)),
        ((-3, -1, -3, -2), (3, 1, 3, 2)),
        ((0, 0, 0, 0), (1, 1, 1, 1)),
    ],
)
def test_places_by_score_ties_share_the_best(scores, ranks):
    """Two first places, and the next is third."""
    assert ranks == ranks_by_score(scores)


@pytest.mark.parametrize(
    ("at_fault", "ranks"),
    [
        ((True, False), (2, 1)),
        ((False, True), (1, 2)),
        ((True, True), (1, 1)),
        ((True, False, False), (3, 1, 1)),
        ((True, True, False), (2, 2, 1)),
        ((True, True, True), (1, 1, 1)),
    ],
)
def test_seats_at_fault_lose_whatever_the_scores_are(at_fault, ranks):
    """If all are, it is a draw."""
    scores = range(len(at_fault), 0, -1)
    expected = Outcome(
        termination=Termination.FORFEIT, ranks=ranks, scores=tuple(scores), reason="late"
    )
    assert expected == forfeit(at_fault, list(scores), "late")


def test_a_forfeit_needs_a_seat_at_fault():
    """Otherwise it is the caller's mistake."""
    with pytest.raises(ValueError) as caught:
        forfeit([False, False], [1, 2], "late")
    assert str(caught.value) == "a forfeit needs a seat at fault"


@pytest.mark.parametrize("ranks", [(0, 1), (0, 0), (2, 2), (1, 3), [1, 2]])
def test_ranks_count_from_one(ranks):
    """Otherwise a match would count for the wrong bot; the error is raised in the game's code."""
    with pytest.raises(ValueError, match="must be a tuple and count from 1"):
        Outcome(termination=Termination.FINISHED, ranks=ranks, scores=(7, 2), reason="counted")
