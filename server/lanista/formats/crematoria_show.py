"""Match files of the original Crematoria for viewers: scene and frames of their positions.

Nothing is played again: what is drawn is what the file says, whatever rules made it. How it is
drawn is said in `lanista.rules.crematoria.scene`, as for a game.
"""

from collections.abc import Iterator

from lanista.formats.crematoria import Position, Res
from lanista.rules.crematoria import scene
from lanista.rules.crematoria.geometry import LEVEL, cell_at
from lanista.rules.picture import Frame, Scene


def scene_of(res: Res) -> Scene:
    """Both levels, as the first position has them."""
    first = res.positions[0]
    return scene.scene(_bytes(first.caves), _bytes(first.outside))


def frames_of(res: Res) -> Iterator[tuple[Frame, tuple[int, ...]]]:
    """By round, a frame and the scores."""
    before = None
    for position in res.positions:
        now = _seen(position, res.header.settings["gem_value"])
        yield scene.frame(now, before), now.scores
        before = now


def _bytes(rows: tuple[str, ...]) -> bytes:
    return "".join(rows).encode("ascii")


def _seen(position: Position, gem_value: int) -> scene.Position:
    units = position.units
    outside = "".join(position.outside)
    return scene.Position(
        position.round,
        _bytes(position.caves),
        frozenset(LEVEL + place for place, kind in enumerate(outside) if kind == "G"),
        [unit.kind for unit in units],
        [unit.player for unit in units],
        [unit.health for unit in units],
        [unit.turns for unit in units],
        [-1 if unit.row < 0 else cell_at(unit.row, unit.col, unit.level) for unit in units],
        position.cells,
        position.gems,
        # rules/crematoria.md 7.
        tuple(
            cells + gem_value * gems
            for cells, gems in zip(position.cells, position.gems, strict=True)
        ),
    )
