"""A copy of an arena from which it can be run: its file, database, complete records, submissions.

It may be made while the arena runs, by another process. A match's record is complete before its
result is stored, so the database is copied first, and the records then include those of all
matches in it.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import attrs

from lanista.arena.spec import ArenaSpec
from lanista.errors import BadInputError
from lanista.match.record import PART, TMP
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.submissions import SubmissionFolder, link_or_copy, owner_salt
from lanista.system import exists


@attrs.frozen
class Backup:
    """A summary of the copy that was made."""

    data: Path
    has_database: bool
    """Whether there was a SQLite database to copy."""
    files: int
    """Number of records, and of the files beside them."""
    versions: int
    """Number of versions of programs that were handed in."""


def back_up(spec: ArenaSpec, file: Path, target: Path) -> Backup:
    """Copy an arena to a new folder, which is there under its name only when it is complete.

    Raises:
        BadInputError: The folder can't be used, or something can't be read or written.
        StoreError: The database can't be read or copied.
    """
    data = DataFolder(file.parent / spec.data)
    place = target.resolve()
    if place.is_relative_to(data.path.resolve()):
        raise BadInputError(
            f"{target}: lies within the data folder {data.path}; choose a folder outside it"
        )
    for path in (data.path, data.database, data.records, data.submissions):
        if path.is_symlink() and not path.exists():
            raise BadInputError(f"{path}: a link to nothing; is its disk mounted?")
    data_folder = data_within(spec)
    try:
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise BadInputError(f"{place}: exists already, and isn't an empty folder")
        # If this is there, another backup is running, or one was interrupted.
        making = place.with_name(f"{place.name}.part")
        making.mkdir(mode=0o700, parents=True)
        try:
            copied = DataFolder(making / data_folder)
            _private_copy(file, making / file.name)
            copied.make()
            has_database = _copy_database(data, copied)
            files = _copy_records(data.records, copied.records)
            versions = _copy_submissions(data.submissions, copied.submissions)
            making.rename(place)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    except OSError as error:
        # `shutil` names what it copies first, and then where to.
        path = error.filename2 or error.filename or target
        raise BadInputError(f"{path}: {error.strerror}") from None
    return Backup(target / data_folder, has_database, files, versions)


def data_within(spec: ArenaSpec) -> Path:
    """Return where a copy has its data folder: where the file says, if that is within the copy."""
    place = Path(spec.data)
    if place.is_absolute() or ".." in place.parts:
        return Path("data")  # running the copy must not change what was copied
    return place


def _copy_database(data: DataFolder, copied: DataFolder) -> bool:
    if not exists(data.database):
        return False
    # The arena looks for damage when it starts, also with the copy.
    with Database.open(data.database, create=False, check=False) as database:
        database.backup(copied.database)
    copied.database.chmod(0o600)
    return True


def _copy_records(records: Path, copied: Path) -> int:
    """Copy the complete records and what is beside them, and return the number of files."""
    count = 0
    for path in _files(records):
        if path.name.endswith((PART, TMP)):
            continue
        place = copied / path.relative_to(records)
        with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
            link_or_copy(path, place)
            count += 1
    return count


def _copy_submissions(submissions: Path, copied: Path) -> int:
    if not exists(submissions):
        return 0
    list(_files(submissions))  # raises if a folder can't be listed, which `glob` passes over
    copied.mkdir(mode=0o700)
    salt = owner_salt(submissions)
    if exists(salt):
        _private_copy(salt, owner_salt(copied))
    return sum(
        SubmissionFolder(folder).copy(SubmissionFolder(copied / folder.name))
        for folder in submissions.glob("ladder-*")
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, but no symbolic links."""

    def tell(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # none yet, or removed meanwhile
            raise error

    for top, _, names in os.walk(folder, onerror=tell):
        for name in names:
            path = Path(top, name)
            with contextlib.suppress(FileNotFoundError):  # it was removed meanwhile
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path


def _private_copy(path: Path, place: Path) -> None:
    """Copy a file that only its owner may read, into a folder that is only the owner's."""
    shutil.copy2(path, place)
    place.chmod(0o600)
