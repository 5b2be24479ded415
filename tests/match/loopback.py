"""A bot in a thread at the other end of a real TCP connection, for the tests of this folder."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

from lanista.arena.match_worker import HandedChannel
from lanista.match.channel import SocketChannel
from lanista.match.connection import Connection

PATIENCE = 60.0
"""Seconds after which a bot in a thread, or who waits for it, has failed."""


def socket_pair() -> tuple[SocketChannel, socket.socket]:
    """The arena's end, and the bot's: a plain blocking socket."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        bot = socket.create_connection(server.getsockname(), timeout=PATIENCE)
        bot.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        accepted, _ = server.accept()
    return channel_of(accepted), bot


def channel_of(accepted: socket.socket) -> SocketChannel:
    """The channel of an accepted connection; a test may put another function here."""
    return SocketChannel(accepted)


def handed_over(accepted: socket.socket) -> SocketChannel:
    """The channel of a connection that a worker was handed, while the front keeps its own."""
    front = SocketChannel(accepted)
    with contextlib.ExitStack() as ends:
        ours, theirs = map(ends.enter_context, socket.socketpair())
        duplicate = ends.enter_context(front.duplicates()[0])
        socket.send_fds(ours, [b"x"], [duplicate.fileno()])
        _, (number,), _, _ = socket.recv_fds(theirs, 1, 1)
    channel = HandedChannel(socket.socket(fileno=number), is_set_up=True)
    channel.on_close = front.close
    return channel


def greeted_pair(hello: str) -> tuple[Connection, socket.socket]:
    """A connection that has said this hello, and the bot's end of it."""
    channel, bot = socket_pair()
    connection = Connection(channel)
    connection.session.receive(f"{hello}\n".encode())
    connection.hello = connection.session.take_hello()
    return connection, bot


@contextlib.contextmanager
def bot_in_a_thread(
    play: Callable[[socket.socket], None], hello: str = "Ann v=1"
) -> Iterator[tuple[Connection, threading.Thread]]:
    """A connection that has said hello, whose bot plays in a thread; both are closed at the end."""
    connection, bot = greeted_pair(hello)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            play(bot)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield connection, thread
    finally:
        connection.channel.close()
        thread.join(PATIENCE)
        bot.close()
    assert not thread.is_alive(), "the bot's thread has not ended"
    if failed:
        raise failed[0]


def read_line(bot: socket.socket) -> bytes:
    """One line, byte by byte; what there was when the arena closed."""
    line = b""
    while not line.endswith(b"\n"):
        byte = bot.recv(1)
        if not byte:
            break
        line += byte
    return line


def read_all(bot: socket.socket) -> bytes:
    """All until the arena closes."""
    data = b""
    while piece := bot.recv(1 << 16):
        data += piece
    return data
