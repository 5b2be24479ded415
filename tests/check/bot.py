"""A bot that does one thing wrong, named by its first argument; for the tests of this folder.

It speaks version 1 and answers every turn with no submoves, apart from what its mode says.
"""

import os
import signal
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bots"))

from wire import hello

KNOWN = {
    *("welcome", "wait", "start", "game", "seat", "player", "clock", "seed", "set", "turn", "go"),
    *("end", "rank", "score", "bye", "note", "size", "base", "row", "moved", "unit", "neutral"),
    *("total", "own", "gem", "sun", "cells", "gems", "status", "elevator"),
}


def die(words):
    """End with a complaint, as a bot with a bug does."""
    print(words, file=sys.stderr)
    sys.exit(3)


def main(mode):
    """Play as the mode says."""
    if mode == "stays":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sock = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
    options = {
        "wrong-game": ["game=hogwarts"],
        "wrong-token": ["token=guess"],
        **{keeper: ["keep=1"] for keeper in ("keep", "keep-leaves")},
    }
    if mode == "wrong-token":
        os.environ["LANISTA_TOKEN"] = ""
    said = hello("v=1", *options.get(mode, []))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(said + b"# ready\n")
    matches = turns = 0
    for line in sock.makefile("r", encoding="utf-8"):
        word, *words = line.split()
        if word == "error" and mode == "wrong-game":  # as the libraries do
            die(f"{words[0]}: {' '.join(words[1:])}")
        if word not in KNOWN and mode == "strict":
            die(f"unknown keyword {word}")
        if word == "size" and int(words[0]) > 100 and mode == "small":
            die("no room for this map")
        if word == "total" and words[0] == "0" and int(words[1]) > 20 and mode == "timid":
            die("they are too many")
        if word == "start":
            matches += 1
        if word == "end" and mode == "one-turn" and turns == 1:
            die("that can't be the end")
        if word == "bye" and mode == "keep-leaves":
            break
        if word == "score" and mode == "keep-leaves" and words[0] == "1":
            sys.exit(0)
        answers_now = word == "total" and words[0] == "1" if mode == "hasty" else word == "go"
        if answers_now:
            turns += 1
            sock.sendall(b"# thinking\n")
            if mode == "gives-up":
                if turns == 4:
                    die("out of ideas")
                sock.sendall(b"x")  # malformed
            sock.sendall(b"\n\n" if mode == "doubles" and turns == 4 else b"\n")
    if mode == "forks" and os.fork() == 0:
        signal.pause()
    if mode == "stays":
        signal.pause()
    if mode == "fails-late":
        die("the end of input surprises it")


main(sys.argv.pop(1))
