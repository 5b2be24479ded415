"""Golden playthroughs: what a file holds, how a game is played into one and played again.

A file is JSON lines: a header (`game`, `version`, `settings`, `seed`, `board`), a line a turn
(`turn`, by seat `answers`: the raw line, or `{"verdict": …}` where there was none; `digest`
after it), and last the outcome. The answers are stored, so that a file means the same whatever
player made it.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import attrs

from lanista.games import registry
from lanista.games.base import (
    Answer,
    Game,
    Late,
    Malformed,
    MalformedAnswerError,
    Missing,
    Out,
    Refusal,
    RefusalCode,
    Verdict,
    complete_settings,
)
from lanista.games.outcome import Outcome
from lanista_protocol import MalformedLineError, tokenize

FOLDER = Path(__file__).parents[1] / "conformance" / "golden"
SILENT = {"late": Late(), "missing": Missing(), "out": Out()}

Raw = str | dict[str, str]
Answers = Callable[[Game], Sequence[Raw] | None]
"""The raw answers of the next turn, or None to stop."""


@attrs.frozen(kw_only=True)
class GoldenGame:
    """A game to be played into a file."""

    name: str
    """File name without ending; begins with the ruleset's name and `-`."""
    game: str
    seed: int
    answers: Answers
    settings: dict[str, int] = attrs.field(factory=dict)
    board: str | None = None
    """A board file; None: the seed makes one."""


def verdict(game: Game, seat: int, raw: Raw) -> Verdict:
    """What the runner would say of a raw answer."""
    if not isinstance(raw, str):
        return SILENT[raw["verdict"]]
    try:
        return game.parse(seat, tokenize(raw))
    except MalformedLineError as error:
        return Malformed(Refusal(RefusalCode.MALFORMED, str(error)))
    except MalformedAnswerError as error:
        return Malformed(error.refusal)


def refusals(game: Game, turn: Sequence[Raw]) -> list[str]:
    """Which answers of a turn don't count, as `seat code index`; no words, which may change."""
    found = []
    for seat, raw in enumerate(turn):
        judged = verdict(game, seat, raw)
        if isinstance(judged, Answer):
            found += [f"{seat} {RefusalCode.ILLEGAL.value} {index}" for index in judged.refused]
        elif isinstance(judged, Malformed):
            found.append(f"{seat} {judged.refusal.code.value} {judged.refusal.index}")
    return found


def _described(outcome: Outcome | None) -> dict[str, object] | None:
    return outcome and {
        "end": outcome.termination.value,
        "reason": outcome.reason,
        "ranks": list(outcome.ranks),
        "scores": list(outcome.scores),
    }


def played(golden: GoldenGame) -> list[dict[str, object]]:
    """Play a game and tell it, a dictionary a line of the file."""
    ruleset = registry.get(golden.game)
    settings = complete_settings(ruleset, golden.settings)
    board = golden.board
    if board is None:
        board = ruleset.write_board(ruleset.generate(settings, ruleset.chance(golden.seed)))
    header = {
        "game": golden.game,
        "version": ruleset.version,
        "settings": settings,
        "seed": golden.seed,
        "generated": golden.board is None,
        "board": board.splitlines(),
    }
    game, lines = begun(header), [header]
    while game.outcome() is None and (turn := golden.answers(game)) is not None:
        lines.append(_turn(game, turn, len(lines) - 1))
    return [*lines, {"outcome": _described(game.outcome())}]


def _turn(game: Game, answers: Sequence[Raw], number: int) -> dict[str, object]:
    """Carry out a turn and tell it."""
    line: dict[str, object] = {"turn": number, "answers": list(answers)}
    refused = refusals(game, answers)
    if refused:
        line["refused"] = refused
    game.advance([verdict(game, seat, raw) for seat, raw in enumerate(answers)])
    return {**line, "digest": game.digest()}


def begun(header) -> Game:
    """The game of a file before its first turn, from what its header says."""
    ruleset = registry.get(header["game"])
    settings, chance = header["settings"], ruleset.chance(header["seed"])
    board = ruleset.read_board("\n".join(header["board"]) + "\n")
    if header["generated"]:
        made = ruleset.generate(settings, chance)
        assert board == made, f"seed {header['seed']} makes another board"
    return ruleset.new(settings, board, chance)


def replayed(lines: Sequence[dict]) -> Iterator[tuple[dict, dict]]:
    """Play a file again: by turn and for the outcome, what it says and what comes now."""
    game = begun(lines[0])
    for number, line in enumerate(lines[1:-1]):
        assert game.outcome() is None, f"over before turn {number}"
        yield line, _turn(game, line["answers"], number)
    yield lines[-1], {"outcome": _described(game.outcome())}


def read(path: Path) -> list[dict]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, lines: Sequence[dict]) -> None:
    """A file from its lines."""
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
