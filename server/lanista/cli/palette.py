"""The page's colours for boards in the terminal: those of its dark theme (page/colours.js)."""

from lanista.games.picture import Ground, Mark, Shape
from lanista.page.seat_colours import DARK

SEATS, NEUTRAL, of_seat = DARK.seats, DARK.neutral, DARK.of_seat
GROUNDS = {Ground.FLOOR: "#23262c", Ground.WALL: "#6d7480", Ground.BASE: "#c8453c"}
SUN = "#6b5f2a"
"""The colour of floor that is in the light."""
THINGS = {
    Shape.BOOK: "#ff3b4f",
    Shape.GEM: "#ffd028",
    Shape.BEAST: "#ffffff",
    Shape.SHIP: "#b9bac2",
}
"""Colours of what belongs to no seat; everything else has that of `NEUTRAL`.

Beasts aren't red as on the page, since without their shape they would look like books.
"""
_TINTS = {Shape.SQUARE: ("#ffffff", 0.5), Shape.CROSS: ("#000000", 0.3)}
"""Shapes of units that differ from their seat's colour: the colour mixed in, and its share."""


def of_mark(mark: Mark) -> str:
    """Return the colour of a mark that is drawn without its text."""
    return of_shape(mark.shape, mark.seat)


def of_shape(shape: Shape, seat: int | None) -> str:
    """Return the colour of a shape of a seat, or of no seat, that is drawn without a text."""
    if seat is None:
        return THINGS.get(shape, NEUTRAL.unit)
    colour = of_seat(seat).unit
    return _mixed(colour, *_TINTS[shape]) if shape in _TINTS else colour


def _mixed(colour: str, other: str, share: float) -> str:
    parts = [
        round(int(colour[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share)
        for at in (1, 3, 5)
    ]
    return "#" + "".join(f"{part:02x}" for part in parts)
