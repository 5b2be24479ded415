"""CPU seconds of a match of Hogwarts and Crematoria with its match file.

The orders are those of matches of the original programs (tests/traces), parsed before the clock
starts; the rules make the board, carry out every round, and every state is written. The originals'
own figures, file writing included, are those of docs/rules (measured on another such machine): only
their order of size compares. Then a whole match of four trivial bots over TCP.
"""

import gzip
import sys
import tempfile
import time
from pathlib import Path

from measured import keep, match_between, median

from lanista.games import registry
from lanista.games.base import complete_settings, start_game
from lanista.games.originals import of_game, played

TRACES = Path(__file__).parents[1] / "traces"
BOT = sys.executable, str(Path(__file__).parent / "trivial_bot.py")
ORIGINAL_S = {
    "hogwarts": {"Null": 0.075, "Demo": 0.10},
    "crematoria": {"Null": 0.096, "Demo": 0.14},
}
"""CPU seconds of the original programs, match file included."""
FILES = {
    ("hogwarts", "Null"): ("01_s1_Null-Null-Null-Null", 1),
    ("hogwarts", "Demo"): ("02_s30_Demo-Demo-Demo-Demo", 30),
    ("crematoria", "Null"): ("02_Null-Null-Null-Null_s1", 1),
    ("crematoria", "Demo"): ("01_Demo-Demo-Demo-Demo_s30", 30),
}
RUNS = 3


def answers(game_name, trace):
    """By round and seat, the tokens that were submitted."""
    text = gzip.decompress((TRACES / game_name / f"{trace}.orders.gz").read_bytes()).decode()
    return of_game(game_name).read_orders(text)


def match(game_name, seed, rounds):
    """CPU seconds of one match."""
    ruleset = registry.get(game_name)
    began = time.process_time()
    given = {"original": 1} if game_name == "hogwarts" else {}
    settings = complete_settings(ruleset, given)
    game = start_game(ruleset, settings, seed)
    turns = ([game.parse(seat, said) for seat, said in enumerate(seats)] for seats in rounds)
    writer = of_game(game_name)
    names = ["a", "b", "c", "d"]
    with tempfile.TemporaryFile("w") as out:
        states = played(game, turns)
        out.writelines(writer.write(states, seed, names, lambda _: (0, 0, 0, 0)))
    return time.process_time() - began


def over_tcp(game_name, folder):
    """Seconds from the opening to the end of a match of four trivial bots."""
    moments = []
    match_between(game_name, BOT, folder, watch=lambda _: moments.append(time.perf_counter()))
    return moments[-1] - moments[0]


def main():
    figures = {}
    for (game, players), (trace, seed) in FILES.items():
        rounds = answers(game, trace)
        figures[f"{game} {players}"] = {
            "with_file_s": median([match(game, seed, rounds) for _ in range(RUNS)]),
            "original_s": ORIGINAL_S[game][players],
        }
    with tempfile.TemporaryDirectory() as folder:
        for game in ORIGINAL_S:
            figures[f"{game} over TCP_s"] = median([over_tcp(game, folder) for _ in range(RUNS)])
    keep("four_players", {**figures, "aim_tcp_s": 0.5})


if __name__ == "__main__":
    main()
