"""What answers order, in words, and why orders changed nothing: for people who look at a match."""

from lanista.games.base import Submove
from lanista.games.registry import get
from support import angrymob, crematoria
from support.hogwarts import Draws, begin, hall, play

LEVEL_1 = 81
"""The column of the scene at which the level outside begins."""


def test_orders_of_hogwarts():
    game = begin(hall({4: (0, 10, 10), 5: (1, 0, 7)}), Draws())
    spell = ["s", 0, *[0] * 15]
    tokens = ["m", 4, 6, "m", 5, 4, "m", 99, 0, "m", 4, 9, "m", 0, 3, *spell]
    assert [
        Submove("wizard 4 moves left", 4, ((10, 10), (10, 9))),
        Submove("wizard 5 moves up", 5, ((0, 7),)),  # out of the board
        Submove("unit 99 moves down"),
        Submove("wizard 4 moves by 9", 4, ((10, 10),)),
        Submove("ghost 0 moves up-right", 0, ((59, 0), (58, 1))),
        Submove("ghost 0 casts a spell", 0, ((59, 0),)),
    ] == list(game.decode(0, tokens))


def test_why_orders_of_hogwarts_change_nothing():
    units = {4: (0, 10, 10), 5: (1, 0, 7), 6: (2, 20, 20), 8: (0, 30, 30), 9: (0, 30, 31)}
    game = begin(hall(units, walls=[(10, 9)]), Draws())
    play(game, {0: "m 4 6 m 8 2", 1: "m 5 4", 2: "m 6 2"})
    assert [(6, 2, None)] == list(game.executed)
    assert {
        4: "a wall is there",
        5: "the board ends there",
        8: "a unit of its own clan was there",
    } == game.frame().idle
    play(game, {})
    assert {} == game.frame().idle


def test_orders_of_crematoria():
    """Cells are those of the scene, in which the levels lie side by side."""
    game = crematoria.game_at(
        {0: (10, 10, 0), 2: (10, 20, 1), 3: (0, 30, 0)},
        on=crematoria.board(rock=[(10, 9)], elevators=[(10, 20)]),
        chance=get("crematoria").chance(1),
    )
    tokens = [0, 6, 2, 9, 2, 8, 3, 4, 3, 10, 99, 0]
    assert [
        Submove("furyan 0 moves left", 0, ((10, 10), (10, 9))),
        Submove("pioneer 2 moves down underground", 2, ((10, LEVEL_1 + 20), (10, 20))),
        Submove("pioneer 2 moves up to the outside", 2, ((10, LEVEL_1 + 20),)),
        Submove("pioneer 3 moves up", 3, ((0, 30),)),
        Submove("pioneer 3 stays", 3, ((0, 30),)),
        Submove("unit 99 moves down"),
    ] == list(game.decode(0, tokens))
    game.advance([game.parse(0, [0, 6, 2, 9, 3, 4]), *[game.parse(seat, []) for seat in (1, 2, 3)]])
    assert {0: "rock is there", 3: "the board ends there"} == game.frame().idle


def test_orders_of_angry_mob():
    game = angrymob.start("2 4\nA . . .\n. . . B\n")
    tokens = [0, 0, 1, 0, 0, 0, 2, 1, 7, 7, 1, 0, 0, 0, 1, 5]
    assert [
        Submove("1 unit from (0, 0) go right", None, ((0, 0), (0, 1))),
        Submove("2 units from (0, 0) go up", None, ((0, 0),)),
        Submove("1 unit from (7, 7) go right"),
        Submove("1 unit from (0, 0) go by 5", None, ((0, 0),)),
    ] == list(game.decode(0, tokens))
    assert {} == game.frame().idle
