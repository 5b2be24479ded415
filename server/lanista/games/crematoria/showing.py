"""Match files of the original Crematoria for viewers: scene and frames of their positions.

Nothing is played again: viewers see what the file says, whatever rules made it. It is drawn by
`scene`, as a game is.
"""

from collections.abc import Iterator, Mapping

from lanista.games.crematoria import scene
from lanista.games.crematoria.files import Position, Res
from lanista.games.picture import Frame, Scene


def scene_of(res: Res) -> Scene:
    """Return the scene of a match: both levels, as the first position has them."""
    first = res.positions[0]
    return scene.scene(_bytes(first.caves), _bytes(first.outside))


def frames_of(res: Res) -> Iterator[tuple[Frame, tuple[int, ...]]]:
    """Yield the frame and the scores, by seat, of each round."""
    before = None
    for position in res.positions:
        now = _for_scene(position, res.header.settings)
        yield scene.frame(now, before), now.scores
        before = now


def _bytes(rows: tuple[str, ...]) -> bytes:
    return "".join(rows).encode("ascii")


def _for_scene(position: Position, settings: Mapping[str, int]) -> scene.Position:
    rows, cols, gem_value = settings["rows"], settings["cols"], settings["gem_value"]
    units = position.units
    outside = "".join(position.outside)
    return scene.Position(
        position.round,
        _bytes(position.caves),
        frozenset(rows * cols + index for index, cell in enumerate(outside) if cell == "G"),
        [unit.kind for unit in units],
        [unit.player for unit in units],
        [unit.health for unit in units],
        [unit.turns for unit in units],
        [
            -1 if unit.row < 0 else (unit.level * rows + unit.row) * cols + unit.col
            for unit in units
        ],
        position.cells,
        position.gems,
        # rules/crematoria.md 7.
        tuple(
            cells + gem_value * gems
            for cells, gems in zip(position.cells, position.gems, strict=True)
        ),
    )
