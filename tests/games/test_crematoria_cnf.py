"""Configuration files of Crematoria (docs/rules/crematoria.md 8): read, written, refused."""

import pytest

from lanista.games.base import FormatError, complete_settings
from lanista.games.crematoria.originals import ORIGINALS
from lanista.games.crematoria.ruleset import RULESET
from support.crematoria import board

read_cnf, write_cnf = ORIGINALS.read_cnf, ORIGINALS.write_cnf
SETTINGS = complete_settings(RULESET, {})
DEFAULT = write_cnf(SETTINGS, None)


@pytest.mark.parametrize(
    ("old", "new", "words", "line"),
    [
        ("Crematoria", "Hogwarts", "expected `Crematoria`, got 'Hogwarts'", 1),
        ("1.2", "1.3", "expected `1.2`, got '1.3'", 1),
        ("nb_pioneers", "nb_furyans", "expected `nb_pioneers`, got 'nb_furyans'", 5),
        ("   120", "   many", "the value of nb_rounds, a whole number, got 'many'", 3),
        ("   120", "   0", "the value of nb_rounds, from 1 to 10000, got 0", 3),
        ("      40", "      60", "the value of rows, 40, got 60", 11),
        ("      20", "      30", "the value of nb_elevators, from 16 to 23, got 30", 8),
        ("GENERATOR", "FIXED", "the file ends where row 0 of level 0", 14),
        ("GENERATOR", "FIXED RRX", "unknown cell 'X' in row 0 of level 0", 14),
    ],
)
def test_what_is_refused(old, new, words, line):
    """With the line and what was expected."""
    with pytest.raises(FormatError) as caught:
        read_cnf(DEFAULT.replace(old, new, 1))
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"line {line}")
    assert line == caught.value.line


@pytest.mark.parametrize(
    ("line", "row", "words"),
    [
        (15, "R" * 79, "line 15, column 80: row 0 of level 0 (underground) has 79 cells"),
        (55, "O" * 79 + "R", "line 55, column 80: unknown cell 'R' in row 0 of level 1"),
        (60, "E" + "O" * 79, "line 60, column 1: (5, 0) is an elevator on one level"),
    ],
)
def test_what_is_refused_of_a_fixed_board(line, row, words):
    """By the line of the whole file, and the column."""
    lines = write_cnf(SETTINGS, board()).split("\n")
    lines[line - 1] = row
    with pytest.raises(FormatError) as caught:
        read_cnf("\n".join(lines))
    assert str(caught.value).startswith(words)
    assert caught.value.line in {line, line + 1}
