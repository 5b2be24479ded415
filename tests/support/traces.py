"""Traces of the original programs, and cases of a test of which most are left to a long run."""

import gzip
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import lanista
from lanista.games.base import Answer
from lanista.games.originals import Originals

TRACES = Path(__file__).parents[1] / "traces"


def unpacked_trace(name: str) -> bytes:
    """The content of a compressed match file, given by its path within `tests/traces`."""
    return gzip.decompress((TRACES / name).read_bytes())


class Traces:
    """The matches of an original program."""

    def __init__(self, originals: Originals[Any, Any], game: str):
        self._originals = originals
        self._game = game
        paths = (TRACES / game).glob("*.res.gz")
        self.names = sorted(path.name.removesuffix(".res.gz") for path in paths)
        self._matches: dict[str, Any] = {}

    def text(self, name: str) -> str:
        """The match file of a trace."""
        return unpacked_trace(f"{self._game}/{name}.res.gz").decode()

    def match(self, name: str) -> Any:
        """The match of the trace whose name begins so, read once."""
        full = next(full for full in self.names if full.startswith(name))
        if full not in self._matches:
            self._matches[full] = self._originals.read_res(self.text(full))
        return self._matches[full]

    def replayed(self, name: str, **settings: int) -> tuple[Any, Iterator[list[Answer]]]:
        """A game from a trace's seed, and its turns as answers of the wire."""
        seed = self.match(name).seed
        game = lanista.new_game(self._game, seed=seed, settings=settings).rules
        orders = unpacked_trace(f"{self._game}/{name}.orders.gz").decode()
        turns = (
            [game.parse(seat, said) for seat, said in enumerate(players)]
            for players in self._originals.read_orders(orders)
        )
        return game, turns


def some_always(names: Iterable[str], *always: str) -> Sequence[Any]:
    """All these as cases, traces or games, of which only some are run always; the others are long.

    For questions that one trace answers as well as eight: every trace is compared as a whole,
    byte for byte, by `games/test_traces.py`.
    """
    return [
        name if name in always else pytest.param(name, marks=pytest.mark.long) for name in names
    ]
