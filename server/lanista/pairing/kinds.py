"""The kinds of formats and of seatings, by the names that people write."""

import enum


class FormatName(enum.StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    SPRT = "sprt"

    @property
    def is_planned(self) -> bool:
        """Whether all its blocks are known from the start, on the draws that the spec lists.

        In the other formats results change what is played next, and more draws may be wanted.
        """
        return self in {FormatName.ROUND_ROBIN, FormatName.GAUNTLET}

    @property
    def has_rounds(self) -> bool:
        """Whether it is played in rounds: who was to meet a bot that left has gone on."""
        return self in {FormatName.SWISS, FormatName.KNOCKOUT}


class SeatingsName(enum.StrEnum):
    """Which seatings a block has."""

    ROTATIONS = "rotations"
    """Two players: both; four: four."""
    ALL = "all"
    """Two players: both; four: all 24."""
