"""What the recorder counts: the matches in a row that bots have failed."""

import pytest

from lanista.competition.result_recorder import count_failures
from lanista.games.outcome import Ending
from lanista.results.match_result import BlockResult
from results import samples
from results.samples import seat


def match(*endings, end="finished", bots="abcd"):
    """A match of bots a, b, … that ended so for them."""
    seats = [
        seat(bot, 1, ending, words=f"{bot} did") for bot, ending in zip(bots, endings, strict=False)
    ]
    return samples.match(0, *seats, end=end)


NORMAL, CRASH, LATE, VOID = Ending.NORMAL, Ending.CRASH, Ending.LATE, Ending.VOID


@pytest.mark.parametrize(
    ("before", "matches", "running", "noted"),
    [
        (
            {"b": 2},
            [match(CRASH, NORMAL), match(LATE, NORMAL)],
            {"a": 2, "b": 0},
            {"a": "late: a did"},
        ),
        # The last match decides.
        (
            {},
            [match(CRASH, NORMAL), match(NORMAL, CRASH)],
            {"a": 0, "b": 1},
            {"b": "crash: b did"},
        ),
        # A void match counts for nothing.
        ({"a": 1}, [match(VOID, VOID, end="void")], {"a": 1}, {}),
        # A bot with two seats fails a match once.
        ({}, [match(CRASH, CRASH, bots="aa")], {"a": 1}, {"a": "crash: a did"}),
    ],
)
def test_failures_in_a_row_are_counted(before, matches, running, noted):
    result = BlockResult(block="x", bots=("a", "b"), matches=tuple(matches))
    assert noted == count_failures(before, result)
    assert running == before
