"""An arena with its page as a process, and bots that do as a test in a browser says.

No browser here, and no rule is tested here.
"""

import shutil

from e2e.running import Lanista, Peer
from lanista.match.record import read_record
from support.angrymob import PAGE

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
        (folder / "example.map").write_text(PAGE)
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

    def address(self, match):
        """Where a match is shown."""
        return f"{self.page}/#/match/{match}"


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
