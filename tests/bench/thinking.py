"""Bots that think 1 to 150 ms of their 200, many in one process, and which verdicts were wrong.

Hundreds of interpreters would measure the machine, not the arena. Such a process can itself be kept
waiting, so each bot notes how long it really took. Misjudged: the record says late, and the bot had
sent its answer within its time after it had got the turn.
"""

import random
import time
from contextlib import suppress
from pathlib import Path

import trio

from lanista.match.record import read_record

LIMIT = 0.2


async def bot(port, hello, slow, entering, on_welcome):
    """One bot: think, answer, and note the turns for which it had really taken too long."""
    name = hello.split()[0]
    chance = random.Random(name)
    async with entering:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await stream.send_all(f"{hello}\n".encode())
        await stream.receive_some(9)  # the welcome, of which it needs nothing
    on_welcome()
    buffered = b""
    turn = 0
    with suppress(trio.BrokenResourceError):  # the last match is over, and it was late
        while data := await stream.receive_some(65536):
            got = time.perf_counter()
            if b"\nend finished\n" in data:
                return  # after a void match it may stay for the next try
            if data.startswith(b"start "):
                turn = 0
            buffered = (buffered + data)[-4:]
            if buffered.endswith(b"\ngo\n"):
                await trio.sleep(chance.uniform(0.001, 0.150))
                await stream.send_all(b"\n")
                if time.perf_counter() - got > LIMIT:
                    slow.setdefault(name, []).append(turn)
                turn += 1


def bots(port, hellos, results, on_welcome=lambda: None):
    """Run many bots in this process; puts the turns that took too long by name.

    `on_welcome` is called for each bot that the arena has welcomed.
    """
    slow = {}

    async def run():
        entering = trio.Semaphore(20)  # of one address, 100 connections without a hello are allowed
        async with trio.open_nursery() as nursery:
            for hello in hellos:
                nursery.start_soon(bot, port, hello, slow, entering, on_welcome)

    trio.run(run)
    results.put(slow)


def judged(folder, slow):
    """Return how many records there are, and what was late, misjudged and void in them."""
    told = {"records": 0, "void": 0, "late": 0, "misjudged": 0}
    worst_stall = 0.0
    for path in Path(folder).rglob("*.jsonl.gz"):
        record = read_record(path)
        told["records"] += 1
        told["void"] += record.result.end == "void"
        worst_stall = max([worst_stall, *(turn.stall for turn in record.turns)])
        for turn in record.turns:
            for player, verdict in zip(record.header.players, turn.verdicts, strict=True):
                if verdict == "late":
                    told["late"] += 1
                    told["misjudged"] += turn.turn not in slow.get(player.name, [])
    return told | {"worst_stall_ms": round(1000 * worst_stall, 1)}
