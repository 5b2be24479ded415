"""Configurations, match files and order files of Hogwarts (rules/hogwarts.md 13 and 14)."""

import functools
from importlib.resources import files
from random import Random

import pytest

from lanista.games.base import FormatError
from lanista.games.hogwarts.orders import Order
from lanista.games.hogwarts.originals import CODED, ORIGINALS, state_text
from lanista.games.hogwarts.ruleset import RULESET
from support.hogwarts import (
    INGREDIENTS,
    RIGHT,
    begin,
    hall,
    match_text,
    play,
    read_orders,
    read_res,
    res_of,
    roaming,
    seeded,
    spell,
    write_res,
)

read_cnf, write_cnf = ORIGINALS.read_cnf, ORIGINALS.write_cnf
DEFAULTS = {setting.name: setting.default for setting in CODED}


@functools.cache
def short_match(word="Game"):
    """Six rounds of a small match, spells among its commands."""
    settings = {"NUM_ROUNDS": 53, "NUM_INI_WIZARDS_PER_CLAN": 2, "NUM_INI_BOOKS": 3}
    game = seeded(6, **settings, ROUNDS_SPELL_RESTING_GHOST=1)
    turns = roaming(game, 53, Random(1))
    shares = (0.25, -1, 1e-05, 0)
    names = ("Joe", "Camper_Joe", "x", "y")
    return res_of(game, turns, seed=6, names=names, word=word, status=lambda _: shares)


TEXT = write_res(short_match())


# Match files


def test_match_files_are_read_back_as_written():
    for word in ("Game", "SecGame"):
        res = short_match(word)
        assert res == read_res(write_res(res))
    assert any(command.groups is not None for done in res.commands for command in done)


def test_the_header_byte_for_byte():
    game = begin(hall(), NUM_ROUNDS=1)
    header = next(match_text(game, [], seed=12, names=("a", "b", "c", "d")))
    assert (
        "Game\n\nSeed 12\n\nHarryPotter 1.0\n\n"
        "NUM_PLAYERS\t\t\t4\nNUM_ROUNDS\t\t\t1\nBOARD_ROWS\t\t\t60\nBOARD_COLS\t\t\t60\n"
        "NUM_INI_WIZARDS_PER_CLAN\t1\nNUM_INI_BOOKS\t\t\t1\nCLAN_INI_MAGIC_STRENGTH\t\t1000\n"
        "POINTS_FOR_CONVERTING_WIZARD\t100\nPOINTS_PER_OWNED_CELL\t\t1\n"
        "BOOK_MAGIC_STRENGTH\t\t50\nROUNDS_FOR_CONVERTING\t\t5\nROUNDS_ATTACK_RESTING_GHOST\t\t15\n"
        "ROUNDS_SPELL_RESTING_GHOST\t60\nROUNDS_NO_ATTACK_GHOST\t\t5\n"
        "names          a b c d\n"
    ).replace("ROUNDS_ATTACK_RESTING_GHOST\t\t", "ROUNDS_ATTACK_RESTING_GHOST\t") == header


def test_commands_are_those_with_effect_in_order_of_execution():
    game = begin(hall(), NUM_ROUNDS=60)
    play(game, {0: f"m 4 4 m 0 9 {spell(0, INGREDIENTS)}", 1: "m 5 9"})
    assert (Order(4, 4),) == game.executed
    game = begin(hall(), NUM_ROUNDS=60)
    play(game, {0: spell(0, INGREDIENTS)})
    text = "".join(match_text(game, [], seed=0, names="abcd"))
    assert "commands" not in text
    assert (0, True) == (game.executed[0].unit, game.executed[0].groups is not None)


def test_names_with_spaces_are_written_as_one_word():
    names = ("Joe", "Camper Joe", "x", "y")
    header = next(ORIGINALS.write(iter([seeded(6)]), 6, names, lambda _: (0,) * 4))
    assert header.endswith("names          Joe Camper_Joe x y\n")


def test_status_as_the_judge_writes_it():
    assert "status\t0.25\t-1\t1e-05\t0\n" in TEXT


