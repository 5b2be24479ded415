"""Boards by chance: the original's generator, draw for draw (rules/crematoria.md 3).

Nothing here knows of units or rounds.
"""

import functools
from collections.abc import Mapping

from lanista.rules.chance import Chance
from lanista.rules.crematoria.board import CAVE, ELEVATOR, OUTSIDE, ROCK, Board
from lanista.rules.crematoria.draws import first_of_permutation
from lanista.rules.crematoria.geometry import BOTTOM, COLS, LEVEL, NEAR, OFFSETS, TOP, apart

ELEVATOR_ROWS = range(2, 38)
WALK_ROWS = range(1, 39)
ELEVATOR_SPACING = 10
"""Least Manhattan distance between elevators; columns are circular."""
CAVES = range(1200, 1501)
"""How many cave cells a board may have, elevators not counted."""
MAX_STEPS = 999
"""Steps of a walk that hasn't reached its goal when it is given up."""


def generate(settings: Mapping[str, int], chance: Chance) -> Board:
    """The board that the original makes by the same draws.

    Attempts go on until a map has the right number of caves. The range of `nb_elevators` keeps
    that short: at its ends a third and a tenth of the attempts succeed.
    """
    while True:
        caves = _attempt(settings["nb_elevators"], chance)
        if caves is not None and caves.count(CAVE) in CAVES:
            break
    outside = bytes(ELEVATOR if kind == ELEVATOR else OUTSIDE for kind in caves)
    return Board(bytes(caves), outside)


def _attempt(count: int, chance: Chance) -> bytearray | None:
    elevators = _elevators(count, chance)
    if elevators is None:
        return None
    caves = bytearray((ROCK,)) * LEVEL
    for start, goal in _links(elevators):
        if not _walk(caves, start, goal, chance):
            return None
    for cell in elevators:
        for near in NEAR[cell][:8]:
            caves[near] = CAVE
    for cell in elevators:
        caves[cell] = ELEVATOR
    return caves


def _elevators(count: int, chance: Chance) -> list[int] | None:
    """Cells in random order, taken if far enough from those taken before."""
    taken: list[int] = []
    for index in first_of_permutation(
        chance, len(ELEVATOR_ROWS) * COLS, "elevator", until=lambda: len(taken) == count
    ):
        cell = ELEVATOR_ROWS.start * COLS + index
        if all(_manhattan(cell, other) >= ELEVATOR_SPACING for other in taken):
            taken.append(cell)
    return taken if len(taken) == count else None


def _manhattan(one: int, other: int) -> int:
    cols = abs(one % COLS - other % COLS)
    return abs(one // COLS - other // COLS) + min(cols, COLS - cols)


def _links(elevators: list[int]) -> list[tuple[int, int]]:
    """A maximum spanning tree over the elevators, its links in the order in which Kruskal joins."""
    numbers = range(len(elevators))
    pairs = [(a, b) for a in numbers for b in numbers[a + 1 :]]
    pairs.sort(key=lambda pair: -apart(elevators[pair[0]], elevators[pair[1]]))
    group = list(numbers)
    links = []
    for a, b in pairs:
        if group[a] != group[b]:
            old, new = group[a], group[b]
            group = [new if number == old else number for number in group]
            links.append((elevators[a], elevators[b]))
    return links


def _walk(caves: bytearray, start: int, goal: int, chance: Chance) -> bool:
    """Dig from one cell to another, wavering; whether the goal was reached."""
    cell = start
    caves[cell] = CAVE
    goal_row, goal_col = divmod(goal, COLS)
    for _ in range(MAX_STEPS):
        if cell == goal:
            return True
        row, col = divmod(cell, COLS)
        edge = TOP if row == WALK_ROWS[0] else BOTTOM if row == WALK_ROWS[-1] else None
        steps = _steps(edge, goal_row - row, (goal_col - col) % COLS)
        cell = NEAR[cell][steps[chance.below(len(steps), "walk")]]
        caves[cell] = CAVE
    return cell == goal


@functools.cache  # at most 3 edges * 75 row distances * 80 column distances
def _steps(edge: int | None, down: int, right: int) -> tuple[int, ...]:
    """Each direction as often as it weighs, for a walk to a goal so far away.

    `edge` is the direction in which the rows for walks end here, if they do.
    """
    far = {}
    for direction, (step_down, step_right) in enumerate(OFFSETS):
        if edge is None or step_down != OFFSETS[edge][0]:
            cols = (right - step_right) % COLS
            far[direction] = max(abs(down - step_down), min(cols, COLS - cols))
    worst = max(far[direction] for direction in far if direction % 2 == 0)
    return tuple(direction for direction, steps in far.items() for _ in range(worst - steps + 1))
