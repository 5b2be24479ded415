"""The spec of an arena: the content of `arena.toml`, read strictly; see docs/arena.md.

Only text becomes data here; games, maps, programs, certificates and databases are looked up when
the arena is checked or started. Each error names the key that is wrong and says what would be
right.
"""

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
import cattrs

from lanista.bots.limits import LimitsError, parse_limits
from lanista.games import DEFAULT_GAME, registry
from lanista.games.base import Ruleset
from lanista.hosting.inputs import SandboxName, example_of
from lanista.match.conditions import Clock
from lanista.ranges import Validator, ValueOfKeyError, at_least, at_most, positive, rule
from lanista.system import usable_cores
from lanista.toml_spec import (
    SpecReader,
    given,
    quoted,
    shown,
    strict_converter,
    toml_text,
)
from lanista_protocol import option_fault

MAX_BYTES = 1024 * 1024
"""Maximum size of an arena's file in bytes."""
MAX_LADDERS = 100
MAX_HOUSE = 64
MAX_SITES = 20
MAX_LISTED = 1000
MAX_CONNECTIONS = 1_000_000
MAX_WORKERS = 256
MAX_COUNT = 1_000_000_000
MAX_SOURCE = 64 * 1024 * 1024
MAX_DISK = 1 << 50
MAX_VERSIONS = 1000
HOUR, DAY = 3600, 86_400
"""Maximum of times for which somebody waits, in seconds."""
MAX_LAG_ALLOWANCE = 0.25
"""Maximum of `lag_allowance`: a peer can make its round trip look longer, but gains no more."""
NO_PAGE = "none"
"""The value of `page.listen` with which no page is served."""

BOT_NAME_FORM = "1 to 32 of A-Z a-z 0-9 . _ - and single spaces between words"
"""What a bot's name on a ladder may be, in words."""

_BOT_NAME = re.compile(r"(?=.{1,32}\Z)[A-Za-z0-9._-]+(?: [A-Za-z0-9._-]+)*")
_ADDRESS = re.compile(r"(?:(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+):)?([0-9]{1,5})")


class Registration(enum.StrEnum):
    """Who may register a name."""

    OPEN = "open"
    """Whoever is the first to say it, with a token."""
    CLOSED = "closed"
    """Only the operator."""


class Rooms(enum.StrEnum):
    """Which rooms an arena has."""

    ANY = "any"
    """Its ladders, and friendly rooms of any name."""
    LADDERS = "ladders"
    """Its ladders alone."""


class LogFormat(enum.StrEnum):
    """What the lines of an arena's log look like."""

    TEXT = "text"
    """`key=value`, or coloured columns in a terminal."""
    JSON = "json"


class Start(enum.StrEnum):
    """When the matches of friendly rooms begin."""

    AUTO = "auto"
    """A match begins as soon as its players are there."""
    MANUAL = "manual"
    """A match begins when the operator says so."""


def host_and_port(text: str) -> tuple[str, int]:
    """Parse the address of a page: `HOST:PORT`, `[HOST]:PORT`, or `PORT` of 127.0.0.1.

    Raises:
        ValueError: It is none of these; the message says what is expected.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None or int(match[2]) > 65535:
        raise ValueError("expected HOST:PORT, such as 127.0.0.1:8080")
    return (match[1] or "127.0.0.1").strip("[]"), int(match[2])


def is_bot_name(name: str) -> bool:
    """Return whether a bot on a ladder may have this name: words with single spaces between."""
    return _BOT_NAME.fullmatch(name) is not None


def default_workers() -> int:
    """Return the number of workers of an arena whose file doesn't say it: one for each core."""
    return min(len(usable_cores()), MAX_WORKERS)


# -- validators --------------------------------------------------------------------------------


def _few(most: int) -> Validator:
    return rule(
        lambda value: (
            f"{len(value)} entries; expected at most {most}" if len(value) > most else None
        )
    )


def _each(expected: Callable[[str], str | None]) -> Validator:
    """Return a validator for lists, made of a function that says what an entry should have been."""

    def check(_: Any, attribute: "attrs.Attribute[Any]", value: Sequence[str]) -> None:
        for number, entry in enumerate(value, 1):
            if (wanted := expected(entry)) is not None:
                key = f"{attribute.name}[{number}]"
                raise ValueOfKeyError(key, f"{shown(entry)}; expected {wanted}")

    return check


@_each
def _files(path: str) -> str | None:
    return None if path and "\0" not in path else "a file"


