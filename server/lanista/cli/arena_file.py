"""The file of an arena, as the commands take it that begin with `lanista arena`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lanista.cli import BadInputError

if TYPE_CHECKING:
    from lanista.arena.spec import ArenaSpec

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


def data_of(spec: "ArenaSpec", file: Path) -> Path:
    """Return the data folder of an arena that a file describes."""
    return file.parent / spec.data
