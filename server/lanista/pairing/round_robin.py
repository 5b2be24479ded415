"""Round-robin: everybody meets everybody, equally often; four seats by a balanced design."""

from collections.abc import Sequence

from lanista.pairing.blocks import Seating
from lanista.pairing.designs import balanced
from lanista.pairing.fixed import Fixed
from lanista.pairing.shared import Rotation, turned


def round_robin(
    entries: Sequence[str], seated: Sequence[Seating], draws: int, rotation: Rotation
) -> Fixed:
    """A round-robin.

    Two seats: every two meet on every draw, by the rounds of the circle method, so that nobody is
    ahead of another by more than two blocks. Four: every draw is one balanced design, its blocks'
    circular orders changing from draw to draw (see `shared.turned`); blocks of the same bots that
    another design asked for, with fewer or more bots, count besides.

    Args:
        entries: Who plays: bots, and fillers if there are fewer bots than seats.
        seated: The seatings of each block.
        draws: How many there are.
        rotation: The turn of each draw.
    """
    # By name: blocks played stay wanted when the spec lists the same bots in another order.
    names = sorted(entries)
    if len(seated[0]) == 2:
        pairs = [(names[one], names[other]) for one, other in circle(len(names))]
        return Fixed(seated=seated, draws=draws, lists=[pairs])
    known = frozenset(names)
    design = [tuple(names[place] for place in block) for block in balanced(len(names))]
    return Fixed(
        seated=seated,
        draws=draws,
        lists=[[turned(block, turn) for block in design] for turn in range(6)],
        rotation=rotation,
        also=lambda bots: len(set(bots)) == 4 and known.issuperset(bots),
    )


def circle(count: int) -> list[tuple[int, int]]:
    """All pairs of 0 … count-1, the lower first, round by round of the circle method.

    One stands still, the others go around it; an odd count has an empty place besides. In a round
    everybody plays once (odd: all but one).
    """
    around = [*range(count), -1] if count % 2 else [*range(count)]
    pairs: list[tuple[int, int]] = []
    for _ in range(len(around) - 1):
        for one, other in zip(around, reversed(around[len(around) // 2 :]), strict=False):
            if min(one, other) >= 0:
                pairs.append((min(one, other), max(one, other)))
        around.insert(1, around.pop())
    return pairs
