"""What a hello asks for, the first lines that answer it (PROTOCOL.md 2, 3), and accepting."""

import os
import socket
import struct
from pathlib import Path

import pytest
import trio
import trio.testing

from lanista import __version__
from lanista.bots.process import Bot, Exit
from lanista.games.angrymob.ruleset import RULESET
from lanista.hosting import handshake
from lanista.hosting.accept import FEW, accept
from lanista.match.background import BackgroundWork
from lanista.match.channel import BrokenChannelError
from lanista.match.connection import Connection
from lanista_protocol import ErrorCode, RemoteProtocolError, parse_hello
from support.waiting import until


class Pipe:
    """A channel that takes so many bytes, or is broken."""

    def __init__(self, room):
        self.room = room

    def send_some(self, data):
        if self.room is None:
            raise BrokenChannelError("gone")
        return min(self.room, len(data))


@pytest.mark.parametrize("hello", ["Ada", "Ada game=angrymob", "Ada v=1 seat=1"])
def test_a_hello_gets_the_game_it_asks_for_or_the_default(hello):
    assert RULESET is handshake.ruleset_of(parse_hello(hello), RULESET)


@pytest.mark.parametrize(
    ("hello", "code", "words"),
    [
        (
            "Ada game=go",
            ErrorCode.UNKNOWN_GAME,
            "game 'go'; this arena has angrymob, crematoria, hogwarts",
        ),
        (
            "Ada game=\u202eog",
            ErrorCode.UNKNOWN_GAME,
            "game '\\u202eog'; this arena has angrymob, crematoria, hogwarts",
        ),
        ("Ada seat=2", ErrorCode.BAD_HELLO, "seat 2; angrymob has seats 0 to 1"),
    ],
)
def test_a_hello_that_asks_for_what_is_not_there_is_refused(hello, code, words):
    """The words are safe for a terminal, whatever the bot said."""
    with pytest.raises(RemoteProtocolError) as refused:
        handshake.ruleset_of(parse_hello(hello), RULESET)
    assert (code, words) == (refused.value.code, refused.value.message)


def test_the_first_lines():
    assert f"welcome 1 lanista {__version__}\n".encode() == handshake.welcome()
    assert b"wait 1 4\n" == handshake.wait_line(1, 4)
    assert b"wait 2 2\n" == handshake.wait_line(5, 2), "all seats are taken where more wait"


@pytest.mark.parametrize(("room", "told"), [(9, True), (100, True), (8, False), (None, False)])
def test_who_does_not_read_a_short_line_is_noticed(room, told):
    """9 bytes: all of them or none that counts; a connection that is gone is no error."""
    connection = Connection(Pipe(room), hello=parse_hello("Ada v=1"))
    assert told is handshake.tell(connection, RULESET, b"wait 1 2\n")


async def test_a_port_that_is_closed_before_it_is_served_is_no_error(nursery):
    """A block is cancelled so when what has begun beside it fails at once."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    await listener.aclose()
    with trio.CancelScope() as scope:
        scope.cancel()
        await accept(listener, trio.CapacityLimiter(1), None, nursery, BackgroundWork())
    assert scope.cancelled_caught


async def test_no_more_are_accepted_than_their_hellos_can_follow(monkeypatch):
    """Where passes are long, many are: those without a hello don't pile up all the same."""
    monkeypatch.setattr(BackgroundWork, "more", 40)
    background, places = BackgroundWork(), trio.CapacityLimiter(1000)
    silent = most = greeted = 0

    async def greet(accepted):
        nonlocal silent, most, greeted
        async with background.piece("10.0.0.1"):
            silent += 1
            most = max(most, silent)
        async with background.piece("10.0.0.1"):
            silent -= 1
            greeted += 1
        accepted.close()

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=300)
    address = listener.socket.getsockname()
    dialled = [trio.socket.socket() for _ in range(300)]
    for other in dialled:
        await other.connect(address)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept, listener, places, greet, nursery, background)
        while greeted < len(dialled):
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    for other in dialled:
        other.close()
    await listener.aclose()
    assert most < 100


@pytest.mark.parametrize("token", ["tok", "tokens", "TOKEN"])
async def test_a_bot_that_was_started_for_another_match_is_refused(token):
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    shake = handshake.Handshake(RULESET, "token", is_one_try=True)
    async with await trio.open_tcp_stream(*listener.socket.getsockname()) as bot:
        await bot.send_all(f"Ada v=1 token={token}\n".encode())
        assert await shake.wait(listener, trio.sleep_forever, 20) is None
    assert ErrorCode.BAD_TOKEN is shake.refusal.code


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="the system doesn't say it")
@pytest.mark.parametrize("resets", [False, True])
async def test_a_hello_whose_sender_has_left_is_told_but_does_not_end_the_wait(nursery, resets):
    """It may be the bot's, which failed, or another user's, who may be gone before one looks."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    address = listener.socket.getsockname()
    shake = handshake.Handshake(RULESET, "token", is_one_try=True)
    with socket.create_connection(address) as gone:
        gone.send(b"Ada v=1 token=other\n")
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", resets, 0))
    nursery.start_soon(shake.wait, listener, trio.sleep_forever, 20)
    await until(lambda: shake.refusal)
    async with await trio.open_tcp_stream(*address) as bot:
        await bot.send_all(b"Ada v=1 token=token\n")
        await until(lambda: shake.connection)
    assert ErrorCode.BAD_TOKEN is shake.refusal.code
    shake.connection.channel.close()


@pytest.mark.parametrize(
    ("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")]
)
async def test_without_the_token_our_users_bot_is_admitted(family, host):
    """A bot may connect to an IPv4 address by a socket for IPv6, as those in Java do."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    shake = handshake.Handshake(RULESET, "token")
    with trio.socket.socket(family) as bot:
        await bot.connect((host, listener.socket.getsockname()[1]))
        await bot.send(b"Ada v=1\n")
        assert await shake.wait(listener, trio.sleep_forever, 20) is not None
    shake.connection.channel.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can connect as another user")
