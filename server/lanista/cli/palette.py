"""The page's colours for boards in the terminal: those of its dark theme (page/colours.js)."""

import attrs

from lanista.rules.picture import Ground, Mark, Shape


@attrs.frozen
class SeatColours:
    """The colours of a seat, or of things that belong to no seat."""

    unit: str
    ground: str
    on: str
    """The colour of text on `unit`."""


SEATS = (
    SeatColours("#4ba3f0", "#123f7e", "#08121c"),
    SeatColours("#ff7433", "#75320d", "#1c0b02"),
    SeatColours("#35d6a4", "#0d6a45", "#02170f"),
    SeatColours("#f5b3e2", "#7a3a70", "#1f0a1a"),
)
"""The seats' colours. A game with more seats uses them again."""
NEUTRAL = SeatColours("#a2a2a2", "#4a4a4a", "#101010")
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
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def of_seat(seat: int | None) -> SeatColours:
    """Return the colours of a seat; None: of no seat."""
    return NEUTRAL if seat is None else SEATS[seat % len(SEATS)]


def letter(seat: int) -> str:
    """Return the letter that stands for a seat, as on the page: A for seat 0."""
    return _LETTERS[seat % len(_LETTERS)]


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
