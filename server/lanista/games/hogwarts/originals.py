"""What can be done with the files of the original Hogwarts program."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lanista.games.base import Verdict
from lanista.games.hogwarts import explaining, files, showing
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.originals import Explanation, Originals, Shown, Status, with_times


def _read_cnf(text: str) -> tuple[Mapping[str, int], Any]:
    config = files.read_cnf(text)
    return config.settings, config.board


def _write(
    game: Any,
    turns: Iterable[Sequence[Verdict]],
    seed: int,
    names: Sequence[str],
    status: Status,
) -> Iterator[str]:
    return files.res_parts(files.res_of(game, turns, seed=seed, names=names, status=status))


def _explain(text: str, rules: str) -> Explanation:
    res = files.read_res(text)
    explanation = explaining.explain(res, "text" if rules == "text" else "original")
    return Explanation(
        rounds=explanation.rounds,
        of=len(res.commands),
        rules=rules,
        problem=explanation.problem,
    )


def _replay(text: str, orders: str) -> Iterator[str]:
    res = files.read_res(text)
    settings = {**res.settings, "original": 1}
    chance = RULESET.chance(res.seed)
    game = RULESET.new(settings, RULESET.generate(settings, chance), chance)
    turns = (
        [game.parse(seat, files.submoves(submitted)) for seat, submitted in enumerate(players)]
        for players in files.read_orders(orders)
    )
    return files.res_parts(files.res_of(game, turns, seed=res.seed, names=res.names, word=res.word))


def _show(text: str) -> Shown:
    res = files.read_res(text)
    scene, frames = showing.scene_of(res), showing.frames_of(res)
    if res.word == "SecGame":
        scene, frames = with_times(scene, frames, [state.status for state in res.states])
    return Shown(
        game="hogwarts",
        seed=res.seed,
        settings=res.settings,
        names=res.names,
        scene=scene,
        frames=frames,
    )


ORIGINALS = Originals(
    game="hogwarts",
    title=files.VERSION,
    rules=("original", "text"),
    read_cnf=_read_cnf,
    write_cnf=lambda settings, board: files.write_cnf(files.Configuration(settings, board)),
    write=_write,
    explain=_explain,
    replay=_replay,
    show=_show,
)
