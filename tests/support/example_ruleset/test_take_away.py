"""Take-away conforms to what the arena relies on, and keeps its own rules."""

from random import Random

from take_away import RULESET, TakeAway

from lanista.games.base import Late
from lanista.games.testing import check_ruleset


def player(game: TakeAway, seat: int, pick: Random) -> list[int]:
    """Return a plausible answer; some answers are refused."""
    return [pick.randint(0, 4)]


def test_it_conforms():
    """It passes Lanista's own conformance suite."""
    check_ruleset(RULESET, player, bad_boards=["", "heap 0\n", "heap 100\n", "heap 5\n\n"])


def test_whoever_takes_the_last_stone_wins():
    """A player that is late takes one stone; here the other one then takes the last three."""
    game = TakeAway(4, 3)
    game.advance([Late(), game.parse(1, [])])
    game.advance([game.parse(0, []), game.parse(1, [3])])
    assert (0, (2, 1)) == (game.heap, game.outcome().ranks)
