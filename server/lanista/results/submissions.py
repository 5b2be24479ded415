"""The programs that authors have handed in to an arena's ladders, as they are kept on disk.

A ladder has a folder, and in it each name has one:

    submissions/owner.salt    see `read_owner_salt`
    submissions/ladder-NAME/name-KEY/
        versions.json     everything about its versions (`Author`), replaced as a whole
        3.source          version 3 as it was handed in, byte for byte
        3.program         the same one when it was built, packed (`bots.building`)
        3.output          what the compilers said

A version is acknowledged when its source and `versions.json` are on disk, in this order. So after a
crash a version is either there as a whole or not at all, and it is in exactly one state. Files that
`versions.json` doesn't know are remains of a crash, and are removed when the ladder is opened.
Nothing here runs or unpacks anything. All of it blocks.
"""

import contextlib
import enum
import hashlib
import json
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import cattrs

from lanista.errors import BadInputError
from lanista.results.names import RegisteredName, key_of
from lanista.system import make_file, sync_folder, write_whole

SALT_SIZE = 16
"""Size of the salt of owners in bytes."""
MAX_WHY = 200
"""Maximum number of characters of the reason for which the operator disables a name."""
_FILE = "versions.json"
_CONVERTER = cattrs.Converter(forbid_extra_keys=True)


class State(enum.StrEnum):
    """The stage that a version has reached."""

    RECEIVED = "received"
    """It waits to be built."""
    BUILDING = "building"
    CHECKING = "checking"
    """`lanista check` plays short matches with it."""
    READY = "ready"
    """It can play; whether it does, `Author.playing` says."""
    REFUSED = "refused"
    """It can't play; `Version.why` says why. What was built of it is removed."""


UNFINISHED = frozenset({State.RECEIVED, State.BUILDING, State.CHECKING})
"""The states from which a version goes on by itself."""


@attrs.frozen(kw_only=True)
class Version:
    """A version of a name's program."""

    number: int
    """Its number, from 1; never used again for another version of the name."""
    file: str
    """The name of its file, as its author calls it."""
    size: int
    """The size of its source in bytes."""
    sha256: str
    """The digest of its source, in hexadecimal."""
    received: str
    """When it was handed in; UTC, ISO 8601."""
    address: str = ""
    """The address that handed it in, as `arena.admission.address_of` says."""
    state: State = State.RECEIVED
    why: str = ""
    """Why it was refused, in one line; empty otherwise."""
    findings: tuple[str, ...] = ()
    """The findings of its check, a line each."""
    command: tuple[str, ...] = ()
    """The command line that runs it; empty before it is built."""
    built_size: int = 0
    """The size of the packed program in bytes; 0 before it is built."""
    tries: int = 0
    """How often its build has begun; 0 again if it failed by no fault of its own."""

    @property
    def stored_size(self) -> int:
        """The size of its source and its program in bytes; one that was refused has no program."""
        return self.size if self.state is State.REFUSED else self.size + self.built_size


@attrs.define(kw_only=True)
class Author:
    """A name on a ladder and the versions that were handed in for it."""

    name: str
    """The name, with the capitals with which it is registered."""
    owner: str
    """Stands for whoever has the name's token, in hexadecimal (`arena.names.Owner`)."""
    registered: str = ""
    """When the name was registered; ISO 8601. A name that was removed and registered again belongs
    to somebody else, who has none of these versions."""
    next: int = 1
    """The number of the next version."""
    playing: int | None = None
    """The number of the version that plays; None for none yet."""
    paused: bool = False
    """Whether its author lets nothing play."""
    disabled: str = ""
    """Why the operator lets nothing play and takes nothing; empty if he does."""
    times: tuple[str, ...] = ()
    """When the latest versions were handed in; UTC, ISO 8601."""
    versions: dict[int, Version] = attrs.field(factory=dict)
    """The versions that are kept, by number, the oldest first."""

    @property
    def key(self) -> str:
        """The key of the name, from `key_of`."""
        return key_of(self.name)

    def copy(self) -> "Author":
        """Return a copy that can be changed."""
        return attrs.evolve(self, versions=dict(self.versions))

    def is_of(self, name: RegisteredName | None) -> bool:
        """Return whether these are the versions of a name as it is registered now; None: it isn't.

        Those of a name that the operator has removed since don't play.
        """
        return name is not None and name.registered.isoformat() == self.registered

    def state_of(self, version: Version) -> str:
        """Return what people are told of a version: its state, or `playing`."""
        plays = version.number == self.playing and not self.paused and not self.disabled
        return "playing" if plays else version.state.value

    @property
    def size(self) -> int:
        """The size of all its versions in bytes."""
        return sum(version.stored_size for version in self.versions.values())


