"""The fair clock on real sockets, with a loop that is blocked and one that isn't (PROTOCOL.md 4).

What blocks the loop ends only when the bot has done its part and the deadline is over: no test
waits a number of milliseconds and hopes.
"""

import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
import trio

from lanista.match import channel as channel_module
from lanista.match.encoder import DialectEncoder
from lanista.match.seat import Seat
from match import loopback
from match.loopback import PATIENCE, bot_in_a_thread, read_line, socket_pair
from support.memory import connection_pair

LIMIT = 0.2
TRIES = 50
"""How often to try where nothing is known of a time, as on a machine so busy that we are stopped
between a look at one clock and a look at the other."""

pytestmark = [
    pytest.mark.usefixtures("stamping"),
    pytest.mark.skipif(
        sys.platform != "linux", reason="the kernel's time of receipt is told on Linux alone"
    ),
]


@pytest.fixture(params=["accepted here", "handed over"], autouse=True)
def _sockets(request, monkeypatch):
    """Every test on a socket that was accepted by this process, and on one that it was handed."""
    if request.param == "handed over":
        monkeypatch.setattr(loopback, "channel_of", loopback.handed_over)


def seated(connection):
    connection.session.start()
    return Seat(0, "Ann", connection, DialectEncoder(None))


async def collect(seat):
    with trio.CancelScope(deadline=seat.deadline):
        await seat.answer()
    if not seat.settled:
        await seat.last_look()


def block_until(moment):
    """Hold the loop until a moment of trio's clock."""
    while trio.current_time() < moment:
        time.sleep(0.005)


def block_until_over(seat, sent):
    """Hold the loop until the bot has sent and the deadline is 100 ms ago."""
    assert sent.wait(PATIENCE)
    block_until(seat.deadline + 0.1)


def answering(sent, *parts, after=None):
    """A bot that reads `go` and sends these parts, at once or after an event.

    The event is set when it is time by our clock, or when nobody waits for the answer any more: a
    number of milliseconds of the bot's own would say neither on a busy machine.
    """

    def play(bot):
        read_line(bot)
        if after is not None:
            assert after.wait(PATIENCE)
        for part in parts:
            bot.sendall(part)
        sent.set()
        with suppress(ConnectionResetError):  # when we leave something of it unread
            read_line(bot)

    return play


def slack_of(chunk):
    """Seconds by which a stamp may be too early: we may have been stopped between two clocks."""
    return trio.current_time() - chunk.read_at + 0.001


async def test_the_kernel_stamps_what_it_receives():
    """Between the bot's sending and our reading, on our clock."""
    channel, bot = socket_pair()
    try:
        assert channel.receive_some(100) is None
        for _ in range(TRIES):
            channel.send_some(b"go\n")
            before = trio.current_time()
            bot.sendall(b"1\n")
            after = trio.current_time()
            with trio.fail_after(PATIENCE):
                await channel.wait_readable()
            chunk = channel.receive_some(100)
            slack = slack_of(chunk)
            assert b"1\n" == chunk.data
            if chunk.stamp is not None:
                break
        assert before - slack <= chunk.stamp <= after + 0.001
        assert chunk.stamp <= chunk.read_at
    finally:
        channel.close()
        bot.close()
    assert b"" == channel.receive_some(100).data


async def test_one_read_of_two_segments_has_the_stamp_of_the_last():
    """What the rule of the trailing line is for; if this ever fails, that rule can go."""
    channel, bot = socket_pair()
    try:
        for _ in range(TRIES):
            channel.send_some(b"go\n")
            bot.sendall(b"1\n")
            first = trio.current_time()
            while trio.current_time() < first + 0.05:
                time.sleep(0.005)  # noqa: ASYNC251 - two segments that are apart in time
            bot.sendall(b"2\n")
            chunk = channel.receive_some(100)
            slack = slack_of(chunk)
            assert b"1\n2\n" == chunk.data
            if chunk.stamp is not None:
                break
        assert chunk.stamp >= first + 0.05 - slack
        # The same stamp also when the read is cut within the first segment's bytes.
        for _ in range(TRIES):
            channel.send_some(b"go\n")
            sent = trio.current_time()
            bot.sendall(b"34")
            cut = channel.receive_some(1)
            assert b"4" == channel.receive_some(1).data
            if cut.stamp is not None:
                break
        assert sent - slack_of(cut) <= cut.stamp
    finally:
        channel.close()
        bot.close()


@pytest.mark.parametrize("awaited", [False, True], ids=["not awaited yet", "awaited already"])
async def test_a_blocked_loop_makes_nobody_late(awaited):
    """The bot answers at once; we are blocked until 300 ms after the hand-over, and read then.

    Also when the block comes while the seat's reader sleeps.
    """
    sent, blocked = threading.Event(), threading.Event()
    with bot_in_a_thread(answering(sent, b"7\n", after=blocked)) as (connection, _):
        seat = seated(connection)
        seat.ask()
        seat.hand_over(b"go\n", LIMIT)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(collect, seat)
            if awaited:
                await trio.testing.wait_all_tasks_blocked()
            blocked.set()
            block_until_over(seat, sent)
        assert "7" == seat.line
        assert seat.arrived.in_time(seat.deadline)
        assert not seat.arrived.in_doubt(seat.deadline)
        assert seat.arrived.latest < seat.deadline < seat.arrived.read_at


