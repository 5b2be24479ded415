"""Map files of Angry Mob: what is read, what is refused, where and with which words."""

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.games.angrymob.board import IMPASSABLE, read_board, write_board
from lanista.games.base import BadBoardError
from support.angrymob import PAGE, maps


def test_the_map_of_the_page_is_read_cell_by_cell():
    """PROTOCOL.md 6, the map as player 0 gets it."""
    board = read_board(PAGE)
    assert (6, 7) == (board.rows, board.cols)
    assert (2 * 7 + 1, 3 * 7 + 5) == board.bases
    assert (0, 1, 0, 0, IMPASSABLE, IMPASSABLE, 2) == board.cells[:7]
    assert (2, IMPASSABLE, IMPASSABLE, 0, 0, 1, 0) == board.cells[-7:]
    assert board.cells[board.bases[0]] == 0
    assert PAGE == write_board(board)


def test_a_row_names_the_own_base_a():
    """PROTOCOL.md 6: `A` is the receiver's own base, `B` the opponent's."""
    board = read_board(PAGE)
    assert board.lines()[2] == ". A . # # . ."
    assert board.lines(own=1)[2:4] == (". B . # # . .", ". . # # . A .")


def test_neighbours_are_right_above_left_and_below_and_passable():
    """The order of the directions (rules/angrymob.md 2); -1 at the edge and at rock."""
    neighbours = read_board(PAGE).neighbours()
    assert (16, 8, 14, 22) == neighbours[15]  # base A at (2, 1): all four are passable
    assert (1, -1, -1, -1) == neighbours[0]  # the corner: the edge twice, rock at (1, 0)
    assert (-1, -1, -1, -1) == neighbours[4]  # rock itself has none


def test_distances_go_around_rock():
    """Shortest paths of passable neighbours; -1 where there is none."""
    board = read_board("3 5\nA # . . .\n. # . # .\n. . . # B\n")
    assert [0, -1, 6, 7, 8, 1, -1, 5, -1, 9, 2, 3, 4, -1, 10] == board.distances(board.bases[0])
    enclosed = read_board("3 4\n. # A .\n# . . #\n. B # .\n")
    assert enclosed.distances(2)[0] == -1


def test_comments_carriage_returns_and_blanks_at_the_end_change_nothing():
    """`;` starts a comment line, wherever it stands; a CR before the newline is white space."""
    plain = read_board(PAGE)
    assert plain == read_board(PAGE.replace("\n", "\r\n"))
    assert plain == read_board(PAGE + "\n \t\r\n\n")
    assert plain == read_board(PAGE.rstrip("\n"))
    assert plain == read_board("; name\n  ;; indented\n" + PAGE.replace("\n#", "\n; 9 9 A\n#"))
    assert plain == read_board(PAGE + "\n; the end\n\n; really\n")
    assert plain == read_board(PAGE.replace(" ", "  \t").replace("\n", " \n "))


def test_the_smallest_and_the_largest_sizes_and_numbers_are_accepted():
    assert read_board("2 2\nA .\n. B\n").bases == (0, 3)
    row = " ".join(["."] * 200)
    rows = ["200 200", "A" + row[1:], *[row] * 198, row[:-1] + "B"]
    assert len(read_board("\n".join(rows)).cells) == 40_000
    # 100 cells of 10,000 make the 1,000,000 allowed in all.
    full = " ".join(["10000"] * 50)
    assert sum(read_board(f"2 51\nA {full}\n{full} B\n").cells) == 1_000_000


