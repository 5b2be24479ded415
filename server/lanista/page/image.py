"""Images of a match: the board and the players, as a PNG or an animated GIF, made with Pillow.

They show the scene and the frames that every game provides (`games.picture`).
"""

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence

import attrs
from PIL import GifImagePlugin, Image, ImageChops, ImageDraw

from lanista.errors import BadInputError
from lanista.games.picture import Frame, Ground, Level, Place, Scene
from lanista.page.image_marks import (
    COLOURS,
    NEUTRAL,
    READABLE,
    RING,
    SEATS,
    Sprite,
    arrow,
    font,
    hatch,
    ladder,
    of_seat,
    sprite,
)
from lanista.page.seat_colours import Colour, letter, mixed, rgb

LONGEST = 1200
"""Maximum length of the longer side in pixels, unless a tile size is given."""
MOST = 8000
"""Maximum length of a side in pixels."""
GAP = 12
"""Pixels around the board and between its parts."""
_LARGE, _SMALL = 18, 13
"""Font sizes in pixels."""
_LINE = 44
"""Height of a seat's two lines in the strip above the board, in pixels."""
_HEAD = 32
"""Height of the strip's headline, in pixels."""
_SEAT = 220
"""Minimum width of a seat in the strip, in pixels."""
_NARROWEST = _SEAT + 2 * GAP
"""Minimum width of an image, in pixels."""
CLEAR = 255
"""The palette index in a GIF that leaves a pixel as it was."""
_UNCHANGED = [255, *[0] * 255]
"""Maps a difference of palette indices to a mask of the pixels that didn't change."""


@attrs.frozen
class _Layout:
    tile: int
    """Side of a cell in pixels."""
    size: tuple[int, int]
    """Width and height of the image in pixels."""
    columns: int
    """Number of seats beside each other in the strip."""
    corners: tuple[tuple[int, int], ...]
    """The upper left corner of each level: x and y in pixels."""


