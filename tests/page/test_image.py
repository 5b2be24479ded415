"""Pictures of a match: colours and places of what is drawn, sizes, and GIFs that don't flicker."""

import io
import itertools
import re
from pathlib import Path

import attrs
import pytest
from PIL import Image, ImageChops

from lanista.games.originals import of_text
from lanista.games.picture import Arrow, Frame, Ground, Level, Mark, Scene, Shape
from lanista.page import image, image_marks
from lanista.page.image import Painter, gif, png
from lanista.page.image_marks import COLOURS, NEUTRAL, SEATS
from lanista.page.seat_colours import mixed, rgb
from page.drawn import EDGE, colour_of, drawing, is_colour, point
from support.traces import some_always, unpacked_trace

PAGE = Path(image.__file__).parents[1] / "page" / "browser"
TILE = 20
SCENE = Scene(
    rows=4,
    cols=7,
    ground=tuple(
        tuple(Ground.WALL if col == 6 else Ground.FLOOR for col in range(7)) for _ in range(4)
    ),
    owners={(3, 0): 1},
)
TWO_LEVELS = Scene(
    rows=3,
    cols=9,
    ground=tuple(
        tuple(Ground.BASE if (row, col) == (0, 0) else Ground.FLOOR for col in range(9))
        for row in range(3)
    ),
    owners={},
    levels=(
        Level(title="below", col=0, cols=4, wraps=True),
        Level(title="above", col=5, cols=4, wraps=True),
    ),
)


def frame(*marks, turn=0, **more):
    return Frame(turn=turn, marks=marks, captions=("one", "two"), **more)


def drawn(scene, shown, tile=TILE):
    """The picture, and by level and cell the colour in the middle and at a place of the tile."""
    painter = Painter(scene, "A game", ["Ann", "Bob"], tile)
    image = painter.draw(shown, (1, 2))

    def at(row, col, x=0.5, y=0.5, level=0):
        left, top = painter._layout.corners[level]
        return image.getpixel((left + int((col + x) * tile), top + int((row + y) * tile)))

    return image, at


def test_the_colours_are_the_page_s():
    """colours.js, the light theme: the same names, the same colours."""
    source = (PAGE / "colours.js").read_text(encoding="utf-8")
    light = source[source.index("  light: {") : source.index("  dark: {")]
    seat = r'\{ name: "\w+", unit: "(.*?)", ground: "(.*?)", text: ".*?", on: "(.*?)" \}'
    *seats, neutral = re.findall(seat, light)
    assert [(each.unit, each.ground, each.on) for each in SEATS] == seats
    assert (NEUTRAL.unit, NEUTRAL.ground, NEUTRAL.on) == neutral
    named = dict(re.findall(r'^    (\w+): "(.*?)",$', light, re.MULTILINE))
    assert dict(COLOURS) == {name: named[name] for name in COLOURS}


def test_every_shape_of_the_rules_is_drawn():
    assert set(Shape) == set(image_marks._DRAWN)
    empty = image_marks.sprite(Mark(0, 0, 0, ""), TILE).image.tobytes()
    pictures = {
        image_marks.sprite(Mark(0, 0, 0, "3", shape), TILE).image.tobytes() for shape in Shape
    }
    assert len(Shape) == len(pictures - {empty})


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (Mark(1, 2, 0, "", Shape.COUNT), SEATS[0].unit),
        (Mark(1, 2, 1, "", Shape.DISC), SEATS[1].unit),
        (Mark(1, 2, None, "n", Shape.DISC), NEUTRAL.unit),
        (Mark(1, 2, 3, "x", Shape.CROSS), SEATS[3].unit),
        (Mark(1, 2, 2, "G", Shape.SQUARE), SEATS[2].unit),
        (Mark(1, 2, None, "+", Shape.BOOK), COLOURS["book"]),
        (Mark(1, 2, None, "g", Shape.GEM), COLOURS["gem"]),
        (Mark(1, 2, None, "", Shape.BEAST), COLOURS["danger"]),
        (Mark(1, 2, 5, "", Shape.DISC), SEATS[1].unit),  # a sixth seat: colours again
    ],
)
def test_a_mark_has_its_colour_in_its_cell(mark, expected):
    _, at = drawn(SCENE, frame(mark))
    # Not in the middle, where the seat's letter is, or the book's paper.
    assert rgb(expected) == at(1, 2, y=0.25 if mark.shape is Shape.BOOK else 0.7)
    _, empty = drawn(SCENE, frame())
    assert rgb(COLOURS["floor"]) == empty(1, 2)


@pytest.mark.parametrize("tile", [12, 24])
@pytest.mark.parametrize(
    "shape", [Shape.COUNT, Shape.MAGE, Shape.GHOST, Shape.MINER, Shape.WARRIOR]
)
def test_seats_are_told_apart_without_colours(monkeypatch, shape, tile):
    """By letters, or where these are too small by marks; crowds by the corners of their cells."""
    monkeypatch.setattr(image_marks, "of_seat", lambda _: SEATS[0])
    image_marks._sprite.cache_clear()
    pictures = {
        image_marks.sprite(Mark(0, 0, seat, "3", shape), tile).image.tobytes() for seat in range(4)
    }
    image_marks._sprite.cache_clear()
    assert 4 == len(pictures)


