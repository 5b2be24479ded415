"""Positions as arrays, and actions as submoves, for each game (docs/training.md).

An encoder reads the rules' own game. What it makes is relative to a seat: players are counted from
it, so that one policy can play every seat.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lanista.rules.base import Token

Observation = dict[str, npt.NDArray[np.float32]]
Mask = npt.NDArray[np.int8]
Moves = list[tuple[Token, ...]]
Cells = npt.NDArray[Any]

LARGEST = (40, 60)
"""The rows and columns of the largest generated map of Angry Mob."""
_ANGRY_PLANES, _HOGWARTS_PLANES, _CREMATORIA_PLANES = 6, 16, 27


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


class AngryMobEncoder:
    """Angry Mob by cell: stay, all units go, or one unit goes.

    For seat 1 the map is turned by half, so that both seats see the same map from the same side.
    """

    def __init__(self, size: tuple[int, int] = LARGEST) -> None:
        self.rows, self.cols = size
        self.shapes = {"planes": (_ANGRY_PLANES, *size), "globals": (3,)}
        self.choices = (self.rows * self.cols, 9)

    def _padded(self, rules: Any, cells: Cells, seat: int) -> Cells:
        """Return values by cell as a grid of this encoder's size, as a seat sees it."""
        board = rules.board
        if board.rows > self.rows or board.cols > self.cols:
            raise ValueError(
                f"a map of {board.rows} by {board.cols} cells; the arrays have room for "
                f"{self.rows} by {self.cols}: give `size`"
            )
        turned = cells[::-1] if seat else cells
        grid = np.zeros((self.rows, self.cols, *cells.shape[1:]), cells.dtype)
        grid[: board.rows, : board.cols] = turned.reshape(board.rows, board.cols, *cells.shape[1:])
        return grid

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return passable cells, own, enemy and neutral units, own and enemy base; and totals."""
        cells = np.zeros((len(rules.board.cells), _ANGRY_PLANES), np.float32)
        ground = np.asarray(rules.neutral, np.float32)
        cells[:, 0] = ground >= 0
        cells[:, 3] = np.maximum(ground, 0)
        for owner, units in enumerate(rules.units):
            plane = 1 + (owner != seat)
            for cell, count in units.items():
                cells[cell, plane] = count
            cells[rules.board.bases[owner], 3 + plane] = 1
        planes = np.ascontiguousarray(np.moveaxis(self._padded(rules, cells, seat), 2, 0))
        scores = rules.scores()
        about = (rules.turn / rules.move_limit, scores[seat], scores[1 - seat])
        return {"planes": planes, "globals": np.asarray(about, np.float32)}

    def mask(self, rules: Any, seat: int) -> Mask:
        """Return by cell: stay, all units go right, up, left, down, or one unit goes so."""
        cells = np.zeros((len(rules.board.cells), 9), np.int8)
        cols = rules.board.cols
        for (row, col), ways in rules.legal(seat).items():
            for _, _, _, direction in ways:
                seen = (direction + 2 * seat) % 4
                cells[row * cols + col, [1 + seen, 5 + seen]] = 1
        mask = self._padded(rules, cells, seat).reshape(-1, 9)
        mask[:, 0] = 1
        return mask

    def moves(self, rules: Any, seat: int, action: Cells) -> Moves:
        """Return the submoves of the cells in which the action isn't to stay."""
        board = rules.board
        allowed = self.mask(rules, seat)
        moves: Moves = []
        for index in np.flatnonzero(action):
            chosen = int(action[index])
            if not allowed[index, chosen]:
                continue
            row, col = divmod(int(index), self.cols)
            if seat:
                row, col = board.rows - 1 - row, board.cols - 1 - col
            units = rules.units[seat][row * board.cols + col] if chosen < 5 else 1
            moves.append((row, col, units, ((chosen - 1) % 4 + 2 * seat) % 4))
        return moves


class UnitEncoder:
    """An encoding with an action for each unit, by its id, as both games of four have it."""

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
    """Return whether a submove is a step, not a spell of Hogwarts."""
    return bool(way[0] != "s")


