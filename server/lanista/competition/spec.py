"""The spec of a tournament: the content of its TOML file, read strictly; see docs/tournaments.md.

Only text becomes data here; games, programs and maps are looked up by `setup`. A test compares the
defaults in `example.toml.template`, which `lanista tournament new` writes, with those of `Spec`.
"""

import enum
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import cattrs

from lanista.errors import SpecError
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.inputs import SandboxName, example_of
from lanista.match.conditions import MAX_MATCH_CPU, Clock
from lanista.ranges import at_least, at_most, rule
from lanista.results.blocks import FormatName, SeatingsName
from lanista.results.match_result import MatchResult
from lanista.toml_spec import SpecReader, given, quoted, shown, strict_converter, whole

MAX_SEEDS = 1_000_000
"""Maximum number of seeds; more are surely a mistake, and planning them would take minutes."""
MAX_BLOCKS = 100_000
"""Maximum value of `blocks` and of `rounds`."""
MAX_SLOTS = 10_000
"""Maximum number of blocks at the same time."""
MAX_BYTES = 16 * 1024 * 1024
"""Maximum size of a spec's file in bytes: there is room for a list of a million seeds."""


class Keep(enum.StrEnum):
    """The choice of records to keep when their matches are stored."""

    ALL = "all"
    FAILURES = "failures"
    """The records of void matches and of matches in which a bot failed."""
    NONE = "none"

    def keeps(self, match: MatchResult) -> bool:
        """Return whether the record of a match is kept."""
        if self is Keep.FAILURES:
            return match.has_failure or not match.counted
        return self is Keep.ALL


@rule
def _tournament_name(value: str) -> str | None:
    if value.strip(" ."):  # a browser takes `/tournament/..` for another address
        return None
    return f"{shown(value)}; expected a name that isn't only spaces and dots"


@rule
def _share(value: float) -> str | None:
    return None if 0 < value < 0.5 else f"{value:g}; expected a number between 0 and 0.5"


@attrs.frozen(kw_only=True)
class SeedCount:
    """A number of seeds to draw."""

    count: int = attrs.field(validator=[at_least(1), at_most(MAX_SEEDS)])
    base: int | None = None
    """The number from which they are drawn; None for a secret that is kept in the database."""


MAX_ELO = 2000
"""The largest difference that a hypothesis may state; far beyond it, expected scores round to 1."""


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
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(
                f"elo0 {self.elo0:g}, elo1 {self.elo1:g}; elo0 must be below elo1, both from "
                f"-{MAX_ELO} to {MAX_ELO}"
            )


@attrs.frozen(kw_only=True)
class BotEntry:
    """A bot that takes part."""

    name: str
    command: str
    """A house bot's name, a command line, or `stdio:` and a command line."""
    program: str | None = None
    """The file of a program that an arena built, in whose sandbox `command` is run; None for a
    command that runs in the folder of the spec."""
    limits: str | None = None
    """The resources it may use, such as `memory=512M,cpu=60`, or `none`; None for `Spec.limits`."""
    restart: bool | None = None
    """Whether it is started afresh for every match; None for no, or yes with `Spec.match_cpu`."""
    environment: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Spec:
    """A tournament as its file describes it; `setup.prepare` looks up what it names."""

    name: str = attrs.field(validator=_tournament_name)
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
    match_cpu: int | None = attrs.field(
        default=None, validator=[at_least(1), at_most(MAX_MATCH_CPU)]
    )
    """Seconds of processor time that each bot may use in a whole match, for which it is started
    afresh; None for no such budget."""
    sandbox: SandboxName = SandboxName.NONE
    seatings: SeatingsName = SeatingsName.ROTATIONS
    rounds: int | None = attrs.field(default=None, validator=[at_least(1), at_most(MAX_BLOCKS)])
    """Swiss: the number of rounds; None for as many as leave one winner."""
    blocks: int | None = attrs.field(default=None, validator=[at_least(1), at_most(MAX_BLOCKS)])
    """Swiss and knockout: the number of blocks in a meeting on each map; None for 1. Ladder and
    version test: the maximal number of blocks in all; None for no limit."""
    challenger: str | None = None
    """Gauntlet: the bot that meets all others; None for the first one."""
    sprt: Sprt | None = None
    """Version test: its hypotheses and error probabilities; None for the defaults."""
    fill: str | None = None
    """The house bot that takes the seats left free if there are fewer bots than seats."""
    bench_after: int = attrs.field(default=5, validator=at_least(1))
    """Number of failed matches in a row after which a bot plays no more."""
    concurrency: int | Literal["auto"] = "auto"
    """Number of blocks at the same time; `auto` for as many as give each bot a core of its own."""
    executor: str = "local"
    """`local`, `dask-local`, or `dask://HOST:PORT`."""
    pin: bool = False
    """Whether each of the blocks that run at the same time gets cores of its own."""
    keep: Keep = Keep.ALL
    database: str | None = attrs.field(default=None, validator=given)
    """`postgresql://…`, or a file; None for NAME.db in the folder of the spec."""
    records: str | None = attrs.field(default=None, validator=given)
    """The folder of records; None for NAME.records in the folder of the spec."""


