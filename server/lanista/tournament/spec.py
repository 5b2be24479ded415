"""The spec of a tournament: the content of its TOML file, read strictly; see docs/tournaments.md.

Only text becomes data here; games, programs and maps are looked up by `setup`. Each error names the
key that is wrong and says what would be right.
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

MAX_SEEDS = 1_000_000
"""Maximum number of seeds; more are surely a mistake, and planning them would take minutes."""
MAX_BLOCKS = 100_000
"""Maximum value of `blocks` and of `rounds`."""
MAX_SLOTS = 10_000
"""Maximum number of blocks at the same time."""
MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a spec's file in bytes: there is room for a list of a million seeds."""
MAX_DIGITS = 40
"""Maximum number of digits of a whole number."""
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){100}""", re.ASCII
)
"""A key of so many dotted parts that `tomllib` would need time quadratic in their number."""


class SpecError(Exception):
    """A spec can't be used: the message is one line with the key, the mistake, and its remedy."""


class Keep(enum.StrEnum):
    """The choice of records to keep when their matches are stored."""

    ALL = "all"
    FAILURES = "failures"
    """The records of void matches and of matches in which a bot failed."""
    NONE = "none"


class SandboxName(enum.StrEnum):
    """The sandbox in which bots run."""

    NONE = "none"
    BWRAP = "bwrap"


