"""Match files of the original games for tests: written from a game, and from what was read."""

from collections.abc import Iterable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from lanista.games.base import Verdict
from lanista.games.crematoria import board
from lanista.games.crematoria.originals import Position
from lanista.games.hogwarts.board import SIDE
from lanista.games.hogwarts.originals import State
from lanista.games.originals import Originals, Res, Status, played


def match_text(
    originals: Originals[Any, Any],
    game: Any,
    turns: Iterable[Sequence[Verdict]],
    *,
    seed: int,
    names: Sequence[str],
    word: str = "Game",
    status: Status = lambda _: (0.0,) * 4,
) -> Iterator[str]:
    """The parts of the match file of a game that is played through these turns."""
    return originals._match_text(played(game, turns), status, word=word, seed=seed, names=names)


def write_res(originals: Originals[Any, Any], res: Res[Any, Any]) -> str:
    """The match file with this content."""
    parts = [f"{res.word}\n\nSeed {res.seed}\n\n{originals.header(res.settings, res.names)}"]
    for commands, state in zip((None, *res.commands), res.states, strict=True):
        parts += [] if commands is None else [originals.commands_text(commands)]
        parts.append(originals.state_text(as_game(state), state.status))
    return "".join(parts)


def as_game(state: State | Position) -> Any:
    """Stand in for a game in this state, with all that is written of one."""
    return _crematoria(state) if isinstance(state, Position) else _hogwarts(state)


def _hogwarts(state: State) -> SimpleNamespace:
    return SimpleNamespace(
        owners="".join(state.rows).encode(),
        clans=[unit.player for unit in state.units],
        cells=[unit.row * SIDE + unit.column for unit in state.units],
        rounds=[unit.rounds for unit in state.units],
        nexts=[unit.next for unit in state.units],
        books=[row * SIDE + column for row, column in state.books],
        ingredients=state.ingredients,
        voldemort=state.voldemort[0] * SIDE + state.voldemort[1],
        turn=state.round,
        scores=lambda: state.score,
        conversion_points=state.conversion_points,
        strength=state.strength,
    )


def _crematoria(position: Position) -> SimpleNamespace:
    kinds, players, healths, turns, *places = zip(*position.units, strict=True)
    cells = [-1 if place[0] < 0 else board.cell_at(*place) for place in zip(*places, strict=True)]
    return SimpleNamespace(
        state=SimpleNamespace(kind=kinds, player=players, health=healths, turns=turns, pos=cells),
        caves=lambda: position.caves,
        outside=lambda: position.outside,
        turn=position.round,
        cells=position.cells,
        gems=position.gems,
    )
