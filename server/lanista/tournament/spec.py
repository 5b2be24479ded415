"""The spec of a tournament: what its TOML file says, read strictly; docs/tournaments.md tells it.

Data and text alone: no game, program or map is looked up here (`setup` does that).
"""

import enum
import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import cattrs
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn

from lanista.match.clock import Limits
from lanista.match.conditions import DEFAULT, MatchConditions
from lanista.pairing.kinds import FormatName, SeatingsName

MOST_SEEDS = 1_000_000
"""More were never meant, and a plan of them would take minutes."""
MOST_BLOCKS = 100_000
"""Of one meeting, or of rounds."""
MOST_SLOTS = 10_000
"""Blocks at the same time."""
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a spec's file: a list of a million seeds has room."""
MOST_DIGITS = 40
"""Digits of a whole number."""
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""", re.ASCII
)
"""A key of so many parts that reading it, part by part, takes the time of their square."""


class SpecError(Exception):
    """A spec that can't be used: one line says what is wrong, where, and what would be right."""


class Keep(enum.StrEnum):
    """Which records stay when their matches are counted."""

    ALL = "all"
    FAILURES = "failures"
    """Those in which a bot failed, and void ones."""
    NONE = "none"


class SandboxName(enum.StrEnum):
    """Whether bots are shut off from the machine."""

    NONE = "none"
    BWRAP = "bwrap"


class _ValueOfKeyError(ValueError):
    """A value that its key can't have."""

    def __init__(self, key: str, words: str) -> None:
        super().__init__(words)
        self.key = key


def _at_least(low: float) -> Any:
    def check(_: Any, attribute: "attrs.Attribute[Any]", value: float | None) -> None:
        if value is not None and not (low <= value < math.inf):
            raise _ValueOfKeyError(attribute.name, f"{value}; {low:g} at least")

    return check


def _at_most(high: int) -> Any:
    def check(_: Any, attribute: "attrs.Attribute[Any]", value: int | None) -> None:
        if value is not None and value > high:
            raise _ValueOfKeyError(attribute.name, f"{value}; {high} at most")

    return check


def _positive(_: Any, attribute: "attrs.Attribute[Any]", value: float) -> None:
    if not 0 < value < math.inf:
        raise _ValueOfKeyError(attribute.name, f"{value:g}; a finite number above 0")


def _share(_: Any, attribute: "attrs.Attribute[Any]", value: float) -> None:
    if not 0 < value < 0.5:
        raise _ValueOfKeyError(attribute.name, f"{value:g}; between 0 and 0.5")


VOID_TRIES = 2
"""How often a match is played at most while it ends void: two in a row halt a tournament."""


@attrs.frozen(kw_only=True)
class Clock:
    """The time that bots have, in seconds."""

    first: float = attrs.field(default=DEFAULT.clock.first, validator=_at_least(0))
    """For the first answer; 0 is no limit."""
    turn: float = attrs.field(default=DEFAULT.clock.turn, validator=_at_least(0))
    """For every other answer; 0 is no limit."""
    start: float = attrs.field(default=DEFAULT.time_start, validator=_positive)
    """From a bot's start to its hello."""
    late_limit: int = attrs.field(default=DEFAULT.late_limit, validator=_at_least(1))
    """Late turns in a row that put a bot out, in games where late turns are skipped."""
    stall_margin: float = attrs.field(default=DEFAULT.stall_margin, validator=_at_least(0))
    """A stall of the host above which a late answer makes a match void."""

    def conditions(self) -> MatchConditions:
        """Return what holds in every match of the tournament."""
        return MatchConditions(
            clock=Limits(self.first, self.turn),
            late_limit=self.late_limit,
            stall_margin=self.stall_margin,
            void_tries=VOID_TRIES,
            time_start=self.start,
        )


@attrs.frozen(kw_only=True)
class SeedCount:
    """Seeds that are drawn."""

    count: int = attrs.field(validator=[_at_least(1), _at_most(MOST_SEEDS)])
    base: int | None = None
    """What they are drawn from; without it something that nobody can guess, kept in the
    database."""


