"""Seats that an operator puts out, with a reason that is told.

Matches that one ends: page/test_viewer_commands.py.
"""

import attrs
import pytest
import trio
import trio.testing

from lanista.match.conditions import Clock
from lanista.match.replay import MismatchError, verify
from lanista_protocol import State
from match.playing import (
    ANGRYMOB,
    answers,
    ending,
    faults_of,
    heard,
    leaves,
    listens,
    speaks,
    verdicts,
)

NO_CLOCK = Clock(time_init=0, time_move=0)
WHY = "the operator closed this connection"
TOLD = f"error shutdown {WHY}"
FIVE = answers(*"11111")


def kicker(table, seat, *, after, times=1):
    """Kicks a seat so many seconds after the beginning."""

    async def kick():
        await trio.sleep(after)
        for _ in range(times):
            table.match.kick(seat, WHY)

    return kick


MOMENTS = {
    # What seat 0 does; the seconds that seat 1 thinks about each answer; the turn before which the
    # match is held for 2 s; when seat 0 is kicked, and how often; its verdicts, by their first
    # letters, until it is out; its score; and when the match is over.
    "before its first turn": (listens, 0, 0, 1, 1, "m", 0, 2),
    # Without a clock too, the turn ends at that moment.
    "while its answer is awaited": (answers("1"), 0, None, 5, 1, "am", 1, 5),
    "three times": (answers("1"), 0, None, 5, 3, "am", 1, 5),
    # That answer counts, while the others are awaited.
    "when it has answered": (answers("9"), 2, None, 1, 1, "am", 9, 10),
    # What it sent for turns to come counts no more.
    "with answers sent ahead": (speaks(*"99999"), 2, None, 3, 1, "aam", 18, 10),
    "between two turns": (answers("1", "1"), 0, 2, 1, 1, "aam", 2, 2),
}


@pytest.mark.parametrize("moment", MOMENTS)
async def test_who_is_put_out_is_told_why_and_the_others_play_on(autojump_clock, counting, moment):
    first, thinks, held, after, times, expected, score, over = MOMENTS[moment]

    async def hold(game):
        if game.turn == held:
            await trio.sleep(2)

    extra = {} if held is None else {"watcher": hold}
    table = counting(clock=NO_CLOCK, **extra)
    kick = kicker(table, 0, after=after, times=times)
    record = await table.play(first, answers(*"11111", delay=thinks), FIVE, beside=[kick])
    assert expected.ljust(5, "o") == "".join(verdict[0][0] for verdict in verdicts(record))
    assert TOLD == heard(table.bots[0])[-1]
    assert ("m" == expected) == ("go" not in heard(table.bots[0]))
    assert [("shutdown", len(expected) - 1, 0, WHY)] == faults_of(record)
    assert [("answer", "answer")] * 5 == [verdict[1:] for verdict in verdicts(record)]
    assert ("finished", (score, 5, 5), over) == (
        *(record.result.end, record.result.scores),
        table.over,
    )
    assert all("bye" == heard(bot)[-1] for bot in table.bots[1:])


async def test_while_another_thinks_without_a_limit(autojump_clock, counting):
    """It is told why and its connection is closed at once, not when the others have answered."""
    closed_at = []

    async def asked(end):
        await listens(end)
        closed_at.append(trio.current_time())

    table = counting(clock=NO_CLOCK)
    slow = answers(*"11111", delay=100)
    kick = kicker(table, 1, after=5, times=2)
    record = await table.play(slow, asked, FIVE, beside=[kick])
    assert TOLD == heard(table.bots[1])[-1]
    assert [5] == closed_at
    assert 500 == table.over
    assert ["missing", "out", "out", "out", "out"] == [verdict[1] for verdict in verdicts(record)]
    assert [("shutdown", 0, 1, WHY)] == faults_of(record)
    assert [("answer", "answer")] * 5 == [verdict[::2] for verdict in verdicts(record)]


async def test_while_it_does_not_read(autojump_clock, counting):
    """With bytes of its turn still in our hands: the others wait no longer for it."""

    async def deaf(end):
        await trio.sleep(30)
        end.close()

    # Room for the opening's first bytes alone.
    room = [20, 1 << 20, 1 << 20]
    table = counting(clock=NO_CLOCK, to_bot=room)
    kick = kicker(table, 0, after=4)
    record = await table.play(deaf, FIVE, FIVE, beside=[kick])
    assert ["missing", "out", "out", "out", "out"] == [verdict[0] for verdict in verdicts(record)]
    assert [("shutdown", 0)] == [(fault.code, fault.turn) for fault in record.result.faults]
    assert "finished" == record.result.end
    assert 5 == table.over  # the farewell has CLOSING_TIME, a second


