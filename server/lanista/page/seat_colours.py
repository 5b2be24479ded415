"""The colours and letters of seats: those of the page's themes (page/colours.js).

Both the images and the boards in the terminal have them; the latter need no imaging library.
"""

import functools
from string import ascii_uppercase

import attrs

Colour = tuple[int, int, int]


@attrs.frozen
class SeatColours:
    """The colours of a seat, or of things that belong to no seat."""

    unit: str
    ground: str
    on: str
    """The colour of text on `unit`."""


@attrs.frozen
class Theme:
    """The colours of all seats on a light or a dark page."""

    seats: tuple[SeatColours, ...]
    """The seats' colours. A game with more seats uses them again."""
    neutral: SeatColours

    def of_seat(self, seat: int | None) -> SeatColours:
        """Return the colours of a seat; None: of no seat."""
        return self.neutral if seat is None else self.seats[seat % len(self.seats)]


LIGHT = Theme(
    seats=(
        SeatColours("#08519c", "#82b4ee", "#ffffff"),
        SeatColours("#d1480c", "#ffb683", "#ffffff"),
        SeatColours("#00875f", "#8fe0b4", "#ffffff"),
        SeatColours("#c155ab", "#f2c8ea", "#14000f"),
    ),
    neutral=SeatColours("#858585", "#d0d0d0", "#ffffff"),
)
"""The light theme, which images have."""
DARK = Theme(
    seats=(
        SeatColours("#4ba3f0", "#123f7e", "#08121c"),
        SeatColours("#ff7433", "#75320d", "#1c0b02"),
        SeatColours("#35d6a4", "#0d6a45", "#02170f"),
        SeatColours("#f5b3e2", "#7a3a70", "#1f0a1a"),
    ),
    neutral=SeatColours("#a2a2a2", "#4a4a4a", "#101010"),
)
"""The dark theme, which boards in the terminal have."""


def letter(seat: int) -> str:
    """Return the letter that stands for a seat, as on the page: A for seat 0."""
    return ascii_uppercase[seat % len(ascii_uppercase)]


@functools.cache
def rgb(colour: str) -> Colour:
    """Return the channels of `#rrggbb`, from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(colour: str, other: str, share: float) -> str:
    """Return a blend of two colours; `share` is that of the second one, 0 to 1."""
    pairs = zip(rgb(colour), rgb(other), strict=True)
    return "#" + "".join(
        f"{round(first + share * (second - first)):02x}" for first, second in pairs
    )
