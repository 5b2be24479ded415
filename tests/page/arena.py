"""An arena with its page as a process, and bots that do as a test in a browser says.

No browser here, and no rule is tested here.
"""

import contextlib
import shutil
from urllib.error import HTTPError
from urllib.request import urlopen

from e2e.running import Daemon, Peer, Program, command
from lanista.match.record import read_record
from support.angrymob import PAGE

MOVE_LIMIT = 9
"""Turns of a match in the arena that most tests share."""
OFTEN = """\
from lanista.page import renewal, server, tournaments
tournaments.Tournament.rest, renewal.SHARE = 0.2, 0
server.TOURNAMENTS_EVERY = server.LOOK_EVERY = 0.1
server.GRACE = 1.0
"""
"""Has a page look at a tournament's results as often as somebody waits for them, and end soon."""
IN_THREADS = """\
import trio
from lanista.page import tables

async def call(_helper, function, arguments):
    return await trio.to_thread.run_sync(function, *arguments)

tables._call = call
"""
"""Has threads compute tables; to start two processes for that takes longer than a test.

In test_browser_ladders and test_browser_hall they are processes.
"""


class Arena(Daemon):
    """`lanista serve` with its page; Angry Mob on the example map, without haste.

    `page` has neither the operator's token nor a slash at its end, and lists the given records.
    """

    def __init__(self, folder, *options, records=(), **more):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "example.map").write_text(PAGE)
        day = folder / "lanista-data" / "records" / "2026-01-01"
        self.given = [match_of(record) for record in records]
        for record, match in zip(records, self.given, strict=True):
            day.mkdir(parents=True, exist_ok=True)
            shutil.copy(record, day / f"{match}.jsonl.gz")
        options = ("--map", folder / "example.map", "--no-clock", *options)
        super().__init__(folder, *options, web="127.0.0.1:0", **more)

    def listens(self):
        super().listens()
        self.page = self.page.partition("#")[0].removesuffix("/")
        self.until(lambda: all(map(self.lists, self.given)), "the records are listed")
        return self.port

    def lists(self, match):
        """Whether the page knows a match; records are looked for while it is served already."""
        try:
            urlopen(f"{self.page}/api/1/matches/{match}").close()
        except HTTPError as error:
            error.close()
            return False
        return True

    def address(self, match):
        """Where a match is shown."""
        return f"{self.page}/#/match/{match}"


def play_records(folder, games):
    """Play a match of each game by the command line, with these words; the paths of the records."""
    paths = {game: folder / f"{game}.jsonl.gz" for game in games}
    with contextlib.ExitStack() as stack:
        playing = []
        for game, words in games.items():
            how = ("play", game, *words, "--console", "--no-clock", "-o", paths[game])
            playing.append(Program(command(*how), folder / game))
            stack.callback(playing[-1].end)
        for program in playing:
            assert 0 == program.wait(), program.err
    return paths


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
