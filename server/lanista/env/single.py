"""A game as a Gymnasium environment of one seat, against house bots in the others."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from lanista.env.parallel import LanistaEnv, Seen
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.arrays import Cells
from lanista.games.base import whole_number


class SeatEnv(gymnasium.Env[Any, Any]):
    """A Gymnasium `Env` of one seat of a game.

    Args:
        opponents: The house bots of the other seats, in their order, or one for all of them.
        options: Those of `parallel_env`, `opponents` apart.
    """

    def __init__(
        self, game: str, opponents: str | Sequence[str], *, seat: int = 0, **options: Any
    ) -> None:
        seats = registry.get(game).seats
        whole_number("seat", seat, 0, seats - 1)
        if not isinstance(opponents, Sequence):
            raise BadInputError(f"opponents {opponents!r:.200}; expected names of house bots")
        names = [opponents] * (seats - 1) if isinstance(opponents, str) else list(opponents)
        if len(names) != seats - 1:
            raise BadInputError(
                f"{len(names)} opponents; {game} takes {seats - 1}, or one name for all of them"
            )
        others = [f"seat_{other}" for other in range(seats) if other != seat]
        self.parallel = LanistaEnv(game, opponents=dict(zip(others, names, strict=True)), **options)
        """The environment of the whole game, in which the seat is the only agent."""
        self.metadata = self.parallel.metadata
        self.render_mode = self.parallel.render_mode
        self._agent = f"seat_{seat}"
        self.observation_space = self.parallel.observation_space(self._agent)
        self.action_space = self.parallel.action_space(self._agent)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Start a new game; a seed decides it and all later resets without one."""
        observations, infos = self.parallel.reset(seed=seed, options=options)
        super().reset(seed=None if seed is None else int(seed))
        return observations[self._agent], infos[self._agent]

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Carry out one turn: observation, reward, whether it is over, truncated, and infos."""
        stepped = self.parallel.step({self._agent: action})
        observation, reward, over, truncated, info = (of[self._agent] for of in stepped)
        info.pop("episode", None)  # Gymnasium's wrappers count episodes, and insist that it is new
        return observation, reward, over, truncated, info

    def action_masks(self) -> Cells:
        """Return the masks of all things in one row, as MaskablePPO of sb3-contrib expects."""
        return self.parallel.action_mask(self._agent).astype(np.bool_).ravel()

    def render(self) -> Any:
        """Return a picture of the position: rows, columns and RGB; None without `render_mode`."""
        return self.parallel.render()


seat_env = SeatEnv
