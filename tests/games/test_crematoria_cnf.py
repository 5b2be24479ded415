"""Configuration files of Crematoria (docs/rules/crematoria.md 8): read, written, refused."""

import pytest

from lanista.games.base import FormatError, complete_settings
from lanista.games.crematoria.originals import ORIGINALS
from lanista.games.crematoria.ruleset import RULESET
from support.crematoria import board

read_cnf, write_cnf = ORIGINALS.read_cnf, ORIGINALS.write_cnf
SETTINGS = complete_settings(RULESET, {})
DEFAULT = """\
Crematoria 1.2
nb_players             4
nb_rounds            120
nb_furyans             5
nb_pioneers           15
max_nb_necromongers   10
nb_hellhounds          3
nb_elevators          20
gem_value             30
turns_to_land          2
rows                  40
cols                  80

GENERATOR
"""


def test_the_original_s_default():
    assert (SETTINGS, None) == read_cnf(DEFAULT)
    assert DEFAULT == write_cnf(SETTINGS, None)


def test_other_settings_and_free_white_space():
    text = " ".join(DEFAULT.replace("120", "7").replace("30", "1").split())
    changed = {**SETTINGS, "nb_rounds": 7, "gem_value": 1}
    assert (changed, None) == read_cnf(text)
    assert (changed, None) == read_cnf(write_cnf(*read_cnf(text)))


def test_a_fixed_board():
    made = board(rock=[(0, 0)], elevators=[(7, 8)], owned={(1, 1): 3}, gems=[(39, 79)])
    configuration = {**SETTINGS, "nb_rounds": 33}, made
    text = write_cnf(*configuration)
    assert configuration == read_cnf(text)
    assert configuration == read_cnf(text.replace("\n\n", " ").replace("\n", "\r\n"))
    assert text == write_cnf(*read_cnf(text))


def test_a_generated_board_as_a_fixed_one():
    made = RULESET.generate(SETTINGS, RULESET.chance(30))
    assert made == read_cnf(write_cnf(SETTINGS, made))[1]


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
