"""The displays of `lanista tournament run` and `lanista sprt`, live, as lines, as JSON; standings.

A display gets the tournament's events, and its standings from time to time. **It never affects the
tournament**: a display that can't write any more, because its terminal is gone, becomes silent.
"""

import contextlib
import errno
import json
import sys
import time
from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Self

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lanista.cli import drop_unwritten
from lanista.cli.common import say
from lanista.cli.tables import empty_table, show
from lanista.competition import events
from lanista.errors import printable
from lanista.games.picture import counted
from lanista.ratings.table import SCHEMA, Standings
from lanista.ratings.text import (
    BOT,
    as_json,
    by_pair,
    columns,
    failures_text,
    remarks,
    score_text,
    summary,
)
from lanista.results.match_result import MatchResult

FAILURES_SHOWN = 4
"""Number of failures that the live display shows, the last ones; the line display shows all."""
LINE_EVERY = 30.0
"""Seconds between lines of progress, without a terminal."""
BAR = 32
"""Width of the progress bar, in characters."""
AROUND = 7
"""Number of lines of the live display that aren't rows of the table or failures."""


class Display:
    """A display of a tournament's progress; this base class shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def event(self, event: events.Event) -> None:
        """Show an event."""

    def refresh(self) -> None:
        """Draw the display again; called a few times a second."""

    def standings(self, standings: Standings) -> None:
        """Show the present standings."""

    def note(self, line: str) -> None:
        """Show a line for people, which stays."""

    def end(self, standings: Standings, places: list[str]) -> None:
        """End the display with the last standings and lines on where the results are."""


class Silenced:
    """Gives access to a display until its output fails, and then to one that shows nothing."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self.trouble = ""
        """Why the output failed, in one line; empty if it didn't."""
        self.is_full = False
        """Whether it failed for lack of space, so that the user misses part of the output."""

    @contextlib.contextmanager
    def shown(self) -> Iterator[Display]:
        """Yield the display, for a block of calls that is broken off if its output fails."""
        try:
            yield self._display
        except OSError as error:
            drop_unwritten(sys.stdout)
            self._display = Display()
            self.trouble = error.strerror or str(error)
            self.is_full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

    def __enter__(self) -> Self:
        with self.shown() as display:
            display.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        with self.shown() as display:
            display.__exit__(*raised)


class JsonDisplay(Display):
    """Prints each event, and at the end the standings, as a JSON object on a line of its own."""

    def event(self, event: events.Event) -> None:
        """Print the event."""
        click.echo(json.dumps(events.as_json(event)))
        if isinstance(event, events.Finishing):
            click.echo(note_of(event), err=True)

    def note(self, line: str) -> None:
        """Print the line to stderr, as stdout is for programs."""
        say(line, err=True)

    def end(self, standings: Standings, places: list[str]) -> None:  # noqa: ARG002 - they are for people
        """Print the standings."""
        last = {"schema": SCHEMA, "event": "standings", **as_json(standings)}
        click.echo(json.dumps(last, allow_nan=False))


class LineDisplay(Display):
    """Prints each failure and note as a line, and the progress from time to time."""

    def __init__(self, console: Console, records: Path) -> None:
        self._console = console
        self._records = records
        self._printed = time.monotonic()

    def event(self, event: events.Event) -> None:
        """Print the event, unless it is only for programs."""
        if isinstance(event, events.BlockDone):
            for line in failure_lines(event, self._records):
                self.note(line)
            if time.monotonic() - self._printed >= LINE_EVERY:
                self._printed = time.monotonic()
                parts = [progress_line(event), event.progress.words]
                self.note("; ".join(filter(None, parts)))
        elif line := note_of(event):
            self.note(line)

    def note(self, line: str) -> None:
        """Print the line."""
        click.echo(printable(line), file=self._console.file)

    def end(self, standings: Standings, places: list[str]) -> None:
        """Print the table and the closing lines."""
        show(whole(standings), self._console)
        for line in places:
            self.note(line)


