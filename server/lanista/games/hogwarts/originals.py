"""What can be done with the files of the original Hogwarts program."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lanista.games.base import Verdict
from lanista.games.hogwarts import explaining, files, scene
from lanista.games.hogwarts.grid import SIDE
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.originals import Explanation, Originals, Shown, Status, begun, with_times
from lanista.games.picture import Frame


def _write(
    game: Any,
    turns: Iterable[Sequence[Verdict]],
    seed: int,
    names: Sequence[str],
    status: Status,
) -> Iterator[str]:
    return files.match_text(game, turns, seed=seed, names=names, status=status)


def _explain(text: str, rules: str) -> Explanation:
    return explaining.explain(files.read_res(text), "text" if rules == "text" else "original")


def _replay(text: str, log: str) -> Iterator[str]:
    res = files.read_res(text)
    settings = {**res.settings, "original": 1}
    game: Any
    game, turns = begun(RULESET, settings, res.seed, files.read_orders(log))
    return files.match_text(game, turns, seed=res.seed, names=res.names, word=res.word)


def _show(text: str) -> Shown:
    res = files.read_res(text)
    shown = Shown(
        game="hogwarts",
        seed=res.seed,
        settings=res.settings,
        names=res.names,
        scene=scene.scene(_cells(res.states[0])),
        frames=_frames(res),
    )
    if res.word == "SecGame":
        shown = with_times(shown, [state.status for state in res.states])
    return shown


def _frames(res: files.Res) -> Iterator[tuple[Frame, tuple[int, ...]]]:
    before = None
    for state, commands in zip(res.states, ((), *res.commands), strict=True):
        now = _for_scene(state)
        yield scene.frame(now, before, commands, res.settings), state.score
        before = now


def _cells(state: files.State) -> bytes:
    return "".join(state.rows).encode("ascii")


def _for_scene(state: files.State) -> scene.Position:
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
    game="hogwarts",
    title=files.VERSION,
    rules=("original", "text"),
    read_cnf=files.read_cnf,
    write_cnf=files.write_cnf,
    write=_write,
    explain=_explain,
    replay=_replay,
    show=_show,
)
