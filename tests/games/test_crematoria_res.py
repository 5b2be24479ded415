"""Match files of Crematoria (docs/rules/crematoria.md 8): written and read; order logs."""

import re

import pytest

from lanista.games.base import FormatError, Late
from support.crematoria import match_text, new_game, read_orders, read_res

SHORT = "".join(match_text(new_game(5, {"nb_rounds": 3}), [[Late()] * 4] * 3, seed=5, names="abcd"))
"""A match of three rounds: header of 19 lines, then the first position."""


@pytest.mark.parametrize(
    ("pattern", "new", "words"),
    [
        (r"^Game", "Gamex", "expected `Game` or `SecGame`, got 'Gamex'"),
        (r"^Crematoria 1.2", "Crematoria 1.1", "expected `1.2`, got '1.1'"),
        (r"^R{80}$", "R" * 79, "row 0 of level 0 (underground) has 79 cells"),
        (r"^O{80}$", "O" * 79 + "C", "unknown cell 'C' in row 0 of level 1 (outside)"),
        (r"^round 1$", "round 2", "expected the round, 1, got 2"),
        (r"^nb_cells .*", "nb_cells 1 1 1", "expected cells of a player, a whole number"),
        (r"^nb_gems .*", "nb_gems 0 0 0 -1", "expected gems of a player, at least 0, got -1"),
        (r"^status .*", "status 0 0 0 1.5", "expected a player's status, -1 or a share"),
        (r"^f 0 100 -1", "f 4 100 -1", "expected the player of unit 0, from 0 to 3, got 4"),
        (r"^f 0 100 -1", "f 0 100 0", "expected the turns of unit 0, -1, got 0"),
        (r"^(f 0 100 -1) \d+", r"\1 40", "expected the row of unit 0, from -1 to 39, got 40"),
        (r"^(f 0 100 -1) .*", r"\1 1 1 2", "expected the level of unit 0, from -1 to 1, got 2"),
        (r"^(f 0 100 -1) .*", r"\1 1 -1 0", "expected a position on the board, for unit 0"),
        (r"^n -1 0 -1 -1 -1 -1", "n -1 0 -1 3 3 1", "expected nowhere, -1 -1 -1, for unit 80"),
        (r"^n -1 0 -1", "n -1 0 3", "expected the turns of unit 80, from -1 to 2, got 3"),
        (r"^h -1 -1", "h -1 0", "expected the health of unit 90, -1, got 0"),
        (r"^90 (\w)", r"93 \1", "expected a unit's id, or -1 after the last movement, from -1 to"),
        (r"^90 \w", "90 q", "expected the direction of unit 90, one of `bwrxtylzudn`, got 'q'"),
    ],
)
def test_what_is_refused(pattern, new, words):
    """The place and what was expected."""
    before = SHORT[: re.search(pattern, SHORT, re.MULTILINE).start()]
    line = before.count("\n") + 1
    if new == "nb_cells 1 1 1":  # a word is missing: the one found instead is in the next line
        line += 1
    with pytest.raises(FormatError) as caught:
        read_res(re.sub(pattern, new, SHORT, count=1, flags=re.MULTILINE))
    place, _, problem = str(caught.value).partition(": ")
    assert re.fullmatch(rf"line {line}, column \d+", place)
    assert problem.startswith(words)


# Order logs


LOG = "R 0 P 0 Q 2\n5 0\n6 10\nR 0 P 1 Q 0\nR 0 P 2 Q 3\n20 9\nR 0 P 3 Q 0\n"


def test_an_order_log():
    assert [[[5, 0, 6, 10], [], [20, 9], []]] == read_orders(LOG)
    assert [] == read_orders("")
