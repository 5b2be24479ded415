"""Match files of the original Hogwarts program for viewers: scene and frames of their states.

Nothing is played again: viewers see what the file says, whatever rules made it. It is drawn by
`scene`, as a game is.
"""

from collections.abc import Iterator, Sequence

from lanista.games.hogwarts import orders, scene
from lanista.games.hogwarts.files import SIDE, Command, Res, State
from lanista.games.picture import Frame, Scene


def scene_of(res: Res) -> Scene:
    """Return the scene of a match: its walls, as the first state has them."""
    return scene.scene(_cells(res.states[0]))


def frames_of(res: Res) -> Iterator[tuple[Frame, tuple[int, ...]]]:
    """Yield the frame and the scores, by seat, of each round."""
    before = None
    for state, commands in zip(res.states, ((), *res.commands), strict=True):
        now = _position(state)
        yield scene.frame(now, before, _orders(commands), res.settings), state.score
        before = now


def _cells(state: State) -> bytes:
    return "".join(state.rows).encode("ascii")


def _position(state: State) -> scene.Position:
    return scene.Position(
        state.round,
        _cells(state),
        [unit.player for unit in state.units],
        [unit.row * SIDE + unit.column for unit in state.units],
        [unit.rounds for unit in state.units],
        [unit.next for unit in state.units],
        frozenset(row * SIDE + column for row, column in state.books),
        state.voldemort[0] * SIDE + state.voldemort[1],
        state.strength,
        state.score,
    )


def _orders(commands: Sequence[Command]) -> tuple[orders.Order, ...]:
    return tuple(
        orders.Order(command.unit, -1, command.groups)
        if command.direction is None
        else orders.Order(command.unit, command.direction)
        for command in commands
    )
