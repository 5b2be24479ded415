"""Writes the golden playthroughs anew: python tests/conformance/rewrite_golden.py

Run it only when games are meant to go otherwise; then the ruleset's `version` changes too, and a
person reads the difference. Which games there are is said here, a few short ones a ruleset that
together come to every kind of end.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # as pytest does

from lanista.games.angrymob.game import AngryMob
from support.angrymob import PAGE
from support.crematoria import GOLDEN as CREMATORIA
from support.golden import FOLDER, GoldenGame, played, write
from support.hogwarts import GOLDEN as HOGWARTS
from support.players import attack, line

PASSAGE = """\
2 4
A . 1 #
# 1 . B
"""


def said(*turns):
    """Answers as written down, turn by turn."""
    return lambda game: turns[game.turn] if game.turn < len(turns) else None


def by(*players):
    """Answers of one player a seat, by a source of chance of their own."""
    pick = random.Random(20_240)

    def answers(game):
        return [line(player(game, seat, pick)) for seat, player in enumerate(players)]

    return answers


def rest(game: AngryMob, seat: int, pick: random.Random) -> list[int]:
    """Does nothing."""
    return []


GAMES = [
    # PROTOCOL.md 6: ends by an illegal move.
    GoldenGame(
        name="angrymob-page",
        game="angrymob",
        seed=0,
        board=PAGE,
        answers=said(["2 1 1 1", "3 5 1 3"], ["1 1 1 0 1 1 1 1", "3 4 2 3"]),
    ),
    GoldenGame(name="angrymob-capture", game="angrymob", seed=-5, answers=by(attack, attack)),
    GoldenGame(
        name="angrymob-move-limit",
        game="angrymob",
        seed=2**63 - 1,
        settings={"move_limit": 40},
        answers=by(attack, rest),
    ),
    # Both lonely units meet in one cell: equal numbers, both are lost.
    GoldenGame(
        name="angrymob-no-units",
        game="angrymob",
        seed=0,
        board="2 3\nA . #\n# . B\n",
        answers=said(["", "1 2 1 2"], ["0 0 1 0", ""], ["0 1 1 3", ""]),
    ),
    # Both step onto the other's base in the same move, past each other.
    GoldenGame(
        name="angrymob-both-captured",
        game="angrymob",
        seed=0,
        board=PASSAGE,
        answers=said(
            ["0 0 1 0", "1 3 1 2"],
            ["0 1 1 3", "1 2 1 1"],
            ["1 1 2 0", "0 2 2 2"],
            ["1 2 2 0", "0 1 2 2"],
        ),
    ),
    GoldenGame(
        name="angrymob-late",
        game="angrymob",
        seed=0,
        board=PASSAGE,
        answers=said(["0 0 1 0", ""], [{"verdict": "late"}, "1 3 1 2"]),
    ),
    GoldenGame(
        name="angrymob-both-at-fault",
        game="angrymob",
        seed=0,
        board=PASSAGE,
        answers=said(["0 0 1 0", ""], ["0 1 1", {"verdict": "missing"}]),
    ),
]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.jsonl"):
        path.unlink()
    for golden in (*GAMES, *CREMATORIA, *HOGWARTS):
        write(FOLDER / f"{golden.name}.jsonl", played(golden))
