"""The facts of a game of Hogwarts as bytes, and its digest (PROTOCOL.md 5).

These functions read the game's public state and change nothing. The facts are encoded in every
round, so the parts of lines that depend only on a cell come from tables.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from lanista.games.base import number_text
from lanista.games.chance import Chance
from lanista.games.hogwarts.board import CLANS, FREE, WALL
from lanista.games.hogwarts.grid import CELLS, COL, ROW, SIDE

_PLACES = tuple(f"{ROW[cell]} {COL[cell]}" for cell in range(CELLS))
_BOOKS = tuple(f"book {place}\n" for place in _PLACES)
_OWN = tuple(f"own {row} ".encode() for row in range(SIDE))
_SPANS = tuple(slice(row * SIDE, (row + 1) * SIDE) for row in range(SIDE))


class State(Protocol):
    """The attributes of a game (`Hogwarts`) that the encoding reads."""

    settings: Mapping[str, int]
    turn: int
    owners: bytearray
    clans: list[int]
    cells: list[int]
    rounds: list[int]
    nexts: list[int]
    books: set[int]
    ingredients: tuple[int, ...]
    voldemort: int
    strength: list[int]
    conversion_points: list[int]

    def scores(self) -> tuple[int, ...]:
        """Return the score of each seat."""
        ...


def start(settings: Mapping[str, int], cells: bytes) -> bytes:
    """Return the facts at the start: settings, size, rows of walls and corridors."""
    lines = [f"set {name} {value}" for name, value in settings.items()]
    lines.append(f"size {SIDE} {SIDE}")
    plan = cells.translate(bytes(WALL if code == WALL else FREE for code in range(256))).decode()
    lines += [f"row {row} {plan[span]}" for row, span in enumerate(_SPANS)]
    return ("\n".join(lines) + "\n").encode()


def position(game: State) -> bytes:
    """Return all facts of a round except the status line."""
    owners = bytes(game.owners)
    rows = [part for row in range(SIDE) for part in (_OWN[row], owners[_SPANS[row]], b"\n")]
    lines = [
        f"unit {unit} {'w' if unit >= CLANS else 'g'} {clan} {_PLACES[cell]} {rounds} {turns_to}\n"
        for unit, (clan, cell, rounds, turns_to) in enumerate(
            zip(game.clans, game.cells, game.rounds, game.nexts, strict=True)
        )
    ]
    lines += [_BOOKS[cell] for cell in sorted(game.books)]
    lines += [
        f"voldemort {_PLACES[game.voldemort]}\n",
        f"spell {_spaced(game.ingredients)}\n",
        f"strength {_spaced(game.strength)}\n",
        f"score {_spaced(game.scores())}\n",
    ]
    return b"".join(rows) + "".join(lines).encode()


def _spaced(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def status(shares: Sequence[float]) -> bytes:
    """Return the status line."""
    return f"status {' '.join(map(number_text, shares))}\n".encode()


def digest(game: State, facts: bytes, chance: Chance) -> str:
    """Return a hash of the state: of its facts and of what bots can't see."""
    hidden = (
        game.turn,
        tuple(game.settings.items()),
        game.conversion_points,
        # The state decides all draws still to come; a test's source of chance may have none.
        getattr(chance, "state", None),
    )
    hashed = hashlib.blake2b(facts, digest_size=8)
    hashed.update(repr(hidden).encode())
    return hashed.hexdigest()
