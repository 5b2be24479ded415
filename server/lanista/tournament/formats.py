"""The way from a spec to its format (`pairing`)."""

import functools
from collections.abc import Callable, Mapping, Sequence

from lanista.pairing.base import Format
from lanista.pairing.blocks import seatings
from lanista.pairing.gauntlet import gauntlet
from lanista.pairing.kinds import FormatName, SeatingsName
from lanista.pairing.knockout import Knockout
from lanista.pairing.round_robin import round_robin
from lanista.pairing.swiss import Swiss
from lanista.tournament.spec import Spec, SpecError, Sprt

MOST_A_ROUND = 250_000
"""Blocks of a round, which are all planned when it is drawn."""
_LENGTH: Mapping[FormatName, str] = {
    FormatName.ROUND_ROBIN: "its length is that of seeds",
    FormatName.GAUNTLET: "its length is that of seeds",
    FormatName.KNOCKOUT: "they follow from the number of bots",
    FormatName.LADDER: "it goes on until it is stopped, or for as many blocks as blocks says",
    FormatName.SPRT: "it goes on until it decides, or for as many blocks as blocks says",
}
"""Why a format has no rounds, or no blocks."""

_NAMES: Mapping[FormatName, str] = {
    FormatName.ROUND_ROBIN: "a round-robin",
    FormatName.GAUNTLET: "a gauntlet",
    FormatName.SWISS: "a Swiss tournament",
    FormatName.KNOCKOUT: "a knockout",
    FormatName.LADDER: "a ladder",
    FormatName.SPRT: "a version test",
}


def make_format(
    spec: Spec,
    seats: int,
    draws: int,
    bots: Sequence[str],
    fillers: Sequence[str],
    *,
    maps: int = 1,
    rotation: Callable[[int], int] = lambda draw: draw,
) -> Format:
    """The format that a spec asks for, with nothing played.

    Args:
        spec: Its format, rounds, blocks, challenger, seatings and sprt are read.
        seats: Of the game: 2 or 4.
        draws: How many the spec lists. Swiss, knockout, ladder and version test may ask for
            further ones, from `draws` on.
        bots: Their names, in the spec's order.
        fillers: Names of the fill bots that complete fewer bots to `seats`.
        maps: How many the spec lists, or 1; draw d is on map d modulo this.
        rotation: A number that a draw, by its index, has for ever, whatever else the spec lists:
            it decides how four players are arranged. It isn't called here, but by the format's
            `next`, `record`, `counts` and `bench`.

    Raises:
        SpecError: There can't be such a tournament; the line begins with the key that is wrong.
    """
    _check(spec, seats, bots, fillers, maps)
    # Asked for each block, and a hash each time.
    rotation = functools.cache(rotation)
    # With enough bots nobody fills.
    fillers = list(fillers[: max(0, seats - len(bots))])
    entries = [*bots, *fillers]
    blocks = spec.blocks
    every = spec.seatings is SeatingsName.ALL
    if spec.format is FormatName.SPRT:
        # Imported late: numpy comes with them.
        from lanista.pairing.sprt import VersionTest  # noqa: PLC0415 - see above
        from lanista.standings.sequential import Sequential  # noqa: PLC0415 - see above

        asked = spec.sprt or Sprt()
        test = Sequential(elo0=asked.elo0, elo1=asked.elo1, alpha=asked.alpha, beta=asked.beta)
        side = seats // 2
        places = [bots[0]] * side + [bots[1]] * side
        return VersionTest(
            bots=bots, seated=seatings(places, every=every), blocks=blocks, test=test
        )
    seated = seatings(entries[:seats], every=every)
    if spec.format is FormatName.ROUND_ROBIN:
        return round_robin(entries, seated, draws, rotation)
    if spec.format is FormatName.GAUNTLET:
        return gauntlet(entries, spec.challenger or bots[0], seated, draws, rotation)
    if spec.format is FormatName.SWISS:
        return Swiss(
            bots=bots,
            fillers=fillers,
            seated=seated,
            blocks=blocks or 1,
            maps=maps,
            rotation=rotation,
            rounds=spec.rounds,
        )
    if spec.format is FormatName.KNOCKOUT:
        return Knockout(
            bots=bots,
            fillers=fillers,
            seated=seated,
            blocks=blocks or 1,
            maps=maps,
            rotation=rotation,
        )
    from lanista.pairing.ladder import Ladder  # noqa: PLC0415 - openskill comes with it

    return Ladder(bots=bots, fillers=fillers, seated=seated, blocks=blocks, rotation=rotation)


def _check(spec: Spec, seats: int, bots: Sequence[str], fillers: Sequence[str], maps: int) -> None:
    kind, name = spec.format, _NAMES[spec.format]
    if seats not in {2, 4}:
        raise SpecError(f"game: it has {seats} seats; tournaments are for games of 2 or 4")
    if spec.rounds is not None and kind is not FormatName.SWISS:
        raise SpecError(f"rounds: {name} has none; {_LENGTH[kind]}")
    if spec.blocks is not None and kind.is_planned:
        raise SpecError(f"blocks: {name} has none; {_LENGTH[kind]}")
    if spec.challenger is not None:
        if kind is not FormatName.GAUNTLET:
            raise SpecError(f"challenger: {name} has none; only a gauntlet has")
        if spec.challenger not in bots:
            raise SpecError(
                f"challenger: {spec.challenger!a} is no bot here; it can be {', '.join(bots)}"
            )
    if spec.sprt is not None and kind is not FormatName.SPRT:
        raise SpecError(f"sprt: {name} has none; only a version test has")
    if spec.fill is not None and seats == 2:
        raise SpecError("fill: the game has 2 seats, which no two bots leave free; leave it out")
    if kind is FormatName.SPRT:
        if spec.fill is not None:
            raise SpecError(f"fill: {name} has no free seats, two bots take them all; leave it out")
        if len(bots) != 2:
            raise SpecError(f"bots: {name} has two, not {len(bots)}")
        return
    if len(bots) < 2:
        raise SpecError(f"bots: {name} needs two at least, not {len(bots)}")
    if len(bots) + len(fillers) < seats:
        raise SpecError(
            f"bots: the game has {seats} seats, and there are only {len(bots)} bots; "
            'add bots, or let a house bot take the other seats: fill = "Null"'
        )
    if kind.has_rounds:
        meetings = max(len(bots), seats) // seats
        a_round = (spec.blocks or 1) * maps * meetings
        if a_round > MOST_A_ROUND:
            raise SpecError(
                f"blocks: {spec.blocks or 1} a meeting on {maps} map{'s'[: maps > 1]} makes "
                f"{a_round:,} a round; {MOST_A_ROUND:,} at most"
            )
