"""How the faults of a match are printed: how many of a kind, and the examples."""

import io
import sys
from contextlib import redirect_stdout

import pytest

from lanista.cli.common import fault_lines, say, verdict_text
from lanista.match.record import FaultInfo, ResultInfo


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


def test_a_few_are_told_each():
    assert [
        "  Ann: turn 3, submove 5: illegal: no unit 9",
        "  Bob: turn 4: late: too slow",
    ] == lines(
        ({"illegal": 1}, {"late": 1}),
        fault(3, 5),
        fault(4, None, seat=1, code="late", words="too slow"),
    )


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


def test_a_terminal_gets_long_lines_broken_between_words(monkeypatch, capsys):
    """It would break them within words; what isn't a terminal gets them whole."""
    monkeypatch.setenv("COLUMNS", "20")
    line = "  in two words: /a/path/that/is/longer no-hyphen"
    say(line)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    say(line, "short")
    broken = ["  in two words:", "    /a/path/that/is/longer", "    no-hyphen"]
    assert [line, *broken, "short"] == capsys.readouterr().out.splitlines()