class Painter:
    """Draws the images of one match."""

    def __init__(
        self, scene: Scene, title: str, names: Sequence[str], tile: int | None = None
    ) -> None:
        """Lay out the image; cells have sides of `tile` pixels, or as many as `LONGEST` allows.

        Raises:
            BadInputError: The image would be larger than `MOST`.
        """
        self._scene = scene
        self._title = title
        self._names = names
        self._levels = scene.parts
        self._layout = self._laid_out(tile)
        self._ladders = [
            (row, col)
            for row, col in itertools.product(range(scene.rows), range(scene.cols))
            if scene.ground[row][col] is Ground.BASE and (row, col) not in scene.owners
        ]
        self._grid = [self._lines(level) for level in self._levels]

    def draw(self, frame: Frame, scores: Sequence[int]) -> Image.Image:
        """Draw the image of a frame with the scores by seat, in RGB."""
        layout = self._layout
        image = Image.new("RGB", layout.size, COLOURS["halo"])
        draw = ImageDraw.Draw(image)
        self._draw_strip(draw, frame, scores)
        titled = len(self._levels) > 1
        for number, (level, corner) in enumerate(zip(self._levels, layout.corners, strict=True)):
            if titled:
                caption = _fitted(level.title, _SMALL, level.cols * layout.tile)
                draw.text(
                    (corner[0], corner[1] - 4), caption, COLOURS["title"], font(_SMALL), anchor="ls"
                )
            image.paste(self._board(level, self._grid[number], frame), corner)
        return image

    # Layout

    def _laid_out(self, tile: int | None) -> _Layout:
        # Place levels beside or above each other, whichever makes the longer side shorter.
        layout = min(
            (self._arranged(tile or 1, beside=beside) for beside in (False, True)), key=_longer
        )
        if tile is None:
            # Take the largest tiles that fit, or tiles of one pixel if none do.
            for size, beside in itertools.product(range(2, LONGEST), (False, True)):
                larger = self._arranged(size, beside=beside)
                if _longer(larger) <= LONGEST:
                    layout = larger
                elif size > layout.tile + 1:
                    break
        if _longer(layout) > MOST:
            width, height = layout.size
            tiles = "even the smallest tiles" if tile is None else f"tiles of {tile} pixels"
            raise BadInputError(
                f"{tiles} make an image of {width} x {height} pixels; "
                f"the longer side can have at most {MOST}"
            )
        return layout

    def _arranged(self, tile: int, *, beside: bool) -> _Layout:
        title = _SMALL + 8 if len(self._levels) > 1 else 0
        widths = [level.cols * tile for level in self._levels]
        height = self._scene.rows * tile + title
        gaps = GAP * (len(widths) - 1)
        board = (
            (sum(widths) + gaps, height) if beside else (max(widths), height * len(widths) + gaps)
        )
        width = max(board[0] + 2 * GAP, _NARROWEST)
        seats = max(1, len(self._names))
        columns = min(seats, (width - 2 * GAP) // _SEAT)
        strip = _HEAD + _LINE * -(-seats // columns)
        corners, x, y = [], (width - board[0]) // 2, strip + title
        for wide in widths:
            corners.append((x, y))
            if beside:
                x += wide + GAP
            else:
                y += height + GAP
        return _Layout(tile, (width, strip + board[1] + GAP), columns, tuple(corners))

    # The strip

    def _draw_strip(self, draw: ImageDraw.ImageDraw, frame: Frame, scores: Sequence[int]) -> None:
        width = self._layout.size[0]
        head = _fitted(
            f"{self._title}, {self._scene.turn_word} {frame.turn}", _LARGE, width - 2 * GAP
        )
        draw.text((GAP, GAP + _LARGE), head, COLOURS["ink"], font(_LARGE), anchor="ls")
        each = (width - 2 * GAP) // self._layout.columns
        for seat, name in enumerate(self._names):
            row, column = divmod(seat, self._layout.columns)
            x, y = GAP + column * each, _HEAD + row * _LINE
            colours = of_seat(seat)
            draw.rectangle((x, y + 8, x + 23, y + 31), colours.unit)
            draw.text((x + 12, y + 20), letter(seat), colours.on, font(_LARGE - 2), anchor="mm")
            score = str(scores[seat])
            room = each - 32 - GAP
            left = room - font(_LARGE).getlength(score) - 8
            shown = _fitted(name, _LARGE, left)
            draw.text((x + 32, y + 20), shown, COLOURS["ink"], font(_LARGE), anchor="ls")
            after_name = x + 32 + font(_LARGE).getlength(shown) + 8
            draw.text(
                (after_name, y + 20),
                score,
                mixed(colours.unit, COLOURS["ink"], 0.2),
                font(_LARGE),
                anchor="ls",
            )
            caption = _fitted(frame.captions[seat], _SMALL, room)
            draw.text((x + 32, y + 36), caption, COLOURS["title"], font(_SMALL), anchor="ls")

    # The board

    def _board(self, level: Level, grid: Image.Image, frame: Frame) -> Image.Image:
        tile, rows = self._layout.tile, self._scene.rows
        ground = Image.new("RGB", (level.cols, rows))
        ground.putdata(self._ground(level, frame))
        image = ground.resize((level.cols * tile, rows * tile), Image.Resampling.NEAREST)
        image.paste(COLOURS["ink"], mask=grid)
        for place in self._ladders:
            self._put(image, level, place, ladder(tile))
        for place, seat in frame.captured.items():
            self._put(image, level, place, hatch(seat, tile))
        for mark in frame.marks:
            self._put(image, level, (mark.row, mark.col), sprite(mark, tile))
        draw = ImageDraw.Draw(image)
        for place, seat in self._scene.owners.items():
            self._frame_cell(draw, level, place, of_seat(seat).unit)
        for move in frame.arrows:
            start, end = move.start, move.end
            both = all(level.col <= col < level.col + level.cols for _, col in (start, end))
            # An arrow of a move around the edge would cross the whole board.
            around = level.wraps and abs(end[1] - start[1]) * 2 > level.cols
            if both and not around:
                shown = arrow(end[0] - start[0], end[1] - start[1], move.seat, tile)
                self._put(image, level, start, shown)
        return image

    def _ground(self, level: Level, frame: Frame) -> list[Colour]:
        """Return the colours of a level's cells, row by row."""
        columns = range(level.col, level.col + level.cols)
        # Levels without any light have neither day nor night.
        if any(col in frame.lit for col in columns):
            free = [rgb(COLOURS["sun" if col in frame.lit else "night"]) for col in columns]
        else:
            free = [rgb(COLOURS["floor"])] * level.cols
        wall = rgb(COLOURS["wall"])
        cells: list[Colour] = []
        for row in self._scene.ground:
            kinds = row[level.col : level.col + level.cols]
            cells += [
                wall if kind is Ground.WALL else colour
                for kind, colour in zip(kinds, free, strict=True)
            ]
        for (row_of, col), seat in itertools.chain(frame.owned.items(), self._scene.owners.items()):
            if col in columns and self._scene.ground[row_of][col] is not Ground.WALL:
                cells[row_of * level.cols + col - level.col] = rgb(of_seat(seat).ground)
        return cells

    def _lines(self, level: Level) -> Image.Image:
        tile, rows = self._layout.tile, self._scene.rows
        grid = Image.new("L", (level.cols * tile, rows * tile))
        if tile >= READABLE:
            draw = ImageDraw.Draw(grid)
            for x in range(0, grid.width, tile):
                draw.line((x, 0, x, grid.height), 30)
            for y in range(0, grid.height, tile):
                draw.line((0, y, grid.width, y), 30)
        return grid

    def _frame_cell(
        self, draw: ImageDraw.ImageDraw, level: Level, place: Place, colour: str
    ) -> None:
        """Mark a seat's base by a frame, which stays visible around whatever stands on it."""
        tile, col = self._layout.tile, place[1] - level.col
        if 0 <= col < level.cols:
            x, y, width = col * tile, place[0] * tile, max(1, tile // 14)
            for inset, each in enumerate((COLOURS["ink"], COLOURS["halo"], colour)):
                low = inset * width
                box = (x + low, y + low, x + tile - 1 - low, y + tile - 1 - low)
                if box[2] - box[0] >= 2 * width:
                    draw.rectangle(box, outline=each, width=width)

    def _put(self, image: Image.Image, level: Level, place: Place, shown: Sprite) -> None:
        tile = self._layout.tile
        if not level.col <= place[1] < level.col + level.cols:
            return  # on another level
        x, y = (place[1] - level.col) * tile - shown.left, place[0] * tile - shown.top
        image.paste(shown.image, (x, y), shown.image)
        if level.wraps:
            for wrapped in (x - image.width, x + image.width):
                if -shown.image.width < wrapped < image.width:
                    image.paste(shown.image, (wrapped, y), shown.image)


def png(image: Image.Image) -> bytes:
    """Return an image as a PNG file."""
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def gif(images: Iterable[Image.Image], delay: int) -> Iterator[bytes]:
    """Yield the parts of an animated GIF, which repeats for ever.

    All images (at least one, all of one size) share one palette that is fixed beforehand, so that
    no colour flickers, and each holds only what differs from the one before. Each is shown for a
    delay in milliseconds; a GIF counts hundredths of a second.
    """
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour in _gif_colours() for channel in colour])
    before: Image.Image | None = None
    for image in images:
        now = image.quantize(palette=palette, dither=Image.Dither.NONE)
        if before is None:
            yield _gif_header(now)
            part, corner = now, (0, 0)
        else:
            changed = ImageChops.difference(_indices(now), _indices(before))
            # If nothing changed, one pixel is written to keep the time.
            box = changed.getbbox() or (0, 0, 1, 1)
            part, corner = now.crop(box), box[:2]
            part.paste(CLEAR, mask=changed.crop(box).point(_UNCHANGED))
        data = GifImagePlugin.getdata(part, corner, duration=delay, transparency=CLEAR)
        yield b"".join(data)
        before = now
    yield b";"


def _indices(image: Image.Image) -> Image.Image:
    return Image.frombytes("L", image.size, image.tobytes())


def _gif_header(image: Image.Image) -> bytes:
    """Return the header: the size, the palette of all images, and the endless loop."""
    size = image.width.to_bytes(2, "little") + image.height.to_bytes(2, "little")
    colours = bytes(image.getpalette() or ()).ljust(3 * 256, b"\0")
    # 0xF7: a palette of 256 colours follows, of 8 bits each.
    return b"GIF89a" + size + b"\xf7\0\0" + colours + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"


def _gif_colours() -> list[Colour]:
    """Return at most 255 colours: every one that is drawn, and blends of those that meet."""
    seats = (*SEATS, NEUTRAL)
    grounds = [COLOURS[name] for name in ("floor", "wall", "night", "sun", "base", "baseDeep")]
    grounds += [seat.ground for seat in seats]
    marks = [seat.unit for seat in seats]
    marks += [COLOURS[name] for name in ("ink", "halo", "danger", "book", "gem", "hull", "title")]
    ramp = [mixed(COLOURS["ink"], COLOURS["halo"], step / 8) for step in range(1, 8)]
    # The lines between cells and the ring of danger may be on any ground.
    lined = [mixed(ground, COLOURS["ink"], 30 / 255) for ground in grounds]
    ringed = [mixed(ground, COLOURS["danger"], RING / 255) for ground in grounds]
    blends = [mixed(mark, ground, 0.5) for mark in marks for ground in grounds]
    blends += [mixed(seat.unit, COLOURS["halo"], step / 4) for seat in seats for step in (1, 2, 3)]
    letters = [seat.on for seat in seats]
    colours = [*grounds, *marks, *letters, *ramp, *lined, *ringed, *blends]
    return [rgb(colour) for colour in dict.fromkeys(colours)][:CLEAR]


def _longer(layout: _Layout) -> int:
    return max(layout.size)


def _fitted(text: str, size: int, width: float) -> str:
    """Return a text, cut if it is wider than so many pixels."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + "…") > width:
        text = text[:-1]
    return text + "…"