class LiveDisplay(LineDisplay):
    """Redraws a bar, figures, the table and the last failures; notes stay above them."""

    def __init__(self, console: Console, records: Path) -> None:
        super().__init__(console, records)
        self._last: events.Begun | events.BlockDone | None = None
        self._failures: deque[str] = deque(maxlen=FAILURES_SHOWN)
        self._failed = 0
        self._standings: Standings | None = None
        self._finishing = ""
        # No thread draws: a task calls `refresh`.
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            vertical_overflow="crop",
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def event(self, event: events.Event) -> None:
        """Remember what to draw, and print notes above the display."""
        if isinstance(event, events.BlockDone):
            self._last = event
            lines = list(failure_lines(event, self._records))
            self._failed += len(lines)
            self._failures.extend(lines)
            return
        if isinstance(event, events.Begun):
            self._last = event
        if isinstance(event, events.Finishing):
            self._finishing = note_of(event)
            self.refresh()  # now, because the blocks may be finished before the next time
        elif line := note_of(event):
            self._console.print(Text(printable(line)))

    def note(self, line: str) -> None:
        """Print the line above the display."""
        self._console.print(Text(printable(line)), soft_wrap=True)

    def standings(self, standings: Standings) -> None:
        """Draw these standings from now on."""
        self._standings = standings

    def refresh(self) -> None:
        """Draw everything again."""
        self._live.update(Group(*self._parts()), refresh=True)

    def _parts(self) -> Iterator[RenderableType]:
        if self._last is not None:
            yield self._bar(self._last)
            if self._last.progress.words:
                yield Text(printable(self._last.progress.words))
        if self._standings is not None:
            failures = len(self._failures) + 1 if self._failures else 0
            yield table(self._standings, max(3, self._console.height - AROUND - failures))
        if self._failures:
            yield Text(f"failures: {self._failed}, the last ones:", style="red")
            yield from (Text(printable(line), no_wrap=True) for line in self._failures)
        if self._finishing:
            yield Text(self._finishing, style="bold")

    @staticmethod
    def _bar(last: events.Begun | events.BlockDone) -> RenderableType:
        progress = last.progress
        grid = Table.grid(padding=(0, 1))
        cells: list[RenderableType] = []
        if progress.planned:
            cells.append(ProgressBar(total=progress.planned, completed=progress.played, width=BAR))
        if isinstance(last, events.BlockDone):
            cells.append(Text(progress_line(last)))
        else:
            cells.append(Text(f"{blocks_text(last.progress.played, last.progress.planned)} played"))
        grid.add_row(*cells)
        return grid

    def end(self, standings: Standings, places: list[str]) -> None:
        """Print the table and the closing lines in place of the bar."""
        self._live.stop()
        super().end(standings, places)


def failure_lines(event: events.BlockDone, records: Path) -> Iterator[str]:
    """Yield a line for each failure in a block; the lines aren't escaped.

    Its record is told by a path that can be pasted after `lanista replay show`.
    """
    for match in event.matches:
        for seat, result in enumerate(match.seats):
            if result.failure:
                yield f"{result.bot}: {result.failure} ({_match_text(event, match, seat, records)})"


def _match_text(event: events.BlockDone, match: MatchResult, seat: int, records: Path) -> str:
    others = [result.bot for number, result in enumerate(match.seats) if number != seat]
    where = f"seed {event.seed}" + (f", map {event.map}" if event.map else "")
    record = f", record {records / match.record}" if match.record else ""
    return f"against {', '.join(others)}; {where}{record}"


def progress_line(event: events.BlockDone) -> str:
    """Return the progress: `12 of 45 blocks, 3.1 matches/s, 2 running, 0:00:21 left`."""
    parts = [blocks_text(event.progress.played, event.progress.planned)]
    if event.rate:
        parts.append(f"{event.rate:.1f} matches/s")
    parts.append(f"{event.running} running")
    if event.eta is not None:
        parts.append(f"{duration(event.eta)} left")
    return ", ".join(parts)


