"""Playing a tournament from the command line: its display, and the signals that end it.

`lanista tournament run` and `lanista sprt` share it; `lanista.competition` plays.
"""

import contextlib
import itertools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

import click
import trio

from lanista.bots.execute import printable
from lanista.cli import EXIT_BAD_INPUT, EXIT_INTERRUPTED
from lanista.cli.common import warn_of_bombs
from lanista.cli.tables import stdout_console
from lanista.cli.tournament_live import (
    Display,
    JsonDisplay,
    LineDisplay,
    LiveDisplay,
    Silenced,
)
from lanista.cli.watch import GRACE, watch_signals
from lanista.competition import events
from lanista.competition.running import open_tournament
from lanista.competition.setup import Setup
from lanista.competition.stored_blocks import read_stored_blocks
from lanista.errors import BadInputError, StoreError
from lanista.games.picture import counted
from lanista.nurseries import helpers_nursery
from lanista.results.database import Store
from lanista.results.engines import where_of
from lanista.toml_spec import SpecError

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.competition.director import Director, Report

EXIT_HALTED = 3
REFRESH = 0.25
"""Seconds between two drawings of the live display."""
STANDINGS_EVERY = 3.0
"""Seconds between two updates of the standings, or more if computing them takes long."""
STEPS_SHOWN = 9
"""Maximum number of distinct scores of a block whose counts are listed; two seats have five."""


class Scores:
    """Counts how often A had which number of points in the blocks of a test."""

    def __init__(self, first: str) -> None:
        """Begin with no blocks of A, which has this name."""
        self._first = first
        self._counts: Counter[float] = Counter()
        self._most = 0.0  # the points that A can have in a block

    def begin(self, setup: Setup) -> None:
        """Count the blocks that were played before."""
        with Store.open(setup.database, create=False) as store, store.reading() as now:
            stored = read_stored_blocks(setup, now.played())
        for entry in stored.entries:
            bots, seatings = entry.played.bots, setup.seatings(entry.played.bots)
            self._add(
                ([bots[place] for place in seating], ranks)
                for seating, ranks in zip(seatings, entry.played.ranks, strict=True)
            )

    def event(self, event: events.Event) -> None:
        """Count the block, if the event is the end of one."""
        if isinstance(event, events.BlockDone):
            self._add(
                ([seat.bot for seat in match.seats], [seat.rank for seat in match.seats])
                for match in event.matches
                if match.counted
            )

    def _add(self, matches: Iterable[tuple[Sequence[str], Sequence[int]]]) -> None:
        points = most = 0.0
        for names, ranks in matches:
            ours = [rank for name, rank in zip(names, ranks, strict=True) if name == self._first]
            others = [rank for name, rank in zip(names, ranks, strict=True) if name != self._first]
            points += sum((our < other) + (our == other) / 2 for our in ours for other in others)
            most += len(ours) * len(others)
        self._counts[points] += 1
        self._most = most

    def line(self) -> str:
        """Return the counts as a line, empty before the first block.

        For example `A scored 61.2 % in 12 blocks; by its points in a block, from 0 to 2: 1, 0, 5,
        4, 2`.
        """
        blocks = self._counts.total()
        if not blocks:
            return ""
        points_made = sum(points * count for points, count in self._counts.items())
        share = 100 * points_made / (blocks * self._most)
        text = f"{self._first} scored {share:.1f} % in {counted(blocks, 'block')}"
        steps = [half / 2 for half in range(int(2 * self._most) + 1)]
        if len(steps) > STEPS_SHOWN:
            return text
        counts = ", ".join(str(self._counts[step]) for step in steps)
        return f"{text}; by its points in a block, from 0 to {self._most:g}: {counts}"


def play(
    setup: Setup,
    source: str,
    *,
    accept_changes: bool = False,
    unbench: tuple[str, ...] = (),
    as_json: bool = False,
    plain: bool = False,
    scores: Scores | None = None,
    code_of: "Callable[[Report], int] | None" = None,
    page: "PagePort | None" = None,
) -> int:
    """Play the rest of a tournament, show it, and return the exit code.

    Args:
        setup: The tournament.
        source: Name of the file or test that describes it, for messages.
        accept_changes: Whether to start over with bots that changed.
        unbench: Benched bots that may play again.
        as_json: Whether to print events as lines of JSON.
        plain: Whether to print lines even in a terminal.
        scores: Counts all blocks, also those played before; its line is shown.
        code_of: Returns the exit code of a tournament that was played to its end; None: 0.
        page: The port of a page that shows the tournament, until its last viewer leaves; or None.
    """
    if as_json and plain:
        raise BadInputError("--json and --plain: give only one of them")
    warn_of_bombs(setup.contestants.values())
    is_live = not as_json and not plain and sys.stdout.isatty()
    display = Silenced(_display(as_json=as_json, is_live=is_live))
    halts: list[events.Halted] = []

    def on_event(event: events.Event) -> None:
        if isinstance(event, events.Halted):
            halts.append(event)
        if scores is not None:
            scores.event(event)
        with display.shown() as shown:
            if scores is not None:
                shown.more(scores.line())
            shown.event(event)

    try:
        with (
            open_tournament(
                setup, accept_changes=accept_changes, unbench=unbench, on_event=on_event
            ) as director,
            display,
        ):
            if scores is not None:
                scores.begin(setup)

            def show_end(report: "Report") -> None:
                counts = [line] if scores is not None and (line := scores.line()) else []
                with display.shown() as shown:
                    shown.end(report.standings, counts + _ending(setup, report))

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


def _display(*, as_json: bool, is_live: bool) -> Display:
    if as_json:
        return JsonDisplay()
    console = stdout_console()
    return LiveDisplay(console) if is_live else LineDisplay(console)


def _ending(setup: Setup, report: "Report") -> list[str]:
    """Return the lines below the last table."""
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
                await server.wait_without_viewers(GRACE)
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
