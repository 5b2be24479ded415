"""The file of an arena, as the commands take it that begin with `lanista arena`.

Some of these commands change the arena's database, whether the arena runs or not.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.arena.spec import ArenaSpec, LadderSpec
    from lanista.results.base import Database
    from lanista.results.data_folder import DataFolder

FILE = click.Path(dir_okay=False, path_type=Path)


def spec_of(file: Path) -> "ArenaSpec":
    """Read a spec from its file.

    Raises:
        BadInputError: The file can't be read, or has a bad value.
    """
    from lanista.arena.spec import read_spec
    from lanista.toml_spec import SpecError

    try:
        return read_spec(file)
    except SpecError as error:
        raise BadInputError(str(error)) from None


def data_of(spec: "ArenaSpec", file: Path) -> "DataFolder":
    """Return the data folder of an arena that a file describes."""
    from lanista.results.data_folder import DataFolder

    return DataFolder(file.parent / spec.data)


@contextlib.contextmanager
def database_of(spec: "ArenaSpec", file: Path) -> "Iterator[Database]":
    """Open an arena's database, which is made if it isn't there.

    Raises:
        BadInputError: It can't be opened, or a statement of the block fails.
    """
    from lanista.results.base import Database
    from lanista.results.errors import StoreError

    try:
        # Looking for damage takes long if there are many matches, and the arena does it.
        with Database.of_arena(data_of(spec, file), spec.store, check=False) as database:
            yield database
    except StoreError as error:
        raise BadInputError(str(error)) from None


def ladder_named(spec: "ArenaSpec", file: Path, name: str) -> "LadderSpec":
    """Return the ladder of a name.

    Raises:
        BadInputError: There is none.
    """
    from lanista.cli.common import printable
    from lanista.suggestions import did_you_mean

    for ladder in spec.ladders:
        if ladder.name == name:
            return ladder
    known = ", ".join(ladder.name for ladder in spec.ladders) or "none"
    raise BadInputError(
        f"{file}: no ladder {printable(name)!r}; its ladders are: {known}"
        f"{did_you_mean(name, [ladder.name for ladder in spec.ladders])}"
    )
