"""Computing the standings from the results, and how the leaders' ratings changed meanwhile."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs

from lanista.ratings.counting import Counted, Tally, count, meetings, tally
from lanista.ratings.numerics import np
from lanista.ratings.rating import Ratings, elo_of, estimate_of, rate
from lanista.ratings.table import HeadToHead, RatedVersion, Row, Standings
from lanista.results.blocks import BlockScore, FormatName, Seating
from lanista.results.match_result import BotEndings, Endings

NOTHING = BotEndings(endings={}, late=0, malformed=0, illegal=0)


def compute(
    *,
    format: str,  # noqa: A002 - the name of the standings' field
    bots: Sequence[str],
    house: Collection[str] = (),
    counted: Counted,
    ended: Endings | None = None,
    benched: Collection[str] = (),
    order: Sequence[tuple[int, str]] | None = None,
    byes: Mapping[str, float] | None = None,
    head_to_head: bool = True,
    **about: Any,
) -> Standings:
    """Return the standings.

    Ranks follow `order` where it is given, as by `Format.order`; bots that it leaves out share the
    rank after the last one. Otherwise the ranks of a round-robin follow the points a match, and
    those of other formats follow the ratings, rounded to a tenth of an Elo. Bots that played
    nothing share the last rank.

    The bots are in the spec's order. Those in `house` hold a ladder's scale and take no rank.
    `ended` is None if it isn't known how matches ended. `byes` has the points from byes, by bot.
    `head_to_head` is whether the results of every two bots are wanted: of a thousand bots they are
    a hundred thousand. `about` has the fields of `Standings` that don't follow from these, such as
    `name` and `game`.
    """
    byes = byes or {}
    sums, current = tally(counted.by_bot), counted.current
    ratings = None
    versions: Mapping[int, Sequence[RatedVersion]] = {}
    if sums.blocks.any():
        of_versions = rate(counted, np.isin(np.array(bots), list(house))[counted.bot_of])
        ratings, versions = of_versions.of(current), _versions(counted, of_versions)
    worth = _worth(format, bots, sums, ratings, order)
    ranks = ranks_of(bots, worth, house)
    table = sorted(range(len(bots)), key=lambda bot: (-worth[bot], bot))

    rows = []
    for number, bot in enumerate(table):
        below = table[number + 1] if number + 1 < len(table) else None
        estimate, rank_low, rank_high = None, None, None
        if ratings is not None and ratings.rated[bot]:
            estimate = estimate_of(ratings.elo[bot], ratings.low[bot], ratings.high[bot])
            if ranks[bot] is not None:
                rank_low, rank_high = int(ratings.rank_low[bot]), int(ratings.rank_high[bot])
        rows.append(
            Row(
                rank=ranks[bot],
                bot=bots[bot],
                matches=int(sums.matches[bot]),
                points=float(sums.points[bot]) + byes.get(bots[bot], 0.0),
                blocks=int(sums.blocks[bot]),
                rating=estimate,
                rank_low=rank_low,
                rank_high=rank_high,
                superior=None if below is None else _superior(ratings, bot, below),
                places=tuple(sums.places[bot].tolist()),
                draws=int(sums.draws[bot]),
                **_endings(ended, bots[bot]),
                benched=bots[bot] in benched,
                version=counted.versions[current[bot]],
                versions=tuple(versions.get(bot, ())),
            )
        )
    return Standings(
        **about,
        format=format,
        seats=counted.seats,
        rows=tuple(rows),
        head_to_head=_head_to_head(counted.by_bot, ratings, bots, table) if head_to_head else (),
        seat_advantage=() if ratings is None else ratings.seats,
        blocks=counted.blocks,
        matches=counted.matches,
        voids=None if ended is None else ended.voids,
    )


def _endings(ended: Endings | None, bot: str) -> dict[str, Any]:
    """Return the fields of a bot's row that say how its matches ended: None if it isn't known."""
    of_bot = NOTHING if ended is None else ended.bots.get(bot, NOTHING)
    fields = {
        "endings": dict(of_bot.endings),
        "late_turns": of_bot.late,
        "malformed_turns": of_bot.malformed,
        "illegal_moves": of_bot.illegal,
    }
    return dict.fromkeys(fields) if ended is None else fields


def _versions(counted: Counted, ratings: Ratings) -> Mapping[int, Sequence[RatedVersion]]:
    """Return the versions of each bot that has any, in the order of their first matches."""
    found: dict[int, list[RatedVersion]] = {}
    numbered = {
        bot
        for bot, version in zip(counted.bot_of.tolist(), counted.versions, strict=True)
        if version is not None
    }
    for player, bot in enumerate(counted.bot_of.tolist()):
        if bot in numbered:
            rating = estimate_of(ratings.elo[player], ratings.low[player], ratings.high[player])
            rated = RatedVersion(version=counted.versions[player], rating=rating)
            found.setdefault(bot, []).append(rated)
    return found


def _head_to_head(
    counted: Counted, ratings: Ratings | None, bots: Sequence[str], table: Sequence[int]
) -> tuple[HeadToHead, ...]:
    """Return the results of every two bots that met, both ways, in the order of the table."""
    met, won = meetings(counted)
    return tuple(
        HeadToHead(
            bot=bots[bot],
            opponent=bots[other],
            matches=int(met[bot, other]),
            points=float(won[bot, other]),
            superior=_superior(ratings, bot, other),
        )
        for bot in table
        for other in table
        if met[bot, other]
    )


def _superior(ratings: Ratings | None, bot: int, other: int) -> float | None:
    if ratings is None or not (ratings.rated[bot] and ratings.rated[other]):
        return None
    return ratings.superior(bot, other)


def ranks_of(
    bots: Sequence[str], worth: Sequence[float], house: Collection[str]
) -> list[int | None]:
    """Return the bots' ranks: one more than the number of better bots, so that ties share.

    House bots take no rank from others, and have none.
    """
    others = sorted(own for bot, own in zip(bots, worth, strict=True) if bot not in house)
    return [
        None if bot in house else 1 + len(others) - bisect_right(others, own)
        for bot, own in zip(bots, worth, strict=True)
    ]


def _worth(
    format_: str,
    bots: Sequence[str],
    sums: Tally,
    ratings: Ratings | None,
    order: Sequence[tuple[int, str]] | None,
) -> list[float]:
    """Return the figures by which the bots are ranked; the greatest one is best."""
    if order is not None:
        places = {bot: place for place, bot in order}
        return [-float(places.get(bot, len(bots) + 1)) for bot in bots]
    if ratings is None:
        return [0.0] * len(bots)
    if format_ == FormatName.ROUND_ROBIN:
        # Rounded to less than the smallest possible difference, but more than rounding errors.
        figures = [
            round(points / max(matches, 1), 9)
            for points, matches in zip(sums.points.tolist(), sums.matches.tolist(), strict=True)
        ]
    else:
        figures = [round(elo, 1) for elo in ratings.elo.tolist()]
    return [
        figure if rated else float("-inf")
        for figure, rated in zip(figures, ratings.rated.tolist(), strict=True)
    ]


# -- the race of a tournament's leaders ------------------------------------------------------------

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
    """Computes curves of the leaders' ratings, and remembers their points.

    Ratings are estimated from the first so many blocks, as those of the table are, but without
    intervals. A rating after so many blocks never changes as long as the same blocks count.
    """

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

        `played` are all blocks that count, in the order in which they ended. `seated`, `bots` and
        `fillers` are those of `count`.
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
                {"bot": bot, "ratings": [ratings.get(bot) for ratings in points.values()]}
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
    """Return the ratings of the bots that have played some blocks, on the scale of the table."""
    counted = count(played, seated, bots, fillers)
    rated = counted.played
    if not rated.any():
        return {}
    elo = elo_of(counted)
    return {bots[bot]: float(elo[bot]) for bot in np.flatnonzero(rated).tolist()}
