"""Drawing of the board in the terminal while a match is played."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

import trio
from rich.console import Console
from rich.live import Live

from lanista.cli.view import BoardView, lacks_colours
from lanista.games.base import Game
from lanista.games.picture import Frame, Place
from lanista.match.runner import Watcher

PART_SECONDS = 3.0
"""Seconds for which a part of a board that doesn't fit is shown before the next one."""


class LiveBoard:
    """Draws every position in the terminal; the last one stays on the screen."""

    def __init__(
        self, names: Sequence[str], cell_width: int, delay: float, console: Console | None = None
    ) -> None:
        self._names = names
        self._cell_width = cell_width
        self._delay = delay
        # Without a refreshing thread a position is drawn between turns, when no clock runs.
        self._console = console or Console(highlight=False)
        self._plain = lacks_colours(self._console)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            vertical_overflow="crop",
        )
        self._view: BoardView | None = None
        self._last: tuple[Frame, Mapping[Place, str] | None] | None = None
        self._began: float | None = None

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._view is not None and self._last is not None:
            frame, drawn = self._last
            self._live.update(self._view.last_screen(frame, self._console, drawn))
        self._live.stop()

    def watcher_of(self, names: Sequence[str]) -> Watcher:
        """Return the watcher of a match whose bots have these names."""
        self._names = names
        return self.watch

    async def watch(self, game: Game, drawn: Mapping[Place, str] | None = None) -> None:
        """Draw the position, and the cells that bots mark; wait for the delay.

        It is a match's `Watcher`.
        """
        if self._view is None or not game.turn:
            self._view = BoardView(game.scene(), self._names, self._cell_width, plain=self._plain)
        now = trio.current_time()
        if self._began is None:
            self._began = now
        number = int((now - self._began) / PART_SECONDS)
        self._last = frame, _ = game.frame(), drawn
        self._live.update(self._view.screen(frame, self._console, number, drawn), refresh=True)
        await trio.sleep(self._delay)
