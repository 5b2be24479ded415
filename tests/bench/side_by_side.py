"""How many matches one daemon plays side by side until a bot is misjudged late.

A real daemon in a process of its own; bots think 1 to 150 ms of their 200. They live together in
two processes, since hundreds of interpreters would measure the machine, not the arena; such a
process can itself be kept waiting, so each bot notes how long it really took. Misjudged: the
record says late, and the bot had sent its answer within its time after it had got the turn.

`--workers 1 2` measures a daemon that plays its matches itself, then one with two workers.
"""

import argparse
import json
import multiprocessing
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import trio
from measured import keep

from lanista.match.record import read_record

TURNS = 60
STEPS = (10, 25, 50, 100, 150, 200, 300)
LIMIT = 0.2


async def bot(port, name, slow, entering):
    """One bot: think, answer, and note the turns for which it had really taken too long."""
    chance = random.Random(name)
    async with entering:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await stream.send_all(f"{name} v=1\n".encode())
        await stream.receive_some(9)  # the welcome, of which it needs nothing
    buffered = b""
    turn = 0
    while data := await stream.receive_some(65536):
        got = time.perf_counter()
        buffered = (buffered + data)[-4:]
        if buffered.endswith(b"\ngo\n"):
            await trio.sleep(chance.uniform(0.001, 0.150))
            await stream.send_all(b"\n")
            if time.perf_counter() - got > LIMIT:
                slow.setdefault(name, []).append(turn)
            turn += 1


def bots(port, names, results):
    """Run many bots in this process; puts the turns that took too long by name."""
    slow = {}

    async def run():
        entering = trio.Semaphore(20)  # of one address, 100 connections without a hello are allowed
        async with trio.open_nursery() as nursery:
            for name in names:
                nursery.start_soon(bot, port, name, slow, entering)

    trio.run(run)
    results.put(slow)


def side_by_side(matches, workers):
    """Play so many at once: counts of late verdicts, misjudged ones, and void matches."""
    with tempfile.TemporaryDirectory() as folder:
        daemon = subprocess.Popen(
            [
                *(sys.executable, "-m", "lanista.cli", "serve", "--port", "0", "--no-web"),
                *("--data", folder),
                *("--matches", str(matches), "--move-limit", str(TURNS), "--map", "meadow"),
                *("--max-connections", "2000", "--workers", str(workers)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            port = int(daemon.stdout.readline().rsplit(":", 1)[1])
            names = [f"b{number}" for number in range(2 * matches)]
            results = multiprocessing.Queue()
            hosts = [
                multiprocessing.Process(target=bots, args=(port, names[half::2], results))
                for half in range(2)
            ]
            for host in hosts:
                host.start()
            slow = {}
            for _ in hosts:
                slow.update(results.get(timeout=300))
            for host in hosts:
                host.join()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:  # a void match, whose bots have left, doesn't count
                daemon.send_signal(signal.SIGTERM)
                daemon.wait(60)
        finally:
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
            daemon.stdout.close()
        late = misjudged = void = counted = 0
        worst_stall = 0.0
        for path in Path(folder).rglob("*.jsonl.gz"):
            record = read_record(path)
            void += record.result.end == "void"
            counted += record.result.end != "void"
            worst_stall = max([worst_stall, *(turn.stall for turn in record.turns)])
            for turn in record.turns:
                for player, verdict in zip(record.header.players, turn.verdicts, strict=True):
                    if verdict == "late":
                        late += 1
                        misjudged += turn.turn not in slow.get(player.name, [])
    assert counted + void >= matches, f"{counted} records of {matches} matches"
    return {
        "workers": workers,
        "matches": matches,
        "late": late,
        "misjudged": misjudged,
        "void": void,
        "worst_stall_ms": round(1000 * worst_stall, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1], metavar="N")
    parser.add_argument("--matches", type=int, nargs="+", default=STEPS, metavar="N")
    options = parser.parse_args()
    rows = []
    most = {}
    for workers in options.workers:
        for matches in options.matches:
            rows.append(side_by_side(matches, workers))
            print(json.dumps(rows[-1]), flush=True)
            if rows[-1]["misjudged"]:
                break
            most[workers] = matches
    keep(
        "side_by_side",
        {"most_without_misjudging_by_workers": most, "aim": "200, none", "rows": rows},
    )


if __name__ == "__main__":
    main()
