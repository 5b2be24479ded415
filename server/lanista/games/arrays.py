"""Positions as arrays, and actions as submoves, for each game (docs/training.md).

A game's own encoder, the module `arrays` in its folder, reads the rules' own game. What it makes is
relative to a seat: players are counted from it, so that one policy can play every seat.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Token

Observation = dict[str, npt.NDArray[np.float32]]
Mask = npt.NDArray[np.int8]
Moves = list[tuple[Token, ...]]
Cells = npt.NDArray[Any]

T = TypeVar("T")

Size = tuple[int, int]
"""The rows and columns that arrays have room for."""


class Encoder(Protocol):
    """The encoding of a game: its arrays, its actions and their masks."""

    shapes: dict[str, tuple[int, ...]]
    """The shape of each array of an observation.

    By names in alphabetical order, as Gymnasium's `Dict` has them: so its wrappers flatten an
    observation into the same row as `flat` and a policy do.
    """
    choices: tuple[int, int]
    """The number of things that can be moved, and of actions for each, of which 0 is none."""

    def observe(self, rules: Any, seats: Sequence[int]) -> list[Observation]:
        """Return the position as each of these seats sees it."""

    def masks(self, rules: Any, seats: Sequence[int]) -> list[Mask]:
        """Return, for each of these seats, 1 for each thing and action that it can choose.

        Action 0 is always possible.
        """

    def moves(self, rules: Any, seat: int, mask: Mask, action: Cells) -> Moves:
        """Return the submoves of an action; choices that the seat's mask forbids are left out.

        The action has by thing the number of what was chosen in this position.
        """


def check_action(encoder: Encoder, action: Any, whose: str) -> Cells:
    """Return an action as an array; BadInputError if it isn't one choice for each thing."""
    things, choices = encoder.choices
    array = np.asarray(action)
    what = f"shape {array.shape} and type {array.dtype}"
    if array.shape == (things,) and array.dtype.kind in "iu":
        if array.min() >= 0 and array.max() < choices:
            return array
        thing = int(np.flatnonzero((array < 0) | (array >= choices))[0])
        what = f"{array[thing]} for thing {thing}"
    raise BadInputError(
        f"{whose} action has {what}; it must be {things} whole numbers from 0 to {choices - 1}"
    )


class UnitEncoder:
    """An encoding with an action for each unit, by its id, as both four-player games have it."""

    shapes: dict[str, tuple[int, ...]]
    choices: tuple[int, int]

    def steps(self, rules: Any) -> tuple[Cells, Cells]:
        """Return the player of each unit, and by unit and direction whether a step is possible."""
        raise NotImplementedError

    def order(self, unit: int, direction: int) -> tuple[Token, ...]:
        """Return the submove of a step, in direction 0, 1, and so on."""
        raise NotImplementedError

    def masks(self, rules: Any, seats: Sequence[int]) -> list[Mask]:
        """Return by unit what it can do: nothing, or a step in each direction."""
        players, steps = self.steps(rules)
        masks = []
        for seat in seats:
            mask = np.zeros(self.choices, np.int8)
            mask[:, 0] = 1
            mask[:, 1:] = steps & (players == seat)[:, None]
            masks.append(mask)
        return masks

    def moves(self, rules: Any, seat: int, mask: Mask, action: Cells) -> Moves:  # noqa: ARG002 - the mask says all of them
        """Return the orders of the units that get one, by id."""
        units = np.flatnonzero(action)
        units = units[mask[units, action[units]] != 0]
        return [
            self.order(unit, chosen - 1)
            for unit, chosen in zip(units.tolist(), action[units].tolist(), strict=True)
        ]


def seen_from(seat: int, by_player: Sequence[T]) -> Sequence[T]:
    """Return the values of all players, beginning with that of a seat."""
    return (*by_player[seat:], *by_player[:seat])


def observations(names: Iterable[str], *arrays: npt.NDArray[np.float32]) -> list[Observation]:
    """Return the observation of each seat from arrays whose first index is the seat's."""
    return [dict(zip(names, of_seat, strict=True)) for of_seat in zip(*arrays, strict=True)]


def encoder_of(name: str, settings: Mapping[str, int], size: Size | None = None) -> Encoder:
    """Return the encoder of a game with these settings.

    The module `arrays` of a game has a function `encoder`, which takes the settings; and the size,
    if boards have several: then `size_of` returns that of a board. Raises BadInputError if there is
    none for this game, or its arrays can't have that size.
    """
    arrays = registry.part(name, "arrays")
    if arrays is None:
        known = ", ".join(game for game in registry.ours() if registry.part(game, "arrays"))
        raise BadInputError(f"no arrays are defined for {name!r}; they are for {known}")
    has_sizes = hasattr(arrays, "size_of")
    if size is not None and not has_sizes:
        raise BadInputError(
            f"size is for maps of several sizes; the board of {name} always has one"
        )
    encoder: Encoder = arrays.encoder(settings, size) if has_sizes else arrays.encoder(settings)
    return encoder
