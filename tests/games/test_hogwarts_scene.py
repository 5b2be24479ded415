"""What a viewer draws of Hogwarts: marks, owners, captured cells, events of a round."""

import re
from random import Random

import pytest

from lanista.games.hogwarts.board import CLANS
from lanista.games.picture import Ground, Mark, Shape
from support.hogwarts import ADDED_UP, DOWN, RIGHT, Draws, begin, hall, play, roaming, seeded, spell

A, B = 4, 5
RESTED = {ghost: (ghost, 59, 4 * ghost) for ghost in range(4)}


def events(game):
    return [(event.seat, event.text) for event in game.frame().events]


def mark_of(game, unit):
    (mark,) = [mark for mark in game.frame().marks if mark.unit == unit]
    return mark


# What stands where


def test_the_scene_is_the_walls():
    scene = begin(hall(walls=[(0, 0)])).scene()
    assert (Ground.WALL, Ground.FLOOR) == scene.ground[0][:2]
    assert (60, 60) == (scene.rows, scene.cols)
    assert ("cells", "units", "strength", "strength per unit") == scene.stats
    kinds = [shape for shape, _, _ in scene.kinds]
    assert [Shape.MAGE, Shape.TURNCOAT, Shape.GHOST, Shape.BOOK, Shape.FIEND] == kinds


def test_the_frame():
    """Books, units by number, Voldemort on top; owners; a caption and stats a clan."""
    game = begin(hall({5: (1, 10, 10, 2, 3)}, walls=[(0, 0)], owned={(1, 1): 2}))
    frame = game.frame()
    assert Mark(50, 0, None, "+", Shape.BOOK, details=("book",)) == frame.marks[0]
    assert [None, *range(9)] == [mark.unit for mark in frame.marks]
    wizard = Mark(55, 0, 0, "w", Shape.MAGE, 4, details=("wizard 4",))
    assert wizard == mark_of(game, 4)
    converting = ("wizard 5", "changes to seat 3 in 2 rounds")
    assert Mark(10, 10, 1, "x", Shape.TURNCOAT, 5, details=converting) == mark_of(game, 5)
    # His number is the one behind all units.
    voldemort = ("Voldemort", "kills whoever comes next to him")
    assert Mark(57, 57, None, "V", Shape.FIEND, 8, details=voldemort) == frame.marks[-1]
    assert 2 == frame.owned[1, 1]
    assert 9 == len(frame.owned)
    assert ("0 (2 units, strength 500)",) * 4 == frame.captions
    assert ((2, 2, 1000, 500), (2, 2, 1000, 500), (3, 2, 1000, 500)) == frame.stats[:3]
    assert ({}, ()) == (frame.captured, frame.events)


@pytest.mark.parametrize(
    ("rounds", "attacked", "left", "details"),
    [
        (0, -1, 51, ("ready for a spell",)),
        (0, -1, 50, ("no more spells",)),
        (1, 0, 200, ("rests 1 round", "attacked in round 0")),
        (12, 7, 200, ("rests 12 rounds", "attacked in round 7")),
    ],
)
def test_a_ghost_tells_when_it_can_cast(rounds, attacked, left, details):
    """rules/hogwarts.md 9.2: no spell in the last 50 rounds."""
    game = begin(hall({0: (0, 59, 0, rounds, attacked)}), NUM_ROUNDS=left)
    assert Mark(59, 0, 0, "G", Shape.GHOST, 0, details=("ghost", *details)) == mark_of(game, 0)


# What happened


def test_a_spell_and_what_it_took():
    own = {(59, 0), (55, 0), (2, 2)}  # the clan's before, its units' two cells among them
    game = begin(hall(RESTED, owned={(1, 1): 2, (2, 2): 0}, ingredients=ADDED_UP))
    play(game, {0: spell(0, ADDED_UP)})
    frame = game.frame()
    ours = {place for place, seat in frame.owned.items() if seat == 0}
    assert ours - own == set(frame.captured)
    assert {0} == set(frame.captured.values())
    assert [(0, f"cast a spell: {len(frame.captured)} cells")] == events(game)
    assert 500 < len(frame.captured)
    play(game)
    assert ({}, []) == (game.frame().captured, events(game))


def test_a_spell_did_not_take_what_a_converted_wizard_left():
    """The wizard's cell fell to the clan with the wizard, which then went on (7.2, 7.4)."""
    units = {A: (0, 10, 10), B: (1, 10, 11), **{more: (1, 20, more) for more in range(8, 12)}}
    board = hall(units, ingredients=ADDED_UP)
    game = begin(board, Draws({"whose order": [0, 0, 0]}))
    lines = {0: f"m {A} {RIGHT} {spell(0, ADDED_UP)}", 1: f"m {B} {DOWN}"}
    assert [A, 0, B] == play(game, lines)
    frame = game.frame()
    assert (0, 0) == (frame.owned[10, 11], frame.owned[11, 11])
    assert not {(10, 11), (11, 11)} & set(frame.captured)
    spell_told = (0, f"cast a spell: {len(frame.captured)} cells")
    assert [spell_told, (0, "converted wizard 5")] == events(game)