@attrs.frozen(kw_only=True)
class Sprt:
    """A sequential test of two versions: H0 says the first is elo0 stronger, H1 elo1."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = attrs.field(default=0.05, validator=_share)
    """The chance of accepting H1 where H0 is true."""
    beta: float = attrs.field(default=0.05, validator=_share)
    """The chance of accepting H0 where H1 is true."""

    def __attrs_post_init__(self) -> None:
        if not (-math.inf < self.elo0 < self.elo1 < math.inf):
            raise ValueError(f"elo0 {self.elo0:g}, elo1 {self.elo1:g}; elo0 must be below elo1")


@attrs.frozen(kw_only=True)
class BotEntry:
    """A bot that takes part."""

    name: str
    command: str
    """A house bot's name, a command line, or `stdio:` and a command line."""
    limits: str | None = None
    """What it may use, as `memory=512M,cpu=60`, or `none`; without it the tournament's."""
    restart: bool = False
    """Whether it is started afresh for every match."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    """Variables that it gets besides."""


@attrs.frozen(kw_only=True)
class Spec:
    """A tournament, as its file tells it. Only names are looked at here; see `setup.prepare`."""

    name: str
    game: str
    format: FormatName
    bots: tuple[BotEntry, ...]
    seeds: tuple[int, ...] | SeedCount = SeedCount(count=10)
    """In the file: a list, a number (how many), or a table of `count` and `base`."""
    maps: tuple[str, ...] = ()
    """Files, or shipped maps' names; each seed is played on each. Without it seeds make maps."""
    settings: Mapping[str, int] = attrs.field(factory=dict)
    clock: Clock = attrs.field(factory=Clock)
    limits: str | None = None
    """What each bot may use, unless it says otherwise."""
    sandbox: SandboxName = SandboxName.NONE
    seatings: SeatingsName = SeatingsName.ROTATIONS
    rounds: int | None = attrs.field(default=None, validator=[_at_least(1), _at_most(MOST_BLOCKS)])
    """Swiss: how many; without it as many as leave one winner."""
    blocks: int | None = attrs.field(default=None, validator=[_at_least(1), _at_most(MOST_BLOCKS)])
    """Swiss, knockout: blocks a meeting on each map (1). Ladder, version test: at most so many in
    all."""
    challenger: str | None = None
    """Gauntlet: who meets all others; without it the first bot."""
    sprt: Sprt | None = None
    """Version test: its bounds; without it those of `Sprt`."""
    fill: str | None = None
    """The house bot that takes the seats which fewer bots than the game has seats leave."""
    bench_after: int = attrs.field(default=5, validator=_at_least(1))
    """Matches that a bot may fail running; then it plays no more."""
    concurrency: int | Literal["auto"] = "auto"
    """Blocks at the same time."""
    executor: str = "local"
    """`local`, `dask-local`, or `dask://HOST:PORT`."""
    pin: bool = False
    """Whether the blocks that run at the same time get cores of their own."""
    keep: Keep = Keep.ALL
    database: str | None = None
    """`postgresql://…`, or a file; without it NAME.db beside the spec."""
    records: str | None = None
    """The folder of records; without it NAME.records beside the spec."""


_TEXT_OF: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


def _converter() -> cattrs.Converter:
    converter = cattrs.Converter(detailed_validation=True, forbid_extra_keys=True)

    def strict(kind: type) -> Callable[[Any, Any], Any]:
        def structure(value: Any, _: Any) -> Any:
            if isinstance(value, bool) != (kind is bool) or not isinstance(
                value, (int, float) if kind is float else kind
            ):
                raise TypeError(f"{_shown(value)}; expected {_TEXT_OF[kind]}")
            return kind(_whole(value) if isinstance(value, int) else value)

        return structure

    for kind in (bool, int, str, float):
        converter.register_structure_hook(kind, strict(kind))
    for choice in (FormatName, SeatingsName, Keep, SandboxName):
        converter.register_structure_hook(choice, _structure_choice)
    converter.register_structure_hook_func(
        lambda kind: kind == tuple[str, ...], _list_of(converter, str)
    )
    converter.register_structure_hook_func(
        lambda kind: kind == tuple[BotEntry, ...], _list_of(converter, BotEntry)
    )
    converter.register_structure_hook(Spec.__annotations__["seeds"], _seeds(converter))
    converter.register_structure_hook(Spec.__annotations__["concurrency"], _concurrency)
    for table in (Clock, SeedCount, Sprt, BotEntry, Spec):
        converter.register_structure_hook(table, _table(converter, table))
    return converter


def _table(converter: cattrs.Converter, kind: type) -> Callable[[Any, Any], Any]:
    structure: Callable[[Any, Any], Any] = make_dict_structure_fn(
        kind, converter, _cattrs_forbid_extra_keys=True
    )

    def checked(value: Any, of: Any) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"{_shown(value)}; expected a table")
        return structure(value, of)

    return checked


