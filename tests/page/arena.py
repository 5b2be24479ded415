"""What the page's tests in a browser run against: an arena with its page as a process, bots that
do as the test says, and a relay that can cut the page off.

No browser here, and no rule is tested here.
"""

import contextlib
import selectors
import shutil
import socket
import threading

from e2e.running import EXAMPLE_MAP, PATIENCE, Lanista, Peer
from lanista.match.record import read_record

LOST = "WebSocket connection to .* failed|Failed to load resource: .*favicon.svg"
"""What Chromium writes on its console when an arena doesn't answer: it asks for the icon anew when
an address changes."""
MOVE_LIMIT = 9
"""Turns of a match in the arena that most tests share."""
OFTEN = """\
from lanista.page import renewal, server, tournaments
tournaments.REST, renewal.SHARE = 0.2, 0
server.TOURNAMENTS_EVERY = server.LOOK_EVERY = 0.1
server.GRACE = 1.0
"""
"""Has a page look at a tournament's results as often as somebody waits for them, and end soon."""


class Arena(Lanista):
    """`lanista serve` with its page; Angry Mob on the example map, without haste.

    `change`: lines of Python that it runs before.
    """

    def __init__(self, folder, *options, records=(), change="", **more):
        folder.mkdir(parents=True, exist_ok=True)
        self.data = folder / "data"
        (folder / "example.map").write_text(EXAMPLE_MAP)
        for record in records:
            day = self.data / "records" / "2026-01-01"
            day.mkdir(parents=True, exist_ok=True)
            shutil.copy(record, day / f"{match_of(record)}.jsonl.gz")
        words = (
            *("serve", "--port", 0, "--web", "127.0.0.1:0", "--data", self.data),
            *("--map", folder / "example.map", "--no-clock", *options),
        )
        super().__init__(words, folder, change=change, **more)
        try:
            self.until(lambda: self.out.count("\n") == 2, "the arena says where it and its page is")
        except BaseException:
            self.end()  # nobody else knows of it yet
            raise
        arena, page = self.out.splitlines()
        self.port = int(arena.rpartition(":")[2])
        # Without the operator's token, where there is one.
        self.page = page.removeprefix("page: ").partition("#")[0].removesuffix("/")
        self.web = int(self.page.rpartition(":")[2])

    def address(self, match, at=None):
        """Where a match is shown; `at`: a relay's port."""
        page = self.page if at is None else f"http://127.0.0.1:{at}"
        return f"{page}/#/match/{match}"


def match_of(record):
    """The id of a record's match."""
    return read_record(record).header.match


class Bots:
    """Scripted bots of version 1 in a room of their own: they answer when the test says so."""

    def __init__(self, arena, room, *names):
        self.peers = []
        self.match = None
        self.names = names
        for name in names:
            self.join(arena, room, name)

    def join(self, arena, room, name):
        """One more, waiting."""
        peer = Peer(arena.port, f"{name} v=1 room={room}")
        self.peers.append(peer)
        peer.until("wait")

    def asked(self):
        """Wait until all are asked for their answers."""
        for peer in self.peers:
            for line in peer.until("go"):
                if line.startswith("start "):
                    self.match = line[6:]

    def answer(self, *lines):
        """What each of them says; nothing, where it isn't told."""
        for peer, line in zip(self.peers, lines or [""] * len(self.peers), strict=True):
            peer.say(f"{line}\n")

    def play(self, *turns):
        """Answer so often, each time when all are asked; the first time they are already."""
        for lines in turns:
            self.answer(*lines)
            self.asked()

    def leave(self):
        for peer in self.peers:
            peer.leave()


class Relay:
    """Passes bytes on between a page and its arena, until it is told to cut."""

    def __init__(self, port):
        self._target = port
        self._whole = True
        self._asked = threading.Event()
        self._ended = False
        self._pairs = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self):
        """End all connections, and every new one at once."""
        with self._lock:
            self._whole = False
            self._asked.clear()
            for pair in self._pairs:
                for end in pair:
                    with contextlib.suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def until_asked(self):
        """Wait until somebody has tried to come back since the cut."""
        assert self._asked.wait(PATIENCE), "nobody tried to connect again"

    def mend(self):
        """Pass on again."""
        with self._lock:
            self._whole = True

    def close(self):
        self._ended = True
        self.cut()
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a thread of the relay goes on"
        self._listener.close()

    def _accept(self):
        while not self._ended:
            try:
                page, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if not self._whole:
                    self._asked.set()
                    page.close()
                    continue
                try:
                    arena = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    page.close()
                    continue
                pair = page, arena
                self._pairs.add(pair)
            thread = threading.Thread(target=self._pass_on, args=pair)
            self._threads.append(thread)
            thread.start()

    def _pass_on(self, page, arena):
        """Until both ends have said all, or the pair is cut."""
        with page, arena, selectors.DefaultSelector() as ready, contextlib.suppress(OSError):
            ready.register(page, selectors.EVENT_READ, arena)
            ready.register(arena, selectors.EVENT_READ, page)
            while ready.get_map():
                for key, _ in ready.select():
                    data = key.fileobj.recv(1 << 16)
                    if data:
                        key.data.sendall(data)
                    else:
                        ready.unregister(key.fileobj)
                        key.data.shutdown(socket.SHUT_WR)
        with self._lock:
            self._pairs.discard((page, arena))
