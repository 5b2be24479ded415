"""An arena with its page in the test's own loop, bots in the test's hands, and who looks at it.

Real sockets, and no process: the replay worker works in a thread.
"""

import json
import threading
from collections import deque
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager

import attrs
import trio
from websockets.trio.client import connect

from lanista.arena.arena import Arena
from lanista.hosting.control import MatchControl, RunningMatch
from lanista.match.conditions import Clock
from lanista.match.record import read_record
from lanista.page.replay_worker import ReplayWorker
from lanista.page.server import Server
from lanista.page.view import View
from match.playing import ANGRYMOB
from page.records import AWAY, BACK, ROW
from support.arenas import arena_options, arena_server

PATIENCE = 60
"""Seconds within which a test must be through. Nothing is expected to need them."""


class ReplayThread:
    """Does the work of the process that replays records, whose start takes longer than most tests;
    test_frame_cache.py has the process.
    """

    def __init__(self):
        self._worker = None
        self._at_work = threading.Lock()

    async def run(self):
        try:
            await trio.sleep_forever()
        finally:
            with self._at_work:  # as a process's files are closed by its end
                for number in [*self._worker._jobs] if self._worker else ():
                    self._worker._drop(number)

    async def call(self, _work, folder, orders, jobs):
        def work():
            with self._at_work:
                self._worker = self._worker or ReplayWorker(folder)
                for order in orders:
                    order(self._worker)
                return self._worker.work(jobs)

        return await trio.to_thread.run_sync(work)


class Bot:
    """A bot that says what the test has it say."""

    def __init__(self, stream):
        self.stream = stream
        self.heard = b""
        self._used = 0

    async def say(self, line):
        await self.stream.send_all(f"{line}\n".encode())

    async def line(self):
        """The next line; empty at the end of the connection."""
        while b"\n" not in self.heard[self._used :]:
            data = await self.stream.receive_some()
            if not data:
                return ""
            self.heard += data
        end = self.heard.index(b"\n", self._used)
        line, self._used = self.heard[self._used : end].decode(), end + 1
        return line

    async def until(self, word):
        """The lines up to the one that begins with this word."""
        lines = [await self.line()]
        while lines[-1].split(" ")[0] != word:
            assert lines[-1], f"the connection ended before {word!r}: {self.heard[-300:]!r}"
            lines.append(await self.line())
        return lines

    async def rest(self):
        """All lines up to the end of the connection, which must come."""
        lines = []
        while line := await self.line():
            lines.append(line)
        return lines


class Page:
    """Who looks: a WebSocket."""

    def __init__(self, socket):
        self.socket = socket
        self._kept = deque()
        self._asked = 0

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def ask(self, do, **fields):
        """Say something; its answer. Other messages are kept for `told`."""
        self._asked += 1
        await self.say(do=do, id=self._asked, **fields)
        return await self.answer(self._asked)

    async def frames(self, match, first, **more):
        """The answer with a match's frames from one on."""
        return await self.ask("frames", match=match, **{"from": first}, **more)

    async def answer(self, asked):
        """The answer to what was said with this id."""
        return await self._find(lambda message: message.get("id") == asked)

    async def told(self, kind, condition=lambda _: True):
        """The next message of a type of which a condition holds; those before are dropped."""
        while True:
            message = await self._find(lambda message: message["type"] == kind)
            if condition(message):
                return message

    async def _find(self, fits):
        for message in self._kept:
            if fits(message):
                self._kept.remove(message)
                return message
        while True:
            message = json.loads(await self.socket.recv())
            if fits(message):
                return message
            self._kept.append(message)


@attrs.define
class Answer:
    """An HTTP answer."""

    status: int
    headers: list
    body: bytes

    def header(self, name):
        """A header that is there once."""
        (value,) = [value for key, value in self.headers if key.lower() == name.lower()]
        return value

    @property
    def json(self):
        assert "application/json" == self.header("Content-Type")
        return json.loads(self.body)


