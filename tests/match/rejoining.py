"""What the tests of bots that come back share: a match whose bots may, and one that does."""

from lanista.match.conditions import Clock
from match.playing import COUNTING, SKIPPERS, answers, sit
from support.memory import connection_pair

CLOCK = Clock(time_init=1.0, time_move=0.2)
FIVE = answers(*"11111")
ALL = {"may_rejoin": (0, 1, 2)}
REPLACED = b"error replaced by another connection\n"


def rejoinable(folder, **more):
    """A match of three whose bots may all come back."""
    return sit(folder, COUNTING, SKIPPERS, clock=CLOCK, **ALL, **more)


def back(table, seat, hello="Ann v=1"):
    """A bot comes back; its new end."""
    connection, end = connection_pair(hello)
    assert table.match.rejoin(seat, connection) is None
    return end


def letters(record, seat):
    """Of each turn, the first letter of a seat's verdict."""
    return "".join(turn.verdicts[seat][0] for turn in record.turns)


async def skip(end, turns):
    """Answer so many turns with 1."""
    for _ in range(turns):
        await end.read_until("go")
        await end.say("1")
