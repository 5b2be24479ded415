"""A game as a PettingZoo `ParallelEnv`: all seats act at once, as they do in the arena."""

import importlib
import math
import sys
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped]
    from pettingzoo.utils import OrderEnforcingWrapper  # type: ignore[import-untyped]
    from pettingzoo.utils.conversions import (  # type: ignore[import-untyped]
        parallel_to_aec_wrapper,
    )
except ModuleNotFoundError as missing:
    raise ImportError(
        "lanista.env needs PettingZoo and Gymnasium: pip install 'lanista[rl]'"
    ) from missing

from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.arrays import Cells, Mask, Observation, check_action, encoder_of
from lanista.games.base import Consequence, whole_number
from lanista.hosting.inputs import Map, checked_setup
from lanista.library.game import Game, GameOverError, Moves, begin
from lanista.match.encoder import seat_seed

T = TypeVar("T")
Seen = Observation | Cells
"""What an agent sees: arrays by name, or with `flat` one row of numbers."""
RESULT_REWARD = 100.0
"""The default reward for a win of Angry Mob, whose places aren't decided by the score."""


class LanistaEnv(ParallelEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A PettingZoo `ParallelEnv` of a game, with agents `seat_0` and so on (docs/training.md)."""

    def __init__(
        self,
        game: str,
        *,
        map: Map | None = None,  # noqa: A002 - the word for it everywhere
        settings: Mapping[str, int] | None = None,
        size: tuple[int, int] | None = None,
        flat: bool = False,
        opponents: Mapping[str, str] | None = None,
        max_cycles: int | None = None,
        result_reward: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        ruleset = registry.get(game)
        if render_mode not in (None, "rgb_array"):
            raise BadInputError(f"render_mode {render_mode!r:.200}; it is 'rgb_array' or None")
        if max_cycles is not None:
            whole_number("max_cycles", max_cycles, 1)
        chosen, board = checked_setup(ruleset, map, settings)
        size_of = getattr(registry.part(game, "arrays"), "size_of", None)
        if board is not None and size is None and size_of is not None:
            size = size_of(board)
        self.metadata = {
            "name": f"lanista_{game}_v0",
            "render_modes": ["rgb_array"],
            "render_fps": 5,  # as `to_gif` has them
            "is_parallelizable": True,
        }
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.game: Game | None = None
        """The game in progress; None before the first reset."""
        self._ruleset, self._board, self._settings = ruleset, board, chosen
        self._encoder = encoder_of(game, chosen, size)
        reward: Any = result_reward
        if reward is None:
            reward = 0.0 if ruleset.consequence is Consequence.SKIP else RESULT_REWARD
        if not isinstance(reward, int | float) or not abs(reward) <= sys.float_info.max:
            raise BadInputError(f"result_reward {reward!r:.200}; expected a number")
        self._result_reward = reward
        self._cycles = 0
        self._painter: Any = None
        self._random = np.random.default_rng()
        seats = {f"seat_{seat}": seat for seat in range(ruleset.seats)}
        self._opponents = _Opponents(game, _by_seat(seats, opponents or {}))
        self._seats = {
            agent: seat for agent, seat in seats.items() if seat not in self._opponents.names
        }
        self.possible_agents = list(self._seats)
        self.agents: list[str] = []
        # By agent, the mask of the present position, and the sum of its rewards in this game.
        self._masks: dict[str, Mask] = {}
        self._returns: dict[str, float] = {}
        things, actions = self._encoder.choices
        self._nothing = np.zeros(things, int)
        shapes = self._encoder.shapes
        numbers = sum(math.prod(shape) for shape in shapes.values())
        self._flat = flat
        self.state_space = spaces.Box(-np.inf, np.inf, (numbers,), np.float32)
        """The space of `state()`."""
        self.observation_spaces = {
            agent: spaces.Box(-np.inf, np.inf, (numbers,), np.float32)
            if flat
            else spaces.Dict(
                {
                    name: spaces.Box(-np.inf, np.inf, shape, np.float32)
                    for name, shape in shapes.items()
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.MultiDiscrete([actions] * things) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self._of(agent, self.observation_spaces)

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self._of(agent, self.action_spaces)

    def _of(self, agent: str, values: Mapping[str, T]) -> T:
        if agent not in tuple(values):  # which takes what can't be hashed, too
            raise BadInputError(f"no agent {agent!r:.200}; they are {', '.join(self._seats)}")
        return values[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - PettingZoo's interface; there are none
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        """Start a new game; a seed, from 0, decides it and later resets, which make other games."""
        if seed is not None:
            self._random = np.random.default_rng(whole_number("seed", seed, 0))
        match_seed = int(self._random.integers(2**31))
        self.game = begin(self._ruleset, match_seed, self._board, self._settings)
        self._opponents.begin(self.game, match_seed)
        self.agents = self.possible_agents[:]
        self._cycles, self._painter = 0, None
        self._returns = dict.fromkeys(self.agents, 0.0)
        return self._observations(self.game), self._infos(self.game)

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry out one turn; an agent without an action does nothing.

        Returns:
            By agent: observations, rewards, terminations, truncations and infos. In the last step
            of a game an agent's infos have its `episode`: `r`, the sum of its rewards, and `l`, the
            number of steps.

        Raises:
            BadInputError: An action is given for something other than an agent, or isn't an action.
            GameOverError: No game is in progress.
        """
        game = self._playing
        if not self.agents:
            raise GameOverError("no game is in progress: call reset() first")
        if not isinstance(actions, Mapping):
            raise BadInputError(f"actions {actions!r:.200}; expected a dictionary by agent")
        for agent in actions:
            self._of(agent, self._seats)
        before = _leads(game)
        answers = self._opponents.answers(game)
        for agent, seat in self._seats.items():
            action = self.checked_action(agent, actions.get(agent, self._nothing))
            mask = self._masks[agent]
            answers[seat] = self._encoder.moves(game.rules, seat, mask, action)
        game.step([answers[seat] for seat in range(game.seats)])
        self._cycles += 1
        rewards = _leads(game) - before
        if game.outcome is not None:
            rewards += self._result_reward * _results(game.outcome.ranks)
        truncated = (
            not game.over and self.max_cycles is not None and self._cycles >= self.max_cycles
        )
        agents = self.agents
        rewarded = {agent: float(rewards[seat]) for agent, seat in self._seats.items()}
        for agent, reward in rewarded.items():
            self._returns[agent] += reward
        infos = self._infos(game)
        if game.over or truncated:
            self.agents = []
            for agent, info in infos.items():
                info["episode"] = {"r": self._returns[agent], "l": self._cycles}
        return (
            self._observations(game),
            rewarded,
            dict.fromkeys(agents, game.over),
            dict.fromkeys(agents, truncated),
            infos,
        )

    def checked_action(self, agent: str, action: Any) -> Cells:
        """Return an agent's action as an array; raise BadInputError if it isn't one."""
        return check_action(self._encoder, action, f"{agent}'s")

    def action_mask(self, agent: str) -> Mask:
        """Return what an agent can do now: a row a thing, with 1 for each possible action.

        Raises:
            BadInputError: There is no such agent.
            GameOverError: No game has begun.
        """
        if self.game is None:
            raise GameOverError("no game is in progress: call reset() first")
        return self._of(agent, self._masks).copy()

    def state(self) -> Cells:
        """Return the whole position as one array, for a critic that sees all: seat 0's view."""
        return _flattened(self._encoder.observe(self._playing.rules, [0])[0])

    @property
    def _playing(self) -> Game:
        if self.game is None:
            raise GameOverError("no game is in progress: call reset() first")
        return self.game

    def _observations(self, game: Game) -> dict[str, Seen]:
        observed = self._encoder.observe(game.rules, tuple(self._seats.values()))
        if self._flat:
            return dict(zip(self._seats, map(_flattened, observed), strict=True))
        return dict(zip(self._seats, observed, strict=True))

    def _infos(self, game: Game) -> dict[str, dict[str, Any]]:
        """Return each agent's mask, in the form that the action space's `sample` takes."""
        masks = self._encoder.masks(game.rules, tuple(self._seats.values()))
        self._masks = dict(zip(self._seats, masks, strict=True))
        return {agent: {"action_mask": self._rows(mask)} for agent, mask in self._masks.items()}

    def _rows(self, mask: Mask) -> tuple[Mask, ...]:
        """Return the rows of a mask; things that can only stay share one, which is read-only.

        An array for each of a large map's cells would take longer than all the rest.
        """
        things, choices = self._encoder.choices
        stays = np.zeros(choices, np.int8)
        stays[0] = 1
        stays.flags.writeable = False
        rows = [stays] * things
        mask = mask.copy()
        for thing in set((np.flatnonzero(mask[:, 1:]) // (choices - 1)).tolist()):
            rows[thing] = mask[thing]
        return tuple(rows)

    def render(self) -> np.ndarray[Any, Any] | None:
        """Return a picture of the position: rows, columns and RGB; None without `render_mode`."""
        if self.render_mode is None:
            return None
        game = self._playing
        from lanista.page.image import Painter  # noqa: PLC0415 - training needs no Pillow

        rules = game.rules
        if self._painter is None:
            names = [self._opponents.names.get(seat, f"seat_{seat}") for seat in range(game.seats)]
            self._painter = Painter(rules.scene(), self._ruleset.title, names)
        return np.asarray(self._painter.draw(rules.frame(), game.scores))


def _flattened(observation: Observation) -> Cells:
    """Return all arrays of an observation, in their order, as one row of numbers."""
    return np.concatenate([array.ravel() for array in observation.values()])


def _by_seat(seats: Mapping[str, int], opponents: Mapping[str, str]) -> dict[int, str]:
    if not isinstance(opponents, Mapping):
        raise BadInputError(
            f"opponents {opponents!r:.200}; expected a dictionary such as "
            "{'seat_1': 'RandomRunners'}"
        )
    for agent in opponents:
        if agent not in seats:
            raise BadInputError(f"opponents: no seat {agent!r:.200}; they are {', '.join(seats)}")
    if len(opponents) == len(seats):
        raise BadInputError("opponents: every seat has one; leave at least one seat to act")
    return {seats[agent]: name for agent, name in opponents.items()}


def _leads(game: Game) -> np.ndarray[Any, Any]:
    """Return by seat how far its score is above the mean of the others'."""
    scores = np.asarray(game.scores, float)
    leads: np.ndarray[Any, Any] = scores - (scores.sum() - scores) / (len(scores) - 1)
    return leads


def _results(ranks: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return by seat the share of others that it beat, less the share that beat it."""
    places = np.asarray(ranks)
    beaten = np.sign(places[None, :] - places[:, None]).sum(axis=1)
    share: np.ndarray[Any, Any] = beaten / (len(places) - 1)
    return share


class _Opponents:
    """House bots in seats of a game, without processes; each game that begins gets new ones."""

    def __init__(self, game: str, names: Mapping[int, str]) -> None:
        self.names = names
        """The bots' names, by seat."""
        known = registry.house_bots(game)
        for name in names.values():
            registry.check_house_bot(registry.get(game), name)
        self._classes = {
            seat: getattr(importlib.import_module(known[name]), name)
            for seat, name in names.items()
        }
        self._bots: dict[int, Any] = {}

    def begin(self, game: Game, seed: int) -> None:
        for seat, kind in self._classes.items():
            state = game.state(seat)
            # They draw as in a match of this seed.
            state.seed = seat_seed(game.name, seed, seat)
            self._bots[seat] = kind(state)

    def answers(self, game: Game) -> dict[int, Moves]:
        return {seat: bot.moves(game.state(seat)) for seat, bot in self._bots.items()}


parallel_env = LanistaEnv


class _OneByOne(parallel_to_aec_wrapper):  # type: ignore[misc]  # PettingZoo has no types
    """The environment with an action for one agent at a time, which is checked when it is given.

    PettingZoo's own looks at the actions when the last agent has acted: too late to give another.
    """

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if not (self.terminations[agent] or self.truncations[agent]):
            self.env.checked_action(agent, action)
        super().step(action)


def env(game: str, **options: Any) -> Any:
    """Return the same environment as a PettingZoo `AECEnv`, in which seats act one by one."""
    return OrderEnforcingWrapper(_OneByOne(LanistaEnv(game, **options)))
