"""`lanista check`: checks whether a bot is ready to play, item by item."""

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
import click

from lanista.cli import EXIT_OUR_ERROR
from lanista.cli.common import (
    bot_options,
    game_and_bots,
    limit_options,
    say,
    start_option,
)
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.picture import counted
from lanista.match.conditions import Clock

if TYPE_CHECKING:
    from lanista.check.bout import Tested, Times
    from lanista.check.gauntlet import Results
    from lanista.check.items import Item
    from lanista.hosting.bot_pool import Contestant

EXIT_FINDINGS = 1
MARKS = {
    "ok": "ok",
    "warning": "warn",
    "failed": "FAIL",
    "not-applicable": "-",
    "not-tried": "?",
}


@click.command("check")
@click.argument("words", metavar="GAME BOT", nargs=-1)
@click.option("--game", metavar="GAME", help="The game, if it isn't the first word.")
@click.option("-s", "--seed", type=int, help="The seed of all matches; a random one by default.")
@limit_options
@start_option
@bot_options
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
def command(
    words: tuple[str, ...],
    *,
    game: str | None,
    seed: int | None,
    clock: Clock,
    bot_limits: str | None,
    sandbox: str,
    as_json: bool,
) -> int:
    """Let BOT play a series of short matches of GAME and report what is wrong with it.

    GAME is one of `lanista games`. BOT is a house bot's name, or a command line in quotes, as for
    `lanista play`. It is started anew for every match. docs/bots/check.md explains each item.

    Exit codes: 0 nothing is wrong, 1 an item failed or couldn't be tried, 2 bad input, 70 the
    game's rules failed, 130 interrupted.
    """
    from lanista.bots.cgroup import use_cgroups
    from lanista.bots.keeper_process import become_subreaper
    from lanista.bots.limits import limits_of_match
    from lanista.check.bout import CheckFailureError, RulesError, Tested
    from lanista.check.items import judge, passed
    from lanista.hosting.bot_pool import Contestant
    from lanista.hosting.inputs import checked_seed, sandboxed
    from lanista.hosting.names import bot_command

    game, bots = game_and_bots(game, words)
    ruleset = registry.get(game)
    if len(bots) != 1:
        raise BadInputError(
            f"one bot is checked at a time; {len(bots)} given: lanista check {game} BOT, "
            "with a command line in quotes"
        )
    [bot] = bots
    name, argv = bot_command(game, bot)
    tested = Tested(
        bot=Contestant(
            name=name,
            command=argv,
            limits=limits_of_match(bot_limits, None),
            sandboxed=sandboxed(sandbox),
            restart=False,  # as in a tournament, it may stay for the next match
        ),
        ruleset=ruleset,
        seed=checked_seed(ruleset, seed),
        clock=clock,
    )
    if not (clock.time_init and clock.time_move):
        raise BadInputError(
            "--time-init and --time-move: 0 is no limit, and a silent bot would be waited for "
            "without end; give a number of seconds"
        )
    strongest = list(registry.house_bots(game))[-1:]
    rivals = [
        Contestant(name=house, command=bot_command(game, house)[1])
        for house in strongest * (ruleset.seats - 1)
    ]
    become_subreaper()
    use_cgroups()
    try:
        results = _run(tested, rivals, shows_progress=not as_json and sys.stderr.isatty())
    except (CheckFailureError, OSError) as error:
        message = f"the check can't be carried out: {error}"
        if isinstance(error, RulesError):
            say(f"lanista: {message}", err=True)
            return EXIT_OUR_ERROR
        raise BadInputError(message) from None
    items = judge(results)
    if as_json:
        click.echo(json.dumps(_as_json(bot, results, items)))
    else:
        say(*report(results, items))
    return 0 if passed(items) else EXIT_FINDINGS


def _run(tested: "Tested", rivals: "Sequence[Contestant]", *, shows_progress: bool) -> "Results":
    """Play the gauntlet and return its results."""
    import trio

    from lanista.check import gauntlet
    from lanista.cli.watch import cancelled_by_signals

    def announce(name: str) -> None:
        if shows_progress:
            first = tested.clock.time_init
            wait = f" (up to {first:g} s for the first answer)" if name == gauntlet.PLAIN else ""
            click.echo(f"{name} …{wait}", err=True)

    return trio.run(cancelled_by_signals, partial(gauntlet.run, tested, rivals, announce))


def report(results: "Results", items: "Sequence[Item]") -> Iterator[str]:
    """Yield the findings for people, line by line."""
    tested = results.tested
    yield f"{tested.bot.name}, {tested.ruleset.title}"
    for item in items:
        said = f" ({item.said})" if item.said else ""
        yield f"{MARKS[item.status.value]:5} {item.title}{said}"
        for line in item.evidence:
            yield f"      {line}"
        if item.advice and item.evidence:
            yield f"      → {item.advice}"
    yield _conclusion(items)
    yield f"seed {tested.seed}"


def _conclusion(items: "Sequence[Item]") -> str:
    failed = sum(item.status.value == "failed" for item in items)
    untried = sum(item.status.value == "not-tried" for item in items)
    warned = sum(item.status.value == "warning" for item in items)
    if not failed and not untried:
        return "nothing is wrong" + (f"; {counted(warned, 'item')} to look at" if warned else "")
    conclusion = f"{failed} of {counted(len(items), 'item')} failed"
    return conclusion + (f"; {untried} could not be tried" if untried else "")


def _as_json(bot: str, results: "Results", items: "Sequence[Item]") -> dict[str, Any]:
    """Return the findings as one JSON object; docs/bots/check.md describes its keys."""
    from lanista.check.bout import round_trip_of, times_of
    from lanista.check.items import passed

    tested = results.tested
    bouts = list(results.bouts.values())
    firsts, others = times_of(bouts, tested.clock)
    way = round_trip_of(bouts)
    return {
        "bot": bot,
        "game": tested.ruleset.name,
        "seed": tested.seed,
        "passed": passed(items),
        "items": [attrs.asdict(item) | {"status": item.status.value} for item in items],
        "times": {
            "first": _times_as_json(firsts),
            "other": _times_as_json(others),
            "round_trip": None
            if way is None
            else {"smoothed": way.smoothed / 1e6, "least": way.least / 1e6},
        },
    }


def _times_as_json(times: "Times") -> dict[str, Any]:
    slowest = times.slowest
    figures: dict[str, Any] = {"limit": times.limit, "count": len(times.all)}
    if slowest is not None:
        figures |= {
            "median": round(times.quantile(0.5), 6),
            "p99": round(times.quantile(0.99), 6),
            "slowest": round(slowest.seconds, 6),
            "slowest_match": slowest.bout,
            "slowest_turn": slowest.turn,
        }
    return figures
