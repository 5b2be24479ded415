"""What can be done with the files of the original Crematoria program."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lanista.games.base import Verdict
from lanista.games.crematoria import explaining, files, scene
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.originals import Explanation, Originals, Shown, Status, begun, with_times
from lanista.games.picture import Frame


def _write(
    game: Any,
    turns: Iterable[Sequence[Verdict]],
    seed: int,
    names: Sequence[str],
    status: Status,
) -> Iterator[str]:
    header = files.Header(seed=seed, settings=game.settings, names=tuple(names))
    return files.match_text(header, game, turns, status)


def _explain(text: str, rules: str) -> Explanation:  # noqa: ARG001 - there is one kind of rules
    return explaining.explain(files.read_res(text))


def _replay(text: str, log: str) -> Iterator[str]:
    res = files.read_res(text)
    game: Any
    game, turns = begun(RULESET, res.header.settings, res.header.seed, files.read_orders(log))
    return files.match_text(res.header, game, turns)


def _show(text: str) -> Shown:
    res = files.read_res(text)
    first = res.positions[0]
    shown = Shown(
        game="crematoria",
        seed=res.header.seed,
        settings=res.header.settings,
        names=res.header.names,
        scene=scene.scene(_bytes(first.caves), _bytes(first.outside)),
        frames=_frames(res),
    )
    if res.header.judge:
        shown = with_times(shown, [position.status for position in res.positions])
    return shown


def _frames(res: files.Res) -> Iterator[tuple[Frame, tuple[int, ...]]]:
    before = None
    for position in res.positions:
        now = _for_scene(position, res.header.settings)
        yield scene.frame(now, before), now.scores
        before = now


def _bytes(rows: tuple[str, ...]) -> bytes:
    return "".join(rows).encode("ascii")


def _for_scene(position: files.Position, settings: Mapping[str, int]) -> scene.Position:
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


ORIGINALS = Originals(
    game="crematoria",
    title=files.TITLE,
    rules=("original",),
    read_cnf=files.read_cnf,
    write_cnf=files.write_cnf,
    write=_write,
    explain=_explain,
    replay=_replay,
    show=_show,
)