def test_a_conversion_from_its_beginning_to_its_end():
    board = hall({A: (0, 10, 10), B: (1, 10, 11)})
    game = begin(board, Draws({"surprise": [0]}))
    play(game, {0: f"m {A} {RIGHT}"})
    assert [(0, "began to convert wizard 5")] == events(game)
    assert ("wizard 5", "changes to seat 0 in 4 rounds") == mark_of(game, B).details
    for _ in range(3):
        play(game)
        assert [] == events(game)
    play(game)
    assert [(0, "converted wizard 5")] == events(game)
    assert Shape.MAGE is mark_of(game, B).shape


def test_several_wizards_are_one_event():
    units = {4: (0, 10, 10, 1, 2), 5: (1, 20, 10, 1, 2), 6: (1, 30, 10, 1, 2), 7: (1, 40, 10, 1, 3)}
    game = begin(hall(units))
    play(game)
    told = [(2, "converted wizards 4, 5 and 6"), (3, "converted wizard 7")]
    assert told == events(game)


def test_books_that_are_read_and_destroyed():
    board = hall(
        {4: (0, 10, 10), 6: (2, 20, 10), 5: (1, 36, 30)},
        books=[(10, 11), (20, 11), (32, 31)],
        voldemort=(30, 30),
    )
    game = begin(board, Draws())
    play(game, {0: f"m 4 {RIGHT}", 2: f"m 6 {RIGHT}"})
    told = [(0, "read 1 book"), (2, "read 1 book"), (None, "Voldemort destroyed 1 book")]
    assert told == events(game)


@pytest.mark.parametrize(("heir", "whom"), [(2, "seat 2"), (0, "its own clan")])
def test_a_wizard_that_walks_into_voldemort(heir, whom):
    board = hall({A: (0, 30, 28)}, voldemort=(30, 30))
    game = begin(board, Draws({"new clan": [heir]}))
    play(game, {0: f"m {A} {RIGHT}"})
    assert [(0, f"lost wizard 4 to Voldemort, reborn for {whom}")] == events(game)


def test_units_that_voldemort_reaches():
    """He steps down to the nearest unit; a wizard that leaves in time isn't there any more."""
    units = {1: (1, 32, 30), A: (0, 32, 31), B: (1, 32, 29)}
    game = begin(hall(units, voldemort=(30, 30)), Draws({"new clan": [3]}))
    play(game, {1: f"m {B} {DOWN}"})
    told = [
        (1, "lost its ghost to Voldemort, reborn elsewhere"),
        (0, "lost wizard 4 to Voldemort, reborn for seat 3"),
    ]
    assert told == events(game)


# Whole matches: what is told against what the game did


CROWDED = {
    "NUM_ROUNDS": 110,
    "NUM_INI_WIZARDS_PER_CLAN": 20,
    "NUM_INI_BOOKS": 150,
    "ROUNDS_SPELL_RESTING_GHOST": 3,
    "CLAN_INI_MAGIC_STRENGTH": 100,
}


def numbers(words, pattern):
    """The numbers of the part of an event's words that a pattern finds."""
    return sorted(int(n) for part in re.findall(pattern, words) for n in re.findall(r"\d+", part))


@pytest.mark.parametrize(
    ("seed", "original"), [(1, 0), (2, 1), pytest.param(3, 0, marks=pytest.mark.long)]
)
def test_events_are_what_the_game_did(seed, original):
    game = seeded(seed, **CROWDED, original=original)
    kinds = set()
    for turn in roaming(game, 60, Random(seed)):
        points, strength = list(game.conversion_points), list(game.strength)
        game.advance(turn)
        frame = game.frame()
        words = [event.text for event in frame.events]
        kinds |= {re.match(r"\D+", line)[0] for line in words}

        lost = [line for line in words if "to Voldemort" in line]
        wizards = sorted(unit for unit in game._dead if unit >= CLANS)
        told = sorted(n for line in lost for n in numbers(line, r"wizards? .* to"))
        assert wizards == told
        ghosts = [event.seat for event in frame.events if "its ghost" in event.text]
        assert sorted(unit for unit in game._dead if unit < CLANS) == ghosts

        for clan in range(CLANS):
            own = [event.text for event in frame.events if event.seat == clan]
            read = sum(n for line in own for n in numbers(line, r"read \d+ book"))
            assert (game.strength[clan] - strength[clan]) // 50 == read
            won = [n for line in own for n in numbers(line, r"^converted .*")]
            # One that was converted and then died, or was converted twice, isn't told.
            assert (game.conversion_points[clan] - points[clan]) // 100 >= len(won)
        attacked = {ghost for ghost in range(CLANS) if game.nexts[ghost] == game.turn - 1}
        shown = {n for line in words for n in numbers(line, r"the ghost of seat \d")}
        assert attacked | {unit for unit in game._dead if unit < CLANS} >= shown >= attacked

        # A cell on which a unit stands was taken by the unit.
        assert frame.captured.items() <= frame.owned.items()
        assert not set(frame.captured) & {divmod(at, 60) for at in game.cells}
        cast = [line for line in words if "cast a spell" in line]
        spells = [order for order in game.executed if order.groups]
        assert [f"cast a spell: {len(frame.captured)} cells" for _ in spells] == cast
    assert {"cast a spell: ", "read ", "lost wizard ", "converted wizard "} <= kinds
    assert {"attacked the ghost of seat ", "began to convert wizard "} <= kinds
