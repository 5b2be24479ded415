"""The files of the original Hogwarts program."""

from collections.abc import Mapping
from operator import attrgetter

from lanista.games.hogwarts import files, scene
from lanista.games.hogwarts.board import Board
from lanista.games.hogwarts.explaining import explain
from lanista.games.hogwarts.grid import SIDE
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.originals import Originals
from lanista.games.tokens import FormatError


def _check_board(settings: Mapping[str, int], board: Board) -> None:
    for name, needed in board.needs.items():
        if settings[name] != needed:
            raise FormatError(f"{name} is {settings[name]}, but the board below needs {needed}")


def _cells(state: files.State) -> bytes:
    return "".join(state.rows).encode("ascii")


def _position(state: files.State, _settings: Mapping[str, int]) -> scene.Position:
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


ORIGINALS = Originals(
    ruleset=RULESET,
    title=files.VERSION,
    settings=files.CODED,
    rounds="NUM_ROUNDS",
    generated="RANDOM",
    fixed="FIXED\n",
    rules=("original", "text"),
    own={"original": 1},
    check_board=_check_board,
    head=files.coded,
    header=files.header_text,
    state_text=files.state_text,
    read_state=files.read_state,
    commands_of=attrgetter("executed"),
    commands_text=files.commands_text,
    read_commands=files.read_commands,
    read_order=files.read_order,
    explain_res=explain,
    scene=lambda state: scene.scene(_cells(state)),
    position=_position,
    frame=scene.frame,
)
