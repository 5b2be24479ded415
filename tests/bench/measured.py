"""Starts what benches measure, prints their figures, and keeps these as JSON."""

import contextlib
import json
import os
import platform
import resource
import shutil
import socket
import statistics
import subprocess
import sys
from pathlib import Path

import trio

from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.started_match import StartedMatch
from lanista.match.conditions import MatchSpec

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SEATS = {"angrymob": 2, "hogwarts": 4, "crematoria": 4}
LANISTA = (sys.executable, "-m", "lanista")


def keep(name, figures):
    """Print figures and write them to results/NAME.json with what they were measured on."""
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        "cores": os.cpu_count(),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n")
    print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in figures.items()))


def printed(rows):
    """Print each row as JSON when it comes; return them all."""
    kept = []
    for row in rows:
        print(json.dumps(row), flush=True)
        kept.append(row)
    return kept


def median(values):
    return round(statistics.median(values), 3)


def percentile(values, share):
    """The value below which this share of the values lies."""
    return sorted(values)[int(share * (len(values) - 1))]


def numbers_given(*defaults):
    """The numbers of the command line, and defaults for those that aren't given."""
    given = [float(word) if "." in word else int(word) for word in sys.argv[1:]]
    return [*given, *defaults[len(given) :]]


def processor_seconds():
    """Seconds of processor time that this process has used, and those that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return [usage.ru_utime + usage.ru_stime for usage in used]


def compiled(folder, name="empty"):
    """Compile a program of empty_bots/ into a folder; return its path."""
    made = str(Path(folder) / name)
    source = HERE / "empty_bots" / f"{name}.c"
    subprocess.run([shutil.which("cc") or "gcc", "-O2", "-o", made, source], check=True)
    return made


@contextlib.contextmanager
def connected(words, count):
    """Start bots that connect to blocking sockets; give these when each bot has said its hello.

    At the end the sockets are closed, and the bots' own ends are waited for.
    """
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=1000))
        env = {**os.environ, "LANISTA_PORT": str(server.getsockname()[1]), "LANISTA_TOKEN": "none"}
        env |= {"LANISTA_HOST": "127.0.0.1", "LANISTA_NAME": "Empty"}
        bots = [subprocess.Popen(words, env=env) for _ in range(count)]
        seats = [stack.enter_context(server.accept()[0]) for _ in bots]
        for seat in seats:
            seat.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while not seat.recv(4096).endswith(b"\n"):
                pass
        yield seats
    for bot in bots:
        bot.wait()


@contextlib.contextmanager
def listening(words, *, program=LANISTA, stderr=subprocess.DEVNULL, **how):
    """Start a command of Lanista that serves; give its process and its port; kill it in the end."""
    with subprocess.Popen(
        [*program, *words], stdout=subprocess.PIPE, stderr=stderr, text=True, **how
    ) as process:
        try:
            yield process, int(process.stdout.readline().rsplit(":", 1)[1])
        finally:
            process.kill()


@contextlib.contextmanager
def arena_of_file(folder, text, **how):
    """Run an arena of a file with this text in a folder; give its process and its port."""
    folder.mkdir(exist_ok=True)
    (folder / "arena.toml").write_text(text)
    with listening(["arena", "run", "arena.toml"], cwd=folder, **how) as (process, port):
        yield process, port
        process.terminate()
        process.wait()


def match_between(game, bot, folder, *, settings=(), watch=None, **spec):
    """Play a match of a bot against itself, with its record; return its report.

    Args:
        game: Its name.
        bot: The words that start the bot.
        folder: Where the record is written.
        settings: Those that aren't the defaults.
        watch: Called with the game at the beginning and after each turn.
        spec: Other parts of `MatchSpec`.
    """

    async def watched(game):
        watch(game)

    ruleset = registry.get(game)
    settings = complete_settings(ruleset, dict(settings))
    match = StartedMatch(
        spec=MatchSpec(ruleset=ruleset, settings=settings, **{"seed": 1, **spec}),
        contestants=[Contestant(name="bench", command=tuple(bot))] * ruleset.seats,
        record_path=lambda id_: Path(folder) / f"{id_}.jsonl.gz",
        watcher=watch and (lambda names: watched),  # noqa: ARG005 - they have one name
    )
    return trio.run(match.play)


def recorded(record, game, *words):
    """Play a match of Lanista's command line into a record."""
    how = ["-s", "7", "--console", "--no-clock", "-o", str(record)]
    subprocess.run([*LANISTA, "play", game, *words, *how], check=True, stdout=subprocess.DEVNULL)
