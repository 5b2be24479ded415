"""Who meets whom, and when: the formats, and the way from a spec to one.

Names, draws and points alone: nothing here plays, stores, or reads a clock; `base` is the protocol.
"""

from collections.abc import Mapping, Sequence

from lanista.tournament.blocks import seatings
from lanista.tournament.pairing.base import Format
from lanista.tournament.pairing.gauntlet import gauntlet
from lanista.tournament.pairing.knockout import Knockout
from lanista.tournament.pairing.round_robin import round_robin
from lanista.tournament.pairing.swiss import Swiss
from lanista.tournament.spec import FormatName, SeatingsName, Spec, SpecError

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
    spec: Spec, seats: int, draws: int, bots: Sequence[str], fillers: Sequence[str]
) -> Format:
    """The format that a spec asks for, with nothing played.

    Args:
        spec: Its format, rounds, blocks, challenger, seatings and sprt are read.
        seats: Of the game: 2 or 4.
        draws: How many the spec lists. Swiss, knockout, ladder and version test may ask for
            further ones, from `draws` on.
        bots: Their names, in the spec's order.
        fillers: Names of the fill bots that complete fewer bots to `seats`.

    Raises:
        SpecError: There can't be such a tournament; the line begins with the key that is wrong.
    """
    _check(spec, seats, bots, fillers)
    # With enough bots nobody fills.
    fillers = list(fillers[: max(0, seats - len(bots))])
    entries = [*bots, *fillers]
    blocks = spec.blocks
    every = spec.seatings is SeatingsName.ALL
    if spec.format is FormatName.SPRT:
        # Imported late: numpy comes with them.
        from lanista.tournament.pairing.sprt import VersionTest  # noqa: PLC0415 - see above
        from lanista.tournament.sequential import Sequential  # noqa: PLC0415 - see above

        test = Sequential(
            elo0=spec.sprt.elo0,
            elo1=spec.sprt.elo1,
            alpha=spec.sprt.alpha,
            beta=spec.sprt.beta,
        )
        side = seats // 2
        places = [bots[0]] * side + [bots[1]] * side
        return VersionTest(
            bots=bots, seated=seatings(places, every=every), blocks=blocks, test=test
        )
    seated = seatings(entries[:seats], every=every)
    if spec.format is FormatName.ROUND_ROBIN:
        return round_robin(entries, seated, draws)
    if spec.format is FormatName.GAUNTLET:
        return gauntlet(entries, spec.challenger or bots[0], seated, draws)
    if spec.format is FormatName.SWISS:
        return Swiss(
            bots=bots, fillers=fillers, seated=seated, blocks=blocks or 1, rounds=spec.rounds
        )
    if spec.format is FormatName.KNOCKOUT:
        return Knockout(bots=bots, fillers=fillers, seated=seated, blocks=blocks or 1)
    from lanista.tournament.pairing.ladder import Ladder  # noqa: PLC0415 - openskill comes with it

    return Ladder(bots=bots, fillers=fillers, seated=seated, blocks=blocks)


def _check(spec: Spec, seats: int, bots: Sequence[str], fillers: Sequence[str]) -> None:
    kind, name = spec.format, _NAMES[spec.format]
    if seats not in {2, 4}:
        raise SpecError(f"game: it has {seats} seats; tournaments are for games of 2 or 4")
    if spec.rounds is not None and kind is not FormatName.SWISS:
        raise SpecError(f"rounds: {name} has none; {_LENGTH[kind]}")
    if spec.blocks is not None and kind in {FormatName.ROUND_ROBIN, FormatName.GAUNTLET}:
        raise SpecError(f"blocks: {name} has none; {_LENGTH[kind]}")
    if spec.challenger is not None:
        if kind is not FormatName.GAUNTLET:
            raise SpecError(f"challenger: {name} has none; only a gauntlet has")
        if spec.challenger not in bots:
            raise SpecError(
                f"challenger: {spec.challenger!a} is no bot here; it can be {', '.join(bots)}"
            )
    if kind is FormatName.SPRT:
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
