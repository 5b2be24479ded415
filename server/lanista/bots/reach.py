"""What a bot in a sandbox needs of the file system, and how that is put into it.

A sandbox shows the machine's files read-only, but some folders are covered: the scratch folder,
the folders of sockets, and what the bot has no business in. What it needs below a covered folder
(its own program, as a rule) is bound into it. `plan` decides that and is pure; `needed` looks at
files; nothing here changes any.
"""

# os.path throughout: pathlib resolves or joins what must stay as it was written.
# ruff: noqa: PTH100, PTH112, PTH113, PTH114, PTH115, PTH118, PTH119, PTH120, PTH123
# ruff: noqa: PTH208

import contextlib
import enum
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import attrs

DATA_FOLDERS = ("lanista-data", "lanista-records")
"""What `lanista serve` and `lanista play` call the folders in which they keep their data, in their
working directory, if nobody says otherwise."""

_CATALOGUE = "catalogue.db"
"""The database in an arena's data folder."""

_LAST_LOCK_BYTE = str((1 << 30) + 511)
"""Where the bytes end that SQLite locks in a database's file."""

_LINKS = 40
"""Symbolic links that are followed one after the other, as many as the kernel does."""


class Kind(enum.Enum):
    """What is done to a path of the sandbox's file system."""

    COVER = "cover"
    """An empty file system is put over it."""
    FOLDER = "folder"
    """An empty folder is made, in a cover."""
    SHOW = "show"
    """What lies there outside is bound there, read-only."""


@attrs.frozen
class Mount:
    """One step of building the sandbox's file system, to be done in the order of `plan`."""

    path: str
    """An absolute path."""
    kind: Kind


def plan(
    needed: Iterable[str], covered: Iterable[str], closed: Callable[[str], bool]
) -> list[Mount]:
    """What to cover and what to show so that all that is needed can be reached, and little else.

    A needed path in a folder that is closed to the bot has that folder covered, and is then shown
    in it. A needed folder that is closed itself, or covered, stays empty but for the needed things
    in it: that it was wanted doesn't mean that all of it was.

    Args:
        needed: Absolute paths that exist, with every symbolic link on the way as a path too.
        covered: Folders that are covered in any case.
        closed: Whether something is a folder (no link to one) that the bot can't search.

    Returns:
        The steps, a folder before what lies in it.
    """
    needed = set(needed)
    mounts = {path: Mount(path, Kind.COVER) for path in covered}
    nested = sorted(mounts, key=_depth, reverse=True)
    for path in sorted(needed, key=_depth):
        hidden = False
        missing = []  # on the way in the cover that hides it
        for step in _steps(path):
            if step in mounts:
                hidden = mounts[step].kind is not Kind.SHOW
            elif not hidden and closed(step):
                mounts[step] = Mount(step, Kind.COVER)
                hidden = True
            elif hidden:
                missing.append(step)
        for step in missing if hidden else ():
            shown = step == path and not closed(path)
            mounts[step] = Mount(step, Kind.SHOW if shown else Kind.FOLDER)
    for path in nested:
        if not is_visible(os.path.dirname(path), mounts.values()):  # a cover hides it already
            if path in needed or any(other.startswith(path + "/") for other in mounts):
                mounts[path] = Mount(path, Kind.FOLDER)
            else:
                del mounts[path]
    return sorted(mounts.values(), key=lambda mount: _depth(mount.path))


def is_visible(path: str, mounts: Iterable[Mount]) -> bool:
    """Whether what lies at a path outside can be seen in a sandbox of these mounts."""
    kinds = {mount.path: mount.kind for mount in mounts}
    visible = True
    for step in _steps(path):
        visible = kinds.get(step, Kind.SHOW if visible else Kind.COVER) is Kind.SHOW
    return visible


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _steps(path: str) -> list[str]:
    """The folders on the way to an absolute path from the top, without `/`, and the path."""
    words = path.strip("/").split("/")
    return ["/" + "/".join(words[:end]) for end in range(1, len(words) + 1) if words[0]]


def closed_to_others(path: str) -> bool:
    """Whether this is a folder that only its owner and group may search."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and not mode & stat.S_IXOTH


def needed(command: Sequence[str], cwd: str, path: str | None, also: Iterable[str]) -> set[str]:
    """What a bot needs, as far as its command tells: absolute paths, with the links on the way.

    That is: its working directory; each word that names a file or folder, alone or behind `=` or
    between `:`; each word that names a program along PATH; the folder that such a file lies in,
    and above a folder `bin` the one that has it; and the interpreter that a `#!` line names.

    Args:
        command: The words of its command line.
        cwd: The absolute path of its working directory.
        path: The PATH of its environment; None is the system's own.
        also: Absolute paths that are needed besides, with their links.
    """
    found: set[str] = set()
    programs: list[str] = []
    for start in (cwd, *also):
        found.update(links(start))
    for word in command:
        programs += _named(word, cwd, path)
    seen: set[str] = set()
    for program in programs:  # grows by interpreters
        if program in seen:
            continue
        seen.add(program)
        for link in links(program):
            found.add(link)
            if not os.path.isdir(link):
                folder = os.path.dirname(link)
                found.add(folder)
                if os.path.basename(folder) in {"bin", "shims"}:
                    found.add(os.path.dirname(folder))
        for word in _interpreter(program):
            programs += _named(word, cwd, path)
    return found - {"/"}


def _named(word: str, cwd: str, path: str | None) -> list[str]:
    """The files, folders and programs that a word names."""
    pieces = {word, *re.split("[=:]", word)} - {""}
    paths = [os.path.abspath(os.path.join(cwd, piece)) for piece in pieces if "\0" not in piece]
    named = [candidate for candidate in paths if os.path.lexists(candidate)]
    if "/" not in word and "\0" not in word and (program := shutil.which(word, path=path)):
        named.append(os.path.abspath(program))
    return named


def _interpreter(program: str) -> list[str]:
    """The words of a script's `#!` line."""
    try:
        if not os.path.isfile(program):
            return []
        with open(program, "rb") as file:
            line = file.read(256).split(b"\n")[0]
    except OSError:  # not ours to read
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def links(path: str) -> list[str]:
    """A path, each link that it leads over, and where it ends, which has no link on the way."""
    chain = [path]
    while os.path.islink(path) and len(chain) <= _LINKS:
        folder = os.path.realpath(os.path.dirname(path))
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))
        chain.append(path)
    return [*chain, os.path.realpath(path)]


