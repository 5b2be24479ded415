"""The names that people write in a spec for formats and seatings."""

import enum


class FormatName(enum.StrEnum):
    """The name of a format."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    SPRT = "sprt"

    @property
    def is_planned(self) -> bool:
        """Whether all its blocks are known from the start, on the openings that the spec lists.

        In the other formats results decide what is played next, and more openings may be needed.
        """
        return self in {FormatName.ROUND_ROBIN, FormatName.GAUNTLET}

    @property
    def has_rounds(self) -> bool:
        """Whether it is played in rounds.

        The opponents of a bot that left have then gone on without it.
        """
        return self in {FormatName.SWISS, FormatName.KNOCKOUT}


class SeatingsName(enum.StrEnum):
    """The name of the set of seatings that a block is played in."""

    ROTATIONS = "rotations"
    """All rotations: two for two players, four for four."""
    ALL = "all"
    """All arrangements: two for two players, 24 for four."""
