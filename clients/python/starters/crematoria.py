"""A first bot for Crematoria: pioneers conquer caves and fetch gems, furyans strike."""

import os

from lanista_client import Arena, CrematoriaState, CrematoriaUnit


def safe(state: CrematoriaState, pos: tuple[int, int, int]) -> bool:
    """Tell whether nothing kills a unit that goes there: no hellhound near, no sun."""
    if pos[2] == 1:
        return state.rounds_of_night(pos) > 0
    hounds = state.hellhounds()
    return all(state.distance(pos, hound.pos) > 2 for hound in hounds if hound.k == 0)


def strike(state: CrematoriaState, furyan: CrematoriaUnit) -> int | None:
    """Give the direction of an enemy beside a furyan."""
    for d, pos in state.neighbours(furyan.pos):
        other = state.unit_at(pos)
        if other and other.player not in {state.me, -1}:
            return d
    return None


with Arena(os.environ.get("LANISTA_NAME", "Starter"), game="crematoria") as arena:
    for state in arena:
        caves = [(i, j) for i in range(state.rows) for j in range(state.cols) if state.cave(i, j)]
        goals = [(i, j, 0) for i, j in caves if state.owner(i, j) != state.me]
        # A gem is a goal while the night over it lasts for the way there and back.
        goals += [gem for gem in state.gems if state.rounds_of_night(gem) > 12]
        pioneers = state.distances(goals)
        enemies = [unit for unit in state.units.values() if unit.player not in {state.me, -1}]
        furyans = state.distances([unit.pos for unit in enemies if unit.k == 0], levels=(0,))
        orders, taken = [], set()
        for unit in [*state.furyans(state.me), *state.pioneers(state.me)]:
            steps = pioneers if unit.type == "p" else furyans
            ways = [
                (steps.get(pos, 9999), d, pos)
                for d, pos in state.neighbours(unit.pos)
                if safe(state, pos) and pos not in taken and not state.unit_at(pos)
            ]
            d = strike(state, unit) if unit.type == "f" else None
            if d is None and ways:
                _, d, pos = min(ways)
                taken.add(pos)
            if d is not None:
                orders.append((unit.id, d))
        arena.draw.cells(state.gems, "yellow")  # on the page's board
        arena.send(orders)
print(arena.result)