@_each
def _sites(site: str) -> str | None:
    # It goes into a header as it is.
    is_site = re.fullmatch(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?", site)
    return None if is_site else "a site, such as https://school.example"


@rule
def _ladder_name(value: str) -> str | None:
    if value in {".", ".."}:
        return f"{shown(value)}; expected another name than . or .."
    expected = option_fault("room", value)  # bots ask for a ladder as for any room
    return None if expected is None else f"{shown(value)}; expected {expected}"


@rule
def _bot_name(value: str) -> str | None:
    return None if is_bot_name(value) else f"{shown(value)}; expected {BOT_NAME_FORM}"


@rule
def _page_address(value: str) -> str | None:
    try:
        if value != NO_PAGE:
            host_and_port(value)
    except ValueError as error:
        return f'{shown(value)}; {error}, or "none"'
    return None


@rule
def _postgresql(value: str) -> str | None:
    if re.match(r"postgresql(?:\+psycopg)?://", value):
        return None
    # The value isn't shown, as it may have a password.
    return (
        "not the URL of a PostgreSQL database; expected "
        "postgresql://USER:PASSWORD@HOST:PORT/NAME, or leave the key out for SQLite files"
    )


@rule
def _limits(value: str) -> str | None:
    try:
        parse_limits(value)
    except LimitsError as error:
        return str(error).removeprefix("limits ")  # the key is said before it
    return None


@rule
def _has_zone(value: datetime) -> str | None:
    if value.tzinfo is not None:
        return None
    return f"{value.isoformat()}; expected a time zone too, as +01:00 or Z"


# -- the tables of the file --------------------------------------------------------------------


@attrs.frozen(kw_only=True)
class Tls:
    """The files with which the bots' port and the page speak TLS, both in PEM."""

    certificate: str = attrs.field(validator=given)
    """The certificate, and after it those that lead to its issuer."""
    key: str = attrs.field(validator=given)
    """The private key, without a password; it may be in the certificate's file."""


@attrs.frozen(kw_only=True)
class Page:
    """The page for browsers."""

    listen: str | None = attrs.field(default=None, validator=_page_address)
    """HOST:PORT, or `none` for no page, whatever else is here; None for 127.0.0.1:8080, or a free
    port."""
    open_logs: bool = False
    """Whether everybody sees bots' logs while their match runs."""
    tournaments: tuple[str, ...] = attrs.field(default=(), validator=[_few(MAX_LISTED), _files])
    """The files of the tournaments whose standings are shown."""

    embed: tuple[str, ...] = attrs.field(default=(), validator=[_few(MAX_SITES), _sites])
    """The sites that may show the page within theirs."""


@attrs.frozen(kw_only=True)
class HouseBot:
    """A house bot of a ladder; in the file a table, or the text of `command` alone."""

    command: str = attrs.field(validator=given)
    """The name of a house bot of the game, a command line, or `stdio:` and a command line."""
    name: str | None = attrs.field(default=None, validator=_bot_name)
    """The name that it has on the ladder; None for one that follows from the command."""


@attrs.frozen(kw_only=True)
class Submissions:
    """The programs that authors hand in for a ladder; in the file a table, or `true`."""

    closes: datetime | None = attrs.field(default=None, validator=_has_zone)
    """The time after which nothing is taken any more; None for none."""
    max_bytes: int = attrs.field(default=1 << 20, validator=[at_least(1), at_most(MAX_SOURCE)])
    """Maximum size of what is handed in, in bytes."""
    versions: int = attrs.field(default=10, validator=[at_least(2), at_most(MAX_VERSIONS)])
    """Number of versions of each name that are kept: the latest ones, and the one that plays."""
    per_hour: int = attrs.field(default=20, validator=[at_least(1), at_most(MAX_VERSIONS)])
    """Maximum number of versions that a name may hand in within an hour."""
    build_time: float = attrs.field(default=120.0, validator=[positive, at_most(HOUR)])
    """Seconds that a build may take."""
    build_limits: str | None = attrs.field(default=None, validator=_limits)
    """The resources that a build may use, as `--limits`; None for the defaults of builds."""
    built_bytes: int = attrs.field(
        default=64 << 20, validator=[at_least(1 << 16), at_most(1 << 30)]
    )
    """Maximum size of a built program in bytes."""
    limits: str | None = attrs.field(default=None, validator=_limits)
    """The resources that each submitted bot may use, as `--limits`; None for the defaults."""
    max_disk: int = attrs.field(default=4 << 30, validator=[at_least(1 << 20), at_most(MAX_DISK)])
    """Maximum size of all versions of the ladder together, in bytes."""
    slots: int | None = attrs.field(default=None, validator=[at_least(1), at_most(MAX_WORKERS)])
    """Maximum number of matches at once in which no bot plays that has connected; None for as many
    as have cores of their own, but at least 1."""
    matches: int = attrs.field(default=300, validator=[at_least(1), at_most(MAX_COUNT)])
    """Number of matches from which on a version begins none; it still plays those of others."""


@attrs.frozen(kw_only=True)
class LadderSpec:
    """A ladder as the file describes it."""

    name: str = attrs.field(validator=_ladder_name)
    """The room that puts a bot on it."""
    game: str
    maps: tuple[str, ...] = attrs.field(default=(), validator=_few(MAX_LISTED))
    """Files, or names of shipped maps; each match is played on one of them, chosen at random. If
    empty, each seed makes its own map."""
    house: tuple[HouseBot, ...] = attrs.field(default=(), validator=_few(MAX_HOUSE))
    """The bots that the arena starts to fill seats."""
    limits: str | None = None
    """The resources that each house bot may use, as `--limits`; None for the defaults."""
    sandbox: SandboxName = SandboxName.NONE
    """The sandbox in which house bots run."""
    fill_after: float = attrs.field(default=10.0, validator=[at_least(0), at_most(DAY)])
    """Seconds that a bot waits for others before house bots take the free seats."""
    bench_after: int = attrs.field(default=3, validator=[at_least(1), at_most(MAX_COUNT)])
    """Number of failed matches in a row after which a bot has to rest."""
    window: int | None = attrs.field(default=None, validator=[at_least(1), at_most(MAX_COUNT)])
    """Number of the latest matches that count for the table and for pairing; None for all."""
    lag_allowance: float = attrs.field(
        default=0.0, validator=[at_least(0), at_most(MAX_LAG_ALLOWANCE)]
    )
    """Maximum of the round trip, in seconds, that is added to a seat's time limits."""
    submissions: Submissions | None = None
    """The limits on programs that authors hand in; None if all bots have to connect."""
    settings: Mapping[str, int] = attrs.field(factory=dict)
    """Settings of the game that differ from its defaults."""
    clock: Clock = attrs.field(factory=Clock)


@attrs.frozen(kw_only=True)
class Friendly:
    """The friendly rooms: those that aren't ladders."""

    start: Start = Start.AUTO
    matches: int | None = attrs.field(default=None, validator=[at_least(1), at_most(MAX_COUNT)])
    """Number of matches after which the arena ends; None for no end."""
    map: str | None = attrs.field(default=None, validator=given)
    """A map of the game of bots that name none: a file, or the name of a shipped map; None: each
    seed makes its own."""
    settings: Mapping[str, int] = attrs.field(factory=dict)
    """Settings of that game that differ from its defaults."""
    clock: Clock = attrs.field(factory=Clock)


@attrs.frozen(kw_only=True)
class ArenaSpec:
    """An arena as its file describes it; paths are relative to the folder of the file."""

    host: str = attrs.field(default="127.0.0.1", validator=given)
    port: int = attrs.field(default=7777, validator=[at_least(0), at_most(65535)])
    """The port on which bots are listened to; 0 for a free one."""
    game: str | None = None
    """The game of bots that name none; None for `default_game`."""
    data: str = attrs.field(default="lanista-data", validator=given)
    """The folder of records and, without `store`, of results."""
    store: str | None = attrs.field(default=None, validator=_postgresql, repr=False)
    """`postgresql://…`; None for SQLite files in the data folder. It may have a password."""
    registration: Registration = Registration.OPEN
    rooms: Rooms = Rooms.ANY
    """`ladders` refuses bots that ask for any other room."""
    max_connections: int = attrs.field(
        default=1000, validator=[at_least(1), at_most(MAX_CONNECTIONS)]
    )
    """Maximum number of simultaneous connections of bots."""
    max_per_address: int | None = attrs.field(
        default=None, validator=[at_least(1), at_most(MAX_CONNECTIONS)]
    )
    """The same for each address; None for 100, or no limit for loopback addresses."""
    hello_timeout: float = attrs.field(default=10.0, validator=[positive, at_most(HOUR)])
    """Seconds until which a connection must have sent its hello."""
    drain: float = attrs.field(default=0.0, validator=[at_least(0), at_most(HOUR)])
    """Seconds that running matches have after SIGTERM; 0 ends them at once."""
    log_format: LogFormat = LogFormat.TEXT
    workers: int = attrs.field(
        factory=default_workers, validator=[at_least(1), at_most(MAX_WORKERS)]
    )
    """Number of processes in which matches run; 1 for the arena's own."""
    tls: Tls | None = None
    page: Page = attrs.field(factory=Page)
    friendly: Friendly = attrs.field(factory=Friendly)
    ladders: tuple[LadderSpec, ...] = attrs.field(default=(), validator=_few(MAX_LADDERS))

    def __attrs_post_init__(self) -> None:
        if self.ladders and self.friendly.matches is not None:
            raise ValueOfKeyError(
                "friendly.matches", "with ladders, which have no end; leave one of them out"
            )
        if self.rooms is Rooms.LADDERS and not self.ladders:
            raise ValueOfKeyError(
                "rooms", '"ladders", but there is no [[ladders]]; add one, or "any"'
            )
        for number, ladder in enumerate(self.ladders, 1):
            if ladder.submissions is not None and self.store is not None:
                raise ValueOfKeyError(
                    f"ladders[{number}].submissions",
                    "with store, where several arenas may share a ladder, but programs are handed "
                    "in to one; leave one of them out",
                )
        # Regardless of case, as people may mistake one for the other.
        known: dict[str, int] = {}
        for number, ladder in enumerate(self.ladders, 1):
            other = known.setdefault(ladder.name.lower(), number)
            if other != number:
                raise ValueOfKeyError(
                    f"ladders[{number}].name",
                    f"{ladder.name} is the name of ladders[{other}] too; give each its own, "
                    "which differs in more than upper and lower case",
                )

    @property
    def default_game(self) -> str:
        """The game of bots that name none: `game`, else the first ladder's, else `DEFAULT_GAME`."""
        if self.game is not None:
            return self.game
        return self.ladders[0].game if self.ladders else DEFAULT_GAME


# -- reading -----------------------------------------------------------------------------------


def _converter() -> cattrs.Converter:
    converter = strict_converter()
    structure_table = converter.get_structure_hook(HouseBot)

    def structure_bot(value: Any, kind: Any) -> Any:
        if isinstance(value, str):
            return structure_table({"command": value}, kind)
        if not isinstance(value, Mapping):
            raise TypeError(f"{shown(value)}; expected text, or a table of name and command")
        return structure_table(value, kind)

    def structure_bots(value: Any, _: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f'{shown(value)}; expected a list, such as ["Demo", "python3 mybot.py"]'
            )
        return tuple(converter.structure(value, list[HouseBot]))

    def structure_submissions(value: Any, _: Any) -> Any:
        if value is False:
            return None
        if value is not True and not isinstance(value, Mapping):
            raise TypeError(f"{shown(value)}; expected true, false or a table")
        return converter.structure({} if value is True else value, Submissions)

    def structure_time(value: Any, _: Any) -> Any:
        if not isinstance(value, datetime):
            example = "2026-12-18T23:59:00+01:00, without quotes"
            raise TypeError(f"{shown(value)}; expected a time, such as {example}")
        return value

    converter.register_structure_hook_func(lambda kind: kind == datetime | None, structure_time)
    converter.register_structure_hook_func(
        lambda kind: kind == Submissions | None, structure_submissions
    )
    converter.register_structure_hook(HouseBot, structure_bot)
    converter.register_structure_hook_func(
        lambda kind: kind == tuple[HouseBot, ...], structure_bots
    )
    return converter


_READER = SpecReader(ArenaSpec, _converter(), MAX_BYTES)
read_spec, parse_spec, spec_of = _READER.read, _READER.parse, _READER.of


# -- writing -----------------------------------------------------------------------------------

_EXAMPLE = Path(__file__).with_name("example.toml.template")


def example(ruleset: Ruleset, file: str) -> str:
    """Return a commented file of an arena that can be started, with every key and its default."""
    return _EXAMPLE.read_text(encoding="utf-8").format(
        **example_of(ruleset),
        file=file,
        name=quoted(ruleset.name),
        house=", ".join(map(quoted, registry.house_bots(ruleset.name))),
    )


def toml_of(spec: ArenaSpec) -> str:
    """Return the text of a file that describes a spec, with every key that has a value.

    `parse_spec` makes an equal spec of it. The URL of `store` is in it with its password.
    """
    return toml_text(attrs.asdict(spec))
