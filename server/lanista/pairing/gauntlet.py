"""Gauntlet: one bot, the challenger, against all the others."""

from collections.abc import Sequence

from lanista.pairing.blocks import Seating
from lanista.pairing.fixed import Fixed
from lanista.pairing.shared import Rotation

PERIOD = 24
"""Turns after which four-seat blocks repeat: enough to spread who else is in them."""


def gauntlet(
    entries: Sequence[str],
    challenger: str,
    seated: Sequence[Seating],
    draws: int,
    rotation: Rotation,
) -> Fixed:
    """A gauntlet.

    Two seats: the challenger meets every other bot on every draw. Four: on every draw it meets
    every other bot three times, once at each distance around the table (four bots in all: once);
    the triples are turned around a circle, another one each turn, so that the others meet each
    other as equally as can be. Blocks with the challenger that were asked for while there were
    fewer or more bots count besides.

    Args:
        entries: Who plays: bots, and fillers if there are fewer bots than seats.
        challenger: One of them.
        seated: The seatings of each block.
        draws: How many there are.
        rotation: The turn of each draw.
    """
    others = sorted(entry for entry in entries if entry != challenger)
    if len(seated[0]) == 2:
        # By name, as in a round-robin: the two formats share what was played.
        pairs = [(min(challenger, other), max(challenger, other)) for other in others]
        return Fixed(seated=seated, draws=draws, lists=[pairs])
    period = 3 if len(others) == 3 else PERIOD
    bases = triples(len(others), period)

    def blocks_of(turn: int) -> list[tuple[str, ...]]:
        base = bases[turn]
        # Three others are one block however they are turned.
        steps = [turn] if len(others) == 3 else _steps(len(others))
        return [
            (challenger, *(others[(place + step) % len(others)] for place in base))
            for step in steps
        ]

    known = frozenset(entries)
    return Fixed(
        seated=seated,
        draws=draws,
        lists=[blocks_of(turn) for turn in range(period)],
        rotation=rotation,
        also=lambda bots: challenger in bots and len(set(bots)) == 4 and known.issuperset(bots),
    )


def _steps(size: int) -> list[int]:
    """0 … size-1, every third first: neighbours on the circle don't play one after the other."""
    return [step for start in range(3) for step in range(start, size, 3)]


def triples(size: int, count: int) -> list[tuple[int, int, int]]:
    """Triples of Z_size to be turned around, one a turn, their differences as equal as can be.

    Each is (0, a, b), chosen greedily: the one whose three differences were used least so far,
    among equals the first in order. Three at equal distances are left out (unless there are but
    three), as a turn around the circle would have each such triple three times.
    """
    # A turned pair and its negative are the same one.
    different: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for a in range(1, size - 1):
        for b in range(a + 1, size):
            if size == 3 or (a, b) != (size / 3, 2 * size / 3):
                sides = (a, b - a, size - b)
                shape = min(sides[turn:] + sides[:turn] for turn in range(3))
                different.setdefault(shape, (0, a, b))
    met = [0] * size
    chosen: list[tuple[int, int, int]] = []
    for _ in range(count):
        best = min(
            different.values(),
            key=lambda triple: sum(met[d] for d in _differences(triple, size)),
        )
        for d in _differences(best, size):
            met[d] += 1
        chosen.append(best)
    return chosen


def _differences(triple: tuple[int, int, int], size: int) -> list[int]:
    """Of each two of a triple, both ways: half of an even size is there twice, as it is met."""
    return [(one - other) % size for one in triple for other in triple if one != other]
