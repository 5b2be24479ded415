"""Who did what against whom, as CSV and Markdown."""

import csv
import io

from lanista.ratings.compute import compute
from lanista.ratings.counting import count
from lanista.ratings.head_to_head import COLUMNS, csv_text, markdown_text
from lanista.results.blocks import BlockScore, seatings


def standings_of(first, second, third="never met"):
    """The first won one and drew one against the second."""
    return compute(
        name="cup",
        game="angrymob",
        format="round-robin",
        bots=(first, second, third),
        counted=count(
            [BlockScore((first, second), ((1, 2), (1, 1)))], seatings("ab"), (first, second, third)
        ),
    )


def test_every_two_that_met_have_a_line_both_ways():
    rows = list(csv.reader(io.StringIO(csv_text(standings_of("A", "B")))))

    assert list(COLUMNS) == rows[0]
    assert [["A", "B", "2", "1.5"], ["B", "A", "2", "0.5"]] == [row[:4] for row in rows[1:]]
    assert 1.0 == round(float(rows[1][4]) + float(rows[2][4]), 3)


def test_names_are_no_formulas_and_no_columns():
    rows = list(csv.reader(io.StringIO(csv_text(standings_of("=1+1", 'B",x')))))

    assert ["'=1+1", 'B",x'] == rows[1][:2]


def test_markdown_has_a_row_and_a_column_a_bot():
    lines = markdown_text(standings_of("A|B", "<b>")).splitlines()

    assert 5 == len(lines)
    assert "| A\\|B |  | 1.5 of 2 |  |" == lines[2]
    assert "<b>" not in lines[3]
