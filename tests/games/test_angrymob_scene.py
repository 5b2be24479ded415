"""What a viewer draws of Angry Mob: scene, marks, arrows, events."""

from random import Random

import pytest
from hypothesis import given

from lanista.games.picture import Arrow, Ground, Mark, Shape
from support.angrymob import PAGE, SEEDS, at, maps, orders, play, start, units, verdict

FIELD = """\
3 4
A . 5 .
. . . .
. 5 . B
"""
RIGHT, UP, LEFT, DOWN = range(4)


def events(game):
    return [(event.seat, event.text) for event in game.frame().events]


def test_the_scene_is_the_ground_and_the_bases():
    """Walls where the map is impassable; neutral units are no ground."""
    scene = start(PAGE).scene()
    assert (6, 7) == (scene.rows, scene.cols)
    letters = {Ground.FLOOR: ".", Ground.WALL: "#", Ground.BASE: "A"}
    drawn = [" ".join(letters[ground] for ground in row) for row in scene.ground]
    plain = "".join("." if token in "123" else token.replace("B", "A") for token in PAGE[4:])
    assert plain.splitlines() == drawn
    assert {(2, 1): 0, (3, 5): 1} == scene.owners
    assert ("units",) == scene.stats
    assert [Shape.COUNT] == [shape for shape, _, _ in scene.kinds]


def test_the_frame_is_the_units():
    """Neutral ones only where no player stands; there, who points at the player's sees them."""
    game = at(FIELD, {(0, 2): 9, (1, 0): 12}, {(2, 3): 1})
    frame = game.frame()
    assert 0 == frame.turn
    assert (
        Mark(2, 1, None, "5", Shape.COUNT, details=("5 neutral units",)),
        Mark(0, 2, 0, "9", Shape.COUNT, details=("9 units", "5 neutral units")),
        Mark(1, 0, 0, "12", Shape.COUNT, details=("12 units",)),
        Mark(2, 3, 1, "1", Shape.COUNT, details=("1 unit",)),
    ) == frame.marks
    assert ("21 units", "1 unit") == frame.captions
    assert ((21,), (1,)) == frame.stats


def test_arrows_are_the_submoves_by_cell_and_direction():
    game = at(FIELD, {(1, 1): 9}, {(2, 3): 2})
    assert () == game.frame().arrows
    play(game, "1 1 2 1 1 1 3 0 1 1 1 1", "2 3 2 2")
    assert (
        Arrow((1, 1), (0, 1), 0, "3"),
        Arrow((1, 1), (1, 2), 0, "3"),
        Arrow((2, 3), (2, 2), 1, "2"),
    ) == game.frame().arrows
    play(game, "", "")
    assert () == game.frame().arrows


@pytest.mark.parametrize("second", [None, "0 0 1 0"])
def test_a_forfeit_moves_nothing(second):
    """What was answered in a turn that ends by forfeit isn't carried out."""
    game = at(FIELD, {(1, 1): 9}, {(2, 3): 2})
    play(game, "1 1 2 1", second)
    assert () == game.frame().arrows
    assert [(1, "lost by forfeit")] == events(game)


def test_recruits_are_told_once():
    game = start(FIELD)
    play(game, "0 0 1 0", "2 3 1 2")
    assert [] == events(game)
    play(game, "0 1 1 0", "2 2 1 2")
    told = [(0, "recruited 5 units at (0, 2)"), (1, "recruited 5 units at (2, 1)")]
    assert told == events(game)
    assert [(0, "6"), (1, "6")] == [(mark.seat, mark.text) for mark in game.frame().marks]
    play(game, "", "")
    assert [] == events(game)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (5, 3, (0, "won at (1, 2), 5 units against 3")),
        (1, 20, (1, "won at (1, 2), 20 units against 1")),
        (4, 4, (None, "4 units of each fell at (1, 2)")),
        (1, 1, (None, "1 unit of each fell at (1, 2)")),
    ],
)
def test_a_fight(first, second, expected):
    # One more of each stays away, so that the match goes on.
    game = at(FIELD, {(1, 1): first, (0, 1): 1}, {(1, 3): second, (2, 2): 1})
    play(game, f"1 1 {first} 0", f"1 3 {second} 2")
    assert [expected] == events(game)
    play(game, "", "")
    assert [] == events(game)


def test_the_end_is_told():
    game = at(FIELD, {(2, 2): 9, (0, 0): 1}, {(0, 3): 9})
    play(game, "2 2 1 0", "")
    assert [(0, "captured the base of seat 1")] == events(game)
    game = at(FIELD, {(2, 2): 9, (1, 1): 1}, {(0, 1): 9})
    play(game, "2 2 1 0", "0 1 1 2")
    assert [(0, "captured the base of seat 1"), (1, "captured the base of seat 0")] == events(game)
    game = at(FIELD, {(1, 1): 1}, {(1, 2): 1})
    play(game, "1 1 1 0", "")
    assert (None, "nobody has a unit left") == events(game)[-1]
    game = start(FIELD, move_limit=1)
    play(game, "", "")
    assert [(None, "move limit")] == events(game)


@given(maps(), SEEDS)
def test_frames_of_any_match_are_what_the_facts_tell(text, seed):
    """Marks are units and neutral units, arrows add up to what was sent, fights to what is lost."""
    game, pick = start(text), Random(seed)
    for _ in range(8):
        before = game.frame()
        own = units(game)
        said = [" ".join(map(str, orders(game, seat, own[seat], pick))) for seat in (0, 1)]
        game.advance([verdict(game, seat, line) for seat, line in enumerate(said)])
        frame = game.frame()
        for seat, standing in enumerate(units(game)):
            shown = {(m.row, m.col): int(m.text) for m in frame.marks if m.seat == seat}
            assert standing == shown
            assert (sum(standing.values()),) == frame.stats[seat]
        neutral = {(m.row, m.col): int(m.text) for m in frame.marks if m.seat is None}
        cols = game.board.cols
        players = {(m.row, m.col) for m in frame.marks if m.seat is not None}
        assert {
            divmod(cell, cols): count
            for cell, count in enumerate(game.neutral)
            if count > 0 and divmod(cell, cols) not in players
        } == neutral
        if game.outcome() and game.outcome().reason == "forfeit":
            assert before.marks == frame.marks
            break
        sent = [sum(int(a.text) for a in frame.arrows if a.seat == seat) for seat in (0, 1)]
        numbers = [list(map(int, line.split())) for line in said]
        assert [sum(of_seat[2::4]) for of_seat in numbers] == sent
        gained = sum(int(e.text.split()[1]) for e in frame.events if "recruited" in e.text)
        told = [event.text.split() for event in frame.events]
        lost = sum(2 * int(words[-1]) for words in told if words[0] == "won")
        lost += sum(2 * int(words[0]) for words in told if "fell" in words)
        assert sum(map(sum, before.stats)) + gained - lost == sum(map(sum, frame.stats))
        if game.outcome():
            break


def test_a_viewer_that_looks_seldom_sees_the_same():
    """Neutral marks are kept from frame to frame; recruited ones vanish all the same."""
    often, seldom = start(FIELD), start(FIELD)
    often.frame()
    seldom.frame()
    for first, second in (("0 0 1 0", ""), ("0 1 1 0", ""), ("0 2 6 0", "")):
        play(often, first, second)
        play(seldom, first, second)
        often.frame()
    assert often.frame() == seldom.frame()
