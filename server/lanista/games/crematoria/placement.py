"""The random placement of units at the start, draw for draw (rules/crematoria.md 4)."""

from collections.abc import Mapping

from lanista.games.base import BadBoardError
from lanista.games.chance import Chance
from lanista.games.crematoria.board import Board
from lanista.games.crematoria.draws import permutation, permutation_start, skip
from lanista.games.crematoria.geometry import COLS, ROWS, cell_at, cells_of, widened
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


def place_units(settings: Mapping[str, int], board: Board, chance: Chance) -> State:
    """Return the position before the first round.

    Raises:
        BadBoardError: There is no room for all units, which can't happen on a generated board.
    """
    kinds, players = roster(settings)
    hounds = [unit for unit, kind in enumerate(kinds) if kind == HELLHOUND]
    people = range(len(kinds) - len(hounds) - settings["max_nb_necromongers"])
    pos = [-1] * len(kinds)
    near_hounds = 0
    for unit in reversed(hounds):
        free = board.cave_bits & ~near_hounds
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
        near_hounds |= widened(widened(widened(1 << cell)))
    # The original makes these draws too, although they place no unit.
    skip(chance, (board.cave_bits & near_hounds).bit_count() - 1)
    order = permutation(chance, len(people), "unit to be placed")
    free_cells = cells_of(board.cave_bits & ~near_hounds)
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
        necromongers=range(len(people), len(people) + settings["max_nb_necromongers"]),
        hellhounds=range(len(kinds) - len(hounds), len(kinds)),
    )
    for unit in people:
        if kinds[unit] == PIONEER:
            state.conquer(pos[unit], players[unit])
    return state
