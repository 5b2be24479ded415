"""The states of the games for four: facts in, attributes out (`PROTOCOL.md 5`)."""

import re

import pytest

from client.scripted_arena import (
    CREMATORIA_START,
    CREMATORIA_TURN,
    HOGWARTS_START,
    HOGWARTS_TURN,
    START,
    TURN_0,
    WELCOME,
    state_of,
    wired,
)
from lanista_client import Arena, ArenaError, CrematoriaState, HogwartsState, crematoria, hogwarts


@pytest.fixture
def school(monkeypatch):
    return state_of(monkeypatch, HOGWARTS_START, HOGWARTS_TURN)


@pytest.fixture
def planet(monkeypatch):
    return state_of(monkeypatch, CREMATORIA_START, CREMATORIA_TURN)


def check(seen, **expected):
    """Compare attributes of a state or a unit."""
    assert expected == {name: getattr(seen, name) for name in expected}


# -- both ----------------------------------------------------------------------------------------


GAMES = {
    "hogwarts": (HOGWARTS_START, HOGWARTS_TURN),
    "crematoria": (CREMATORIA_START, CREMATORIA_TURN),
}
BOTH = pytest.mark.parametrize(("start", "turn"), GAMES.values(), ids=GAMES)


@pytest.mark.parametrize(
    ("start", "turn"), [*GAMES.values(), (START, TURN_0)], ids=[*GAMES, "angrymob"]
)
def test_order_between_start_turn_and_go_means_nothing(monkeypatch, start, turn):
    """PROTOCOL.md 3: units by id, books, gems and elevators by place, however they came."""

    def seen(state):
        own = {
            key: value
            for key, value in vars(state).items()
            if key not in {"facts", "start_facts", "units"} and not key.startswith("_")
        }
        return own, [repr(unit) for unit in getattr(state, "units", {}).values()]

    straight = seen(state_of(monkeypatch, start, turn))
    first, *rest = start.splitlines(keepends=True)
    head, *facts, go = turn.splitlines(keepends=True)
    crossed = [first, *rest[::-1], head, *facts[::-1], go]
    assert straight == seen(state_of(monkeypatch, *crossed))


def unreadable(monkeypatch, start, turn):
    with pytest.raises(ArenaError) as caught:
        state_of(monkeypatch, start, turn)
    return "unreadable" == caught.value.code


@pytest.mark.parametrize("size", [b"100000 8", rb"\1 9", b"0 0"])
@pytest.mark.parametrize(
    ("start", "turn"), [*GAMES.values(), (START, TURN_0)], ids=[*GAMES, "angrymob"]
)
def test_a_board_of_another_size_than_its_rows_is_an_arena_error(monkeypatch, start, turn, size):
    """Nothing is made of a size alone, which might be of any number."""
    assert unreadable(monkeypatch, re.sub(rb"size (\d+) .*", b"size " + size, start), turn)


@pytest.mark.parametrize(
    ("pattern", "other"),
    [
        *((rb"own 0 ", b"own %b " % number) for number in (b"1", b"9", b"-1")),
        *((rb"(?m)^%b.*\n" % keyword, b"") for keyword in (b"own", b"unit", b"score", b"status")),
    ],
)
@BOTH
def test_a_turn_with_a_wrong_row_or_without_its_facts_is_an_arena_error(
    monkeypatch, start, turn, pattern, other
):
    """A row that is told twice or lies outside the board."""
    assert unreadable(monkeypatch, start, re.sub(pattern, other, turn))


@BOTH
def test_a_cell_that_is_no_owner_in_our_digits_has_none(monkeypatch, start, turn):
    turn = re.sub(rb"own 1 .", "own 1 \u00b2".encode(), turn)
    assert -1 == state_of(monkeypatch, start, turn).owner(1, 0)


def test_the_next_turn_replaces_what_the_last_one_said(monkeypatch):
    """Also what was looked up by cell."""
    turn = HOGWARTS_TURN.replace(b"turn 7", b"turn 8").replace(b"book 0 3\n", b"")
    turn = turn.replace(b"unit 5 w 1 0 1", b"unit 5 w 1 0 2").replace(b"11......", b"111.....")
    wired(monkeypatch, WELCOME + HOGWARTS_START + HOGWARTS_TURN + turn)
    with Arena("Bob") as arena:
        state = next(arena)
        assert (5, True, -1) == (state.unit_at(0, 1).id, state.book(0, 3), state.owner(0, 2))
        arena.send()
        assert state is next(arena)
    assert (8, None, 5) == (state.round, state.unit_at(0, 1), state.unit_at(0, 2).id)
    assert (False, 1, [(5, 0)]) == (state.book(0, 3), state.owner(0, 2), state.books)


# -- hogwarts ------------------------------------------------------------------------------------


def test_the_facts_of_hogwarts(school):
    assert isinstance(school, HogwartsState)
    check(
        school,
        rows=6,
        cols=8,
        num_rounds=200,
        round=7,
        me=1,
        books=[(0, 3), (5, 0)],
        voldemort=(3, 7),
        spell_ingredients=tuple(range(1, 16)),
        strength=(1000, 1000, 1050, 0),
        score=(101, 3, -1, 2),
        status=(0.0, 0.25, -1.0, 0.0125),
    )