class _ValueOfKeyError(ValueError):
    """A value that isn't allowed for its key."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def _at_least(low: float) -> Any:
    def check(_: Any, attribute: "attrs.Attribute[Any]", value: float | None) -> None:
        if value is not None and not (low <= value < math.inf):
            raise _ValueOfKeyError(attribute.name, f"{value}; expected at least {low:g}")

    return check


def _at_most(high: int) -> Any:
    def check(_: Any, attribute: "attrs.Attribute[Any]", value: int | None) -> None:
        if value is not None and value > high:
            raise _ValueOfKeyError(attribute.name, f"{value}; expected at most {high}")

    return check


def _positive(_: Any, attribute: "attrs.Attribute[Any]", value: float) -> None:
    if not 0 < value < math.inf:
        raise _ValueOfKeyError(attribute.name, f"{value:g}; expected a finite number above 0")


def _share(_: Any, attribute: "attrs.Attribute[Any]", value: float) -> None:
    if not 0 < value < 0.5:
        raise _ValueOfKeyError(attribute.name, f"{value:g}; expected a number between 0 and 0.5")


VOID_TRIES = 2
"""Maximum number of attempts to play a match that ends void; then the tournament halts."""


@attrs.frozen(kw_only=True)
class Clock:
    """The times that bots have, in seconds, and what is late."""

    first: float = attrs.field(default=DEFAULT.clock.first, validator=_at_least(0))
    """Seconds for the first answer; 0 is no limit."""
    turn: float = attrs.field(default=DEFAULT.clock.turn, validator=_at_least(0))
    """Seconds for every other answer; 0 is no limit."""
    start: float = attrs.field(default=DEFAULT.time_start, validator=_positive)
    """Seconds from the start of a bot to its hello."""
    late_limit: int = attrs.field(default=DEFAULT.late_limit, validator=_at_least(1))
    """Number of late turns in a row that put a bot out, in games where late turns are skipped."""
    stall_margin: float = attrs.field(default=DEFAULT.stall_margin, validator=_at_least(0))
    """Seconds of a stall of the host above which a late answer makes a match void."""

    def conditions(self) -> MatchConditions:
        """Return the conditions of every match of the tournament."""
        return MatchConditions(
            clock=Limits(self.first, self.turn),
            late_limit=self.late_limit,
            stall_margin=self.stall_margin,
            void_tries=VOID_TRIES,
            time_start=self.start,
        )


@attrs.frozen(kw_only=True)
class SeedCount:
    """A number of seeds to draw."""

    count: int = attrs.field(validator=[_at_least(1), _at_most(MAX_SEEDS)])
    base: int | None = None
    """The number from which they are drawn; None for a secret that is kept in the database."""


@attrs.frozen(kw_only=True)
class Sprt:
    """A sequential test of two versions: is the first stronger by elo0 (H0) or by elo1 (H1)?"""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = attrs.field(default=0.05, validator=_share)
    """Probability of accepting H1 if H0 is true."""
    beta: float = attrs.field(default=0.05, validator=_share)
    """Probability of accepting H0 if H1 is true."""

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
    """The resources it may use, such as `memory=512M,cpu=60`, or `none`; None for `Spec.limits`."""
    restart: bool = False
    """Whether it is started afresh for every match."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    """Additional environment variables."""


@attrs.frozen(kw_only=True)
class Spec:
    """A tournament as its file describes it; `setup.prepare` looks up what it names."""

    name: str
    game: str
    format: FormatName
    bots: tuple[BotEntry, ...]
    seeds: tuple[int, ...] | SeedCount = SeedCount(count=10)
    """The seeds; in the file a list, their number, or a table of `count` and `base`."""
    maps: tuple[str, ...] = ()
    """Files, or names of shipped maps; each seed is played on each map. If empty, each seed makes
    its own map."""
    settings: Mapping[str, int] = attrs.field(factory=dict)
    clock: Clock = attrs.field(factory=Clock)
    limits: str | None = None
    """The resources that each bot may use, unless its own entry says otherwise."""
    sandbox: SandboxName = SandboxName.NONE
    seatings: SeatingsName = SeatingsName.ROTATIONS
    rounds: int | None = attrs.field(default=None, validator=[_at_least(1), _at_most(MAX_BLOCKS)])
    """Swiss: the number of rounds; None for as many as leave one winner."""
    blocks: int | None = attrs.field(default=None, validator=[_at_least(1), _at_most(MAX_BLOCKS)])
    """Swiss and knockout: the number of blocks in a meeting on each map; None for 1. Ladder and
    version test: the maximal number of blocks in all; None for no limit."""
    challenger: str | None = None
    """Gauntlet: the bot that meets all others; None for the first one."""
    sprt: Sprt | None = None
    """Version test: its hypotheses and error probabilities; None for the defaults."""
    fill: str | None = None
    """The house bot that takes the seats left free if there are fewer bots than seats."""
    bench_after: int = attrs.field(default=5, validator=_at_least(1))
    """Number of failed matches in a row after which a bot plays no more."""
    concurrency: int | Literal["auto"] = "auto"
    """Number of blocks at the same time; `auto` measures it."""
    executor: str = "local"
    """`local`, `dask-local`, or `dask://HOST:PORT`."""
    pin: bool = False
    """Whether each of the blocks that run at the same time gets cores of its own."""
    keep: Keep = Keep.ALL
    database: str | None = None
    """`postgresql://…`, or a file; None for NAME.db in the folder of the spec."""
    records: str | None = None
    """The folder of records; None for NAME.records in the folder of the spec."""


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
                f"{_shown(value)}; expected whole numbers such as [1, 2, 3], their number, "
                "or { count = 100, base = 42 }"
            )
        known: set[int] = set()
        for seed in map(_whole, seeds):
            if seed in known:
                raise ValueError(f"seed {seed} is listed twice; list each once")
            known.add(seed)
        return tuple(seeds)

    return structure


def _concurrency(value: Any, _: Any) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value != "auto" and not (is_number and 1 <= value <= MAX_SLOTS):
        raise ValueError(
            f'{_shown(value)}; expected a whole number from 1 to {MAX_SLOTS}, or "auto"'
        )
    return value


def _whole(value: int) -> int:
    """Return a whole number unless it is too long for messages; `tomllib` reads any length."""
    if abs(value) >= 10**MAX_DIGITS:
        raise ValueError(f"{_shown(value)}; whole numbers have {MAX_DIGITS} digits at most")
    return value


def _shown(value: Any) -> str:
    try:
        text = ascii(value)
    except ValueError:  # it has more digits than Python converts
        return "a number too long to be shown"
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_CONVERTER = _converter()


def parse_spec(text: str, where: str) -> Spec:
    """Read a spec from the text of its file.

    Args:
        text: The text, TOML.
        where: The name of the file, for messages.

    Raises:
        SpecError: The text isn't TOML, or isn't a spec.
    """
    if _LONG_KEY.search(text):
        raise SpecError(f"{where}: not valid TOML: a key of more than 100 parts")
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{where}: not valid TOML: {error}") from None
    except ValueError:  # Python's limit of digits; its own message is for programmers
        raise SpecError(f"{where}: not valid TOML: a whole number of thousands of digits") from None
    except RecursionError:
        raise SpecError(f"{where}: not valid TOML: lists or tables nested too deeply") from None
    return spec_of(value, where)


def read_spec(path: Path) -> Spec:
    """Read a spec from its file.

    Raises:
        SpecError: The file can't be read, isn't TOML, or isn't a spec.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SpecError(f"{path}: can't be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise SpecError(f"{path}: too long for a spec; at most {MAX_BYTES >> 20} MiB is read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError(f"{path}: not UTF-8, from byte {error.start} on") from None
    return parse_spec(text, str(path))


def spec_of(value: Mapping[str, Any], where: str = "spec") -> Spec:
    """Return a spec from the content of its TOML file.

    Raises:
        SpecError: The content isn't a spec.
    """
    try:
        return _CONVERTER.structure(value, Spec)
    except cattrs.BaseValidationError as error:
        problems = list(_problems(error, ""))
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise SpecError(f"{where}: {problems[0]}{more}") from None


def _problems(error: BaseException, path: str) -> Iterator[str]:
    """Yield a line for each error, which begins with its place in the file."""
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
        # `path` already ends with the missing key.
        yield f"{path}: missing; it must be given"
    elif isinstance(error, _ValueOfKeyError):
        place = f"{path}.{error.key}" if path and path != error.key else error.key
        yield f"{place}: {error}"
    else:
        yield f"{path}: {error}" if path else str(error)


def _key(key: object) -> str:
    """Return a key of the file in a form that is safe and short enough for a message."""
    is_plain = isinstance(key, str) and key.isidentifier()
    return _short(ascii(key)[1:-1] if is_plain else ascii(key))
