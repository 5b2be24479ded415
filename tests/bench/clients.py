"""What client libraries and the stdio bridge add to an answer, beside a bare C socket in one run.

Each bot answers every turn with nothing. A blocking loop here sends it a turn's bytes and takes the
time until its newline is read. Two kinds of turns: a small one of Angry Mob, whose time is that of
an empty reply; and a full one of Hogwarts, whose time beyond the first is that of reading it.
All bots take turns, in rounds, so that a machine that changes its speed changes it for all.
"""

import contextlib
import itertools
import statistics
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from measured import compiled, connected, keep, percentile

from languages.language import every
from lanista.games import registry
from lanista.games.base import MalformedAnswerError, complete_settings, start_game
from support.encoders import encoder_of
from support.players import PLAYERS

ROUNDS = 3
WARM = 3000
"""Turns before any is timed: a just-in-time compiler needs some thousands."""
TURNS = {"angrymob": 2000, "hogwarts": 500}
"""Timed turns of each round."""
SAME = 40
"""Different positions of a match, sent over and over."""


def told(name):
    """The opening of a match for seat 0, and some of its turns."""
    ruleset = registry.get(name)
    settings = complete_settings(ruleset, {})
    game = start_game(ruleset, settings, 7)
    pick = Random(7)
    encoder = encoder_of(ruleset, settings, 7)
    status = (0.0,) * ruleset.seats
    opening = b"welcome 1 lanista 0\n" + encoder.opening(game, 0, status)
    turns = []
    while len(turns) < SAME:
        game.advance([answer(game, name, seat, pick) for seat in range(ruleset.seats)])
        turns.append(encoder.turn(game, 0, status))
    return opening, turns


def answer(game, name, seat, pick):
    """What a random player does; those of the tests speak nonsense at times, which is nothing."""
    try:
        return game.parse(seat, PLAYERS[name](game, seat, pick))
    except MalformedAnswerError:
        return game.parse(seat, [])


def times(arena, turns):
    """The seconds from before a turn is sent until its answer is read, turn after turn."""
    taken = []
    for data in turns:
        began = time.perf_counter()
        arena.sendall(data)
        answer = arena.recv(4096)
        taken.append(time.perf_counter() - began)
        assert answer == b"\n", answer
    return taken


def measure(commands, name):
    """Of each bot, all times of the game's turns, in seconds."""
    opening, turns = told(name)
    taken = {bot: [] for bot in commands}
    with contextlib.ExitStack() as stack:
        playing = {}
        for bot, words in commands.items():
            own = [word.replace("GAME", name) for word in words]
            (arena,) = stack.enter_context(connected(own, 1))
            playing[bot] = arena, itertools.cycle(turns)
            times(arena, [opening, *itertools.islice(playing[bot][1], WARM)])
        for _ in range(ROUNDS):
            for bot, (arena, more) in playing.items():
                taken[bot] += times(arena, itertools.islice(more, TURNS[name]))
    return taken


def main():
    """Measure all languages whose toolchains are here, and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        bare = compiled(folder)
        bridge = [sys.executable, "-P", "-m", "lanista.bots.bridge"]
        commands = {"bare C socket": [bare, "GAME"]}
        for name, language in every().items():
            if language.missing:
                print(f"{name}: {language.missing}")
                continue
            place = Path(folder) / name
            place.mkdir()
            commands[name] = [*map(str, language.build_empty(place)), "GAME"]
        commands["C, stdin and stdout behind lanista connect"] = [*bridge, bare, "-"]
        figures = {}
        small, full = [measure(commands, name) for name in TURNS]
        print(f"{'µs':>45} {'small median':>13} {'p99':>8} {'full median':>12} {'p99':>8}")
        for bot in commands:
            row = [
                statistics.median(small[bot]),
                percentile(small[bot], 0.99),
                statistics.median(full[bot]),
                percentile(full[bot], 0.99),
            ]
            figures[bot] = [round(value * 1e6, 1) for value in row]
            print(f"{bot:>45} " + "{:>13} {:>8} {:>12} {:>8}".format(*figures[bot]))
        keep("clients", figures)


if __name__ == "__main__":
    main()
