"""What a match costs in which a hundred thousand orders are refused: CPU seconds, record's bytes.

Four bots repeat their orders as the C++ Demo of Hogwarts does. Counted is the processor time of the
process that plays the match, from the first turn to the last and then with the record, not that of
the bots.
"""

import sys
import tempfile
import time
from pathlib import Path

from measured import keep, match_between, median

from lanista.match.conditions import Clock
from lanista.match.record import read_record

BOT = sys.executable, str(Path(__file__).parent / "repeating_bot.py")
RUNS = 3


def measured(folder, seed):
    """CPU seconds of the turns, and of all; bytes of the record; number of refusals."""
    moments = []
    record = match_between(
        *("hogwarts", BOT, folder),
        seed=seed,
        clock=Clock(time_init=0, time_move=0),
        watch=lambda _: moments.append(time.process_time()),
    ).record
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
