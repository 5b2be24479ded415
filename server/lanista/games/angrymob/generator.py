"""The generator of random maps of Angry Mob (rules/angrymob.md 1, "Generated maps").

A seed must give the same map on every machine and Python version. Therefore the generator
computes with integers only, and limits the number of its attempts.

A map grows in four steps: a random layout of passable cells, tunnels that join its parts, a pair
of bases far from each other, and neutral units. Each keeps the map symmetrical about its centre.

Sets of cells are integers used as bit sets, so that one step of a flood fill is a few shifts. A row
has one bit more than the map has columns, which is always 0, so that a shift by one never carries a
cell into the next row.
"""

from collections.abc import Callable, Iterator
from itertools import accumulate, islice

from lanista.games.angrymob.board import IMPASSABLE, Board
from lanista.games.chance import Chance, shuffle

ROWS, COLS = (10, 40), (10, 60)
"""The least and the greatest number of rows, and of columns, of a generated map."""
MAX_IMPASSABLE = 40
"""The greatest share of impassable cells in the finished map, in per cent."""
MAX_UNITS = 30
"""The greatest number of neutral units in a cell."""
_LAYOUTS = 4
"""The number of layouts that are tried before the map becomes an open field."""
_BASE_ATTEMPTS = 12
"""The number of random cells that are tried for a base before the farthest known is taken."""
_POCKET = 8
"""The number of cells below which an isolated cave is filled; larger ones get a tunnel."""
_RICH = 10
"""The least number of neutral units in a cell of a deposit."""


def generate(chance: Chance) -> Board:
    """Generate a random map."""
    grid = _Grid(_between(chance, *ROWS, "rows"), _between(chance, *COLS, "columns"))
    for _ in range(_LAYOUTS):
        layout = _LAYOUT_KINDS[chance.below(len(_LAYOUT_KINDS), "layout")]
        free = _thinned(grid, _joined(grid, layout(grid, chance)), chance)
        base = _base(grid, free, chance)
        if base is not None:
            break
    else:
        # Two opposite corners of an open field are as far apart as any two of its cells.
        free, base = grid.all, 0
    units = _neutral(grid, free, base, chance)
    cells = tuple(
        units.get(bit, 0) if free >> bit & 1 else IMPASSABLE for bit in grid.bits(grid.all)
    )
    first = grid.cell(base)
    return Board(grid.rows, grid.cols, cells, (first, len(cells) - 1 - first))


def _between(chance: Chance, low: int, high: int, why: str) -> int:
    return low + chance.below(high - low + 1, why)


# The grid and flood fills on it


class _Grid:
    """A map's shape. A cell (i, j) is the bit `i * (cols + 1) + j`; its mirror is `last - bit`."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.stride = cols + 1
        self.last = rows * self.stride - 2
        self.all = sum(((1 << cols) - 1) << row * self.stride for row in range(rows))

    def bit(self, row: int, col: int) -> int:
        return row * self.stride + col

    def cell(self, bit: int) -> int:
        """Return the cell's number in a `Board`."""
        return bit - bit // self.stride

    def bits(self, cells: int) -> list[int]:
        return [bit for bit, digit in enumerate(reversed(f"{cells:b}")) if digit == "1"]

    def pair(self, bit: int) -> int:
        """Return the set of a cell and its mirror."""
        return 1 << bit | 1 << self.last - bit

    def around(self, cells: int) -> int:
        """Return the neighbours of the cells; some bits are outside the map and must be masked."""
        return cells << 1 | cells >> 1 | cells << self.stride | cells >> self.stride

    def steps(self, start: int, free: int) -> Iterator[int]:
        """Yield the sets of free cells at 0, 1, 2, … steps from `start`.

        Their sum is the set of all cells that can be reached.
        """
        edge, left = start, free & ~start
        while edge:
            yield edge
            edge = self.around(edge) & left
            left ^= edge

    def apart(self, bit: int, free: int) -> int:
        """Return the number of steps from a cell to its mirror; there must be a path."""
        mirror = self.last - bit
        layers = enumerate(self.steps(1 << bit, free))
        return next(steps for steps, layer in layers if layer >> mirror & 1)