@attrs.define(eq=False)
class House:
    """An arena and its page."""

    server: Server
    nursery: trio.Nursery
    arena: Arena | None = None
    port: int = 0
    """The bots'."""
    over: trio.Event = attrs.field(factory=trio.Event)
    """Set when the arena has served."""
    _stack: AsyncExitStack = attrs.field(factory=AsyncExitStack)

    async def bot(self, hello):
        """A bot that connects."""
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        bot = Bot(await self._stack.enter_async_context(stream))
        await bot.say(hello)
        return bot

    async def pair(self, *, options=""):
        """Two bots that are asked for their first answer, and their match's id."""
        bots = [await self.bot(f"{name} v=1 room=r {options}") for name in ("Ann", "Bob")]
        for bot in bots:
            lines = await bot.until("go")
        (match,) = [line[6:] for line in lines if line.startswith("start ")]
        return *bots, match

    async def page(self, *, hello=True, **options):
        """Somebody looks."""
        address = f"ws://127.0.0.1:{self.server.port}/api/1/ws"
        options |= {"compression": None, "proxy": None, "max_size": None, "close_timeout": 0.2}

        async def stay(task_status):
            async with connect(address, **options) as socket:
                task_status.started(socket)
                await trio.sleep_forever()

        page = Page(await self.nursery.start(stay))
        if hello:
            await page.told("hello")
        return page

    async def watched(self):
        """A pair's match that somebody looks at: its bots, its id and the one who looks."""
        ann, bob, match = await self.pair()
        page = await self.page()
        await page.ask("open", match=match)
        return ann, bob, match, page

    async def raw(self, data):
        """What is answered to these bytes, up to the end of the connection."""
        async with await trio.open_tcp_stream("127.0.0.1", self.server.port) as stream:
            await stream.send_all(data)
            answer = b"".join([part async for part in stream])
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *headers = head.decode().split("\r\n")
        return Answer(int(first.split(" ")[1]), [line.split(": ", 1) for line in headers], body)

    async def refuses(self, path, status, words):
        """Ask for what isn't there, or makes no sense: one error in words."""
        answer = await self.get(path)
        assert (path, status, ["error"]) == (path, answer.status, [*answer.json])
        assert answer.json["error"].startswith(words)

    async def get(self, path, *headers, method="GET", host=None):
        """The answer to a request."""
        host = f"127.0.0.1:{self.server.port}" if host is None else host
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]
        return await self.raw("\r\n".join(lines).encode())


def running_match(match, part, **more):
    """A match that nobody plays, with a record that is being written."""
    usual = {"ruleset": ANGRYMOB, "room": None, "bots": ((1, "Ann"), (2, "Bob")), "started": ""}
    nobodys = dict.fromkeys(("playing", "rejoin"))
    return RunningMatch(
        match=match, part=part, control=MatchControl(), **{**usual, **nobodys, **more}
    )


async def play(*turns, leave=False):
    """Bots answer: of each a bot, and the lines it says when it is asked; then they leave, each
    when it has heard the end.
    """
    async with trio.open_nursery() as nursery:

        async def answer(bot, lines):
            for number, line in enumerate(lines):
                if number:
                    await bot.until("go")
                await bot.say(line)
            if leave:
                await bot.rest()
                await bot.stream.aclose()

        for bot, lines in turns:
            nursery.start_soon(answer, bot, lines)


async def one_match(house):
    """Play a match of two turns that Ann wins by Bob's bad answer; its id."""
    ann, bob, match = await house.pair()
    await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
    return match


async def settled(house, match):
    """Wait until a match is over and in the list; return what is said of it."""
    changes = house.arena.running.changes
    while True:
        seen = changes.count  # before the question: the next change may come before the answer
        listed = (await house.get("/api/1/matches?limit=100")).json["matches"]
        if (match, "over") in [(one["match"], one["state"]) for one in listed]:
            return (await house.get(f"/api/1/matches/{match}")).json
        await changes.wait(seen)


async def record_of(house, match):
    """The record of a match, once it is there."""
    while match not in house.arena.running.ended:
        await house.arena.running.changes.wait(house.arena.running.changes.count)
    return read_record(house.arena.running.ended[match])


def done(answer):
    return ("done", None) == (answer["type"], answer.get("words"))


@asynccontextmanager
async def opened(folder, *, token=None, host="127.0.0.1", open_logs=False, **options):
    """An arena with its page: no clock, the map ROW, 200 moves at most; records in a folder."""
    settings = {
        "clock": Clock(time_init=0, time_move=0),
        "board": ANGRYMOB.read_board(ROW),
        "settings": {"move_limit": 200},
        **options,
    }
    with ExitStack() as ladders:
        arena = await arena_server(
            arena_options(ANGRYMOB, port=0, data=folder, **settings), ladders
        )
        await arena.connections.listen()
        _, port = arena.connections.address
        view = View(arena.running, arena=arena)
        how = {"token": token, "host": host, "open_logs": open_logs}
        async with showing(view, **how) as house:
            house.arena, house.port = arena, port

            async def serve():
                await arena.serve()
                house.over.set()

            house.nursery.start_soon(serve)
            yield house


@asynccontextmanager
async def showing(view, *, token=None, host="127.0.0.1", open_logs=False, is_replayed_here=True):
    """A page alone. Unless matches are replayed here, a process that is started when somebody looks
    does so.
    """
    server = Server(view, host, 0, token, open_logs)
    if is_replayed_here:
        for cache in (view.frame_cache, view.sent_frames):
            cache._helper = ReplayThread()
            cache._is_warm = True
    await server.listen()
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(server.run)
            house = House(server, nursery)
            async with house._stack:
                yield house
            nursery.cancel_scope.cancel()
