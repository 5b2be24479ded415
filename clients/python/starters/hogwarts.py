"""A first bot for Hogwarts: wizards fetch books, attack and take cells; the ghost casts spells."""

import os
from itertools import combinations

from lanista_client import Arena, HogwartsState


def solve(ingredients: tuple[int, ...], groups: dict[int, int]) -> list[int] | None:
    """Complete the groups (by ingredient): five of three each, with equal sums."""
    free = [k for k in range(len(ingredients)) if k not in groups]
    if not free:
        return [groups[k] for k in range(len(ingredients))]
    free.sort(key=lambda k: -ingredients[k])  # the largest leaves the fewest choices
    for a, b in combinations(free[1:], 2):
        if ingredients[free[0]] + ingredients[a] + ingredients[b] == sum(ingredients) // 5:
            group = len(groups) // 3
            solution = solve(ingredients, groups | {free[0]: group, a: group, b: group})
            if solution:
                return solution
    return None


def goals(state: HogwartsState) -> list[tuple[int, int]]:
    """Tell where it is worth going: books, enemies not much stronger, cells of others."""
    cells = [(i, j) for i in range(state.rows) for j in range(state.cols) if state.passable(i, j)]
    strength = state.magic_strength(state.me)
    enemies = [
        unit.pos
        for unit in state.units.values()
        if unit.player != state.me and not unit.ghost and not unit.converting
        if state.magic_strength(unit.player) <= 2 * strength
    ]
    free = [(i, j) for i, j in cells if state.owner(i, j) != state.me and not state.unit_at(i, j)]
    return [cell for cell in [*state.books, *enemies, *free] if not state.reach_of_voldemort(*cell)]


with Arena(os.environ.get("LANISTA_NAME", "Starter"), game="hogwarts") as arena:
    for state in arena:
        orders: list[tuple[int | str, ...]] = []
        ghost = state.ghost(state.me)
        if ghost.rounds_pending == 0 and state.round < state.num_rounds - 50:
            solution = solve(state.spell_ingredients, {})
            if solution:
                orders.append(("s", ghost.id, *solution))
        steps = state.distances(goals(state))
        for wizard in state.wizards(state.me):
            i, j = wizard.pos
            ways = [
                (steps.get(cell, 9999), d)
                for d, cell in state.neighbours(i, j)
                if not state.reach_of_voldemort(*cell)
            ]
            if ways:
                orders.append(("m", wizard.id, min(ways)[1]))
        arena.draw.cells(state.books, "yellow")  # on the page's board: what is worth going to
        arena.send(orders)
print(arena.result)