# proc(5): Num RefCount Protocol Flags Type St Inode Path, in order of the groups: Flags, of which
# 0x10000 says "listening"; Type, 2 for datagrams; Path. Who binds a socket chooses its path, line
# ends and all.
_UNIX_ROW = re.compile(r"\w+: \w+ \w+ ([0-9A-F]{8}) ([0-9A-F]{4}) \w+ +\d+ (/.*)", re.ASCII)


def sockets(proc: str = "/proc") -> list[str]:
    """The Unix sockets with a place in the file system that can be sent to or connected to now."""
    found = []
    try:
        with open(
            f"{proc}/net/unix", encoding="utf-8", errors="surrogateescape", newline="\n"
        ) as table:
            rows = table.read().split("\n")
    except OSError:
        return []
    for row in filter(None, map(_UNIX_ROW.fullmatch, rows)):
        flags, kind, path = row.groups()
        if int(flags, 16) & 0x10000 or int(kind, 16) == 2:
            path = os.path.realpath(path)
            try:
                if stat.S_ISSOCK(os.lstat(path).st_mode):
                    found.append(path)
            except OSError:  # gone, or of another mount namespace
                continue
    return found


def data_folders(places: Iterable[str]) -> set[str]:
    """Folders with the data of arenas, for bots to be kept out of; absolute paths without links.

    Those are, in each place, the ones that are used by default; the place itself and each above it
    that has a catalogue; and wherever a process has a catalogue open, as far as this user may know.

    Args:
        places: Working directories.
    """
    found = set()
    for place in places:
        found |= {os.path.join(place, name) for name in DATA_FOLDERS}
        found |= set(filter(_has_catalogue, _steps(os.path.realpath(place))))
    found |= set(filter(_has_catalogue, map(os.path.dirname, _open_databases())))
    return {os.path.realpath(folder) for folder in found if os.path.isdir(folder)} - {"/"}


def _has_catalogue(folder: str) -> bool:
    """Whether a folder has a catalogue of its owner's: others may put one where all can write."""
    try:
        return os.lstat(folder).st_uid == os.lstat(os.path.join(folder, _CATALOGUE)).st_uid
    except OSError:
        return False


def _open_databases() -> Iterator[str]:
    """The files of processes that use a database of SQLite in WAL mode, as they see them.

    Bots in sandboxes aren't asked: they could have many thousands open, to slow us down.
    """
    try:
        ours = os.readlink("/proc/self/ns/pid")
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:  # a kernel without them
        return
    # proc_locks(5): Number: Kind Manner Access PID Device:Inode First Last. A connection holds a
    # lock on these bytes as long as it lasts (sqlite.org/fileformat2.html, "the lock-byte page").
    for pid in {row[4] for row in rows if row[-1] == _LAST_LOCK_BYTE}:
        descriptors = f"/proc/{pid}/fd"
        try:
            names = os.listdir(descriptors) if os.readlink(f"/proc/{pid}/ns/pid") == ours else []
        except OSError:  # gone, or another user's
            continue
        for name in names:
            with contextlib.suppress(OSError):  # closed meanwhile
                yield os.readlink(f"{descriptors}/{name}")


def firm_cover(path: str, users: Collection[int]) -> str | None:
    """What to cover so that a path is hidden, and nobody else can take away what is covered.

    Args:
        path: An absolute path without links.
        users: The ids of those who are trusted with that.

    Returns:
        The path itself or, where another user may remove it, the first folder on the way to it
        that others can write to: everything above that stays. None if the path is gone.
    """
    for step in _steps(path):
        folder = os.path.dirname(step)
        try:
            holder = os.lstat(folder)
            is_open = holder.st_uid not in users or holder.st_mode & stat.S_IWOTH
            if is_open and holder.st_uid in users and holder.st_mode & stat.S_ISVTX:
                # Only its owner may remove what lies in such a folder (inode(7), sticky bit).
                is_open = os.lstat(step).st_uid not in users
        except OSError:
            return None
        if is_open and folder != "/":
            return folder
    return path
