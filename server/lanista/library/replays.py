"""Records as sequences of positions."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import attrs

from lanista.errors import BadInputError, FileError
from lanista.games.base import Game, Ruleset, whole_number
from lanista.hosting.inputs import given_path
from lanista.library.game import facts_of
from lanista.library.matches import Fault, Match, match_of
from lanista.match import replay
from lanista.match.encoder import facts_with_status
from lanista.match.record import Record, TurnInfo
from lanista.match.replay import version1
from lanista.page import difference
from lanista_client import GAMES, State


@attrs.frozen
class Position:
    """A position of a recorded match, and what the bots answered in it; sequences are by seat.

    In the last position nothing was answered: answers and times are None. States, scores and faults
    raise `MismatchError` if the record contradicts the rules, here or earlier.
    """

    turn: int
    """How many turns had been played."""
    _replay: "Replay" = attrs.field(repr=False)
    _info: TurnInfo | None = attrs.field(repr=False)

    @property
    def state(self) -> Any:
        """The position as seat 0 sees it, as one of the client's state classes."""
        return self.state_of(0)

    def state_of(self, seat: int) -> Any:
        """Return the position as a seat sees it, as one of the client's state classes."""
        return self._replay._state(self.turn, seat)  # noqa: SLF001 - one thing in two classes

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores in this position."""
        return self._replay._game(self.turn).scores()  # noqa: SLF001 - as above

    @property
    def faults(self) -> tuple[tuple[Fault, ...], ...]:
        """Everything that was wrong with each answer."""
        of_seats: list[list[Fault]] = [[] for _ in self._replay.names]
        if self._info is not None:
            game = self._replay._game(self.turn)  # noqa: SLF001 - as above
            record = self._replay._record  # noqa: SLF001 - as above
            previous = record.turns[self.turn - 1] if self.turn else None
            judged = replay.judge(game, previous, self._info)
            for fault in replay.turn_faults(record.header, judged):
                of_seats[fault.seat].append(
                    Fault(turn=fault.turn, code=fault.code, index=fault.index, message=fault.words)
                )
        return tuple(map(tuple, of_seats))

    @property
    def answers(self) -> tuple[str | None, ...]:
        """The line that each bot answered; None if there was none."""
        return (None,) * len(self._replay.names) if self._info is None else self._info.raw

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What became of each answer: answer, late, malformed, missing or out; or nothing yet."""
        return ("",) * len(self._replay.names) if self._info is None else self._info.verdicts

    @property
    def times(self) -> tuple[float | None, ...]:
        """Seconds that each answer took; None if none came."""
        seats = range(len(self._replay.names))
        return tuple(None if self._info is None else self._info.seconds(seat) for seat in seats)

    @property
    def logs(self) -> tuple[str, ...]:
        """What each bot logged in its turn: its `#` lines."""
        logs = {} if self._info is None else self._info.logs
        return tuple(logs.get(str(seat), "") for seat in range(len(self._replay.names)))


