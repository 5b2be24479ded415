"""Tournaments without matches: blocks whose results follow from their ids, written as workers do.

A bot's `environment` in the spec says how it behaves here: FAKE=crash has it fail every match.
"""

import contextlib
import functools
import hashlib
import secrets
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lanista.competition.director import Director
from lanista.competition.executors import GivenWorkers
from lanista.competition.setup import prepare
from lanista.competition.spec import spec_of
from lanista.competition.standings import format_of
from lanista.competition.stored_blocks import check_identities, settle_seed
from lanista.competition.worker import Block, Finished, Task
from lanista.games.outcome import Ending
from lanista.results.database import Store
from lanista.results.lock import folder_lock
from lanista.results.match_result import BlockResult
from results.samples import match, seat

HOUSE = ("GravityGoers", "RandomRunners", "CamperJoe", "ProfessorRandom")


def setup_in(folder, *, bots=3, seeds=(1, 2, 3, 4), behaviour=None, **more):
    """A round-robin of Angry Mob in a folder, or what `more` says.

    Args:
        folder: Where its results lie.
        bots: How many: A, B, C, …
        seeds: Its seeds.
        behaviour: By bot: the value of FAKE.
        more: Other keys of the spec.
    """
    entries = []
    for number in range(bots):
        name = chr(ord("A") + number)
        entry = {"name": name, "command": HOUSE[number % len(HOUSE)]}
        if behaviour and name in behaviour:
            entry["environment"] = {"FAKE": behaviour[name]}
        entries.append(entry)
    value = {
        "name": "cup",
        "game": "angrymob",
        "format": "round-robin",
        "seeds": list(seeds) if isinstance(seeds, tuple) else seeds,
        "bots": entries,
    }
    return prepare(spec_of({**value, **more}), Path(folder))


def setup_of(folder, *bots, game="angrymob", clock=None, source=None, **more):
    """A tournament of real bots: (name, command) or (name, command, more keys).

    `source`: the file that it is from, if it is from one.
    """
    return prepare(
        spec_of(
            {
                "name": "cup",
                "game": game,
                "format": "round-robin",
                "seeds": [1, 2, 3],
                "settings": {"move_limit": 12} if game == "angrymob" else {},
                "bots": [
                    {"name": name, "command": command, **dict(*keys)}
                    for name, command, *keys in bots
                ],
                "clock": {"time_init": 60.0, "time_move": 60.0, "time_start": 60.0} | (clock or {}),
            }
            | more
        ),
        folder,
        source=source,
    )


def task_of(setup, *drawn, playing=None, bots=None, tells=True):
    """A task of one block an opening, in which the first bots of the setup meet.

    Args:
        setup: The tournament's.
        drawn: The numbers of the openings.
        playing: The folder for records; None where records come back as bytes.
        bots: The names of those who meet, if they aren't the first.
        tells: As in `Task`.
    """
    names = bots or setup.bots[: setup.ruleset.seats]
    blocks = []
    for at in drawn:
        opening = setup.opening(at)
        blocks.append(
            Block(
                id=setup.block_id(names, opening),
                bots=names,
                opening=opening,
                seatings=setup.seatings(names),
            )
        )
    return Task(
        match_setup=setup.match_setup,
        contestants=setup.contestants,
        blocks=tuple(blocks),
        playing=None if playing is None else str(playing),
        tells=tells,
    )


def finished(task, block, *, void=0, stall=0.0, trouble=""):
    """A block as it comes back from a worker, its records written as the task says.

    Args:
        task: Of which it is.
        block: Which.
        void: How many void matches were before the first one that counts.
        stall: Seconds of the longest stall of each match.
        trouble: As `Finished.trouble`; then there are only the void ones.
    """
    matches, records = [], {}
    for number, seating in enumerate(block.seatings):
        for attempt in range(1, void + 2 if number == 0 else 2):
            is_void = number == 0 and attempt <= void
            if trouble and not is_void:
                continue
            name = f"{block.id[:2]}/{block.id}-{number}{f'-void{attempt}' if is_void else ''}.gz"
            content = f"{block.id} {number} {attempt}".encode()
            if task.playing is None:
                records[name] = content
            else:
                written = Path(task.playing) / secrets.token_hex(8)
                written.write_bytes(content)
                records[name] = written.name
            matches.append(_match(task, block, number, attempt, is_void, stall, name, seating))
    result = BlockResult(block=block.id, bots=block.bots, matches=tuple(matches))
    return Finished(result=result, records=records, seconds=0.01, trouble=trouble)


def _match(task, block, number, attempt, is_void, stall, name, seating):
    bots = [block.bots[place] for place in seating]
    digest = hashlib.sha256(f"{block.id} {number}".encode()).hexdigest()
    ranks = [1 + (int(digest[:8], 16) + at) % 3 % 2 for at in range(len(bots))]
    endings = [Ending.VOID if is_void else Ending.NORMAL] * len(bots)
    for at, bot in enumerate(bots):
        if task.contestants[bot].environment.get("FAKE") == "crash" and not is_void:
            endings[at], ranks[at] = Ending.CRASH, len(bots)
            ranks[1 - at] = 1
    seats = [
        seat(bot, rank, ending, words=f"{bot} fell over" if ending is Ending.CRASH else "")
        for bot, rank, ending in zip(bots, ranks, endings, strict=True)
    ]
    return match(
        number,
        *seats,
        attempt=attempt,
        seed=block.opening.seed,
        map=block.opening.map,
        end="void" if is_void else "finished",
        digest=digest[:16],
        stall=stall,
        record=name,
    )


def play(task):
    """Play a task's blocks, all well."""
    return [finished(task, block) for block in task.blocks]


@functools.cache
def _empty_database():
    """Return the content of a database without results: copying it is quicker than making one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        Store.open(path).close()
        return path.read_bytes()


@contextlib.contextmanager
def directing(setup, play_task=play, *, threads=2, workers=None, store=None, **more):
    """A director of a tournament, on threads of this process.

    Args:
        setup: What is played.
        play_task: What plays a task.
        threads: How many tasks at a time.
        workers: In place of those threads.
        store: Wraps the store for the director.
        more: Other arguments of the director.
    """
    if not setup.database.exists():
        setup.database.write_bytes(_empty_database())
    with (
        ThreadPoolExecutor(threads) as pool,
        Store.open(setup.database) as opened,
        opened.lock(),
        folder_lock(setup.records, setup.database),
    ):
        check_identities(setup, opened, accept_changes=False)
        settle_seed(setup, opened, makes=True)
        yield Director(
            setup,
            opened if store is None else store(opened),
            more.pop("format_", None) or format_of(setup),
            workers or GivenWorkers(pool, threads),
            play=play_task,
            **more,
        )


def stored(setup):
    """The blocks in the database of a tournament."""
    with Store.open(setup.database, create=False) as store, store.reading() as now:
        return now.played()


def digests_in(store):
    """Block, seating, digest and ranks of each match that counts: alike if the same was played."""
    with store.reading() as now:
        return sorted(
            (
                one.block,
                one.match.seating,
                one.match.digest,
                [seat.rank for seat in one.match.seats],
            )
            for one in now.matches()
            if one.match.counted
        )


def digests(setup):
    """What must be alike when the same was played."""
    with Store.open(setup.database, create=False) as store:
        return digests_in(store)
