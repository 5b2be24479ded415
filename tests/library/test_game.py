"""The rules as a library: what `docs/python_rules.md` promises of every game."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lanista
import lanista_maps
from lanista.games import registry
from lanista.games.base import BadSettingError, start_game
from lanista.games.chance import OriginalChance
from lanista.games.hogwarts.generator import draw_ingredients
from lanista.games.hogwarts.orders import solution
from lanista.library.game import BadAnswerError, GameOverError, UnsupportedError, facts_of
from support.tinygame import RULESET as TINY

GAMES = {  # boards of these seeds are generated quickly
    "angrymob": {"seed": 5},
    "hogwarts": {"seed": 19},
    "crematoria": {"seed": 3},
}
_started = {}


def new(name):
    """A game at turn 0; its board is generated once for all tests."""
    if name not in _started:
        _started[name] = lanista.new_game(name, **GAMES[name])
    return _started[name].copy()


def answers(game, pick):
    """A random legal answer of each seat."""
    return [
        [pick.choice(ways) for ways in game.legal(seat).values() if ways and pick.random() < 0.9]
        for seat in range(game.seats)
    ]


def played(name, seed, turns):
    """A game after some turns of random legal answers, at its end at the latest."""
    game, pick = new(name), random.Random(seed)
    for _ in range(turns):
        if game.over:
            break
        game.step(answers(game, pick))
    return game, pick


def aligned(restored, game):
    """Give a restored game the draws of the true one, which no bot is told."""
    for true, other in (
        (game.rules, restored.rules),
        (getattr(game.rules, "state", None), getattr(restored.rules, "state", None)),
    ):
        if hasattr(true, "chance"):
            other.chance.state = true.chance.state
    return restored


EVERY = pytest.mark.parametrize("name", GAMES)
SEEDS = st.integers(0, 2**20)
TURNS = st.integers(0, 40)


@EVERY
@given(seed=SEEDS, turns=TURNS)
def test_legal_orders_are_never_refused(name, seed, turns):
    game, pick = played(name, seed, turns)
    if game.over:
        return
    chosen = answers(game, pick)
    for seat, moves in enumerate(chosen):
        assert () == game.explain(seat, moves)
    assert ((),) * game.seats == game.step(chosen)


@EVERY
def test_every_single_legal_submove_is_taken(name):
    game, _ = played(name, 1, 12)
    for seat in range(game.seats):
        listed = [move for ways in game.legal(seat).values() for move in ways]
        assert listed
        for move in listed:
            assert () == game.explain(seat, [move])


def every_submove(game, seat):
    """Submoves of all kinds but spells, of all units or places, mostly not legal ones."""
    if game.name != "angrymob":
        letter = ("m",) if game.name == "hogwarts" else ()
        units = {unit for other in range(4) for unit in game.legal(other)}
        return {(*letter, unit, way) for unit in (-1, *units, 9999) for way in range(-1, 11)}
    rows, cols = game.rules.board.rows, game.rules.board.cols
    edges = {(-1, 0), (0, -1), (rows, 0), (0, cols), (0, 0), (rows - 1, cols - 1)}
    places = edges.union(*(game.legal(other) for other in range(2)))
    counts = {-1, 0, 1, 2, *game.scores, 1 + game.scores[seat]}
    return {(*place, n, way) for place in places for n in counts for way in range(-1, 5)}


@EVERY
@given(seed=SEEDS, turns=TURNS)
def test_what_legal_leaves_out_is_refused_or_has_no_effect(name, seed, turns):
    game, pick = played(name, seed, turns)
    seat = seed % game.seats
    if game.over:
        return
    listed = {move for ways in game.legal(seat).values() for move in ways}
    unlisted = sorted(every_submove(game, seat) - listed)
    for move in pick.sample(unlisted, min(60, len(unlisted))):
        if not game.explain(seat, [move]):
            future, idle = game.copy(), game.copy()
            future.step([[move] if other == seat else [] for other in range(game.seats)])
            idle.step([[]] * game.seats)
            unit = move[-2]
            assert unit in future.rules.frame().idle or idle.digest() == future.digest()


def test_a_spell_is_listed_when_and_only_when_it_can_be_cast():
    """rules/hogwarts.md 9.2: not in the first 60 rounds, by resting ghosts, or in the last 50."""
    game, cast = new("hogwarts"), set()
    while not game.over:
        answers = []
        for seat in range(game.seats):
            ghost = next(unit for unit in game.legal(seat) if unit < 4)
            spell = ("s", ghost, *solution(game.rules.ingredients))
            alone = game.copy()
            alone.step([[spell] if other == seat else [] for other in range(game.seats)])
            listed = [move for move in game.legal(seat)[ghost] if move[0] == "s"]
            assert listed == ([] if ghost in alone.rules.frame().idle else [spell])
            answers.append(listed)
            cast |= {game.turn} if listed else set()
        game.step(answers)
    assert min(cast) == 60
    assert max(cast) <= 149


@given(seed=SEEDS)
def test_every_spell_is_solved(seed):
    """And what is changed in the solution is refused, or is another solution."""
    pick = random.Random(seed)
    game = new("hogwarts").copy()
    game.rules.ingredients = ingredients = draw_ingredients(OriginalChance(seed))
    groups = solution(ingredients)
    assert () == game.explain(0, [("s", 0, *groups)])
    mixed = pick.sample(groups, len(groups))
    sums = [0] * 5
    for group, value in zip(mixed, ingredients, strict=True):
        sums[group] += value
    assert (len(set(sums)) == 1) == (game.explain(0, [("s", 0, *mixed)]) == ())


def test_ingredients_without_a_solution_are_told():
    assert solution((1,) * 14 + (3,)) is None
    assert solution((1,) * 10 + (7,) * 5) == (0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 1, 2, 3, 4)
    assert solution((2,) * 14 + (7,)) is None


@EVERY
@given(seed=SEEDS, turns=TURNS)
def test_a_copy_leaves_the_original_and_goes_the_same_way_by_the_same_answers(name, seed, turns):
    """Its draws to come are the same, too."""
    game, pick = played(name, seed, turns)
    before, facts = game.digest(), game.rules.facts(0)
    copy, steps = game.copy(), []
    assert before == copy.digest()
    while len(steps) < 3 and not copy.over:
        chosen = answers(copy, pick)
        copy.step(chosen)
        steps.append((chosen, copy.digest()))
    assert before == game.digest()
    assert facts == game.rules.facts(0)
    for chosen, digest in steps:
        game.step(chosen)
        assert digest == game.digest()


def known(game, seat):
    """What a seat is told of a position."""
    state = game.state(seat)
    return state.turn, state.whole_facts()


@EVERY
@given(seed=SEEDS, turns=TURNS)
def test_a_game_from_a_state_is_the_true_game_but_for_its_chance(name, seed, turns):
    """Given the true game's generator, it goes the same way for as long as one looks.

    In Angry Mob, which has no chance after the map, it has the true game's digest, too.
    """
    game, pick = played(name, seed, turns)
    if game.over:
        return
    seat = seed % game.seats
    restored = aligned(game.state(seat).to_game(seed=7), game)
    assert known(game, seat) == known(restored, seat)
    assert game.scores == restored.scores
    for _ in range(4):
        if game.over:
            break
        chosen = answers(game, pick)
        game.step(chosen)
        restored.step(chosen)
        assert known(game, seat) == known(restored, seat)
        assert game.outcome == restored.outcome
        assert name != "angrymob" or game.digest() == restored.digest()


@pytest.mark.parametrize("name", ["hogwarts", "crematoria"])
def test_hidden_chance_is_drawn_anew(name):
    """By a seed the same future, without one another."""
    game, _ = played(name, 2, 5)
    state = game.state(0)
    futures = []
    for seed in (1, 1, 2, None):
        future = state.to_game(seed=seed)
        for _ in range(12):
            future.step([[]] * 4)
        futures.append(known(future, 0))
    assert futures[0] == futures[1]
    assert futures[0] != futures[2]
    assert futures[3] not in (futures[0], futures[2])


def test_a_state_that_was_kept_current_gives_the_same_game_as_a_new_one():
    """Over the wire a bot is told of recruited cells only once."""
    game, pick = played("angrymob", 3, 0)
    state = game.state(0)
    for _ in range(30):
        game.step(answers(game, pick))
        state.update(game.turn, facts_of(game.rules.facts(0)))
    assert game.state(0).neutral == state.neutral
    assert game.digest() == state.to_game().digest()


def test_a_copied_state_stays():
    """`State.copy`: what the original learns later doesn't change it."""
    game, pick = played("angrymob", 3, 0)
    state = game.state(0)
    kept = state.copy()
    before = kept.neutral.copy(), kept.turn
    game.step(answers(game, pick))
    state.update(game.turn, {"neutral": [[*map(str, cell), "0"] for cell in state.neutral]})
    assert {} == state.neutral
    assert before == (kept.neutral, kept.turn)