class HogwartsEncoder(UnitEncoder):
    """Hogwarts by unit; spells can't be cast."""

    def __init__(self, wizards_per_clan: int) -> None:
        units = 4 * (wizards_per_clan + 1)
        self.shapes = {"planes": (_HOGWARTS_PLANES, 60, 60), "units": (units, 6), "globals": (9,)}
        self.choices = (units, 9)

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return walls, owners, wizards and ghosts by clan, conversions, books and Voldemort."""
        planes = np.zeros((_HOGWARTS_PLANES, 3600), np.float32)
        owners = np.frombuffer(rules.owners, np.uint8)
        planes[0] = owners == ord("W")
        clans, cells = np.asarray(rules.clans), np.asarray(rules.cells)
        rounds, nexts = np.asarray(rules.rounds), np.asarray(rules.nexts)
        relative = (clans - seat) % 4
        ghosts = np.arange(len(clans)) < 4
        for clan in range(4):
            planes[1 + clan] = owners == ord("0") + (seat + clan) % 4
        planes[5 + relative[~ghosts], cells[~ghosts]] = 1
        planes[9 + relative[ghosts], cells[ghosts]] = 1
        planes[13, cells[~ghosts]] = rounds[~ghosts]
        planes[14, list(rules.books)] = 1
        planes[15, rules.voldemort] = 1
        following = np.where(ghosts | (nexts < 0), -1, (nexts - seat) % 4)
        table = np.stack([relative, ghosts, cells // 60, cells % 60, rounds, following], axis=1)
        strength = np.roll(rules.strength, -seat)
        about = (rules.turn / rules.settings["NUM_ROUNDS"], *np.roll(rules.scores(), -seat))
        return {
            "planes": planes.reshape(_HOGWARTS_PLANES, 60, 60),
            "units": table.astype(np.float32),
            "globals": np.asarray((*about, *strength), np.float32),
        }


class CrematoriaEncoder(UnitEncoder):
    """Crematoria by pioneer and furyan."""

    def __init__(self, people: int) -> None:
        self.shapes = {
            "planes": (_CREMATORIA_PLANES, 40, 80),
            "units": (people, 6),
            "globals": (5,),
        }
        self.choices = (people, 11)

    def observe(self, rules: Any, seat: int) -> Observation:
        """Return terrain, owners, units by level and player, monsters, gems and the sun."""
        state = rules.state
        size = 3200
        planes = np.zeros((_CREMATORIA_PLANES, size), np.float32)
        caves = np.frombuffer(state.caves, np.uint8)
        planes[0], planes[1] = caves == ord("R"), caves == ord("E")
        for player in range(4):
            planes[2 + player] = caves == ord("0") + (seat + player) % 4
        table = np.zeros(self.shapes["units"], np.float32)
        for unit, (kind, player, health, cell) in enumerate(
            zip(state.kind, state.player, state.health, state.pos, strict=True)
        ):
            if cell < 0:
                continue
            level, place = divmod(cell, size)
            if unit < len(table):
                relative = (player - seat) % 4
                planes[6 + 8 * level + 4 * (kind == "f") + relative, place] = health
                table[unit] = (relative, kind == "f", health, *divmod(place, 80), level)
            elif kind == "n":
                planes[22 + (state.turns[unit] > 0), place] = health
            else:
                planes[24, place] = 1
        planes[25, [cell - size for cell in state.gems_lying]] = 1
        planes[26] = (np.arange(size) - 2 * rules.turn) % 80 >= 40
        scores = np.roll(rules.scores(), -seat)
        about = (rules.turn / rules.settings["nb_rounds"], *scores)
        return {
            "planes": planes.reshape(_CREMATORIA_PLANES, 40, 80),
            "units": table,
            "globals": np.asarray(about, np.float32),
        }


def encoder_of(name: str, settings: dict[str, int], size: tuple[int, int] | None = None) -> Encoder:
    """Return the encoder of a game with these settings.

    Raises:
        ValueError: There is none for this game, or its arrays can't have another size.
    """
    if size is not None and name != "angrymob":
        raise ValueError(f"size is for maps of angrymob; the board of {name} always has one size")
    if name == "angrymob":
        return AngryMobEncoder(size or LARGEST)
    if name == "hogwarts":
        return HogwartsEncoder(settings["NUM_INI_WIZARDS_PER_CLAN"])
    if name == "crematoria":
        return CrematoriaEncoder(4 * (settings["nb_furyans"] + settings["nb_pioneers"]))
    raise ValueError(
        f"no arrays are defined for {name!r}; they are for angrymob, crematoria and hogwarts"
    )
