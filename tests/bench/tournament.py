"""Tournaments: matches a second, what a match costs beside a floor, big databases.

- Matches a second with trivial bots (a bare C socket, kept from match to match) by concurrency, all
  told: pairing, processes, rules, clock, record, database. Beside it the games a second of
  fastchess, if it is on the PATH, with engines as trivial and games of eight plies. Both also with
  bots that wait a millisecond before each move.
- The manager's and the arena's share of the processor beside the bots'.
- A match from the start of its bots to its record on disk, beside a floor: the same processes
  started, connected, the same lines exchanged through blocking sockets.
- Standings of 100,000 stored matches, and resuming with them.
"""

import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from measured import compiled, connected, keep, median, processor_seconds

sys.path.insert(0, str(Path(__file__).parents[1]))

import lanista_maps
from lanista.competition import run, worker
from lanista.competition.setup import prepare
from lanista.competition.spec import spec_of
from lanista.competition.worker import Block, Task, play_blocks
from lanista.games import registry
from lanista.games.base import Answer, complete_settings
from lanista.games.outcome import Outcome, Termination
from lanista.results.database import Store
from lanista.results.match_result import BlockResult
from results.samples import match, seat
from support.encoders import encoder_of

TURNS = 8
BLOCKS = 200
STARTS = 15
STORED = 100_000
MAP = "meadow"


def spec(command, *, bots=2, seeds=None, **more):
    return {
        "name": "bench",
        "game": "angrymob",
        "format": "round-robin",
        "seeds": {"count": seeds or BLOCKS, "base": 1},
        "maps": [MAP],
        "settings": {"move_limit": TURNS},
        "bots": [{"name": f"bot {number}", "command": command, **more} for number in range(bots)],
    }


def matches_a_second(folder, command, concurrency):
    """The whole of a tournament, by processes."""
    place = Path(tempfile.mkdtemp(dir=folder))
    began = time.perf_counter()
    report = run(spec(command), folder=place, concurrency=concurrency)
    took = time.perf_counter() - began
    assert report.over, report
    return 2 * BLOCKS / took


