"""The games that have files of an original program, and what can be done with these files.

A table with the same functions for every game, so that no command needs to know a game's name.
Text in, text out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from lanista.formats.tokens import FormatError
from lanista.rules.base import Game, Verdict
from lanista.rules.picture import Frame, Scene

MAX_NAME = 12
"""The number of characters of a player's name that an original program accepts."""

Status = Callable[[int], Sequence[float]]
"""A function that returns the players' status in a round, by seat: 0, or -1 if it is out."""


@attrs.frozen(kw_only=True)
class Explanation:
    """The number of rounds of a match file that the rules explain, and the problem after them."""

    rounds: int
    """The number of rounds explained, from the first one on."""
    of: int
    """The number of rounds of the file."""
    rules: str
    """The rules by which it was explained: `original` or `text`."""
    problem: str | None
    """What the rules don't allow in the next round; None: every round is explained."""


@attrs.frozen(kw_only=True)
class Shown:
    """A match file for viewers: the file's own positions, with nothing played again."""

    game: str
    seed: int
    settings: Mapping[str, int]
    """The settings in the file, which has none of those that only Lanista knows."""
    names: tuple[str, ...]
    """The players' names, by seat."""
    scene: Scene
    """The scene, as a game's; for a judge's file, `time` is the last one of `stats`."""
    frames: Iterator[tuple[Frame, tuple[int, ...]]]
    """The frame and the scores by seat of each round, from the start on; can be read once."""


@attrs.frozen(kw_only=True)
class Originals:
    """The functions for the files of one game's original program."""

    game: str
    title: tuple[str, ...]
    """The words by which the files name the game."""
    rules: tuple[str, ...]
    """The rules by which a match file can be explained, the original program's first."""
    read_cnf: Callable[[str], tuple[Mapping[str, int], Any]]
    """Reads a configuration into its settings and board; None: the seed makes the board."""
    write_cnf: Callable[[Mapping[str, int], Any], str]
    """Writes a configuration from settings and a board, or None."""
    write: Callable[[Game, Iterable[Sequence[Verdict]], int, Sequence[str], Status], Iterator[str]]
    """Plays a game from its start through these turns, and yields the parts of its match file.

    Takes the game, its turns, the seed, the players' names and their status by round.
    """
    explain: Callable[[str, str], Explanation]
    """Explains a match file's text by some rules; FormatError if it isn't a match file."""
    replay: Callable[[str, str], Iterator[str]]
    """Plays an orders file with the seed of a match file, and yields the resulting match file."""
    show: Callable[[str], Shown]
    """Makes of a match file's text what viewers draw; FormatError if it isn't a match file."""


def _hogwarts() -> Originals:
    from lanista.formats import (  # noqa: PLC0415 - only once it is needed
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

    def explain(text: str, rules: str) -> Explanation:
        res = hogwarts.read_res(text)
        explanation = hogwarts_explain.explain(res, "text" if rules == "text" else "original")
        return Explanation(
            rounds=explanation.rounds,
            of=len(res.commands),
            rules=rules,
            problem=explanation.problem,
        )

    def replay(text: str, orders: str) -> Iterator[str]:
        res = hogwarts.read_res(text)
        settings = {**res.settings, "original": 1}
        chance = RULESET.chance(res.seed)
        game = RULESET.new(settings, RULESET.generate(settings, chance), chance)
        turns = (
            [
                game.parse(seat, hogwarts.submoves(submitted))
                for seat, submitted in enumerate(players)
            ]
            for players in hogwarts.read_orders(orders)
        )
        return hogwarts.res_parts(
            hogwarts.res_of(game, turns, seed=res.seed, names=res.names, word=res.word)
        )

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
        write_cnf=lambda settings, board: hogwarts.write_cnf(
            hogwarts.Configuration(settings, board)
        ),
        write=write,
        explain=explain,
        replay=replay,
        show=show,
    )


def _crematoria() -> Originals:
    from lanista.formats import (  # noqa: PLC0415 - only once it is needed
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

    def explain(text: str, rules: str) -> Explanation:
        res = crematoria.read_res(text)
        explanation = crematoria_explain.explain(res)
        return Explanation(
            rounds=explanation.rounds,
            of=len(res.movements),
            rules=rules,
            problem=explanation.problem,
        )

    def replay(text: str, orders: str) -> Iterator[str]:
        res = crematoria.read_res(text)
        settings = res.header.settings
        chance = RULESET.chance(res.header.seed)
        game = RULESET.new(settings, RULESET.generate(settings, chance), chance)
        turns = (
            [
                game.parse(seat, [number for order in submitted.orders for number in order])
                for seat, submitted in enumerate(players)
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
    """Add the share of its time that each player used to the stats; only a judge's file has it."""

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
    """Return the functions for a game's original files; None if there are none."""
    make = _GAMES.get(game)
    return None if make is None else make()


def of_text(text: str) -> Originals:
    """Return the functions for the game that a configuration or match file names.

    Raises:
        FormatError: The text names no known game.
    """
    words = text.split(None, 8)[:8]
    known = [make() for make in _GAMES.values()]
    for originals in known:
        title = list(originals.title)
        if any(words[index : index + len(title)] == title for index in range(len(words))):
            return originals
    titles = " or ".join(f"`{' '.join(originals.title)}`" for originals in known)
    raise FormatError(f"not a file of an original game: expected {titles} near its beginning", 1)


def printable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as a match file can hold them: at most 12 characters of `[!-~]`, else `_`."""
    return tuple(
        "".join(char if "!" <= char <= "~" else "_" for char in name)[:MAX_NAME] for name in names
    )
