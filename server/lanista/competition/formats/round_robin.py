"""The round-robin: every bot meets every other equally often; four seats use a balanced design."""

from collections.abc import Sequence

from lanista.competition.formats.designs import balanced
from lanista.competition.formats.fixed import Fixed
from lanista.competition.formats.shared import Rotation, turned
from lanista.results.blocks import Seating


def round_robin(
    entries: Sequence[str], seated: Sequence[Seating], openings: int, rotation: Rotation
) -> Fixed:
    """Return a round-robin with nothing played.

    With two seats every two bots meet on every opening, in the rounds of the circle method, so that
    no bot is ahead of another by more than two blocks. With four, every opening is one balanced
    design; the circular orders of its blocks change from opening to opening (see `shared.turned`).
    Blocks of the same bots that another design asked for, while the spec listed fewer or more bots,
    count as well.

    Args:
        entries: The bots that play, and fillers if there are fewer bots than seats.
        seated: The seatings of each block.
        openings: The number of openings.
        rotation: Gives the rotation of an opening.
    """
    # In the order of names, so that blocks stay wanted if the spec lists its bots in another order.
    names = sorted(entries)
    if len(seated[0]) == 2:
        pairs = [(names[one], names[other]) for one, other in circle(len(names))]
        return Fixed(seated=seated, openings=openings, lists=[pairs])
    known = frozenset(names)
    design = [tuple(names[place] for place in block) for block in balanced(len(names))]
    return Fixed(
        seated=seated,
        openings=openings,
        lists=[[turned(block, number) for block in design] for number in range(6)],
        rotation=rotation,
        also_counts=lambda bots: len(set(bots)) == 4 and known.issuperset(bots),
    )


def circle(count: int) -> list[tuple[int, int]]:
    """Return all pairs of 0 … count-1, the lower number first, round by round of the circle method.

    One point stands still and the others move around it; an odd count gets an empty place. In each
    round everybody plays once (all but one, if the count is odd).
    """
    around = [*range(count), -1] if count % 2 else [*range(count)]
    pairs: list[tuple[int, int]] = []
    for _ in range(len(around) - 1):
        for one, other in zip(around, reversed(around[len(around) // 2 :]), strict=False):
            if min(one, other) >= 0:
                pairs.append((min(one, other), max(one, other)))
        around.insert(1, around.pop())
    return pairs
