"""What the bots in this folder share: dialling, saying hello, hearing a turn of version 1.

Not a client: it checks nothing and forgives nothing, so that a bot here can do wrong whatever it
wants. The standard library alone, and nothing of Lanista: a bot is a stranger.

The arena's address, the bot's name and its token come from the LANISTA_* environment, as for any
bot; the words of the command line are added to the hello (`room=a seat=1`).
"""

import os
import socket
import sys
from pathlib import Path

BIG = 10_000_000
"""Bytes of a line that no arena should take."""


def dial(receive_buffer=0):
    """Connect; with so many bytes of receive buffer if not 0."""
    sock = socket.socket()
    if receive_buffer:
        # Before the connection is made, or it has no effect on the window.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    sock.connect((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def hello(*options):
    """The hello line: the name, these options, those of the command line, the token."""
    words = [os.environ.get("LANISTA_NAME") or Path(sys.argv[0]).stem, *options, *sys.argv[1:]]
    if os.environ.get("LANISTA_TOKEN"):
        words.append("token=" + os.environ["LANISTA_TOKEN"])
    return (" ".join(words) + "\n").encode()


def tell_what_comes(sock):
    """Print all that the arena still sends, until it closes: the test reads it."""
    try:
        while data := sock.recv(65536):
            os.write(1, data)
    except ConnectionError as error:
        print(type(error).__name__)


class Arena:
    """A connection in version 1."""

    def __init__(self, sock=None):
        self.sock = sock or dial()
        self.reader = self.sock.makefile("rb")
        self.sock.sendall(hello("v=1"))

    def turn(self):
        """The lines up to the next `go`, as lists of words; exits quietly when there is none."""
        lines = []
        try:
            for line in self.reader:
                lines.append(line.decode().split())
                if lines[-1] == ["go"]:
                    return lines
        except ConnectionError:
            pass
        sys.exit(0)

    def say(self, data):
        """Send; a connection that is gone doesn't matter."""
        try:
            self.sock.sendall(data)
        except ConnectionError:
            sys.exit(0)

    def play(self, *, turns=None, answer=b"\n"):
        """Answer so many turns, or all of them, with the same line."""
        while turns is None or turns > 0:
            self.turn()
            self.say(answer)
            turns = turns and turns - 1
