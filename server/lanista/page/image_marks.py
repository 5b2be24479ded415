"""The colours of images of a match, and the marks that `image` puts on the board.

The colours are those of the page's light theme (page/colours.js); a test compares them.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import attrs
from PIL import Image, ImageChops, ImageDraw, ImageFont

from lanista.games.picture import Mark, Shape
from lanista.page.seat_colours import LIGHT, SeatColours, letter, mixed, rgb

SEATS, NEUTRAL, of_seat = LIGHT.seats, LIGHT.neutral, LIGHT.of_seat
COLOURS: Mapping[str, str] = {
    "floor": "#f4f3ef",
    "wall": "#4b4a5a",
    "night": "#8d9cbb",
    "sun": "#fff0a8",
    "base": "#b3261e",
    "baseDeep": "#3a0f0c",
    "ink": "#16161c",
    "halo": "#ffffff",
    "danger": "#e0002a",
    "book": "#4a2c14",
    "gem": "#ffc400",
    "hull": "#a9a9ae",
    "title": "#55555f",
}
FINE = 4
"""Factor by which marks are drawn larger than they are shown, so that their edges are smooth."""
READABLE = 7
"""Side of a tile in pixels below which no text is written into it."""
LETTERED = 20
"""Side of a tile in pixels from which units show the letters of their seats."""
MARKED = 8
"""Side of a tile in pixels from which units without a letter show the marks of their seats."""
RING = 92
"""Opacity of the ring of danger, 0 to 255."""
HATCH = 153
"""Opacity of the hatching of captured ground, 0 to 255."""
_FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "Arial.ttf", "Arial Unicode.ttf")


@attrs.frozen
class Sprite:
    """The image of a mark."""

    image: Image.Image
    left: int
    """Pixels from the image's left edge to that of the mark's tile."""
    top: int
    """Pixels from the image's upper edge to that of the mark's tile."""


@functools.cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return a font of so many pixels: one of the system with many letters, else Pillow's own."""
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    own = ImageFont.load_default(size)
    assert isinstance(own, ImageFont.FreeTypeFont)  # as a size is given
    return own


def sprite(mark: Mark, tile: int) -> Sprite:
    """Return the image of a mark on a tile of so many pixels."""
    health = None if mark.health is None or tile < READABLE else round(mark.health, 1)
    return _sprite(mark.shape, mark.seat, mark.text, health, tile)


_RINGED = {Shape.BEAST, Shape.FIEND, Shape.HOUND}


@functools.lru_cache(maxsize=4096)
def _sprite(shape: Shape, seat: int | None, text: str, health: float | None, tile: int) -> Sprite:
    around = tile if shape in _RINGED else 0
    side = tile + 2 * around
    image = Image.new("RGBA", (side * FINE, side * FINE))
    pen = _Pen(image, tile * FINE, around * FINE, seat)
    _DRAWN[shape](pen, text)
    if health is not None and health < 1:
        pen.health(health)
    return Sprite(image.reduce(FINE), around, around)


