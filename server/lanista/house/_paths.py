"""Distances on the map of an Angry Mob match, for bots that plan their way.

Only the map's shape lives here: cells, who neighbours whom, how far it is. Units and decisions are
the bot's. Cells are numbered `i * cols + j`, so that distances lie in compact arrays.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Container

    from lanista_client import AngryMobState

FAR = 65535
"""The distance of what can't be reached; a path has at most 200 * 200 cells."""

_CACHED_ENTRIES = 8_000_000  # 16 MB: every cell of a 40 by 60 map, a good part of a bigger one


class Paths:
    """The passable cells of a map, and distances between them in steps.

    Attributes:
        neighbours: of each cell, the (direction, cell) pairs that lead out of it.
    """

    def __init__(self, state: AngryMobState) -> None:
        self._cols = state.cols
        self.neighbours = [
            tuple((d, self.number(cell)) for d, cell in state.neighbours(i, j))
            for i in range(state.rows)
            for j in range(state.cols)
        ]
        self._next = [tuple(cell for _, cell in ways) for ways in self.neighbours]
        self._distances: dict[int, array[int]] = {}

    def number(self, cell: tuple[int, int]) -> int:
        """The number of the cell (row, column)."""
        return cell[0] * self._cols + cell[1]

    def cell(self, number: int) -> tuple[int, int]:
        """The (row, column) of the cell with that number."""
        return divmod(number, self._cols)

    def distances(self, source: int) -> array[int]:
        """Of each cell, its distance from the source; `FAR` where no path leads.

        They are kept, for bots ask for the same few sources turn after turn.
        """
        known = self._distances.get(source)
        if known is not None:
            return known
        if len(self._distances) * len(self._next) > _CACHED_ENTRIES:
            self._distances.clear()
        found = array("H", [FAR]) * len(self._next)
        found[source] = 0
        ring, distance = [source], 0
        while ring:
            distance += 1
            outer = []
            for cell in ring:
                for other in self._next[cell]:
                    if found[other] == FAR:
                        found[other] = distance
                        outer.append(other)
            ring = outer
        self._distances[source] = found
        return found

    def nearest(
        self, source: int, goals: Container[int], *, most: int, within: int
    ) -> list[list[int]]:
        """Shortest paths from the source to the nearest goals, none of them through another goal.

        Args:
            source: where the paths begin; it is no goal of its own.
            goals: the cells wanted.
            most: how many paths at most.
            within: how many cells to look at, at most.

        Returns:
            The paths, the nearest goal first, each from the source to its goal.
        """
        came_from = {source: source}
        queue = [source]
        paths: list[list[int]] = []
        for cell in queue:  # it grows meanwhile
            if len(paths) >= most or len(came_from) > within:
                break
            if cell != source and cell in goals:
                path = [cell]
                while path[-1] != source:
                    path.append(came_from[path[-1]])
                paths.append(path[::-1])
                continue
            for other in self._next[cell]:
                if other not in came_from:
                    came_from[other] = cell
                    queue.append(other)
        return paths
