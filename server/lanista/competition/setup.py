"""The preparation of a tournament: looks up what its spec names, and computes the ids of blocks.

Whatever can be wrong with a spec is found here, before anything is started.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from lanista.bots.command import parse_command
from lanista.bots.limits import BotLimits, limits_of_match
from lanista.bots.sandbox import SandboxError, check_sandbox
from lanista.competition import executors
from lanista.competition.spec import BotEntry, SeedCount, Spec, read_spec, spec_of
from lanista.errors import SpecError, placed
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.bot_pool import Contestant, apart, is_there
from lanista.hosting.host import distinct
from lanista.hosting.inputs import SandboxName, checked_environment, configurations, given_path
from lanista.hosting.names import bot_command, checked_name
from lanista.match.conditions import Clock
from lanista.results.blocks import Seating, SeatingsName, seatings

_SQLITE = "sqlite:///"
_ID_DIGITS = 32
"""Number of hexadecimal digits of a block's id: 128 bits, so that no two blocks get the same."""

AnySpec = str | Path | Mapping[str, Any] | Spec
"""The path of a TOML file, the content of such a file, or a spec."""


@attrs.frozen
class Opening:
    """The start of all matches of a block: a seed and a map."""

    seed: int
    map: str
    """The name of the map in the spec; empty if the game makes the map from the seed."""


@attrs.frozen(kw_only=True)
class MatchSetup:
    """The conditions that all matches of a tournament share; plain data, sent to workers."""

    game: str
    settings: Mapping[str, Mapping[str, int]]
    """By map: all settings of the game, those of the map's file included."""
    boards: Mapping[str, str]
    """By map: the board, as the ruleset writes it; no entry for a map made from the seed."""
    clock: Clock


@attrs.define(eq=False)
class Setup:
    """A tournament that is ready to be played; made by `prepare`."""

    spec: Spec
    ruleset: Ruleset
    match_setup: MatchSetup
    contestants: Mapping[str, Contestant]
    """The bots by name, in the order of the spec; fillers are last."""
    database: str | Path
    records: Path
    base_seed: str = ""
    """The text from which seeds beyond the listed ones are drawn; empty until it is known, and
    where none are."""
    _seeds: list[int] = attrs.field(factory=list, init=False)
    _known_seeds: set[int] = attrs.field(factory=set, init=False)
    _samples: int = attrs.field(default=0, init=False)  # made from the base seed so far
    _common: bytes = attrs.field(init=False)
    _bot_digests: dict[str, bytes] = attrs.field(init=False)
    _maps: tuple[str, ...] = attrs.field(init=False)
    _map_digests: dict[str, bytes] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        spec, matches = self.spec, self.match_setup
        if not isinstance(spec.seeds, SeedCount):
            self._seeds = list(spec.seeds)
            self._known_seeds = set(spec.seeds)
        elif spec.seeds.base is not None:
            self.base_seed = f"base {spec.seeds.base}"
        self._maps = tuple(matches.settings)
        common = {
            "game": matches.game,
            "version": self.ruleset.version,
            "first": matches.clock.time_init,
            "turn": matches.clock.time_move,
            "late_limit": matches.clock.late_limit,
            "seatings": spec.seatings.value,
        }
        self._common = _canonical(common).encode() + b"\n"
        self._bot_digests = {
            name: hashlib.sha256(_canonical([name, contestant.identity]).encode()).digest()
            for name, contestant in self.contestants.items()
        }
        # Without the map's name, so that a map may be renamed.
        self._map_digests = {
            map_: hashlib.sha256(
                _canonical([matches.boards.get(map_), matches.settings[map_]]).encode()
            ).digest()
            for map_ in self._maps
        }

    @property
    def needs_base_seed(self) -> bool:
        """Whether seeds may have to be drawn, and the spec names no base for them.

        Then `base_seed` must be set, to a secret that is kept, before `opening` is called.
        """
        seeds = self.spec.seeds
        if isinstance(seeds, SeedCount):
            return seeds.base is None
        return not self.spec.format.is_planned

    @property
    def bots(self) -> tuple[str, ...]:
        """The names of the bots with a place in the standings, in the order of the spec."""
        return tuple(name for name, bot in self.contestants.items() if not bot.is_filler)

    @property
    def fillers(self) -> tuple[str, ...]:
        """The names of the bots that only fill seats."""
        return tuple(name for name, bot in self.contestants.items() if bot.is_filler)

    @property
    def openings(self) -> int:
        """The number of openings that the spec lists: each of its seeds on each of its maps."""
        seeds = self.spec.seeds
        count = seeds.count if isinstance(seeds, SeedCount) else len(seeds)
        return count * len(self._maps)

    def opening(self, index: int) -> Opening:
        """Return the opening with this number; there are always more than the spec lists."""
        seed_index, map_index = divmod(index, len(self._maps))
        while len(self._seeds) <= seed_index:
            self._add_seed()
        return Opening(self._seeds[seed_index], self._maps[map_index])

    def rotation(self, index: int) -> int:
        """Return the number that decides how bots are seated in the opening with this index.

        It depends only on the opening itself, so it stays the same if the spec lists others too.
        """
        opening = self.opening(index)
        digest = hashlib.sha256(b"%d\n" % opening.seed + self._map_digests[opening.map])
        return int.from_bytes(digest.digest()[:4])

    def _add_seed(self) -> None:
        assert self.base_seed, "base_seed must be set before a seed is drawn"
        low, high = self.ruleset.seeds
        while True:
            self._samples += 1
            sample = hashlib.sha256(f"{self.base_seed} {self._samples}".encode()).digest()
            seed = low + int.from_bytes(sample[:16]) % (high - low + 1)
            if seed not in self._known_seeds:  # two openings with one seed would be the same block
                self._known_seeds.add(seed)
                self._seeds.append(seed)
                return

    def seatings(self, bots: Sequence[str]) -> tuple[Seating, ...]:
        """Return the seatings in which a block of these bots is played."""
        return seatings(bots, every=self.spec.seatings is SeatingsName.ALL)

    def block_id(self, bots: Sequence[str], opening: Opening) -> str:
        """Return the id of a block: a hash of all that decides its matches."""
        seed, map_ = b"%d\n" % opening.seed, self._map_digests[opening.map]
        all_ = b"".join([self._common, seed, map_, *(self._bot_digests[bot] for bot in bots)])
        return hashlib.sha256(all_).hexdigest()[:_ID_DIGITS]


