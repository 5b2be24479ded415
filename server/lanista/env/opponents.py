"""House bots that take seats of an environment's game, without processes and sockets."""

import importlib
from collections.abc import Mapping
from typing import Any

from lanista.errors import BadInputError, did_you_mean
from lanista.games import registry
from lanista.library.game import Game, Moves
from lanista.match.encoder import seat_seed


class Opponents:
    """The house bots of a game's seats; each game that begins gets new ones."""

    def __init__(self, game: str, names: Mapping[int, str]) -> None:
        """Load the bots.

        Raises:
            BadInputError: The game has no house bot of such a name.
        """
        self.names = names
        """The bots' names, by seat."""
        known = registry.house_bots(game)
        for name in names.values():
            if name not in tuple(known):  # which takes what can't be hashed, too
                raise BadInputError(
                    f"opponents: {game} has no house bot {name!r:.200}; they are {', '.join(known)}"
                    f"{did_you_mean(str(name), known)}"
                )
        self._classes = {
            seat: getattr(importlib.import_module(known[name]), name)
            for seat, name in names.items()
        }
        self._bots: dict[int, Any] = {}

    def begin(self, game: Game, seed: int) -> None:
        """Make the bots of a game before its first turn; they draw as in a match of this seed."""
        for seat, kind in self._classes.items():
            state = game.state(seat)
            state.seed = seat_seed(game.name, seed, seat)
            self._bots[seat] = kind(state)

    def answers(self, game: Game) -> dict[int, Moves]:
        """Return the bots' submoves of this turn, by seat."""
        return {seat: bot.moves(game.state(seat)) for seat, bot in self._bots.items()}
