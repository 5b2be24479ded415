"""The arena that a file describes, as commands reach it: its database, and itself if it runs.

Some of these commands change the arena's database, whether the arena runs or not.
"""

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.bots.execute import printable
from lanista.errors import BadInputError
from lanista.results.data_folder import DataFolder
from lanista.suggestions import did_you_mean

if TYPE_CHECKING:
    from lanista.arena.spec import ArenaSpec, LadderSpec
    from lanista.results.base import Database
    from lanista.results.names import NameStore

FILE = click.Path(dir_okay=False, path_type=Path)
PATIENCE = 60.0
"""Seconds to wait for an answer."""


def spec_of(file: Path) -> "ArenaSpec":
    """Read an arena's file.

    Raises:
        SpecError: The file can't be read, or has a bad value.
    """
    from lanista.arena.spec import read_spec

    return read_spec(file)


def data_of(spec: "ArenaSpec", file: Path) -> DataFolder:
    """Return the data folder of an arena that a file describes."""
    return DataFolder(file.parent / spec.data)


@contextlib.contextmanager
def database_of(spec: "ArenaSpec", file: Path) -> "Iterator[Database]":
    """Open an arena's database, which is made if it isn't there.

    Raises:
        StoreError: It can't be opened, or a statement of the block fails.
    """
    from lanista.results.base import Database

    # Looking for damage takes long if there are many matches, and the arena does it.
    with Database.of_arena(data_of(spec, file), spec.store, check=False) as database:
        yield database


def ladder_named(spec: "ArenaSpec", file: Path, name: str) -> "LadderSpec":
    """Return the ladder of a name.

    Raises:
        BadInputError: There is none.
    """
    for ladder in spec.ladders:
        if ladder.name == name:
            return ladder
    known = ", ".join(ladder.name for ladder in spec.ladders) or "none"
    raise BadInputError(
        f"{file}: no ladder {printable(name)!r}; its ladders are: {known}"
        f"{did_you_mean(name, [ladder.name for ladder in spec.ladders])}"
    )


class NotRunningError(BadInputError):
    """No arena runs with this data folder."""


def ask(file: Path, data: DataFolder, command: str, **arguments: object) -> Any:
    """Send a command with these keys to the arena that runs with a data folder; return its answer.

    Raises:
        NotRunningError: No arena runs there.
        BadInputError: The arena can't be reached, or refuses the command.
    """
    from lanista.arena.operator import socket_address

    asked = json.dumps({"command": command, **arguments}).encode("ascii") + b"\n"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            with socket_address(data) as address:
                connection.connect(str(address))
            connection.sendall(asked)
            with connection.makefile("rb") as reader:
                line = reader.readline()
    except (FileNotFoundError, ConnectionRefusedError):
        raise NotRunningError(
            f"{file}: no arena runs with the data folder {data.path}; `lanista arena run {file}` "
            "starts it"
        ) from None
    except TimeoutError:
        raise BadInputError(f"{file}: the arena hasn't answered for {PATIENCE:g} s") from None
    except OSError as error:
        raise BadInputError(f"{file}: can't reach the arena: {error.strerror or error}") from None
    if not line:
        raise BadInputError(f"{file}: the arena ended before it answered")
    answer = json.loads(line)
    if "error" in answer:
        raise BadInputError(f"{file}: {printable(answer['error'])}")
    return answer["answer"]


def take_up(file: Path, data: DataFolder) -> None:
    """Have the arena that runs with a data folder, if one does, take up what was just stored."""
    try:
        ask(file, data, "look")
    except NotRunningError:
        pass
    except BadInputError as error:
        click.echo(f"stored, but not applied yet: {error}", err=True)


@contextlib.contextmanager
def changing_names(spec: "ArenaSpec", file: Path) -> "Iterator[NameStore]":
    """Open an arena's names for a change, which a running arena then takes up.

    Raises:
        StoreError: It can't be written.
    """
    from lanista.results.names import NameStore

    with database_of(spec, file) as database:
        yield NameStore(database)
    take_up(file, data_of(spec, file))
