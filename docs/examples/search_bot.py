"""Play Angry Mob by a short search: lanista play angrymob "python3 search_bot.py" GravityGoers

Each turn the bot tries several plans in Lanista's own rules (`state.to_game()`). The house bot
GravityGoers plays on after each plan, and is the model of the opponent as well.
"""

import itertools
import math
import os
import random
import sys
import time

from lanista.game import Game
from lanista.house.gravity_goers import GravityGoers
from lanista_client import AngryMobState, Arena

SECONDS = 0.15  # of the 0.2 that a turn may take
HORIZON = 30  # turns of a rollout
LEAD = 6  # turns for which a plan decides before GravityGoers goes on
KEPT = 200  # goals whose distances are remembered
MARGIN = 0.03  # by how much another plan must be better than to go on as before


class Sight:
    """The part of a state that GravityGoers looks at; quicker to make than the state of a game."""

    def __init__(self, mine: dict, theirs: dict, neutral: dict) -> None:
        self.mine, self.theirs, self.neutral = mine, theirs, neutral


class Map:
    """The ways on a map, with distances in steps."""

    def __init__(self, state: AngryMobState) -> None:
        cells = [(i, j) for i in range(state.rows) for j in range(state.cols)]
        self.ways = {cell: state.neighbours(*cell) for cell in cells if state.passable(*cell)}
        self._distances: dict[tuple, dict] = {}

    def distances(self, goal: tuple) -> dict:
        """Return by cell how many steps it is from the goal."""
        if goal not in self._distances:
            if len(self._distances) >= KEPT:
                self._distances.clear()
            steps, queue = {goal: 0}, [goal]
            for cell in queue:  # which grows in the loop
                for _, other in self.ways[cell]:
                    if other not in steps:
                        steps[other] = steps[cell] + 1
                        queue.append(other)
            self._distances[goal] = steps
        return self._distances[goal]


class Plan:
    """All units go to a goal for some turns, or stay; then GravityGoers goes on."""

    def __init__(
        self, base: GravityGoers, ground: Map, goal: tuple | None = None, turns: int = 0
    ) -> None:
        self.base, self._ground, self.goal, self.turns = base, ground, goal, turns

    def fork(self, pick: random.Random) -> "Plan":
        """Return a plan that goes on independently."""
        return Plan(self.base.fork(pick), self._ground, self.goal, self.turns)

    def moves(self, sight: Sight) -> list:
        """Return the submoves of a turn."""
        if self.turns <= 0:
            return self.base.moves(sight)
        self.turns -= 1
        if self.goal is None:
            return []
        steps, moves = self._ground.distances(self.goal), []
        for cell, n in sight.mine.items():
            nearer = [d for d, to in self._ground.ways[cell] if steps[to] < steps[cell]]
            moves += [(*cell, n, d) for d in nearer[:1]]
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
        self._pick = random.Random(state.seed)
        self._ground = Map(state)
        self._mine = Plan(GravityGoers(state), self._ground)
        self._theirs = GravityGoers(_other_side(state))

    def moves(self, state: AngryMobState) -> list:
        """Return the submoves of a turn."""
        end = time.perf_counter() + self._seconds if self._rollouts is None else math.inf
        game, plans = state.to_game(seed=0), self._plans(state)
        model = self._theirs.fork(self._pick)
        values: list[list[float]] = [[] for _ in plans]
        for number in itertools.count() if self._rollouts is None else range(self._rollouts):
            tries, index = divmod(number, len(plans))
            luck = random.Random(tries)  # the same for each plan
            value = self._rollout(
                state, game.copy(), plans[index].fork(luck), model.fork(luck), end
            )
            if value is None:
                break
            values[index].append(value)
        rounds = max(1, len(values[-1]))  # plans are compared by the same number of rollouts
        means = [sum(each[:rounds]) / rounds if each else -math.inf for each in values]
        best = max(range(len(plans)), key=means.__getitem__)
        if means[best] > means[0] + MARGIN:
            self._mine = plans[best]
        self._theirs.moves(Sight(state.theirs, state.mine, state.neutral))  # to remember its plans
        return self._mine.moves(Sight(state.mine, state.theirs, state.neutral))

    def _plans(self, state: AngryMobState) -> list[Plan]:
        """Return what could be done from here on, the present plan first."""
        goals = [None, state.enemy_base, state.base]
        goals += [max(units, key=units.get) for units in (state.theirs, state.mine) if units]
        base = self._mine.base
        others = [(goal, LEAD) for goal in dict.fromkeys(goals)]
        if self._mine.turns:
            others.insert(0, (None, 0))  # GravityGoers at once
        return [
            self._mine,
            *(Plan(base.fork(self._pick), self._ground, *other) for other in others),
        ]

    def _rollout(
        self, state: AngryMobState, game: Game, plan: Plan, model: GravityGoers, end: float
    ) -> float | None:
        """Return how a future goes: 1 for a win, -1 for a loss, between them the lead in units.

        None: it wasn't finished at the time `end`.
        """
        seat, neutral = state.seat, state.neutral.copy()
        rules, cols = game.rules, game.rules.board.cols
        for turn in range(HORIZON):
            if time.perf_counter() > end:
                return None
            mine, theirs = (
                {divmod(cell, cols): n for cell, n in rules.units[who].items()}
                for who in (seat, 1 - seat)
            )
            answers = [[], []]
            answers[seat] = plan.moves(Sight(mine, theirs, neutral))
            answers[1 - seat] = model.moves(Sight(theirs, mine, neutral))
            game.step(answers)
            if game.over:
                ranks = game.outcome.ranks
                return (ranks[1 - seat] - ranks[seat]) * (1 - 0.001 * turn)
            for units in rules.units:
                for cell in units:
                    if not rules.neutral[cell]:
                        neutral.pop(divmod(cell, cols), None)
        ours, others = game.scores[seat], game.scores[1 - seat]
        return 0.8 * (ours - others) / (ours + others)


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
