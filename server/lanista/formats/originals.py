"""The games that have files of an original program, and what can be done with these files.

One table for whoever reads and writes files, so that no command needs to know a game's name.
Text in, text out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from lanista.formats.tokens import FormatError
from lanista.rules.base import Game, Verdict
from lanista.rules.picture import Frame, Scene

MAX_NAME = 12
"""Characters of a player's name that an original program takes."""

Status = Callable[[int], Sequence[float]]
"""By round, the players' status: 0, or -1 when out."""


@attrs.frozen(kw_only=True)
class Explained:
    """How far a match file can be explained by the rules."""

    rounds: int
    """Rounds explained, from the first one on."""
    of: int
    """Rounds of the file."""
    rules: str
    """`original` or `text`."""
    problem: str | None
    """What the next round shows that can't be; None: all is explained."""


@attrs.frozen(kw_only=True)
class Shown:
    """A match file for viewers: its own positions, nothing played again."""

    game: str
    seed: int
    settings: Mapping[str, int]
    """As the file has them: it knows nothing of Lanista's own."""
    names: tuple[str, ...]
    """By seat."""
    scene: Scene
    """As a game's; of a judge's file, `stats` has `time` behind the others."""
    frames: Iterator[tuple[Frame, tuple[int, ...]]]
    """From the start to the last round, a frame and the scores by seat; to be read once."""


@attrs.frozen(kw_only=True)
class Originals:
    """What a game's module of `lanista.formats` offers."""

    game: str
    title: tuple[str, ...]
    """The words by which its files name the game."""
    rules: tuple[str, ...]
    """Rules that its match files can be explained by, the program's own first."""
    read_cnf: Callable[[str], tuple[Mapping[str, int], Any]]
    """A configuration's settings and board; None: the seed makes it."""
    write_cnf: Callable[[Mapping[str, int], Any], str]
    write: Callable[[Game, Iterable[Sequence[Verdict]], int, Sequence[str], Status], Iterator[str]]
    """A match file in parts from a game at its start, its turns, seed, names, status by round."""
    explain: Callable[[str, str], Explained]
    """Explain a match file's text by some rules; FormatError if it is none."""
    replay: Callable[[str, str], Iterator[str]]
    """The match file that a match file's seed and an orders file's orders make."""
    show: Callable[[str], Shown]
    """What a viewer draws of a match file's text; FormatError if it is none."""


def _hogwarts() -> Originals:
    from lanista.formats import (  # noqa: PLC0415 - when asked for
        hogwarts,
        hogwarts_explain,
        hogwarts_show,
    )
    from lanista.rules.hogwarts import RULESET  # noqa: PLC0415

    def read_cnf(text: str) -> tuple[Mapping[str, int], Any]:
        config = hogwarts.read_cnf(text)
        return config.settings, config.board

    def write(
        game: Any,
        turns: Iterable[Sequence[Verdict]],
        seed: int,
        names: Sequence[str],
        status: Status,
    ) -> Iterator[str]:
        return hogwarts.res_parts(
            hogwarts.res_of(game, turns, seed=seed, names=names, status=status)
        )

    def explain(text: str, rules: str) -> Explained:
        res = hogwarts.read_res(text)
        found = hogwarts_explain.explain(res, "text" if rules == "text" else "original")
        return Explained(
            rounds=found.rounds, of=len(res.commands), rules=rules, problem=found.problem
        )

    def replay(text: str, orders: str) -> Iterator[str]:
        res = hogwarts.read_res(text)
        settings = {**res.settings, "original": 1}
        chance = RULESET.chance(res.seed)
        game = RULESET.new(settings, RULESET.generate(settings, chance), chance)
        turns = (
            [game.parse(seat, hogwarts.submoves(said)) for seat, said in enumerate(players)]
            for players in hogwarts.read_orders(orders)
        )
        made = hogwarts.res_of(game, turns, seed=res.seed, names=res.names, word=res.word)
        return hogwarts.res_parts(made)

    def show(text: str) -> Shown:
        res = hogwarts.read_res(text)
        scene, frames = hogwarts_show.scene_of(res), hogwarts_show.frames_of(res)
        if res.word == "SecGame":
            scene, frames = _with_times(scene, frames, [state.status for state in res.states])
        return Shown(
            game="hogwarts",
            seed=res.seed,
            settings=res.settings,
            names=res.names,
            scene=scene,
            frames=frames,
        )

    return Originals(
        game="hogwarts",
        title=hogwarts.VERSION,
        rules=("original", "text"),
        read_cnf=read_cnf,
        write_cnf=lambda settings, board: hogwarts.write_cnf(hogwarts.Config(settings, board)),
        write=write,
        explain=explain,
        replay=replay,
        show=show,
    )


