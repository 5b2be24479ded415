"""The seed, map and settings of a match are checked before it begins."""

import pytest

from lanista.hosting.inputs import checked_setup
from support import tinygame


def raising(*_):
    raise RuntimeError("the rules are broken here")


@pytest.mark.parametrize(
    ("write_board", "error"), [(raising, RuntimeError), (lambda *_: b"table oak\n", AssertionError)]
)
def test_a_map_that_its_game_cannot_write_is_told_before_a_match(write_board, error):
    """An arena with several processes left no record of a match on it, nor the trace."""
    rules = type("BrokenRules", (tinygame.CountingRules,), {"write_board": write_board})()

    assert "oak" == checked_setup(tinygame.RULESET, "table oak\n", {})[1]
    with pytest.raises(error):
        checked_setup(rules, "table oak\n", {})
