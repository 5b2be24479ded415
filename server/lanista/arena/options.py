"""What an operator chooses for an arena, and the files that the arena needs to have open for it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from lanista.arena.spec import ArenaSpec, LadderSpec
from lanista.errors import placed
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.inputs import checked_setup
from lanista.results.data_folder import DataFolder

LINGERING = 64
"""Number of connections without a place that may take a second to read why. Any others are sent the
reason and closed at once, in which case a bot that is just sending may not get to read it."""
ENTERING = 16
"""Number of connections without a place that may be in the process of being accepted."""

LIMITS = ("max_connections", "max_per_address", "hello_timeout", "registration", "drain")
"""The keys of the arena that take effect at once."""
LADDER_LIMITS = ("fill_after", "bench_after", "submissions")
"""The keys of a ladder that take effect at once; whether there are submissions doesn't."""


@attrs.frozen(kw_only=True)
class Options:
    """An arena's spec, with what it names looked up."""

    spec: ArenaSpec = attrs.field(factory=ArenaSpec)
    default: Ruleset
    """The game of bots that don't ask for one; `settings` and `board` are only for that game."""
    settings: Mapping[str, int] = attrs.field(factory=dict)
    """Settings of friendly matches that differ from the game's defaults."""
    board: Any = None
    """The board of friendly matches; None to make one from each seed."""
    folder: Path = Path()
    """The folder to which the spec's paths are relative."""
    private: tuple[Path, ...] = attrs.Factory(lambda self: self.data.private, takes_self=True)
    """Files and folders of this arena that its house bots don't see in their sandboxes."""

    @property
    def data(self) -> DataFolder:
        """The data folder."""
        return DataFolder(self.folder / self.spec.data)


def options_of(spec: ArenaSpec, file: Path) -> Options:
    """Look up what the file of an arena names for friendly matches, and return the arena's options.

    Raises:
        SpecError: Something doesn't exist or doesn't fit; the message begins with its key.
    """
    friendly = spec.friendly
    with placed("game: "):
        ruleset = registry.get(spec.default_game)
    with placed("friendly: "):
        settings, board = checked_setup(ruleset, friendly.map, friendly.settings, file.parent)
    return Options(
        spec=spec,
        default=ruleset,
        settings=settings,
        board=board,
        folder=file.parent,
        private=(file, *private_paths(spec, file.parent)),
    )


def private_paths(spec: ArenaSpec, folder: Path) -> tuple[Path, ...]:
    """Return what sandboxed bots must not see; `folder`, that of the file, may have secrets too."""
    secrets = () if spec.tls is None else (spec.tls.certificate, spec.tls.key)
    files = [folder / path for path in (*secrets, *spec.page.tournaments)]
    return (folder, *DataFolder(folder / spec.data).private, *files)


def files_needed(max_connections: int, *, has_tls: bool = False) -> int:
    """Return how many files an arena must be allowed to have open, so that no match lacks one."""
    records = max_connections // 2  # if all matches are of two
    # Compressing a record takes two more, in one of trio's 40 threads. The last number is for the
    # arena itself: the database, listeners, pipes of other processes, a bundle, the web page.
    sockets = (max_connections + LINGERING + ENTERING) * (2 if has_tls else 1)
    return sockets + records + 2 * 40 + 64


# -- reading the file again ----------------------------------------------------------------------


def with_limits(options: Options, spec: ArenaSpec) -> Options:
    """Return options with the limits of another spec, and otherwise as they are."""
    specs = {ladder.name: ladder for ladder in spec.ladders}
    ladders = []
    for ladder in options.spec.ladders:
        limits = _values(specs.get(ladder.name, ladder), LADDER_LIMITS)
        if (limits["submissions"] is None) != (ladder.submissions is None):
            del limits["submissions"]
        ladders.append(attrs.evolve(ladder, **limits))
    limited = attrs.evolve(options.spec, ladders=tuple(ladders), **_values(spec, LIMITS))
    return attrs.evolve(options, spec=limited)


def unchangeable(old: ArenaSpec, new: ArenaSpec) -> list[str]:
    """Return the keys in which two specs differ and which take effect only after a restart."""
    keys = list(_differences(old, new, "", {*LIMITS, "ladders"}))
    earlier = {ladder.name: ladder for ladder in old.ladders}
    if earlier.keys() != {ladder.name for ladder in new.ladders}:
        keys.append("ladders")
    for number, ladder in enumerate(new.ladders, 1):
        before = earlier.get(ladder.name)
        if before is not None:
            keys += _differences(before, ladder, f"ladders[{number}].", set(LADDER_LIMITS))
            if (before.submissions is None) != (ladder.submissions is None):
                keys.append(f"ladders[{number}].submissions")
    return keys


def _differences(old: Any, new: Any, path: str, ignored: set[str]) -> Iterator[str]:
    for name in attrs.fields_dict(type(old)):
        before, after = getattr(old, name), getattr(new, name)
        if name in ignored or before == after:
            continue
        if attrs.has(type(before)) and type(before) is type(after):
            yield from _differences(before, after, f"{path}{name}.", set())
        else:
            yield f"{path}{name}"


def _values(table: ArenaSpec | LadderSpec, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: getattr(table, key) for key in keys}
