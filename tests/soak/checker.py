"""A process that checks the records of honest matches: python tests/soak/checker.py DATA FILE

FILE is what `honest.py` writes. Writes a line of JSON for each match. Ends after the line `over`.
"""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from lanista.games import registry
from lanista.match.record import BadRecordError, read_record
from lanista.match.replay import MismatchError, verify
from soak.players import alone

PATIENCE = 30.0
"""Seconds from the end that bots are told until the record has its name."""


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a file that is being written, up to `over`."""
    with path.open() as file:
        rest = ""
        while True:
            rest += file.readline()
            if not rest.endswith("\n"):
                time.sleep(0.2)
                continue
            if rest == "over\n":
                return
            yield rest
            rest = ""


def found(data: Path, match: str, until: float) -> Path | None:
    """The record of a match; waits for it."""
    while True:
        for path in data.glob(f"records/*/{match}.jsonl.gz"):
            return path
        if time.monotonic() > until:
            return None
        time.sleep(0.1)


def check(path: Path) -> tuple[str, list[str], list[str]]:
    """How a match ended; what is wrong with it; and what is a stall's fault."""
    record = read_record(path)
    wrong: list[str] = []
    stalls: list[str] = []
    try:
        verify(record, registry.get(record.header.game))
    except MismatchError as error:
        wrong.append(f"replay: {error}")
    end = "none" if record.result is None else record.result.end
    margin = 0.05
    misjudged = False
    for turn in record.turns:
        if set(turn.verdicts) != {"answer"}:
            words = f"turn {turn.turn} was judged {', '.join(turn.verdicts)}, stall {turn.stall:g}"
            misjudged = True
            (stalls if turn.stall > margin else wrong).append(words)
    turns = record.turns[:-1] if end == "void" else record.turns
    if not misjudged or end == "void":
        digests = list(alone(record.header))
        played = [turn.digest for turn in turns]
        if end == "finished" and len(digests) != len(played):
            wrong.append(f"{len(played)} turns; alone it has {len(digests)}")
        for number, (one, other) in enumerate(zip(played, digests, strict=False)):
            if one != other:
                wrong.append(f"turn {number} has digest {one}; alone {other}")
                break
    return end, wrong, stalls


def main() -> None:
    """Check every match as it is told."""
    data, told = Path(sys.argv[1]), Path(sys.argv[2])
    for line in lines_of(told):
        match_told = json.loads(line)
        for match in match_told["matches"]:
            answer = {"at": match_told["at"], "match": match, "told": match_told["ends"]}
            path = found(data, match, match_told["at"] + PATIENCE)
            if path is None:
                answer |= {"end": "none", "wrong": ["it has no record"], "stalls": []}
            else:
                try:
                    end, wrong, stalls = check(path)
                except BadRecordError as error:
                    end, wrong, stalls = "none", [str(error)], []
                if match_told["ends"] not in ([end], []):
                    wrong.append(f"bots were told {match_told['ends']}, the record says {end}")
                answer |= {"end": end, "wrong": wrong, "stalls": stalls}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
