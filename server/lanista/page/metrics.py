"""An arena's figures in the text format of Prometheus, for `/metrics` (docs/api.md).

The arena keeps plain numbers (`arena.matches.figures` and others). They are read in the event loop
when somebody asks; their text, which takes milliseconds, is made in a thread.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import attrs
import trio
from prometheus_client import ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from lanista import __version__
from lanista.arena.arena import Arena
from lanista.match.figures import Histogram

MICROSECOND = 1e-6


_PROCESS = ProcessCollector(registry=None)
"""Reads what the system knows of this process."""


async def metrics_text(arena: Arena, page: Mapping[str, int]) -> bytes:
    """Return an arena's figures as they are now; `page` has its page's connections by kind."""
    return await trio.to_thread.run_sync(_text, list(_families(arena, page)))


def _text(families: Sequence[Metric]) -> bytes:
    return generate_latest(_Collected([*families, *_PROCESS.collect()]))


@attrs.frozen
class _Collected(Collector):
    families: Sequence[Metric]

    def collect(self) -> Sequence[Metric]:
        return self.families


def _families(arena: Arena, page: Mapping[str, int]) -> Iterator[Metric]:
    gauge, counter = partial(_family, GaugeMetricFamily), partial(_family, CounterMetricFamily)
    figures = arena.matches.figures
    yield gauge("info", "Always 1; the version is in the label.", "version", {__version__: 1})
    yield gauge("ready", "1 if bots that connect now are served.", "", {"": arena.is_ready})

    about = "Matches that are over; ladder is empty for friendly rooms."
    yield counter("matches", about, "game ladder end", figures.matches)
    yield counter("turns", "Turns of matches that are over.", "game", figures.turns)
    late: dict[tuple[str, str], int] = {}
    for game, counted in figures.by_game.items():
        late |= {(game, "bot"): counted.late, (game, "stall"): counted.late_in_stalls}
    about = "Late answers, by cause: the bot, or a stall of the arena's machine."
    yield counter("late_answers", about, "game fault", late)
    about = "Time from a turn's hand-over to each answer's arrival."
    answers = {game: counted.answers for game, counted in figures.by_game.items()}
    yield _histograms("answer_seconds", about, "game", answers, MICROSECOND)
    about = "Time from the arrival of a turn's last answer to the beginning of the next turn."
    own = {game: counted.own for game, counted in figures.by_game.items()}
    yield _histograms("own_turn_seconds", about, "game", own, MICROSECOND)
    about = (
        "Round trips between arena and bots, as the system measured them at the beginning of each "
        "match and in every 32nd turn."
    )
    ways = {game: counted.round_trips for game, counted in figures.by_game.items()}
    yield _histograms("round_trip_seconds", about, "game", ways, MICROSECOND)
    games = Counter(match.ruleset.name for match in arena.running.matches.values())
    shown = {arena.options.default.name: 0, **figures.turns, **games}
    running = {game: games[game] for game in shown}
    yield gauge("matches_running", "Running matches.", "game", running)

    loops = arena.matches.player.lags.items()
    about = "Heartbeats of each event loop, 100 a second while matches run."
    yield counter("loop_beats", about, "loop", {name: lag.beats for name, lag in loops})
    about = "Seconds by which heartbeats were late."
    yield counter("loop_lag_seconds", about, "loop", {name: lag.lag for name, lag in loops})
    about = "Heartbeats that were late by more than 2 ms."
    yield counter("loop_stalls", about, "loop", {name: lag.stalls for name, lag in loops})
    about = "Seconds of these stalls."
    yield counter("loop_stalled_seconds", about, "loop", {name: lag.stalled for name, lag in loops})
    about = "The longest stall since the loop's process was started."
    longest = {name: lag.longest for name, lag in loops}
    yield gauge("loop_longest_stall_seconds", about, "loop", longest)

    about = (
        "Connections of bots: before their hello, waiting, in a match, or being told why they must "
        "leave."
    )
    yield gauge("connections", about, "state", arena.connections.by_state())
    most = {"": arena.options.spec.max_connections}
    yield gauge("connections_max", "Places for connections.", "", most)
    about = "Connections outside of matches that were closed with an error."
    refusals = {code.value: number for code, number in figures.refusals.items()}
    yield counter("refusals", about, "code", refusals)

    ladders = arena.ladders.items()
    bots = {(name, each): n for name, room in ladders for each, n in room.presence().items()}
    yield gauge("ladder_bots", "Bots on each ladder.", "ladder state", bots)
    about = "Results in memory that wait for the database."
    waiting = {name: room.results.waiting for name, room in ladders}
    yield gauge("results_waiting", about, "ladder", waiting)
    about = "Results that can't be stored, so they don't count; the log says why."
    refused = {name: room.results.refused for name, room in ladders}
    yield counter("results_refused", about, "ladder", refused)
    about = "Time of each transaction of results."
    times = {name: room.results.times for name, room in ladders}
    yield _histograms("store_seconds", about, "ladder", times)

    about = "Matches that wait until their board can be made."
    yield gauge("boards_waiting", about, "", {"": arena.matches.player.boards.waiting})
    about = "Pieces of work for connections that wait for their turn."
    yield gauge("background_waiting", about, "", {"": arena.connections.background.waiting})
    yield gauge("page_connections", "Connections of the page.", "kind", page)


def _family(
    kind: type[CounterMetricFamily | GaugeMetricFamily],
    name: str,
    about: str,
    labels: str,
    values: Mapping[Any, float],
) -> Metric:
    """Return a family with values by one label or a tuple of them; `labels` has their names."""
    family = kind(f"lanista_{name}", about, labels=labels.split())
    for of, value in values.items():
        family.add_metric((of,) if isinstance(of, str) else of, value)
    return family


def _histograms(
    name: str, about: str, label: str, values: Mapping[str, Histogram], unit: float = 1.0
) -> Metric:
    """Return a family with histograms; `unit` is that of their values in seconds."""
    family = HistogramMetricFamily(f"lanista_{name}", about, labels=[label])
    for of, histogram in values.items():
        bounds = [*(f"{bound * unit:.6g}" for bound in histogram.bounds), "+Inf"]
        buckets = list(zip(bounds, accumulate(histogram.counts), strict=True))
        family.add_metric([of], buckets, histogram.total * unit)
    return family
