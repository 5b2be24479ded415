"""Pairing the nearest who haven't met: exact, and quick for any number of bots.

Graphs of numbers alone; scores and names are the Swiss system's matter.
"""

from collections import deque
from collections.abc import Callable, Sequence


def nearest_pairs(count: int, met: Callable[[int, int], int]) -> tuple[list[tuple[int, int]], int]:
    """Pair 0 … count-1, best first: each in turn with the nearest below it that it hasn't met.

    The first gets the nearest with whom the others can still be paired without a meeting
    repeated, then the next one, and so on. Where repeats can't be avoided there are as few as
    possible, of those who met least.

    Args:
        count: How many; even.
        met: How often two met.

    Returns:
        The pairs, the first of each above the second; and how many of them are repeats.
    """
    near = [[b for b in range(count) if b != a and not met(a, b)] for a in range(count)]
    graph = _Graph(near)
    for a in range(count):
        if graph.mate[a] < 0:
            graph.augment(a)
    pairs = []
    lonely = [a for a in range(count) if graph.mate[a] < 0]
    repeats = len(lonely) // 2
    while lonely:
        a, b = min(
            ((a, b) for a in lonely for b in lonely if a < b),
            key=lambda pair: (met(*pair), pair),
        )
        pairs.append((a, b))
        graph.settle(a, b)
        lonely = [c for c in lonely if c not in {a, b}]
    for a in range(count):
        for b in near[a] if not graph.settled[a] else ():
            if not graph.settled[b] and graph.marry(a, b):
                graph.settle(a, b)
                pairs.append((a, b))
                break
    return sorted(pairs), repeats


class _Graph:
    """A graph with a matching, enlarged by Edmonds's blossom method."""

    def __init__(self, near: Sequence[Sequence[int]]) -> None:
        self._near = near
        self.mate = [-1] * len(near)
        self.settled = [False] * len(near)
        # Neighbours first: most of the matching is there before any search.
        for a, others in enumerate(near):
            b = next((b for b in others if self.mate[b] < 0), -1)
            if self.mate[a] < 0 <= b:
                self.mate[a], self.mate[b] = b, a

    def settle(self, a: int, b: int) -> None:
        """Take two out of the graph, as a pair."""
        self.mate[a], self.mate[b] = b, a
        self.settled[a] = self.settled[b] = True

    def marry(self, a: int, b: int) -> bool:
        """Make two of a perfect matching a pair, if the others can be matched then as well."""
        before = list(self.mate)
        if before[a] == b:
            return True
        left, other = before[a], before[b]
        self.mate[left] = self.mate[other] = -1
        self.mate[a], self.mate[b] = b, a
        self.settled[a] = self.settled[b] = True
        if self.augment(left):
            return True
        self.settled[a] = self.settled[b] = False
        self.mate = before
        return False

    def augment(self, root: int) -> bool:
        """Enlarge the matching by a path from an unmatched one; False when there is none."""
        count = len(self._near)
        parent = [-1] * count
        base = list(range(count))
        even = [False] * count
        even[root] = True
        queue = deque([root])
        while queue:
            a = queue.popleft()
            for b in self._near[a]:
                if self.settled[b] or base[a] == base[b] or self.mate[a] == b:
                    continue
                if b == root or (self.mate[b] >= 0 and parent[self.mate[b]] >= 0):
                    # An odd circle: it is shrunk to its base, all of it is even now.
                    top = self._common(a, b, base, parent)
                    inside: set[int] = set()
                    for side, child in ((a, b), (b, a)):
                        c, before = side, child
                        while base[c] != top:
                            inside |= {base[c], base[self.mate[c]]}
                            parent[c], before = before, self.mate[c]
                            c = parent[before]
                    for c in range(count):
                        if base[c] in inside:
                            base[c] = top
                            if not even[c]:
                                even[c] = True
                                queue.append(c)
                elif parent[b] < 0:
                    parent[b] = a
                    if self.mate[b] < 0:
                        self._flip(b, parent)
                        return True
                    even[self.mate[b]] = True
                    queue.append(self.mate[b])
        return False

    def _common(self, a: int, b: int, base: list[int], parent: list[int]) -> int:
        above = set()
        while True:
            a = base[a]
            above.add(a)
            if self.mate[a] < 0:
                break
            a = parent[self.mate[a]]
        while base[b] not in above:
            b = parent[self.mate[base[b]]]
        return base[b]

    def _flip(self, b: int, parent: list[int]) -> None:
        while b >= 0:
            a = parent[b]
            b_next = self.mate[a]
            self.mate[a], self.mate[b] = b, a
            b = b_next
