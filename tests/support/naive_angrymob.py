"""Angry Mob once more, for comparison: each unit an object, every rule as the page words it.

Slow and plain on purpose, and without a line of the real one: only rules/angrymob.md was read.
"""

import attrs

STEPS = {0: (0, 1), 1: (-1, 0), 2: (0, -1), 3: (1, 0)}
"""Direction: right, up, left, down, as change of row and column."""


@attrs.define(eq=False)
class Unit:
    """One unit of a player."""

    owner: int
    cell: tuple[int, int]


@attrs.define
class NaiveAngryMob:
    """A game from a map's rows of tokens."""

    rows: list[list[str]]
    move_limit: int = 2400
    moves: int = 0
    ended: str | None = None
    """Why it is over: `capture`, `both-captured`, `no-units`, `move-limit`, `forfeit`."""
    winner: int | None = None
    """None at the end: a draw."""
    units: list[Unit] = attrs.field(factory=list)
    neutral: dict[tuple[int, int], int] = attrs.field(factory=dict)
    bases: dict[int, tuple[int, int]] = attrs.field(factory=dict)

    def __attrs_post_init__(self):
        for i, row in enumerate(self.rows):
            for j, token in enumerate(row):
                if token in "AB":
                    self.bases["AB".index(token)] = (i, j)
                elif token not in "#.":
                    self.neutral[i, j] = int(token)
        # "At the start each player has one unit, on its own base, and nothing else."
        self.units = [Unit(0, self.bases[0]), Unit(1, self.bases[1])]

    def passable(self, cell):
        i, j = cell
        return 0 <= i < len(self.rows) and 0 <= j < len(self.rows[0]) and self.rows[i][j] != "#"

    def of(self, player):
        return [unit for unit in self.units if unit.owner == player]

    def count(self, player):
        """Units by cell, as a mapping."""
        counts = {}
        for unit in self.of(player):
            counts[unit.cell] = counts.get(unit.cell, 0) + 1
        return counts

    def journeys(self, player, numbers):
        """Who goes where, or the place of the first illegal submove (section 4)."""
        goes = {}
        for at in range(0, len(numbers), 4):
            i, j, k, d = numbers[at : at + 4]
            if not self.passable((i, j)) or d not in STEPS or k < 1:
                return at // 4
            target = (i + STEPS[d][0], j + STEPS[d][1])
            standing = [u for u in self.of(player) if u.cell == (i, j) and u not in goes]
            if not self.passable(target) or k > len(standing):
                return at // 4
            for unit in standing[:k]:
                goes[unit] = target
        return goes

    def move(self, first, second):
        """One move of both; None for an answer that didn't come or makes no sense."""
        plans = []
        for player, numbers in enumerate((first, second)):
            plans.append(0 if numbers is None else self.journeys(player, numbers))
        illegal = [not isinstance(plan, dict) for plan in plans]
        if any(illegal):
            self.ended = "forfeit"
            self.winner = None if all(illegal) else illegal.index(False)
            return
        # 1. "All units leave and arrive together."
        for plan in plans:
            for unit, target in plan.items():
                unit.cell = target
        # 2. One of each falls as long as there is one of each.
        for cell in {unit.cell for unit in self.units}:
            while True:
                pair = [next((u for u in self.of(p) if u.cell == cell), None) for p in (0, 1)]
                if None in pair:
                    break
                self.units = [unit for unit in self.units if unit not in pair]
        # 3. "Both players are checked on the same position", "before anyone is recruited".
        recruiting = [player for player in (0, 1) if len(self.of(player)) <= 8]
        for player in recruiting:
            for cell in {unit.cell for unit in self.of(player)}:
                self.units += [Unit(player, cell) for _ in range(self.neutral.pop(cell, 0))]
        # 4. and section 3.
        self.moves += 1
        conquered = [
            any(unit.cell == self.bases[1 - player] for unit in self.of(player))
            for player in (0, 1)
        ]
        if conquered == [True, True]:
            self.ended = "both-captured"
        elif True in conquered:
            self.ended, self.winner = "capture", conquered.index(True)
        elif not self.units:
            self.ended = "no-units"
        elif self.moves == self.move_limit:
            self.ended = "move-limit"

    @property
    def ranks(self):
        """Places at the end."""
        return tuple(1 if self.winner in (None, player) else 2 for player in (0, 1))

    @property
    def scores(self):
        """Units on the map."""
        return tuple(len(self.of(player)) for player in (0, 1))
