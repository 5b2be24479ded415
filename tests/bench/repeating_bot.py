"""A bot that decides again for each of its wizards what all of them do, as the original Demo."""

import sys

from lanista.games.hogwarts.house_bots.demo import Demo
from lanista.games.house_bot import play


class Repeating(Demo):
    """Nine in ten of its orders are refused: second ones."""

    def moves(self, state):
        """Return the orders of a round, the ghost's spell last."""
        rounds = [super(Repeating, self).moves(state) for _ in state.wizards(state.me)]
        spell = [order for order in super().moves(state) if order[0] == "s"]
        return [order for orders in rounds for order in orders if order[0] == "m"] + spell


if __name__ == "__main__":
    sys.exit(play("Repeating", "hogwarts", Repeating))
