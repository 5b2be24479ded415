"""How often GravityGoers beats the random house bots: 200 matches each on generated maps.

Half of them in either seat. Writes docs/strength.md; the same seeds and bots give the same page.
"""

import json
import subprocess
import sys
from pathlib import Path

MATCHES = 200
FIRST_SEED = 1
LAST_SEED = FIRST_SEED + MATCHES - 1
STRONG = "GravityGoers"
OPPONENTS = ("RandomRunners", "ProfessorRandom", "CamperJoe")
AIM = 0.95
PAGE = Path(__file__).parents[2] / "docs" / "strength.md"


def results(seats, seed, matches):
    """Play matches with consecutive seeds; a result each."""
    command = [sys.executable, "-m", "lanista.cli", "play", "angrymob", *seats, "--json"]
    command += ["-s", str(seed), "-n", str(matches), "-o", "lanista-records/strength"]
    # The clock isn't the point, and the machine may be busy.
    played = subprocess.run([*command, "--no-clock"], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in played.stdout.splitlines()]


def row(opponent):
    """Wins, draws, losses of the strong bot, and the moves its matches took."""
    won = drawn = lost = 0
    turns = []
    for half, seats in enumerate([(STRONG, opponent), (opponent, STRONG)]):
        for result in results(seats, FIRST_SEED + half * MATCHES // 2, MATCHES // 2):
            ranks = dict(zip(result["players"], result["ranks"], strict=True))
            turns.append(result["turns"])
            if ranks[STRONG] < ranks[opponent]:
                won += 1
            elif ranks[STRONG] > ranks[opponent]:
                lost += 1
            else:
                drawn += 1
    return won, drawn, lost, sorted(turns)[len(turns) // 2]


def main():
    lines = [
        "# Strength of the house bots",
        "",
        f"`make strength` plays {MATCHES} matches of {STRONG} against each of the others, on",
        f"maps generated from the seeds {FIRST_SEED} to {LAST_SEED}, half in either seat,",
        "without a clock, and writes this page. The house bots draw their chance from the match's",
        "seed, so the same version gives the same numbers.",
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
    PAGE.write_text("\n".join(lines) + "\n")
    if missed:
        sys.exit(f"{STRONG} wins less than {AIM:.0%} against {', '.join(missed)}")


if __name__ == "__main__":
    main()
