"""Standings drawn in the terminal, during a tournament and at its end.

`lanista.ratings.text` makes the texts of the cells; they are escaped here.
"""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from lanista.bots.execute import printable
from lanista.cli.tables import empty_table
from lanista.ratings.table import Standings
from lanista.ratings.text import (
    BOT,
    by_pair,
    columns,
    remarks,
    score_text,
    summary,
)


def whole(standings: Standings, *, head_to_head: bool = False) -> RenderableType:
    """Return everything that is shown of standings: name, summary, table and remarks.

    The results of each pair of bots are added if they are wanted.
    """
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
