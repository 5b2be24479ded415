"""A tournament's database on SQLite: storing blocks, and what is read when a tournament goes on.

50,000 blocks of two bots (100,000 matches) among 20. Storing waits for the disk at every
transaction, so it is told beside what the disk itself takes for as many synced writes.
"""

import os
import random
import tempfile
import time
from pathlib import Path

from measured import keep, median

from lanista.match.ending import Ending
from lanista.results.database import Store
from lanista.results.match_result import BlockResult, MatchResult, SeatResult

BLOCKS = 50_000
BOTS = [f"bot{number}" for number in range(20)]
ALONE = 500
"""Blocks that are stored one a transaction."""
BATCH = 50
ROUNDS = 5


def block(number):
    chance = random.Random(number)
    bots = tuple(chance.sample(BOTS, 2))
    return BlockResult(
        block=f"{number:032x}",
        bots=bots,
        seed=chance.getrandbits(64),
        map="",
        matches=tuple(match(number, seating, bots, chance) for seating in (0, 1)),
    )


def match(number, seating, bots, chance):
    ranks = chance.choice([(1, 2), (2, 1), (1, 1)])
    return MatchResult(
        seating=seating,
        attempt=1,
        end="finished",
        reason="capture",
        turns=chance.randrange(20, 200),
        digest=f"{chance.getrandbits(64):016x}",
        seconds=chance.random(),
        stall=chance.random() / 100,
        record=f"{number % 256:02x}/{number:032x}-{seating}.jsonl.gz",
        seats=tuple(
            # One seat of a hundred failed, one of fifty was late somewhere.
            SeatResult(
                bot=bots[(seating + at) % 2],
                rank=rank,
                score=rank,
                ending=Ending.CRASH if chance.random() < 0.01 else Ending.NORMAL,
                late=chance.random() < 0.02,
            )
            for at, rank in enumerate(ranks)
        ),
    )


def took(act):
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def synced_writes(path, count):
    """Seconds for as many appended writes of 4 KiB, each on the disk before the next."""
    with path.open("wb", buffering=0) as file:

        def write():
            for _ in range(count):
                file.write(bytes(4096))
                os.fdatasync(file.fileno())

        return took(write)


def resume(path):
    """All that is read before a tournament goes on."""
    with Store.open(path) as store, store.lock():
        store.identities()
        store.meta("seed")
        store.running_failures(5)
        assert len(store.played()) == BLOCKS


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cup.db"
        blocks = [block(number) for number in range(BLOCKS)]
        rest = BLOCKS - ALONE
        with Store.open(path) as store:
            alone = took(lambda: [store.add([one]) for one in blocks[:ALONE]])
            batched = took(
                lambda: [store.add(blocks[at : at + BATCH]) for at in range(ALONE, BLOCKS, BATCH)]
            )
            # What counting must skip, as after a change of the spec.
            without = {one.block for one in blocks[::10]}
            played = [took(store.played) for _ in range(ROUNDS)]
            endings = [took(store.endings) for _ in range(ROUNDS)]
            fewer = [took(lambda: store.endings(without)) for _ in range(ROUNDS)]
            failures = [took(lambda: list(store.matches(failures=True, limit=50)))]
            digests = [took(store.digests) for _ in range(ROUNDS)]
        keep(
            "store",
            {
                "matches": 2 * BLOCKS,
                "bytes_a_match": round(path.stat().st_size / (2 * BLOCKS)),
                "add_blocks_a_second_alone": round(ALONE / alone),
                "disk_synced_writes_a_second": round(
                    ALONE / synced_writes(Path(folder) / "floor", ALONE)
                ),
                "add_blocks_a_second_batch_of_50": round(rest / batched),
                "played_seconds": median(played),
                "endings_seconds": median(endings),
                "endings_without_a_tenth_seconds": median(fewer),
                "newest_50_failures_seconds": median(failures),
                "digests_seconds": median(digests),
                "resume_seconds": median([took(lambda: resume(path)) for _ in range(ROUNDS)]),
                "aim": "played() under 0.7 s, resume under 1 s",
            },
        )


if __name__ == "__main__":
    main()
