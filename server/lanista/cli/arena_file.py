"""The file of an arena, as the commands take it that begin with `lanista arena`.

Some of these commands change the arena's databases, whether the arena runs or not.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.arena.spec import ArenaSpec, LadderSpec
    from lanista.results.data_folder import DataFolder
    from lanista.results.database import Store
    from lanista.results.names import NameStore

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
def names_of(spec: "ArenaSpec", file: Path) -> "Iterator[NameStore]":
    """Open an arena's database of names, which is made if it isn't there.

    Raises:
        BadInputError: It can't be opened, or a statement of the block fails.
    """
    from lanista.results.errors import StoreError
    from lanista.results.names import NameStore

    data = data_of(spec, file)
    try:
        if spec.store is None:
            data.make()
        with NameStore.open(spec.store or data.names) as store:
            yield store
    except OSError as error:
        raise BadInputError(f"{file}: data: {data.path} can't be made: {error.strerror}") from None
    except StoreError as error:
        raise BadInputError(str(error)) from None


@contextlib.contextmanager
def results_of(spec: "ArenaSpec", file: Path, ladder: "LadderSpec") -> "Iterator[Store | None]":
    """Open the results of a ladder; yield None if there are none yet.

    Raises:
        BadInputError: They can't be opened, or a statement of the block fails.
    """
    from lanista.results.database import Store
    from lanista.results.errors import StoreError

    path = data_of(spec, file).ladder(ladder.name)
    if spec.store is None and not path.exists():
        yield None
        return
    schema = None if spec.store is None else ladder.schema
    try:
        # Looking for damage takes long if there are many matches, and the arena does it.
        with Store.open(spec.store or path, schema=schema, check=False) as store:
            yield store
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