def test_a_state_is_the_games():
    game = begin(hall({4: (0, 3, 7, 2, 1)}, owned={(1, 1): 3}))
    text = state_text(game.seen(), (0.0,) * 4)
    assert "\nw\t4\t0\t3\t7\t2\t1\n" in text
    assert "\n01 .3." in text
    assert "\nVoldemort\n57 57\n" in text
    assert "\nbooks\n1\nrow\tcolumn\n50\t0\n" in text
    play(game, {0: f"m 4 {RIGHT}"})
    assert "\nround 1\n" in state_text(game.seen(), (0.0,) * 4)


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


def test_a_match_file_cut_anywhere_is_refused():
    for at in range(0, len(TEXT.rstrip()) - 8, 9_973):
        with pytest.raises(FormatError):
            read_res(TEXT[:at])


# Configurations


def test_configurations_are_read_back_as_written():
    for board in (None, hall(), seeded(3).board):
        settings = dict(DEFAULTS)
        if board is not None:
            settings |= board.needs
        assert (settings, board) == read_cnf(write_cnf(settings, board))


def test_the_shipped_configuration_is_the_default():
    text = (files("lanista_maps") / "hogwarts" / "default.cnf").read_text(encoding="utf-8")
    assert (DEFAULTS, None) == read_cnf(text)


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
    start = state_text(short_match().states[0], (0.0,) * 4)
    settings = short_match().settings
    text = write_cnf(settings, None).replace("RANDOM\n", "FIXED\n") + start
    board = read_cnf(text)[1]
    assert (
        board
        == seeded(
            6,
            NUM_INI_WIZARDS_PER_CLAN=2,
            NUM_INI_BOOKS=3,
            ROUNDS_SPELL_RESTING_GHOST=1,
            NUM_ROUNDS=53,
        ).board
    )


CNF = write_cnf(DEFAULTS, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            CNF.replace("PLAYERS\t\t\t4", "PLAYERS\t5"),
            "line 3, column 13: expected the value of NUM_PLAYERS, 4",
        ),
        (
            CNF.replace("BOOKS\t\t\t50", "BOOKS\t0"),
            "line 8, column 15: expected the value of NUM_INI_BOOKS, f",
        ),
        (CNF.replace("NUM_INI_BOOKS", "BOOKS"), "line 8, column 1: expected `NUM_INI_BOOKS`, got"),
        (CNF.replace("RANDOM", ""), "the file ends where `RANDOM` or `FIXED` belongs"),
        (CNF.replace("RANDOM\n", "FIXED"), "line 18: the file ends where `00000000001"),
    ],
)
def test_a_broken_configuration_is_refused_with_its_place(text, words):
    with pytest.raises(FormatError) as caught:
        read_cnf(text)
    assert words in str(caught.value)


# Order files


ORDERS = "R 0 P 0 Q 3\n4 0 2 0\n0 1 -1 2 7 7\nR 0 P 1 Q 0\nR 0 P 2 Q 1\n6 0 -5 0\nR 0 P 3 Q 0\n"


def test_orders_are_read_as_answers_of_the_wire():
    """A spell that can't be said there, of 2 groups, stays as useless."""
    first = ["m", 4, 2, "s", 0, *[5] * 15]
    assert [[first, [], ["m", 6, -5], []]] == read_orders(ORDERS)
    assert [] == read_orders("")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("R 1 P 0 Q 0", "line 1, column 3: expected `0`, got '1'"),
        ("R 0 P 0 Q 1001", "line 1, column 11: expected the number of orders given"),
        ("R 0 P 0 Q 0\n4 0 2 0", "line 2, column 7: 1 orders of 0 given by player 0"),
        ("R 0 P 0 Q 1\n4 2 2 0", "line 2, column 3: expected the kind, 0 or 1, from 0 to 1, got 2"),
        ("R 0 P 0 Q 1\n4 1 -1 3 1 1", "line 2: the file ends where a group belongs"),
    ],
)
def test_a_broken_order_file_is_refused_with_its_place(text, words):
    with pytest.raises(FormatError) as caught:
        read_orders(text)
    assert words in str(caught.value)
