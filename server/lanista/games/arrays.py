"""Positions as arrays, and actions as submoves, for each game (docs/training.md).

A game's own encoder is in its folder, in `arrays`. It reads the rules' own game. What it makes is
relative to a seat: players are counted from it, so that one policy can play every seat.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Token

Observation = dict[str, npt.NDArray[np.float32]]
Mask = npt.NDArray[np.int8]
Moves = list[tuple[Token, ...]]
Cells = npt.NDArray[Any]

Size = tuple[int, int]
"""The rows and columns that arrays have room for."""


class Encoder(Protocol):
    """The encoding of a game: its arrays, its actions and their masks."""

    shapes: dict[str, tuple[int, ...]]
    """The shape of each array of an observation."""
    choices: tuple[int, int]
    """The number of things that can be moved, and of actions for each, of which 0 is none."""

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return the position as a seat sees it."""
        ...

    def mask(self, rules: Any, seat: int) -> Mask:
        """Return 1 for each thing and action that the seat can choose; 0 is always possible."""
        ...

    def moves(self, rules: Any, seat: int, action: Cells) -> Moves:
        """Return the submoves of an action; choices that the mask forbids are left out."""
        ...


class UnitEncoder:
    """An encoding with an action for each unit, by its id, as both four-player games have it."""

    shapes: dict[str, tuple[int, ...]]
    choices: tuple[int, int]

    def mask(self, rules: Any, seat: int) -> Mask:
        """Return by unit: no order, or a step in direction 0, 1, and so on."""
        mask = np.zeros(self.choices, np.int8)
        mask[:, 0] = 1
        for unit, ways in rules.legal(seat).items():
            mask[unit, [1 + way[-1] for way in ways if _is_step(way)]] = 1
        return mask

    def moves(self, rules: Any, seat: int, action: Cells) -> Moves:
        """Return the orders of the units that get one, by id."""
        legal = rules.legal(seat)
        return [
            way
            for unit in np.flatnonzero(action)
            for way in legal.get(int(unit), ())
            if _is_step(way) and way[-1] + 1 == action[unit]
        ]


def _is_step(way: Sequence[Any]) -> bool:
    """Return whether a submove is a step, not a spell."""
    return bool(way[0] != "s")


def refuse_size(name: str, size: Size | None) -> None:
    """Raise an error if arrays are to have a size, in a game whose boards all have the same.

    Raises:
        BadInputError: A size is given.
    """
    if size is not None:
        raise BadInputError(
            f"size is for maps of several sizes; the board of {name} always has one"
        )


def encoder_of(name: str, settings: Mapping[str, int], size: Size | None = None) -> Encoder:
    """Return the encoder of a game with these settings.

    The module `arrays` of a game has a function `encoder`, which takes the settings and the size.

    Raises:
        BadInputError: There is none for this game, or its arrays can't have that size.
    """
    arrays = registry.part(name, "arrays")
    if arrays is None:
        known = ", ".join(game for game in registry.ours() if registry.part(game, "arrays"))
        raise BadInputError(f"no arrays are defined for {name!r}; they are for {known}")
    encoder: Encoder = arrays.encoder(settings, size)
    return encoder
