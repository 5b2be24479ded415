"""Matches of real TCP connections that a player of an arena plays, for tests of this folder."""

from pathlib import Path

import attrs
import trio

from lanista.arena.match_worker import MatchWorker
from lanista.arena.worker_process import Link
from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.hosting.control import MatchControl
from lanista.hosting.host import SeatedMatch
from lanista.match.conditions import Clock, MatchSpec, match_id
from lanista.match.connection import Connection
from lanista.match.record import read_record
from match.loopback import socket_pair

PATIENCE = 60.0
"""Seconds that anything is waited for before a test fails; processes are started meanwhile."""
ROW = "2 4\nA . . .\n. . . B\n"
CALM = Clock(time_init=60, time_move=60, stall_margin=60)
"""No bot is late, and no match void, however busy the machine is."""


class Bot:
    """A bot's end of a connection, in the hands of a test."""

    def __init__(self, bot):
        bot.setblocking(False)
        self.stream = trio.SocketStream(trio.socket.from_stdlib_socket(bot))
        self.got = b""
        """All that it was sent."""

    async def say(self, data):
        with trio.fail_after(PATIENCE):
            await self.stream.send_all(data)

    async def until(self, end, times=1):
        """Read until the bytes so far end so, that many of these ends having come."""
        with trio.fail_after(PATIENCE):
            while self.got.count(end) < times:
                data = await self.stream.receive_some(65536)
                assert data, f"the end comes after {self.got[-200:]}"
                self.got += data

    async def rest(self):
        """Read all until the arena closes the connection."""
        with trio.fail_after(PATIENCE):
            while data := await self.stream.receive_some(65536):
                self.got += data
        return self.got

    def close(self):
        self.stream.socket.close()


def connected(hello):
    """A connection that has said hello, and its bot."""
    channel, bot = socket_pair()
    connection = Connection(channel, host="127.0.0.1")
    connection.session.receive(hello)
    connection.hello = connection.session.take_hello()
    return connection, Bot(bot)


async def played_by(bots, turns=(1, 2, 3)):
    """Bots answer these turns, each as soon as it is asked."""
    for turn in turns:
        for bot in bots:
            await bot.until(b"\ngo\n", turn)
            await bot.say(b"\n")


async def asked(bots):
    """Wait until bots have been sent their first turn."""
    for bot in bots:
        await bot.until(b"\ngo\n")


async def changed(player, condition):
    """Wait until something holds of what a page is shown."""
    with trio.fail_after(PATIENCE):
        while not condition():
            await player.running.changes.wait(player.running.changes.count)


def leave(connections, bots):
    """Close both ends of connections."""
    for connection, bot in zip(connections, bots, strict=True):
        connection.channel.close()
        bot.close()


def pair(*hellos):
    """The connections of Angry Mob's two seats, and their bots."""
    seats = [connected(hello) for hello in hellos or (b"Ann v=1 keep=1\n", b"Bob v=1 keep=1\n")]
    return [connection for connection, _ in seats], [bot for _, bot in seats]


def seated(folder, connections, *, moves=3, clock=CALM, control=None, game="angrymob", ladder=None):
    """A match between these, with an id and a record of its own."""
    ruleset = registry.get(game)
    match = match_id()
    given = {"move_limit": moves} if game == "angrymob" else {}
    return SeatedMatch(
        spec=MatchSpec(
            match=match,
            ruleset=ruleset,
            settings=complete_settings(ruleset, given),
            seed=7,
            board=ruleset.read_board(ROW) if game == "angrymob" else None,
            clock=clock,
            ladder=ladder,
        ),
        connections=connections,
        names=[connection.hello.name for connection in connections],
        numbers=list(range(1, len(connections) + 1)),
        room="cup",
        record=Path(folder) / f"{match}.jsonl.gz",
        control=control or MatchControl(),
    )


@attrs.define
class Playing:
    """A match that is being played, and what came of it."""

    match: SeatedMatch
    over: trio.Event = attrs.field(factory=trio.Event)
    played: object = None

    async def end(self):
        with trio.fail_after(PATIENCE):
            await self.over.wait()
        return self.played

    @property
    def record(self):
        return read_record(self.match.record)


def begin(nursery, player, match):
    """Have a player play a match meanwhile."""
    playing = Playing(match)

    async def play():
        playing.played = await player.play(match)
        playing.over.set()

    nursery.start_soon(play)
    return playing


class Here:
    """In place of a process that works for the arena: its work in this event loop."""

    def __init__(self, theirs, nursery, work=MatchWorker):
        self.returncode = None
        self._scope = trio.CancelScope()
        self._ended = trio.Event()
        nursery.start_soon(self._run, theirs.dup(), work)

    async def _run(self, ours, work):
        link = Link(ours)
        try:
            with self._scope:
                await work(link).run()
        finally:
            link.close()
            self.returncode = 0
            self._ended.set()

    async def wait(self):
        await self._ended.wait()

    def kill(self):
        self._scope.cancel()
