"""Playing a tournament from the command line: its display, the signals that end it; its check."""

import contextlib
import itertools
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

import click
import trio

from lanista.bots.cgroup import use_cgroups
from lanista.bots.keeper_process import become_subreaper
from lanista.cli import EXIT_BAD_INPUT, EXIT_INTERRUPTED
from lanista.cli.common import last_lines, say, warn_of_bombs
from lanista.cli.tables import stdout_console
from lanista.cli.tournament_live import (
    JsonDisplay,
    LineDisplay,
    LiveDisplay,
    Silenced,
    blocks_text,
    duration,
)
from lanista.cli.watch import watch_signals
from lanista.competition import events, worker
from lanista.competition.formats.base import Format
from lanista.competition.running import check_places, open_tournament
from lanista.competition.setup import Opening, Setup
from lanista.competition.spec import SeedCount
from lanista.competition.worker import Trial
from lanista.errors import BadInputError, SpecError, StoreError, printable
from lanista.games.picture import counted
from lanista.nurseries import helpers_nursery
from lanista.results.engines import where_of
from lanista.system import interrupted_by_signals

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.competition.director import Director, Report


EXIT_HALTED = 3
REFRESH = 0.25
"""Seconds between two drawings of the live display."""
STANDINGS_EVERY = 3.0
"""Seconds between two updates of the standings, or more if computing them takes long."""


def play(
    setup: Setup,
    source: str,
    *,
    accept_changes: bool = False,
    unbench: tuple[str, ...] = (),
    as_json: bool = False,
    plain: bool = False,
    code_of: "Callable[[Report], int] | None" = None,
    page: "PagePort | None" = None,
) -> int:
    """Play the rest of a tournament, show it, and return the exit code.

    `source` is the file or test that describes it, for messages. `code_of` returns the code of one
    that was played to its end, by default 0. A page shows it until the last viewer leaves.
    """
    warn_of_bombs(setup.contestants.values())
    is_live = not as_json and not plain and sys.stdout.isatty()
    of_people = LiveDisplay if is_live else LineDisplay
    display = Silenced(JsonDisplay() if as_json else of_people(stdout_console(), setup.records))
    halts: list[events.Halted] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.Halted):
            halts.append(event)
        with display.shown() as shown:
            shown.event(event)

    try:
        with (
            open_tournament(
                setup, accept_changes=accept_changes, unbench=unbench, on_event=on_event
            ) as director,
            display,
        ):

            def show_end(report: "Report") -> None:
                with display.shown() as shown:
                    shown.end(report.standings, _ending(setup, report))

            report = trio.run(_run, director, display, is_live, show_end, page)
    except SpecError as error:
        raise BadInputError(f"{source}: {error}") from None
    except OSError as error:
        where = error.filename or setup.records
        raise BadInputError(f"can't use {where}: {error.strerror or error}") from None
    with contextlib.suppress(OSError):  # stderr is closed
        for halt in halts:
            if halt.trace:
                click.echo(printable(halt.trace, "\n"), err=True)
        if display.trouble:
            click.echo(f"some output couldn't be printed: {display.trouble}", err=True)
    if report.halted:
        return EXIT_HALTED
    if report.interrupted:
        return EXIT_INTERRUPTED
    if display.is_full:
        return EXIT_BAD_INPUT
    return code_of(report) if code_of is not None else 0


def _ending(setup: Setup, report: "Report") -> list[str]:
    lines = [f"results {where_of(setup.database)}", f"records {setup.records}"]
    if report.halted:
        lines.append(f"halted: {report.halted}; run the same command again to resume")
    elif report.interrupted:
        lines.append("interrupted; run the same command again to resume")
    return lines


async def _run(
    director: "Director",
    display: Silenced,
    is_live: bool,
    show_end: "Callable[[Report], None]",
    page: "PagePort | None",
) -> "Report":
    """Run the tournament; the first signal lets running blocks finish, the second stops it.

    If there is a page, it stays after the tournament until it is closed, or the next signal.
    """
    staying = trio.CancelScope()
    signals = itertools.count(1)

    def on_signal() -> None:
        staying.cancel()
        if next(signals) == 1:
            director.finish()
        else:
            director.stop()

    async with helpers_nursery() as nursery:
        await nursery.start(watch_signals, on_signal)
        server = None
        if page is not None:
            server = await page.open_for_tournaments(nursery)
            name = quote(director.setup.spec.name, safe="")
            with display.shown() as shown:
                shown.note(f"page: {page.url(server, f'/tournament/{name}')}")
        async with helpers_nursery() as drawing:
            if is_live:
                drawing.start_soon(_draw, display)
                drawing.start_soon(_keep_standings, director, display)
            report = await director.run()
        show_end(report)
        if server is not None and report.over and server.viewers:
            with display.shown() as shown:
                shown.note("the page stays until it is closed; Ctrl-C ends it")
            with staying:
                await server.wait_without_viewers()
        return report


async def _draw(display: Silenced) -> None:
    while True:
        with display.shown() as shown:
            shown.refresh()
        await trio.sleep(REFRESH)


