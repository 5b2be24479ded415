"""How the faults of a match are printed: how many of a kind, and the examples."""

import io
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import attrs
import pytest

from lanista.bots.process import Exit
from lanista.cli.common import fault_lines, say, verdict_text
from lanista.cli.play import crash_lines
from lanista.hosting.host import MatchReport
from lanista.match.record import BotInfo, FaultInfo, ResultInfo


def fault(turn, index, *, seat=0, code="illegal", words="no unit 9"):
    return FaultInfo(turn=turn, seat=seat, code=code, index=index, words=words)


def result(counts, *faults, end="finished", reason="r", endings=()):
    return ResultInfo(
        end=end,
        reason=reason,
        ranks=(1, 1),
        scores=(0, 0),
        turns=9,
        digest="",
        faults=faults,
        fault_counts=counts,
        endings=endings,
    )


def lines(counts, *faults, house=(), endings=()):
    with redirect_stdout(io.StringIO()) as printed:
        say(*fault_lines(["Ann", "Bob"], result(counts, *faults, endings=endings), house))
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("counts", [(), ({}, {})])
def test_no_faults_no_lines(counts):
    assert [] == lines(counts)


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("normal", ["  Bob: turn 4: late: too slow"]),
        (
            "illegal",
            ["  Bob: turn 3, submove 5: illegal: no unit 9", "  Bob: turn 4: late: too slow"],
        ),
    ],
)
def test_what_a_house_bot_was_refused_is_told_only_if_it_lost_by_that(ending, told):
    """Nobody who reads it could do anything about it."""
    assert told == lines(
        ({}, {"illegal": 1, "ignored": 3, "late": 1})
        if ending == "normal"
        else ({}, {"illegal": 1, "late": 1}),
        fault(3, 5, seat=1),
        fault(4, None, seat=1, code="late", words="too slow"),
        house=[1],
        endings=("normal", ending),
    )


@pytest.mark.parametrize(
    ("end", "reason", "text"),
    [
        ("finished", "capture", "finished: capture"),
        ("forfeit", "all-out", "forfeit: all-out"),
        ("forfeit", "forfeit", "forfeit"),
    ],
)
def test_an_end_that_is_its_own_reason_is_said_once(end, reason, text):
    assert text == verdict_text(result((), end=end, reason=reason))


def test_of_many_their_number_and_the_examples():
    """A kind without an example has its number alone; what a bot wrote is escaped."""
    assert [
        "  Ann: illegal: 1,234 times, e.g. turn 3, submove 5: no unit 9",
        "  Ann: turn 3, submove 6: illegal: no \\x1b",
        "  Ann: late: 1 time",
        "  Ann: malformed: 12 times",
    ] == lines(
        ({"illegal": 1234, "late": 1, "malformed": 12}, {}),
        fault(3, 5),
        fault(3, 6, words="no \x1b"),
    )


@pytest.mark.parametrize(
    ("words", "output", "told"),
    [
        (
            "no answer within 0.2 s",
            "panic",
            ["  Ann: afterwards its process exited with code 1: panic"],
        ),
        ("its process exited with code 1: panic", "panic", []),
        ("10 late turns in a row", "late: 10 late turns in a row", []),  # a library's last line
    ],
)
def test_a_crash_is_told_unless_a_fault_says_so(words, output, told):
    """A bot that is slow to crash is late first; one that was put out ends with the reason."""
    played = result(({"late": 1}, {}), fault(4, None, code="late", words=words))
    played = attrs.evolve(played, bots=(BotInfo(exit="exited with code 1", output=output), None))
    report = MatchReport(
        spec=SimpleNamespace(),
        names=("Ann", "Bob"),
        started="",
        result=played,
        record=Path("r"),
        exits=[Exit(code=1), None],
        bundles={0: Path("b")},
    )
    assert told == list(crash_lines(report))