class Replay(Sequence[Position]):
    """A recorded match: its positions, from the first to the last, and its result.

    What the record doesn't have is found by playing the match again by the rules, which is quick
    from one position to the next.
    """

    def __init__(self, path: Path, record: Record, ruleset: Ruleset) -> None:
        """Wrap a record; `open_record` opens one."""
        self.path = path
        """The file of the record."""
        self._record = record
        self._ruleset = ruleset
        self._cursors: dict[int, _Cursor] = {}
        self._positions = len(replay.played_turns(record)) + 1

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cursors": {}}  # they can't be pickled, and cost nothing but time

    def __repr__(self) -> str:
        return f"<Replay of {self.game}, {' - '.join(self.names)}, {len(self)} positions>"

    @property
    def game(self) -> str:
        """The game's name."""
        return self._record.header.game

    @property
    def names(self) -> tuple[str, ...]:
        """The bots' names, by seat."""
        return tuple(player.name for player in self._record.header.players)

    @property
    def seed(self) -> int:
        """The match's seed."""
        return self._record.header.seed

    @property
    def settings(self) -> dict[str, int]:
        """The settings of the game."""
        return dict(self._record.header.settings)

    @property
    def clock(self) -> tuple[float, float]:
        """Seconds for the first answer and for every other; 0: no limit."""
        clock = self._record.header.clock
        return (clock.time_init, clock.time_move)

    @property
    def match(self) -> Match | None:
        """The result; None if the arena ended before the match did."""
        header, result = self._record.header, self._record.result
        if result is None:
            return None
        return match_of(
            id_=header.match,
            game=header.game,
            map_="",
            seed=header.seed,
            names=self.names,
            result=result,
            record=self.path,
        )

    def __len__(self) -> int:
        return self._positions

    @overload
    def __getitem__(self, index: int) -> Position: ...
    @overload
    def __getitem__(self, index: slice) -> list[Position]: ...
    def __getitem__(self, index: int | slice) -> Position | list[Position]:
        """Return the position after so many turns; -1 is the last one."""
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [self[number] for number in numbers]
        turns = self._record.turns
        return Position(numbers, self, turns[numbers] if numbers < len(turns) else None)

    def __iter__(self) -> Iterator[Position]:
        return (self[number] for number in range(len(self)))

    def verify(self) -> int:
        """Compare every position's digest with the rules; return the number of turns compared.

        Raises:
            MismatchError: The record contradicts the rules; the message says in which turn.
            BadRecordError: The record is of another version of the game, or damaged.
        """
        return replay.verify(self._record, self._ruleset)

    def first_difference(self, other: "Replay") -> difference.Difference:
        """Find the first turn in which a bot answered differently than in another match.

        It shows, for example, where two versions of a bot part that played with the same seed.
        Times and logs aren't compared.

        Raises:
            BadInputError: The other one is no replay.
            MismatchError: One of the records contradicts the rules.
            BadRecordError: One of them is of another version of the game, or damaged.
        """
        if not isinstance(other, Replay):
            raise BadInputError(f"replay {other!r:.200}; expected what open_record returns")
        return difference.first_difference(self._record, other._record, self._ruleset)  # noqa: SLF001

    def to_html(self, path: str | Path) -> Path:
        """Write the match as one HTML file that shows it in a browser, and return its path.

        Raises:
            FileError: The record can't be read any more, or the file can't be written.
        """
        from lanista.page import files  # noqa: PLC0415 - only if it is wanted
        from lanista.page.html import bundle  # noqa: PLC0415 - as above
        from lanista.page.replay_reader import (  # noqa: PLC0415 - as above
            UnreadableError,
            read_frames,
        )

        path = given_path("path", path)
        try:
            files.write([self.path], path, bundle(read_frames(self.path)))
        except UnreadableError as error:
            raise FileError(str(error)) from None
        return path

    def to_image(
        self, path: str | Path, *, turn: int | None = None, size: int | None = None
    ) -> Path:
        """Write a position as a picture (PNG), and return its path.

        Args:
            path: The file to write.
            turn: The number of turns before it; None for the last position.
            size: Pixels of a cell's side; None for as many as fit.

        Raises:
            BadInputError: There is no such turn, or no picture of that size.
            FileError: The file can't be written.
        """
        from lanista.page import files  # noqa: PLC0415 - only if it is wanted

        path = given_path("path", path)
        self._check_picture(size, turn=len(self) - 1 if turn is None else turn)
        _, picture = files.as_png(self.path, turn, size)
        files.write([self.path], path, [picture])
        return path

    def to_gif(
        self,
        path: str | Path,
        *,
        first: int = 0,
        last: int | None = None,
        delay: int = 200,
        size: int | None = None,
    ) -> Path:
        """Write the match as a moving picture (GIF), and return its path.

        Args:
            path: The file to write.
            first: The first turn that is shown.
            last: The last turn that is shown; None for the last of the match.
            delay: How long a turn is shown, in milliseconds; from 20 to 60,000.
            size: Pixels of a cell's side; None for as many as fit.

        Raises:
            BadInputError: There is no such turn, or no picture of that size.
            FileError: The file can't be written.
        """
        from lanista.page import files  # noqa: PLC0415 - only if it is wanted

        path = given_path("path", path)
        self._check_picture(size, first=first)
        if last is not None:
            whole_number("last", last, first, len(self) - 1)
        whole_number("delay", delay, 20, 60_000)
        files.write([self.path], path, files.as_gif(self.path, first, last, delay, size))
        return path

    def _check_picture(self, size: int | None, **turns: int) -> None:
        if size is not None:
            whole_number("size", size, 1, 200)
        for name, turn in turns.items():
            whole_number(name, turn, 0, len(self) - 1)

    def _game(self, turn: int) -> Game:
        return self._cursor(0).game_at(turn)

    def _state(self, turn: int, seat: int) -> Any:
        whole_number("seat", seat, 0, len(self.names) - 1)
        return self._cursor(seat).state_at(turn)

    def _cursor(self, seat: int) -> "_Cursor":
        if seat not in self._cursors:
            self._cursors[seat] = _Cursor(self._record, self._ruleset, seat)
        return self._cursors[seat]


def open_record(path: str | Path) -> Replay:
    """Open the record of a match, or a `.part` file that a crash left behind.

    Raises:
        FileError: The file can't be read.
        BadRecordError: The file isn't a valid record; the message says where.
        UnknownGameError: The game isn't installed.
    """
    path = given_path("record", path)
    return Replay(path, *replay.read_with_rules(path))


class _Cursor:
    """Plays a record again for one seat; going forward is quick, going back starts over."""

    def __init__(self, record: Record, ruleset: Ruleset, seat: int) -> None:
        self._record, self._ruleset, self._seat = record, ruleset, seat
        self._turn = -1
        self._sees = False
        """Whether the state is kept, too."""

    def game_at(self, turn: int) -> Game:
        self._go_to(turn)
        return self._game

    def state_at(self, turn: int) -> Any:
        if not self._sees:  # the state of a turn may depend on all turns before it
            self._sees, self._turn = True, -1
        self._go_to(turn)
        return self._state.copy()

    def _go_to(self, turn: int) -> None:
        if turn < self._turn or self._turn < 0:
            self._positions = replay.positions(self._record, self._ruleset)
            self._game = next(self._positions)
            self._turn = 0
            if self._sees:
                self._begin()
        steps = turn - self._turn
        try:
            for _ in itertools.islice(self._positions, steps):
                self._turn += 1
                if self._sees:
                    facts = self._game.facts(self._seat)
                    told = facts_with_status(self._ruleset, facts, self._status())
                    self._state.update(self._turn, facts_of(told))
        except BaseException:
            self._turn = -1  # so that the next one starts over, and fails at the same place
            raise

    def _begin(self) -> None:
        header = self._record.header
        encoder = version1(header, self._ruleset)
        opening = encoder.opening(self._game, self._seat, self._status())
        start, _, turn = opening.partition(b"\nturn 0\n")
        self._state = GAMES.get(header.game, State)(header.match, facts_of(start))
        self._state.update(0, facts_of(turn))

    def _status(self) -> tuple[float, ...]:
        turns = self._record.turns
        status = turns[self._turn].status if self._turn < len(turns) else ()
        return status or (0.0,) * self._ruleset.seats
