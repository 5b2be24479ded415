"""A policy that was trained in an environment, as a bot of a match."""

from collections.abc import Callable
from typing import Any

from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.arrays import Encoder, Mask, Moves, Observation, check_action, encoder_of
from lanista.games.base import complete_settings
from lanista_client import Arena, State

Policy = Callable[[Observation, Mask], Any]
"""Returns the action for an observation, given the mask of what is possible: a row per thing."""


class PolicyBot:
    """A bot that plays by a policy.

    Args:
        policy: Gets an observation and its mask, as one array; returns an action.
        size: For Angry Mob, the rows and columns of the arrays, as in training.

    Raises:
        BadInputError: There is no such game, or its arrays can't have that size.
    """

    def __init__(self, policy: Policy, game: str, *, size: tuple[int, int] | None = None) -> None:
        if not callable(policy):
            raise BadInputError(f"policy {policy!r:.200}; expected a function")
        encoder_of(game, complete_settings(registry.get(game), {}), size)  # whether it is there
        self._policy, self._game, self._size = policy, game, size
        self._encoder: tuple[dict[str, int], Encoder] | None = None  # with the settings it is for

    def moves(self, state: State) -> Moves:
        """Return the submoves of a turn, as for `Arena.send`.

        Raises:
            BadInputError: What the policy returned is no action, or the state is of another game.
        """
        game = getattr(state, "game", None)
        if game != self._game:
            what = f"of {game}" if game else repr(state)[:200]
            raise BadInputError(f"state {what}; the policy plays {self._game}")
        rules = state.to_game(seed=0).rules
        settings = {name: int(value) for name, value in state.settings.items()}
        if self._encoder is None or self._encoder[0] != settings:
            self._encoder = settings, encoder_of(self._game, settings, self._size)
        encoder = self._encoder[1]
        [mask] = encoder.masks(rules, [state.seat])
        [observation] = encoder.observe(rules, [state.seat])
        action = check_action(encoder, self._policy(observation, mask.copy()), "the policy's")
        return encoder.moves(rules, state.seat, mask, action)

    def play(self, name: str | None = None, **options: Any) -> Any:
        """Play over TCP and return how the last match ended; the options are those of `Arena`."""
        with Arena(name, game=self._game, **options) as arena:
            for state in arena:
                arena.send(self.moves(state))
        return arena.result


as_bot = PolicyBot
