"""An arena that follows a script, byte for byte, over a real connection or over none.

`ScriptedArena` is for whatever must be a process or a socket; `wire` gives the client bytes in
pieces of our choice, so that no timing decides what it reads at once.
"""

import io
import socket
import threading

from lanista_client import Arena

# The map of PROTOCOL.md 6, as both seats are told it in version 1 (PROTOCOL.md 5).
START = b"""\
start 01JDEXAMPLE
game angrymob
seat 0
player 0 Ann Lee
player 1 B\xc3\xb6b
clock 20 0.2
seed 52011
set move_limit 2400
size 6 7
base 0 2 1
base 1 3 5
row 0 . 1 . . # # 2
row 1 # 1 1 . 3 . 1
row 2 . A . # # . .
row 3 . . # # . B .
row 4 1 . 3 . 1 1 #
row 5 2 # # . . 1 .
"""
TURN_0 = b"turn 0\nunit 2 1 0 1\nunit 3 5 1 1\ntotal 0 1\ntotal 1 1\ngo\n"
TURN_1 = (
    b"turn 1\nmoved 0 2 1 1 1\nmoved 1 3 5 1 3\nunit 1 1 0 2\nunit 4 5 1 2\n"
    b"neutral 1 1 0\nneutral 4 5 0\ntotal 0 2\ntotal 1 2\ngo\n"
)
FOUR = b"""\
start 01JDFOUR
seat 1
player 0 Ann Lee
player 1 Bob
player 2 C
player 3 D
clock 20 0.2
seed 52011
"""
# A board by hand, smaller than any in play: what a state does with it is seen at a glance.
HOGWARTS_START = (
    FOUR
    + b"""\
game hogwarts
set NUM_PLAYERS 4
set NUM_ROUNDS 200
set POINTS_FOR_CONVERTING_WIZARD 100
set original 0
size 6 8
row 0 ........
row 1 .WW.....
row 2 ........
row 3 ........
row 4 ....W...
row 5 ........
"""
)
HOGWARTS_TURN = b"""\
turn 7
own 0 11......
own 1 .WW.....
own 2 .1....3.
own 3 2...0...
own 4 ....W...
own 5 .....3..
unit 0 g 0 3 4 53 -1
unit 1 g 1 0 0 53 5
unit 2 g 2 3 0 0 -1
unit 3 g 3 2 6 53 -1
unit 4 w 3 5 5 0 -1
unit 5 w 1 0 1 0 -1
unit 6 w 1 2 1 3 2
book 0 3
book 5 0
voldemort 3 7
spell 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
strength 1000 1000 1050 0
score 101 3 -1 2
status 0 0.25 -1 0.0125
go
"""
CREMATORIA_START = (
    FOUR
    + b"""\
game crematoria
set nb_players 4
set nb_rounds 120
set gem_value 30
size 5 8
elevator 2 6
elevator 2 1
row 0 RRRRRRRR
row 1 CCCRRCCC
row 2 CECRRCEC
row 3 CCCRCCCC
row 4 RRRRRRRR
"""
)
# Round 1: the night is columns 2 to 5 of 8, the sun from column 6 on.
CREMATORIA_TURN = b"""\
turn 1
own 0 RRRRRRRR
own 1 1CCRRCC3
own 2 1ECRRCE3
own 3 C1CRC2CC
own 4 RRRRRRRR
gem 4 2
gem 0 5
unit 0 f 1 100 -1 1 0 0
unit 1 p 1 50 -1 3 1 0
unit 2 p 3 15 -1 2 7 0
unit 3 p 2 50 -1 2 4 1
unit 4 n -1 75 0 0 3 1
unit 5 n -1 75 2 3 4 1
unit 6 h -1 -1 -1 3 4 0
sun 6
cells 0 3 1 2
gems 0 1 0 2
score 0 33 1 62
status 0 0.25 -1 0.0125
go
"""
FORFEIT = b"end forfeit\nrank 0 1\nrank 1 2\nscore 0 2\nscore 1 2\n"
WELCOME = b"welcome 1 lanista 0.1.0\nwait 1 2\n"


class Says:
    """The arena sends these bytes."""

    def __init__(self, data):
        self.data = data


class Hears:
    """The arena waits for exactly these bytes."""

    def __init__(self, data):
        self.data = data


class ScriptedArena:
    """Serves one connection on a loopback port from a thread, then closes it.

    A deviation from the script is raised when the block is left.
    """

    def __init__(self, *script):
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(20)
        self.port = self._listener.getsockname()[1]
        self._trouble = None
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        self._thread.join()
        self._listener.close()
        if self._trouble is not None and kind is None:
            raise self._trouble

    def join(self):
        """Wait until the script is over and the connection closed."""
        self._thread.join()

    def _serve(self):
        try:
            connection, _ = self._listener.accept()
            with connection:
                connection.settimeout(20)
                for step in self._script:
                    if isinstance(step, Says):
                        connection.sendall(step.data)
                    elif isinstance(step, Hears):
                        heard = b""
                        while len(heard) < len(step.data):
                            heard += connection.recv(len(step.data) - len(heard)) or b"<EOF>"
                        assert step.data == heard
                    else:
                        step()
        except BaseException as error:
            self._trouble = error


class _Pieces(io.RawIOBase):
    """A stream that gives one piece a read, then its end; a piece that is an error is raised.

    At None it times out, and for good, as a socket's does.
    """

    def __init__(self, pieces):
        self._pieces = pieces
        self._timed_out = False

    def readable(self):
        return True

    def readinto(self, buffer):
        if self._timed_out:
            raise OSError("cannot read from timed out object")
        if not self._pieces:
            return 0
        if self._pieces[0] is None:
            del self._pieces[0]
            self._timed_out = True
            raise TimeoutError
        if isinstance(self._pieces[0], Exception):
            raise self._pieces[0]
        piece = self._pieces[0][: len(buffer)]
        self._pieces[0] = self._pieces[0][len(piece) :]
        if not self._pieces[0]:
            del self._pieces[0]
        buffer[: len(piece)] = piece
        return len(piece)


class Wire:
    """Stands for a connected socket: gives the pieces, keeps what is sent and what is set."""

    def __init__(self, pieces):
        self._pieces = [piece for piece in pieces if piece != b""]
        self.sent = b""
        self.timeouts = []
        self.options = []
        self.closed = False

    def settimeout(self, seconds):
        self.timeouts.append(seconds)

    def setsockopt(self, *option):
        self.options.append(option)

    def makefile(self, _mode, size):
        return io.BufferedReader(_Pieces(self._pieces), size)

    def sendall(self, data):
        self.sent += data

    def shutdown(self, how):
        assert socket.SHUT_RDWR == how

    def close(self):
        self.closed = True


def wired(monkeypatch, *pieces):
    """Let the next `Arena` read these pieces; returns the `Wire`, which has an address too."""
    wire = Wire(pieces)

    def connect(address, _timeout):
        wire.address = address
        return wire

    monkeypatch.setattr(socket, "create_connection", connect)
    return wire


def state_of(monkeypatch, *said):
    """The state at the first `go` of what the arena says after its welcome."""
    wired(monkeypatch, WELCOME, *said)
    with Arena("A") as arena:
        return next(arena)
