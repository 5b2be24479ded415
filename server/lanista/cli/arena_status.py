"""Drawing what `lanista arena status` shows of a running arena."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lanista.cli.common import printable
from lanista.cli.tournament_live import duration
from lanista.cli.tournament_table import console_for, print_to

INTERVAL = 1.0
"""Seconds between two looks at the arena."""
_COLUMNS = {
    "waiting": "waiting",
    "playing": "playing",
    "resting": "resting",
    "matches": "matches running",
    "stored": "stored",
    "unstored": "not stored yet",
}
"""By key of a ladder's figures: the title of the column."""


def show(status: Mapping[str, Any]) -> None:
    """Print an arena's status."""
    print_to(console_for(is_terminal=False), drawn(status))


def watch(look: Callable[[], Mapping[str, Any]]) -> None:
    """Draw an arena's status again and again, until SIGINT; the last one stays in the terminal."""
    console = console_for(is_terminal=True)
    with Live(
        console=console,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as live:
        while True:
            live.update(drawn(look()), refresh=True)
            time.sleep(INTERVAL)


def drawn(status: Mapping[str, Any]) -> RenderableType:
    """Return an arena's status as something to print."""
    host, port = status["address"]
    page = f"; page {status['page']}" if status["page"] else ""
    workers = status["workers"]
    figures = (
        f"{status['connections']} of {status['max_connections']} connections",
        f"{status['matches']} matches running in {workers} process{'' if workers == 1 else 'es'}",
        f"{status['over']} over",
        f"{status['waiting']} bots waiting off the ladders",
    )
    lines = [
        f"Lanista {status['version']} on {host}:{port}, up {duration(status['uptime'])}{page}",
        ", ".join(figures),
    ]
    parts: list[RenderableType] = [Text(printable(line)) for line in lines]
    if status["ladders"]:
        table = Table(box=SIMPLE_HEAD)
        table.add_column("ladder")
        table.add_column("game")
        for title in _COLUMNS.values():
            table.add_column(title, justify="right")
        for ladder in status["ladders"]:
            cells = ("?" if ladder[key] is None else str(ladder[key]) for key in _COLUMNS)
            table.add_row(printable(ladder["name"]), printable(ladder["game"]), *cells)
        parts.append(table)
    return Group(*parts)
