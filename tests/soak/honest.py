"""A process that plays all honest bots: python tests/soak/honest.py PORT --tables N …

Writes a line of JSON for each match: what its bots were told.
"""

import argparse
import json
import random
import re
import socket
import sys
import time
from pathlib import Path

import trio

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.players import Player

SHARE = ("angrymob",) * 3 + ("hogwarts", "crematoria")
"""The games of five tables."""
SEATS = {"angrymob": 2, "hogwarts": 4, "crematoria": 4}
PATIENCE = 300.0
"""Seconds for a match: a hundred at once take half a minute, longer on a busy machine."""
EVENT = re.compile(rb"(?m)^(go|end [a-z]+|error [^\n]*)\n")
START = re.compile(rb"(?m)^start (\w+)$")


class TroubleError(Exception):
    """What must not befall an honest bot."""


class Bot:
    """A connection of an honest bot."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._buffer = b""

    async def play(self, game: str, seat: int) -> tuple[str, str]:
        """Play a match to its end: its id, and the end that was told.

        Raises:
            TroubleError: It was refused, or the connection ended before the match.
        """
        player, match = Player(game, seat), ""
        while True:
            word, lines = await self._event()
            if word.startswith("error"):
                raise TroubleError(f"{word} (match {match or 'not begun'})")
            if found := START.search(lines):
                match = found[1].decode()
            if word.startswith("end"):
                return match, word.removeprefix("end ")
            await self.stream.send_all(player.answer(lines).encode() + b"\n")

    async def _event(self) -> tuple[str, bytes]:
        """The next line that matters, and all lines before it."""
        looked = 0
        while True:
            if found := EVENT.search(self._buffer, looked):
                lines = self._buffer[: found.start()]
                self._buffer = self._buffer[found.end() :]
                return found[1].decode(), lines
            looked = self._buffer.rfind(b"\n") + 1
            try:
                data = await self.stream.receive_some(1 << 16)
            except trio.BrokenResourceError as error:
                raise TroubleError(f"the connection broke: {error.__cause__}") from None
            if not data:
                raise TroubleError("the connection ended before the match")
            self._buffer += data


class Table:
    """Bots that play one match after another, in a room of their own."""

    def __init__(self, number: int, options: argparse.Namespace, until: float) -> None:
        self.game = SHARE[number % len(SHARE)]
        self.room = f"{options.name}-{number}"
        self._options = options
        self._until = until
        self._stays = number % 2 == 1  # all but the first bot keep their connections
        self._bots: list[Bot | None] = [None] * SEATS[self.game]

    async def run(self) -> None:
        """Play until the time is over; a match that has begun is played to its end."""
        # All at once; then by chance, so that matches begin and end at all times of others.
        await trio.sleep(random.random())
        while trio.current_time() < self._until:
            await self._play()
            with trio.move_on_at(self._until):
                await trio.sleep(random.uniform(0, 2 * self._options.pause))
        self._leave()

    async def _play(self) -> None:
        began = time.monotonic()
        told: dict[int, tuple[str, str]] = {}
        troubles: list[str] = []

        async def sit(seat: int) -> None:
            keeps = self._stays and seat > 0
            try:
                bot = self._bots[seat] or await self._connect(seat, keeps=keeps)
                self._bots[seat] = bot
                told[seat] = await bot.play(self.game, seat)
                if not keeps or told[seat][1] == "aborted":  # all are sent off after such a match
                    self._leave(seat)
            except (TroubleError, OSError, trio.BrokenResourceError) as error:
                troubles.append(f"{self.room}, seat {seat}: {error}")
                if seat not in told:
                    nursery.cancel_scope.cancel()  # the others would wait for this one

        with trio.move_on_after(PATIENCE) as scope:
            async with trio.open_nursery() as nursery:
                for seat in range(len(self._bots)):
                    nursery.start_soon(sit, seat)
        if scope.cancelled_caught:
            troubles.append(f"not over after {PATIENCE:g} s")
        if troubles:
            self._leave()
        line = {
            "at": time.monotonic(),
            "seconds": round(time.monotonic() - began, 3),
            "game": self.game,
            "room": self.room,
            "matches": sorted({match for match, _ in told.values()}),
            "ends": sorted({end for _, end in told.values()}),
            "troubles": troubles,
        }
        print(json.dumps(line), flush=True)

    async def _connect(self, seat: int, *, keeps: bool) -> Bot:
        dialling = trio.socket.socket()
        dialling.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await dialling.bind((self._options.address, 0))
        await dialling.connect(("127.0.0.1", self._options.port))
        stream = trio.SocketStream(dialling)
        name = f"{self._options.name}{seat}"
        hello = f"{name} v=1 game={self.game} room={self.room} seat={seat} keep={int(keeps)}\n"
        await stream.send_all(hello.encode())
        return Bot(stream)

    def _leave(self, *seats: int) -> None:
        for seat in seats or range(len(self._bots)):
            if (bot := self._bots[seat]) is not None:
                bot.stream.socket.close()
                self._bots[seat] = None


async def play(options: argparse.Namespace) -> None:
    """Play at all tables."""
    until = trio.current_time() + options.seconds
    async with trio.open_nursery() as nursery:
        for number in range(options.tables):
            nursery.start_soon(Table(number, options, until).run)


def main() -> None:
    """Play until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--pause", type=float, required=True, help="between matches, on average")
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--name", default="Honest")
    trio.run(play, parser.parse_args())


if __name__ == "__main__":
    main()
