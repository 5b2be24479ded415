"""A spec made ready to be played: its game, maps, bots and seeds looked up; and the ids of blocks.

Everything that can be wrong with a spec is found here, before anything is started. Nothing is
started, played or stored here.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from lanista.bots import (
    BotLimits,
    LimitsError,
    SandboxError,
    check_sandbox,
    parse_limits,
)
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.host import distinct
from lanista.hosting.names import UnusableNameError, bot_command, configuration_of
from lanista.house import HOUSE
from lanista.match.conditions import MatchConditions
from lanista.pairing.blocks import Pairing, Seating, seatings
from lanista.pairing.kinds import SeatingsName
from lanista.rules import registry
from lanista.rules.base import BadBoardError, BadSettingError, Ruleset, complete_settings
from lanista.tournament import executors
from lanista.tournament.spec import (
    BotEntry,
    SandboxName,
    SeedCount,
    Spec,
    SpecError,
)
from lanista_protocol import RemoteProtocolError, parse_hello, shown

_SQLITE = "sqlite:///"
_ID_DIGITS = 32
"""Hexadecimal digits of a block's id: 128 bits, so that no two blocks ever have one."""


@attrs.frozen
class Draw:
    """What a block is played on."""

    seed: int
    map: str
    """The map's name in the spec; empty where the seed makes it."""


@attrs.frozen(kw_only=True)
class MatchSetup:
    """What all matches have in common, as workers need it: plain data, small to send."""

    game: str
    settings: Mapping[str, Mapping[str, int]]
    """By map, complete: a configuration file brings its own."""
    boards: Mapping[str, str]
    """By map, as the ruleset writes it; no entry where the seed makes the board."""
    conditions: MatchConditions


@attrs.define(eq=False)
class Setup:
    """A tournament, ready to be played. Made by `prepare`."""

    spec: Spec
    folder: Path
    """The spec's; bots run there."""
    ruleset: Ruleset
    match_setup: MatchSetup
    contestants: Mapping[str, Contestant]
    """By name, in the spec's order, fillers last."""
    database: str | Path
    records: Path
    base_seed: str = ""
    """What seeds beyond those listed are drawn from."""
    _seeds: list[int] = attrs.field(factory=list, init=False)
    _known: set[int] = attrs.field(factory=set, init=False)
    _drawn: int = attrs.field(default=0, init=False)
    _common: "hashlib._Hash" = attrs.field(init=False)
    _digests: dict[str, bytes] = attrs.field(init=False)
    _maps: tuple[str, ...] = attrs.field(init=False)
    _map_digests: dict[str, bytes] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        spec, matches = self.spec, self.match_setup
        conditions = matches.conditions
        if not isinstance(spec.seeds, SeedCount):
            self._seeds = list(spec.seeds)
            self._known = set(spec.seeds)
            if not self.needs_base_seed:
                self.base_seed = "none is wanted beyond those listed"
        elif spec.seeds.base is not None:
            self.base_seed = f"base {spec.seeds.base}"
        self._maps = spec.maps or ("",)
        common = {
            "game": matches.game,
            "version": self.ruleset.version,
            "first": conditions.clock.first,
            "turn": conditions.clock.turn,
            "late_limit": conditions.late_limit,
            "seatings": spec.seatings.value,
        }
        self._common = hashlib.sha256(_canonical(common).encode() + b"\n")
        self._digests = {
            name: hashlib.sha256(_canonical([name, one.identity]).encode()).digest()
            for name, one in self.contestants.items()
        }
        # Not the map's name: the same map under another name is the same.
        self._map_digests = {
            map_: hashlib.sha256(
                _canonical([matches.boards.get(map_), matches.settings[map_]]).encode()
            ).digest()
            for map_ in self._maps
        }

    @property
    def needs_base_seed(self) -> bool:
        """Whether seeds are drawn from a base that the spec doesn't name.

        Then `base_seed` is to be set to a secret that is kept, before the first draw. Formats that
        may want more seeds than are listed draw them so, too.
        """
        seeds = self.spec.seeds
        if isinstance(seeds, SeedCount):
            return seeds.base is None
        return not self.spec.format.is_planned

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of those with a place in the standings, in the spec's order."""
        return tuple(name for name, one in self.contestants.items() if not one.is_filler)

    @property
    def fillers(self) -> tuple[str, ...]:
        """The names of those that only fill seats."""
        return tuple(name for name, one in self.contestants.items() if one.is_filler)

    @property
    def draws(self) -> int:
        """How many draws the spec lists: each of its seeds on each of its maps."""
        seeds = self.spec.seeds
        count = seeds.count if isinstance(seeds, SeedCount) else len(seeds)
        return count * len(self._maps)

    def draw(self, index: int) -> Draw:
        """A draw by its number; beyond those that the spec lists there are always more."""
        at, which = divmod(index, len(self._maps))
        while len(self._seeds) <= at:
            self._draw_seed()
        return Draw(self._seeds[at], self._maps[which])

    def turn(self, index: int) -> int:
        """A number that a draw has for ever, wherever it stands among the others."""
        draw = self.draw(index)
        digest = hashlib.sha256(b"%d\n" % draw.seed + self._map_digests[draw.map])
        return int.from_bytes(digest.digest()[:4])

    def _draw_seed(self) -> None:
        assert self.base_seed, "a base for the seeds is set before the first draw"
        low, high = self.ruleset.seeds
        while True:
            self._drawn += 1
            drawn = hashlib.sha256(f"{self.base_seed} {self._drawn}".encode()).digest()
            seed = low + int.from_bytes(drawn[:16]) % (high - low + 1)
            if seed not in self._known:  # a seed twice would be one block, not two
                self._known.add(seed)
                self._seeds.append(seed)
                return

    def seatings(self, pairing: Pairing) -> tuple[Seating, ...]:
        """In which seatings a block is played."""
        return seatings(pairing.bots, every=self.spec.seatings is SeatingsName.ALL)

    def block_id(self, bots: Sequence[str], draw: Draw) -> str:
        """The id of a block: a hash of all that decides its matches."""
        digest = self._common.copy()
        digest.update(b"%d\n" % draw.seed)
        digest.update(self._map_digests[draw.map])
        for bot in bots:
            digest.update(self._digests[bot])
        return digest.hexdigest()[:_ID_DIGITS]


