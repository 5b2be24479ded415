"""A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base."""

import os

from lanista_client import Arena

with Arena(os.environ.get("LANISTA_NAME", "Starter"), game="angrymob") as arena:
    for state in arena:
        recruiting = state.totals[state.seat] <= 8
        steps = state.distances([state.enemy_base, *(state.neutral if recruiting else [])])
        moves = []
        for (i, j), units in state.mine.items():
            d, _ = min(state.neighbours(i, j), key=lambda way: steps[way[1]])
            moves.append((i, j, units, d))
        arena.draw.value("cells", len(state.mine))  # a curve on the page, under the board
        arena.send(moves)
print(arena.result)
