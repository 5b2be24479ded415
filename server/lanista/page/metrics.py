"""An arena's figures in the text format of Prometheus, for `/metrics` (docs/api.md).

The arena keeps plain numbers (`arena.matches.figures` and others). They are read in the event loop
when somebody asks; their text, which takes milliseconds, is made in a thread.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

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
    """Gives what was collected already."""

    families: Sequence[Metric]

    def collect(self) -> Sequence[Metric]:
        """Return it."""
        return self.families


def _families(arena: Arena, page: Mapping[str, int]) -> Iterator[Metric]:
    about = GaugeMetricFamily(
        "lanista_info", "Always 1; the version is in the label.", labels=["version"]
    )
    about.add_metric([__version__], 1)
    yield about
    yield GaugeMetricFamily(
        "lanista_ready", "1 if bots that connect now are served.", int(arena.is_ready)
    )
    yield from _matches(arena)
    yield from _loops(arena)
    yield from _connections(arena)
    yield from _ladders(arena)
    yield GaugeMetricFamily(
        "lanista_boards_waiting",
        "Matches that wait until their board can be made.",
        arena.matches.player.boards.waiting,
    )
    yield GaugeMetricFamily(
        "lanista_background_waiting",
        "Pieces of work for connections that wait for their turn.",
        arena.connections.background.waiting,
    )
    connections = GaugeMetricFamily(
        "lanista_page_connections", "Connections of the page.", labels=["kind"]
    )
    for kind, number in page.items():
        connections.add_metric([kind], number)
    yield connections


def _matches(arena: Arena) -> Iterator[Metric]:
    figures = arena.matches.figures
    matches = CounterMetricFamily(
        "lanista_matches",
        "Matches that are over; ladder is empty for friendly rooms.",
        labels=["game", "ladder", "end"],
    )
    for labels, number in figures.matches.items():
        matches.add_metric(labels, number)
    yield matches
    turns = CounterMetricFamily("lanista_turns", "Turns of matches that are over.", labels=["game"])
    for game, number in figures.turns.items():
        turns.add_metric([game], number)
    yield turns
    late = CounterMetricFamily(
        "lanista_late_answers",
        "Late answers, by cause: the bot, or a stall of the arena's machine.",
        labels=["game", "fault"],
    )
    answers = HistogramMetricFamily(
        "lanista_answer_seconds",
        "Time from a turn's hand-over to each answer's arrival.",
        labels=["game"],
    )
    own = HistogramMetricFamily(
        "lanista_own_turn_seconds",
        "Time from the arrival of a turn's last answer to the beginning of the next turn.",
        labels=["game"],
    )
    ways = HistogramMetricFamily(
        "lanista_round_trip_seconds",
        "Round trips between arena and bots, as the system measured them at the beginning of each "
        "match and in every 32nd turn.",
        labels=["game"],
    )
    for game, counted in figures.by_game.items():
        late.add_metric([game, "bot"], counted.late)
        late.add_metric([game, "stall"], counted.late_in_stalls)
        _add_histogram(answers, [game], counted.answers, MICROSECOND)
        _add_histogram(own, [game], counted.own, MICROSECOND)
        _add_histogram(ways, [game], counted.round_trips, MICROSECOND)
    yield from (late, answers, own, ways)
    running = GaugeMetricFamily("lanista_matches_running", "Running matches.", labels=["game"])
    games = Counter(match.ruleset.name for match in arena.running.matches.values())
    for game in {arena.options.default.name: 0, **figures.turns, **games}:
        running.add_metric([game], games[game])
    yield running


def _loops(arena: Arena) -> Iterator[Metric]:
    beats = CounterMetricFamily(
        "lanista_loop_beats",
        "Heartbeats of each event loop, 100 a second while matches run.",
        labels=["loop"],
    )
    lag = CounterMetricFamily(
        "lanista_loop_lag_seconds", "Seconds by which heartbeats were late.", labels=["loop"]
    )
    stalls = CounterMetricFamily(
        "lanista_loop_stalls", "Heartbeats that were late by more than 2 ms.", labels=["loop"]
    )
    stalled = CounterMetricFamily(
        "lanista_loop_stalled_seconds", "Seconds of these stalls.", labels=["loop"]
    )
    longest = GaugeMetricFamily(
        "lanista_loop_longest_stall_seconds",
        "The longest stall since the loop's process was started.",
        labels=["loop"],
    )
    for name, loop in arena.matches.player.lags.items():
        beats.add_metric([name], loop.beats)
        lag.add_metric([name], loop.lag)
        stalls.add_metric([name], loop.stalls)
        stalled.add_metric([name], loop.stalled)
        longest.add_metric([name], loop.longest)
    yield from (beats, lag, stalls, stalled, longest)


def _connections(arena: Arena) -> Iterator[Metric]:
    connections = GaugeMetricFamily(
        "lanista_connections",
        "Connections of bots: before their hello, waiting, in a match, or being told why they "
        "must leave.",
        labels=["state"],
    )
    for state, number in arena.connections.by_state().items():
        connections.add_metric([state], number)
    yield connections
    yield GaugeMetricFamily(
        "lanista_connections_max", "Places for connections.", arena.options.spec.max_connections
    )
    refusals = CounterMetricFamily(
        "lanista_refusals",
        "Connections outside of matches that were closed with an error.",
        labels=["code"],
    )
    for code, number in arena.matches.figures.refusals.items():
        refusals.add_metric([code.value], number)
    yield refusals


def _ladders(arena: Arena) -> Iterator[Metric]:
    bots = GaugeMetricFamily(
        "lanista_ladder_bots", "Bots on each ladder.", labels=["ladder", "state"]
    )
    waiting = GaugeMetricFamily(
        "lanista_results_waiting",
        "Results in memory that wait for the database.",
        labels=["ladder"],
    )
    refused = CounterMetricFamily(
        "lanista_results_refused",
        "Results that can't be stored, so they don't count; the log says why.",
        labels=["ladder"],
    )
    times = HistogramMetricFamily(
        "lanista_store_seconds", "Time of each transaction of results.", labels=["ladder"]
    )
    for name, room in arena.ladders.items():
        for state, number in room.presence().items():
            bots.add_metric([name, state], number)
        waiting.add_metric([name], room.results.waiting)
        refused.add_metric([name], room.results.refused)
        _add_histogram(times, [name], room.results.times)
    yield from (bots, waiting, refused, times)


def _add_histogram(
    family: HistogramMetricFamily, labels: Sequence[str], histogram: Histogram, unit: float = 1.0
) -> None:
    """Add a histogram to a family; `unit` is that of its values in seconds."""
    bounds = [*(f"{bound * unit:.6g}" for bound in histogram.bounds), "+Inf"]
    buckets = list(zip(bounds, accumulate(histogram.counts), strict=True))
    family.add_metric(labels, buckets, histogram.total * unit)
