"""Learn Angry Mob by the cross-entropy method: python3 cross_entropy.py [SEED [GENERATIONS]]

A linear policy learns on one small map against random moves, in two processes. Then it plays
matches over TCP against RandomRunners, which it has never met.
"""

import contextlib
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import lanista
from lanista_client import AngryMobState

MAP = """8 9
. 1 . . . # . 1 .
. A . 2 . . . . 1
1 . # . . 3 # . .
. 2 # . 1 . . . .
. . . . 1 . # 2 .
. . # 3 . . # . 1
1 . . . . 2 . B .
. 1 . # . . . 1 .
"""
SIZE = 8, 9
CYCLES = 60  # turns of a game in training; whoever takes longer gets no reward for winning
FEW = 8  # with more units than that a player can't recruit
FADING = 0.8  # by how much a scent is weaker with each step from its source
PHASES, AMOUNTS, SCENTS = 2, 2, 4
CANDIDATES, ELITE, EPISODES = 24, 6, 4

Policy = Callable[[dict, np.ndarray], np.ndarray]


def scents(planes: np.ndarray) -> np.ndarray:
    """Return how strongly each cell smells of enemies, neutral units, own and enemy base."""
    passable, sources = planes[0], planes[2:6] > 0
    field = np.zeros((SCENTS, SIZE[0] + 2, SIZE[1] + 2))  # with a border that never smells
    inner = field[:, 1:-1, 1:-1]
    for _ in range(sum(SIZE)):
        near = np.maximum(
            np.maximum(field[:, 1:-1, 2:], field[:, :-2, 1:-1]),
            np.maximum(field[:, 1:-1, :-2], field[:, 2:, 1:-1]),
        )
        inner[:] = np.maximum(sources, FADING * near) * passable
    return field


def linear_policy(weights: np.ndarray) -> Policy:
    """Return the policy with these weights.

    A direction's value is the sum of what each scent gains by a step there, times a weight. The
    weights differ before and after recruiting, and for all units of a cell and a single one. A step
    is taken if the best value is above 0.
    """
    table = np.reshape(weights, (PHASES, AMOUNTS, SCENTS))

    def policy(observation: dict, mask: np.ndarray) -> np.ndarray:
        field = scents(observation["planes"])
        here = field[:, 1:-1, 1:-1]
        gains = np.stack(  # by direction: right, up, left, down
            [
                field[:, 1:-1, 2:] - here,
                field[:, :-2, 1:-1] - here,
                field[:, 1:-1, :-2] - here,
                field[:, 2:, 1:-1] - here,
            ]
        )
        phase = int(observation["globals"][1] > FEW)
        values = np.einsum("as,dsij->ijad", table[phase], gains).reshape(-1, AMOUNTS * 4)
        stay = np.zeros((len(values), 1))
        return np.where(mask > 0, np.hstack([stay, values]), -np.inf).argmax(axis=1)

    return policy


def fitness(weights: np.ndarray, seeds: np.ndarray) -> float:
    """Return a policy's mean reward in games against random moves, one for each seed."""
    env = lanista.env.parallel_env("angrymob", map=MAP, max_cycles=CYCLES)
    policy = linear_policy(weights)
    total = 0.0
    for seed in seeds:
        pick = np.random.default_rng(seed)
        observations, infos = env.reset(seed=int(seed))
        while env.agents:
            masks = {agent: np.array(infos[agent]["action_mask"]) for agent in env.agents}
            random_action = (masks["seat_1"] * pick.random(masks["seat_1"].shape)).argmax(axis=1)
            actions = {
                "seat_0": policy(observations["seat_0"], masks["seat_0"]),
                "seat_1": random_action,
            }
            observations, rewards, _, _, infos = env.step(actions)
            total += rewards["seat_0"]
    return total / len(seeds)


def train(
    seed: int, generations: int, report: Callable[[str], object] = print, workers: int = 2
) -> np.ndarray:
    """Return the weights that the cross-entropy method finds, the same for any number of workers.

    Each generation draws candidates from a normal distribution, which then moves to the best ones.
    """
    random = np.random.default_rng(seed)
    count = PHASES * AMOUNTS * SCENTS
    mean, deviation = np.zeros(count), np.ones(count)
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(workers)) if workers > 1 else None
        evaluate = pool.map if pool else map
        for generation in range(generations):
            candidates = mean + deviation * random.standard_normal((CANDIDATES, count))
            seeds = random.integers(2**31, size=EPISODES)  # the same games for all candidates
            rewards = np.array(list(evaluate(fitness, candidates, [seeds] * CANDIDATES)))
            elite = candidates[np.argsort(-rewards, kind="stable")[:ELITE]]
            mean, deviation = elite.mean(axis=0), elite.std(axis=0) + 0.05
            report(
                f"generation {generation + 1}: mean reward {rewards.mean():.1f}, "
                f"best {rewards.max():.1f}"
            )
    return mean


def as_function(weights: np.ndarray) -> Callable:
    """Return the policy as a function of a state, as `lanista.play_many` takes it."""
    bot = lanista.env.as_bot(linear_policy(weights), "angrymob", size=SIZE)

    def learned(state: AngryMobState) -> list:
        return bot.moves(state)

    return learned


def against_runners(weights: np.ndarray, matches: int, **options: Any) -> Counter:
    """Play against RandomRunners, half of the matches in either seat, and count who won."""
    pairing = [as_function(weights), "RandomRunners"]
    won = Counter()
    options = {"map": MAP, "keep": "none", "no_clock": True, **options}
    for match in lanista.play_many(
        "angrymob", [pairing], range(matches // 2), seatings="rotations", **options
    ):
        won[match.winner or "nobody"] += 1
    return won


def main(seed: int = 1, generations: int = 12, matches: int = 100) -> None:
    """Learn, and print the weights and who won how often."""
    weights = train(seed, generations)
    print("weights", *np.round(weights, 2))
    won = against_runners(weights, matches)
    for name, number in won.most_common():
        print(f"{name}: {number} of {won.total()}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
