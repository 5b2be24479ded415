"""Matches between house bots without processes or sockets: the rules here, states there.

The states are made from the very lines that the ruleset sends, by the client's own classes.
"""

from lanista.rules.angrymob import RULESET
from lanista.rules.base import complete_settings
from lanista_client import AngryMobState


def facts_of(text):
    """Lines as the client keeps them: by keyword, the other words of each line."""
    facts = {}
    for line in text.decode().splitlines():
        keyword, *words = line.split()
        facts.setdefault(keyword, []).append(words)
    return facts


def states_of(game, seeds=(1, 2), names=("Left", "Right")):
    """The state of each seat before its first turn."""
    states = []
    for seat, seed in enumerate(seeds):
        about = f"game angrymob\nseat {seat}\nclock 20 0.2\nseed {seed}\n".encode()
        players = "".join(f"player {i} {name}\n" for i, name in enumerate(names)).encode()
        start = facts_of(about + players + game.facts_at_start(seat))
        states.append(AngryMobState("match", start))
    return states


def new_game(*, seed=None, board=None, move_limit=2400):
    """A game on the map generated from a seed, or on one written as a map file."""
    chance = RULESET.chance(0 if seed is None else seed)
    settings = complete_settings(RULESET, {"move_limit": move_limit})
    made = RULESET.generate(settings, chance) if board is None else RULESET.read_board(board)
    return RULESET.new(settings, made, chance)


def play(game, bots, *, seeds=(1, 2), record=None):
    """Play to the end and give the outcome; `record` gets each turn's submoves of both.

    An illegal or malformed answer fails the test at once, and says which.
    """
    states = states_of(game, seeds)
    players = None
    while game.outcome() is None:
        for seat, state in enumerate(states):
            state.update(game.turn, facts_of(game.facts(seat, ())))
        players = players or [bot(state) for bot, state in zip(bots, states, strict=True)]
        answers = [bot.moves(state) for bot, state in zip(players, states, strict=True)]
        if record is not None:
            record.append(answers)
        verdicts = [
            game.parse(seat, [number for move in moves for number in move])
            for seat, moves in enumerate(answers)
        ]
        assert [(), ()] == [verdict.refused for verdict in verdicts], answers
        game.advance(verdicts)
    return game.outcome()
