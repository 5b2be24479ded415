"""Live ratings, by which opponents are chosen: openskill's, which are cheap to update.

The ratings of the standings are computed elsewhere, from all results together.
"""

from collections.abc import Sequence

from openskill.models import PlackettLuce, PlackettLuceRating


class LiveRatings:
    """The live ratings of bots; a bot without any result has the initial one."""

    def __init__(self) -> None:
        self._model = PlackettLuce()
        self._initial = self._model.rating()
        self._ratings: dict[str, PlackettLuceRating] = {}

    def rate(self, bots: Sequence[str], ranks: Sequence[int]) -> None:
        """Update the ratings of these bots by one result, which takes about 70 µs.

        Args:
            bots: The bots' names.
            ranks: Their ranks; the lowest is the best, equal ranks are ties.
        """
        # Each bot needs an object of its own, as openskill changes copies of them in place.
        teams = [[self._ratings.get(bot) or self._model.rating()] for bot in bots]
        for bot, (rating,) in zip(bots, self._model.rate(teams, list(ranks)), strict=True):
            self._ratings[bot] = rating

    def skill(self, bot: str) -> float:
        """Return the mean of a bot's rating; bots of similar strength have similar skills."""
        return self._ratings.get(bot, self._initial).mu

    def ordinal(self, bot: str) -> float:
        """Return the mean less three standard errors, so a bot that has played little ranks low."""
        return self._ratings.get(bot, self._initial).ordinal()
