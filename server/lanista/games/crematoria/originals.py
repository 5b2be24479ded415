"""The files of the original Crematoria program."""

from collections.abc import Mapping
from operator import attrgetter

from lanista.games.crematoria import files, scene
from lanista.games.crematoria.explaining import explain
from lanista.games.crematoria.geometry import cell_at
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.crematoria.state import scores
from lanista.games.originals import Originals


def _bytes(rows: tuple[str, ...]) -> bytes:
    return "".join(rows).encode("ascii")


def _position(position: files.Position, settings: Mapping[str, int]) -> scene.Position:
    units = position.units
    outside = "".join(position.outside)
    return scene.Position(
        position.round,
        _bytes(position.caves),
        frozenset(cell_at(0, 0, 1) + index for index, cell in enumerate(outside) if cell == "G"),
        [unit.kind for unit in units],
        [unit.player for unit in units],
        [unit.health for unit in units],
        [unit.turns for unit in units],
        [-1 if unit.row < 0 else cell_at(unit.row, unit.col, unit.level) for unit in units],
        position.cells,
        position.gems,
        scores(settings, position.cells, position.gems),
    )


ORIGINALS = Originals(
    ruleset=RULESET,
    title=files.TITLE,
    settings=RULESET.settings,
    rounds="nb_rounds",
    generated="GENERATOR",
    head=files.head_text,
    header=files.header_text,
    state_text=files.state_text,
    read_state=files.read_state,
    commands_of=attrgetter("moved"),
    commands_text=files.commands_text,
    read_commands=files.read_commands,
    read_order=files.read_order,
    explain_res=lambda res, _rules: explain(res),  # there is one kind of rules
    scene=lambda first: scene.scene(_bytes(first.caves), _bytes(first.outside)),
    position=_position,
    frame=lambda now, before, _commands, _settings: scene.frame(now, before),
)
