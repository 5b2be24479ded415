"""An arena with a ladder, bots that play on it come what may, and a check that nothing is lost."""

import collections
import contextlib
import socket
import sqlite3
import threading

from e2e.running import PATIENCE, FileArena, read
from lanista.arena.ladder_room import KEPT, LadderRoom
from lanista.arena.spec import read_spec
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from support.processes import children_with

HELLOS = [f"bot{n} v=1 keep={n % 2} room=pit token=secret-of-{n}" for n in range(5)]
"""The hellos of an odd number of bots, so that somebody always plays the house bot; some play one
match a connection."""
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
clock = {{ time_init = 0, time_move = 0 }}
house = ["CamperJoe"]
fill_after = 0.05
"""


class Arena(FileArena):
    """One on an address of its own."""

    def __init__(self, folder, number, host, port, workers):
        (folder / "small.map").write_text("2 3\nA . .\n. . B\n")
        text = FILE.format(host=host, port=port, workers=workers)
        super().__init__(folder, text, running=f"arena{number}", waits=False)

    def workers(self):
        """The processes that play its matches, apart from its own."""
        return children_with(self.process.pid, "lanista.arena.match_worker")


class Bots:
    """Bots that play without thought, come back after every loss, and note which ends they read."""

    def __init__(self, host):
        self.told = set()
        """The ids of the matches of which somebody was told the end."""
        self.port = None
        self._host = host
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._play, args=(hello,)) for hello in HELLOS]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stopped.set()
        for thread in self._threads:
            if thread.ident:
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

    def _play(self, hello):
        while not self._stopped.is_set():
            with contextlib.suppress(OSError):
                self._connection(hello)
            self._stopped.wait(0.02)  # as any bot, not to be a nuisance

    def _connection(self, hello):
        with socket.create_connection((self._host, self.port), PATIENCE) as connected:
            connected.sendall(f"{hello}\n".encode())
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


def check_results(folder, told):
    """Compare what is stored with what bots were told, and with the records."""
    data = folder / "data"
    spec = read_spec(folder / "arena.toml")
    # It stores what the last arena, which had a second for it at its end, may have left.
    database = Database.of_arena(DataFolder(data))
    room = LadderRoom.open(spec.ladders[0], folder, DataFolder(data), database)
    with contextlib.closing(sqlite3.connect(data / "lanista.db")) as connection:
        matches = connection.execute(
            "SELECT record, termination, ranks, id FROM matches ORDER BY number"
        ).fetchall()
    ids = collections.Counter(path.partition("/")[2].partition(".")[0] for path, *_ in matches)
    assert {1} == set(ids.values())
    assert told <= ids.keys()
    records = {str(path.relative_to(data / "records")): path for path in data.rglob("*.jsonl.gz")}
    # An empty one may be another arena's that is just beginning; it is removed later.
    assert not [path for path in data.rglob("*.part") if path.stat().st_size]
    counts = collections.Counter()
    for path, end, ranks, block in matches:
        record = read(records.pop(path))
        expected = (record.result.end, str(list(record.result.ranks)), record.header.match)
        assert expected == (end, ranks, block)
        counts.update(player.name for player in record.header.players)
    for path in records.values():
        assert "aborted" == read(path).result.end
    with contextlib.closing(database):
        known = {name: entry.matches for name, entry in room._ladder._names.items()}
        assert {name: min(counts[name], KEPT) for name in known} == {
            name: min(number, KEPT) for name, number in known.items()
        }
