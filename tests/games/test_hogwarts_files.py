"""Configurations, match files and order files of Hogwarts (rules/hogwarts.md 13 and 14)."""

from importlib.resources import files
from random import Random

import pytest

from lanista.games.base import FormatError
from lanista.games.hogwarts.originals import CODED, ORIGINALS, state_text
from lanista.games.hogwarts.ruleset import RULESET
from support.hogwarts import begin, play, read_orders, read_res, res_of, roaming, seeded, write_res

read_cnf, write_cnf = ORIGINALS.read_cnf, ORIGINALS.write_cnf
DEFAULTS = {setting.name: setting.default for setting in CODED}


SHORT = {
    "NUM_ROUNDS": 53,
    "NUM_INI_WIZARDS_PER_CLAN": 2,
    "NUM_INI_BOOKS": 3,
    "ROUNDS_SPELL_RESTING_GHOST": 1,
}
"""A small match, with spells among its commands."""
GAME = seeded(6, **SHORT)
TEXT = write_res(res_of(GAME, roaming(GAME, 53, Random(1)), seed=6, names="abcd"))


# Match files


LINES = TEXT.split("\n")


def line_of(text, after=0):
    """The number of the first line, from 0, that begins so."""
    return next(at for at in range(after, len(LINES)) if LINES[at].startswith(text))


UNITS, BOOKS, COMMANDS = line_of("units"), line_of("books"), line_of("commands")
SECOND = line_of("round 1")


def changed(line, new):
    lines = list(LINES)
    lines[line] = new
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (changed(0, "Match"), 1, "expected `Game` or `SecGame`, got 'Match'"),
        (changed(2, "Seed -1"), 3, "expected the seed, from 0 to 2147483647, got -1"),
        (changed(4, "HarryPotter 1.1"), 5, "expected `1.0`, got '1.1'"),
        (changed(6, "NUM_PLAYERS 3"), 7, "expected the value of NUM_PLAYERS, 4, got 3"),
        (changed(7, "NUM_ROUND 6"), 8, "expected `NUM_ROUNDS`, got 'NUM_ROUND'"),
        (changed(20, "names a b c"), 25, "expected `00000000001111111111222222222233333333"),
        (changed(25, "00 " + "." * 59), 26, "row 0 has 59 cells; a row has 60"),
        (changed(UNITS + 1, "84"), UNITS + 2, "expected the number of units, 12, got 84"),
        (
            changed(UNITS + 3, "g\t0\t4\t1\t1\t0\t-1"),
            UNITS + 4,
            "the player of unit 0, from 0 to 3",
        ),
        (changed(UNITS + 3, "g\t0\t0\t60\t1\t0\t-1"), UNITS + 4, "the row of unit 0, from 0 to 59"),
        (
            changed(UNITS + 3, "g\t0\t0\t1\t1\t-1\t-1"),
            UNITS + 4,
            "the rounds of unit 0, at least 0",
        ),
        (changed(UNITS + 3, "g\t0\t0\t1\t1\t0\t-2"), UNITS + 4, "next of unit 0, at least -1"),
        (changed(BOOKS + 1, "4"), BOOKS + 2, "expected the number of books, 3, got 4"),
        (changed(BOOKS + 3, "59\t59"), BOOKS + 5, "they go by row, then column"),
        (changed(line_of("spell_") + 1, "14"), line_of("spell_") + 2, "expected `15`, got '14'"),
        (
            changed(line_of("spell_") + 2, "31 " * 15),
            line_of("spell_") + 3,
            "an ingredient, from 0",
        ),
        (changed(SECOND, "round 2"), SECOND + 1, "expected round 1; rounds follow one another"),
        (changed(line_of("status"), "status 0 0 0 x"), line_of("status") + 1, "a status, a number"),
        (changed(COMMANDS + 1, "13"), COMMANDS + 2, "the number of commands, from 0 to 12, got 13"),
        (changed(COMMANDS + 2, "12 m d"), COMMANDS + 3, "the unit of a command, from 0 to 11"),
        (changed(COMMANDS + 2, "1 k d"), COMMANDS + 3, "expected `m` or `s`, got 'k'"),
        (changed(COMMANDS + 2, "1 s 15" + " 5" * 15), COMMANDS + 3, "a group, from 0 to 4, got 5"),
        (TEXT + "more", len(LINES), "expected the end of the file, got 'more'"),
        (TEXT[: TEXT.rindex("status")], None, "the file ends where `status` belongs"),
    ],
)
def test_a_broken_match_file_is_refused_with_its_line(text, line, words):
    with pytest.raises(FormatError) as caught:
        read_res(text)
    assert words in str(caught.value)
    assert line in (None, caught.value.line)


# Configurations


@pytest.mark.parametrize("name", ["great-hall", "seed-30"])
def test_the_shipped_boards_fit_the_default_settings(name):
    text = (files("lanista_maps") / "hogwarts" / f"{name}.map").read_text(encoding="utf-8")
    board = RULESET.read_board(text)
    play(begin(board))
    assert [20, 50] == list(board.needs.values())
    if name == "seed-30":
        assert board == seeded(30).board


def test_a_state_block_of_a_match_file_is_a_fixed_board():
    """14: copied with its tabs and what follows; the match begins anew from there."""
    res = read_res(TEXT)
    start = state_text(res.states[0], (0.0,) * 4)
    text = write_cnf(res.settings, None).replace("RANDOM\n", "FIXED\n") + start
    assert seeded(6, **SHORT).board == read_cnf(text)[1]


# Order files


ORDERS = "R 0 P 0 Q 3\n4 0 2 0\n0 1 -1 2 7 7\nR 0 P 1 Q 0\nR 0 P 2 Q 1\n6 0 -5 0\nR 0 P 3 Q 0\n"


def test_orders_are_read_as_answers_of_the_wire():
    """A spell that can't be said there, of 2 groups, stays as useless."""
    first = ["m", 4, 2, "s", 0, *[5] * 15]
    assert [[first, [], ["m", 6, -5], []]] == read_orders(ORDERS)
    assert [] == read_orders("")
