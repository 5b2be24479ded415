"""A strategy that depends on the position alone: everyone walks the shortest way to the enemy base.

Shortest by breadth-first search in a fixed order of directions: the same map and opponent give
the same match, digest for digest.
"""

WAYS = ((0, 1), (-1, 0), (0, -1), (1, 0))  # by direction: right, up, left, down


class March:
    """Fed with the lines of each turn, gives the submoves."""

    def __init__(self):
        self.way = {}

    def answer(self, lines):
        """The line for this turn; the first one brings the map."""
        if not self.way:
            self._find_the_way(lines)
        moves = []
        for words in lines:
            if words[0] == "unit" and words[3] == self.seat:
                cell = int(words[1]), int(words[2])
                if cell in self.way:
                    moves += [*words[1:3], words[4], str(self.way[cell])]
        return " ".join(moves).encode() + b"\n"

    def _find_the_way(self, lines):
        rows = {int(words[1]): words[2:] for words in lines if words[0] == "row"}
        (self.seat,) = (words[1] for words in lines if words[0] == "seat")
        (goal,) = (
            (int(words[2]), int(words[3]))
            for words in lines
            if words[0] == "base" and words[1] != self.seat
        )
        seen, queue = {goal}, [goal]
        for i, j in queue:
            for direction, (down, right) in enumerate(WAYS):
                cell = i - down, j - right
                if cell in seen or not (0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows[0])):
                    continue
                if rows[cell[0]][cell[1]] != "#":
                    seen.add(cell)
                    queue.append(cell)
                    self.way[cell] = direction
