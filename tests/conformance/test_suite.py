"""The conformance suite passes what is sound and notices every kind of violation."""

import pytest

from lanista.games import registry
from lanista.games.testing import check_ruleset
from support import broken, broken_pictures  # noqa: F401 - both fill BROKEN
from support.broken import BROKEN
from support.players import PLAYERS, count
from support.tinygame import RULESET

QUICK = {"hogwarts": 19}
"""By ruleset: a seed whose board is generated quickly, since the suite begins about 100 games."""


@pytest.mark.parametrize("name", registry.ours())
def test_every_ruleset_of_ours_conforms(name):
    """With one seed and a fifth of the usual turns; the next test runs the whole suite.

    A new ruleset needs an entry in `support.players`.
    """
    assert name in PLAYERS, f"no player for {name}: add one to tests/support/players.py"
    ruleset = registry.get(name)
    assert name == ruleset.name
    seed = QUICK.get(name, ruleset.seeds[1])
    check_ruleset(ruleset, PLAYERS[name], seeds=[seed], turns=12)


@pytest.mark.long
@pytest.mark.parametrize("name", registry.ours())
def test_every_ruleset_of_ours_conforms_at_full_length(name):
    """The suite passes as an author runs it: four seeds, the ends of the range among them."""
    check_ruleset(registry.get(name), PLAYERS[name])


@pytest.mark.parametrize(
    "ruleset",
    [RULESET, broken.SOUND_WITH_DIALECT, broken.SOUND_WITH_LIMIT],
    ids=["plain", "dialect", "limit"],
)
def test_a_sound_ruleset_of_three_seats_passes(ruleset):
    """Three seats, skipped turns, letters, chance in the match."""
    check_ruleset(ruleset, count, bad_boards=["", "table\n", "table OAK\n", "table oak\n\n"])


@pytest.mark.parametrize(
    ("ruleset", "words"), BROKEN, ids=[f"{at}-{words[:30]}" for at, (_, words) in enumerate(BROKEN)]
)
def test_a_broken_ruleset_is_told_what_it_breaks(ruleset, words):
    """Each variant of Counting breaks one rule; the message names it."""
    with pytest.raises(AssertionError) as caught:
        check_ruleset(ruleset, count)
    assert words in str(caught.value)


def test_a_bad_board_that_is_taken_is_a_violation():
    """`bad_boards` are the tester's own."""
    with pytest.raises(AssertionError) as caught:
        check_ruleset(RULESET, count, bad_boards=["table oak\n"])
    assert str(caught.value).startswith("read_board accepts 'table oak\\n', which isn't a board")


def test_a_seed_out_of_range_is_told():
    """The tester's seeds must be the ruleset's."""
    with pytest.raises(AssertionError, match="seed -1 isn't one of the ruleset's, 0 to 2147483647"):
        check_ruleset(RULESET, count, seeds=[-1])
