"""How often docs/examples/search_bot.py beats GravityGoers: writes its part of docs/strength.md.

Both play in this process, by the rules and the bots' own code. A turn has a fixed number of
rollouts, so the same version gives the same numbers on any machine; the processor time of its turns
says whether that many fit into the time that the bot takes in a match.
"""

import random
import runpy
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import lanista_maps
from games.house_in_process import new_game, play
from lanista.games.angrymob.house_bots.gravity_goers import GravityGoers

ROLLOUTS = 6
"""Rollouts of a turn, fewer than fit into the time of a match."""
SEEDS = range(1, 91)
MAPS = lanista_maps.names("angrymob")
MATCHES = 2 * (len(SEEDS) + len(MAPS))
AIM = 0.7
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "strength.md"
HEADING = "## A bot that searches"
SEARCH_BOT = runpy.run_path(str(ROOT / "docs" / "examples" / "search_bot.py"))["SearchBot"]


def searching(state):
    """A bot with a fixed number of rollouts."""
    return SEARCH_BOT(state, rollouts=ROLLOUTS)


def result(opening, seat):
    """Play a match on the map of a seed or of a name.

    Returns won, drawn or lost, and the processor seconds of each of the search's turns.
    """
    chance = random.Random(f"{opening} {seat}")
    if isinstance(opening, int):
        game = new_game(seed=opening)
    else:
        game = new_game(board=lanista_maps.read("angrymob", opening))
    bots = [GravityGoers, GravityGoers]
    bots[seat] = searching
    times = []
    ranks = play(game, bots, seeds=[chance.randrange(2**31) for _ in range(2)], times=times).ranks
    lead = ranks[1 - seat] - ranks[seat]
    return {1: "won", 0: "drawn", -1: "lost"}[lead], [both[seat] for both in times]


def page(counts):
    """The part of docs/strength.md."""
    row = f"{counts['won']} | {counts['drawn']} | {counts['lost']} | {counts['won'] / MATCHES:.1%}"
    return [
        HEADING,
        "",
        "[examples/search_bot.py](examples/search_bot.py) looks ahead by the rules. It plays",
        f"{MATCHES} matches against GravityGoers: in either seat on the maps generated from the",
        f"seeds {SEEDS[0]} to {SEEDS[-1]}, and on the {len(MAPS)} maps that come with Lanista.",
        f"Each turn has {ROLLOUTS} rollouts, so that the numbers depend on no clock; more of them",
        "fit into its 0.15 s.",
        "",
        "| search_bot.py against | won | drawn | lost | share won |",
        "|---|---|---|---|---|",
        f"| GravityGoers | {row} |",
    ]


def main():
    """Play all matches and write the part of the page."""
    counts, taken = Counter(), []
    for opening in (*SEEDS, *MAPS):
        for seat in range(2):
            outcome, times = result(opening, seat)
            counts[outcome] += 1
            taken += times
            print(f"{opening}, seat {seat}: {outcome} in {len(times)} turns", flush=True)
    taken.sort()
    print(
        f"processor time of a turn: median {1000 * taken[len(taken) // 2]:.0f} ms,"
        f" 99 % under {1000 * taken[len(taken) * 99 // 100]:.0f} ms"
    )
    write(page(counts))
    if counts["won"] < AIM * MATCHES:
        sys.exit(f"{counts['won']} of {MATCHES} matches won; the aim is {AIM:.0%}")


def write(lines):
    """Replace this part of the page, which is its end."""
    house_bots = PAGE.read_text().partition(HEADING)[0].rstrip()
    PAGE.write_text(house_bots + "\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