def prepare(
    spec: Spec,
    folder: Path,
    stem: str | None = None,
    *,
    plays: bool = True,
    source: Path | None = None,
) -> Setup:
    """Look up all that a spec names.

    Args:
        spec: The spec.
        folder: Its file's folder: maps, programs and results are relative to it.
        stem: What the database and the folder of records are called; None is the spec's name.
        plays: Whether it will be played here; else programs and the sandbox needn't be there.
        source: The spec's file, which no sandboxed bot may see: a database's password may be in it.

    Raises:
        SpecError: A game, map, setting, seed, bot or limit that can't be, with its key.
    """
    folder = folder.resolve()
    executors.checked(spec.executor)
    try:
        ruleset = registry.get(spec.game)
    except registry.UnknownGameError as error:
        raise SpecError(f"game: {error}") from None
    settings, boards = _maps(spec, ruleset, folder)
    _check_seeds(spec, ruleset)
    if plays and spec.sandbox is SandboxName.BWRAP:
        try:
            check_sandbox()
        except SandboxError as error:
            raise SpecError(f"{error}") from None
    contestants = _contestants(spec, folder, plays=plays)
    contestants |= _fillers(spec, ruleset, folder, contestants)
    stem = stem or _file_name(spec.name)
    database = _database(spec, folder, stem)
    records = folder / (spec.records or f"{stem}.records")
    hidden = [str(records), *([] if source is None else [str(source.absolute())])]
    if isinstance(database, Path):
        hidden += [f"{database}{ending}" for ending in ("", "-wal", "-shm", ".lock")]
    return Setup(
        spec=spec,
        folder=folder,
        ruleset=ruleset,
        match_setup=MatchSetup(
            game=ruleset.name,
            settings=settings,
            boards=boards,
            conditions=spec.clock.conditions(),
        ),
        contestants={
            name: attrs.evolve(one, folder=str(folder), hidden=tuple(hidden))
            for name, one in contestants.items()
        },
        database=database,
        records=records,
    )


def _database(spec: Spec, folder: Path, stem: str) -> str | Path:
    if spec.database is None:
        return folder / f"{stem}.db"
    path = spec.database.removeprefix(_SQLITE)
    if "://" in path:
        return spec.database
    return folder / path


def _file_name(name: str) -> str:
    cleaned = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    return cleaned.strip(".-")[:64] or "tournament"


