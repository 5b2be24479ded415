"""The original's matches come out again byte for byte, from their seeds and order logs alone."""

import pytest

from lanista.games.base import Late
from support.crematoria import (
    TRACE_NAMES,
    answers,
    match_text,
    new_game,
    trace_orders,
    trace_text,
)

SCORES = {
    "01_Demo-Demo-Demo-Demo_s30": (276, 235, 247, 231),
    "02_Null-Null-Null-Null_s1": (39, 33, 36, 34),
    "03_Dummy-Dummy-Dummy-Dummy_s7": (456, 383, 398, 477),
    "05_Dummy-Serox-DFS-alfus_s11": (414, 457, 295, 919),
    "07_DFS-DFSo-DFSv2-Demo_s2024": (1138, 325, 117, 53),
    "08_Alba_v1-Alba_v2-Alba_v3-Alba_v4_s99": (367, 365, 302, 574),
    "10_Null-Demo-Dummy-alfus_s5": (9, 69, 602, 1319),
}


def test_every_trace_is_there():
    assert sorted(SCORES) == list(TRACE_NAMES)


def replayed(name):
    """The game of a trace and its `.res`, played from its file name and its order log."""
    names, seed = name[3:].split("_s")
    game = new_game(int(seed))
    turns = (answers(game, orders) for orders in trace_orders(name))
    return game, "".join(match_text(game, turns, seed=int(seed), names=names.split("-")))


@pytest.mark.parametrize("name", TRACE_NAMES)
def test_a_trace_comes_out_byte_for_byte(name):
    game, text = replayed(name)
    expected = trace_text(name)
    if expected != text:  # the first line that differs says more than two megabytes
        lines = zip(expected.split("\n"), text.split("\n"), strict=False)
        at, line = next((at, pair) for at, pair in enumerate(lines, 1) if pair[0] != pair[1])
        pytest.fail(f"line {at}: expected {line[0]!r}, got {line[1]!r}")
    assert SCORES[name] == game.scores()


def test_no_answer_is_no_orders():
    """A match of four silent players is the one of four that give no orders."""
    name = "02_Null-Null-Null-Null_s1"
    game = new_game(1)
    text = "".join(match_text(game, [[Late()] * 4] * 120, seed=1, names=["Null"] * 4))
    assert trace_text(name) == text


def test_one_order_less_is_another_match():
    """The comparison can fail."""
    name = "01_Demo-Demo-Demo-Demo_s30"
    game = new_game(30)
    turns = [answers(game, trace_orders(name)[0])]
    turns[0][0] = Late()
    text = "".join(match_text(game, turns, seed=30, names=["Demo"] * 4))
    assert not trace_text(name).startswith(text)
