"""The arena that a file describes, as commands reach it: its database, and itself if it runs."""

import contextlib
import functools
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from lanista.cli.common import FILE
from lanista.errors import BadInputError, did_you_mean
from lanista.results.data_folder import DataFolder

if TYPE_CHECKING:
    from lanista.arena.spec import ArenaSpec, LadderSpec
    from lanista.results.base import Database
    from lanista.results.names import NameStore

PATIENCE = 60.0
"""Seconds to wait for an answer."""


class NotRunningError(BadInputError):
    """No arena runs with the data folder of the file."""


@attrs.frozen
class ArenaFile:
    """An arena's file, and what it describes."""

    path: Path
    spec: "ArenaSpec"

    @classmethod
    def read(cls, path: Path) -> "ArenaFile":
        """Read an arena's file."""
        from lanista.arena.spec import read_spec

        return cls(path, read_spec(path))

    @property
    def data(self) -> DataFolder:
        """The data folder of the arena."""
        return DataFolder(self.path.parent / self.spec.data)

    def database(self, *, create: bool = True) -> "Database":
        """Open the database of the arena, which may be running; make it if need be and `create`."""
        from lanista.results.base import Database

        return Database.of_arena(self.data, self.spec.store, create=create, check=False)

    @contextlib.contextmanager
    def changing_names(self) -> "Iterator[NameStore]":
        """Open the names of the arena for a change, which it then takes up if it runs."""
        from lanista.results.names import NameStore

        with self.database() as database:
            yield NameStore(database)
        try:
            self.ask("look")
        except NotRunningError:
            pass
        except BadInputError as error:
            click.echo(f"stored, but not applied yet: {error}", err=True)

    def ladder(self, name: str) -> "LadderSpec":
        """Return the ladder of a name."""
        for ladder in self.spec.ladders:
            if ladder.name == name:
                return ladder
        names = [ladder.name for ladder in self.spec.ladders]
        raise BadInputError(
            f"{self.path}: no ladder {name!r}; its ladders are: "
            f"{', '.join(names) or 'none'}{did_you_mean(name, names)}"
        )

    def ask(self, command: str, **arguments: object) -> Any:
        """Have the running arena carry out a command of `arena.operator`, and return its answer."""
        from lanista.arena.operator import socket_address

        file = self.path
        asked = json.dumps({"command": command, **arguments}).encode("ascii") + b"\n"
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(PATIENCE)
                with socket_address(self.data) as address:
                    connection.connect(str(address))
                connection.sendall(asked)
                with connection.makefile("rb") as reader:
                    line = reader.readline()
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunningError(
                f"{file}: no arena runs with the data folder {self.data.path}; "
                f"`lanista arena run {file}` starts it"
            ) from None
        except OSError as error:
            raise BadInputError(
                f"{file}: can't reach the arena: {error.strerror or error}"
            ) from None
        if not line:
            raise BadInputError(f"{file}: the arena ended before it answered")
        answer = json.loads(line)
        if "error" in answer:
            raise BadInputError(f"{file}: {answer['error']}")
        return answer["answer"]


ladder_option = functools.partial(
    click.option, "--ladder", metavar="LADDER", help="The ladder; its name in FILE."
)
"""Makes the option for a ladder of the arena; its default is to be given."""
arena_argument = click.argument(
    "arena", metavar="FILE", type=FILE, callback=lambda _, __, path: ArenaFile.read(path)
)
"""The argument that names an arena's file; the command gets an `ArenaFile`."""
