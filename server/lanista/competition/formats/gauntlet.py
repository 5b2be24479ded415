"""The gauntlet: one bot, the challenger, against all the others."""

from collections.abc import Sequence

from lanista.competition.formats.fixed import Fixed
from lanista.competition.formats.shared import Rotation
from lanista.results.blocks import Seating

PERIOD = 24
"""The number of rotations after which four-seat blocks repeat.

It is enough to spread evenly which other bots are in a block together.
"""


def gauntlet(
    entries: Sequence[str],
    challenger: str,
    seated: Sequence[Seating],
    openings: int,
    rotation: Rotation,
) -> Fixed:
    """Return a gauntlet with nothing played.

    With two seats the challenger meets every other bot on every opening. With four it meets every
    other bot three times on every opening, once at each distance around the table (once in all if
    there are just four bots). The three others of a block are a triple that is moved around a
    circle of all the others, a different triple for each rotation, so that the others meet each
    other as equally as possible. Blocks with the challenger that were played while the spec listed
    fewer or more bots count as well.

    Args:
        entries: The bots that play, and fillers if there are fewer bots than seats.
        challenger: One of the bots.
        seated: The seatings of each block.
        openings: The number of openings.
        rotation: Gives the rotation of an opening.
    """
    others = sorted(entry for entry in entries if entry != challenger)
    if len(seated[0]) == 2:
        # In the order of names, as in a round-robin, so that the two formats share results.
        pairs = [(min(challenger, other), max(challenger, other)) for other in others]
        return Fixed(seated=seated, openings=openings, lists=[pairs])
    period = 3 if len(others) == 3 else PERIOD
    bases = triples(len(others), period)

    def blocks_of(number: int) -> list[tuple[str, ...]]:
        base = bases[number]
        # Just three others make one block, wherever on the circle the triple starts.
        steps = [number] if len(others) == 3 else _steps(len(others))
        return [
            (challenger, *(others[(place + step) % len(others)] for place in base))
            for step in steps
        ]

    known = frozenset(entries)
    return Fixed(
        seated=seated,
        openings=openings,
        lists=[blocks_of(number) for number in range(period)],
        rotation=rotation,
        also_counts=lambda bots: (
            challenger in bots and len(set(bots)) == 4 and known.issuperset(bots)
        ),
    )


def _steps(size: int) -> list[int]:
    """Return 0 … size-1, every third first, so that neighbours don't play one after another."""
    return [step for start in range(3) for step in range(start, size, 3)]


def triples(size: int, count: int) -> list[tuple[int, int, int]]:
    """Return triples of Z_size to be moved around, one for each rotation.

    Each is (0, a, b) and is chosen greedily so that the differences occur as equally often as
    possible: it is the triple whose three differences were used least so far, and the first of
    equals. Three points at equal distances are left out (unless there are just three points), as
    moving around the circle would give each such triple three times.
    """
    # Triples that are translates of each other give the same blocks; one of them is enough.
    different: dict[tuple[int, ...], tuple[int, int, int]] = {}
    for a in range(1, size - 1):
        for b in range(a + 1, size):
            if size == 3 or (a, b) != (size / 3, 2 * size / 3):
                sides = (a, b - a, size - b)
                shape = min(sides[start:] + sides[:start] for start in range(3))
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
    """Return the differences of each two points of a triple, both ways.

    Half of an even size occurs twice, as two points at that distance meet twice.
    """
    return [(one - other) % size for one in triple for other in triple if one != other]
