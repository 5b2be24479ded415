"""Match files of the original games for tests: written from a game, and from what was read."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from lanista.games.base import Verdict
from lanista.games.originals import Originals, Res, played


def match_text(
    originals: Originals[Any, Any],
    game: Any,
    turns: Iterable[Sequence[Verdict]],
    *,
    seed: int,
    names: Sequence[str],
) -> Iterator[str]:
    """The parts of the match file of a game that is played through these turns."""
    return originals.write(played(game, turns), seed, names, lambda _: (0.0,) * 4)


def write_res(originals: Originals[Any, Any], res: Res[Any, Any]) -> str:
    """The match file with this content."""
    parts = [f"{res.word}\n\nSeed {res.seed}\n\n{originals.header(res.settings, res.names)}"]
    for commands, state in zip((None, *res.commands), res.states, strict=True):
        parts += [] if commands is None else [originals.commands_text(commands)]
        parts.append(originals.state_text(state, state.status))
    return "".join(parts)


def shortened(res: Res[Any, Any], rounds: int = 4) -> Res[Any, Any]:
    """The match as if it had ended after so many rounds."""
    name = next(name for name in res.settings if name.lower().endswith("_rounds"))
    return attrs.evolve(
        res,
        settings={**res.settings, name: rounds},
        states=res.states[: rounds + 1],
        commands=res.commands[:rounds],
    )
