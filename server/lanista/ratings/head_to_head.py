"""The head-to-head table as CSV and Markdown. This module only makes text."""

import csv
import io

from lanista.ratings.table import Standings
from lanista.ratings.text import guarded, in_markdown

COLUMNS = ("bot", "opponent", "matches", "points", "superior")


def csv_text(standings: Standings) -> str:
    """Return CSV, like `text.csv_text`, with a line for every two bots that met, both ways."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pair in standings.head_to_head:
        superior = "" if pair.superior is None else f"{pair.superior:.4f}"
        writer.writerow(
            [
                guarded(pair.bot),
                guarded(pair.opponent),
                pair.matches,
                _number(pair.points),
                superior,
            ]
        )
    return file.getvalue()


def markdown_text(standings: Standings) -> str:
    """Return a Markdown table of the points of the row's bot against the column's.

    Beside the points is the number of matches in which both played. The bots are in the standings'
    order, and the cell of two bots that didn't meet is empty.
    """
    names = [row.bot for row in standings.rows]
    met = {(pair.bot, pair.opponent): pair for pair in standings.head_to_head}
    headings = ["", *map(in_markdown, names)]
    lines = ["| " + " | ".join(headings) + " |", "|" + " --- |" * len(headings)]
    for bot in names:
        cells = []
        for opponent in names:
            pair = met.get((bot, opponent))
            cells.append("" if pair is None else f"{_number(pair.points)} of {pair.matches}")
        lines.append("| " + " | ".join([in_markdown(bot), *cells]) + " |")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
