"""Void matches: a seat judged late while the host stood still (PROTOCOL.md 3, 4)."""

from contextlib import nullcontext

import pytest
import trio
import trio.testing

from lanista.games.outcome import Ending
from lanista.match.stalls import PassLimit
from match.playing import SKIPPERS, answers, ending, heard, listens, speaks, verdicts, writes


class Stalls:
    """Says that the host stood still for so many seconds in these turns."""

    is_shared = False

    def __init__(self, stalled):
        self.stalled, self.asked = stalled, 0
        self.passes = PassLimit()

    def watching(self):
        return nullcontext()

    def worst(self, since, now):
        assert since <= now
        self.asked += 1
        return self.stalled.get(self.asked - 1, 0.0)


KEEPERS = [f"{hello} keep=1" for hello in SKIPPERS]
quick = answers("1")
"""Answers turn 0, is late in turn 1."""


@pytest.mark.parametrize(
    ("stalled", "late", "end"),
    [
        ({1: 0.051}, True, "void"),
        ({1: 0.05}, True, "finished"),  # at the margin, not above
        ({0: 9.0}, True, "finished"),  # in another turn
        ({0: 9.0, 1: 9.0, 2: 9.0}, False, "finished"),
    ],
)
async def test_late_and_a_stall_above_the_margin_make_a_match_void(
    autojump_clock, counting, stalled, late, end
):
    """Late without a stall is late; a stall without anybody late is nothing."""
    table = counting(rounds=3, stalls=Stalls(stalled))
    record = await table.play(quick if late else speaks(*"111"), speaks(*"111"), speaks(*"111"))
    assert end == record.result.end
    assert len(record.turns) == record.result.turns == (2 if end == "void" else 3)


class Busy:
    """Says that so many seconds of work were done for an address in any turn."""

    def __init__(self, seconds):
        self.seconds = seconds

    def spent(self, _host, since):
        assert since <= trio.current_time()
        return self.seconds


@pytest.mark.parametrize(
    ("seat", "seconds", "end"), [(0, 0.03, "finished"), (0, 0.02, "void"), (1, 9.0, "void")]
)
async def test_who_keeps_the_host_busy_gets_no_void_for_it(
    autojump_clock, counting, seat, seconds, end
):
    """Half of the stall and more was work for connections of the late bot's address: it is late.

    Work for another's address doesn't matter.
    """
    table = counting(rounds=3, stalls=Stalls({1: 0.06}))
    table.connections[seat].background.done = Busy(seconds)
    record = await table.play(quick, speaks(*"111"), speaks(*"111"))
    assert end == record.result.end
    assert "late" == record.turns[1].verdicts[0]


async def test_a_void_turn_is_recorded_and_not_carried_out(autojump_clock, counting):
    """`end void` with the scores as they stood before it; nobody has won; nobody is put out."""
    table = counting(*KEEPERS, stalls=Stalls({1: 0.3}), late_limit=1)

    async def keeper(end):
        await end.read_until("go")
        await end.say("4")
        await end.read_until("go")
        if end is not table.bots[0]:
            await end.say("5")
        await end.read_until("score 2")

    record = await table.play(keeper, keeper, keeper)
    result = record.result
    assert ("void", "stall", (1, 1, 1), (4, 4, 4)) == (
        result.end,
        result.reason,
        result.ranks,
        result.scores,
    )
    assert 0.3 == record.turns[1].stall
    assert ("late", "answer", "answer") == record.turns[1].verdicts
    assert record.turns[0].digest == record.turns[1].digest == result.digest
    for seat, end in enumerate(table.bots):
        scores = [f"score {seat} 4" for seat in range(3)]
        assert ["go", "end void", "rank 0 1", "rank 1 1", "rank 2 1", *scores] == heard(end)[-8:]
        assert not table.connections[seat].closed


async def test_who_left_in_a_void_turn_is_closed(autojump_clock, counting):
    """Seat 1 sends rubbish, seat 0 is late, the host stands still: void, and seat 1 is told."""
    table = counting(*KEEPERS, stalls=Stalls({0: 1.0}))

    async def keeper(end):
        await end.read_until("score 2")

    record = await table.play(keeper, writes(b"\xff\n"), keeper)
    assert [("late", "missing", "late")] == verdicts(record)
    assert [False, True, False] == [connection.closed for connection in table.connections]
    assert heard(table.bots[1])[-1].startswith("error not-utf8")


async def test_a_void_forfeit_is_none(autojump_clock, angrymob):
    """Angry Mob: late and a stall; without keep=1 the arena closes after `bye`."""
    table = angrymob(stalls=Stalls({0: 1.0}))
    record = await table.play(listens, answers(""))
    assert ("void", (1, 1)) == (record.result.end, record.result.ranks)
    assert ["score 1 1", "bye"] == heard(table.bots[0])[-2:]
    assert 1 == record.result.turns


class Breakers:
    """Tells which bots have broken a limit, and counts how often it was asked."""

    def __init__(self, reasons):
        self.reasons, self.asked = reasons, 0

    async def __call__(self, began):
        assert began <= trio.current_time()
        self.asked += 1
        return self.reasons


BOMB = "its process was ended: it had 17 processes; the limit is 16"


async def test_a_bot_that_broke_a_limit_gets_no_void_and_alone_forfeits(autojump_clock, angrymob):
    """Both are late in a stall, which may be the work of either; but one has broken a limit."""
    table = angrymob(stalls=Stalls({0: 1.0}), limit_breakers=Breakers({1: BOMB}))
    record = await table.play(listens, listens)
    result = record.result
    assert ("forfeit", "removed", (1, 2)) == ending(record)
    assert [(0, 1, "disconnected", BOMB)] == [
        (fault.turn, fault.seat, fault.code, fault.words) for fault in result.faults
    ]
    assert (Ending.NORMAL, "") == table.match.ending(0)
    assert (Ending.DISCONNECT, BOMB) == table.match.ending(1)
    assert 0 == record.result.turns


async def test_where_turns_are_skipped_a_bot_that_broke_a_limit_is_out(autojump_clock, counting):
    """Its answer, though in time, doesn't count. Another that is late is skipped, which doesn't
    count for its limit of late turns."""
    breakers = Breakers({1: BOMB})
    table = counting(rounds=3, stalls=Stalls({1: 1.0}), limit_breakers=breakers, late_limit=1)

    async def slow_once(end):
        await end.read_until("go")
        await end.say("1")
        await end.read_until("go")
        await end.read_until("go")
        await end.say("")
        await end.say("1")
        await end.read_rest()
        end.close()

    record = await table.play(slow_once, speaks(*"111"), speaks(*"111"))
    assert [
        ("answer", "answer", "answer"),
        ("late", "missing", "answer"),
        ("answer", "out", "answer"),
    ] == verdicts(record)
    assert "finished" == record.result.end
    assert (Ending.DISCONNECT, BOMB) == table.match.ending(1)
    assert 1 == breakers.asked


async def test_limits_are_asked_for_only_when_a_match_would_be_void(autojump_clock, counting):
    """Late without a stall, and a stall without anybody late; then both, but no limit broken."""
    breakers = Breakers({})
    table = counting(rounds=4, stalls=Stalls({0: 1.0, 3: 1.0}), limit_breakers=breakers)
    record = await table.play(quick, speaks(*"1111"), speaks(*"1111"))
    assert "void" == record.result.end
    assert 1 == breakers.asked