async def _keep_standings(director: "Director", display: Silenced) -> None:
    """Keep the display's standings up to date, using a tenth of the time at most."""
    while True:
        began = trio.current_time()
        with contextlib.suppress(StoreError):  # if the error persists, the director reports it
            standings = await director.standings()
            with display.shown() as shown:
                shown.standings(standings)
        took = trio.current_time() - began
        await trio.sleep(max(STANDINGS_EVERY, 10 * took))


# -- the check of a tournament --------------------------------------------------------------------

EXIT_FAILED = 1
SEEDS_SHOWN = 5
"""Maximum number of a spec's seeds that are shown."""


def check(setup: Setup, format_: Format) -> int:
    """Let each bot play, print the results and the plan, and return the exit code."""
    check_places(setup)
    become_subreaper()
    use_cgroups()
    trials: list[Trial] = []
    say(heading(setup))
    with interrupted_by_signals():
        try:
            for name in setup.bots:
                trials.append(
                    worker.try_bot(setup.match_setup, setup.contestants[name], _opening(setup))
                )
                say(*trial_lines(trials[-1]))
        except KeyboardInterrupt:
            click.echo("lanista tournament check: interrupted", err=True)
            return EXIT_INTERRUPTED
        finally:
            worker.close()
    say(*plan(setup, format_, trials))
    return EXIT_FAILED if any(trial.trouble for trial in trials) else 0


def _opening(setup: Setup) -> Opening:
    """Return the first opening of the spec, or another one if the tournament's seeds are secret."""
    if setup.needs_base_seed and not setup.base_seed:
        setup.base_seed = f"a trial at {time.time_ns()}"
    return setup.opening(0)


def heading(setup: Setup) -> str:
    """Return the heading: name, game, format, number of bots."""
    spec = setup.spec
    fillers = f" and {', '.join(setup.fillers)} to fill" if setup.fillers else ""
    bots = counted(len(setup.bots), "bot")
    return f"{spec.name}: {setup.ruleset.title}, {spec.format}, {bots}{fillers}"


def trial_lines(trial: Trial) -> Iterator[str]:
    """Yield how a bot did, as lines; they aren't escaped, though its output may hold anything."""
    if trial.trouble:
        yield f"FAIL  {trial.bot}: {trial.trouble}"
        yield from (f"      {line}" for line in last_lines(trial.output))
        return
    figures = f"hello after {trial.hello_after:.2f} s, {trial.turns} turns in {trial.seconds:.2f} s"
    mark = "warn" if trial.warning else "ok"
    yield f"{mark:5} {trial.bot}: {figures}, slowest answer {1000 * trial.slowest:.1f} ms"
    if trial.warning:
        yield f"      {trial.warning}"


def plan(setup: Setup, format_: Format, trials: list[Trial]) -> Iterator[str]:
    """Yield a description of the tournament, line by line."""
    planned = format_.progress().planned
    each = len(format_.seated)
    matches = counted(each, "match")
    if planned is None:
        yield f"blocks: as many as it takes, each {matches}"
    else:
        yield f"blocks: {blocks_text(planned, None)}, each {matches}: {planned * each} in all"
    good = [trial for trial in trials if not trial.trouble]
    if good:
        times = [trial.seconds + (0.0 if trial.stays else trial.hello_after) for trial in good]
        expected = slowest_seat(times, setup.ruleset.seats)
        time_text = f"time: about {expected:.1f} s a match"
        if planned is not None:
            time_text += f", {duration(planned * each * expected)} for all, one at a time"
        yield time_text
    yield f"seeds: {seeds_text(setup)}"
    if setup.spec.maps:
        yield f"maps: {', '.join(setup.match_setup.settings)}"
    yield f"results: {where_of(setup.database)}, records in {setup.records}"


def slowest_seat(times: Sequence[float], seats: int) -> float:
    """Return the mean over all line-ups of the time of the slowest bot in each, in seconds.

    There is a bot for each of the times, and any of them may take any of the seats.
    """
    seats = min(seats, len(times))
    line_ups = math.comb(len(times), seats)
    # In line-ups in which a bot is the slowest, the others are from those that are faster.
    return sum(
        time * math.comb(faster, seats - 1) / line_ups for faster, time in enumerate(sorted(times))
    )


def seeds_text(setup: Setup) -> str:
    """Return which seeds a spec has, and how its format uses them."""
    spec = setup.spec
    seeds = spec.seeds
    if isinstance(seeds, SeedCount):
        drawn = "a secret kept in the database" if seeds.base is None else f"base {seeds.base}"
        text = f"{seeds.count}, drawn from {drawn}"
    else:
        shown = ", ".join(map(str, seeds[:SEEDS_SHOWN]))
        text = shown if len(seeds) <= SEEDS_SHOWN else f"{len(seeds)}: {shown}, …"
    if spec.format.is_planned:
        return text
    return f"{text}; each {'round' if spec.format.has_rounds else 'block'} is on the next ones"
