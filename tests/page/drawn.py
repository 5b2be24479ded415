"""What a position looks like, told from the engine's own state: for tests that compare it with the
pixels of the page's board.

Written by the rules' pages alone: nothing is taken from the code of the page or of frames.
"""

from lanista.games import registry
from lanista.match.record import read_record
from lanista.match.replay import positions
from support.angrymob import neutral, units
from support.crematoria import caves_of, outside_of, units_of

COLS = 80
"""Of a level of Crematoria."""
OWNED = {str(seat): ("ground", seat) for seat in range(4)}
CAVES = {"R": "wall", "C": "floor", "E": "elevator", **OWNED}
CORRIDORS = {"W": "wall", ".": "floor", **OWNED}
CORNER, EDGE, BODY, FOOT, SIDE, BRICK = "corner", "edge", "body", "foot", "side", "brick"
SHARES = {BODY: (0.345, 0.66), FOOT: (0.1, 0.9), SIDE: (0.85, 0.33), BRICK: (0.2, 0.25)}
"""Where to look in a cell, as shares of a tile to the right and down.

A unit is seen beside the mark or the letter on its body, a crowd below its number, a wall above the
line in its middle. Ground is seen beside a figure at the edge, within the border of its owner, and
where no trail leads; on a board with arrows, in the corner.
"""


def drawings(path, rounds):
    """By round: what is to be seen at places of a record's board.

    A place is (level, row, column of the level, where); what is seen is "wall", "floor", "sun",
    "night", ("ground", seat) or ("unit", seat), seat -1 being nobody's. Places that something
    else may cover, as the ring of a beast, are left out.
    """
    record = read_record(path)
    told = {"angrymob": _angrymob, "crematoria": _crematoria, "hogwarts": _hogwarts}
    return {
        n: told[record.header.game](game)
        for n, game in enumerate(positions(record, registry.get(record.header.game)))
        if n in rounds
    }


def _angrymob(game):
    """Cells with units are filled; what lies around a base is covered by its frame."""
    rows, cols, cells = game.board.rows, game.board.cols, game.board.cells
    of_seat = units(game)
    hidden = {
        ((base // cols + down) % rows, (base % cols + right) % cols)
        for base in game.board.bases
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
    }
    seen = {}
    for cell, kind in enumerate(cells):
        place = divmod(cell, cols)
        looks = "wall" if kind < 0 else "floor"
        if kind > 0 and neutral(game, *place) > 0:
            looks = "unit", -1
        for seat, standing in enumerate(of_seat):
            if place in standing:
                looks = "unit", seat
        if place not in hidden:
            where = BRICK if looks == "wall" else CORNER if looks == "floor" else FOOT
            seen[0, *place, where] = looks
    return seen


def _hogwarts(game):
    """Ground of its owner; wizards and ghosts in their clan's colour (rules/hogwarts.md 2)."""
    side = 60
    where = divmod(game.voldemort, side)
    # What a spell took is hatched, what is around Voldemort in danger.
    struck = set(game.frame().captured)
    ghosts = {divmod(cell, side) for cell in game.cells[:4]}
    books = {divmod(cell, side) for cell in game.books}
    standing = {divmod(cell, side) for cell in game.cells}
    seen = {}
    for cell, owner in enumerate(game.owners.decode()):
        place = divmod(cell, side)
        if place in struck or _is_near(place, where) or place in ghosts:
            continue
        if CORRIDORS[owner] == "wall":
            seen[0, *place, BRICK] = "wall"
            continue
        if place in books:
            continue
        seen[0, *place, EDGE] = CORRIDORS[owner]
        if place not in standing:
            seen[0, *place, SIDE] = seen[0, *place, EDGE]
    for unit, (clan, cell) in enumerate(zip(game.clans, game.cells, strict=True)):
        place = divmod(cell, side)
        if not _is_near(place, where):
            seen[0, *place, BODY] = "unit", clan
            if unit >= 4 and game.rounds[unit]:
                seen.pop((0, *place, EDGE), None)  # its hat
    return seen


def _is_near(place, other):
    return max(abs(place[0] - other[0]), abs(place[1] - other[1])) <= 1


def _crematoria(game):
    """Caves of their owners below; above, the night of round r begins at column 2r
    (rules/crematoria.md 1).
    """
    people, hidden = {}, set()
    for unit in units_of(game.state):
        if unit.level < 0:
            continue
        place = unit.level, unit.row, unit.col
        if unit.kind == "h" or unit.turns > 0:
            hidden |= {
                (unit.level, unit.row + down, (unit.col + right) % COLS)
                for down in (-1, 0, 1)
                for right in (-1, 0, 1)
            }
        else:
            people[place] = unit.player
            hidden.add((unit.level, unit.row + 1, unit.col))  # the end of a bar of health
    below, above = caves_of(game), outside_of(game)
    night = {(2 * game.turn + right) % COLS for right in range(COLS // 2)}
    seen = {}
    for row in range(len(below)):
        for col in range(COLS):
            cave = below[row][col]
            grounds = [CAVES[cave], "night" if col in night else "sun"]
            for level, ground in enumerate(grounds):
                if "E" in (cave, above[row][col]) or (level, row, col) in hidden:
                    continue
                if level == 1 and above[row][col] == "G":
                    continue
                seen[level, row, col, BRICK if ground == "wall" else EDGE] = ground
                if ground != "wall":
                    seen[level, row, col, SIDE] = ground
    for (level, row, col), player in people.items():
        seen.pop((level, row, col, SIDE), None)
        if (level, row, col) not in hidden:
            seen[level, row, col, BODY] = "unit", player
    for unit in units_of(game.state):
        if unit.kind in "fn":  # a spear, horns
            seen.pop((unit.level, unit.row, unit.col, EDGE), None)
    return seen


def colour_of(looks, palette):
    """The colour that something has, of the page's palette."""
    if isinstance(looks, str):
        return palette[looks]
    kind, seat = looks
    return (palette["seats"][seat] if seat >= 0 else palette["neutral"])[kind]


def is_colour(colour, expected):
    """Whether a pixel has a colour, but for what smoothing an edge may round away."""
    if colour == expected:
        return True
    channels = [[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in (colour, expected)]
    return all(abs(first - second) <= 1 for first, second in zip(*channels, strict=True))


def point(geometry, place):
    """Where a place is on the canvas, in pixels."""
    level, row, col, where = place
    corner = geometry[level]
    tile = corner["tile"]
    right, down = (share * tile for share in SHARES.get(where, (0, 0)))
    if where in (CORNER, EDGE):
        right = max(1, round(0.08 * tile))
        down = right if where == CORNER else 0.3 * tile
    return [int(corner["x"] + col * tile + right), int(corner["y"] + row * tile + down)]