def _crematoria() -> Originals:
    from lanista.formats import (  # noqa: PLC0415 - when asked for
        crematoria,
        crematoria_explain,
        crematoria_show,
    )
    from lanista.rules.crematoria import RULESET  # noqa: PLC0415

    def read_cnf(text: str) -> tuple[Mapping[str, int], Any]:
        config = crematoria.read_cnf(text)
        return config.settings, config.board

    def write(
        game: Any,
        turns: Iterable[Sequence[Verdict]],
        seed: int,
        names: Sequence[str],
        status: Status,
    ) -> Iterator[str]:
        header = crematoria.Header(seed=seed, settings=game.settings, names=tuple(names))
        return crematoria.match_text(header, game, turns, status)

    def explain(text: str, rules: str) -> Explained:
        res = crematoria.read_res(text)
        found = crematoria_explain.explain(res)
        return Explained(
            rounds=found.rounds, of=len(res.movements), rules=rules, problem=found.problem
        )

    def replay(text: str, orders: str) -> Iterator[str]:
        res = crematoria.read_res(text)
        settings = res.header.settings
        chance = RULESET.chance(res.header.seed)
        game = RULESET.new(settings, RULESET.generate(settings, chance), chance)
        turns = (
            [
                game.parse(seat, [number for order in said.orders for number in order])
                for seat, said in enumerate(players)
            ]
            for players in crematoria.read_orders(orders)
        )
        return crematoria.match_text(res.header, game, turns)

    def show(text: str) -> Shown:
        res = crematoria.read_res(text)
        scene, frames = crematoria_show.scene_of(res), crematoria_show.frames_of(res)
        if res.header.judge:
            times = [position.status for position in res.positions]
            scene, frames = _with_times(scene, frames, times)
        return Shown(
            game="crematoria",
            seed=res.header.seed,
            settings=res.header.settings,
            names=res.header.names,
            scene=scene,
            frames=frames,
        )

    return Originals(
        game="crematoria",
        title=crematoria.TITLE,
        rules=("original",),
        read_cnf=read_cnf,
        write_cnf=lambda settings, board: crematoria.write_cnf(
            crematoria.Configuration(settings, board)
        ),
        write=write,
        explain=explain,
        replay=replay,
        show=show,
    )


def _with_times(
    scene: Scene,
    frames: Iterable[tuple[Frame, tuple[int, ...]]],
    statuses: Iterable[Sequence[float]],
) -> tuple[Scene, Iterator[tuple[Frame, tuple[int, ...]]]]:
    """Add to the stats what only a judge's file tells: how much of its time each player used."""

    def timed() -> Iterator[tuple[Frame, tuple[int, ...]]]:
        for (frame, scores), shares in zip(frames, statuses, strict=True):
            stats = tuple(
                (*of_seat, "out" if share < 0 else f"{share:.0%}")
                for of_seat, share in zip(frame.stats, shares, strict=True)
            )
            yield attrs.evolve(frame, stats=stats), scores

    return attrs.evolve(scene, stats=(*scene.stats, "time")), timed()


_GAMES: Mapping[str, Callable[[], Originals]] = {"hogwarts": _hogwarts, "crematoria": _crematoria}


def of_game(game: str) -> Originals | None:
    """What there is for a game; None if it has no original files."""
    make = _GAMES.get(game)
    return None if make is None else make()


def of_text(text: str) -> Originals:
    """What there is for the game that a configuration or match file names.

    Raises:
        FormatError: It names none that is known.
    """
    words = text.split(None, 8)[:8]
    known = [make() for make in _GAMES.values()]
    for originals in known:
        title = list(originals.title)
        if any(words[at : at + len(title)] == title for at in range(len(words))):
            return originals
    titles = " or ".join(f"`{' '.join(originals.title)}`" for originals in known)
    raise FormatError(f"no file of an original game: expected {titles} near its beginning", 1)


def printable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a match file can hold them: `[!-~]`, at most 12 characters."""
    return tuple(
        "".join(char if "!" <= char <= "~" else "_" for char in name)[:MAX_NAME] for name in names
    )
