"""Random boards, and the random placement of units at the start (rules/crematoria.md 3 and 4).

Both are made draw for draw as the original makes them.
"""

import functools
from collections.abc import Mapping

from lanista.games.base import BadBoardError
from lanista.games.chance import Chance, permutation, permutation_start, permuted, skip
from lanista.games.crematoria.board import (
    BOTTOM,
    CAVE,
    COLS,
    ELEVATOR,
    LEVEL,
    NEAR,
    OFFSETS,
    OUTSIDE,
    ROCK,
    ROWS,
    TOP,
    Board,
    apart,
    apart_after_step,
    cell_at,
    cells_of,
    far_from_hellhounds,
)
from lanista.games.crematoria.state import (
    HELLHOUND,
    IMMORTAL,
    MAX_HEALTH,
    NECROMONGER,
    PIONEER,
    UNUSED,
    State,
    roster,
)

ELEVATOR_ROWS = range(2, 38)
"""The rows that can have elevators."""
WALK_ROWS = range(1, 39)
"""The rows that a tunnel can enter."""
ELEVATOR_SPACING = 10
"""The least Manhattan distance between elevators, with circular columns."""
CAVES = range(1200, 1501)
"""The allowed numbers of caves of a board, without elevators."""
MAX_STEPS = 999
"""The number of steps after which a random walk to its goal is given up."""


def generate(settings: Mapping[str, int], chance: Chance) -> Board:
    """Generate the board that the original generates with the same draws.

    Of the attempts to get an allowed number of caves a third succeeds at the lower limit of
    `nb_elevators`, a tenth at the upper.
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
    """Pick cells in random order, each far enough from those before; None if there are too few."""
    taken: list[int] = []
    cells = len(ELEVATOR_ROWS) * COLS
    for drawn, index in enumerate(permuted(chance, cells, "elevator"), 1):
        cell = ELEVATOR_ROWS.start * COLS + index
        if all(_manhattan(cell, other) >= ELEVATOR_SPACING for other in taken):
            taken.append(cell)
            if len(taken) == count:
                skip(chance, cells - 1 - drawn)
                return taken
    return None


def _manhattan(first: int, second: int) -> int:
    cols = abs(first % COLS - second % COLS)
    return abs(first // COLS - second // COLS) + min(cols, COLS - cols)


def _links(elevators: list[int]) -> list[tuple[int, int]]:
    """Return the links of a maximum spanning tree of the elevators, in Kruskal's order."""
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
    """Dig a random walk from one cell to another, and return whether it reached its goal."""
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


@functools.cache
def _steps(edge: int | None, down: int, right: int) -> tuple[int, ...]:
    """Return the directions of a walk, each repeated by its weight; better ones weigh more.

    The goal is so many rows down, and columns to the right, from 0. At an edge of WALK_ROWS, no
    step leads in its direction, TOP or BOTTOM.
    """
    distances = apart_after_step(down, right)
    ways = [way for way in range(8) if edge is None or OFFSETS[way][0] != OFFSETS[edge][0]]
    worst = max(distances[way] for way in ways if way % 2 == 0)
    return tuple(way for way in ways for _ in range(worst - distances[way] + 1))


def place_units(settings: Mapping[str, int], board: Board, chance: Chance) -> State:
    """Return the position before the first round.

    Raises BadBoardError if a board, not a generated one, has no room for all units.
    """
    kinds, players = roster(settings)
    hounds = range(kinds.index(HELLHOUND), len(kinds))
    people = range(kinds.index(NECROMONGER))
    pos = [-1] * len(kinds)
    free = board.cave_bits
    for unit in reversed(hounds):
        if not free:
            raise BadBoardError(
                f"no room for {len(hounds)} hellhounds: "
                "each needs a cave at a distance of 4 or more from the others"
            )
        while True:
            row, col = (
                chance.below(ROWS, "hellhound's row"),
                chance.below(COLS, "hellhound's column"),
            )
            cell = cell_at(row, col)
            if free >> cell & 1:
                break
        pos[unit] = cell
        free = far_from_hellhounds(free, [cell])
    free_cells = cells_of(free)
    # The original makes these draws too, although they place no unit.
    skip(chance, board.cave_bits.bit_count() - len(free_cells) - 1)
    order = permutation(chance, len(people), "unit to be placed")
    if len(free_cells) < len(people):
        raise BadBoardError(
            f"no room for {len(people)} pioneers and furyans: "
            f"{len(free_cells)} caves are at a distance of 4 or more from every hellhound"
        )
    indices = permutation_start(chance, len(free_cells), len(people), "cell for a unit")
    for unit, index in zip(order, indices, strict=True):
        pos[unit] = free_cells[index]
    health = [MAX_HEALTH.get(kind, IMMORTAL) if kind != NECROMONGER else 0 for kind in kinds]
    state = State(
        board=board,
        chance=chance,
        kind=kinds,
        player=players,
        health=health,
        turns=[UNUSED] * len(kinds),
        pos=pos,
    )
    for unit in people:
        if kinds[unit] == PIONEER:
            state.conquer(pos[unit], players[unit])
    return state
