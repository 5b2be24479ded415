"""Chance as an argument: the seeded sequence, the shuffle, and the chances for tests."""

import pytest

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.chance import OriginalChance, SeededChance, shuffle
from lanista.games.testing import ScriptedChance, UnexpectedDrawError


def draws(seed, n=10**6, count=6):
    chance = SeededChance(seed)
    return [chance.below(n, "golden") for _ in range(count)]


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (-1, [21825, 338095, 211967, 615125, 919570, 371044]),
        (0, [844421, 757954, 420571, 258916, 511274, 404934]),
        (1, [134364, 847433, 763774, 255069, 495435, 449491]),
        (2**63 - 1, [316644, 631259, 803554, 453463, 476792, 714959]),
        (-(2**63), [553463, 940614, 241994, 851287, 84755, 754027]),
    ],
)
def test_a_seeds_first_draws_are_golden(seed, expected):
    """The same on every machine and Python version; seeds that people wrote down need it."""
    assert expected == draws(seed)


@pytest.mark.parametrize("seed", [1, 2, 2024, 2**62, 2**63 - 1])
def test_a_seed_and_its_negative_differ(seed):
    """Python's own seeding takes the absolute value; seeds are modulo 2^64 first."""
    assert draws(seed) != draws(-seed)


def test_seeds_are_taken_modulo_two_to_the_64():
    """rules/angrymob.md 1: a 64-bit signed seed."""
    assert draws(-1) == draws(2**64 - 1)


def test_draws_are_below_n_and_reach_every_value():
    """From 0 to n - 1; 200 draws below 4 miss a value with a chance of 4 * 0.75^200."""
    assert {0, 1, 2, 3} == set(draws(5, n=4, count=200))
    assert [0] * 20 == draws(5, n=1, count=20)


@pytest.mark.parametrize("n", [0, -3])
def test_a_draw_without_a_possible_value_is_a_mistake(n):
    """The caller's, named by its reason."""
    with pytest.raises(ValueError) as caught:
        SeededChance(0).below(n, "nothing")
    assert f"a draw below {n} (nothing) has no possible value" == str(caught.value)


@pytest.mark.parametrize("count", [0, 1, 5, 1000])
def test_a_leap_does_the_steps_of_so_many_draws(count):
    one, other = OriginalChance(2024), OriginalChance(2024)
    for _ in range(count):
        one.below(7, "any")
    factor, term = OriginalChance.leap(count)
    assert one.state == (factor * other.state + term) % OriginalChance.MODULUS
    other.skip(count)
    assert one.state == other.state


# Shuffle


def test_a_shuffle_swaps_from_the_end():
    """Fisher and Yates, step by step."""
    items = list("abcd")
    # Places 3 and 1: a d c b; 2 and 2: the same; 1 and 0: d a c b.
    shuffle(ScriptedChance([("x", 4, 1), ("x", 3, 2), ("x", 2, 0)]), items, "x")
    assert list("dacb") == items


# The chances for tests


@pytest.mark.parametrize(
    ("n", "why", "words"),
    [
        (9, "row", "a draw below 9 (row); the script says below 10 (row)"),
        (10, "column", "a draw below 10 (column); the script says below 10 (row)"),
    ],
)
def test_a_scripted_chance_fails_on_another_draw(n, why, words):
    """Another number or another reason."""
    with pytest.raises(UnexpectedDrawError) as caught:
        ScriptedChance([("row", 10, 3)]).below(n, why)
    assert words == str(caught.value)


def test_a_scripted_chance_fails_after_its_end():
    """A draw too many is told too."""
    with pytest.raises(UnexpectedDrawError) as caught:
        ScriptedChance([]).below(2, "coin")
    assert str(caught.value) == "a draw below 2 (coin) after the script's end"


# A ruleset's chance


def test_angrymob_draws_only_for_the_map():
    """rules/angrymob.md: no chance after the map is made."""
    board = RULESET.generate({"move_limit": 5}, RULESET.chance(1))
    game = RULESET.new({"move_limit": 5}, board, ScriptedChance([]))
    for _ in range(5):
        game.advance([game.parse(seat, []) for seat in (0, 1)])
    assert game.outcome() is not None