def _list_of(converter: cattrs.Converter, kind: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            what = "[[bots]] tables" if kind is BotEntry else 'a list, such as ["a", "b"]'
            raise TypeError(f"{_shown(value)}; expected {what}")
        return tuple(converter.structure(value, list[kind]))  # type: ignore[valid-type]

    return structure


def _structure_choice(value: Any, kind: type[enum.StrEnum]) -> Any:
    known = [member.value for member in kind]
    if value not in known:
        raise ValueError(f"{_shown(value)}; it can be {', '.join(known)}")
    return kind(value)


def _seeds(converter: cattrs.Converter) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return SeedCount(count=value)
        if isinstance(value, Mapping):
            return converter.structure(value, SeedCount)
        seeds = isinstance(value, (list, tuple)) and value
        if not seeds or any(isinstance(seed, bool) or not isinstance(seed, int) for seed in seeds):
            raise TypeError(
                f"{_shown(value)}; expected whole numbers such as [1, 2, 3], how many, "
                "or { count = 100, base = 42 }"
            )
        known: set[int] = set()
        for seed in map(_whole, seeds):
            if seed in known:
                raise ValueError(f"seed {seed} twice; each is played once")
            known.add(seed)
        return tuple(seeds)

    return structure


def _concurrency(value: Any, _: Any) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value != "auto" and not (is_number and 1 <= value <= MOST_SLOTS):
        raise ValueError(
            f'{_shown(value)}; expected a whole number from 1 to {MOST_SLOTS}, or "auto"'
        )
    return value


def _whole(value: int) -> int:
    """Return a whole number that a message can show; TOML's are of 64 bits, Python reads any."""
    if abs(value) >= 10**MOST_DIGITS:
        raise ValueError(f"{_shown(value)}; whole numbers have {MOST_DIGITS} digits at most")
    return value


def _shown(value: Any) -> str:
    try:
        text = ascii(value)
    except ValueError:  # of more digits than Python writes
        return "a number too long to be shown"
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_CONVERTER = _converter()


def parse_spec(text: str, where: str) -> Spec:
    """Read a spec's TOML.

    Args:
        text: The file's.
        where: The file's name, for messages.

    Raises:
        SpecError: It is no TOML, or says what no spec can.
    """
    if _LONG_KEY.search(text):
        raise SpecError(f"{where}: no TOML: a key of more than 100 parts")
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{where}: no TOML: {error}") from None
    except ValueError:  # what Python says of too many digits is for programmers
        raise SpecError(f"{where}: no TOML: a whole number of thousands of digits") from None
    except RecursionError:
        raise SpecError(f"{where}: no TOML: lists or tables nested too deeply") from None
    return spec_of(value, where)


def read_spec(path: Path) -> Spec:
    """Read a spec's file.

    Raises:
        SpecError: It can't be read, is no TOML, or says what no spec can.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SpecError(f"{path}: can't be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise SpecError(f"{path}: longer than any spec, of {MOST_BYTES >> 20} MiB at most")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}: not UTF-8, from byte {error.start} on") from None
    return parse_spec(text, str(path))


def spec_of(value: Mapping[str, Any], where: str = "spec") -> Spec:
    """A spec from what its TOML holds.

    Raises:
        SpecError: It says what no spec can.
    """
    try:
        return _CONVERTER.structure(value, Spec)
    except cattrs.BaseValidationError as error:
        problems = list(_problems(error, ""))
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise SpecError(f"{where}: {problems[0]}{more}") from None


def _problems(error: BaseException, path: str) -> Iterator[str]:
    """Every complaint, one line each, with the place in the file it is about."""
    if isinstance(error, cattrs.IterableValidationError):
        for inner, note in error.group_exceptions()[0]:
            index = note.index
            place = f"[{index + 1}]" if isinstance(index, int) else f".{_key(index)}"
            yield from _problems(inner, path + place)
    elif isinstance(error, cattrs.ClassValidationError):
        with_notes, without = error.group_exceptions()
        for inner, attribute in with_notes:
            yield from _problems(inner, f"{path}.{attribute.name}" if path else attribute.name)
        for inner in without:
            yield from _problems(inner, path)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = ", ".join(attribute.name for attribute in attrs.fields(error.cl))
        for key in sorted(error.extra_fields):
            place = f"{path}.{_key(key)}" if path else _key(key)
            yield f"{place}: no such key; known are {known}"
    elif isinstance(error, KeyError):
        # The key is the last part of the path already.
        yield f"{path}: missing; it must be given"
    elif isinstance(error, _ValueOfKeyError):
        place = f"{path}.{error.key}" if path and path != error.key else error.key
        yield f"{place}: {error}"
    else:
        yield f"{path}: {error}" if path else str(error)


def _key(key: object) -> str:
    """A key of the file, safe and short enough for one line."""
    is_plain = isinstance(key, str) and key.isidentifier()
    return _short(ascii(key)[1:-1] if is_plain else ascii(key))
