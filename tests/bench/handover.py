"""What it takes to hand a match over to a worker and back, and how its board had best travel.

The worker is a real process, which gives every match back at once: what is measured is encoding,
sending the sockets, making connections of them, closing them, and the report. The boards' part: to
make one from its seed, as a worker would have to, beside unpacking the bytes of the board worker.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import trio
from measured import SEATS, keep, median, percentile

from arena.handed import connected, seated
from lanista.arena import worker_process
from lanista.arena.match_workers import MatchWorkers
from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.hosting.control import RunningMatches
from lanista.match.conditions import pack_board, prepare_board, unpack_board
from support.processes import processor_time

GIVING_BACK = """
import lanista.arena.match_worker as worker

async def give_back(*_):
    return None

worker.MatchWorker._play_to_its_end = give_back
worker.main()
"""
TIMES = 500


async def start(module, theirs, *arguments):
    """Start a worker that gives everything back."""
    number = theirs.fileno()
    argv = [sys.executable, "-P", "-c", GIVING_BACK, str(number), *arguments]
    return await trio.lowlevel.open_process(argv, pass_fds=[number], start_new_session=True)


class Boards:
    """In place of the board maker: it has the board already."""

    def __init__(self, packed):
        self.packed = packed

    async def run(self):
        await trio.sleep_forever()

    async def pack(self, spec):  # noqa: ARG002 - the interface's
        return self.packed


async def hand_over(game, packed):
    """Hand matches over and back: the milliseconds of each, and of both processes' work for it."""
    worker_process.start = start
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        async with trio.open_nursery() as nursery:
            workers = MatchWorkers(RunningMatches(), 1)
            workers.boards = Boards(packed)
            nursery.start_soon(workers.run)
            seats = [connected(f"B{seat} v=1 keep=1\n".encode()) for seat in range(SEATS[game])]
            connections = [connection for connection, _ in seats]
            for connection in connections:
                connection.session.receive(b"1 2 3 4\n")
            await workers.play(seated(folder, connections, game=game))
            (worker,) = workers._workers
            matches = [seated(folder, connections, game=game) for _ in range(TIMES)]
            worked = time.process_time() + processor_time(worker.linked.process.pid)
            for match in matches:
                began = time.perf_counter()
                await workers.play(match)
                taken.append((time.perf_counter() - began) * 1000)
            worked -= time.process_time() + processor_time(worker.linked.process.pid)
            for connection, bot in seats:
                connection.channel.close()
                bot.close()
            nursery.cancel_scope.cancel()
    return taken, -worked / TIMES * 1000


def boards(game):
    """Milliseconds to make a board and to unpack it, and its bytes."""
    ruleset = registry.get(game)
    settings = complete_settings(ruleset, {})
    made, unpacking, sizes = [], [], []
    for seed in range(10):
        began = time.perf_counter()
        prepare_board(ruleset, settings, seed)
        made.append((time.perf_counter() - began) * 1000)
        packed = pack_board(game, dict(settings), seed)
        sizes.append(len(packed))
        began = time.perf_counter()
        unpack_board(packed)
        unpacking.append((time.perf_counter() - began) * 1000)
    return {"make_ms": median(made), "unpack_ms": median(unpacking), "bytes": max(sizes)}, packed


def main():
    """Measure and keep the figures."""
    figures = {"aim_ms": 1}
    for game in ("angrymob", "hogwarts", "crematoria"):
        figures[f"board of {game}"], packed = boards(game)
        taken, worked = trio.run(hand_over, game, packed)
        figures[game] = {
            "processor_ms": round(worked, 3),
            "median_ms": median(taken),
            "p99_ms": round(percentile(taken, 0.99), 3),
        }
    keep("handover", figures)


if __name__ == "__main__":
    main()
