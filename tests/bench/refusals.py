"""What a match costs in which a hundred thousand orders are refused: CPU seconds, record's bytes.

Four bots repeat their orders as the C++ Demo of Hogwarts does. Counted is the processor time of the
process that plays the match, from the first turn to the last and then with the record, not that of
the bots.
"""

import sys
import tempfile
import time
from pathlib import Path

import trio
from measured import keep, median

from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.started_match import StartedMatch
from lanista.match.conditions import Clock, MatchSpec
from lanista.match.record import read_record

BOT = str(Path(__file__).parent / "repeating_bot.py")
RUNS = 3


def measured(folder, seed):
    """CPU seconds of the turns, and of all; bytes of the record; number of refusals."""
    ruleset = registry.get("hogwarts")
    moments = []

    async def watch(game):
        moments.append(time.process_time())

    match = StartedMatch(
        spec=MatchSpec(
            ruleset=ruleset,
            settings=complete_settings(ruleset, {}),
            seed=seed,
            clock=Clock(time_init=0, time_move=0),
        ),
        contestants=[Contestant(name="bench", command=(sys.executable, BOT))] * 4,
        record_path=lambda id_: Path(folder) / f"{id_}.jsonl.gz",
        watcher=lambda names: watch,  # noqa: ARG005 - they have one name
    )
    record = trio.run(match.play).record
    ended = time.process_time()
    counts = read_record(record).result.fault_counts
    refused = sum(seat["illegal"] + seat["ignored"] for seat in counts)
    return moments[-1] - moments[0], ended - moments[0], record.stat().st_size, refused


def main():
    with tempfile.TemporaryDirectory() as folder:
        turns, whole, sizes, refused = zip(
            *(measured(folder, seed) for seed in range(RUNS)), strict=True
        )
    figures = {
        "turns_cpu_s": median(turns),
        "with_record_cpu_s": median(whole),
        "bytes": median(sizes),
        "refused": median(refused),
        "aim": "0.2 s, 150 000 bytes",
    }
    keep("refusals", figures)


if __name__ == "__main__":
    main()
