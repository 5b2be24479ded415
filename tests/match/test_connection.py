"""Hellos in time, and the last bytes whatever the bot does (PROTOCOL.md 1, 2)."""

import errno
import socket
import struct
from contextlib import suppress

import pytest
import trio

from lanista.match.channel import BrokenChannelError, SocketChannel
from lanista.match.connection import CLOSING_TIME, Connection
from lanista.unwatched import PAUSE
from lanista_protocol import ErrorCode, RemoteProtocolError, State
from match.loopback import PATIENCE, bot_in_a_thread, read_all, socket_pair
from support.memory import channel_pair, connection_pair


@pytest.mark.parametrize("words", [b"", b"half a hel"])
async def test_a_bot_that_leaves_before_its_hello_is_nobody(words):
    channel, bot = channel_pair()
    bot.write_now(words, stamp=None)
    bot.close()
    assert None is await Connection(channel).read_hello()


async def test_watching_ends_when_the_bot_leaves_and_reads_one_answer_ahead(autojump_clock):
    connection, bot = connection_pair("Ann v=1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.watch)
        await trio.sleep(1)
        bot.close()
    connection, bot = connection_pair("Ann v=1")
    with trio.move_on_after(1) as scope:
        bot.write_now(b"1\n2\n", stamp=None)
        await connection.watch()
    assert scope.cancelled_caught
    assert connection.session.has_answer


@pytest.mark.parametrize("line", [b"\n", b"x" * 60_000 + b"\n"], ids=["short", "long"])
async def test_a_bot_that_fills_its_buffer_while_it_waits_is_watched_on(autojump_clock, line):
    """PROTOCOL.md 4: all that may be held is held, and its end is noticed; a byte more ends it."""
    connection, bot = connection_pair("Ann v=1")
    answer = b"1\n"
    full = line * (65_536 // len(line))
    full += b"1" * (65_536 - len(full))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.watch)
        await bot.write(answer + full)
        await trio.testing.wait_all_tasks_blocked()
        bot.close()
    assert connection.session.ended
    connection, bot = connection_pair("Ann v=1")
    await bot.write(answer + full + b"1")
    with pytest.raises(RemoteProtocolError) as caught:
        await connection.watch()
    assert ErrorCode.FLOOD is caught.value.code


# -- closing -------------------------------------------------------------------------------------


async def test_closing_tells_the_last_words_and_is_over_when_the_bot_closes(autojump_clock):
    connection, bot = connection_pair("Ann v=1")
    async with trio.open_nursery() as nursery:

        async def listen():
            assert ["end", "bye"] == await bot.read_rest()
            await trio.sleep(0.25)
            bot.close()

        nursery.start_soon(listen)
        await connection.close(b"end\nbye\n")
    assert 0.25 == trio.current_time()
    assert connection.closed
    assert State.CLOSED is connection.session.state


@pytest.mark.parametrize("room", [4, 1 << 20])
async def test_closing_is_bounded(autojump_clock, room):
    """A bot that never reads, and one that reads and never closes; also when we are cancelled."""
    connection, _ = connection_pair("Ann v=1", to_bot=room)
    with trio.CancelScope() as scope:
        scope.cancel()
        await connection.close(b"end finished\n")
    assert CLOSING_TIME == trio.current_time()
    assert connection.closed


async def test_closing_is_bounded_when_the_bot_floods(autojump_clock):
    connection, bot = connection_pair("Ann v=1")
    async with trio.open_nursery() as nursery:

        async def flood():
            while not connection.closed:
                with suppress(BrokenChannelError):
                    await bot.write(b"1\n" * 1000)
                await trio.sleep(0.01)

        nursery.start_soon(flood)
        await connection.close(b"bye\n")
    assert 1.0 <= trio.current_time() <= 1.02


async def test_closing_twice_and_after_the_bot_has_left(autojump_clock):
    connection, bot = connection_pair("Ann v=1")
    bot.close()
    await connection.close(b"bye\n")
    await connection.close(b"bye\n")
    assert 0 == trio.current_time()
    assert not await connection.send(b"more", 1)


async def test_sending_waits_for_room_but_not_for_ever(autojump_clock):
    connection, bot = connection_pair("Ann v=1", to_bot=4)
    assert not await connection.send(b"12345", 2)
    assert 2 == trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.read_rest)
        assert await connection.send(b"67890", 2)
        nursery.cancel_scope.cancel()
    assert b"1234" + b"67890" == bot.heard


