"""Tells what a position looks like, from its scene and its frame.

Tests compare it with the pixels of the page's board, and of images.

That these are what the rules say is tested in tests/games. Nothing is taken from what draws them.
"""

from lanista.games import registry
from lanista.games.picture import Ground, Shape
from lanista.match.record import read_record
from lanista.match.replay import positions

CORNER, EDGE, BODY, FOOT, SIDE, BRICK = "corner", "edge", "body", "foot", "side", "brick"
SHARES = {BODY: (0.345, 0.66), FOOT: (0.1, 0.9), SIDE: (0.85, 0.33), BRICK: (0.2, 0.25)}
"""Where to look in a cell, as shares of a tile to the right and down.

A unit is seen beside the mark or the letter on its body, a crowd below its number, a wall above the
line in its middle. Ground is seen beside a figure at the edge, within the border of its owner, and
where no trail leads; on a board with arrows, in the corner.
"""
THINGS = {Shape.BOOK, Shape.GEM}
RINGED = {Shape.FIEND, Shape.HOUND, Shape.SHIP}
"""Their rings and shadows reach into the cells around."""
WIDE = {Shape.GHOST, Shape.TURNCOAT, Shape.WARRIOR, Shape.RAIDER}
"""Their hats, spears and horns reach to the edge."""


def drawings(path, rounds):
    """By round: what is to be seen of a record's positions, as by `drawing`."""
    record = read_record(path)
    return {
        n: drawing(game.scene(), game.frame())
        for n, game in enumerate(positions(record, registry.get(record.header.game)))
        if n in rounds
    }


def drawing(scene, frame):
    """Return what is to be seen at places of a board.

    A place is (level, row, column of the level, where); what is seen is "wall", "floor", "sun",
    "night", ("ground", seat) or ("unit", seat), seat -1 being nobody's. Places that something
    else may cover, as the ring of a beast, are left out.
    """
    standing = {(mark.row, mark.col): mark for mark in frame.marks}
    ringed = [place for place, mark in standing.items() if mark.shape in RINGED]
    bars = {(row + 1, col) for (row, col), mark in standing.items() if mark.health is not None}
    seen = {}
    for level, part in enumerate(scene.parts):
        covered = bars | {
            (row + down, part.col + (col - part.col + right) % part.cols)
            for row, col in (*scene.owners, *ringed)
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
        }
        is_lit = not frame.lit.isdisjoint(range(part.col, part.col + part.cols))
        for row in range(scene.rows):
            for col in range(part.col, part.col + part.cols):
                if (row, col) in covered or scene.ground[row][col] is Ground.BASE:
                    continue
                mark = standing.get((row, col))
                is_wall = scene.ground[row][col] is Ground.WALL
                ground = "wall" if is_wall else "floor"
                if (row, col) in frame.owned:
                    ground = "ground", frame.owned[row, col]
                elif is_lit and not is_wall:
                    ground = "sun" if col in frame.lit else "night"
                looks = _looks(scene, mark, ground, (row, col) in frame.captured)
                seen |= {(level, row, col - part.col, at): what for at, what in looks.items()}
    return seen


def _looks(scene, mark, ground, is_hatched):
    """Return what is seen at places of a cell, given the mark that stands there, if any."""
    has_arrows = Shape.COUNT in {shape for shape, _, _ in scene.kinds}
    looks = {}
    if mark is not None and mark.shape not in THINGS:
        unit = "unit", -1 if mark.seat is None else mark.seat
        looks[FOOT if has_arrows else BODY] = unit
    if ground == "wall":
        looks[BRICK] = ground
    elif has_arrows:
        looks |= {} if mark else {CORNER: ground}
    elif not is_hatched and (mark is None or mark.shape not in THINGS | WIDE):
        looks |= {EDGE: ground} if mark else {EDGE: ground, SIDE: ground}
    return looks


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
