"""docs/examples/search_bot.py looks ahead by the rules, within its time or number of rollouts."""

import math
import runpy
import types

import pytest

import lanista
from docs.pages import DOCS
from lanista.games.angrymob.house_bots.gravity_goers import GravityGoers

MAP = "5 6\n. 2 . . . .\n. A . # . 2\n. . 3 3 . .\n2 . # . B .\n. . . . 2 .\n"


@pytest.fixture
def example():
    return runpy.run_path(str(DOCS / "examples" / "search_bot.py"))


def match(example, seat, rollouts, game):
    """Play against GravityGoers in one process; return the answers of the search and the game."""
    bots, answers = {}, []
    while not game.over:
        both = []
        for other in range(2):
            state = game.state(other)
            if other not in bots:
                searching = other == seat
                make = example["SearchBot"]
                bots[other] = make(state, rollouts=rollouts) if searching else GravityGoers(state)
            both.append(bots[other].moves(state))
        answers.append(both[seat])
        assert () == game.explain(seat, both[seat])
        game.step(both)
    return answers, game


@pytest.mark.parametrize("seat", [0, 1])
def test_a_number_of_rollouts_plays_the_same_match_again(example, seat):
    """And never gives an answer that the rules refuse."""
    start = lanista.new_game("angrymob", seed=1, map=MAP, settings={"move_limit": 12})
    first = match(example, seat, 7, start.copy())
    again = match(example, seat, 7, start.copy())
    assert first[0] == again[0]
    assert first[1].digest() == again[1].digest()
    assert any(first[0])


def test_a_rollout_says_who_wins(example):
    """Next to the enemy base, a plan that goes there wins sooner than one that goes home first."""
    game = lanista.new_game("angrymob", seed=1, map=MAP)
    rules = game.rules
    rules.turn, rules.moved = 5, ((), ())
    rules.units = {21: 9}, {29: 2}  # next to the base in cell 22
    state = game.state(0)
    bot = example["SearchBot"](state, rollouts=60)
    plans = {
        (plan.goal, plan.turns, plan.half): plan
        for plan in bot._other_plans(state, {21: 9}, {29: 2}, {})
    }
    go, home = (
        bot._rollout(game.copy(), plans[goal, 6, False], bot._theirs, {}, math.inf)
        for goal in (22, 7)
    )
    assert 1 == go
    assert home < go
    assert [(3, 3, 9, 0)] == bot.moves(state)


def test_the_plan_with_the_best_rollouts_is_carried_out(example, monkeypatch):
    """And is kept while none is better by the margin."""
    state = lanista.new_game("angrymob", seed=1, map=MAP).state(0)
    bot = example["SearchBot"](state, rollouts=60)

    def rollout(self, game, plan, model, neutral, end):
        return 1.0 if plan.turns == 30 and plan.goal == 22 else 0.0

    monkeypatch.setattr(example["SearchBot"], "_rollout", rollout)
    assert bot.moves(state) in ([(1, 1, 1, 0)], [(1, 1, 1, 3)])  # both are nearer to (3, 4)
    assert (22, 29) == (bot._mine.goal, bot._mine.turns)
    kept = bot._mine
    monkeypatch.setattr(example["SearchBot"], "_rollout", lambda *_: 0.5)
    bot.moves(state)
    assert kept is bot._mine


@pytest.mark.parametrize("tick", [0.001, 1.0])
def test_a_turn_ends_when_its_time_is_over(example, monkeypatch, tick):
    """Even within a rollout; a bot that has no time at all plays as GravityGoers does."""
    now = [0.0]

    def clock():
        now[0] += tick
        return now[0]

    function = example["SearchBot"]._rollout
    monkeypatch.setitem(function.__globals__, "time", types.SimpleNamespace(perf_counter=clock))
    state = lanista.new_game("angrymob", seed=1, map=MAP).state(0)
    bot = example["SearchBot"](state)
    moves = bot.moves(state)
    assert 0.15 < now[0] <= 0.15 + 2 * tick + 1e-9
    if tick > 0.15:
        assert GravityGoers(state).moves(state) == moves
