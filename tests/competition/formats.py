"""Formats of made-up bots whose blocks end as a test says."""

from lanista.competition.make_format import make_format
from lanista.competition.spec import BotEntry, Spec
from lanista.results.blocks import BlockScore, FormatName


def make(kind, bots, *, seats=2, draws=3, fillers=(), maps=1, rotation=lambda draw: draw, **keys):
    entries = tuple(BotEntry(name=bot, command="idle") for bot in bots)
    spec = Spec(name="cup", game="any", format=FormatName(kind), bots=entries, **keys)
    return make_format(spec, seats, draws, bots, fillers, maps=maps, rotation=rotation)


def handed_out(format_):
    return list(iter(format_.next, None))


def ranked(format_, pairing, strength):
    """Every match of a block goes by strength; equal strengths tie."""
    by_place = [strength(bot) for bot in pairing.bots]
    return BlockScore(
        pairing.bots,
        tuple(
            tuple(1 + sum(other > by_place[place] for other in by_place) for place in seating)
            for seating in format_.seated
        ),
        pairing.opening,
    )


def play(format_, strength):
    """Play it to its end; returns the rounds, as they were handed out."""
    rounds = []
    while handed := handed_out(format_):
        rounds.append(handed)
        for pairing in handed:
            format_.record(ranked(format_, pairing, strength))
    assert format_.over()
    return rounds


def by_alphabet(bot):
    """a is the strongest."""
    return -ord(bot)
