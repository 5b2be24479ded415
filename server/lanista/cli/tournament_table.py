"""Standings as a terminal shows them, live and at the end.

Names are made printable here; what the cells say is `lanista.standings.text`' business.
"""

import io
from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lanista.cli.common import printable
from lanista.standings.table import Standings
from lanista.standings.text import (
    BOT,
    Column,
    columns,
    map_cells,
    met,
    met_words,
    remarks,
    summary,
)

WIDE = 10_000
"""Columns of an output that is no terminal: nothing is cut there."""
_IN_ASCII = str.maketrans(
    {"±": "+-", "\u2013": "-", "·": ".", "…": "...", "─": "-", "≤": "<=", "≥": ">="}
)
"""What `tables` writes beyond ASCII, and rich's line below the heads."""


def console_for(*, is_terminal: bool) -> Console:
    """A console on stdout that cuts nothing where nobody looks at a screen."""
    return Console(highlight=False, width=None if is_terminal else WIDE)


def print_to(console: Console, drawn: RenderableType) -> None:
    """Print, by signs that the output's encoding has."""
    is_unicode = console.encoding.lower().startswith("utf")
    if is_unicode and console.is_terminal:
        console.print(drawn)
    else:
        text = plain_text(drawn)
        console.file.write(text if is_unicode else text.translate(_IN_ASCII))


def plain_text(drawn: RenderableType) -> str:
    """What is drawn, as a file's text."""
    file = io.StringIO()
    Console(file=file, highlight=False, width=WIDE, color_system=None).print(drawn)
    return "".join(line.rstrip() + "\n" for line in file.getvalue().splitlines())


def whole(standings: Standings, *, head_to_head: bool = False) -> RenderableType:
    """All that is told at the end, or by `lanista tournament standings`."""
    parts: list[RenderableType] = [
        Text(printable(standings.name), style="bold"),
        *(Text(printable(line)) for line in summary(standings)),
        table(standings),
        *(Text(printable(line)) for line in remarks(standings)),
    ]
    if head_to_head:
        parts += ["", Text("points of the left one, of so many matches"), _matrix(standings)]
    return Group(*parts)


def table(standings: Standings, rows: int | None = None) -> Table:
    """The table, or its first rows and a line that tells how many more there are."""
    heads = columns(standings)
    drawn = _empty(heads)
    names = [head.title for head in heads]
    for number, (row, cells) in enumerate(zip(standings.rows, map_cells(standings), strict=True)):
        if rows is not None and number == rows:
            drawn.add_row("…", f"{len(standings.rows) - rows} more")
            break
        texts = [Text(printable(cell)) for cell in cells]
        texts[-1].stylize("red")
        if row.benched:
            texts[names.index(BOT)].stylize("dim")
        drawn.add_row(*texts)
    return drawn


def _empty(heads: Sequence[Column]) -> Table:
    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for head in heads:
        side = "left" if head.is_text else "right"
        drawn.add_column(Text(head.title), justify=side, no_wrap=True)  # type: ignore[arg-type]  # one of the two
    return drawn


def _matrix(standings: Standings) -> Table:
    """Who did what against whom; opponents by their line in the table."""
    bots = [row.bot for row in standings.rows]
    numbers = [Column(str(number), "") for number in range(1, len(bots) + 1)]
    drawn = _empty([Column("no.", ""), Column(BOT, "", is_text=True), *numbers])
    for cells in _meetings(standings, bots):
        drawn.add_row(*(Text(printable(cell)) for cell in cells))
    return drawn


def _meetings(standings: Standings, bots: Sequence[str]) -> Iterator[list[str]]:
    pairs = met(standings)
    for number, bot in enumerate(bots, 1):
        cells = ["·" if other == bot else met_words(pairs.get((bot, other))) for other in bots]
        yield [str(number), bot, *cells]
