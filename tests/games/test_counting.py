"""The tests' own ruleset goes as its docstring says: other tests rely on it."""

import pytest

from lanista.games.base import Late, MalformedAnswerError
from support.tinygame import RULESET


def start(rounds=5, seed=0):
    chance = RULESET.chance(seed)
    settings = {"rounds": rounds}
    return RULESET.new(settings, RULESET.generate(settings, chance), chance)


def play(game, *answers):
    game.advance(
        [Late() if tokens is None else game.parse(s, tokens) for s, tokens in enumerate(answers)]
    )


def test_scores_are_sums_and_the_highest_wins():
    """Late says nothing; `a` says the last number again."""
    game = start(rounds=3)
    play(game, [9], [4], [])
    play(game, ["a"], None, ["a"])
    assert game.outcome() is None
    play(game, None, ["a"], [3])
    assert (18, 8, 3) == game.scores()
    assert ((1, 2, 3), "counted") == (game.outcome().ranks, game.outcome().reason)


def test_facts_tell_what_was_said_and_the_status():
    """Nothing is said of a seat that said nothing."""
    game = start()
    play(game, [9], None, [0])
    omen = game.omen
    expected = f"said 0 9\nsaid 2 0\nomen {omen}\nscore 9 0 0\nstatus 0 0.5 -1\n"
    facts = game.facts(0, (0.0, 0.5, -1.0))
    assert expected == facts.decode()
    assert facts is game.facts(2, (0.0, 0.5, -1.0))
    assert facts is not game.facts(2, (0.0, 0.25, -1.0))


def test_what_is_not_allowed_is_ignored_and_the_rest_counts():
    """Numbers outside 0 to 9, and all after the first allowed one."""
    answer = start().parse(0, [10, 7, "a", -1])
    assert answer.orders == 7
    assert (0, 2, 3) == answer.refused


def test_another_letter_is_malformed():
    """Whatever stands before it."""
    with pytest.raises(MalformedAnswerError) as caught:
        start().parse(0, [5, "b"])
    assert caught.value.refusal.index == 1
