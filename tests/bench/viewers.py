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
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import trio
from measured import keep
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import connect

from lanista.match.record import read_record

PAIRS = 2
VIEWERS = 100


def bot(port, name, think):
    """Answer every turn with no submove."""
    with socket.create_connection(("127.0.0.1", port)) as arena:
        arena.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        arena.sendall(f"{name} v=1\n".encode())
        tail = b""
        while data := arena.recv(65536):
            tail = (tail + data)[-4:]
            if tail == b"\ngo\n":
                time.sleep(think)
                arena.sendall(b"\n")


async def follow(url):
    """Ask for frame after frame of the match that runs, until the arena ends behind it."""
    with suppress(ConnectionClosed):
        await follow_on(url)


async def follow_on(url):
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


def turn_time(turns, think, *, watched):
    """Microseconds a turn of one match."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = subprocess.Popen(
            [
                *(sys.executable, "-m", "lanista.cli", "serve", "--port", "0"),
                *("--web", "127.0.0.1:0", "--data", folder, "--matches", "1", "--no-clock"),
                *("--move-limit", str(turns), "--map", "meadow", "--start", "manual"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        others = []
        try:
            port = int(daemon.stdout.readline().rsplit(b":", 1)[1])
            page = daemon.stdout.readline().split()[1].decode()
            for name in ("left", "right"):
                others.append(multiprocessing.Process(target=bot, args=(port, name, think)))
                others[-1].start()
            if watched:
                web = int(page.rstrip("/").rsplit(":", 1)[1])
                others.append(multiprocessing.Process(target=look, args=(web,)))
                others[-1].start()
            ready = False
            while not ready:
                with urllib.request.urlopen(f"{page}api/1/lobby") as answer:
                    ready = any(room["ready"] for room in json.load(answer)["rooms"])
                time.sleep(0.05)
            time.sleep(2 if watched else 0.5)  # all viewers have come, and nothing else starts
            daemon.stdin.write(b"\n")
            daemon.stdin.flush()
            daemon.wait(600)
            for other in others:
                other.join(60)
        finally:
            for other in others:
                other.kill()
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
            daemon.stdin.close()
            daemon.stdout.close()
        (path,) = Path(folder).rglob("*.jsonl.gz")
        record = read_record(path)
        began = datetime.fromisoformat(record.header.started)
        ended = datetime.fromisoformat(record.result.ended)
        assert turns == record.result.turns
        return 1e6 * (ended - began).total_seconds() / turns


def main():
    rows = []
    for turns, think in ((3000, 0.0), (400, 0.005)):
        pairs = []
        for _ in range(PAIRS):
            alone = turn_time(turns, think, watched=False)
            pairs.append((alone, turn_time(turns, think, watched=True)))
            print(f"think {1000 * think:g} ms: {pairs[-1][0]:.0f} and {pairs[-1][1]:.0f} µs a turn")
        ratios = sorted(watched / alone for alone, watched in pairs)
        rows.append(
            {
                "think_ms": 1000 * think,
                "alone_us": round(statistics.median(alone for alone, _ in pairs)),
                "watched_us": round(statistics.median(watched for _, watched in pairs)),
                "ratio": round(statistics.median(ratios), 3),
                "ratios": [round(ratio, 3) for ratio in ratios],
            }
        )
        print(json.dumps(rows[-1]), flush=True)
    keep("viewers", {"viewers": VIEWERS, "stuck": 1, "rows": rows})


if __name__ == "__main__":
    main()
