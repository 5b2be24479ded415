"""Play Angry Mob by a short search: lanista play angrymob "python3 search_bot.py" GravityGoers

Each turn the bot tries several plans in Lanista's own rules (`state.to_game()`): for each it plays
whole futures against a model of the opponent, the house bot GravityGoers, and it carries out the
plan that ends best. GravityGoers also does the work within the plans.
"""

import itertools
import math
import os
import random
import sys
import time

from lanista import Game
from lanista.games.angrymob.house_bots.gravity_goers import RECRUIT_LIMIT, GravityGoers
from lanista_client import AngryMobState, Arena

SECONDS = 0.15  # of the 0.2 that a turn may take
HORIZON = 150  # the most turns of a rollout
EXPLORE = 0.3  # how much a plan counts that has been tried less often than others
MARGIN = 0.03  # by how much another plan must be better than the present one
HABITS = 12  # ways of recruiting that are tried in a turn


class Plan:
    """All units go straight to a goal for some turns; after that GravityGoers goes on."""

    def __init__(
        self, bot: GravityGoers, goal: int = 0, turns: int = 0, *, half: bool = False
    ) -> None:
        self.bot, self.goal, self.turns = bot, goal, turns
        self.half = half  # whether half of each stack starts a turn later

    def fork(self, luck: random.Random) -> "Plan":
        """Return a plan that goes on independently."""
        return Plan(self.bot.fork(luck), self.goal, self.turns, half=self.half)

    def moves(self, mine: dict, theirs: dict, neutral: dict) -> list:
        """Return the submoves of a turn; units are by the number of their cell."""
        if self.turns <= 0:
            return self.bot.decide(mine, theirs, neutral)
        paths, moves = self.bot.paths, []
        steps = paths.distances(self.goal)
        for cell, n in mine.items():
            nearer = [d for d, to in paths.neighbours[cell] if steps[to] < steps[cell]]
            moves += [(*paths.cell(cell), n - n // 2 if self.half else n, d) for d in nearer[:1]]
        self.turns, self.half = self.turns - 1, False
        return moves


class SearchBot:
    """A bot that compares plans by rollouts; an object of it plays one match.

    With `rollouts`, each turn has that many, whatever time they take, so that matches can be
    repeated. Otherwise a turn takes `seconds`.
    """

    def __init__(
        self, state: AngryMobState, *, rollouts: int | None = None, seconds: float = SECONDS
    ) -> None:
        self._rollouts, self._seconds = rollouts, seconds
        self._seat, self._pick = state.seat, random.Random(state.seed)
        self._mine = Plan(GravityGoers(state))
        self._theirs = GravityGoers(_other_side(state))

    def moves(self, state: AngryMobState) -> list:
        """Return the submoves of a turn."""
        end = time.perf_counter() + self._seconds if self._rollouts is None else math.inf
        number = self._mine.bot.paths.number
        mine, theirs, neutral = (
            {number(place): n for place, n in units.items()}
            for units in (state.mine, state.theirs, state.neutral)
        )
        plans = [self._mine, *self._other_plans(state, mine, theirs, neutral)]
        game = state.to_game(seed=0)
        values: list[list[float]] = [[] for _ in plans]
        for tries in itertools.count() if self._rollouts is None else range(self._rollouts):
            index = max(range(len(plans)), key=lambda i: _promise(values[i], tries))
            luck = random.Random(len(values[index]))  # the same for each plan
            future = game.copy(), plans[index].fork(luck), self._theirs.fork(luck), neutral.copy()
            value = self._rollout(*future, end)
            if value is None:
                break
            values[index].append(value)
        means = [sum(each) / len(each) if each else -math.inf for each in values]
        best = max(range(len(plans)), key=means.__getitem__)
        if means[best] > means[0] + MARGIN:
            self._mine = plans[best]
        self._theirs.decide(theirs, mine, neutral)  # to remember the opponent's plans
        return self._mine.moves(mine, theirs, neutral)

    def _other_plans(
        self, state: AngryMobState, mine: dict, theirs: dict, neutral: dict
    ) -> list[Plan]:
        """Return what could be done instead of the present plan, in random order."""
        bot, pick = self._mine.bot, self._pick
        goals = [bot.paths.number(state.enemy_base), bot.paths.number(state.base)]
        goals += [max(units, key=units.get) for units in (theirs, mine) if units]
        plans = [
            Plan(bot.fork(pick), goal, turns, half=half)
            for goal in dict.fromkeys(goals)
            for turns in (6, 30)
            for half in (False, True)
        ]
        if self._mine.turns:
            plans.append(Plan(bot.fork(pick)))
        if neutral and sum(mine.values()) <= RECRUIT_LIMIT:
            for _ in range(HABITS):
                habits = {
                    "scouts": pick.choice((3, 5, 6, 7, 8)),
                    "reach": pick.choice((1, 3, 10, 30)),
                    "goals": pick.choice((12, 60)),
                }
                plans.append(Plan(bot.fork(pick, **habits)))
        pick.shuffle(plans)
        return plans

    def _rollout(
        self, game: Game, plan: Plan, model: GravityGoers, neutral: dict, end: float
    ) -> float | None:
        """Return how a future goes: 1 for a win, -1 for a loss, between them the lead in units.

        None: it wasn't finished at the time `end`.
        """
        units = game.rules.units  # by seat, kept up to date by the rules
        seat = self._seat
        mine, theirs = units[seat], units[1 - seat]
        for turn in range(HORIZON):
            if time.perf_counter() > end:
                return None
            answers = [[], []]
            answers[seat] = plan.moves(mine, theirs, neutral)
            answers[1 - seat] = model.decide(theirs, mine, neutral)
            game.step(answers)
            if game.over:
                ranks = game.outcome.ranks
                return (ranks[1 - seat] - ranks[seat]) * (1 - 0.001 * turn)
            for cell in neutral.keys() & (mine.keys() | theirs.keys()):
                if not game.rules.neutral[cell]:
                    del neutral[cell]
        ours, others = game.scores[seat], game.scores[1 - seat]
        return 0.8 * (ours - others) / (ours + others)


def _promise(values: list[float], rollouts: int) -> float:
    """Return what a plan may be worth at best (the formula UCB1)."""
    if not values:
        return math.inf
    return sum(values) / len(values) + EXPLORE * math.sqrt(math.log(rollouts) / len(values))


def _other_side(state: AngryMobState) -> AngryMobState:
    """Return the state as the opponent sees it, as far as GravityGoers reads it."""
    other = state.copy()
    other.base, other.enemy_base = state.enemy_base, state.base
    return other


def main(rollouts: int | None = None) -> None:
    """Play one match, or with LANISTA_KEEP=1 one after another."""
    keep = os.environ.get("LANISTA_KEEP") == "1"
    with Arena(os.environ.get("LANISTA_NAME", "Search"), game="angrymob", keep=keep) as arena:
        playing = bot = None
        for state in arena:
            if state is not playing:
                playing, bot = state, SearchBot(state, rollouts=rollouts)
            arena.send(bot.moves(state))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