def test_units_of_hogwarts(school):
    """rules/hogwarts.md 2: the two numbers mean one thing for wizards, another for ghosts."""
    assert [0, 1, 2, 3, 4, 5, 6] == list(school.units)
    assert [5, 6] == [wizard.id for wizard in school.wizards(1)]
    assert [] == school.wizards(2)
    ghost, wizard = school.ghost(1), school.units[6]
    check(ghost, ghost=True, converting=False, rounds_pending=53, next_player=5)
    check(wizard, ghost=False, converting=True, rounds_pending=3, next_player=2)
    check(wizard, pos=(2, 1), i=2, j=1, player=1)
    assert "<wizard 6 of 1 at (2, 1), 3>" == repr(wizard)
    assert wizard is school.unit_at(2, 1)
    assert school.unit_at(2, 2) is None


def test_the_ghost_of_no_clan_is_an_error(school):
    """The ids of wizards come after those of the ghosts, which are the clans."""
    with pytest.raises(LookupError, match="no clan 6"):
        school.ghost(6)


def test_magic_strength_is_rounded_down_for_each_unit(school):
    """rules/hogwarts.md 2: the ghost counts. Clan 1: 1000 for three; clan 2: a ghost alone."""
    assert [1000, 333, 1050, 0] == [school.magic_strength(clan) for clan in range(4)]


def test_cells_of_hogwarts(school):
    assert [1, -1, -1, 2, 3] == [
        school.owner(*cell) for cell in [(0, 0), (0, 2), (1, 1), (3, 0), (5, 5)]
    ]
    assert {-1} == {school.owner(*cell) for cell in [(-1, 0), (0, -1), (6, 0), (0, 8)]}
    assert "11......" == school.own[0]
    assert [True, False, False, False] == [
        school.passable(*cell) for cell in [(0, 0), (1, 1), (-1, 0), (0, 8)]
    ]
    assert [True, True, False, False] == [
        school.pos_ok(*cell) for cell in [(5, 7), (1, 1), (6, 0), (0, -1)]
    ]
    assert [True, False] == [school.book(0, 3), school.book(0, 2)]


def test_where_voldemort_kills(school):
    """rules/hogwarts.md 6 and 10: now in his 3x3, after his step in that of a cell beside him."""
    cells = [(i, j) for i in range(6) for j in range(8)]
    deadly = {cell for cell in cells if school.deadly(*cell)}
    assert {(i, j) for i in (2, 3, 4) for j in (6, 7)} == deadly
    i, j = school.voldemort
    after = {
        cell
        for cell in cells
        for di, dj in ((1, 0), (0, 1), (-1, 0), (0, -1))
        if abs(cell[0] - i - di) <= 1 and abs(cell[1] - j - dj) <= 1
    }
    assert after == {cell for cell in cells if school.reach_of_voldemort(*cell)}


def test_ways_of_wizards_and_ghosts(school):
    """rules/hogwarts.md 2: wizards go straight; both go around walls."""
    assert ((hogwarts.RIGHT, (0, 1)), (hogwarts.DOWN, (1, 0))) == tuple(
        sorted(school.neighbours(0, 0), key=lambda way: -way[0])
    )
    ways = dict(school.neighbours(2, 0, diagonal=True))
    assert {0: (3, 0), 1: (3, 1), 2: (2, 1), 4: (1, 0)} == ways
    assert (1, 1) == hogwarts.DIRECTIONS[hogwarts.DR]
    assert (1, -1) == hogwarts.DIRECTIONS[hogwarts.LD]


def test_distances_in_hogwarts(school):
    """Around walls; through `blocked` never; `within` ends the search."""
    steps = school.distances([(0, 1)])
    assert (0, 1, 3, 4) == tuple(steps[cell] for cell in [(0, 1), (0, 0), (2, 0), (2, 1)])
    assert (1, 1) not in steps
    assert 48 - 3 == len(steps)
    assert 2 == school.distances([(0, 1)], diagonal=True)[2, 1]
    assert 5 == school.distances([(0, 1)], blocked={(1, 0)})[2, 2]
    assert {(0, 1): 0, (0, 0): 1, (0, 2): 1} == school.distances([(0, 1)], within=1)
    two = school.distances([(0, 0), (5, 7)])
    assert (3, 3) == (two[0, 3], two[5, 4])
    assert {} == school.distances([(-1, 0), (0, 8)]), "outside the board"


# -- crematoria ----------------------------------------------------------------------------------


def test_the_facts_of_crematoria(planet):
    assert isinstance(planet, CrematoriaState)
    check(
        planet,
        rows=5,
        cols=8,
        nb_rounds=120,
        round=1,
        me=1,
        elevators=[(2, 1), (2, 6)],
        gems=[(0, 5, 1), (4, 2, 1)],
        sun=6,
        nb_cells=(0, 3, 1, 2),
        nb_gems=(0, 1, 0, 2),
        points=(0, 33, 1, 62),
        score=(0, 33, 1, 62),
        status=(0.0, 0.25, -1.0, 0.0125),
    )


