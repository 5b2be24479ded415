"""The description of a match apart from its players: game, seed and clock; and its board.

Making a board from a seed may take tens of milliseconds, so an arena has a process of its own do
that (`arena.match_player`).
"""

import math
import os
import time
from collections.abc import Mapping
from typing import Any

import attrs

from lanista.games.base import Ruleset
from lanista.games.chance import Chance
from lanista.games.conformance import require_board
from lanista.match.clock import ClockInfo
from lanista.ranges import at_least, positive, rule
from lanista_protocol.messages import SHORTEST

VOID_TRIES = 3
"""Default of the number of times that a match is played because it ended void."""
MAX_MATCH_CPU = 10_000_000
"""Maximum budget of processor time that a bot may have for a match, in seconds: four months."""


@rule
def _time_limit(seconds: float) -> str | None:
    """Validate that a time limit can be written on the wire; 0 is none."""
    if seconds == 0 or SHORTEST <= seconds < math.inf:
        return None
    return f"{seconds}; expected a finite number of seconds from {SHORTEST:g}; 0 is no limit"


@attrs.frozen(kw_only=True)
class Clock:
    """The times that bots have, in seconds, and what is late.

    Command-line options, the keys of TOML files and the arguments of functions have these names,
    and these defaults. The resources that a bot's process may use belong to the bot (`Contestant`).
    """

    # As from a file: the ids of blocks tell 0 from 0.0.
    time_init: float = attrs.field(default=20.0, converter=float, validator=_time_limit)
    """Seconds for the first answer; 0 is no limit."""
    time_move: float = attrs.field(default=0.2, converter=float, validator=_time_limit)
    """Seconds for every other answer; 0 is no limit."""
    time_start: float = attrs.field(default=30.0, converter=float, validator=positive)
    """Seconds from the start of a bot to its hello."""
    late_limit: int = attrs.field(default=10, validator=at_least(1))
    """Number of late turns in a row that put a bot out, in games where late turns are skipped."""
    stall_margin: float = attrs.field(default=0.05, converter=float, validator=at_least(0))
    """Seconds of a stall of the host above which a late answer makes a match void."""

    def limits(self, lag_allowance: float = 0.0) -> ClockInfo:
        """Return the time limits, as a match's record has them."""
        return ClockInfo(self.time_init, self.time_move, self.late_limit, lag_allowance)


DEFAULT = Clock()
CLOCK_OPTIONS = frozenset({"no_clock", *attrs.fields_dict(Clock)})
"""The names of the options that say what the clock is."""


def clock_of(*, no_clock: bool = False, **given: Any) -> Clock:
    """Return the clock that options say, by their names; without one, bots have unlimited time."""
    return Clock(**given | ({"time_init": 0, "time_move": 0} if no_clock else {}))


@attrs.frozen(kw_only=True)
class LadderInfo:
    """The ladder that a match is played on, and what only a ladder's matches have."""

    name: str
    map: str = ""
    """The map's name; empty if the seed makes the map."""
    versions: tuple[int | None, ...] = ()
    """By seat: the version of the submitted program that plays there, from 1; None for a bot that
    connected and for a house bot. Empty if no seat has a submitted program."""


@attrs.frozen(kw_only=True)
class MatchSpec:
    """The description of a match apart from its players."""

    match: str = ""
    """The match's id; whoever has it played gives each try another one (`hosting.play_match`)."""
    ruleset: Ruleset
    settings: Mapping[str, int]
    """The value of every setting, as returned by `complete_settings`."""
    seed: int
    seat_seeds: tuple[int, ...] = ()
    """The seed that each seat is sent; empty: secret ones (`encoder.seat_seed`)."""
    board: Any = None
    """The board, in the ruleset's own representation; None if the seed generates one."""
    clock: Clock = DEFAULT
    lag_allowance: float = 0.0
    """Maximum of the round trip, in seconds, that is added to a seat's time limits."""
    void_tries: int = VOID_TRIES
    """Maximum number of times that it is played because it ended void."""
    attempt: int = 1
    """The number of this attempt, from 1; a void match is played again."""
    ladder: LadderInfo | None = None

    @property
    def limits(self) -> ClockInfo:
        """The time limits, as its record has them."""
        return self.clock.limits(self.lag_allowance)


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def match_id() -> str:
    """Return a new id in the form of a ULID: ids sort by the time at which they were made.

    It has 48 bits of milliseconds since 1970 and 80 random bits, in Crockford's base 32.
    """
    value = (int(time.time() * 1000) << 80) | int.from_bytes(os.urandom(10))
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -5, -5))


@attrs.frozen(kw_only=True)
class PreparedBoard:
    """A board that is ready for one match."""

    board: Any
    """The board, in the ruleset's own representation."""
    text: str
    """The board as the ruleset writes it to a file."""
    chance: Chance
    """The match's source of random draws, after those that made the board."""


def prepare_board(
    ruleset: Ruleset, settings: Mapping[str, int], seed: int, board: Any = None
) -> PreparedBoard:
    """Make a match's board from its seed, unless there is one already."""
    chance = ruleset.chance(seed)
    if board is None:
        board = ruleset.generate(settings, chance)
    text = ruleset.write_board(board)
    require_board(text)
    return PreparedBoard(board=board, text=text, chance=chance)


class UnusableBoardError(Exception):
    """A packed board can't be unpacked."""


def pack_board(game: str, settings: Mapping[str, int], seed: int) -> bytes:
    """Make a match's board from its seed, and return it pickled, for another process to unpack.

    It is empty if that fails: whoever makes the board itself will see why.
    """
    import pickle  # noqa: PLC0415 - only arenas with workers need it

    from lanista.games import registry  # noqa: PLC0415 - as above

    try:
        return pickle.dumps(prepare_board(registry.get(game), settings, seed))
    except Exception:  # noqa: BLE001 - of the rules, or because boards of theirs can't be pickled
        return b""


def unpack_board(packed: bytes) -> PreparedBoard:
    """Return a board that `pack_board` made in a process of ours; raise UnusableBoardError."""
    import pickle  # noqa: PLC0415 - as above

    try:
        prepared: PreparedBoard = pickle.loads(packed)  # noqa: S301 - see above
    except Exception as error:
        raise UnusableBoardError(f"its board can't be unpickled: {error!r}") from error
    return prepared
