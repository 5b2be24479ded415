"""Angry Mob for tests: games from text, moves from text, positions as a bot knows them."""

from collections.abc import Mapping
from random import Random

import attrs
from hypothesis import strategies as st

from lanista.games.angrymob.game import AngryMob
from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import Refusal, Verdict, complete_settings
from support import golden

PAGE = """\
6 7
. 1 . . # # 2
# 1 1 . 3 . 1
. A . # # . .
. . # # . B .
1 . 3 . 1 1 #
2 # # . . 1 .
"""
"""The map of PROTOCOL.md 6, as player 0 gets it."""

Cells = dict[tuple[int, int], int]
"""A number by (row, column)."""


def start(text: str, **settings: int) -> AngryMob:
    """A new game on a map."""
    chance = RULESET.chance(0)
    return RULESET.new(complete_settings(RULESET, settings), RULESET.read_board(text), chance)


def at(
    text: str, first: Mapping[tuple[int, int], int], second: Mapping[tuple[int, int], int]
) -> AngryMob:
    """A game on a map in the middle of which the players' units stand as given."""
    game = start(text)
    for units, given in zip(game.units, (first, second), strict=True):
        units.clear()
        units.update({row * game.board.cols + col: count for (row, col), count in given.items()})
    return game


def verdict(game: AngryMob, seat: int, line: str | None) -> Verdict:
    """What the runner says of a line; None: none came in time."""
    return golden.verdict(game, seat, {"verdict": "late"} if line is None else line)


def play(game: AngryMob, first: str | None, second: str | None) -> None:
    """One move of both."""
    game.advance([verdict(game, seat, line) for seat, line in enumerate((first, second))])


def refused(game: AngryMob, line: str, seat: int = 0) -> Refusal | None:
    """Why a line is illegal, or None."""
    tokens = [int(word) for word in line.split()]
    reasons = game.parse(seat, tokens).refusals()
    return reasons[0] if reasons else None


@attrs.define
class Watcher:
    """What a bot knows that reads every fact and remembers (PROTOCOL.md 5)."""

    game: AngryMob
    bases: Cells = attrs.field(factory=dict)
    neutral: Cells = attrs.field(factory=dict)
    units: tuple[Cells, Cells] = attrs.field(factory=lambda: ({}, {}))
    totals: dict[int, int] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for words in _lines(self.game.facts_at_start(0)):
            if words[0] == "row":
                for col, token in enumerate(words[2:]):
                    if token.isdigit():
                        self.neutral[int(words[1]), col] = int(token)
        self.look()

    def look(self) -> None:
        """Read this turn's facts."""
        self.units = ({}, {})
        for keyword, *words in _lines(self.game.facts(0)):
            numbers = [int(word) for word in words]
            match keyword, numbers:
                case "unit", [row, col, seat, count]:
                    self.units[seat][row, col] = count
                case "neutral", [row, col, 0]:
                    del self.neutral[row, col]
                case "total", [seat, count]:
                    self.totals[seat] = count
                case "moved", _:
                    pass
                case _:
                    raise AssertionError(f"strange fact: {keyword} {words}")


def _lines(facts: bytes) -> list[list[str]]:
    return [line.split(" ") for line in facts.decode().splitlines()]


def units(game: AngryMob) -> tuple[Cells, Cells]:
    """The players' units, by seat."""
    return Watcher(game).units


def neutral(game: AngryMob, row: int, col: int) -> int:
    """Neutral units of a cell, also of one where a player's stand."""
    return game.neutral[row * game.board.cols + col]


# Random maps and moves

SEEDS = st.integers(0, 2**32)
"""For the random moves of a game."""


@st.composite
def maps(draw: st.DrawFn) -> str:
    """Small maps of all kinds: symmetrical, with a path between the bases."""
    rows, cols = draw(st.integers(2, 5)), draw(st.integers(2, 6))
    last = rows * cols - 1
    kinds = draw(st.sampled_from(["..", "...1", ".#", "...#1259", "123456789", "#8"]))
    half = draw(st.lists(st.sampled_from(kinds), min_size=last // 2 + 1, max_size=last // 2 + 1))
    cells = [half[min(cell, last - cell)] for cell in range(last + 1)]
    base = draw(st.integers(0, (last - 1) // 2))
    row, col = divmod(base, cols)
    # A way along the row, then along the column; its mirror image is a way too.
    way = [(row, j) for j in range(min(col, cols - 1 - col), max(col, cols - 1 - col) + 1)]
    way += [(i, cols - 1 - col) for i in range(min(row, rows - 1 - row), rows - row)]
    for i, j in way:
        for cell in (i * cols + j, last - (i * cols + j)):
            if cells[cell] == "#":
                cells[cell] = "."
    letters = draw(st.permutations("AB"))
    cells[base], cells[last - base] = letters
    lines = [" ".join(cells[start : start + cols]) for start in range(0, last + 1, cols)]
    return "\n".join([f"{rows} {cols}", *lines, ""])


def orders(game: AngryMob, seat: int, own: Cells, pick: Random) -> list[int]:
    """Some move of a seat: legal, but for one in 60 with four numbers that may mean anything."""
    board, numbers = game.board, []
    near = board.neighbours()
    steps = board.distances(board.bases[1 - seat])
    goal = pick.random() < 0.3  # all go for the opponent's base, or wherever they like
    for (row, col), count in own.items():
        ways = [d for d, to in enumerate(near[row * board.cols + col]) if to >= 0]
        ways.sort(key=lambda d: steps[near[row * board.cols + col][d]])
        left = count
        while left and pick.random() < 0.7:
            sent = left if pick.random() < 0.4 else pick.randint(1, left)
            numbers += [row, col, sent, ways[0] if goal else pick.choice(ways)]
            left -= sent
    if pick.random() < 1 / 60:
        numbers += [pick.randint(-1, 6), pick.randint(-1, 6), pick.randint(-1, 9), 0]
        numbers[-1] = pick.randint(-1, 4)
    return numbers