def test_the_system_says_whose_a_connection_is():
    with socket.create_server(("127.0.0.1", 0)) as server:
        os.seteuid(65534)
        try:
            theirs = socket.create_connection(server.getsockname())
        finally:
            os.seteuid(0)
        with theirs, server.accept()[0] as ours:
            assert 65534 == handshake._user_of(ours.getpeername(), ours.getsockname())


async def test_without_the_token_another_user_is_refused_and_does_not_end_the_wait(
    monkeypatch, nursery
):
    """Other users of the machine see which ports are open, and are there before a bot has started;
    one of them would play in its place."""
    monkeypatch.setattr(handshake, "_user_of", lambda *_: os.geteuid() + 1)
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    address = listener.socket.getsockname()
    shake = handshake.Handshake(RULESET, "token", is_one_try=True)
    nursery.start_soon(shake.wait, listener, trio.sleep_forever, 20)
    async with await trio.open_tcp_stream(*address) as stranger:
        await stranger.send_all(b"Ada v=1\n")
        assert bytes(await stranger.receive_some()).startswith(b"error bad-token the token isn't")
    async with await trio.open_tcp_stream(*address) as bot:
        await bot.send_all(b"Ada v=1 token=token\n")
        assert b"welcome" in await bot.receive_some()
    assert shake.refusal is None
    shake.connection.channel.close()


async def test_silent_connections_do_not_lock_the_bot_out():
    """Another process of this machine may fill its port: the oldest give way."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    address = listener.socket.getsockname()
    shake = handshake.Handshake(RULESET, "token")
    silent = [await trio.open_tcp_stream(*address) for _ in range(3 * FEW)]
    async with await trio.open_tcp_stream(*address) as bot:
        await bot.send_all(b"Ada v=1 token=token\n")
        assert await shake.wait(listener, trio.sleep_forever, 20) is not None
    shake.connection.channel.close()
    for stream in silent:
        await stream.aclose()


async def test_who_is_admitted_for_nobody_is_closed(monkeypatch):
    """The host is interrupted in the moment in which the bot's hello is accepted."""

    class Running:
        """A process that doesn't exit."""

        async def exited(self):
            await trio.sleep_forever()

    interrupted = trio.CancelScope()
    welcome = handshake.welcome()

    def accepts_it():
        interrupted.cancel()
        return welcome

    monkeypatch.setattr(handshake, "welcome", accepts_it)
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    shake = handshake.Handshake(RULESET, "token")
    async with await trio.open_tcp_stream(*listener.socket.getsockname()) as bot:
        await bot.send_all(b"hello Ada v=1\n")
        with interrupted:
            await shake.wait(listener, Running().exited, 20)
        assert interrupted.cancelled_caught
        assert shake.connection is not None
        assert welcome == await bot.receive_some()
        assert b"" == await bot.receive_some()


@pytest.mark.parametrize(
    ("leaves_first", "end", "why"),
    [
        (False, Exit(code=0), "no hello within 0.2 s"),
        (True, Exit(code=0), "exited with code 0 before it said hello"),
        (True, Exit(signal=9, limit="took 2 GiB"), "was ended: it took 2 GiB"),
    ],
)
@pytest.mark.parametrize("connects", [False, True])
async def test_why_a_bot_was_not_admitted(autojump_clock, leaves_first, end, why, connects):
    """A bot whose connection is closed after its time may end at once; that isn't the reason.

    It is told that it may read standard input, unless it broke a limit: that something connects
    says nothing, as a sandbox does so for every bot.
    """

    class Silent(Bot):
        """A process that says nothing."""

        async def exited(self):
            if connects:
                async with await trio.open_tcp_stream(*address):
                    await trio.testing.wait_all_tasks_blocked()
            if not leaves_first:
                await trio.sleep_forever()

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    address = listener.socket.getsockname()
    shake, silent = handshake.Handshake(RULESET, "token"), Silent(("./bot",))
    assert await shake.wait(listener, silent.exited, 0.2) is None
    silent.settle(end)
    told = "" if end.limit else "if it reads its turns from standard input, "
    cause, hint = shake.why_not(silent, silent.command, 0.2)
    assert (why, told) == (cause, hint.partition("start it as stdio:./bot")[0])
