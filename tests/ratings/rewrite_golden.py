"""Writes the golden tables: python tests/ratings/rewrite_golden.py

Run it when a table is meant to change, and look at the diff; where an older reader couldn't
understand the JSON or CSV any more, `lanista.ratings.table.SCHEMA` grows.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from lanista.ratings.html import html_text
from lanista.ratings.text import csv_text, json_text, markdown_text
from ratings.samples import SAMPLES

GOLDEN = Path(__file__).parent / "golden"
WRITERS = {"json": json_text, "csv": csv_text, "md": markdown_text, "html": html_text}

if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, standings in SAMPLES.items():
        for ending, write in WRITERS.items():
            (GOLDEN / f"{name}.{ending}").write_text(write(standings), encoding="utf-8", newline="")
