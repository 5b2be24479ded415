"""How fast the rules are as a library: steps, and observations.

All in one process on one core. The answers are random legal ones, made before the clock runs;
only the environment's step includes decoding its actions, and what all agents observe.
"""

import functools
import random
import statistics
import time

import numpy as np
from measured import keep, median

import lanista
from lanista.games.arrays import encoder_of

SEEDS = {"angrymob": 5, "hogwarts": 19, "crematoria": 3}
TURNS, RUNS = 100, 5


def answers(game, pick):
    """A random legal answer of each seat."""
    return [
        [pick.choice(ways) for ways in game.legal(seat).values() if ways]
        for seat in range(game.seats)
    ]


def seconds(work, times=1):
    """Processor seconds that one call takes."""
    began = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - began) / times


def measured(name, run):
    """Seconds of a step, and of an observation of all seats."""
    pick = random.Random(run)
    game = lanista.new_game(name, seed=SEEDS[name])
    settings = dict(game.rules.settings) if name != "angrymob" else {}
    encoder = encoder_of(name, settings)
    times = {"step": [], "observe": []}
    seats = range(game.seats)
    for turn in range(TURNS):
        if game.over:
            break
        chosen = answers(game, pick)
        if turn % 10 == 0:
            times["observe"].append(seconds(lambda: encoder.observe(game.rules, seats), 3))
        times["step"].append(seconds(lambda chosen=chosen: game.step(chosen)))
    return {what: sum(each) / len(each) for what, each in times.items()}


def environment(name, run):
    """Milliseconds of a turn of the environment: drawing all actions in two ways, and a step."""
    pick = np.random.default_rng(run)
    env = lanista.env.parallel_env(name)
    _, infos = env.reset(seed=SEEDS[name])

    def sample():
        return {
            agent: env.action_space(agent).sample(mask=infos[agent]["action_mask"])
            for agent in env.agents
        }

    def draw():  # as docs/training.md has it
        masks = {agent: env.action_mask(agent) for agent in env.agents}
        return {
            agent: (mask * pick.random(mask.shape)).argmax(axis=1) for agent, mask in masks.items()
        }

    times = {"sample": seconds(sample, 3), "draw": seconds(draw, 50)}
    steps = []
    while env.agents and len(steps) < TURNS:
        steps.append(seconds(functools.partial(env.step, draw())))
    times["step"] = sum(steps) / len(steps)
    return {what: 1000 * each for what, each in times.items()}


def main():
    figures = {}
    for name in SEEDS:
        turns = [environment(name, run) for run in range(RUNS)]
        for what in turns[0]:
            figures[f"{name}_env_{what}_ms"] = median(turn[what] for turn in turns)
        runs = [measured(name, run) for run in range(RUNS)]
        step = [run["step"] for run in runs]
        observed = [run["step"] + run["observe"] for run in runs]
        figures[f"{name}_steps_s"] = round(1 / statistics.median(step))
        figures[f"{name}_steps_observed_s"] = round(1 / statistics.median(observed))
    keep("python_rules", figures)


if __name__ == "__main__":
    main()