def test_a_number_is_written_where_it_can_be_read():
    """Also a long one, within its cell; on small tiles none is."""
    for tile, is_written in ((20, True), (4, False)):
        for text in ("8", "123456"):
            with_it, _ = drawn(SCENE, frame(Mark(1, 2, 0, text, Shape.COUNT)), tile=tile)
            without, _ = drawn(SCENE, frame(Mark(1, 2, 0, "", Shape.COUNT)), tile=tile)
            changed = ImageChops.difference(with_it, without).getbbox()
            assert is_written == (changed is not None)
            if changed is not None:
                assert changed[2] - changed[0] <= tile
                assert changed[3] - changed[1] <= tile


def test_grounds_walls_bases_and_owned_cells():
    _, at = drawn(SCENE, frame(owned={(0, 1): 0, (3, 0): 0, (0, 6): 0}))
    assert rgb(SEATS[0].ground) == at(0, 1)
    assert rgb(COLOURS["wall"]) == at(0, 6)
    assert rgb(SEATS[1].ground) == at(3, 0)  # a base is its seat's for the whole match
    assert rgb(COLOURS["ink"]) == at(3, 0, x=0.01)  # and has a frame
    _, free = drawn(TWO_LEVELS, frame())
    assert rgb(COLOURS["base"]) in {free(0, 0, 0.2, 0.5), free(0, 0, 0.5, 0.4)}
    _, captured = drawn(SCENE, frame(owned={(0, 1): 0}, captured={(0, 1): 0}))
    hatched = {captured(0, 1, x / 10, x / 10) for x in range(1, 10)}
    assert mixed(SEATS[0].ground, SEATS[0].unit, image_marks.HATCH / 255) in {
        "#{:02x}{:02x}{:02x}".format(*colour) for colour in hatched
    }


def test_a_beast_s_ring_goes_around_the_edge():
    """On a level that wraps, and on no other level."""
    _, at = drawn(TWO_LEVELS, frame(Mark(1, 0, None, "", Shape.BEAST)))
    ringed = rgb(mixed(COLOURS["floor"], COLOURS["danger"], image_marks.RING / 255))
    for row, col in ((0, 1), (1, 1), (2, 1), (0, 3), (1, 3), (2, 3)):
        close = [abs(a - b) for a, b in zip(ringed, at(row, col), strict=True)]
        assert max(close) <= 1, (row, col)
    assert rgb(COLOURS["floor"]) == at(1, 2)
    assert [rgb(COLOURS["floor"])] * 4 == [at(1, col, level=1) for col in range(4)]


def test_an_arrow_is_drawn_where_the_cells_meet():
    """And not one that would go around the board."""
    shown = frame(arrows=(Arrow((1, 2), (1, 3), 0, "5"), Arrow((2, 2), (1, 2), 1, "1")))
    _, at = drawn(SCENE, shown)
    assert rgb(SEATS[0].unit) == at(1, 3, x=0.05)
    assert rgb(SEATS[1].unit) == at(2, 2, y=0.05)
    assert rgb(COLOURS["floor"]) == at(1, 3, x=0.5, y=0.25)
    bare, _ = drawn(TWO_LEVELS, frame())
    around, _ = drawn(TWO_LEVELS, frame(arrows=(Arrow((1, 3), (1, 0), 0),)))
    assert None is ImageChops.difference(bare, around).getbbox()


def test_health_is_a_bar_only_where_something_is_missing():
    whole, _ = drawn(SCENE, frame(Mark(1, 2, 0, "", Shape.DISC, health=1.0)))
    none, _ = drawn(SCENE, frame(Mark(1, 2, 0, "", Shape.DISC)))
    assert None is ImageChops.difference(whole, none).getbbox()
    _, at = drawn(SCENE, frame(Mark(1, 2, 0, "", Shape.DISC, health=0.5)))
    assert max(at(1, 2, x=0.25, y=0.88)) > 200
    assert max(at(1, 2, x=0.75, y=0.88)) < 60