async def test_a_flooding_bot_still_reads_all_of_its_last_words(monkeypatch):
    """On real sockets: it has sent two megabytes that nobody reads, then listens. A plain close
    would reset the connection, and what was on its way would be lost.
    """
    # A busy machine may take longer than the usual second to get all of it to the bot.
    monkeypatch.setattr("lanista.match.connection.CLOSING_TIME", PATIENCE)
    last = b"".join(b"score %d 0\n" % number for number in range(200_000)) + b"bye\n"
    heard = []

    def play(bot):
        bot.sendall(b"9\n" * (1 << 20))
        heard.append(read_all(bot))
        bot.shutdown(socket.SHUT_WR)

    with bot_in_a_thread(play) as (connection, thread):
        with trio.fail_after(PATIENCE):
            # Bytes are there unread before we begin to close.
            await connection.channel.wait_readable()
            await connection.close(last)
        await trio.to_thread.run_sync(thread.join, PATIENCE)
    assert [last] == heard


async def test_a_bot_that_resets_is_gone_without_an_error():
    """The socket's own refusals: sending says so, reading is the end of input, closing works."""
    channel, bot = socket_pair()
    bot.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    bot.close()  # a reset
    with trio.fail_after(PATIENCE):
        await channel.wait_readable()
    assert b"" == channel.receive_some(10).data
    with pytest.raises(BrokenChannelError):
        channel.send_some(b"x")
    channel.shut_writing()
    channel.close()
    channel.close()
    with pytest.raises(BrokenChannelError, match="closed"):
        channel.send_some(b"x")
    with pytest.raises(BrokenChannelError, match="closed"):
        await channel.wait_writable()
    await channel.wait_readable()


@pytest.mark.parametrize("waits", ["wait_readable", "wait_writable"])
async def test_who_waits_for_a_socket_is_woken_by_its_close(waits):
    channel, bot = socket_pair()
    channel._socket.setsockopt(1, 7, 4096)
    try:
        while channel.send_some(b"x" * 65_536):
            pass
        async with trio.open_nursery() as nursery:

            async def wait():
                try:
                    await getattr(channel, waits)()
                except BrokenChannelError:
                    assert "wait_writable" == waits

            nursery.start_soon(wait)
            with trio.fail_after(PATIENCE):
                await trio.testing.wait_all_tasks_blocked()
                channel.close()
    finally:
        bot.close()
        channel.close()
    assert b"" == channel.receive_some(1).data


@pytest.mark.parametrize("waits", ["wait_readable", "wait_writable"])
async def test_who_waits_for_a_socket_that_cannot_be_watched_looks_again(
    monkeypatch, autojump_clock, waits
):
    """A program of the same user may have used up what the system can watch (epoll_ctl(2))."""
    failures = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EBADF, "bad")]

    async def wait(_descriptor):
        raise failures.pop(0)

    monkeypatch.setattr(trio.lowlevel, waits, wait)
    channel, bot = socket_pair()
    with bot:
        await getattr(channel, waits)()
        assert PAUSE == pytest.approx(trio.current_time())
        with pytest.raises(OSError, match="bad"):
            await getattr(channel, waits)()
        channel.close()


async def test_a_silent_machine_is_asked_whether_it_is_there():
    """Nothing that a bot sends, or doesn't, tells that its machine has lost its power."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        bot = socket.create_connection(server.getsockname())
        arena, _ = server.accept()
    with bot:
        assert 0 == arena.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        channel = SocketChannel(arena)
        assert 1 == arena.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if hasattr(socket, "TCP_KEEPIDLE"):
            assert 60 == arena.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # for what it was sent but didn't acknowledge
            assert 120_000 == arena.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        channel.close()