@attrs.frozen
class SubmissionFolder:
    """The folder of a ladder's submissions.

    Its methods raise `BadInputError` if a file that describes versions can't be read, and `OSError`
    if something can't be written.
    """

    path: Path

    @classmethod
    def of_ladder(cls, submissions: Path, ladder: str) -> "SubmissionFolder":
        """Return the folder of a ladder, given `DataFolder.submissions` and its name."""
        # The beginning keeps a name like ".." from being a path.
        return cls(submissions / f"ladder-{ladder}")

    def of_name(self, key: str) -> Path:
        """Return the folder of a name, given its key."""
        return self.path / f"name-{key}"

    def source(self, key: str, number: int) -> Path:
        """Return the file of a version as it was handed in."""
        return self.of_name(key) / f"{number}.source"

    def program(self, key: str, number: int) -> Path:
        """Return the file of a version that was built."""
        return self.of_name(key) / f"{number}.program"

    def output(self, key: str, number: int) -> Path:
        """Return the file of what the compilers said of a version."""
        return self.of_name(key) / f"{number}.output"

    def read(self) -> dict[str, Author]:
        """Return all names with their versions, by key."""
        found = {}
        for file in sorted(self.path.glob(f"name-*/{_FILE}")):
            author = _read(file)
            found[author.key] = author
        return found

    def read_name(self, key: str) -> Author:
        """Return a name with its versions, given its key."""
        return _read(self.of_name(key) / _FILE)

    def damaged(self) -> Iterator[str]:
        """Yield a line about each source that isn't as it was handed in.

        Programs may be handed in and removed meanwhile.
        """
        for key, author in self.read().items():
            for version in author.versions.values():
                path = self.source(key, version.number)
                try:
                    is_right = hashlib.sha256(path.read_bytes()).hexdigest() == version.sha256
                    why = "" if is_right else "isn't what was handed in: its SHA-256 differs"
                except OSError as error:
                    why = f"can't be read: {error.strerror}"
                if why and version.number in self.read_name(key).versions:
                    yield f"{path}: {why}"

    def copy(self, target: "SubmissionFolder") -> int:
        """Copy what was handed in to a folder that isn't there, and return the number of versions.

        Each name is copied as it was at one moment, though programs may be handed in and removed
        meanwhile. A file that is missing isn't copied; `damaged` tells of it.
        """
        count = 0
        for key in self.read():
            author, now = None, self.read_name(key)
            while author != now:  # versions that went meanwhile are removed from the copy below
                author = now
                for number, version in author.versions.items():
                    # What isn't finished will be built again.
                    is_built = version.state not in UNFINISHED
                    files = self._files(key, number) if is_built else [self.source(key, number)]
                    for path in files:
                        with contextlib.suppress(FileNotFoundError):
                            link_or_copy(path, target.of_name(key) / path.name)
                now = self.read_name(key)
            target.write(author)
            count += len(author.versions)
        target.tidy(target.read())
        return count

    def tidy(self, authors: Mapping[str, Author]) -> None:
        """Remove the files that no version has any more: most are left by a crash."""
        kept = {self.of_name(key) / _FILE for key in authors}
        for key, author in authors.items():
            for version in author.versions.values():
                kept |= set(self._files(key, version.number))
                if version.state is State.REFUSED:
                    kept.discard(self.program(key, version.number))
        for folder in self.path.glob("name-*"):
            for file in [path for path in folder.iterdir() if path not in kept]:
                file.unlink()
            if not any(folder.iterdir()):
                folder.rmdir()

    def write(self, author: Author) -> None:
        """Write everything about a name's versions to disk; if that fails, nothing has changed."""
        value: dict[str, Any] = _CONVERTER.unstructure(author)
        value["versions"] = list(value["versions"].values())
        data = json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"
        write_file(self.of_name(author.key) / _FILE, data)

    def remove(self, key: str, number: int) -> None:
        """Remove the files of a version, which `versions.json` no longer knows."""
        for file in self._files(key, number):
            file.unlink(missing_ok=True)

    def _files(self, key: str, number: int) -> Iterator[Path]:
        yield self.source(key, number)
        yield self.program(key, number)
        yield self.output(key, number)


def owner_salt(submissions: Path) -> Path:
    """Return the file of the salt of owners (`read_owner_salt`), given `DataFolder.submissions`."""
    return submissions / "owner.salt"


def read_owner_salt(submissions: Path) -> bytes:
    """Return the salt with which owners are derived from tokens; it is made if it isn't there.

    It makes names of one owner known as such after a restart, too, so that they don't meet. The
    folder is `DataFolder.submissions`.
    """
    path = owner_salt(submissions)
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    salt = secrets.token_bytes(SALT_SIZE)
    write_file(path, salt)
    return salt


def write_file(path: Path, data: bytes | bytearray) -> None:
    """Write a file as a whole; on return it is on disk. If that fails, nothing has changed."""
    folder = path.parent
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    make_file(part, 0o600)
    # A sandbox of root's shows a source to another user, whatever the umask; the folders keep
    # others out.
    part.chmod(0o644)
    write_whole(path, [data], part)
    for changed in {folder, *(one.parent for one in missing)}:
        sync_folder(changed)


def _read(file: Path) -> Author:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        value["versions"] = {version["number"]: version for version in value["versions"]}
        return _CONVERTER.structure(value, Author)
    except (OSError, ValueError, KeyError, TypeError, cattrs.BaseValidationError) as error:
        raise BadInputError(
            f"{file}: can't be read: {type(error).__name__}: {error}"[:500]
        ) from None


def link_or_copy(path: Path, place: Path) -> None:
    """Give a file that is never changed another place, as a link where that is possible."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    try:
        place.hardlink_to(path)
    except FileNotFoundError:
        raise
    except OSError:  # on another disk, say
        shutil.copy2(path, place)