@functools.lru_cache(maxsize=1024)
def arrow(rows: int, cols: int, seat: int, tile: int) -> Sprite:
    """Return the image of a move by so many rows and columns, placed at the tile where it starts.

    The number of units that moved isn't written: it would cover what stands there.
    """
    left, top = max(-cols, 0), max(-rows, 0)
    size = ((abs(cols) + 1) * tile * FINE, (abs(rows) + 1) * tile * FINE)
    image = Image.new("RGBA", size)
    draw, unit = ImageDraw.Draw(image), tile * FINE
    length = math.hypot(rows, cols) or 1.0
    x, y = (left + 0.5) * unit, (top + 0.5) * unit

    def placed(along: float, aside: float) -> tuple[float, float]:
        return (
            x + (along * cols - aside * rows) / length * unit,
            y + (along * rows + aside * cols) / length * unit,
        )

    # The head is where the cells meet, so that numbers in both stay readable.
    tip = length - 0.24
    back = tip - 0.32
    outline = ((0.32, 0.09), (back, 0.09), (back, 0.25), (tip, 0.0))
    corners = [placed(along, aside) for along, aside in outline]
    corners += [placed(along, -aside) for along, aside in reversed(outline[:-1])]
    draw.line([*corners, corners[0]], COLOURS["halo"], max(FINE, unit // 8), joint="curve")
    draw.polygon(corners, of_seat(seat).unit)
    return Sprite(image.reduce(FINE), left * tile, top * tile)


@attrs.frozen
class _Pen:
    """Draws in the middle tile of an image; lengths are shares of the tile's side."""

    image: Image.Image
    unit: int
    offset: int
    seat: int | None
    draw: ImageDraw.ImageDraw = attrs.field(init=False)

    @draw.default
    def _(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    @property
    def colours(self) -> SeatColours:
        return of_seat(self.seat)

    def box(self, half: float) -> tuple[float, float, float, float]:
        middle = self.offset + self.unit / 2
        low, high = middle - half * self.unit, middle + half * self.unit - 1
        return low, low, high, high

    def points(self, *shares: tuple[float, float]) -> list[tuple[float, float]]:
        return [(self.offset + x * self.unit, self.offset + y * self.unit) for x, y in shares]

    def outlined(self, outline: Sequence[tuple[float, float]], colour: str, line: str) -> None:
        corners = self.points(*outline)
        self.draw.line([*corners, *corners[:2]], line, self.thick(0.14), joint="curve")
        self.draw.polygon(corners, colour)

    def thick(self, share: float) -> int:
        return max(FINE // 2, round(share * self.unit))

    def write(
        self,
        text: str,
        colour: str,
        height: float,
        outline: str | None = None,
        *,
        down: float = 0.0,
    ) -> None:
        """Write a text of some height, or less if it is too wide; none on a tile that is small."""
        if self.unit < READABLE * FINE:
            return
        size = max(1, round(height * self.unit))
        width, room = font(size).getlength(text), 0.9 * self.unit
        if width > room:
            size = max(1, int(size * room / width))
        middle = self.offset + self.unit / 2
        self.draw.text(
            (middle, middle + down * self.unit),
            text,
            colour,
            font(size),
            anchor="mm",
            stroke_width=round(size / 8) if outline else 0,
            stroke_fill=outline,
        )

    def letter(self, height: float, *, down: float = 0.0) -> bool:
        """Write the seat's letter, if it can be read; return whether it was."""
        if self.seat is None or self.unit < LETTERED * FINE:
            return False
        self.write(letter(self.seat), self.colours.on, height, down=down)
        return True

    def mark(self, body: Sequence[tuple[float, float]]) -> None:
        """Draw the seat's mark on a body, if it can be seen."""
        if self.seat is None or self.unit < MARKED * FINE:
            return
        mark, inside = (Image.new("L", self.image.size) for _ in range(2))
        for corners in _MARKS[self.seat % len(_MARKS)]:
            ImageDraw.Draw(mark).rectangle([*self.points(*corners)], 255)
        ImageDraw.Draw(inside).polygon(self.points(*body), 255)
        self.image.paste(self.colours.on, mask=ImageChops.darker(mark, inside))

    def health(self, health: float) -> None:
        low, high = self.points((0.12, 0.82), (0.88, 0.95))
        self.draw.rectangle((*low, *high), COLOURS["ink"])
        inside = self.points((0.15, 0.85), (0.15 + 0.7 * health, 0.92))
        if health > 0:
            self.draw.rectangle((*inside[0], *inside[1]), COLOURS["halo"])


def _text(pen: _Pen, text: str) -> None:
    pen.write(text, pen.colours.unit, 0.8, COLOURS["halo"])


def _count(pen: _Pen, text: str) -> None:
    top, bottom = _CUT[(pen.seat or 0) % len(_CUT)]
    low, high = 0.02, 0.98
    corners = (
        *((low, low + top), (low + top, low), (high - top, low), (high, low + top)),
        *((high, high - bottom), (high - bottom, high), (low + bottom, high), (low, high - bottom)),
    )
    pen.draw.polygon(pen.points(*corners), pen.colours.unit)
    pen.write(text, pen.colours.on, 0.66)


def _disc(pen: _Pen, _: str) -> None:
    pen.draw.ellipse(pen.box(0.46), COLOURS["halo"])
    pen.draw.ellipse(pen.box(0.39), pen.colours.unit)
    pen.letter(0.44)


def _cross(pen: _Pen, _: str) -> None:
    pen.draw.ellipse(pen.box(0.36), COLOURS["halo"])
    pen.draw.ellipse(pen.box(0.3), pen.colours.unit)
    for colour, width in ((COLOURS["halo"], 0.24), (pen.colours.unit, 0.13)):
        for line in (((0.14, 0.14), (0.86, 0.86)), ((0.14, 0.86), (0.86, 0.14))):
            pen.draw.line(pen.points(*line), colour, pen.thick(width))
    pen.letter(0.36)


def _square(pen: _Pen, _: str) -> None:
    pen.draw.rectangle(pen.box(0.48), pen.colours.unit, COLOURS["halo"], pen.thick(0.2))
    pen.draw.rectangle(pen.box(0.44), pen.colours.unit, COLOURS["ink"], pen.thick(0.12))
    pen.letter(0.44)


def _book(pen: _Pen, _: str) -> None:
    cover = ((0.02, 0.2), (0.5, 0.24), (0.98, 0.2), (0.98, 0.86), (0.5, 0.9), (0.02, 0.86))
    pen.outlined(cover, COLOURS["book"], COLOURS["halo"])
    for outer, inner in ((0.12, 0.46), (0.88, 0.54)):  # two pages
        page = pen.points((outer, 0.3), (inner, 0.34), (inner, 0.78), (outer, 0.74))
        pen.draw.polygon(page, COLOURS["halo"])


def _gem(pen: _Pen, _: str) -> None:
    corners = pen.points((0.5, 0.92), (0.08, 0.4), (0.28, 0.12), (0.72, 0.12), (0.92, 0.4))
    pen.draw.polygon(corners, COLOURS["gem"], COLOURS["ink"], pen.thick(0.07))


def _ring(pen: _Pen) -> None:
    """Draw a frame around a tile and its eight neighbours."""
    ring = (*rgb(COLOURS["danger"]), RING)
    corner = pen.unit * 0.6
    pen.draw.rounded_rectangle(pen.box(1.48), corner, ring, COLOURS["danger"], pen.thick(0.08))


def _beast(pen: _Pen, text: str) -> None:
    _ring(pen)
    pen.draw.ellipse(pen.box(0.5), COLOURS["danger"], COLOURS["ink"], pen.thick(0.07))
    pen.write(text, COLOURS["halo"], 0.7)


_BODIES: Mapping[Shape, tuple[tuple[float, float], ...]] = {
    Shape.MAGE: (
        *((0.5, 0.0), (0.69, 0.38), (0.84, 0.38), (0.84, 0.47), (0.66, 0.47), (0.84, 0.96)),
        *((0.16, 0.96), (0.34, 0.47), (0.16, 0.47), (0.16, 0.38), (0.31, 0.38)),
    ),
    Shape.GHOST: (
        *((0.08, 0.98), (0.08, 0.4), (0.2, 0.14), (0.38, 0.03), (0.62, 0.03), (0.8, 0.14)),
        *((0.92, 0.4), (0.92, 0.98), (0.78, 0.86), (0.64, 0.98), (0.5, 0.86), (0.36, 0.98)),
        (0.22, 0.86),
    ),
    Shape.MINER: (
        *((0.24, 0.3), (0.33, 0.1), (0.5, 0.04), (0.67, 0.1), (0.76, 0.3), (0.84, 0.3)),
        *((0.84, 0.4), (0.7, 0.4), (0.7, 0.52), (0.84, 0.6), (0.84, 0.96), (0.16, 0.96)),
        *((0.16, 0.6), (0.3, 0.52), (0.3, 0.4), (0.16, 0.4), (0.16, 0.3)),
    ),
    Shape.WARRIOR: (
        *((0.5, 0.06), (0.64, 0.14), (0.66, 0.28), (0.6, 0.46), (0.78, 0.5), (0.78, 0.16)),
        *((0.86, 0.0), (0.94, 0.16), (0.94, 0.58), (0.72, 0.96), (0.28, 0.96), (0.04, 0.56)),
        *((0.4, 0.46), (0.34, 0.28), (0.36, 0.14)),
    ),
    Shape.RAIDER: (
        *((0.08, 0.0), (0.14, 0.16), (0.3, 0.2), (0.5, 0.13), (0.7, 0.2), (0.86, 0.16)),
        *((0.92, 0.0), (0.94, 0.24), (0.72, 0.38), (0.64, 0.5), (0.8, 0.6), (0.9, 0.96)),
        *((0.1, 0.96), (0.2, 0.6), (0.36, 0.5), (0.28, 0.38), (0.06, 0.24)),
    ),
    Shape.FIEND: (
        *((0.5, -0.14), (0.72, -0.04), (0.82, 0.28), (0.9, 0.52), (1.06, 1.08), (-0.06, 1.08)),
        *((0.1, 0.52), (0.18, 0.28), (0.28, -0.04)),
    ),
    Shape.HOUND: (
        *((-0.04, -0.1), (0.32, 0.14), (0.68, 0.14), (1.04, -0.1), (1.0, 0.52), (0.86, 0.8)),
        *((0.66, 1.06), (0.34, 1.06), (0.14, 0.8), (0.0, 0.52)),
    ),
}
"""The outlines of drawn figures, as on the page (page/browser/silhouettes.js)."""
_MARKS: Sequence[Sequence[tuple[tuple[float, float], tuple[float, float]]]] = (
    (),
    (((0.0, 0.78), (1.0, 0.9)),),
    (((0.43, 0.56), (0.57, 0.86)),),
    (((0.0, 0.72), (1.0, 0.83)), ((0.44, 0.56), (0.56, 0.92))),
)
"""The marks of seats on figures, as rectangles: none, a bar across, a bar down, both."""
_CUT = ((0.0, 0.0), (0.27, 0.0), (0.0, 0.27), (0.27, 0.27))
"""How much is cut off the upper and the lower corners of the cells that a seat's units fill."""


def _figure(shape: Shape) -> Callable[[_Pen, str], None]:
    def draw(pen: _Pen, _: str) -> None:
        is_ghost = shape is Shape.GHOST
        line = COLOURS["ink"] if is_ghost else COLOURS["halo"]
        pen.outlined(_BODIES[shape], pen.colours.unit, line)
        if not pen.letter(0.42 if is_ghost else 0.36, down=0.24):
            pen.mark(_BODIES[shape])

    return draw


def _turncoat(pen: _Pen, _: str) -> None:
    whole = _BODIES[Shape.MAGE]
    pen.outlined(whole, pen.colours.unit, COLOURS["halo"])
    pen.draw.polygon(pen.points((0.54, 0.12), *whole[1:6], (0.54, 0.96)), pen.colours.on)
    pen.draw.line(pen.points(*whole, whole[0]), pen.colours.unit, pen.thick(0.05))


def _killer(shape: Shape, colour: str, line: str, eyes: str) -> Callable[[_Pen, str], None]:
    def draw(pen: _Pen, _: str) -> None:
        _ring(pen)
        pen.outlined(_BODIES[shape], colour, line)
        for x in (0.38, 0.62):
            low, high = pen.points((x - 0.09, 0.3), (x + 0.09, 0.44))
            pen.draw.ellipse((*low, *high), eyes)

    return draw


def _ship(pen: _Pen, text: str) -> None:
    """Draw a ship: the fewer rounds it has left, the darker."""
    near = 1 / max(1, int(text)) if text.isdecimal() else 1.0
    pen.draw.rectangle(pen.box(0.5), COLOURS["ink"])
    pen.draw.rectangle(pen.box(0.42), mixed(COLOURS["hull"], COLOURS["ink"], 0.55 * near))
    pen.write(text, COLOURS["halo"], 0.7, COLOURS["ink"])


_DRAWN: Mapping[Shape, Callable[[_Pen, str], None]] = {
    Shape.TEXT: _text,
    Shape.COUNT: _count,
    Shape.DISC: _disc,
    Shape.CROSS: _cross,
    Shape.SQUARE: _square,
    Shape.BOOK: _book,
    Shape.GEM: _gem,
    Shape.BEAST: _beast,
    Shape.SHIP: _ship,
    **{shape: _figure(shape) for shape in _BODIES},
    Shape.TURNCOAT: _turncoat,
    Shape.FIEND: _killer(Shape.FIEND, COLOURS["ink"], COLOURS["danger"], COLOURS["danger"]),
    Shape.HOUND: _killer(Shape.HOUND, COLOURS["danger"], COLOURS["ink"], COLOURS["gem"]),
}


@functools.lru_cache(maxsize=64)
def hatch(seat: int, tile: int) -> Sprite:
    """Return the image of ground that was captured, to be put on the new owner's colour."""
    unit = tile * FINE
    image = Image.new("RGBA", (unit, unit))
    draw = ImageDraw.Draw(image)
    for offset in (-0.5, 0.0, 0.5, 1.0, 1.5):
        line = ((offset - 0.6) * unit, 1.1 * unit, (offset + 0.6) * unit, -0.1 * unit)
        draw.line(line, (*rgb(of_seat(seat).unit), HATCH), max(FINE // 2, round(0.14 * unit)))
    return Sprite(image.reduce(FINE), 0, 0)


@functools.lru_cache(maxsize=8)
def ladder(tile: int) -> Sprite:
    """Return the image of a passage between levels."""
    unit = tile * FINE
    image = Image.new("RGBA", (unit, unit), COLOURS["base"])
    pen = _Pen(image, unit, 0, None)
    pen.draw.rectangle(pen.box(0.5), COLOURS["base"], COLOURS["baseDeep"], pen.thick(0.1))
    sides = [((x, 0.16), (x, 0.84)) for x in (0.32, 0.68)]
    for line in (*sides, *(((0.32, y), (0.68, y)) for y in (0.3, 0.5, 0.7))):
        pen.draw.line(pen.points(*line), COLOURS["halo"], pen.thick(0.07))
    return Sprite(image.reduce(FINE), 0, 0)
