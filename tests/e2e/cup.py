"""A small tournament of three house bots: its spec in a folder, its process, its outcome."""

import json

from e2e.running import Lanista
from lanista.competition import load, standings_of
from lanista.results.database import Store
from support.processes import argv_of, processes_in
from support.tournament import digests_in

PAIRS = 3
"""Blocks of each seed: every bot meets every other."""
HOUSE = {"Joe": "CamperJoe", "Gravity": "GravityGoers", "Random": "RandomRunners"}
"""Command lines by name."""
SPEC = """\
name = "cup"
game = "angrymob"
format = "round-robin"
seeds = {seeds}
settings = {{ move_limit = 8 }}
concurrency = {concurrency}
{more}
# No answer is late, however busy the machine is, so that the same matches have the same digests.
clock = {{ time_init = 60.0, time_move = 60.0, time_start = 60.0, stall_margin = 60.0 }}
bots = [{bots}]
"""


def write_cup(folder, *, seeds, bots=HOUSE, concurrency=1, more=""):
    """Write the spec `cup.toml` into a folder, which is made if need be; return its path.

    Args:
        folder: The folder.
        seeds: How many, or a list of them.
        bots: Command lines by name.
        concurrency: How many blocks are played at once.
        more: Other lines of the spec.
    """
    if isinstance(seeds, int):
        seeds = f"{{ count = {seeds}, base = 7 }}"
    entries = ", ".join(
        f"{{ name = {json.dumps(name)}, command = {json.dumps(command)} }}"
        for name, command in bots.items()
    )
    text = SPEC.format(seeds=seeds, concurrency=concurrency, more=more, bots=entries)
    folder.mkdir(parents=True, exist_ok=True)
    spec = folder / "cup.toml"
    spec.write_text(text)
    return spec


def start_cup(folder):
    """Start `lanista tournament run --json` in the folder of the spec; return the process."""
    return Lanista(["tournament", "run", "cup.toml", "--json"], folder)


def blocks_printed(run):
    """Return how many blocks a run with `--json` has reported so far."""
    return run.out.count('"event": "block-done"')


def workers_of_cup(folder):
    """Return the worker processes of the run in a folder."""
    return [
        pid
        for pid in processes_in(folder)
        if any("multiprocessing.spawn" in word for word in argv_of(pid))
    ]


def outcome(spec):
    """Return all that must be the same when a tournament is repeated: digests and standings."""
    setup = load(spec)
    with Store.open(setup.database, create=False) as store:
        return digests_in(store), standings_of(setup, store)