def test_a_game_runs_to_its_end_and_no_further():
    game = lanista.new_game("hogwarts", seed=19, settings={"NUM_ROUNDS": 2})
    while not game.over:
        game.step([[], None, [("m", 0, 9)], []])
    assert (2, "rounds") == (game.turn, game.outcome.reason)
    with pytest.raises(GameOverError, match="no turn follows"):
        game.step([[]] * 4)


def test_no_answer_has_the_rules_consequence():
    """rules/angrymob.md 3: a forfeit."""
    game = new("angrymob")
    game.step([[], None])
    assert (1, 2) == game.outcome.ranks


def test_what_is_refused_is_told_and_has_the_rules_consequence():
    game = new("hogwarts")
    wizard = next(unit for unit in game.legal(0) if unit >= 4)
    moves = [("m", wizard, 0), ("m", wizard, 2), ("m", 999, 0)]
    assert [1, 2] == [refusal.index for refusal in game.explain(0, moves)]
    assert ((1, 2), (), (), ()) == game.step([moves, [], [], []])


@pytest.mark.parametrize(
    ("name", "moves", "words"),
    [
        ("angrymob", [(1, 2, 1)], "seat 1: submove 0: 3 numbers"),
        ("angrymob", [("m", 1, 2, 1)], "seat 1: .*`m` where a number belongs"),
        ("angrymob", [(1, 2.5, 1, 0)], "seat 1: 2.5 in a submove; it takes integers"),
        ("angrymob", [1, 2, 1, 0], "seat 1: an answer is a list of tuples"),
        ("hogwarts", [("mm", 1, 2)], "seat 1: 'mm' in a submove"),
        ("crematoria", [(1, 2)] * 1001, "seat 1: .*1001 submoves; a turn takes at most 1000"),
    ],
)
def test_an_answer_that_is_none_is_told(name, moves, words):
    """The game doesn't change by it."""
    game = new(name)
    before = game.digest()
    with pytest.raises(BadAnswerError, match=words.replace("submove 0: ", "(submove 0: )?")):
        game.step([[], moves] + [[]] * (game.seats - 2))
    assert before == game.digest()


