"""Sending a command to a running arena (`lanista.arena.operator`)."""

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli.common import printable
from lanista.errors import BadInputError

if TYPE_CHECKING:
    from lanista.results.data_folder import DataFolder

PATIENCE = 60.0
"""Seconds to wait for an answer."""


class NotRunningError(BadInputError):
    """No arena runs with this data folder."""


def ask(file: Path, data: "DataFolder", command: str, **arguments: object) -> Any:
    """Send a command to the arena that runs with a data folder, and return its answer.

    Args:
        file: The arena's file, for messages.
        data: The data folder.
        command: The name of the command.
        arguments: Its other keys.

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


def take_up(file: Path, data: "DataFolder") -> None:
    """Have the arena that runs with a data folder, if one does, take up what was just stored."""
    try:
        ask(file, data, "look")
    except NotRunningError:
        pass
    except BadInputError as error:
        click.echo(f"stored, but not taken up yet: {error}", err=True)
