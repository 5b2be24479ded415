"""What the recorder counts: the matches in a row that bots have failed."""

import attrs

from lanista.competition.result_recorder import Failures
from lanista.games.outcome import Ending
from lanista.results.match_result import BlockResult
from results import samples
from results.samples import seat


def match(*endings, end="finished"):
    """A match of bots a, b, … that ended so for them."""
    seats = [
        seat(bot, 1, ending, words=f"{bot} did")
        for bot, ending in zip("abcd", endings, strict=False)
    ]
    return samples.match(0, *seats, end=end)


def block(*matches):
    return BlockResult(block="x", bots=("a", "b"), matches=matches)


class TestFailures:
    NORMAL, CRASH, LATE = Ending.NORMAL, Ending.CRASH, Ending.LATE

    def test_they_are_counted_running(self):
        failures = Failures({"b": 2})
        noted = failures.note(block(match(self.CRASH, self.NORMAL), match(self.LATE, self.NORMAL)))
        assert {"a": "late: a did"} == noted
        assert {"a": 2, "b": 0} == failures.running

    def test_the_last_match_decides(self):
        failures = Failures({})
        noted = failures.note(block(match(self.CRASH, self.NORMAL), match(self.NORMAL, self.CRASH)))
        assert {"b": "crash: b did"} == noted
        assert {"a": 0, "b": 1} == failures.running

    def test_void_matches_count_for_nothing(self):
        failures = Failures({"a": 1})
        void = match(Ending.VOID, Ending.VOID, end="void")
        assert {} == failures.note(block(void))
        assert {"a": 1} == failures.running

    def test_a_bot_with_two_seats_fails_a_match_once(self):
        twice = match(self.CRASH, self.CRASH)
        twice = attrs.evolve(
            twice, seats=tuple(attrs.evolve(seat, bot="a") for seat in twice.seats)
        )
        failures = Failures({})
        failures.note(block(twice))
        assert {"a": 1} == failures.running
