"""How strong the house bots are: writes their part of docs/strength.md.

The same bots give the same page.

Angry Mob: how often GravityGoers beats the others, 200 matches each on generated maps, half in
either seat. Hogwarts and Crematoria: how often Dummy beats three Demos, 100 matches, each seat in
turn; and the scores of four Dummies. The four-player matches are played in this process, by the
rules and the bots' own code.
"""

import importlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from games.house_in_process import play_four
from lanista.games import registry

MATCHES = 200
FIRST_SEED = 1
LAST_SEED = FIRST_SEED + MATCHES - 1
STRONG = "GravityGoers"
OPPONENTS = ("RandomRunners", "ProfessorRandom", "CamperJoe")
AIM = 0.95
FOUR = {"hogwarts": 6000, "crematoria": 380}
"""The games of four, and the mean score that four Dummies should reach."""
FOUR_SEED = 1000
SEARCH = "## A bot that searches"
"""The heading of the part of the page that `search_bot.py` writes."""
PAGE = Path(__file__).parents[2] / "docs" / "strength.md"


def results(seats, seed, matches):
    """Play matches with consecutive seeds; a result each."""
    command = [sys.executable, "-m", "lanista", "play", "angrymob", *seats, "--json"]
    command += ["-s", str(seed), "-n", str(matches), "-o", "lanista-records/strength"]
    # The clock isn't the point, and the machine may be busy.
    played = subprocess.run([*command, "--no-clock"], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in played.stdout.splitlines()]


def row(opponent):
    """Wins, draws, losses of the strong bot, and the moves its matches took."""
    counts, turns = Counter(), []
    for half, seats in enumerate([(STRONG, opponent), (opponent, STRONG)]):
        for result in results(seats, FIRST_SEED + half * MATCHES // 2, MATCHES // 2):
            ranks = dict(zip(result["players"], result["ranks"], strict=True))
            turns.append(result["turns"])
            counts[ranks[STRONG] - ranks[opponent]] += 1
    return counts[-1], counts[0], counts[1], sorted(turns)[len(turns) // 2]


def house_bot(game, name):
    """A house bot's class."""
    return getattr(importlib.import_module(registry.house_bots(game)[name]), name)


def row_of_four(game):
    """Matches that Dummy wins alone of 100 against three Demos, and four Dummies' mean score."""
    dummy, demo = house_bot(game, "Dummy"), house_bot(game, "Demo")
    refusable = (demo,)
    won = 0
    for seed in range(FOUR_SEED, FOUR_SEED + 100):
        bots = [demo] * 4
        bots[seed % 4] = dummy
        ranks = play_four(game, bots, seed=seed, refusable=refusable).ranks
        won += ranks[seed % 4] == 1 and ranks.count(1) == 1
    scores = []
    for seed in range(FOUR_SEED, FOUR_SEED + 20):
        scores += play_four(game, [dummy] * 4, seed=seed).scores
    return won, round(sum(scores) / len(scores))


def main():
    lines = [
        "# Strength of the house bots",
        "",
        f"`make strength` plays {MATCHES} matches of {STRONG} against each of the others, on",
        f"maps generated from the seeds {FIRST_SEED} to {LAST_SEED}, half in either seat,",
        "without a clock, and writes this page. The house bots derive their random choices from",
        "the match's seed, so the same version gives the same numbers.",
        "",
        f"| {STRONG} against | won | drawn | lost | share won | moves (median) |",
        "|---|---|---|---|---|---|",
    ]
    missed = []
    for opponent in OPPONENTS:
        won, drawn, lost, turns = row(opponent)
        share = won / MATCHES
        lines.append(f"| {opponent} | {won} | {drawn} | {lost} | {share:.1%} | {turns} |")
        print(lines[-1], flush=True)
        if share < AIM:
            missed.append(opponent)
    lines += [
        "",
        "In the games of four, one Dummy, in each seat in turn, plays against three Demos with the",
        f"seeds {FOUR_SEED} to {FOUR_SEED + 99}, and four Dummies play with the seeds",
        f"{FOUR_SEED} to {FOUR_SEED + 19}. These matches are played without bot processes.",
        "",
        "| game | Dummy won alone, of 100 | mean score of four Dummies |",
        "|---|---|---|",
    ]
    for game, mean in FOUR.items():
        won, score = row_of_four(game)
        lines.append(f"| {game} | {won} | {score} |")
        print(lines[-1], flush=True)
        if won < 100 * AIM or score < mean:
            missed.append(f"{game}'s field")
    search = PAGE.read_text().partition(SEARCH)[1:]  # by search_bot.py
    PAGE.write_text("\n".join(lines) + "\n\n" + "".join(search))
    if missed:
        sys.exit(f"below the aim: {', '.join(missed)}")


if __name__ == "__main__":
    main()
