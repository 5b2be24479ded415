"""The table of a ladder of a thousand names over HTTP, and what it costs the arena's event loop.

`ladder_page.py [NAMES [MATCHES]]`. The page of an arena whose ladder has so many names, all of
which wait, and a tenth of which rest; a process of its own computes the tables. Their size depends
on the names alone, so few matches do. A client in another process asks for the table, one time
after another, and by many connections at once; an instrument of trio's times every step of the
arena's tasks, by the processor time of the loop's thread.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import trio
from ladder import fill, names
from measured import keep, numbers_given, percentile

from lanista.arena.names import LadderName
from lanista.arena.spec import LadderSpec
from lanista.games import registry
from lanista.page.server import Server
from lanista.page.tables import TableHelpers
from lanista.page.view import View
from lanista.results.data_folder import DataFolder
from support.arenas import arena_options, arena_server

GAME, SEATS = "angrymob", 2
REQUESTS = 200
AT_ONCE = 50
"""Number of connections that ask at once, as viewers do when there is a new table."""


class Steps(trio.abc.Instrument):
    """The longest step of a task, by the processor time of the loop's thread."""

    def __init__(self):
        self.began, self.longest = time.thread_time(), (0.0, "")

    def before_task_step(self, task):  # noqa: ARG002 - trio's interface
        self.began = time.thread_time()

    def after_task_step(self, task):
        self.longest = max(self.longest, (time.thread_time() - self.began, task.name))

    def told(self):
        """Return the longest since the last call."""
        seconds, name = self.longest
        self.__init__()
        return {"longest_step_ms": round(1000 * seconds, 2), "its_task": name.rpartition(".")[2]}


# -- the client ------------------------------------------------------------------------------------


def get(port, path):
    """Milliseconds until an answer is read, and the answer."""
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        answer = bytearray()
        while part := connection.recv(1 << 20):
            answer += part
    return 1000 * (time.perf_counter() - began), bytes(answer)


def client(port, path):
    """Ask as long as lines come, each of which says how often, and how many at once."""
    for line in sys.stdin:
        times, at_once = json.loads(line)
        with ThreadPoolExecutor(at_once) as threads:
            asked = threads.map(lambda _: get(port, path), range(times * at_once))
            took, answers = zip(*asked, strict=True)
        assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)
        rows = len(json.loads(answers[-1].partition(b"\r\n\r\n")[2])["rows"])
        figures = {
            "rows": rows,
            "bytes": len(answers[-1]),
            "median_ms": round(statistics.median(took), 2),
            "p99_ms": round(percentile(took, 0.99), 2),
        }
        print(json.dumps(figures), flush=True)


# -- the arena -------------------------------------------------------------------------------------


async def measure(folder, count, helpers):
    """The figures of an arena's page whose data is in a folder."""
    steps = Steps()
    trio.lowlevel.add_instrument(steps)
    spec = LadderSpec(name="ladder", game=GAME)
    options = arena_options(registry.get(spec.game), data=folder, ladders=(spec,))
    figures = {}
    with ExitStack() as stack:
        arena = await arena_server(options, stack)
        room = arena.ladders["ladder"]
        for name in names(count):
            if name.endswith("0"):
                room._ladder.bench(name)
            room.wait(LadderName(name=name, owner=name, registered=datetime.now(UTC)))
        view = View(arena.running, arena=arena, ladders=helpers.ladders_of(arena))
        server = Server(view, "127.0.0.1", 0)
        await server.listen()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(helpers.run)
            nursery.start_soon(view.ladders.run)
            await nursery.start(server.run)
            path = "/api/1/ladders/ladder"
            asking = await trio.lowlevel.open_process(
                [sys.executable, __file__, "client", str(server.port), path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ,  # what helpers alone get may be in the inherited one just now
            )

            async def ask(times, at_once=1):
                steps.told()
                await asking.stdin.send_all(json.dumps([times, at_once]).encode() + b"\n")
                answer = b""
                while not answer.endswith(b"\n"):
                    answer += await asking.stdout.receive_some()
                return json.loads(answer) | steps.told()

            await ask(1)  # waits for the first table
            figures["one_after_another"] = await ask(REQUESTS)
            figures["at_once"] = await ask(4, AT_ONCE)
            asking.terminate()
            await asking.wait()
            nursery.cancel_scope.cancel()
    return figures


def main():
    if sys.argv[1:2] == ["client"]:
        client(int(sys.argv[2]), sys.argv[3])
        return
    count, matches = numbers_given(1000, 20_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(DataFolder(folder), SEATS, matches, count)
        figures = trio.run(measure, folder, count, TableHelpers())
    aim = "50 ms until the answer is read; no step over 5 ms"
    keep("ladder_page", {"names": count, "matches": matches, **figures, "aim": aim})


if __name__ == "__main__":
    main()
