"""`lanista sprt`: a sequential test whether one version of a bot is stronger than another."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli.common import (
    base_option,
    concurrency_option,
    display_options,
    tournament_options,
)
from lanista.cli.tournament import described
from lanista.errors import BadInputError
from lanista.games import registry

if TYPE_CHECKING:
    from lanista.competition.director import Report

EXIT_H0 = 1
EXIT_UNDECIDED = 3


@click.command("sprt")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--game", metavar="GAME", help="The game; needed unless A or B is a house bot of a single game."
)
@click.option("--elo0", type=float, default=0.0, help="H0: A is this many Elo stronger.")
@click.option("--elo1", type=float, default=10.0, help="H1: A is this many Elo stronger.")
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    help="Probability of accepting H1 if H0 is true.",
)
@click.option(
    "--beta",
    type=float,
    default=0.05,
    help="Probability of accepting H0 if H1 is true.",
)
@base_option
@tournament_options
@click.option(
    "--blocks", type=click.IntRange(min=1), metavar="MAX", help="Maximum number of blocks to play."
)
@concurrency_option(default="auto")
@click.option(
    "--name",
    metavar="NAME",
    show_default="sprt-A-B",
    help="Name of the results, NAME.db and NAME.records.",
)
@display_options
def command(
    a: str,
    b: str,
    *,
    game: str | None,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    base: int | None,
    blocks: int | None,
    concurrency: Any,
    name: str | None,
    accept_changes: bool,
    unbench: tuple[str, ...],
    as_json: bool,
    plain: bool,
    **matches: Any,
) -> int:
    """Test whether A is stronger than B, with as few matches as the answer takes.

    A and B are house bots' names, or command lines in quotes, as for `lanista play`. Blocks are
    played, each a seed in all seatings, until one of two hypotheses is accepted: H0, A is --elo0
    Elo stronger, or H1, A is --elo1 Elo stronger. The same command resumes an interrupted test.

    Exit codes: 0 H1 is accepted, 1 H0 is accepted, 2 bad input, 3 undecided: it can't continue, A
    or B is benched, or --blocks wasn't enough; 130 interrupted.
    """
    from lanista.cli.tournament_run import play
    from lanista.competition.setup import prepare

    spec = described(
        registry.get(game or game_of((a, b))),
        (a, b),
        "sprt",
        name=name,
        seeds={"count": 1, "base": base},
        blocks=blocks,
        sprt={"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta},
        concurrency=concurrency,
        **matches,
    )
    return play(
        prepare(spec, Path()),
        spec.name,
        accept_changes=accept_changes,
        unbench=unbench,
        as_json=as_json,
        plain=plain,
        code_of=code_of,
    )


def code_of(report: "Report") -> int:
    """Return the exit code of a finished test."""
    return {"H1": 0, "H0": EXIT_H0}.get(report.decision, EXIT_UNDECIDED)


def game_of(bots: Sequence[str]) -> str:
    """Return the game for which all the house bots among these are."""
    games = [{game for game in registry.ours() if bot in registry.house_bots(game)} for bot in bots]
    common = set.intersection(*filter(None, games)) if any(games) else set(registry.ours())
    if len(common) == 1:
        return common.pop()
    raise BadInputError(
        f"--game: {' and '.join(bots)} may be of any game, or of different ones: name theirs; "
        f"known are {', '.join(registry.ours())}"
    )
