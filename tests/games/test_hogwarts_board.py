"""Board files of Hogwarts (rules/hogwarts.md 14)."""

from importlib.resources import files

import attrs
import pytest

from lanista.games.base import BadBoardError
from lanista.games.hogwarts.originals import ORIGINALS, state_text
from lanista.games.hogwarts.ruleset import RULESET
from support.hogwarts import begin, cell, check_invariants, hall, play, seeded

TEXT = RULESET.write_board(hall({4: (1, 10, 10, 3, 2)}, walls=[(20, 20)], owned={(5, 5): 3}))
LINES = TEXT.split("\n")
UNITS = LINES.index("units")
BOOKS = LINES.index("books")
SPELL = LINES.index("spell_ingredients")


def changed(line, old, new):
    """The board with a change in a line (from 0)."""
    lines = list(LINES)
    assert old in lines[line]
    lines[line] = lines[line].replace(old, new, 1)
    return "\n".join(lines)


def test_only_the_order_of_words_matters():
    assert RULESET.read_board(TEXT) == RULESET.read_board(" ".join(TEXT.split()))
    assert RULESET.read_board(TEXT) == RULESET.read_board(TEXT.replace("\n", "\r\n\t\n"))


def test_what_follows_voldemort_is_ignored():
    """14: a board can be copied from a match file with the rest of its state."""
    assert RULESET.read_board(TEXT) == RULESET.read_board(TEXT + "\nround 77\nscore 1 2 3 4\n")


def test_books_come_in_any_order():
    one = hall(books=[(1, 1), (2, 2)])
    text = RULESET.write_board(one).replace("1 1\n2 2\n", "2 2\n1 1\n")
    assert one == RULESET.read_board(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the file ends where `0000000000"),
        (changed(0, "0001", "001"), "line 1, column 4: expected `000000000011"),
        (changed(2, ".", ""), "line 3, column 4: row 0 has 59 cells; a row has 60"),
        (changed(7, ".3", ".4"), "line 8, column 9: unknown cell '4'; a cell is `W`, `.` or"),
        (changed(UNITS + 1, "8", "9"), "9 units; there must be 4 ghosts"),
        (changed(UNITS + 2, "player", "clan"), "expected `player`, got 'clan'"),
        (changed(UNITS + 3, "g 0 0", "w 0 0"), "expected `g`, got 'w'"),
        (changed(UNITS + 7, "w 4 1", "w 4 4"), "expected the player of unit 4, from 0 to 3, got 4"),
        (changed(UNITS + 7, "10 10", "60 10"), "expected the row of unit 4, from 0 to 59, got"),
        (
            changed(UNITS + 7, "10 10", "20 20"),
            "unit 4 of clan 1 stands at (20, 20), which is `W`; a unit stands on a corridor that",
        ),
        (changed(UNITS + 7, "10 10", "59 4"), "units 1 and 4 both stand at (59, 4)"),
        (changed(UNITS + 7, "3 2", "3 1"), "wizard 4 of clan 1 has rounds 3 and next 1"),
        (changed(UNITS + 7, "3 2", "0 2"), "it has 0 and -1, or rounds above 0 and another clan"),
        (changed(UNITS + 7, "3 2", "-1 -1"), "expected the rounds of unit 4, at least 0, got -1"),
        (changed(UNITS + 7, "3 2", "1000001 2"), "unit 4 has rounds or next above 1000000"),
        (changed(BOOKS + 1, "1", "0"), "expected the number of books, from 1 to 400, got 0"),
        (changed(BOOKS + 3, "50 0", "20 20"), "a book lies at (20, 20), where a wall is"),
        (changed(BOOKS + 3, "50 0", "10 10"), "a book lies at (10, 10), where a unit is"),
        (
            changed(BOOKS + 1, "1", "2").replace("50 0\n", "50 0\n50 0\n"),
            "a book lies at (50, 0), where another book is",
        ),
        (changed(SPELL + 2, "9", "31"), "expected an ingredient, from 0 to 30, got 31"),
        (changed(SPELL + 4, "57 57", "0 57"), "Voldemort stands on the border"),
        (
            changed(SPELL + 4, "57 57", "11 11"),
            "unit 4 stands at (10, 10), next to Voldemort; nobody does at the start of a round",
        ),
        (TEXT.replace("Voldemort\n57 57", "V"), "expected `Voldemort`, got 'V'"),
    ],
)
def test_a_broken_board_is_refused_with_its_line(text, words):
    with pytest.raises(BadBoardError) as caught:
        RULESET.read_board(text)
    assert words in str(caught.value)
    assert caught.value.line is not None


@pytest.mark.parametrize(("spare", "fits"), [(9, True), (8, False)])
def test_a_board_has_room_to_spare(spare, fits):
    """Things that appear must find a cell outside Voldemort's 3x3."""
    board = hall()
    used = {unit.cell for unit in board.units} | set(board.books)
    corridors = used | {cell(10, col) for col in range(spare)}
    cells = bytes(kind if at in corridors else ord("W") for at, kind in enumerate(board.cells))
    text = RULESET.write_board(attrs.evolve(board, cells=cells))
    if fits:
        RULESET.read_board(text)
        return
    words = "17 corridors for 8 units and 1 books; a board has at least 9"
    with pytest.raises(BadBoardError, match=words):
        RULESET.read_board(text)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"NUM_INI_BOOKS": 2}, "the board needs the setting NUM_INI_BOOKS 1, which is 2"),
        (
            {"NUM_INI_WIZARDS_PER_CLAN": 20},
            "the board needs the setting NUM_INI_WIZARDS_PER_CLAN 1, which is 20",
        ),
    ],
)
def test_a_board_and_settings_that_contradict_each_other_are_refused(settings, words):
    with pytest.raises(BadBoardError) as caught:
        begin(hall(), **settings)
    assert words == str(caught.value)


def test_a_match_begins_in_round_0_whatever_the_board_was_copied_from():
    """14: score 0, strength as at the start, the units' rounds and next as written."""
    game = begin(hall({4: (1, 10, 10, 3, 2), 0: (0, 20, 20, 100, 150)}))
    assert (0, 0, 0, 0, 0) == (game.turn, *game.scores())
    assert [1000] * 4 == game.strength
    assert (3, 2) == (game.rounds[4], game.nexts[4])
    assert (100, 150) == (game.rounds[0], game.nexts[0])


def test_any_distribution_of_wizards_over_clans():
    """14: also a clan with a ghost alone."""
    game = begin(hall({4 + at: (2, 10, 10 * at) for at in range(4)}))
    check_invariants(game)
    play(game)
    check_invariants(game)
    assert [1, 1, 5, 1] == [game.clans.count(clan) for clan in range(4)]


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
    game = seeded(6)
    text = ORIGINALS.write_cnf(dict(game.settings) | {"original": 0}, None)
    text = text.replace("RANDOM\n", "FIXED\n") + state_text(game.seen(), (0.0,) * 4)
    assert game.board == ORIGINALS.read_cnf(text)[1]
