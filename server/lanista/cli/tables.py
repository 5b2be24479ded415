"""Tables on the terminal or in a file: how commands draw and print them."""

import io
import sys
from collections.abc import Collection, Iterable

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from lanista.errors import printable

WIDE = 10_000
"""Width of an output that isn't a terminal, in columns, so that nothing is cut."""
_SHORTEST = 8
"""Width that is left of a text, such as a bot's name, in a narrow terminal."""
_IN_ASCII = str.maketrans(
    {"±": "+-", "\u2013": "-", "·": ".", "…": "...", "─": "-", "≤": "<=", "≥": ">="}
)
"""Replacements for the non-ASCII characters of `ratings.text` and of rich's tables."""


def stdout_console() -> Console:
    """Return a console on stdout; it cuts long lines only in a terminal."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)


def show(drawn: RenderableType, console: Console | None = None) -> None:
    """Print on stdout, or a console, with replacements for characters that its encoding lacks."""
    console = console or stdout_console()
    is_unicode = console.encoding.lower().startswith("utf")
    if is_unicode and console.is_terminal:
        console.print(drawn, crop=False)  # what is too long even so goes on in the next line
    else:
        text = plain_text(drawn)
        click.echo(text if is_unicode else text.translate(_IN_ASCII), console.file, nl=False)


def plain_text(drawn: RenderableType) -> str:
    """Return something drawable as the text of a file."""
    file = io.StringIO()
    Console(file=file, highlight=False, width=WIDE, color_system=None).print(drawn)
    return "".join(line.rstrip() + "\n" for line in file.getvalue().splitlines())


class _FittingTable(Table):
    """A table that in a narrow terminal first loses space, then parts of its texts and titles.

    Texts that may be wrapped lose no parts. Numbers are never cut: rich by itself would cut all
    columns alike.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._missing(console, options) > 0:
            self.padding = (0, 0)
            missing = self._missing(console, options)
            for column in self.columns:
                width = max((cell_len(str(cell)) for cell in column.cells), default=0)
                if column.justify == "right":
                    column.min_width = width
                elif column.no_wrap:
                    column.max_width = max(_SHORTEST, width - max(0, missing))
        yield from super().__rich_console__(console, options)

    def _missing(self, console: Console, options: ConsoleOptions) -> int:
        """Return how many more columns of the terminal it takes to show everything."""
        wide = options.update(max_width=WIDE)
        return self.__rich_measure__(console, wide).maximum - options.max_width


def empty_table(heads: Iterable[tuple[str, bool]], *, wraps: bool = False) -> Table:
    """Return a table without rows, given each column's title and whether it is text.

    If it `wraps`, text that is too long for a terminal goes on below instead of being cut.
    """
    drawn = _FittingTable(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
    for title, is_text in heads:
        side = "left" if is_text else "right"
        is_wrapped = is_text and wraps
        overflow = "fold" if is_wrapped else "ellipsis"
        drawn.add_column(Text(title), justify=side, no_wrap=not is_wrapped, overflow=overflow)  # type: ignore[arg-type]  # both are valid
    return drawn


def listing(
    titles: Iterable[str], rows: Iterable[Iterable[str]], numbers: Collection[str] = ()
) -> Table:
    """Return a table of texts, which are escaped; columns with titles in `numbers` have numbers."""
    drawn = empty_table(((title, title not in numbers) for title in titles), wraps=True)
    for row in rows:
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    return drawn
