"""How ratings changed while a tournament was played, for a curve of its leaders.

Ratings are estimated from the first so many blocks, as those of the table are. There are no
intervals. A rating after so many blocks never changes again as long as the same blocks count, so
those that were computed are remembered.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from lanista.ratings.counting import count
from lanista.ratings.likelihood import maximum, model_of
from lanista.ratings.numerics import np
from lanista.ratings.rating import anchors_of, on_scale
from lanista.results.blocks import BlockScore, Seating

MAX_POINTS = 30
"""Number of points of a curve above which the step between them is made larger."""
MAX_BOTS = 200
"""Number of bots above which there is no curve, as an estimate takes the cube of their number."""
MAX_LEADERS = 8
"""Number of bots that a curve shows."""
MAX_REMEMBERED = 500
"""Number of points that are remembered, of all tournaments together."""


@attrs.define(eq=False)
class Races:
    """Computes curves, and remembers their points."""

    _known: dict[int, Mapping[str, float]] = attrs.field(factory=dict, init=False)
    """By the hash of all that decides a point: the ratings there, the least recently used first."""

    def race_of(
        self,
        leaders: Sequence[str],
        played: Sequence[BlockScore],
        seated: Sequence[Seating],
        bots: Sequence[str],
        fillers: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return the curves of some bots as plain data (docs/api.md); with many bots, empty ones.

        Args:
            leaders: The bots that get a curve.
            played: All blocks that count, in the order in which they ended.
            seated: The seatings of each of them.
            bots: The names of the table's bots, in the spec's order.
            fillers: The names of bots that only fill seats.
        """
        points: dict[int, Mapping[str, float]] = {}
        wanted = points_of(len(played)) if len(bots) <= MAX_BOTS else ()
        digest = hash((tuple(bots), tuple(sorted(fillers)), tuple(seated)))
        for number, block in enumerate(played, 1):
            digest = hash((digest, block))
            if number in wanted:
                ratings = self._known.pop(digest, None)
                if ratings is None:
                    ratings = ratings_of(played[:number], seated, bots, fillers)
                self._known[digest] = points[number] = ratings
        while len(self._known) > MAX_REMEMBERED:
            del self._known[next(iter(self._known))]
        return {
            "blocks": list(points),
            "curves": [
                {
                    "bot": bot,
                    "ratings": [
                        round(ratings[bot], 1) if bot in ratings else None
                        for ratings in points.values()
                    ],
                }
                for bot in leaders
            ],
        }


def points_of(blocks: int) -> frozenset[int]:
    """Return after how many blocks a curve has its points: at equal steps, and at the end."""
    step = 1
    while blocks > MAX_POINTS * step:
        # 1, 2, 5, 10, 20, 50 …: the points that are known stay, and people can read the numbers.
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return frozenset({*range(step, blocks + 1, step), blocks} - {0})


def ratings_of(
    played: Sequence[BlockScore],
    seated: Sequence[Seating],
    bots: Sequence[str],
    fillers: Collection[str] = (),
) -> dict[str, float]:
    """Return the ratings of the bots that have played, on the scale of the table.

    Args:
        played: Some blocks.
        seated: The seatings of each of them.
        bots: The names of the bots that are rated.
        fillers: The names of bots that only fill seats.
    """
    counted = count(played, seated, bots, fillers)
    have_played = {bot for block in played for bot in block.bots}
    rated = np.array([bot in have_played for bot in bots])
    if not rated.any():
        return {}
    theta = maximum(model_of(counted)).at[: len(bots)]
    elo = on_scale(theta, anchors_of(counted, rated))
    return {
        bot: float(value) for bot, value, is_rated in zip(bots, elo, rated, strict=True) if is_rated
    }