def fastchess_games_a_second(folder, engine, concurrency, think_ms=0):
    """As many games of eight plies by fastchess; None where it isn't installed."""
    if shutil.which("fastchess") is None:
        return None
    engines = [word for name in "AB" for word in ("-engine", f"cmd={engine}", f"name={name}")]
    began = time.perf_counter()
    subprocess.run(
        [
            *("fastchess", *engines, "-each", "tc=60+1", "-rounds", str(BLOCKS), "-games", "2"),
            # It refuses to play more games at a time than there are cores, unless it is forced to.
            *("-concurrency", str(concurrency), "-force-concurrency"),
            *("-pgnout", "file=games.pgn"),
        ],
        cwd=folder,
        env={**os.environ, "THINK_MS": str(think_ms)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return 2 * BLOCKS / (time.perf_counter() - began)


def shares(folder, command):
    """Seconds of processor time a match: of manager and arena, and of bots with their keepers."""
    place = Path(tempfile.mkdtemp(dir=folder))
    before = processor_seconds()
    with ThreadPoolExecutor(1) as executor:
        report = run(spec(command), folder=place, executor=executor, concurrency=1)
    assert report.over, report
    worker.close()
    return [
        (new - old) / (2 * BLOCKS) for old, new in zip(before, processor_seconds(), strict=True)
    ]


def conversation():
    """What a match of TURNS turns sends to each seat: opening, turns, closing."""
    ruleset = registry.get("angrymob")
    settings = complete_settings(ruleset, {"move_limit": TURNS})
    board = ruleset.read_board(lanista_maps.read("angrymob", MAP))
    game = ruleset.new(settings, board, ruleset.chance(1))
    encoder = encoder_of(ruleset, settings, 1)
    status = (0.0, 0.0)
    told = [[encoder.opening(game, seat, status) for seat in range(2)]]
    for _ in range(TURNS - 1):
        game.advance([Answer(()), Answer(())])
        told.append([encoder.turn(game, seat, status) for seat in range(2)])
    end = Outcome(
        termination=Termination.FINISHED, ranks=(1, 1), scores=(1, 1), reason="move-limit"
    )
    return told, [encoder.closing(game, seat, end, status, keeps=False) for seat in range(2)]


def floor(command, told, last):
    """Seconds to start two bots, exchange a match's lines with them and see them end."""
    began = time.perf_counter()
    with connected(command.split(), 2) as seats:
        for lines in told:
            for seat, line in zip(seats, lines, strict=True):
                seat.sendall(line)
            for seat in seats:
                seat.recv(65536)
        for seat, line in zip(seats, last, strict=True):
            seat.sendall(line)
    return time.perf_counter() - began


def started_match(folder, command):
    """Seconds of a match with bots that are started for it, record on disk."""
    setup = prepare(spec_of(spec(command, restart=True)), Path(folder))
    names = setup.bots
    opening = setup.opening(0)
    task = Task(
        match_setup=setup.match_setup,
        contestants=setup.contestants,
        blocks=(
            Block(
                id=setup.block_id(names, opening),
                bots=names,
                opening=opening,
                seatings=setup.seatings(names)[:1],
            ),
        ),
        playing=str(folder),
    )
    began = time.perf_counter()
    [finished] = play_blocks(task)
    assert not finished.trouble
    return time.perf_counter() - began


def stored(folder):
    """A database of STORED matches between 20 bots; its spec."""
    bots = 20
    seeds = STORED // (bots * (bots - 1))
    value = spec("CamperJoe", bots=bots, seeds=seeds + 1)
    setup = prepare(spec_of(value), Path(folder))
    chance = random.Random(1)
    strength = {name: chance.gauss(0, 1) for name in setup.bots}

    def played(opening, names, seating):
        gap = strength[names[0]] - strength[names[1]] + chance.gauss(0, 1)
        ranks = (1, 1) if abs(gap) < 0.3 else (1, 2) if gap > 0 else (2, 1)
        seats = [seat(name, rank, score=3) for name, rank in zip(names, ranks, strict=True)]
        seats = seats if seating == 0 else seats[::-1]
        return match(seating, *seats, seed=opening.seed, map=opening.map, record=None)

    results = [
        BlockResult(
            block=setup.block_id(names, opening),
            bots=names,
            matches=tuple(played(opening, names, seating) for seating in range(2)),
        )
        for opening in map(setup.opening, range(seeds + 1))
        for names in itertools.combinations(sorted(setup.bots), 2)  # as the format has them
    ]
    del results[-1]  # is left to be played
    with Store.open(setup.database) as store:
        for at in range(0, len(results), 1000):
            store.add(results[at : at + 1000])
    return value, 2 * len(results)


STANDINGS = """
import json, sys, time
from pathlib import Path
from lanista.results.database import Store
from lanista.competition import standings_of
from lanista.competition.setup import prepare
from lanista.competition.spec import spec_of
began = time.perf_counter()
setup = prepare(spec_of(json.loads(sys.argv[1])), Path(sys.argv[2]))
with Store.open(setup.database, create=False) as store:
    standings = standings_of(setup, store)
print(time.perf_counter() - began, standings.matches)
"""
"""In a process of its own, as the command line does it; without the interpreter's start."""


def standings_of_stored(folder, value, matches):
    """Seconds from the spec to the standings."""
    done = subprocess.run(
        [sys.executable, "-c", STANDINGS, json.dumps(value), str(folder)],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    seconds, counted = done.stdout.split()
    assert int(counted) == matches, done.stdout
    return float(seconds)


def resume(folder, value):
    """Seconds from `run` until all that is stored is known again, and the first block goes out."""
    moments = []
    began = time.perf_counter()
    with ThreadPoolExecutor(1) as executor:
        run(
            value,
            folder=folder,
            executor=executor,
            concurrency=1,
            on_event=lambda _: moments.append(time.perf_counter()),
        )
    worker.close()
    return moments[0] - began


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command, engine = f"{compiled(folder)} angrymob", compiled(folder, "knights")
        rates, rivals = {0: {}, 1: {}}, {0: {}, 1: {}}  # by the milliseconds of thinking
        for think_ms, concurrency in itertools.product(rates, (1, 2, 4)):
            # In turns, so that a machine that changes its speed does so for both.
            ours, theirs = zip(
                *(
                    (
                        matches_a_second(folder, f"env THINK_MS={think_ms} {command}", concurrency),
                        fastchess_games_a_second(folder, engine, concurrency, think_ms),
                    )
                    for _ in range(3)
                ),
                strict=True,
            )
            rates[think_ms][concurrency] = median(ours)
            rivals[think_ms][concurrency] = None if None in theirs else median(theirs)
        if shutil.which("fastchess") is None:
            print("fastchess isn't on the PATH: it wasn't measured")
        ours, bots = shares(folder, command)
        told, last = conversation()
        rows = [(floor(command, told, last), started_match(folder, command)) for _ in range(STARTS)]
        value, matches = stored(folder)
        shutil.copy(folder / "bench.db", folder / "kept.db")
        standings = median([standings_of_stored(folder, value, matches) for _ in range(5)])
        resumed = []
        for _ in range(3):
            shutil.copy(folder / "kept.db", folder / "bench.db")
            resumed.append(resume(folder, value))
        keep(
            "tournament",
            {
                "matches_a_second_by_concurrency": rates[0],
                "fastchess_games_a_second_by_concurrency": rivals[0],
                "matches_a_second_thinking_1_ms": rates[1],
                "fastchess_games_a_second_thinking_1_ms": rivals[1],
                "cpu_ms_a_match_manager_and_arena": round(1000 * ours, 2),
                "cpu_ms_a_match_bots": round(1000 * bots, 2),
                "floor_ms_a_started_match": round(1000 * median([low for low, _ in rows]), 1),
                "ms_a_started_match": round(1000 * median([took for _, took in rows]), 1),
                "ratio": median([took / low for low, took in rows]),
                "stored_matches": matches,
                "standings_s": standings,
                "resume_s": median(resumed),
            },
        )


if __name__ == "__main__":
    main()
