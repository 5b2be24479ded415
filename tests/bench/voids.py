"""How often a bot that stops answering can make its match void by keeping the arena busy.

    python tests/bench/voids.py [MATCHES]

A daemon of its own; in each match the loser has hundreds of connections ready, sends the last byte
of all their hellos, or of as many requests to the page, in the moment when it is to answer, and
says nothing more. Prints how the matches ended. Nothing is asserted.
"""

import contextlib
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter

HELLOS, REQUESTS = 900, 560


class Bot:
    """A connection that reads lines."""

    def __init__(self, port, hello):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.say(hello)

    def say(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def until(self, word):
        for line in self.lines:
            if line.split() and line.split()[0] == word:
                return line.strip()
        return "left"


def prepared(port, count, said):
    """Connections that have said all but their last byte."""
    found = []
    for number in range(count):
        with contextlib.suppress(OSError):
            ready = socket.create_connection(("127.0.0.1", port), timeout=10)
            ready.sendall(said(number))
            found.append(ready)
    return found


def played(port, page, number, attack):
    """How a match ends in which the loser does this."""
    victim = Bot(port, f"Victim v=1 room=r{number}")
    loser = Bot(port, f"Loser v=1 room=r{number}")
    for bot in (victim, loser):
        bot.until("go")
    if attack == "hellos":
        ready = prepared(port, HELLOS, lambda at: f"Crowd v=1 room=c{number}-{at}".encode())
    elif attack == "requests":
        head = f"GET /api/1/lobby HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\n\r".encode()
        ready = prepared(page, REQUESTS, lambda _: head)
    else:
        ready = []
    for bot in (victim, loser):
        bot.say("")
    for bot in (victim, loser):
        bot.until("go")
    for other in ready:
        with contextlib.suppress(OSError):
            other.sendall(b"\n")
    victim.say("")
    end = victim.until("end")
    for other in ready:
        other.close()
    for bot in (victim, loser):
        bot.socket.close()
    time.sleep(0.5)  # the next match's bots must not be refused for the crowd of their address
    return end


def main(matches):
    with tempfile.TemporaryDirectory() as folder:
        words = ["serve", "--port", "0", "--web", "127.0.0.1:0", "--time-init", "60"]
        process = subprocess.Popen(
            [sys.executable, "-m", "lanista.cli", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            port = int(process.stdout.readline().rpartition(":")[2])
            page = int(re.search(r":(\d+)/", process.stdout.readline())[1])
            for attack in ("nothing", "hellos", "requests"):
                ends = Counter()
                began = time.monotonic()
                for number in range(matches):
                    ends[played(port, page, number, attack)] += 1
                took = time.monotonic() - began
                print(f"{attack}: {dict(ends)} in {took:.0f} s", flush=True)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 50)
