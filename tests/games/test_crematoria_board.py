"""Board files (rules/crematoria.md 2): what is read, and every refusal with its place."""

import pytest

import lanista_maps
from lanista.games.base import BadBoardError, Late, complete_settings
from lanista.games.crematoria.board import CAVE, NEAR, read_board, write_board
from lanista.games.crematoria.ruleset import RULESET
from support.crematoria import board

LINES = write_board(
    board(rock=[(0, 0)], elevators=[(5, 5)], owned={(7, 7): 3, (8, 8): 0}, gems=[(9, 9)])
).splitlines()
"""`FIXED` in line 1, level 0 in lines 2 to 41, level 1 in lines 42 to 81."""


def with_cell(line, column, letter):
    """The file with another letter, line and column from 1."""
    lines = LINES.copy()
    row = lines[line - 1]
    lines[line - 1] = row[: column - 1] + letter + row[column:]
    return "\n".join(lines)


def problem(text):
    with pytest.raises(BadBoardError) as caught:
        read_board(text)
    return str(caught.value), caught.value.line, caught.value.column


def test_a_board_is_read_back_as_it_was_written():
    text = "\n".join(LINES) + "\n"
    assert text == write_board(read_board(text))


def test_white_space_is_free():
    """As in the original's files: rows are words."""
    text = " \r\n\n\t" + "  \r\n".join(LINES) + " \n\n"
    assert read_board("\n".join(LINES)) == read_board(text)


@pytest.mark.parametrize(("text", "line"), [("", 1), ("\n \n", 3)])
def test_an_empty_file(text, line):
    assert problem(text) == (f"line {line}: the file ends where `FIXED` belongs", line, None)


def test_another_keyword():
    assert problem("\n  GENERATOR\n") == (
        "line 2, column 3: expected `FIXED`, got 'GENERATOR'",
        2,
        3,
    )


@pytest.mark.parametrize("rows", [0, 1, 79])
def test_too_few_rows(rows):
    words, line, _ = problem("\n".join(LINES[: 1 + rows]))
    assert words == (
        f"line {rows + 1}: the file ends where row {rows % 40} of level {rows // 40} "
        f"({['underground', 'outside'][rows // 40]}) belongs"
    )
    assert line == rows + 1


def test_more_than_the_rows():
    assert problem("\n".join([*LINES, "", " O"])) == (
        "line 83, column 2: expected the end of the file, got 'O'",
        83,
        2,
    )


@pytest.mark.parametrize(
    ("line", "letter", "known"),
    [
        (2, "O", "`R`, `C`, `E` or an owner from `0` to `3`"),
        (41, "G", "`R`, `C`, `E` or an owner from `0` to `3`"),
        (81, "é", "`O`, `E` or `G`"),
    ],
)
def test_an_unknown_cell(line, letter, known):
    level, row = divmod(line - 2, 40)
    where = f"row {row} of level {level} ({['underground', 'outside'][level]})"
    assert problem(with_cell(line, 80, letter)) == (
        f"line {line}, column 80: unknown cell {letter!a} in {where}; a cell there is {known}",
        line,
        80,
    )


@pytest.mark.parametrize(("letter", "length", "column"), [("", 79, 80), ("CC", 81, 81)])
def test_a_row_of_another_length(letter, length, column):
    assert problem(with_cell(5, 7, letter)) == (
        f"line 5, column {column}: row 3 of level 0 (underground) has {length} cells; it has 80",
        5,
        column,
    )


@pytest.mark.parametrize(
    ("line", "letter", "missing"), [(7, "C", "underground"), (47, "O", "outside")]
)
def test_an_elevator_on_one_level_alone(line, letter, missing):
    """The original takes it, and the trip is one-way; we don't."""
    words = (
        f"line 47, column 6: (5, 5) is an elevator on one level but not {missing}; "
        "elevators join both levels"
    )
    assert (words, 47, 6) == problem(with_cell(line, 6, letter))


# The boards that come with the arena

MAPS = ("galleries", "islands")


def test_the_shipped_boards_have_names():
    """Beside the configuration that leaves the board to the seed."""
    assert set(MAPS) == set(lanista_maps.names("crematoria")) - {"default"}


@pytest.mark.parametrize("name", MAPS)
def test_a_shipped_board_can_be_played_on(name):
    """All caves are one piece, about as many as on a generated board, elevators stand in caves."""
    made = read_board(lanista_maps.read("crematoria", name))
    caves = {cell for cell, kind in enumerate(made.caves) if kind == CAVE}
    assert 1200 <= len(caves) <= 1600
    for cell in made.elevators:
        assert caves >= set(NEAR[cell][:8])
    edge = [min(caves)]
    while edge:
        caves -= set(edge)
        edge = list({near for cell in edge for near in NEAR[cell][:8]} & caves)
    assert set() == caves
    game = RULESET.new(complete_settings(RULESET, {}), made, RULESET.chance(5))
    for _ in range(20):
        game.advance([Late()] * 4)
    assert min(game.scores()) > 0
