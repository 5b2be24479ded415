"""`lanista tournament check`: lets each bot play against itself, and describes the tournament."""

import math
import signal
import time
from collections.abc import Iterator, Sequence

import click

from lanista.bots.cgroup import use_cgroups
from lanista.bots.keeper_process import become_subreaper
from lanista.cli import EXIT_INTERRUPTED
from lanista.cli.common import last_lines, say
from lanista.cli.tournament_live import blocks_text, duration
from lanista.competition import worker
from lanista.competition.formats.base import Format
from lanista.competition.setup import Opening, Setup
from lanista.competition.spec import SeedCount
from lanista.competition.worker import Trial
from lanista.games.picture import counted
from lanista.results.engines import where_of
from lanista.system import heeded

EXIT_FAILED = 1
SEEDS_SHOWN = 5
"""Maximum number of a spec's seeds that are shown."""


def check(setup: Setup, format_: Format) -> int:
    """Let each bot play, print the results and the plan, and return the exit code."""
    become_subreaper()
    use_cgroups()
    trials: list[Trial] = []
    say(heading(setup))
    handlers = {
        number: signal.getsignal(number) for number in heeded((signal.SIGTERM, signal.SIGHUP))
    }
    for number in handlers:
        signal.signal(number, signal.default_int_handler)
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
        for number, handler in handlers.items():
            signal.signal(number, handler)
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
    each = "round" if spec.format.has_rounds else "block"
    further = (
        ""
        if setup.needs_base_seed and isinstance(seeds, SeedCount)
        else ("; further ones are drawn as needed")
    )
    return f"{text}; each {each} is on the next ones{further}"
