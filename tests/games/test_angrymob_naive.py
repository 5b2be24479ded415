"""Angry Mob against a second, naive implementation, and what must hold in any game of it."""

from random import Random

import pytest
from hypothesis import given

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import Answer, complete_settings
from support.angrymob import SEEDS, Watcher, maps, orders, start
from support.golden import FOLDER, begun, read, verdict
from support.naive_angrymob import NaiveAngryMob
from support.players import attack, wander

MOVES = 25
"""Of a random game, at most."""


def naive_of(text, move_limit=2400):
    return NaiveAngryMob([line.split() for line in text.splitlines()[1:]], move_limit)


def assert_same(naive, watcher):
    """Units, neutral units, score and outcome, as a bot is told them."""
    game = watcher.game
    assert (naive.count(0), naive.count(1)) == watcher.units
    assert naive.neutral == watcher.neutral
    assert naive.scores == game.scores()
    outcome = game.outcome()
    if naive.ended is None:
        assert outcome is None
        return
    assert naive.ended == outcome.reason
    assert ("forfeit" if naive.ended == "forfeit" else "finished") == outcome.termination.value
    assert naive.ranks == outcome.ranks
    assert naive.scores == outcome.scores


def both_play(game, naive, watcher, moves):
    """One move in both implementations; the first illegal submove is the same."""
    answers = [game.parse(seat, numbers) for seat, numbers in enumerate(moves)]
    for seat, (answer, numbers) in enumerate(zip(answers, moves, strict=True)):
        plan = naive.journeys(seat, numbers)
        expected = None if isinstance(plan, dict) else plan
        assert expected == next(iter(answer.refused), None)
    game.advance(answers)
    naive.move(*moves)
    if game.outcome() is None or game.outcome().reason != "forfeit":
        watcher.look()
        assert naive.scores == tuple(watcher.totals[seat] for seat in (0, 1))
    assert_same(naive, watcher)


@given(maps(), SEEDS)
def test_any_game_goes_as_the_naive_one(text, seed):
    """rules/angrymob.md 2 to 4, whatever the map and the moves are."""
    game, naive = start(text, move_limit=MOVES), naive_of(text, MOVES)
    watcher, pick = Watcher(game), Random(seed)
    assert_same(naive, watcher)
    for _ in range(MOVES):
        moves = [orders(game, seat, watcher.units[seat], pick) for seat in (0, 1)]
        both_play(game, naive, watcher, moves)
        if game.outcome() is not None:
            break


@pytest.mark.parametrize("seed", [-7, 3, 11])
def test_games_on_generated_maps_go_as_the_naive_ones(seed):
    """Maps as they are played on, up to 200 moves."""
    settings = complete_settings(RULESET, {"move_limit": 200})
    board = RULESET.generate(settings, RULESET.chance(seed))
    game = RULESET.new(settings, board, RULESET.chance(seed))
    naive = naive_of(RULESET.write_board(board), 200)
    watcher, pick = Watcher(game), Random(seed)
    while game.outcome() is None:
        player = attack if game.turn % 50 > 40 else wander
        both_play(game, naive, watcher, [player(game, seat, pick) for seat in (0, 1)])
    assert game.turn > 20


@pytest.mark.parametrize("path", sorted(FOLDER.glob("angrymob-*")), ids=lambda path: path.stem)
def test_golden_games_go_as_the_naive_ones(path):
    """The golden files weren't only written by what they are to test."""
    lines = read(path)
    game = begun(lines[0])
    naive = naive_of("\n".join(lines[0]["board"]), lines[0]["settings"]["move_limit"])
    for line in lines[1:-1]:
        verdicts = [verdict(game, seat, raw) for seat, raw in enumerate(line["answers"])]
        naive.move(*(v.orders if isinstance(v, Answer) else None for v in verdicts))
    outcome = lines[-1]["outcome"]
    assert outcome["reason"] == naive.ended
    assert outcome["ranks"] == list(naive.ranks)
    assert outcome["scores"] == list(naive.scores)