def _converter() -> cattrs.Converter:
    converter = strict_converter()
    converter.register_structure_hook(Spec.__annotations__["seeds"], _seeds(converter))
    converter.register_structure_hook(Spec.__annotations__["concurrency"], check_concurrency)
    return converter


def _seeds(converter: cattrs.Converter) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            return SeedCount(count=whole(value))
        if isinstance(value, Mapping):
            return converter.structure(value, SeedCount)
        seeds = isinstance(value, (list, tuple)) and value
        if not seeds or any(isinstance(seed, bool) or not isinstance(seed, int) for seed in seeds):
            raise TypeError(
                f"{shown(value)}; expected whole numbers such as [1, 2, 3], their number, "
                "or { count = 100, base = 42 }"
            )
        known: set[int] = set()
        for seed in map(whole, seeds):
            if seed in known:
                raise ValueError(f"seed {seed} is listed twice; list each once")
            known.add(seed)
        return tuple(seeds)

    return structure


def check_concurrency(value: Any, _: Any = None) -> Any:
    """Return a number of things at the same time, or `auto`; anything else is a ValueError."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if value != "auto" and not (is_number and 1 <= value <= MAX_SLOTS):
        raise ValueError(
            f'{shown(value)}; expected a whole number from 1 to {MAX_SLOTS}, or "auto"'
        )
    return value


_READER = SpecReader(Spec, _converter(), MAX_BYTES)
read_spec, parse_spec, spec_of = _READER.read, _READER.parse, _READER.of


_TEMPLATE = Path(__file__).with_name("example.toml.template")
_FILL = """\
# A house bot that takes the seats left free if there are fewer bots than seats.
# fill = {bot}

"""
"""The part about fillers, which are house bots; in games of two, two bots leave no seat free."""


def check_seats(seats: int) -> None:
    """Refuse a game with a number of seats for which there are no tournaments."""
    if seats not in {2, 4}:
        raise SpecError(f"game: it has {seats} seats; tournaments are for games of 2 or 4")


def example(ruleset: Ruleset, stem: str) -> str:
    """Return the text of a commented spec; results are named after `stem`, which is printable.

    All house bots take part; the first one several times if seats were left free. If the game has
    none, programs are named that its author has to put in their place. A game for which there are
    no tournaments is a SpecError.
    """
    seats, house = ruleset.seats, list(registry.house_bots(ruleset.name))
    check_seats(seats)
    entries = [(bot, bot) for bot in house]
    if house:
        entries += [(f"{house[0]}-{copy}", house[0]) for copy in range(2, seats - len(house) + 2)]
    else:
        entries = [(f"Bot{number}", f"python3 bot{number}.py") for number in range(1, seats + 1)]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        **example_of(ruleset),
        file=f"{stem}.toml",
        name=quoted(stem),
        rotations="two seatings"
        if seats == 2
        else f"{seats} seatings, every bot once in each seat",
        all="the same" if seats == 2 else "every arrangement",
        first=quoted(entries[0][0]),
        fill=_FILL.format(bot=quoted(house[0])) if house and seats > 2 else "",
        database=quoted(f"{stem}.db"),
        records=quoted(f"{stem}.records"),
        bots="".join(
            f"\n[[bots]]\nname = {quoted(name)}\ncommand = {quoted(command)}\n"
            for name, command in entries
        ),
    )
