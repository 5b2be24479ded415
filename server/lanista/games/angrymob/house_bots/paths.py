"""Distances and paths on the map of an Angry Mob match, for bots that plan ahead.

This module knows only the map: its cells, their neighbours and the distances between them. Units
and decisions are up to the bot. Cells are numbered `i * cols + j`, so that distances fit in compact
arrays.
"""

from __future__ import annotations

from array import array

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from collections.abc import Container

    from lanista_client import AngryMobState

FAR = 65535
"""The distance of a cell that can't be reached; a path has at most 200 * 200 cells."""

_CACHED_ENTRIES = 8_000_000
"""The number of distances kept, 16 MB: all of a map of 40 by 60 cells, a part of a larger one's."""


class Paths:
    """The passable cells of a map, and distances between them in steps.

    Attributes:
        neighbours: The (direction, cell) pairs of the neighbours of each cell, by its number.
    """

    def __init__(self, state: AngryMobState) -> None:
        self._cols = state.cols
        self.neighbours = [
            tuple((d, self.number(cell)) for d, cell in state.neighbours(i, j))
            for i in range(state.rows)
            for j in range(state.cols)
        ]
        self._next = [tuple(cell for _, cell in pairs) for pairs in self.neighbours]
        self._distances: dict[int, array[int]] = {}

    def number(self, cell: tuple[int, int]) -> int:
        """Return the number of the cell (row, column)."""
        return cell[0] * self._cols + cell[1]

    def cell(self, number: int) -> tuple[int, int]:
        """Return the (row, column) of the cell with that number."""
        return divmod(number, self._cols)

    def distances(self, source: int) -> array[int]:
        """Return each cell's distance from the source, in steps; `FAR` where there is no path.

        They are cached, since bots ask for the same few sources turn after turn.
        """
        cached = self._distances.get(source)
        if cached is not None:
            return cached
        if len(self._distances) * len(self._next) > _CACHED_ENTRIES:
            self._distances.clear()
        distances = array("H", [FAR]) * len(self._next)
        distances[source] = 0
        ring, distance = [source], 0
        while ring:
            distance += 1
            outer = []
            for cell in ring:
                for other in self._next[cell]:
                    if distances[other] == FAR:
                        distances[other] = distance
                        outer.append(other)
            ring = outer
        self._distances[source] = distances
        return distances

    def nearest(
        self, source: int, goals: Container[int], *, most: int, within: int
    ) -> list[list[int]]:
        """Return shortest paths from the source to the nearest goals, none through another goal.

        Args:
            source: The first cell of all paths; it doesn't count as a goal.
            goals: The cells to find paths to.
            most: The greatest number of paths.
            within: The greatest number of cells to look at.

        Returns:
            The paths, the nearest goal first, each from the source to its goal.
        """
        came_from = {source: source}
        queue = [source]
        paths: list[list[int]] = []
        for cell in queue:  # which grows in the loop
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
