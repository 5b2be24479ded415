"""The board worker: the process that makes the boards of an arena's matches from their seeds.

Started by `board_maker` as `python -m lanista.arena.processes.board_worker`. It reads orders from
stdin, one JSON object a line: `{"game": NAME, "settings": {NAME: VALUE}, "seed": SEED}`. It
answers each one on stdout, by four bytes with a length, the highest first, and so many bytes of a
pickled `PreparedBoard`; none if the ruleset failed. The process ends when stdin is closed.
"""

import json
import os
import pickle
import sys
from typing import Any

from lanista.match.boards import prepare_board
from lanista.rules import registry

LENGTH_BYTES = 4
"""The number of bytes that tell the length of an answer."""


def answer_to(order: dict[str, Any]) -> bytes:
    """Return the pickled board, or nothing: the arena tries itself, and reports what is wrong."""
    try:
        ruleset = registry.get(order["game"])
        return pickle.dumps(prepare_board(ruleset, order["settings"], order["seed"]))
    except Exception:  # noqa: BLE001 - the rules, or boards of theirs that can't be pickled
        return b""


def main() -> None:
    """Make boards until stdin ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a ruleset prints must not get into the answers
    for line in sys.stdin.buffer:
        answer = answer_to(json.loads(line))
        answers.write(len(answer).to_bytes(LENGTH_BYTES) + answer)
        answers.flush()


if __name__ == "__main__":
    main()
