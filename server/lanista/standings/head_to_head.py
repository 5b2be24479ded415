"""Who did what against whom, as CSV and Markdown; the other tables are in `tables`. Text alone."""

import csv
import io

from lanista.standings.table import Standings
from lanista.standings.text import guarded, in_markdown

COLUMNS = ("bot", "opponent", "matches", "points", "superior")


def csv_text(standings: Standings) -> str:
    """A line for every two bots that met, both ways; as `tables.csv_text` otherwise."""
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
    """A table: points of the row's bot against the column's, of the matches in which both played.

    The bots are in the standings' order; where two didn't meet the cell is empty.
    """
    names = [row.bot for row in standings.rows]
    met = {(pair.bot, pair.opponent): pair for pair in standings.head_to_head}
    heads = ["", *map(in_markdown, names)]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for bot in names:
        cells = []
        for opponent in names:
            pair = met.get((bot, opponent))
            cells.append("" if pair is None else f"{_number(pair.points)} of {pair.matches}")
        lines.append("| " + " | ".join([in_markdown(bot), *cells]) + " |")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")