@pytest.mark.parametrize("behind", [b"", b"# done\n"], ids=["nothing", "a log line"])
async def test_who_is_late_while_the_loop_is_blocked_is_late_by_its_stamp(behind):
    """50 ms too late, read 100 ms after that. If nothing follows, the stamp is the answer's; with a
    log line behind it the stamp may be the log's, so nobody can know, and the answer counts.
    """
    sent, late = threading.Event(), threading.Event()
    with bot_in_a_thread(answering(sent, b"7\n" + behind, after=late)) as (connection, _):
        seat = seated(connection)
        seat.ask()
        seat.hand_over(b"go\n", LIMIT)
        block_until(seat.deadline + 0.05)
        late.set()
        block_until_over(seat, sent)
        await collect(seat)
        assert "7" == seat.line
        if behind:
            assert seat.arrived.in_time(seat.deadline)
            assert seat.arrived.in_doubt(seat.deadline)
        else:
            assert not seat.arrived.in_time(seat.deadline)
            assert seat.deadline + 0.04 < seat.arrived.earliest == seat.arrived.latest


async def test_no_trailing_line_helps_while_the_loop_is_awake():
    """Late is late; the answer is owed and thrown away when it comes."""
    sent, over = threading.Event(), threading.Event()
    play = answering(sent, b"7\n# done\n# really\n", after=over)
    with bot_in_a_thread(play) as (connection, _):
        seat = seated(connection)
        seat.ask()
        seat.hand_over(b"go\n", LIMIT)
        await collect(seat)
        assert (None, None) == (seat.line, seat.arrived)
        assert 1 == connection.session.owed
        over.set()
        assert await trio.to_thread.run_sync(sent.wait, PATIENCE)
        with trio.fail_after(PATIENCE):
            await connection.channel.wait_readable()
        seat.ask()
        seat.hand_over(b"go\n", 0.01)
        await collect(seat)
        assert None is seat.line
        assert 1 == connection.session.owed  # the second one's; the first came and went


@pytest.mark.parametrize("step", [-3600.0, -0.15, 0.15, 3600.0])
@pytest.mark.parametrize("late", [False, True])
async def test_a_wall_clock_that_is_set_decides_nothing(monkeypatch, step, late):
    """Set between the hand-over and the read, by an hour or by less than the limit."""
    offset = 0.0
    stepped = SimpleNamespace(time=lambda: time.time() + offset)
    monkeypatch.setattr(channel_module, "time", stepped)
    sent, over = threading.Event(), threading.Event()
    with bot_in_a_thread(answering(sent, b"7\n", after=over if late else None)) as (connection, _):
        seat = seated(connection)
        seat.ask()
        seat.hand_over(b"go\n", LIMIT)
        offset = step
        if late:  # with the loop awake
            await collect(seat)
            assert None is seat.line
            over.set()
        else:  # the hardest case: nothing but the stamp could tell that it came in time
            block_until_over(seat, sent)
            await collect(seat)
            assert "7" == seat.line
            assert seat.arrived.in_time(seat.deadline)
            assert seat.handed_at <= seat.arrived.earliest <= seat.arrived.latest
            assert seat.arrived.latest <= seat.arrived.read_at
        assert sent.wait(PATIENCE)


async def test_a_stamp_too_short_or_missing_is_not_known():
    """Another system's timespec, or none at all: the read's own time is the bound."""
    channel, bot = socket_pair()
    try:
        assert None is channel._on_our_clock(b"12345678", trio.current_time(), time.time())
        channel._has_stamps = False
        bot.sendall(b"1\n")
        with trio.fail_after(PATIENCE):
            await channel.wait_readable()
        assert None is channel.receive_some(10).stamp
    finally:
        channel.close()
        bot.close()


async def test_a_read_cut_by_its_limit_may_have_the_stamp_of_what_is_behind(autojump_clock):
    """65,537 bytes are read at most. The answer came in time and ends just there; the log behind
    it came too late, was joined to it by the kernel and gave it its stamp: in doubt, it counts.
    """
    connection, bot = connection_pair("Ann v=1")
    seat = seated(connection)
    seat.ask()
    seat.hand_over(b"go\n", LIMIT)
    log = (b"#" + b"x" * 62 + b"\n") * 1023
    answer = b" " * 63 + b"7\n"
    assert 65_537 == len(log) + len(answer) == connection.session.room_for
    bot.write_now(log + answer + b"# and on\n", stamp=seat.deadline + 0.05)
    await trio.sleep(0.3)
    await seat.last_look()
    assert "7" == seat.line.strip()
    assert seat.arrived.in_time(seat.deadline)
    assert seat.arrived.in_doubt(seat.deadline)
