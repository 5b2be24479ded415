"""What the house bots decide: on small maps by hand, and on any map legally and repeatably."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.house_in_process import new_game, play, states_of
from lanista.games.angrymob.house_bots.camper_joe import CamperJoe
from lanista.games.angrymob.house_bots.gravity_goers import GravityGoers, Paths
from lanista.games.angrymob.house_bots.professor_random import ProfessorRandom
from lanista.games.angrymob.house_bots.random_runners import RandomRunners
from lanista.library.game import facts_of
from lanista_client import DIRECTIONS, DOWN, LEFT, RIGHT, UP, AngryMobState

BOTS = [CamperJoe, ProfessorRandom, RandomRunners, GravityGoers]


def state_on(board, *, mine, theirs=None, seed=1):
    """The state of seat 0 on a small map, with units put as wanted.

    The map is like a map file without its first line, but needn't be symmetrical.
    """
    rows = [line.split() for line in board.splitlines()]
    places = {word: (i, j) for i, row in enumerate(rows) for j, word in enumerate(row)}
    start = ["game angrymob\nseat 0\nplayer 0 A\nplayer 1 B\nclock 20 0.2"]
    start += [f"seed {seed}\nsize {len(rows)} {len(rows[0])}"]
    start += [f"base {seat} {i} {j}" for seat, (i, j) in enumerate([places["A"], places["B"]])]
    start += [f"row {i} {' '.join(row)}" for i, row in enumerate(rows)]
    state = AngryMobState("match", facts_of("\n".join(start).encode()))
    put(state, mine=mine, theirs=theirs)
    return state


def put(state, *, mine, theirs=None, turn=0):
    """Another turn of that match."""
    lines = [f"unit {i} {j} {state.seat} {n}\n" for (i, j), n in mine.items()]
    lines += [f"unit {i} {j} {1 - state.seat} {n}\n" for (i, j), n in (theirs or {}).items()]
    state.update(turn, facts_of("".join(lines).encode()))


def assert_legal(state, moves):
    """rules/angrymob.md 4."""
    left = dict(state.mine)
    for i, j, k, d in moves:
        assert k >= 1
        assert d in range(4)
        left[i, j] -= k
        assert left[i, j] >= 0
        assert state.passable(i + DIRECTIONS[d][0], j + DIRECTIONS[d][1])


OPEN = ". . . . . . .\nA . . . . . B\n. . . . . . .\n"
CORRIDOR = "A . . . . . . . B\n"
# -- CamperJoe, ProfessorRandom, RandomRunners ---------------------------------------------------


def test_camper_joe_never_moves():
    state = state_on(OPEN, mine={(1, 0): 1}, theirs={(1, 1): 5})
    assert [] == CamperJoe(state).moves(state)


def test_professor_random_lets_each_unit_go_or_stay_alike():
    """1000 units on an open cell, five choices: each within 200 ± 5 standard deviations (12.6)."""
    state = state_on(OPEN, mine={(1, 3): 1000}, seed=7)
    moves = ProfessorRandom(state).moves(state)
    assert [RIGHT, UP, LEFT, DOWN] == [d for *_, d in moves]
    counts = [k for _, _, k, _ in moves]
    counts.append(1000 - sum(counts))
    assert max(abs(count - 200) for count in counts) < 63


def test_professor_random_in_a_corner_has_two_ways():
    state = state_on(OPEN, mine={(0, 0): 300}, seed=7)
    assert {RIGHT, DOWN} == {d for *_, d in ProfessorRandom(state).moves(state)}


def test_a_runner_keeps_its_direction_until_the_way_ends():
    """In a corridor from the left end: right to its right end, then back."""
    state = state_on(". A . . . . . B .\n", mine={(0, 0): 1})
    runner, col, went = RandomRunners(state), 0, []
    for turn in range(24):
        put(state, mine={(0, col): 1}, turn=turn)
        ((*place, direction),) = runner.moves(state)
        assert [0, col, 1] == place
        went.append(direction)
        col += 1 if direction == RIGHT else -1
    assert [RIGHT] * 8 + [LEFT] * 8 + [RIGHT] * 8 == went


# -- GravityGoers --------------------------------------------------------------------------------


def test_a_fork_with_other_habits_chooses_its_goals_anew():
    """The bot itself sends scouts to both rich cells; with a single goal, to the nearest one."""
    board = ". 20 . . . . . . .\n. . . . . . . . B\n. . . . . . . . .\n"
    board += "A . . . . . . . .\n. . . . . . . 20 .\n"
    state = state_on(board, mine={(3, 0): 8}, theirs={(1, 8): 9})
    goers = GravityGoers(state)
    goers.moves(state)
    same, other = (goers.fork(random.Random(1), **habits) for habits in ({}, {"goals": 1}))
    number = goers.paths.number
    before = [path[-1] for path in goers._scouting]
    assert before == [path[-1] for path in same._scouting]
    assert [] == other._scouting
    other.moves(state)
    assert [number((0, 1))] == [path[-1] for path in other._scouting]
    assert (12, 1) == (goers.goals, other.goals)
    assert {number((0, 1)), number((4, 7))} == set(before)


def test_without_units_there_are_no_moves():
    """rules/angrymob.md 3: the match may go on."""
    state = state_on(OPEN, mine={}, theirs={(1, 3): 2})
    for bot in BOTS:
        assert [] == bot(state).moves(state)


# -- Paths ---------------------------------------------------------------------------------------


def test_nearest_goals_do_not_lie_behind_each_other():
    state = state_on(CORRIDOR, mine={})
    paths = Paths(state)
    assert [[4, 5], [4, 3, 2]] == paths.nearest(4, {1, 2, 5, 7}, most=9, within=99)
    assert [[4, 5]] == paths.nearest(4, {1, 2, 5, 7}, most=1, within=99)
    assert [] == paths.nearest(4, {0, 8}, most=9, within=3)


# -- any map -------------------------------------------------------------------------------------


@st.composite
def states(draw):
    """Any map of the generator, with units anywhere on it, as either seat."""
    state = states_of(new_game(seed=draw(st.integers(0, 40))), seeds=(5, 6))[
        draw(st.integers(0, 1))
    ]
    chance = random.Random(draw(st.integers(0, 2**32)))
    cells = [(i, j) for i in range(state.rows) for j in range(state.cols) if state.passable(i, j)]
    chance.shuffle(cells)
    stacks = st.integers(1, 12)
    most = draw(st.sampled_from([1, 2, 30]))
    mine = {cells.pop(): chance.randint(1, most) for _ in range(draw(stacks))}
    theirs = {cells.pop(): chance.randint(1, 30) for _ in range(draw(stacks))}
    return state, mine, theirs


@pytest.mark.parametrize("bot", BOTS)
@given(drawn=states())
def test_all_moves_are_legal_on_any_position(bot, drawn):
    """Also when units come and go between turns as no rule would let them."""
    state, mine, theirs = drawn
    put(state, mine=mine, theirs=theirs)
    player = bot(state)
    assert_legal(state, player.moves(state))
    put(state, mine=theirs, theirs=mine, turn=1)
    assert_legal(state, player.moves(state))
    put(state, mine=mine, theirs={}, turn=2)
    moves = player.moves(state)
    assert_legal(state, moves)
    again = bot(state)
    put(state, mine=mine, theirs=theirs)
    first = again.moves(state)
    state.mine = dict(reversed(state.mine.items()))  # no order of lines is relied on
    state.theirs = dict(reversed(state.theirs.items()))
    state.neutral = dict(reversed(state.neutral.items()))
    assert first == bot(state).moves(state)


@pytest.mark.parametrize("bot", BOTS)
def test_the_same_seed_and_opponent_give_the_same_match(bot):
    """And another seed another one, for those with chance in them."""

    def moves(seeds):
        record = []
        play(new_game(seed=3, move_limit=120), [bot, RandomRunners], seeds=seeds, record=record)
        return [mine for mine, _ in record]

    assert moves((8, 9)) == moves((8, 9))
    assert (moves((8, 9)) == moves((7, 9))) == (bot is CamperJoe)


def wins(bot, seat, seed):
    """Whether GravityGoers in this seat beat a bot on the map of a seed."""
    bots = [GravityGoers, bot] if seat == 0 else [bot, GravityGoers]
    ranks = play(new_game(seed=seed), bots, seeds=(seed, seed + 1)).ranks
    return ranks[seat] < ranks[1 - seat]


@pytest.mark.parametrize("bot", [CamperJoe, ProfessorRandom, RandomRunners])
@pytest.mark.parametrize("seat", [0, 1])
def test_gravity_goers_beat_the_others_on_most_maps(bot, seat):
    """Five maps a seat, at least four won: a broken bot is noticed without `make strength`."""
    assert sum(wins(bot, seat, seed) for seed in range(5)) >= 4
