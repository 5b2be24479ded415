"""A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base."""

import os

from lanista_client import AngryMobState, Arena


def distances(state: AngryMobState, goals: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Tell for each cell how many steps it is from the nearest goal."""
    steps = dict.fromkeys(goals, 0)
    queue = list(goals)
    for cell in queue:
        for _, other in state.neighbours(*cell):
            if other not in steps:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


with Arena(os.environ.get("LANISTA_NAME", "Starter"), game="angrymob") as arena:
    for state in arena:
        recruiting = state.totals[state.seat] <= 8
        steps = distances(state, [state.enemy_base, *(state.neutral if recruiting else [])])
        moves = []
        for (i, j), units in state.mine.items():
            d, _ = min(state.neighbours(i, j), key=lambda way: steps[way[1]])
            moves.append((i, j, units, d))
        arena.draw.value("cells", len(state.mine))  # a curve on the page, under the board
        arena.send(moves)
print(arena.result)