def _maps(
    spec: Spec, ruleset: Ruleset, folder: Path
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Settings by map, and boards by map as the ruleset writes them."""
    settings: dict[str, dict[str, int]] = {}
    boards: dict[str, str] = {}
    for number, map_ in enumerate(spec.maps, 1):
        if not map_.strip():
            raise SpecError(f"maps[{number}]: {map_!a}; a map's file or name")
    for number, map_ in enumerate(spec.maps or ("",), 1):
        try:
            given, board = ({}, None) if not map_ else configuration_of(ruleset, map_, folder)
        except UnusableNameError as error:
            raise SpecError(f"maps[{number}]: {error}") from None
        if map_ in settings:
            raise SpecError(f"maps[{number}]: {map_} twice; each is played once")
        try:
            settings[map_] = complete_settings(ruleset, {**given, **spec.settings})
        except BadSettingError as error:
            raise SpecError(f"settings: {error}") from None
        if board is not None:
            try:
                ruleset.new(settings[map_], board, ruleset.chance(ruleset.seeds[0]))
            except BadBoardError as error:
                raise SpecError(f"maps[{number}]: {map_}: {error}") from None
            boards[map_] = ruleset.write_board(board)
        known = (boards.get(map_), settings[map_])
        for other in list(settings)[:-1]:
            if map_ and (boards.get(other), settings[other]) == known:
                raise SpecError(f"maps[{number}]: {map_} is the same as {other}")
    return settings, boards


def _check_seeds(spec: Spec, ruleset: Ruleset) -> None:
    low, high = ruleset.seeds
    if isinstance(spec.seeds, SeedCount):
        if spec.seeds.count > high - low + 1:
            raise SpecError(f"seeds: {spec.seeds.count}; {ruleset.title} has {high - low + 1}")
        return
    for number, seed in enumerate(spec.seeds, 1):
        if not low <= seed <= high:
            raise SpecError(
                f"seeds[{number}]: {seed}; a seed of {ruleset.title} is from {low} to {high}"
            )


def _contestants(spec: Spec, folder: Path, *, plays: bool) -> dict[str, Contestant]:
    found: dict[str, Contestant] = {}
    if not spec.bots:
        raise SpecError("bots: none; a tournament needs [[bots]] tables")
    for number, entry in enumerate(spec.bots, 1):
        _check_name(entry.name, number)
        if entry.name in found:
            raise SpecError(f"bots[{number}].name: {entry.name} twice; each name is one bot's")
        found[entry.name] = _contestant(spec, entry, number, folder, plays=plays)
    return found


def _contestant(
    spec: Spec, entry: BotEntry, number: int, folder: Path, *, plays: bool = True
) -> Contestant:
    command: tuple[str, ...] = ()
    if plays:
        try:
            _, command = bot_command(spec.game, entry.command, folder)
        except UnusableNameError as error:
            raise SpecError(f"bots[{number}].command: {error}") from None
    limits = BotLimits()
    for place, text in ((f"bots[{number}].limits", entry.limits), ("limits", spec.limits)):
        if text is not None:
            try:
                limits = parse_limits(text)
            except LimitsError as error:
                raise SpecError(f"{place}: {error}") from None
            break
    for key, value in entry.environment.items():
        if not key or "=" in key or "\0" in key + value:
            raise SpecError(
                f"bots[{number}].environment: {key!a} can't be a variable; "
                "names have no = and no NUL, values no NUL"
            )
    sandboxed = spec.sandbox is SandboxName.BWRAP
    return Contestant(
        name=entry.name,
        command=command,
        environment=dict(entry.environment),
        limits=limits,
        sandboxed=sandboxed,
        restart=entry.restart,
        identity=_identity(entry, limits, sandboxed=sandboxed),
    )


def _identity(entry: BotEntry, limits: BotLimits, *, sandboxed: bool) -> str:
    identity = {
        "command": entry.command,
        "restart": entry.restart,
        "limits": limits.encode(),
        "sandbox": "bwrap" if sandboxed else "none",
    }
    if entry.environment:
        # Hashed: a variable may be a secret, and this goes into the database.
        written = _canonical(sorted(entry.environment.items())).encode()
        identity["environment"] = hashlib.sha256(written).hexdigest()[:_ID_DIGITS]
    return _canonical(identity)


def _fillers(
    spec: Spec, ruleset: Ruleset, folder: Path, contestants: Mapping[str, Contestant]
) -> dict[str, Contestant]:
    """The bots that take the seats which too few contestants leave."""
    missing = ruleset.seats - len(contestants)
    if spec.fill is None:
        return {}
    if spec.fill not in HOUSE.get(spec.game, {}):
        known = ", ".join(HOUSE.get(spec.game, {})) or "none"
        raise SpecError(f"fill: {spec.fill!a}; a house bot of {spec.game}: {known}")
    if ruleset.seats == 2 or missing <= 0:
        return {}
    entry = BotEntry(name=spec.fill, command=spec.fill)
    names = distinct([*contestants, *[spec.fill] * missing])[len(contestants) :]
    filler = _contestant(spec, entry, 0, folder)
    return {name: attrs.evolve(filler, name=name, is_filler=True) for name in names}


def _check_name(name: str, number: int) -> None:
    """A name must be one that a bot can say (PROTOCOL.md 2)."""
    try:
        said = parse_hello(name).name
    except RemoteProtocolError as error:
        raise SpecError(f"bots[{number}].name: {shown(name)}: {error.message}") from None
    if said != name:
        raise SpecError(f"bots[{number}].name: {shown(name)}; no spaces around it, and no options")


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