def test_units_of_crematoria(planet):
    assert [0, 1, 2, 3, 4, 5, 6] == list(planet.units)
    assert [1] == [unit.id for unit in planet.pioneers(1)]
    assert [0] == [unit.id for unit in planet.furyans(1)]
    assert [4, 5] == [unit.id for unit in planet.necromongers()]
    assert [6] == [unit.id for unit in planet.hellhounds()]
    pioneer = planet.units[2]
    check(pioneer, type=crematoria.PIONEER, player=3, health=15, turns=-1)
    check(pioneer, pos=(2, 7, 0), i=2, j=7, k=0)
    assert "<p 2 of 3 at (2, 7, 0), health 15>" == repr(pioneer)
    assert pioneer is planet.unit_at((2, 7, 0))
    assert planet.unit_at((2, 7, 1)) is None


def test_a_descending_necromonger_is_not_on_its_cell(planet):
    """rules/crematoria.md 2.3."""
    assert planet.unit_at((3, 4, 1)) is None
    assert planet.units[4] is planet.unit_at((0, 3, 1))


def test_cells_of_crematoria(planet):
    assert [1, -1, -1, -1, 3, 2] == [
        planet.owner(*cell) for cell in [(1, 0), (1, 1), (0, 0), (2, 1), (2, 7), (3, 5)]
    ]
    assert {-1} == {planet.owner(*cell) for cell in [(-1, 0), (1, -8), (6, 0), (0, 8)]}
    assert "1ECRRCE3" == planet.own[2]
    assert [True, False, False, False] == [
        planet.cave(*cell) for cell in [(1, 0), (2, 1), (0, 0), (1, 8)]
    ]
    assert [True, False] == [planet.elevator(2, 6), planet.elevator(6, 2)]
    assert [True, False, True, False, False] == [
        planet.passable(*pos) for pos in [(2, 1, 0), (0, 0, 0), (0, 0, 1), (5, 0, 1), (2, 2, 2)]
    ]


def test_night_and_day(planet):
    """rules/crematoria.md 2.5 with 8 columns: at 2r+4 … 2r+7 is day, two more at each round's end.

    Underground it is never day.
    """
    assert [6, 7, 0, 1] == [j for j in (6, 7, 0, 1, 2, 3, 4, 5) if planet.daylight((0, j, 1))]
    assert not any(planet.daylight((1, j, 0)) for j in range(8))
    assert [0, 0, 0, 0, 1, 1, 0, 0] == [planet.rounds_of_night((0, j, 1)) for j in range(8)]


def test_distance_goes_around_the_edge(planet):
    """rules/crematoria.md 2.1: columns are circular, rows aren't."""
    assert [1, 4, 4, 0] == [
        planet.distance((1, 0, 0), to) for to in [(1, 7, 0), (1, 4, 0), (5, 0, 0), (1, 0, 0)]
    ]


def test_ways_in_crematoria(planet):
    """Around the edge, not past the top; up and down on elevators alone."""
    ways = dict(planet.neighbours((1, 0, 0)))
    assert {0: (2, 0, 0), 1: (2, 1, 0), 2: (1, 1, 0), 6: (1, 7, 0), 7: (2, 7, 0)} == ways
    assert (2, 1, 1) == dict(planet.neighbours((2, 1, 0)))[crematoria.UP]
    assert (2, 1, 0) == dict(planet.neighbours((2, 1, 1)))[crematoria.DOWN]
    assert {0, 1, 2, 6, 7} == set(dict(planet.neighbours((0, 0, 1))))
    assert (-1, 1, 0) == crematoria.DIRECTIONS[crematoria.RT]


def test_one_cell_is_no_list_of_goals(school, planet):
    """`distances(state.voldemort)` is the commonest slip."""
    for state, cell in ((school, (0, 1)), (planet, (1, 2, 0))):
        with pytest.raises(TypeError, match=rf"distances\(\[cell\]\): {cell[0]} is no cell$"):
            state.distances(cell)
        assert {} == state.distances([])


def test_distances_in_crematoria(planet):
    """Also by elevators, unless the level is left out."""
    steps = planet.distances([(1, 2, 0)])
    assert (1, 2, 2) == tuple(steps[pos] for pos in [(2, 1, 0), (2, 1, 1), (3, 1, 0)])
    assert 2 + 3 == steps[2, 4, 1]
    assert all(k == 0 for _, _, k in planet.distances([(1, 2, 0)], levels=(0,)))
    assert 19 - 2 == len(planet.distances([(1, 2, 0)], levels=(0,), blocked={(3, 4, 0), (3, 5, 0)}))
    assert {(1, 2, 0), (1, 1, 0), (2, 1, 0), (2, 2, 0)} == set(
        planet.distances([(1, 2, 0)], within=1)
    )
    assert {} == planet.distances([(-1, 2, 1), (1, 8, 1), (1, 2, 2)]), "outside the board"
