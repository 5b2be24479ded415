"""Drawing of the board in the terminal while a match is played or shown."""

from collections.abc import Sequence
from typing import Self

import trio
from rich.console import Console
from rich.live import Live
from rich.text import Text

from lanista.cli.view import BoardView, Drawn
from lanista.games.base import Game
from lanista.games.picture import Frame
from lanista.match.runner import Watcher

PART_SECONDS = 3.0
"""Seconds for which a part of a board that doesn't fit is shown before the next one."""
DELAY = 0.05
"""Seconds for which each position is shown at first, unless another delay is given."""
LONGEST = 20.0
"""Seconds that drawing adds to a match at most, unless a delay is given."""


class LiveBoard:
    """Draws positions in the terminal; the last one stays on the screen."""

    def __init__(self, names: Sequence[str], cell_width: int, delay: float | None) -> None:
        """Make a board for bots with these names, by seat, in cells of at most so many characters.

        Each position is shown for a delay in seconds. If it is None, that is `DELAY` at first, and
        less and less the longer the match goes on, so that it never takes `LONGEST` more.
        """
        self._names = names
        self._cell_width = cell_width
        self._delay = delay
        # Without a refreshing thread a position is drawn between turns, when no clock runs.
        self._console = Console(highlight=False)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            vertical_overflow="crop",
        )
        self._view: BoardView | None = None
        self._last: tuple[Frame, Drawn] | None = None
        self._began: float | None = None
        self._drawn_at = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._view is not None and self._last is not None:
            frame, drawn = self._last
            self._live.update(self._view.last_screen(frame, drawn))
        self._live.stop()

    def watcher_of(self, names: Sequence[str]) -> Watcher:
        """Return the watcher of a match whose bots have these names."""
        self._names = names
        return self.watch

    def say(self, line: str) -> None:
        """Print a line above the board."""
        self._console.print(Text(line))

    async def watch(self, game: Game, drawn: Drawn | None = None) -> None:
        """Draw the position, and the cells that bots mark; wait for the delay.

        This is a match's `Watcher`. Positions that come too fast for a screen are passed over.
        """
        if self._view is None or not game.turn:
            self._view = BoardView(game.scene(), self._names, self._cell_width, self._console)
        now = trio.current_time()
        if self._began is None:
            self._began = now
        number = int((now - self._began) / PART_SECONDS)
        self._last = frame, drawn = game.frame(), drawn or {}
        delay = self._delay
        if delay is None:
            delay = DELAY * max(0.0, 1 - (now - self._began) / LONGEST)
            if delay < DELAY / 2 and now - self._drawn_at < DELAY / 2:
                return
        self._drawn_at = now
        self._live.update(self._view.screen(frame, number, drawn), refresh=True)
        await trio.sleep(delay)