EMPTY = "the file holds no map; the first line is its size, `rows columns`"
SIZE = "expected the size as two numbers `rows columns`, got"
RANGE = "a map has from 2 to 200 of each"
CENTRE = "maps are symmetrical about their centre"
REFUSED = [
    ("", EMPTY),
    ("; a\n\n", EMPTY),
    ("; a\n6\n", f"line 2, column 1: {SIZE} '6'"),
    ("2 +2\nA .\n. B\n", f"line 1, column 1: {SIZE} '2 +2'"),
    ("2 \u0662\nA .\n. B\n", f"line 1, column 1: {SIZE} '2 \\u0662'"),
    ("\n2 2\nA .\n. B\n", f"line 1, column 1: {SIZE} ''"),
    ("1 2\nA B\n", f"line 1, column 1: 1 rows; {RANGE}"),
    ("10  201\n", f"line 1, column 5: 201 columns; {RANGE}"),
    ("2 3\nA . .\n.  .\n", "line 3, column 5: row 1 has 2 cells; the first line says 3"),
    ("2 2\nA . 1\n. B\n", "line 2, column 5: row 0 has 3 cells; the first line says 2"),
    ("2 2\nA .\n\n. B\n", "line 3, column 1: row 1 has 0 cells; the first line says 2"),
    ("; a\n3 2\nA .\n", "line 4, column 1: the map ends after 1 of its 3 rows"),
    (
        "2 2\nA .\n. B\n; a\n. .\n",
        "line 5, column 1: more than the 2 rows that the first line says",
    ),
    ("2 2\n. .\n. .\n", "there is no base A; a map has one A and one B"),
    ("2 2\nA .\n. .\n", "there is no base B; a map has one A and one B"),
    ("2 2\nA .\n. A\n", "line 3, column 3: a second base A; each player has one"),
    ("2 3\nA B .\n. . .\n", f"line 2, column 3: base B isn't the mirror image of base A; {CENTRE}"),
    (
        "2 3\nA . .\n. # B\n",
        f"line 3, column 3: cell (1, 1) is `#` but its mirror image (0, 1) is `.`; {CENTRE}",
    ),
    (
        "2 3\nA . 12\n7 . B\n",
        f"line 3, column 1: cell (1, 0) is `7` but its mirror image (0, 2) is `12`; {CENTRE}",
    ),
    (
        "; a\n3 3\n# # #\nA # B\n# # #\n",
        "line 4, column 1: no path of passable cells joins the bases",
    ),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_what_breaks_a_rule_is_refused_with_its_place(text, words):
    """rules/angrymob.md 1, "Map files": refused with line and column, from 1."""
    with pytest.raises(BadBoardError) as caught:
        read_board(text)
    assert words == str(caught.value)


UNKNOWN = {
    "no units": ("0", "'0'"),
    "a leading zero": ("01", "'01'"),
    "more than the most": ("10001", "'10001'"),
    "a number beyond all bounds": ("9" * 41, "'" + "9" * 40 + "'..."),
    "an escape sequence": ("\x1b[2J", "'\\x1b[2J'"),
    "a letter that looks like A": ("\u0391", "'\\u0391'"),
}


@pytest.mark.parametrize(("token", "shown"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_cell_is_refused_and_shown_without_control_characters(token, shown):
    with pytest.raises(BadBoardError) as caught:
        read_board(f"; a\n2 3\n. {token} B\nA . .\n")
    assert (3, 3) == (caught.value.line, caught.value.column)
    assert (
        f"line 3, column 3: unknown cell {shown}; a cell is `#`, `.`, `A`, `B` "
        "or a number of neutral units from 1 to 10000"
    ) == str(caught.value)


def test_more_than_a_million_units_are_refused_at_the_cell_that_exceeds_them():
    # 33 + 35 + 33 = 101 cells of 10,000, six characters each: the last one is one too many.
    some, full = " ".join(["10000"] * 33), " ".join(["10000"] * 35)
    with pytest.raises(BadBoardError) as caught:
        read_board(f"3 35\nA . {some}\n{full}\n{some} . B\n")
    words = "more than 1000000 neutral units in all, which this cell exceeds"
    assert f"line 4, column {32 * 6 + 1}: {words}" == str(caught.value)


@given(maps())
def test_a_board_is_written_as_it_was_read(text):
    assert text == write_board(read_board(text))


@given(maps(), st.data())
def test_one_changed_cell_is_refused_as_asymmetrical(text, data):
    """Central symmetry holds for every cell but the centre of an odd by odd map."""
    board = read_board(text)
    last = len(board.cells) - 1
    others = [c for c in range(last + 1) if 2 * c != last and c not in board.bases]
    cell = data.draw(st.sampled_from(others))
    changed = list(board.cells)
    changed[cell] = 31
    with pytest.raises(BadBoardError, match="maps are symmetrical") as caught:
        read_board(write_board(attrs.evolve(board, cells=tuple(changed))))
    assert f"({cell // board.cols}, {cell % board.cols})" in str(caught.value)
