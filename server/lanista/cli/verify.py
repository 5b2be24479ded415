"""`lanista arena verify` and `lanista tournament verify`: what both print."""

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

import click

from lanista.bots.execute import printable
from lanista.cli.common import say

if TYPE_CHECKING:
    from lanista.results.rebuild import Rebuild
    from lanista.results.recorded import Comparison

EXIT_DIFFERENT = 1
REBUILD = click.option(
    "--rebuild",
    is_flag=True,
    help="Rebuild the database from the records and whatever can be read of it. The old one is "
    "kept beside it.",
)
_INTERVAL = 0.5
"""Seconds between two updates of the progress on a terminal."""


def show(name: str, comparison: "Comparison") -> bool:
    """Print how stored results differ from records, and the totals; return whether all is right.

    The lines begin with the name, that of the ladder or the tournament.

    Raises:
        StoreError: The database is damaged or can't be read.
        OSError: The folder of records can't be read.
    """
    counts: Counter[str] = Counter()
    is_terminal, shown = sys.stderr.isatty(), time.monotonic()
    for finding in comparison.findings():
        if is_terminal and time.monotonic() > shown + _INTERVAL:
            shown = time.monotonic()
            progress = f"{name}: {comparison.matches:,} matches"
            click.echo(printable(progress) + "\r", nl=False, err=True)
        if finding is not None:
            counts[finding.trouble.value] += 1
            say(f"{name}: {finding.trouble.value}: {finding.text}")
    parts = [f"{comparison.matches:,} match{'' if comparison.matches == 1 else 'es'} stored"]
    parts += [f"{trouble}: {count:,}" for trouble, count in counts.items()]
    if comparison.without_record:
        parts.append(f"without a record: {comparison.without_record:,}")
    say(f"{name}: {'; '.join(parts)}{'' if counts else '; nothing is wrong'}")
    return not counts


def show_rebuilt(name: str, work: "Rebuild") -> bool:
    """Print what a rebuilt database has, and what couldn't be read; return whether all could."""
    for trouble in work.troubles:
        say(f"{name}: {trouble}")
    parts = [f"{work.matches:,} match{'' if work.matches == 1 else 'es'} stored again"]
    parts += [f"{what}: {count:,}" for what, count in work.kept.items()]
    if work.kept_at is not None:
        parts.append(f"the old database is kept as {work.kept_at}")
    say(f"{name}: {'; '.join(parts)}")
    return not work.troubles