def blocks_text(played: int, planned: int | None) -> str:
    """Return `12 of 45 blocks`, or `12 blocks`."""
    if planned is not None:
        return f"{played} of {counted(planned, 'block')}"
    return counted(played, "block")


def duration(seconds: float) -> str:
    """Format a duration as `0:02:05`; from a day on, the days come first."""
    return str(timedelta(seconds=round(seconds)))


def note_of(event: events.Event) -> str:
    """Return an event as one line for people, or an empty string if it is only for programs."""
    match event:
        case events.Begun(name=name, game=game, format=format_, progress=progress, matches=matches):
            blocks = blocks_text(progress.played, progress.planned)
            before = f"{blocks}, {matches} matches played before" if matches else blocks
            bots = f"{len(event.bots)} bots"
            return f"{name}: {game}, {format_}, {bots}; {before}; concurrency {event.slots}"
        case events.Voided(bots=bots, count=count, stall=stall):
            void = f"{counted(count, 'match')} of {', '.join(bots)}"
            return f"void: {void}: this machine stalled for {1000 * stall:.0f} ms; played again"
        case events.Lowered(words=words):
            return words
        case events.Resized(slots=slots, workers=workers):
            if not workers:
                return "no worker is connected now; waiting for one"
            threads = counted(workers, "worker thread")
            return f"{threads} connected now; {counted(slots, 'block')} at the same time"
        case events.Benched(bot=bot, failures=failures, words=words):
            return f"benched: {bot} failed {failures} matches in a row, and plays no more: {words}"
        case events.WorkerLost(words=words, blocks=blocks):
            again = counted(len(blocks), "block")
            return f"a worker died, so {again} will be played again: {words}"
        case events.Finishing(running=running):
            return (
                f"finishing {counted(running, 'running block')}; Ctrl-C again "
                "stops at once; run the same command again to resume"
            )
        case events.Halted(words=words):
            return f"halted: {words}"
        case _:
            return ""


# -- standings -------------------------------------------------------------------------------------


def whole(standings: Standings, *, head_to_head: bool = False) -> RenderableType:
    """Return everything that is shown of standings; the results of each pair of bots if wanted."""
    parts: list[RenderableType] = [
        Text(printable(standings.name), style="bold"),
        *(Text(printable(line)) for line in summary(standings)),
        table(standings),
        *(Text(printable(line)) for line in remarks(standings)),
    ]
    if head_to_head:
        parts += [
            "",
            Text("points of the bot on the left, and the number of matches"),
            _matrix(standings),
        ]
    return Group(*parts)


def table(standings: Standings, rows: int | None = None) -> Table:
    """Return the table of the bots; of more than `rows`, the last row says how many more."""
    shown = columns(standings)
    titles = [column.title for column in shown]
    drawn = empty_table((column.title, column.is_text) for column in shown)
    for number, row in enumerate(standings.rows):
        if rows is not None and number == rows:
            drawn.add_row("…", f"{len(standings.rows) - rows} more")
            break
        texts = [Text(printable(column.cell(row))) for column in shown]
        if row.endings and failures_text(row.endings):
            texts[-1].stylize("red")
        if row.benched:
            texts[titles.index(BOT)].stylize("dim")
        drawn.add_row(*texts)
    return drawn


def _matrix(standings: Standings) -> Table:
    """Return the table of results of pairs; its columns are numbered like the rows."""
    bots = [row.bot for row in standings.rows]
    numbers = [(str(number), False) for number in range(1, len(bots) + 1)]
    drawn = empty_table([("no.", False), (BOT, True), *numbers])
    pairs = by_pair(standings)
    for number, bot in enumerate(bots, 1):
        cells = ["·" if other == bot else score_text(pairs.get((bot, other))) for other in bots]
        drawn.add_row(str(number), Text(printable(bot)), *cells)
    return drawn
