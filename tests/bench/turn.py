"""Microseconds a turn of two trivial bots over loopback, beside a floor measured in the same run.

The floor: blocking sockets, the same two bots in processes of their own, the same bytes each way,
no rules, no clock, no record. The arena: `MatchHost`, rules, fair clock and record included.
Floor and arena take turns, so that a machine that changes its speed changes it for both.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import trio
from measured import keep, median

from lanista.hosting.bot_pool import Contestant
from lanista.hosting.host import MatchHost, MatchPlan
from lanista.rules import registry
from lanista.rules.base import complete_settings

TURNS = 10_000
PAIRS = 5
BOT = str(Path(__file__).parent / "trivial_bot.py")
RULESET = registry.get("angrymob")


def floor(told):
    """Seconds for TURNS exchanges of `told` and an empty line with two bots."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        env = {
            **os.environ,
            "LANISTA_HOST": "127.0.0.1",
            "LANISTA_PORT": str(server.getsockname()[1]),
            "LANISTA_TOKEN": "none",
        }
        bots = [subprocess.Popen([sys.executable, BOT], env=env) for _ in range(2)]
        seats = [server.accept()[0] for _ in bots]
        for seat in seats:
            seat.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not seat.recv(4096).endswith(b"\n"):
                pass
        began = time.perf_counter()
        for _ in range(TURNS):
            for seat in seats:
                seat.sendall(told)
            for seat in seats:
                seat.recv(65536)
        took = time.perf_counter() - began
        for seat in seats:
            seat.close()
        for bot in bots:
            bot.wait()
    return took


def arena(folder):
    """Seconds for TURNS turns of a match between two bots, record included."""
    moments = {}

    async def watch(game):
        # Twice a match: no cost a turn worth naming.
        if game.turn in (1, TURNS):
            moments[game.turn] = time.perf_counter()

    spec = MatchPlan(
        ruleset=RULESET,
        settings=complete_settings(RULESET, {"move_limit": TURNS}),
        seed=1,
        contestants=[Contestant(name="bench", command=(sys.executable, BOT))] * 2,
        record_path=lambda match: Path(folder) / f"{match}.jsonl.gz",
        watcher=lambda names: watch,  # noqa: ARG005 - they have one name
    )
    played = trio.run(MatchHost(spec).play)
    assert played.result.turns == TURNS, played.result
    return moments[TURNS] - moments[1]


def main():
    board = RULESET.generate({}, RULESET.chance(1))
    game = RULESET.new({"move_limit": TURNS}, board, RULESET.chance(1))
    told = b"turn 1\nmoved 0\nmoved 1\n" + game.facts(0, ()) + b"go\n"
    folder = tempfile.mkdtemp()
    try:
        rows = [(floor(told), arena(folder)) for _ in range(PAIRS)]
    finally:
        shutil.rmtree(folder)
    floors = [1e6 * base / TURNS for base, _ in rows]
    arenas = [1e6 * took / TURNS for _, took in rows]
    keep(
        "turn",
        {
            "turns": TURNS,
            "floor_us": median(floors),
            "arena_us": median(arenas),
            "ratio": median([took / base for base, took in rows]),
            "ratios": [round(took / base, 2) for base, took in rows],
            "aim": "ratio 4 or less",
        },
    )


if __name__ == "__main__":
    main()
