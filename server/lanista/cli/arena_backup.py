"""`lanista arena backup`: a copy of an arena, also while it runs."""

from pathlib import Path

import click

from lanista.cli.arena_file import FILE, spec_of
from lanista.cli.common import printable
from lanista.errors import BadInputError


@click.command("backup")
@click.argument("file", type=FILE)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def command(file: Path, folder: Path) -> int:
    """Copy the arena of FILE to DIR, a new folder, also while it runs.

    FILE, the database and the records of all matches that are over are copied; `lanista arena
    run` runs the copy. A PostgreSQL database is left to pg_dump.
    """
    from lanista.arena.backup import BackupError, back_up
    from lanista.results.errors import StoreError

    spec = spec_of(file)
    try:
        made = back_up(spec, file, folder)
    except (BackupError, StoreError) as error:
        raise BadInputError(str(error)) from None
    counts = f"{'1 database' if made.has_database else 'no database'}, {made.files} files"
    click.echo(printable(f"{folder}: {file.name}; {counts} of records in {made.data}"))
    if spec.store is not None:
        click.echo("the database of `store` isn't in it: back it up by pg_dump", err=True)
    return 0