def _lowest(cells: int) -> int:
    return (cells & -cells).bit_length() - 1


# Layouts: each returns a symmetrical set of passable cells, which need not be connected yet


def _relief(grid: _Grid, chance: Chance, share: int, radius: int, rim: int) -> int:
    """Block the highest cells of a random relief, a share in per cent: clumps, caves or lakes.

    Heights, from 0 to 255, are averaged over a radius: the greater, the broader are the clumps. A
    high rim, the height outside the map, attracts rock.
    """
    count = grid.rows * grid.cols
    half = [chance.below(256, "height") for _ in range((count + 1) // 2)]
    flat = half + half[count // 2 - 1 :: -1]  # a centre cell isn't doubled
    lines = [flat[start : start + grid.cols] for start in range(0, count, grid.cols)]
    width = 2 * radius + 1
    for _ in range(4):  # rows, columns, rows, columns: the second pass makes the clumps round
        smeared = []
        for line in lines:
            sums = [0, *accumulate([rim] * radius + line + [rim] * radius)]
            smeared.append([high - low for low, high in zip(sums, sums[width:], strict=False)])
        lines = [list(line) for line in zip(*smeared, strict=True)]
        rim *= width
    flat = [height for line in lines for height in line]
    order = sorted(range((count + 1) // 2), key=lambda cell: (-flat[cell], cell))
    free = grid.all
    for cell in order[: count * share // 200]:
        free &= ~grid.pair(grid.bit(*divmod(cell, grid.cols)))
    return free


def _lines(chance: Chance, length: int, low: int, high: int) -> list[int]:
    """Return symmetrical positions of walls along a side, `low` to `high` cells from each other."""
    lines: list[int] = []
    widest = (length - 1) // 2  # the first wall and its mirror still have a cell between them
    position = _between(chance, low, max(low, min(high, widest)), "first wall") - 1
    while 2 * position + 2 < length:  # at least one cell between the middle two
        lines.append(position)
        position += _between(chance, low, high, "next wall")
    middle = [position] if 2 * position + 1 == length else []
    return lines + middle + [length - 1 - line for line in reversed(lines)]


def _lattice(
    grid: _Grid, chance: Chance, rows: list[int], cols: list[int], *, door: int, extra: int
) -> int:
    """Divide the map by walls into rooms, and open doors until all rooms are connected.

    A door is at most `door` cells wide; `extra` per cent of the walls between rooms that are
    connected already get one, too.
    """
    tops, lefts = [-1, *rows, grid.rows], [-1, *cols, grid.cols]
    across = len(lefts) - 1
    last_room = (len(tops) - 1) * across - 1
    sides = []  # two neighbouring rooms, and the bits of the wall between them
    for room in range(last_room + 1):
        i, j = divmod(room, across)
        if i + 2 < len(tops):
            run = range(lefts[j] + 1, lefts[j + 1])
            sides.append((room, room + across, [grid.bit(tops[i + 1], col) for col in run]))
        if j + 1 < across:
            run = range(tops[i] + 1, tops[i + 1])
            sides.append((room, room + 1, [grid.bit(row, lefts[j + 1]) for row in run]))
    # A side and its mirror get the same door; only the one nearer to the top is kept.
    sides = [side for side in sides if side[0] + side[1] <= last_room]
    free = grid.all
    for row in rows:
        free &= ~(((1 << grid.cols) - 1) << grid.bit(row, 0))
    for col in cols:
        free &= ~sum(1 << grid.bit(row, col) for row in range(grid.rows))
    groups = list(range(last_room + 1))  # union-find: by room, its parent or itself

    def group(room: int) -> int:
        while groups[room] != room:
            groups[room] = groups[groups[room]]
            room = groups[room]
        return room

    shuffle(chance, sides, "order of doors")
    for room, neighbour, wall in sides:
        ends = group(room), group(neighbour)
        if ends[0] == ends[1] and chance.below(100, "extra door") >= extra:
            continue
        groups[ends[0]] = ends[1]
        groups[group(last_room - room)] = group(last_room - neighbour)
        start = _between(chance, 0, max(len(wall) - door, 0), "place of door")
        for bit in wall[start : start + door]:
            free |= grid.pair(bit)
    return free


def _field(grid: _Grid, chance: Chance) -> int:
    """Return an open field with few clumps or none."""
    return _relief(grid, chance, _between(chance, 0, 8, "share"), 1, 128)


def _boulders(grid: _Grid, chance: Chance) -> int:
    """Return a map with many small clumps."""
    return _relief(grid, chance, _between(chance, 10, 25, "share"), 1, 128)


def _lakes(grid: _Grid, chance: Chance) -> int:
    """Return a map with a few broad clumps."""
    return _relief(grid, chance, _between(chance, 15, 35, "share"), 3, 128)


def _caves(grid: _Grid, chance: Chance) -> int:
    """Return hollows and tunnels in rock."""
    return _relief(grid, chance, _between(chance, 32, 40, "share"), 1, 200)


def _maze(grid: _Grid, chance: Chance) -> int:
    """Return a maze with some loops, whose paths are one or two cells wide."""
    pitch = _between(chance, 2, 3, "width of paths")
    rows = _lines(chance, grid.rows, pitch, pitch)
    cols = _lines(chance, grid.cols, pitch, pitch)
    # With paths one cell wide, half of the map would be wall; more loops bring it under the limit.
    return _lattice(grid, chance, rows, cols, door=grid.cols, extra=45 if pitch == 2 else 10)


def _rooms(grid: _Grid, chance: Chance) -> int:
    """Return rooms of many sizes with narrow doors."""
    rows = _lines(chance, grid.rows, 4, 9)
    cols = _lines(chance, grid.cols, 4, 9)
    return _lattice(grid, chance, rows, cols, door=_between(chance, 1, 2, "door"), extra=40)


def _corridors(grid: _Grid, chance: Chance) -> int:
    """Return long passages side by side, along the rows or along the columns."""
    along, across = (8, 16), (3, 4)
    if chance.below(2, "direction of corridors"):
        along, across = across, along
    rows = _lines(chance, grid.rows, *across)
    cols = _lines(chance, grid.cols, *along)
    return _lattice(grid, chance, rows, cols, door=2, extra=50)


def _ruins(grid: _Grid, chance: Chance) -> int:
    """Return ruined rooms: pieces of wall and pillars."""
    rows = _lines(chance, grid.rows, 3, 7)
    cols = _lines(chance, grid.cols, 3, 7)
    return _lattice(grid, chance, rows, cols, door=grid.cols, extra=15)


_LAYOUT_KINDS: tuple[Callable[[_Grid, Chance], int], ...] = (
    _field,
    _boulders,
    _lakes,
    _caves,
    _maze,
    _rooms,
    _corridors,
    _ruins,
)


# From a layout to a map


def _joined(grid: _Grid, free: int) -> int:
    """Connect all passable cells: tunnels lead to large caves, and small ones are filled."""
    regions = []
    left = free
    while left:
        region = sum(grid.steps(left & -left, left))
        regions.append(region)
        left ^= region
    regions.sort(key=lambda region: (-region.bit_count(), region))
    whole = regions[0]
    # First join the largest region to its mirror image; from then on the whole is symmetrical.
    mirror = grid.last - _lowest(whole)
    regions.sort(key=lambda region: not region >> mirror & 1)
    for region in regions:
        if region & whole or (region.bit_count() < _POCKET and not region >> mirror & 1):
            continue
        free |= _tunnel(grid, whole, region)
        whole = sum(grid.steps(whole, free))
    return whole


def _tunnel(grid: _Grid, whole: int, region: int) -> int:
    """Return the cells of a shortest path through rock to the region, and their mirrors."""
    layers = []
    for layer in grid.steps(whole, grid.all):
        layers.append(layer)
        if layer & region:
            break
    bit = _lowest(layers.pop() & region)
    cells = 0
    for layer in reversed(layers[1:]):
        bit = _lowest(grid.around(1 << bit) & layer)
        cells |= grid.pair(bit)
    return cells


def _thinned(grid: _Grid, free: int, chance: Chance) -> int:
    """Open impassable cells beside passable ones until no more than the allowed share is left."""
    surplus = grid.rows * grid.cols * (100 - MAX_IMPASSABLE) - 100 * free.bit_count()
    if surplus <= 0:
        return free
    walls = [bit for bit in grid.bits(grid.all & ~free) if 2 * bit <= grid.last]
    shuffle(chance, walls, "wall to open")
    # At first open only cells with two passable neighbours, which keeps walls smooth.
    needed = 2
    while True:
        for bit in walls:
            if free >> bit & 1 or (grid.around(1 << bit) & free).bit_count() < needed:
                continue
            opened = grid.pair(bit)
            free |= opened
            surplus -= 100 * opened.bit_count()
            if surplus <= 0:
                return free
        # The map is connected, so some wall has a passable neighbour: every pass opens a cell.
        needed = 1


def _base(grid: _Grid, free: int, chance: Chance) -> int | None:
    """Return the bit of a cell for a base, far enough from its mirror; None if none is found.

    That is half of the greatest distance D between any two cells, or more. D is expensive to
    compute, but if no cell is farther than e from some cell c, any two cells are joined by a path
    through c, so D is at most 2e. Therefore e steps are enough; c in the middle makes e small.

    Some maps have no such cell at all: in a map of many rings with few gaps, every cell can be
    nearer to its mirror than the innermost ring is to the outermost.
    """
    corners = []
    middle = _lowest(free)
    enough = grid.rows * grid.cols
    for _ in range(2):
        from_middle = list(grid.steps(1 << middle, free))
        enough = min(enough, len(from_middle) - 1)
        far = _lowest(from_middle[-1])
        layers = list(grid.steps(1 << far, free))
        corners += [far, _lowest(layers[-1])]
        # A cell half-way between two cells that are far from each other is a better middle.
        half = len(layers) // 2
        from_end = list(grid.steps(layers[-1] & -layers[-1], free))
        middle = _lowest(layers[half] & from_end[len(layers) - 1 - half])
    distance, best = max((grid.apart(bit, free), bit) for bit in corners)
    if distance < enough:
        return None
    wanted = _between(chance, enough, distance, "distance of bases")
    cells = grid.bits(free)
    for _ in range(_BASE_ATTEMPTS):
        bit = cells[chance.below(len(cells), "base")]
        if grid.apart(bit, free) >= wanted:
            return bit
    return best


# Neutral units


def _neutral(grid: _Grid, free: int, base: int, chance: Chance) -> dict[int, int]:
    """Return neutral units by bit, symmetrical, on a tenth to a half of the passable cells."""
    cells = [bit for bit in grid.bits(free & ~grid.pair(base)) if 2 * bit < grid.last]
    shuffle(chance, cells, "cell with units")
    # The bases count as passable for the tenth but not for the half, so that both bounds hold
    # whether or not one counts the bases.
    count = free.bit_count()
    pairs = _between(chance, (count + 19) // 20, (count - 2) // 4, "cells with units")
    rich: list[int] = []
    for middle in cells[: chance.below(4, "deposits")]:
        radius = 2 + chance.below(2, "radius of a deposit")
        layers = islice(grid.steps(1 << middle, free), radius)
        for bit in grid.bits(sum(layers)):
            near = min(bit, grid.last - bit)
            if 2 * near < grid.last and near != min(base, grid.last - base) and near not in rich:
                rich.append(near)
    del rich[pairs // 2 :]
    poor = [bit for bit in cells if bit not in rich][: pairs - len(rich)]
    units = {bit: _between(chance, _RICH, MAX_UNITS, "units of a deposit") for bit in rich}
    for bit in poor:
        # Nested draws make 1 the most frequent number, and greater numbers ever rarer.
        most = 1 + chance.below(MAX_UNITS, "most units")
        units[bit] = 1 + chance.below(1 + chance.below(most, "many units"), "units")
    units |= {grid.last - bit: number for bit, number in units.items()}
    # A centre cell is its own mirror; without one, half of `last` isn't the bit of a cell.
    centre = grid.last // 2
    is_cell = 2 * centre == grid.last and free >> centre & 1
    if is_cell and len(units) + 1 <= (count - 2) // 2 and chance.below(2, "units in the centre"):
        units[centre] = _between(chance, _RICH, MAX_UNITS, "units in the centre")
    return units
