"""What viewers cost a match: 100 that follow it and one that stopped reading, against none.

A real daemon with its page, real WebSockets. The viewers live in a process of their own at the
lowest priority, since their work is a browser's on another machine; the replay worker's is the
daemon's, at low priority too. Two kinds of bots: ones that answer at once, so that every
microsecond of the loop shows, and ones that think 5 ms, as bots do. Angry Mob with few units, and
the time of a turn is that of the match by its turns, from the record.
"""

import json
import multiprocessing
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path

import trio
from measured import compiled, keep, listening, median, printed
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import connect

from lanista.match.record import read_record

PAIRS = 2
VIEWERS = 100


async def follow(url):
    """Ask for frame after frame of the match that runs, until the arena ends behind it."""
    with suppress(ConnectionClosed):
        async with connect(url, max_size=None, compression=None) as arena:
            json.loads(await arena.recv())
            await arena.send(json.dumps({"do": "lobby"}))
            while not (said := json.loads(await arena.recv())).get("running"):
                pass
            match = said["running"][0]["match"]
            await arena.send(json.dumps({"do": "open", "match": match}))
            place = 0
            while (said := json.loads(await arena.recv()))["type"] != "end":
                if said["type"] == "frames":
                    place = said["from"] + len(said["frames"])
                if said["type"] in {"head", "frames"}:
                    ask = {"do": "frames", "match": match, "from": place, "known": place > 0}
                    await arena.send(json.dumps(ask))


def look(port):
    """All viewers, in this process; the last one never reads."""
    os.nice(19)

    async def run():
        async with trio.open_nursery() as nursery:
            for _ in range(VIEWERS):
                nursery.start_soon(follow, f"ws://127.0.0.1:{port}/api/1/ws")

    stuck = socket.socket()
    stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    stuck.connect(("127.0.0.1", port))
    stuck.sendall(
        b"GET /api/1/ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
        b"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        b"Sec-WebSocket-Version: 13\r\n\r\n" % port
    )
    for _ in range(200):
        said = json.dumps({"do": "lobby"}).encode()
        # Masked by zeros, as short as a frame can be.
        stuck.sendall(bytes((0x81, 0x80 | len(said))) + b"\0\0\0\0" + said)
    trio.run(run)
    stuck.close()


def turn_time(bot, turns, think, *, watched):
    """Microseconds a turn of one match of bots in C that think so many milliseconds."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        words = [
            *("serve", "--port", "0", "--web", "127.0.0.1:0", "--data", folder, "--matches", "1"),
            *("--no-clock", "--move-limit", str(turns), "--map", "meadow", "--start", "manual"),
        ]
        daemon, port = stack.enter_context(listening(words, stdin=subprocess.PIPE))
        page = daemon.stdout.readline().split()[1]
        env = {**os.environ, "LANISTA_PORT": str(port), "THINK_MS": str(think)}
        for name in ("left", "right"):
            playing = stack.enter_context(subprocess.Popen([bot, "angrymob", name], env=env))
            stack.callback(playing.kill)
        if watched:
            web = int(page.rstrip("/").rsplit(":", 1)[1])
            viewers = multiprocessing.Process(target=look, args=(web,))
            viewers.start()
            stack.callback(viewers.kill)
        ready = False
        while not ready:
            with urllib.request.urlopen(f"{page}api/1/lobby") as answer:
                ready = any(room["ready"] for room in json.load(answer)["rooms"])
            time.sleep(0.05)
        time.sleep(2 if watched else 0.5)  # all viewers have come, and nothing else starts
        daemon.stdin.write("\n")
        daemon.stdin.flush()
        daemon.wait(600)
        (path,) = Path(folder).rglob("*.jsonl.gz")
        record = read_record(path)
        began = datetime.fromisoformat(record.header.started)
        ended = datetime.fromisoformat(record.result.ended)
        assert turns == record.result.turns
        return 1e6 * (ended - began).total_seconds() / turns


def watched():
    """Yield a row for each kind of bots."""
    with tempfile.TemporaryDirectory() as folder:
        bot = compiled(folder)
        for turns, think in ((3000, 0), (400, 5)):
            pairs = []
            for _ in range(PAIRS):
                alone = turn_time(bot, turns, think, watched=False)
                pairs.append((alone, turn_time(bot, turns, think, watched=True)))
                print(f"think {think} ms: {pairs[-1][0]:.0f} and {pairs[-1][1]:.0f} µs a turn")
            ratios = sorted(watched / alone for alone, watched in pairs)
            yield {
                "think_ms": think,
                "alone_us": round(median(alone for alone, _ in pairs)),
                "watched_us": round(median(watched for _, watched in pairs)),
                "ratio": median(ratios),
                "ratios": [round(ratio, 3) for ratio in ratios],
            }


if __name__ == "__main__":
    keep("viewers", {"viewers": VIEWERS, "stuck": 1, "rows": printed(watched())})