def load(spec: AnySpec, folder: str | Path | None = None, *, plays: bool = True) -> Setup:
    """Look up all that a spec names, and return the tournament.

    If the spec isn't a file, paths in it are relative to `folder`, in which the results are too;
    None stands for the current directory. `plays` is that of `prepare`.

    Raises:
        SpecError: The spec can't be read or can't be played.
    """
    if isinstance(spec, (str, Path)):
        return load_file(given_path("spec", spec), plays=plays)
    if not isinstance(spec, Spec):
        spec = spec_of(spec)
    return prepare(
        spec, Path.cwd() if folder is None else given_path("folder", folder), plays=plays
    )


def load_file(file: Path, *, plays: bool = True, **changes: Any) -> Setup:
    """Look up all that the spec in a file names, and return the tournament.

    Paths are relative to the file's folder, and results are named like the file; `plays` is that of
    `prepare`. Each of the `changes` holds instead of the file's value for a key.

    Raises:
        SpecError: The spec can't be read or can't be played; the message begins with the file.
    """
    spec = attrs.evolve(read_spec(file), **changes)
    with placed(f"{file}: "):
        return prepare(spec, file.parent, file.stem, plays=plays, source=file)


def prepare(
    spec: Spec,
    folder: Path,
    stem: str | None = None,
    *,
    plays: bool = True,
    source: Path | None = None,
    results: Path | None = None,
) -> Setup:
    """Look up all that a spec names, and return the tournament.

    Paths of maps, programs and results are relative to `folder`. The database and the folder of
    records are named after `stem`, or else after the tournament, and are in the folder `results`,
    or else in `folder`, unless the spec places them itself. The file of the spec, `source`, is
    hidden from sandboxed bots, as it may hold the password of a database. Programs and the sandbox
    needn't be there unless it `plays` on this machine.

    Raises:
        SpecError: A game, map, setting, seed, bot or limit doesn't exist or doesn't fit; the
            message begins with its key.
    """
    folder = folder.resolve()
    executors.parse_executor(spec.executor)
    with placed("game: "):
        ruleset = registry.get(spec.game)
    settings, boards = configurations(ruleset, spec.maps, spec.settings, folder)
    _check_seeds(spec, ruleset)
    if plays and spec.sandbox is SandboxName.BWRAP:
        try:
            check_sandbox()
        except SandboxError as error:
            raise SpecError(f"{error}") from None
    contestants = _contestants(spec, folder, plays=plays)
    contestants |= _fillers(spec, ruleset, folder, contestants)
    stem = stem or _file_name(spec.name)
    if results is not None:
        stem = str(results.resolve() / stem)
    database = _database(spec, folder, stem)
    records = folder / (spec.records or f"{stem}.records")
    hidden = [str(records), *([] if source is None else [str(source.absolute())])]
    if isinstance(database, Path):
        hidden += [f"{database}{ending}" for ending in ("", "-wal", "-shm", ".lock")]
    seated = []
    for contestant in contestants.values():
        place = contestant.folder or str(folder)
        needs = tuple(word for word in contestant.command if is_there(word, place))
        seated.append(
            attrs.evolve(
                contestant, folder=place, needs=needs, hidden=(*contestant.hidden, *hidden)
            )
        )
    return Setup(
        spec=spec,
        ruleset=ruleset,
        match_setup=MatchSetup(
            game=ruleset.name,
            settings=settings,
            boards=boards,
            clock=spec.clock,
        ),
        contestants=dict(zip(contestants, apart(seated), strict=True)),
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


def _check_seeds(spec: Spec, ruleset: Ruleset) -> None:
    low, high = ruleset.seeds
    if isinstance(spec.seeds, SeedCount):
        if spec.seeds.count > high - low + 1:
            raise SpecError(
                f"seeds: {spec.seeds.count}; {ruleset.title} has only {high - low + 1} seeds"
            )
        return
    for number, seed in enumerate(spec.seeds, 1):
        if not low <= seed <= high:
            raise SpecError(
                f"seeds[{number}]: {seed}; a seed of {ruleset.title} is from {low} to {high}"
            )


def _contestants(spec: Spec, folder: Path, *, plays: bool) -> dict[str, Contestant]:
    contestants: dict[str, Contestant] = {}
    for number, entry in enumerate(spec.bots, 1):
        with placed(f"bots[{number}].name: "):
            checked_name(entry.name)
        if entry.name in contestants:
            raise SpecError(
                f"bots[{number}].name: {entry.name} is used twice; give each bot its own name"
            )
        contestants[entry.name] = _contestant(spec, entry, number, folder, plays=plays)
    return contestants


def _contestant(
    spec: Spec, entry: BotEntry, number: int, folder: Path, *, plays: bool = True
) -> Contestant:
    command: tuple[str, ...] = ()
    if plays and entry.program is None:
        with placed(f"bots[{number}].command: "):
            _, command = bot_command(spec.game, entry.command, folder)
    place, text = "", spec.limits
    if entry.limits is not None:
        place, text = f"bots[{number}].", entry.limits
    with placed(place):
        limits = limits_of_match(text, spec.match_cpu)
    restart = entry.restart
    if spec.match_cpu is not None:
        if restart is False:
            raise SpecError(
                f"bots[{number}].restart: false, but match_cpu = {spec.match_cpu} needs a new "
                "process for every match; leave one of them out"
            )
        restart = True
    with placed(f"bots[{number}]."):
        environment = checked_environment(entry.environment)
    sandboxed = spec.sandbox is SandboxName.BWRAP
    contestant = Contestant(
        name=entry.name,
        command=command,
        environment=environment,
        limits=limits,
        sandboxed=sandboxed,
        restart=bool(restart),
        identity=_identity(entry, limits, restart=bool(restart), sandboxed=sandboxed),
    )
    return contestant if entry.program is None else _built(entry, number, folder, contestant, plays)


def _built(
    entry: BotEntry, number: int, folder: Path, contestant: Contestant, plays: bool
) -> Contestant:
    """Return a contestant whose program an arena has built; it sees nothing else of its folder."""
    from lanista.bots.building import command_of  # noqa: PLC0415 - few tournaments have any

    assert entry.program is not None
    if not contestant.sandboxed:
        raise SpecError(
            f"bots[{number}].program: {entry.program!a} is unpacked in a sandbox; add "
            'sandbox = "bwrap" above the bots'
        )
    program = folder / entry.program
    if plays and not program.is_file():
        raise SpecError(f"bots[{number}].program: there is no file {program}")
    with placed(f"bots[{number}].command: "):
        command = command_of(program, parse_command(entry.command))
    place = str(program.parent)
    return attrs.evolve(contestant, command=command, folder=place, hidden=(place,))


def _identity(entry: BotEntry, limits: BotLimits, *, restart: bool, sandboxed: bool) -> str:
    identity = {
        "command": entry.command,
        "restart": restart,
        "limits": limits.encode(),
        "sandbox": "bwrap" if sandboxed else "none",
    }
    if entry.program is not None:
        identity["program"] = entry.program
    if entry.environment:
        # Hashed: a variable may be a secret, and this goes into the database.
        written = _canonical(sorted(entry.environment.items())).encode()
        identity["environment"] = hashlib.sha256(written).hexdigest()[:_ID_DIGITS]
    return _canonical(identity)


def _fillers(
    spec: Spec, ruleset: Ruleset, folder: Path, contestants: Mapping[str, Contestant]
) -> dict[str, Contestant]:
    missing = ruleset.seats - len(contestants)
    if spec.fill is None:
        return {}
    with placed("fill: "):
        registry.check_house_bot(ruleset, spec.fill)
    if ruleset.seats == 2 or missing <= 0:
        return {}
    entry = BotEntry(name=spec.fill, command=spec.fill)
    names = distinct([*contestants, *[spec.fill] * missing])[len(contestants) :]
    filler = _contestant(spec, entry, 0, folder)
    return {name: attrs.evolve(filler, name=name, is_filler=True) for name in names}


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
