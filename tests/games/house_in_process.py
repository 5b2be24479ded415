"""Matches between house bots without processes or sockets: the rules here, states there.

The states are made from the very lines that the ruleset sends, by the client's own classes.
"""

import random
import time

import lanista
from lanista.library.game import facts_of
from lanista.match.encoder import facts_with_status


def new_game(name="angrymob", *, seed=0, board=None, **given):
    """A game with these settings, on the board generated from a seed or written as a file."""
    return lanista.new_game(name, seed=seed, map=board, settings=given)


def states_of(game, seeds):
    """The state of each seat before its first turn."""
    states = [game.state(seat) for seat in range(game.seats)]
    for state, seed in zip(states, seeds, strict=True):
        state.seed = seed
    return states


def seeds_of(seed, seats=4):
    """A seed for each seat, none of them telling of another."""
    chance = random.Random(seed)
    return [chance.randrange(2**31) for _ in range(seats)]


def play_four(name, bots, *, seed, seats_seed=None, given=None, **options):
    """Play a match of four bots to the end and give the outcome.

    The seats' seeds come of the match's, or of `seats_seed`; `given` are settings.
    """
    game = new_game(name, seed=seed, **(given or {}))
    seeds = seeds_of(seed if seats_seed is None else seats_seed)
    return play(game, bots, seeds=seeds, **options)


def play(game, bots, *, seeds=(1, 2), times=None, record=None, refusable=(), read=facts_of):
    """Play to the end and give the outcome; `record` gets each turn's submoves by seat.

    `times` gets the processor seconds that each answer took, reading the facts by `read` included.
    A malformed answer fails the test at once, and so does a refused one of a bot that isn't in
    `refusable`.
    """
    states, players = states_of(game, seeds), None
    while not game.over:
        answers, taken = [], []
        for seat, state in enumerate(states):
            facts = game.rules.facts(seat)
            told = facts_with_status(game.ruleset, facts, (0.0,) * len(states))
            began = time.process_time()
            state.update(game.turn, read(told))
            taken.append(time.process_time() - began)
        players = players or [bot(state) for bot, state in zip(bots, states, strict=True)]
        for seat, (bot, state) in enumerate(zip(players, states, strict=True)):
            began = time.process_time()
            answers.append(bot.moves(state))
            taken[seat] += time.process_time() - began
        if record is not None:
            record.append(answers)
        if times is not None:
            times.append(taken)
        for bot, answer, refused in zip(bots, answers, game.step(answers), strict=True):
            assert bot in refusable or refused == (), (answer, refused)
    return game.outcome
