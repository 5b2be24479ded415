"""The facts of a game of Hogwarts as bytes, and its digest (PROTOCOL.md 5).

Reads a game's public state and changes nothing. Lines that repeat are built from tables by
cell, because the facts are built anew every round.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from lanista.rules.chance import Chance
from lanista.rules.hogwarts.board import CLANS, FREE, WALL
from lanista.rules.hogwarts.grid import CELLS, COL, ROW, SIDE

_PLACES = tuple(f"{ROW[cell]} {COL[cell]}" for cell in range(CELLS))
_BOOKS = tuple(f"book {place}\n" for place in _PLACES)
_OWN = tuple(f"own {row} ".encode() for row in range(SIDE))
_SPANS = tuple(slice(row * SIDE, (row + 1) * SIDE) for row in range(SIDE))


class State(Protocol):
    """What is read of a game (`Hogwarts`)."""

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
    """Settings, size, rows of walls and corridors."""
    lines = [f"set {name} {value}" for name, value in settings.items()]
    lines.append(f"size {SIDE} {SIDE}")
    plan = cells.translate(bytes(WALL if code == WALL else FREE for code in range(256))).decode()
    lines += [f"row {row} {plan[span]}" for row, span in enumerate(_SPANS)]
    return ("\n".join(lines) + "\n").encode()


def position(game: State) -> bytes:
    """All facts of a round but the status line."""
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
    """The status line, with numbers as PROTOCOL.md 1 writes them."""
    words = [f"{share:.4f}".rstrip("0").rstrip(".") for share in shares]
    return f"status {' '.join('0' if word == '-0' else word for word in words)}\n".encode()


def digest(game: State, told: bytes, chance: Chance) -> str:
    """A hash of the state: what is told of it, and what isn't."""
    hidden = (
        game.turn,
        tuple(game.settings.items()),
        game.conversion_points,
        # Draws yet to come; a chance of a test may have nothing to show.
        getattr(chance, "state", None),
    )
    hashed = hashlib.blake2b(told, digest_size=8)
    hashed.update(repr(hidden).encode())
    return hashed.hexdigest()