def test_the_strip_tells_seats_round_names_and_scores():
    """Whatever changes there changes the strip alone; long names stay in it."""
    plain, _ = drawn(SCENE, frame(turn=1))
    board = plain.height - 4 * TILE - image.GAP
    assert rgb(SEATS[0].unit) in set(plain.crop((0, 0, plain.width, board)).get_flattened_data())
    for names, scores, number in [
        (["Ann", "Rob"], (1, 2), 1),
        (["Ann", "Bob"], (1, 3), 1),
        (["Ann", "Bob"], (1, 2), 2),
        (["W" * 32, "\u65e5" * 32], (10**9, -(10**9)), 1),
    ]:
        other = Painter(SCENE, "A game", names, TILE).draw(frame(turn=number), scores)
        box = ImageChops.difference(plain, other).getbbox()
        assert box is not None
        assert box[3] <= board
        margin = other.crop((other.width - image.GAP // 2, 0, other.width, other.height))
        assert {rgb(COLOURS["halo"])} == set(margin.get_flattened_data())


@pytest.mark.parametrize(
    ("rows", "cols"), [(1, 1), (7, 9), (60, 60), (200, 200), (3, 500), (1200, 2)]
)
def test_the_longer_side_fits_as_well_as_it_can(rows, cols):
    scene = Scene(rows=rows, cols=cols, ground=((Ground.FLOOR,) * cols,) * rows, owners={})
    painter = Painter(scene, "A game", ["Ann", "Bob"])
    tile = painter._layout.tile
    if tile > 1:
        assert max(painter._layout.size) <= image.LONGEST
    larger = Painter(scene, "A game", ["Ann", "Bob"], tile + 1)
    assert max(larger._layout.size) > image.LONGEST
    assert painter._layout.size == painter.draw(frame(), (0, 0)).size


@pytest.mark.parametrize("tile", [TILE, None])
@pytest.mark.parametrize(("rows", "is_beside"), [(90, True), (30, False)])
def test_levels_lie_so_that_the_longer_side_is_short(rows, is_beside, tile):
    levels = [Level(title=title, col=col, cols=60) for title, col in (("below", 0), ("above", 60))]
    ground = ((Ground.FLOOR,) * 120,) * rows
    scene = Scene(rows=rows, cols=120, ground=ground, owners={}, levels=tuple(levels))
    (_, top), (_, other) = Painter(scene, "A game", ["Ann", "Bob"], tile)._layout.corners
    assert is_beside == (top == other)


def moves(count):
    """The frames and scores of a disc that goes along the top row, then stays."""
    for number in range(count):
        disc = Mark(0, min(number, 4), 0, "", Shape.DISC)
        yield frame(disc, turn=number), (number // 3, 0)


def test_a_gif_has_the_pictures_colours_and_no_flicker():
    """Each is shown for its time, also one that changed nothing. Flat colours are exact; a pixel
    that stays the same keeps its colour from frame to frame.
    """
    painter = Painter(SCENE, "A game", ["Ann", "Bob"], TILE)
    pictures = [*itertools.starmap(painter.draw, moves(6))]
    pictures += pictures[-1:] * 2
    data = b"".join(gif(pictures, 250))
    before = None
    with Image.open(io.BytesIO(data)) as image:
        assert (8, 0, painter._layout.size) == (image.n_frames, image.info["loop"], image.size)
        for place, picture in enumerate(pictures):
            image.seek(place)
            assert 250 == image.info["duration"]
            now = image.convert("RGB")
            left, top = painter._layout.corners[0]
            for x, y, colour in [
                (left + 2 * TILE + 10, top + 3 * TILE + 10, COLOURS["floor"]),
                (left + 6 * TILE + 10, top + 10, COLOURS["wall"]),
                (left + min(place, 4) * TILE + 6, top + 10, SEATS[0].unit),
            ]:
                assert rgb(colour) == now.getpixel((x, y)) == picture.getpixel((x, y))
            if before is not None:
                same = ImageChops.difference(picture, pictures[place - 1]).convert("L")
                seen = ImageChops.difference(now, before).convert("L")
                both = zip(same.get_flattened_data(), seen.get_flattened_data(), strict=True)
                assert [] == [1 for wanted, got in both if got and not wanted]
            before = now


TRACES = (
    "crematoria/01_Demo-Demo-Demo-Demo_s30.res.gz",
    "hogwarts/02_s30_Demo-Demo-Demo-Demo.res.gz",
)


@pytest.mark.parametrize("trace", some_always(TRACES, TRACES[0]))
def test_positions_of_the_games_are_drawn(trace):
    """Walls, ground, light and units of a real position are where they should be, on all levels."""
    text = unpacked_trace(trace).decode()
    shown = of_text(text).show(text)
    painter = Painter(shown.scene, "A game", shown.names, TILE)
    *_, (last, scores) = shown.frames
    image = painter.draw(last, scores)
    geometry = [{"x": x, "y": y, "tile": TILE} for x, y in painter._layout.corners]
    palette = {**COLOURS, "seats": [*map(attrs.asdict, SEATS)], "neutral": attrs.asdict(NEUTRAL)}
    wrong = {}
    for place, looks in drawing(shown.scene, last).items():
        colour = "#{:02x}{:02x}{:02x}".format(*image.getpixel(tuple(point(geometry, place))))
        # The outline of a figure reaches closer to the edge than on the page.
        if EDGE not in place and not is_colour(colour, colour_of(looks, palette)):
            wrong[place] = looks, colour
    assert {} == wrong
    with Image.open(io.BytesIO(png(image))) as read:
        assert ("PNG", image.size) == (read.format, read.size)
        assert None is ImageChops.difference(read.convert("RGB"), image).getbbox()
