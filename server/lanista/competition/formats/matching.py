"""Pairing each bot with the nearest one that it hasn't met: exact, and fast for any number of bots.

Pairing greedily from the top can leave bots at the bottom that have all met each other. So first a
matching of as many bots as possible is found that repeats no meeting (Edmonds's blossom algorithm);
then each bot in turn gets the nearest opponent with which the rest can still be matched. This
module knows graphs of numbers only; scores and names are up to the Swiss system.
"""

from collections import deque
from collections.abc import Callable, Sequence


def nearest_pairs(count: int, met: Callable[[int, int], int]) -> tuple[list[tuple[int, int]], int]:
    """Pair 0 … count-1 (even), best first: each with the nearest below it that it hasn't met.

    The first gets the nearest opponent that leaves the others a pairing without repeated meetings,
    then the next one, and so on. Where repeats can't be avoided, there are as few as possible,
    between those that met least often.

    Returns:
        The pairs, the better one first; and how many of them are repeats.
    """
    near = [[b for b in range(count) if b != a and not met(a, b)] for a in range(count)]
    graph = _Graph(near)
    for a in range(count):
        if graph.mate[a] < 0:
            graph.augment(a)
    pairs = []
    unmatched = [a for a in range(count) if graph.mate[a] < 0]
    repeats = len(unmatched) // 2
    while unmatched:
        a, b = min(
            ((a, b) for a in unmatched for b in unmatched if a < b),
            key=lambda pair: (met(*pair), pair),
        )
        pairs.append((a, b))
        graph.settle(a, b)
        unmatched = [c for c in unmatched if c not in {a, b}]
    for a in range(count):
        for b in near[a] if not graph.settled[a] else ():
            if not graph.settled[b] and graph.try_pair(a, b):
                graph.settle(a, b)
                pairs.append((a, b))
                break
    return sorted(pairs), repeats


class _Graph:
    """A graph with a matching, which Edmonds's blossom algorithm enlarges."""

    def __init__(self, near: Sequence[Sequence[int]]) -> None:
        self._near = near
        self.mate = [-1] * len(near)
        self.settled = [False] * len(near)
        # Greedy first: that matches most nodes without any search.
        for a, others in enumerate(near):
            b = next((b for b in others if self.mate[b] < 0), -1)
            if self.mate[a] < 0 <= b:
                self.mate[a], self.mate[b] = b, a

    def settle(self, a: int, b: int) -> None:
        """Take two nodes out of the graph, as a pair."""
        self.mate[a], self.mate[b] = b, a
        self.settled[a] = self.settled[b] = True

    def try_pair(self, a: int, b: int) -> bool:
        """Make two nodes of a perfect matching a pair, if the others can still be matched.

        Returns:
            Whether they are a pair now; if not, the matching is as before.
        """
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
        """Enlarge the matching by an augmenting path from an unmatched node.

        Returns:
            Whether there was such a path.
        """
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
                    # An odd cycle (a blossom): it is shrunk to its base, and all of it is even now.
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
        """Return the base at which the paths from `a` and `b` to the root of their tree meet."""
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
        """Match along the augmenting path that ends at `b`."""
        while b >= 0:
            a = parent[b]
            b_next = self.mate[a]
            self.mate[a], self.mate[b] = b, a
            b = b_next
