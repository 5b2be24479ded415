"""What a check knows of games: boards that the rules take, matches as short as they can be."""

import attrs
import pytest

import lanista
from check.checking import under_check
from lanista.check import gauntlet, items
from lanista.games import registry
from lanista.games.angrymob import check_boards
from lanista.games.base import Answer, complete_settings
from support import tinygame
from support.example_ruleset import take_away

ALL = registry.ours()


@pytest.mark.parametrize("name", ALL)
def test_one_turn_is_a_setting_of_every_game_that_comes_with_lanista(name):
    ruleset = registry.get(name)
    shorter, settings, words = gauntlet.shortened(ruleset, 1)
    assert ruleset is shorter
    assert 1 == ruleset.max_turns(settings)
    assert words.endswith("=1")


def test_a_setting_of_turns_stays_within_its_range():
    """tinygame has from 1 to 1000 rounds."""
    _, settings, _ = gauntlet.shortened(tinygame.RULESET, 5000)
    assert {"rounds": 1000} == settings


def test_a_game_without_such_a_setting_is_ended_from_outside():
    """Take-away has none for turns: after two the game is over, ranked by score."""
    ruleset = take_away.RULESET
    assert gauntlet.length_setting(ruleset) is None
    shorter, settings, words = gauntlet.shortened(ruleset, 2)
    assert complete_settings(ruleset, {}) == settings
    assert "ended after 2, which no setting of take-away does" == words
    game = shorter.new(settings, shorter.generate(settings, shorter.chance(1)), shorter.chance(1))
    for _ in range(2):
        assert game.outcome() is None
        game.advance([game.parse(seat, [1]) for seat in range(shorter.seats)])
    assert "cut-short" == game.outcome().reason


def test_the_largest_board_is_the_largest_that_the_rules_take():
    """200 rows and columns (rules/angrymob.md 1)."""
    board = check_boards.largest()
    assert (200, 200) == (board.rows, board.cols)


@pytest.mark.parametrize("name", ["hogwarts", "crematoria"])
def test_games_of_one_size_have_no_largest_board(name):
    tested = attrs.evolve(under_check(("bot",)), ruleset=registry.get(name))
    names = [spec.name for spec in gauntlet.specs_of(tested, ())]
    assert gauntlet.CROWDED in names
    assert gauntlet.LARGEST not in names


@pytest.mark.parametrize("seed", range(20))
def test_a_crowded_board_has_units_for_the_rival_alone(seed):
    """Nothing to recruit nearer to the seat's base; some beside the rival's; a path between."""
    ruleset = registry.get("angrymob")
    board = check_boards.crowded(seed, 1)
    ours, theirs = board.distances(board.bases[1]), board.distances(board.bases[0])
    with_units = [cell for cell, state in enumerate(board.cells) if state > 0]
    assert all(theirs[cell] <= max(ours[cell], check_boards.RICH_STEPS) for cell in with_units)
    assert any(theirs[cell] == 1 and board.cells[cell] == check_boards.RICH for cell in with_units)
    assert ours[board.bases[0]] > 0
    assert 0 == board.cells[board.bases[0]] == board.cells[board.bases[1]]
    ruleset.new(complete_settings(ruleset, {}), board, ruleset.chance(seed)).advance(
        [Answer(()), Answer(())]
    )


def test_a_bot_may_look_ahead_on_a_crowded_board():
    """By the rules as a library, though such a board isn't symmetrical."""
    game = lanista.new_game("angrymob", seed=5)
    board = check_boards.crowded(5, 1)
    game.rules = game.ruleset.new(game.settings, board, game.ruleset.chance(5))
    assert game.digest() == game.state(1).to_game(seed=1).digest()


SUBMOVES = [
    ("angrymob", "1 2 3 0 4 5 6 1", 1, "4 5 6 1"),
    ("angrymob", "1 2 3 0 4", 1, "4"),
    ("angrymob", "1 2 3 0", 1, None),
    ("crematoria", "7 1 8 2 9 3", 2, "9 3"),
    ("hogwarts", "m 5 2 s 1 0 1 2 m 6 4", 1, "s 1 0 1 2"),
    ("hogwarts", "m 5 2 m 6 4", 1, "m 6 4"),
    ("hogwarts", "5 2", 0, None),
]


@pytest.mark.parametrize(("game", "line", "index", "expected"), SUBMOVES)
def test_a_submove_is_found_by_its_place(game, line, index, expected):
    """PROTOCOL.md 5: four numbers, two, or from a letter to the next."""
    found = items.submove_at(registry.get(game), line.split(), index)
    assert (None if expected is None else expected.split()) == found
