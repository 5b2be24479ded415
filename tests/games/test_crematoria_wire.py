"""The facts of a match (PROTOCOL.md 5)."""

from support.crematoria import game_at, some_game

START_KEYWORDS = ["size", "elevator", "row"]
TURN_KEYWORDS = ["own", "gem", "unit", "sun", "cells", "gems", "score"]


def lines_of(facts):
    return facts.decode().splitlines()


def keywords(lines):
    return list(dict.fromkeys(line.split()[0] for line in lines))


def test_the_start():
    lines = lines_of(some_game().facts_at_start(0))
    assert START_KEYWORDS == keywords(lines)
    assert ["size 40 80", "elevator 3 70", "elevator 9 9", "row 0 R" + "C" * 79] == lines[:4]
    assert 1 + 2 + 40 == len(lines)
    assert f"row 9 {'C' * 9}E{'C' * 70}" in lines


def test_a_turn():
    lines = lines_of(some_game().facts(0))
    assert TURN_KEYWORDS == keywords(lines)
    assert "own 0 R2" + "C" * 78 == lines[0]
    assert ["gem 2 79", "gem 8 3"] == [line for line in lines if line.startswith("gem ")]
    units = [line for line in lines if line.startswith("unit ")]
    assert 16 + 2 + 2 == len(units)  # living ones
    assert "unit 0 f 0 100 -1 9 9 1" == units[0]
    assert "unit 2 p 0 33 -1 7 7 0" == units[2]
    assert ["unit 16 n -1 75 2 5 50 1", "unit 17 n -1 75 0 6 50 1"] == units[16:18]
    assert "unit 19 h -1 -1 -1 20 20 0" == units[18]
    assert ["sun 46", "cells 0 0 1 0", "gems 0 0 0 0", "score 0 0 1 0"] == lines[-4:]


def test_the_sun_wraps():
    games = [game_at({}, turn=turn) for turn in (0, 19, 20, 119)]
    assert ["sun 40", "sun 78", "sun 0", "sun 38"] == [
        line for game in games for line in lines_of(game.facts(0)) if line[:4] == "sun "
    ]
