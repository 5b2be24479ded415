"""Kill -9 of an arena with ladders at any moment: its results are those of its records, each once.

The arena's own process and its match workers are killed in turn, while bots play that come back by
themselves. Every arena has the same data folder and, on an address of the test's own, the same
port, so a socket that outlived its arena would keep the next one from starting.
"""

import collections
import contextlib
import os
import random
import signal
import socket
import sqlite3
import threading
import time

import pytest

from e2e.running import PATIENCE, Daemon, Program, command, read, wait_until
from lanista.arena.ladder_ratings import LadderRatings
from lanista.arena.ladder_room import LadderRoom
from lanista.arena.spec import read_spec
from lanista.hosting.control import RunningMatches
from support.processes import argv_of, children_of, processes_in

BOTS = 5
"""An odd number, so that somebody always plays the house bot."""
STORED_ENDS = {"finished", "forfeit"}
FILE = """
host = "{host}"
port = {port}
workers = {workers}
data = "data"
page = {{ listen = "none" }}

[[ladders]]
name = "pit"
game = "angrymob"
maps = ["small.map"]
settings = {{ move_limit = 2 }}
clock = {{ first = 0, turn = 0 }}
house = ["CamperJoe"]
fill_after = 0.05
"""


class Arena(Daemon):
    """`lanista arena run` on an address of its own."""

    def __init__(self, folder, number, host, port, workers):
        (folder / "small.map").write_text("2 3\nA . .\n. . B\n")
        file = folder / "arena.toml"
        file.write_text(FILE.format(host=host, port=port, workers=workers))
        Program.__init__(self, command("arena", "run", file), folder / f"arena{number}")

    def listens(self):
        """Wait until it says on which port it listens; return that."""
        self.until(lambda: "\n" in self.out, "the arena says where it listens")
        return int(self.out.split("\n")[0].rpartition(":")[2])

    def workers(self):
        """The processes that play its matches, apart from its own."""
        children = children_of(self.process.pid)
        return [pid for pid in children if "lanista.arena.match_worker" in argv_of(pid)]


class Bots:
    """Bots that play without thought, come back after every loss, and note which ends they read."""

    def __init__(self, host):
        self.told = set()
        """The ids of the matches of which somebody was told the end."""
        self.port = None
        self._host = host
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._play, args=(n,)) for n in range(BOTS)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stopped.set()
        for thread in self._threads:
            thread.join(PATIENCE)

    def go(self, port):
        """Play on a port; the first time, begin to."""
        self.port = port
        if not self._threads[0].ident:
            for thread in self._threads:
                thread.start()

    def wait_for(self, more):
        """Wait until so many more matches have ended."""
        with self._changed:
            count = len(self.told) + more
            told = self._changed.wait_for(lambda: len(self.told) >= count, PATIENCE)
        assert told, f"{len(self.told)} of {count} matches within {PATIENCE} s"

    def _play(self, number):
        while not self._stopped.is_set():
            with contextlib.suppress(OSError):
                self._connection(number)
            self._stopped.wait(0.02)  # as any bot, not to be a nuisance

    def _connection(self, number):
        keep = number % 2  # some play one match a connection
        with socket.create_connection((self._host, self.port), PATIENCE) as connected:
            hello = f"bot{number} v=1 keep={keep} room=pit token=secret-of-{number}\n"
            connected.sendall(hello.encode())
            match = None
            for line in connected.makefile("r", encoding="utf-8"):
                if line == "go\n":
                    connected.sendall(b"\n")
                elif line.startswith("start "):
                    match = line.split()[1]
                elif line.startswith("end ") and line.split()[1] in STORED_ENDS:
                    with self._changed:
                        self.told.add(match)
                        self._changed.notify_all()
                if self._stopped.is_set():
                    return


@pytest.mark.parametrize(
    "kills", [pytest.param(5, id="short"), pytest.param(20, id="long", marks=pytest.mark.long)]
)
def test_every_match_whose_end_was_told_is_stored_once(tmp_path, started, kills):
    chance = random.Random(kills)
    host, port = f"127.{os.getpid() % 200 + 20}.{kills}.1", 0
    victims = [(1, "front"), (2, "front"), (2, "worker"), (2, "worker then front")]
    arena = None
    with Bots(host) as bots:
        for kill in range(kills):
            workers, victim = victims[kill % len(victims)]
            if arena is None:
                arena = Arena(tmp_path, kill, host, port, workers)
                started(arena)
            port = arena.listens()
            bots.go(port)
            bots.wait_for(chance.randrange(2, 12))
            time.sleep(chance.random() * 0.02)  # a match takes some milliseconds: kill anywhere
            if "worker" in victim:
                wait_until(arena.workers, "a worker runs")
                with contextlib.suppress(ProcessLookupError):  # it may just be another's turn
                    os.kill(chance.choice(arena.workers()), signal.SIGKILL)
            if "front" in victim or kill + 1 == kills:
                arena.signal(signal.SIGKILL)
                arena.process.wait(PATIENCE)
                wait_until(lambda: not processes_in(tmp_path), "nothing is left of the arena")
                arena = None
        arena = Arena(tmp_path, kills, host, port, 1)
        started(arena)
        bots.port = arena.listens()
        bots.wait_for(3)
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait()
    assert "Traceback" not in arena.err
    assert not processes_in(tmp_path)
    check_results(tmp_path, bots.told)


def check_results(folder, told):
    """Compare what is stored with what bots were told, and with the records."""
    data = folder / "data"
    spec = read_spec(folder / "arena.toml")
    # It stores what the last arena, which had a second for it at its end, may have left.
    room = LadderRoom.open(spec.ladders[0], folder, data, None, RunningMatches())
    with contextlib.closing(sqlite3.connect(data / "ladders" / "pit.db")) as connection:
        matches = connection.execute(
            "SELECT record, termination, ranks, id FROM matches JOIN blocks "
            "ON block = blocks.number ORDER BY matches.number"
        ).fetchall()
    ids = collections.Counter(path.partition("/")[2].partition(".")[0] for path, *_ in matches)
    assert {1} == set(ids.values())
    assert told <= ids.keys()
    records = {str(path.relative_to(data / "records")): path for path in data.rglob("*.jsonl.gz")}
    # An empty one may be another arena's that is just beginning; it is removed later.
    assert not [path for path in data.rglob("*.part") if path.stat().st_size]
    ratings = LadderRatings()
    for path, end, ranks, block in matches:
        record = read(records.pop(path))
        expected = (record.result.end, str(list(record.result.ranks)), record.header.ladder.block)
        assert expected == (end, ranks, block)
        ratings.keep([player.name for player in record.header.players], record.result.ranks)
    ratings.rate_anew()
    for path in records.values():
        assert "aborted" == read(path).result.end
    with contextlib.closing(room):
        live = room._ladder.live()
        assert {name: ratings.ordinal(name) for name in live} == live
