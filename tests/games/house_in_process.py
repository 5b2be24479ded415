"""Matches between house bots without processes or sockets: the rules here, states there.

The states are made from the very lines that the ruleset sends, by the client's own classes.
"""

import random
import time

from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.library.game import facts_of
from lanista_client import GAMES

RULESETS = {name: registry.get(name) for name in registry.ours()}


def states_of(game, seeds=(1, 2), names=("Left", "Right"), ruleset="angrymob"):
    """The state of each seat before its first turn."""
    states = []
    for seat, seed in enumerate(seeds):
        about = f"game {ruleset}\nseat {seat}\nclock 20 0.2\nseed {seed}\n".encode()
        players = "".join(f"player {i} {name}\n" for i, name in enumerate(names)).encode()
        start = facts_of(about + players + game.facts_at_start(seat))
        states.append(GAMES[ruleset]("match", start))
    return states


def new_game(*, seed=None, board=None, move_limit=2400):
    """A game of Angry Mob, on the map generated from a seed or on one written as a map file."""
    ruleset = RULESETS["angrymob"]
    chance = ruleset.chance(0 if seed is None else seed)
    settings = complete_settings(ruleset, {"move_limit": move_limit})
    made = ruleset.generate(settings, chance) if board is None else ruleset.read_board(board)
    return ruleset.new(settings, made, chance)


def new_four(name, *, seed, **given):
    """A game for four, on the board generated from a seed."""
    ruleset = RULESETS[name]
    chance = ruleset.chance(seed)
    settings = complete_settings(ruleset, given)
    return ruleset.new(settings, ruleset.generate(settings, chance), chance)


def seeds_of(seed, seats=4):
    """A seed for each seat, none of them telling of another."""
    chance = random.Random(seed)
    return [chance.randrange(2**31) for _ in range(seats)]


def play(game, bots, *, seeds=(1, 2), record=None, times=None):
    """Play Angry Mob to the end and give the outcome; `record` gets each turn's submoves of both.

    `times` gets the processor seconds that each answer took, reading the facts included. An illegal
    or malformed answer fails the test at once, and says which.
    """
    return _play(game, bots, states_of(game, seeds), record=record, times=times)


def play_four(name, bots, *, seed, seats_seed=None, given=None, **options):
    """Play a match of four bots to the end and give the outcome.

    The seats' seeds come of the match's, or of `seats_seed`; `given` are settings.
    """
    game = new_four(name, seed=seed, **(given or {}))
    seeds = seeds_of(seed if seats_seed is None else seats_seed)
    return _play(game, bots, states_of(game, seeds, "ABCD", ruleset=name), **options)


def _play(game, bots, states, *, times=None, record=None, refusable=(), read=facts_of):
    """Play to the end and give the outcome; what is refused of a bot in `refusable` is passed over.

    `times` and `record` are as for `play`; `read` reads the facts of a turn.
    """
    players = None
    while game.outcome() is None:
        answers, taken = [], []
        for seat, state in enumerate(states):
            told = game.facts(seat, (0.0,) * len(states))
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
        verdicts = [
            game.parse(seat, [token for move in moves for token in move])
            for seat, moves in enumerate(answers)
        ]
        for seat, (bot, verdict) in enumerate(zip(bots, verdicts, strict=True)):
            assert bot in refusable or verdict.refused == (), (answers[seat], verdict.refused)
        game.advance(verdicts)
    return game.outcome()
