"""What can be done with the files of the original Crematoria program."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lanista.games.base import Verdict
from lanista.games.crematoria import explaining, files, showing
from lanista.games.crematoria.ruleset import RULESET
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
    header = files.Header(seed=seed, settings=game.settings, names=tuple(names))
    return files.match_text(header, game, turns, status)


def _explain(text: str, rules: str) -> Explanation:
    res = files.read_res(text)
    explanation = explaining.explain(res)
    return Explanation(
        rounds=explanation.rounds,
        of=len(res.movements),
        rules=rules,
        problem=explanation.problem,
    )


def _replay(text: str, orders: str) -> Iterator[str]:
    res = files.read_res(text)
    settings = res.header.settings
    chance = RULESET.chance(res.header.seed)
    game = RULESET.new(settings, RULESET.generate(settings, chance), chance)
    turns = (
        [
            game.parse(seat, [number for order in submitted.orders for number in order])
            for seat, submitted in enumerate(players)
        ]
        for players in files.read_orders(orders)
    )
    return files.match_text(res.header, game, turns)


def _show(text: str) -> Shown:
    res = files.read_res(text)
    scene, frames = showing.scene_of(res), showing.frames_of(res)
    if res.header.judge:
        times = [position.status for position in res.positions]
        scene, frames = with_times(scene, frames, times)
    return Shown(
        game="crematoria",
        seed=res.header.seed,
        settings=res.header.settings,
        names=res.header.names,
        scene=scene,
        frames=frames,
    )


ORIGINALS = Originals(
    game="crematoria",
    title=files.TITLE,
    rules=("original",),
    read_cnf=_read_cnf,
    write_cnf=lambda settings, board: files.write_cnf(files.Configuration(settings, board)),
    write=_write,
    explain=_explain,
    replay=_replay,
    show=_show,
)