async def test_after_it_has_gone(autojump_clock, counting):
    """Nothing is left to be done."""
    table = counting(clock=NO_CLOCK)
    slow = answers(*"11111", delay=2)
    record = await table.play(leaves(), slow, FIVE, beside=[kicker(table, 0, after=3)])
    assert ["missing", "out", "out", "out", "out"] == [verdict[0] for verdict in verdicts(record)]
    assert ["disconnected"] == [fault.code for fault in record.result.faults]


@pytest.mark.parametrize("answered", [False, True])
async def test_where_a_fault_forfeits_nobody_awaits_the_other(autojump_clock, angrymob, answered):
    """The match ends within that turn, which isn't played; the other bot stays for the next one."""
    hellos = ["Ann v=1", "Bob v=1 keep=1"]
    table = angrymob(*hellos, clock=NO_CLOCK)
    ann = answers("", *([""] if answered else []))

    async def bob(end):
        await end.read_until("go")
        await end.say("")
        await end.read_until("end forfeit")

    kick = kicker(table, 0, after=5, times=2)
    record = await table.play(ann, bob, beside=[kick])
    assert ("forfeit", "removed", (2, 1)) == ending(record)
    assert 5 == table.over
    assert 1 == record.result.turns == len(record.turns)
    assert [("shutdown", 1, 0, WHY)] == faults_of(record)
    assert ("malformed", "normal") == record.result.endings
    assert TOLD == heard(table.bots[0])[-1]
    assert "end forfeit" in heard(table.bots[1])
    assert ["go", "go"] == [line for line in heard(table.bots[1]) if line == "go"]
    assert State.WAITING is table.connections[1].session.state
    for wrong in ({"faults": ()}, {"ranks": (1, 2)}, {"fault_counts": ({}, {})}):
        with pytest.raises(MismatchError):
            verify(attrs.evolve(record, result=attrs.evolve(record.result, **wrong)), ANGRYMOB)


async def test_where_a_fault_forfeits_and_the_match_is_held(autojump_clock, angrymob):
    """The other bot is still sent the turn in which it wins, and isn't waited for."""

    async def hold(game):
        await trio.sleep(2)

    table = angrymob(clock=NO_CLOCK, watcher=hold)
    record = await table.play(listens, listens, beside=[kicker(table, 0, after=1)])
    assert ("forfeit", (2, 1), 2) == (record.result.end, record.result.ranks, table.over)
    assert "go" not in heard(table.bots[0])
    assert ["go", "end forfeit"] == [
        line for line in heard(table.bots[1]) if line.startswith(("go", "end"))
    ]
    assert 0 == record.result.turns


async def test_where_a_fault_forfeits_and_both_are_put_out(autojump_clock, angrymob):
    table = angrymob(clock=NO_CLOCK)
    kicks = [kicker(table, seat, after=1) for seat in range(2)]
    record = await table.play(listens, listens, beside=kicks)
    assert ("forfeit", (1, 1)) == (record.result.end, record.result.ranks)
    assert 1 == table.over


async def test_a_classic_bot_is_put_out_too(autojump_clock, angrymob):
    """Its dialect has no word for why: it sees the end of its connection."""
    table = angrymob("Ann", "Bob v=1", clock=NO_CLOCK)
    record = await table.play(listens, answers(""), beside=[kicker(table, 0, after=1)])
    assert ("forfeit", (2, 1)) == (record.result.end, record.result.ranks)
    assert 1 == record.result.turns
    assert "error" not in table.bots[0].heard.decode()


async def test_kicking_everybody_ends_the_match(autojump_clock, counting):
    table = counting(clock=NO_CLOCK)
    kicks = [kicker(table, seat, after=1) for seat in range(3)]
    record = await table.play(listens, listens, listens, beside=kicks)
    assert [("missing",) * 3] == verdicts(record)
    assert ("forfeit", "all-out") == (record.result.end, record.result.reason)
    assert all(TOLD == heard(bot)[-1] for bot in table.bots)
