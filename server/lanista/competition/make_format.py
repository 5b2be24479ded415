"""Makes the format (`lanista.competition.formats`) that a spec asks for."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from lanista.competition.formats.base import Contest, Format
from lanista.competition.formats.fixed import gauntlet, round_robin
from lanista.competition.formats.knockout import Knockout
from lanista.competition.formats.ladder_format import LadderFormat
from lanista.competition.formats.swiss import Swiss
from lanista.competition.spec import Spec, Sprt, check_seats
from lanista.errors import SpecError, did_you_mean
from lanista.results.blocks import BlockScore, FormatName, SeatingsName, seatings

MAX_ROUND_BLOCKS = 250_000
"""Maximum number of blocks in a round: all of them are planned when the round begins."""
_KEYS: Mapping[str, Sequence[FormatName]] = {
    "rounds": [FormatName.SWISS],
    "blocks": [kind for kind in FormatName if not kind.is_planned],
    "challenger": [FormatName.GAUNTLET],
    "sprt": [FormatName.SPRT],
    "fill": [kind for kind in FormatName if kind is not FormatName.SPRT],
}
"""By key of a spec that only some formats have: those formats."""


def make_format(
    spec: Spec,
    seats: int,
    openings: int,
    bots: Sequence[str],
    fillers: Sequence[str],
    *,
    maps: int = 1,
    rotation: Callable[[int], int] = lambda opening: opening,
) -> Format:
    """Make the format that a spec asks for, with nothing played.

    The other arguments are those of `Contest`. Fillers play only if bots are fewer than seats.

    Raises:
        SpecError: There can't be such a tournament; the message begins with the key that is wrong.
    """
    _check(spec, seats, bots, fillers, maps)
    fillers = fillers[: max(0, seats - len(bots))]
    places = [*bots, *fillers][:seats]
    if spec.format is FormatName.SPRT:
        places = [bot for bot in bots for _ in range(seats // 2)]
    contest = Contest(
        bots=tuple(bots),
        fillers=tuple(fillers),
        seated=seatings(places, every=spec.seatings is SeatingsName.ALL),
        openings=openings,
        blocks=spec.blocks,
        maps=maps,
        # It is asked for with each block, and computes a hash.
        rotation=functools.cache(rotation),
    )
    if spec.format is FormatName.SPRT:
        # Imported here because they import numpy, which takes time.
        from lanista.competition.formats.sprt import VersionTest  # noqa: PLC0415 - see above
        from lanista.ratings.sequential import Sequential  # noqa: PLC0415 - see above

        sprt = spec.sprt or Sprt()
        return VersionTest(contest, Sequential(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta))
    if spec.format is FormatName.ROUND_ROBIN:
        return round_robin(contest)
    if spec.format is FormatName.GAUNTLET:
        return gauntlet(contest, spec.challenger or bots[0])
    if spec.format is FormatName.SWISS:
        return Swiss(contest, spec.rounds)
    if spec.format is FormatName.KNOCKOUT:
        return Knockout(contest)
    if spec.format is not FormatName.LADDER:
        assert_never(spec.format)

    def ratings(played: Sequence[BlockScore]) -> Mapping[str, float]:
        # Imported here because it imports numpy.
        from lanista.ratings.compute import ratings_of  # noqa: PLC0415 - see above

        return ratings_of(played, contest.seated, contest.entries)

    return LadderFormat(contest, ratings)


def _check(spec: Spec, seats: int, bots: Sequence[str], fillers: Sequence[str], maps: int) -> None:
    kind = spec.format
    check_seats(seats)
    for key, kinds in _KEYS.items():
        if getattr(spec, key) is not None and kind not in kinds:
            raise SpecError(f"{key}: only for {', '.join(kinds)}, not for {kind}; remove {key}")
    if spec.challenger is not None and spec.challenger not in bots:
        raise SpecError(
            f"challenger: {spec.challenger!a} isn't a bot here; it can be {', '.join(bots)}"
            f"{did_you_mean(spec.challenger, bots)}"
        )
    if spec.fill is not None and seats == 2:
        raise SpecError("fill: two bots take all seats of a game of 2; remove fill")
    if kind is FormatName.SPRT:
        if len(bots) != 2:
            raise SpecError(f"bots: the format {kind} needs exactly two, not {len(bots)}")
        return
    if len(bots) < 2:
        raise SpecError(f"bots: the format {kind} needs at least two, not {len(bots)}")
    if len(bots) + len(fillers) < seats:
        raise SpecError(
            f"bots: the game has {seats} seats, and there are only {len(bots)} bots; "
            'add bots, or let a house bot take the other seats: fill = "Null"'
        )
    if kind.has_rounds:
        meetings = max(len(bots), seats) // seats
        round_blocks = (spec.blocks or 1) * maps * meetings
        if round_blocks > MAX_ROUND_BLOCKS:
            raise SpecError(
                f"blocks: {spec.blocks or 1} a meeting on {maps} map{'s'[: maps > 1]} makes "
                f"{round_blocks:,} blocks a round; at most {MAX_ROUND_BLOCKS:,} are possible"
            )
