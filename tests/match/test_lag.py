"""The way to a bot and back: measured now and then, and added to its limits where that is allowed.

PROTOCOL.md 4.
"""

import sys

import pytest
import trio

from lanista.match.channel import RoundTrip
from lanista.match.conditions import Clock
from lanista.match.replay import payloads
from lanista.match.runner import MEASURED_EVERY
from match.loopback import socket_pair
from match.playing import COUNTING, SKIPPERS, answers, heard
from support.memory import connection_pair

CLOCK = Clock(time_init=1.0, time_move=0.2)
NOTED = ("Ann v=1 notes=1", *SKIPPERS[1:])


def away(table, seat, least, smoothed=300_000):
    """Let a seat's bot be so many microseconds away; returns its channel."""
    channel = table.connections[seat].channel
    channel.way = RoundTrip(smoothed, least)
    return channel


@pytest.mark.parametrize(
    ("least", "allowance", "limit"),
    [
        (80_000, 0.1, 0.28),
        (80_000, 0.0, 0.2),
        (80_000, 0.05, 0.25),  # no more than the allowance, however far away it says it is
        (2_000_000, 0.25, 0.45),
    ],
)
@pytest.mark.parametrize("is_late", [False, True])
async def test_the_least_round_trip_is_added_up_to_the_allowance(
    autojump_clock, counting, least, allowance, limit, is_late
):
    table = counting(*NOTED, clock=CLOCK, lag_allowance=allowance, rounds=3)
    away(table, 0, least)
    slow = answers("1", "1", "1", delay=(0, limit + 0.01 if is_late else limit - 0.01, 0))
    fast = answers("1", "1", "1")
    record = await table.play(slow, fast, fast)
    assert ["answer", "late" if is_late else "answer", "answer"] == [
        turn.verdicts[0] for turn in record.turns
    ]
    lag = min(least, round(allowance * 1e6))
    assert [{"0": lag} if lag else {}] * 3 == [turn.lags for turn in record.turns]
    assert allowance == record.header.clock.lag_allowance
    assert [{"0": (300_000, least)}, {}, {}] == [turn.round_trips for turn in record.turns]
    counted = table.match.figures.round_trips  # for /metrics
    assert (1, 300_000) == (sum(counted.counts), counted.total)
    # The bot knows, and a late one is told its own limit; the record has all that this takes.
    told = heard(table.bots[0])
    assert ([f"lag {allowance:g}"] if allowance else []) == [x for x in told if "lag" in x]
    note = f"note late 1 - no answer within {limit:g} s"
    assert ([note] if is_late else []) == [x for x in told if "note" in x]
    assert table.bots[0].heard.startswith(b"".join(payloads(record, COUNTING, 0)))
    assert 3 == record.result.turns
    # What the way took isn't the bot's own time.
    spent = limit - lag / 1e6 if is_late else limit - 0.01 - lag / 1e6
    assert pytest.approx(spent / 1.4, abs=1e-4) == record.turns[2].status[0]


async def test_it_is_measured_again_now_and_then(autojump_clock, counting):
    """Only a shorter way changes the limits, from the next turn on."""
    rounds = 2 * MEASURED_EVERY + 3
    table = counting(clock=CLOCK, lag_allowance=0.25, rounds=rounds)
    channel = away(table, 0, 80_000)

    async def wanderer(end):
        for turn in range(rounds):
            least = {1: 100_000, MEASURED_EVERY + 1: 30_000}.get(turn)
            if least:
                channel.way = RoundTrip(300_000, least)
            await end.read_until("go")
            await trio.sleep(0.01)
            await end.say("1")
        await end.read_rest()

    fast = answers(*"1" * rounds)
    record = await table.play(wanderer, fast, fast)
    measured = {turn.turn: turn.round_trips for turn in record.turns if turn.round_trips}
    assert {
        0: {"0": (300_000, 80_000)},
        MEASURED_EVERY: {"0": (300_000, 100_000)},
        2 * MEASURED_EVERY: {"0": (300_000, 30_000)},
    } == measured
    lags = [turn.lags["0"] for turn in record.turns]
    assert [80_000] * (2 * MEASURED_EVERY + 1) + [30_000] * 2 == lags


async def test_a_bot_that_comes_back_is_measured_on_its_new_way(autojump_clock, counting):
    table = counting(clock=CLOCK, lag_allowance=0.25, may_rejoin=(0,))
    away(table, 0, 80_000)

    async def returner(end):
        await end.read_until("go")
        await end.say("1")
        await end.read_until("go")
        end.close()
        connection, end = connection_pair("Ann v=1")
        connection.channel.way = RoundTrip(9_000, 7_000)
        table.match.rejoin(0, connection)
        await answers(*"111")(end)

    steady = answers(*"11111", delay=0.05)
    record = await table.play(returner, steady, steady)
    (back,) = [turn for turn in record.turns if turn.rejoined]
    assert {"0": (9_000, 7_000)} == back.round_trips
    assert {"0": 7_000} == back.lags
    assert {"0": 80_000} == record.turns[0].lags
    assert 5 == record.result.turns


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells the round trip on Linux")
async def test_the_kernel_knows_the_way_of_a_real_connection():
    channel, bot = socket_pair()
    with bot:
        found = channel.round_trip()
        assert 0 < found.least <= found.smoothed < 1_000_000
        channel.close()
        assert channel.round_trip() is None
