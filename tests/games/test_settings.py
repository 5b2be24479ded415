"""Settings of a ruleset: defaults, unknown names, values out of range."""

import pytest

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import BadBoardError, BadSettingError, Setting, complete_settings
from support.tinygame import CountingRules


def test_settings_that_are_not_given_have_their_defaults():
    """rules/angrymob.md 3: 2400 moves, configurable."""
    assert {"move_limit": 2400} == complete_settings(RULESET, {})


@pytest.mark.parametrize("value", [1, 77, 1_000_000])
def test_a_given_setting_counts(value):
    """Both ends of its range are in it."""
    assert {"move_limit": value} == complete_settings(RULESET, {"move_limit": value})


def test_settings_come_in_the_rulesets_order():
    """The order in which the wire tells them, not that in which they were given."""
    ruleset = CountingRules()
    ruleset.settings = tuple(
        Setting(name=name, default=1, low=0, high=9, help="a letter") for name in "cab"
    )
    assert [("c", 1), ("a", 5), ("b", 7)] == list(
        complete_settings(ruleset, {"b": 7, "a": 5}).items()
    )


@pytest.mark.parametrize("value", [0, -1, 1_000_001])
def test_a_value_out_of_range_is_refused(value):
    """What was wrong, where, and what would be right."""
    with pytest.raises(BadSettingError) as caught:
        complete_settings(RULESET, {"move_limit": value})
    assert f"setting move_limit of Angry Mob is {value}; it must be from 1 to 1000000" == str(
        caught.value
    )


def test_an_unknown_setting_lists_the_known_ones():
    """Never ignored."""
    with pytest.raises(BadSettingError) as caught:
        complete_settings(RULESET, {"rounds": 5})
    assert str(caught.value) == "Angry Mob has no setting 'rounds'; its settings are: move_limit"


def test_an_unknown_setting_of_a_ruleset_without_settings():
    """Says that there are none."""
    ruleset = CountingRules()
    ruleset.settings = ()
    with pytest.raises(BadSettingError) as caught:
        complete_settings(ruleset, {"rounds": 5})
    assert str(caught.value) == "Counting has no setting 'rounds'; its settings are: none"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BadBoardError("too small"), "too small"),
        (BadBoardError("too small", 3), "line 3: too small"),
        (BadBoardError("too small", 3, 7), "line 3, column 7: too small"),
    ],
)
def test_a_bad_board_says_where(error, words):
    """Line and column, from 1, as far as they are known."""
    assert words == str(error)
