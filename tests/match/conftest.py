"""Fixtures of this folder."""

import socket
import sys
import time

import pytest

from lanista.match.channel import SO_TIMESTAMPNS
from match.loopback import PATIENCE
from match.playing import ANGRYMOB, COUNTING, SKIPPERS, SMALL, sit


@pytest.fixture
def counting(tmp_path):
    """Seat three bots, SKIPPERS unless their hellos are given, at a match of Counting."""

    def seat(*hellos, rounds=5, again=(), **more):
        names = hellos or (() if again else SKIPPERS)
        return sit(tmp_path, COUNTING, names, again=again, settings={"rounds": rounds}, **more)

    return seat


@pytest.fixture
def angrymob(tmp_path):
    """Seat two bots at a match of Angry Mob, on SMALL unless another board is given."""

    def seat(*hellos, board=SMALL, move_limit=2400, again=(), **more):
        names = hellos or (() if again else ("Ann v=1", "Bob v=1"))
        settings = {"move_limit": move_limit}
        return sit(tmp_path, ANGRYMOB, names, again=again, board=board, settings=settings, **more)

    return seat


@pytest.fixture(scope="session")
def stamping():
    """The kernel stamps what it receives from now on.

    It begins to a moment after the first socket of the machine asked for it, and stops when none
    does: so one is held open that has been seen to work.
    """
    if sys.platform != "linux":
        yield
        return
    with socket.create_server(("127.0.0.1", 0)) as server:
        bot = socket.create_connection(server.getsockname(), timeout=PATIENCE)
        ours, _ = server.accept()
    with bot, ours:
        ours.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        given_up = time.monotonic() + PATIENCE
        stamps = []
        while not stamps:
            assert time.monotonic() < given_up, "the kernel gives no times of receipt"
            bot.sendall(b"x")
            _, stamps, _, _ = ours.recvmsg(1, 100)
        yield
