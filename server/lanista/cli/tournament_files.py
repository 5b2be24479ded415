"""The files of tournaments as the commands read them: their errors are those of bad input."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.competition.setup import Setup
    from lanista.competition.spec import Spec


def setup_of(spec: "Spec", file: Path, *, plays: bool = True) -> "Setup":
    """Prepare a tournament: find its game, bots and maps; results are named like the file.

    Args:
        spec: The spec.
        file: Its file; paths in the spec are relative to its folder.
        plays: Whether the bots must exist, because matches are to be played.

    Raises:
        BadInputError: Something that the spec names doesn't exist or can't be used.
    """
    from lanista.competition.setup import prepare
    from lanista.toml_spec import SpecError

    try:
        return prepare(spec, file.parent, file.stem, plays=plays, source=file)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None


def prepared(file: Path) -> "tuple[Setup, Any]":
    """Read a spec and return its prepared tournament and its format."""
    from lanista.competition.spec import read_spec
    from lanista.competition.standings import format_of
    from lanista.toml_spec import SpecError

    setup = setup_of(read_spec(file), file)
    try:
        return setup, format_of(setup)
    except SpecError as error:
        raise BadInputError(f"{file}: {error}") from None