def test_bad_arguments_are_told():
    with pytest.raises(registry.UnknownGameError, match="unknown game 'chess'; known games"):
        lanista.new_game("chess")
    with pytest.raises(
        lanista.BadInputError, match="seed -1; a seed of hogwarts is from 0 to 2147483647"
    ):
        lanista.new_game("hogwarts", seed=-1)
    with pytest.raises(BadSettingError, match="has no setting 'rounds'"):
        lanista.new_game("hogwarts", settings={"rounds": 3})
    game = new("angrymob")
    with pytest.raises(lanista.BadInputError, match="seat 2; expected a whole number from 0 to 1"):
        game.legal(2)
    with pytest.raises(BadAnswerError, match="3 answers; Angry Mob takes 2"):
        game.step([[], [], []])
    state = game.state(0)
    state.facts = {"unit": [["99", "0", "0", "1"]]}
    with pytest.raises(lanista.BadInputError, match=r"\(99, 0\) lies outside the board"):
        state.to_game()


def test_a_map_is_a_path_or_a_text_or_the_name_of_one_that_is_shipped(tmp_path, monkeypatch):
    """All give the same game; and a configuration of an original game gives its settings, too."""
    monkeypatch.chdir(tmp_path)
    pit = lanista_maps.read("angrymob", "pit")
    Path("two.map").write_text(pit)
    given = ["pit", "pit.map", pit, Path("two.map"), "two.map", f"{tmp_path}/two.map"]
    games = [lanista.new_game("angrymob", map=map_) for map_ in given]
    assert 1 == len({game.digest() for game in games})
    cnf = lanista_maps.read("crematoria", "default").replace("_furyans             5", "_furyans 2")
    rules = lanista.new_game("crematoria", map=cnf, seed=1, settings={"nb_rounds": 3}).rules
    assert (2, 3) == (rules.settings["nb_furyans"], rules.settings["nb_rounds"])


def test_a_map_of_two_cells_is_played():
    game = lanista.new_game("angrymob", map="2 3\n. A .\n. B .\n")
    assert {(0, 1): [(0, 1, 1, 0), (0, 1, 1, 2), (0, 1, 1, 3)]} == game.legal(0)
    game.step([[(0, 1, 1, 3)], []])
    assert "no-units" == game.outcome.reason


def test_a_ruleset_without_more_than_the_interface_is_played_and_copied():
    """`games.search` is optional; what is missing is told."""
    options = {setting.name: setting.default for setting in TINY.settings}
    game = lanista.Game(TINY, start_game(TINY, options, 1), 1, options)
    copy = game.copy()
    for other in (game, copy):
        other.step([[]] * TINY.seats)
    assert game.digest() == copy.digest()
    with pytest.raises(UnsupportedError, match="doesn't list its submoves"):
        game.legal(0)


def test_the_client_without_the_arena_names_what_to_install(tmp_path):
    """It is copied beside a bot, and Lanista isn't installed."""
    source = registry.__file__.split("server")[0] + "clients/python"
    program = (
        f"import sys; sys.path[:] = [{source!r}] + [p for p in sys.path if 'lanista' not in p and "
        "'site-packages' not in p]; from lanista_client import AngryMobState; "
        "AngryMobState.__new__(AngryMobState).to_game()"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: state.to_game() needs the rules"), done.stderr
    assert last.endswith("pip install lanista")
