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


def test_a_board_is_read_back_as_it_was_written():
    text = "\n".join(LINES) + "\n"
    assert text == write_board(read_board(text))


def test_white_space_is_free():
    """As in the original's files: rows are words."""
    text = " \r\n\n\t" + "  \r\n".join(LINES) + " \n\n"
    assert read_board("\n".join(LINES)) == read_board(text)


BELOW = "a cell there is `R`, `C`, `E` or an owner from `0` to `3`"
ABOVE = "a cell there is `O`, `E` or `G`"
LIFT = "elevators join both levels"
"""The original takes one on one level alone, and the trip is one-way; we don't."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file ends where `FIXED` belongs"),
        ("\n \n", "line 3: the file ends where `FIXED` belongs"),
        ("\n  GENERATOR\n", "line 2, column 3: expected `FIXED`, got 'GENERATOR'"),
        ("FIXED", "line 1: the file ends where row 0 of level 0 (underground) belongs"),
        (
            "\n".join(LINES[:2]),
            "line 2: the file ends where row 1 of level 0 (underground) belongs",
        ),
        ("\n".join(LINES[:80]), "line 80: the file ends where row 39 of level 1 (outside) belongs"),
        ("\n".join([*LINES, "", " O"]), "line 83, column 2: expected the end of the file, got 'O'"),
        (
            with_cell(2, 80, "O"),
            f"line 2, column 80: unknown cell 'O' in row 0 of level 0 (underground); {BELOW}",
        ),
        (
            with_cell(41, 80, "G"),
            f"line 41, column 80: unknown cell 'G' in row 39 of level 0 (underground); {BELOW}",
        ),
        (
            with_cell(81, 80, "é"),
            f"line 81, column 80: unknown cell '\\xe9' in row 39 of level 1 (outside); {ABOVE}",
        ),
        (
            with_cell(5, 7, ""),
            "line 5, column 80: row 3 of level 0 (underground) has 79 cells; it has 80",
        ),
        (
            with_cell(5, 7, "CC"),
            "line 5, column 81: row 3 of level 0 (underground) has 81 cells; it has 80",
        ),
        (
            with_cell(7, 6, "C"),
            f"line 47, column 6: (5, 5) is an elevator on one level but not underground; {LIFT}",
        ),
        (
            with_cell(47, 6, "O"),
            f"line 47, column 6: (5, 5) is an elevator on one level but not outside; {LIFT}",
        ),
    ],
)
def test_what_is_no_board_is_refused_with_its_place(text, words):
    with pytest.raises(BadBoardError) as caught:
        read_board(text)
    assert words == str(caught.value)


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
