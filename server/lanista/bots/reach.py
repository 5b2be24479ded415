"""Which files a bot in a sandbox needs, and which mounts make them visible there.

A sandbox shows the machine's files read-only, but some folders are covered by empty ones: the
scratch folder, folders with sockets, and folders that are none of the bot's business. What the bot
needs below a covered folder, usually its own program, is bound into the cover.

`needed` finds the files, and `plan`, a pure function, decides about the mounts. Nothing here
changes any file.
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
"""Default names of the folders, in the working directory, in which `lanista serve` and
`lanista play` keep their data."""

_CATALOGUE = "catalogue.db"
"""Name of the database in an arena's data folder."""

_LAST_LOCK_BYTE = str((1 << 30) + 511)
"""Offset of the last byte that SQLite locks in a database's file, as /proc/locks shows it."""

_LINKS = 40
"""Number of symbolic links that are followed one after another, as many as the kernel follows."""


class Kind(enum.Enum):
    """What to do with a path of the sandbox's file system."""

    COVER = "cover"
    """Mount an empty file system over it."""
    FOLDER = "folder"
    """Make an empty folder there; it is inside a cover."""
    SHOW = "show"
    """Bind what lies there outside of the sandbox, read-only."""


@attrs.frozen
class Mount:
    """One step of building the sandbox's file system. The steps are done in the order of `plan`."""

    path: str
    """An absolute path."""
    kind: Kind


def plan(
    needed: Iterable[str], covered: Iterable[str], closed: Callable[[str], bool]
) -> list[Mount]:
    """Decide what to cover and what to show, so that little more than what is needed is visible.

    If a needed path lies in a folder that is closed to the bot, that folder is covered and the path
    is shown in the cover. A needed folder that is itself closed or covered shows only the needed
    things in it, since needing the folder doesn't mean needing all its content.

    Args:
        needed: Absolute paths that exist; every symbolic link on the way is a path of its own.
        covered: Folders that are covered in any case.
        closed: Tells whether a path is a folder (not a link to one) that the bot can't search.

    Returns:
        The mounts, each folder before what lies in it.
    """
    needed = set(needed)
    mounts = {path: Mount(path, Kind.COVER) for path in covered}
    nested = sorted(mounts, key=_depth, reverse=True)
    for path in sorted(needed, key=_depth):
        hidden = False
        missing = []  # folders on the way that must be made in the cover that hides them
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
    """Return whether what lies at a path outside is visible in a sandbox with these mounts."""
    kinds = {mount.path: mount.kind for mount in mounts}
    visible = True
    for step in _steps(path):
        visible = kinds.get(step, Kind.SHOW if visible else Kind.COVER) is Kind.SHOW
    return visible


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _steps(path: str) -> list[str]:
    """Return the folders on the way to an absolute path, from the top and without `/`, and it."""
    names = path.strip("/").split("/")
    return ["/" + "/".join(names[:end]) for end in range(1, len(names) + 1) if names[0]]


def closed_to_others(path: str) -> bool:
    """Return whether a path is a folder that only its owner and group may search."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and not mode & stat.S_IXOTH


def needed(command: Sequence[str], cwd: str, path: str | None, also: Iterable[str]) -> set[str]:
    """Return the paths that a bot needs, as far as its command line shows.

    These are: its working directory; every file, folder or program along PATH that an argument
    names, as a whole or in a part separated by `=` or `:`; the folder in which such a file lies,
    and the parent of that folder if it is called `bin`; and the interpreter in a `#!` line.

    Args:
        command: The program and its arguments.
        cwd: The absolute path of its working directory.
        path: The PATH of its environment; None for the system's default.
        also: Further absolute paths that are needed, with the links on the way.

    Returns:
        Absolute paths; every symbolic link on the way is a path of its own.
    """
    paths: set[str] = set()
    programs: list[str] = []
    for start in (cwd, *also):
        paths.update(links(start))
    for argument in command:
        programs += _named(argument, cwd, path)
    seen: set[str] = set()
    for program in programs:  # grows by interpreters while it is iterated over
        if program in seen:
            continue
        seen.add(program)
        for link in links(program):
            paths.add(link)
            if not os.path.isdir(link):
                folder = os.path.dirname(link)
                paths.add(folder)
                if os.path.basename(folder) in {"bin", "shims"}:
                    paths.add(os.path.dirname(folder))
        for argument in _interpreter(program):
            programs += _named(argument, cwd, path)
    return paths - {"/"}


def _named(argument: str, cwd: str, path: str | None) -> list[str]:
    """Return the files, folders and programs that an argument names."""
    pieces = {argument, *re.split("[=:]", argument)} - {""}
    paths = [os.path.abspath(os.path.join(cwd, piece)) for piece in pieces if "\0" not in piece]
    named = [candidate for candidate in paths if os.path.lexists(candidate)]
    if "/" not in argument and "\0" not in argument:
        program = shutil.which(argument, path=path)
        if program:
            named.append(os.path.abspath(program))
    return named


def _interpreter(program: str) -> list[str]:
    """Return the interpreter and its arguments from a script's `#!` line; empty without one."""
    try:
        if not os.path.isfile(program):
            return []
        with open(program, "rb") as file:
            line = file.read(256).split(b"\n")[0]
    except OSError:  # not readable for us
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def links(path: str) -> list[str]:
    """Return a path, each symbolic link that it leads to, and its real path at the end."""
    chain = [path]
    while os.path.islink(path) and len(chain) <= _LINKS:
        folder = os.path.realpath(os.path.dirname(path))
        path = os.path.normpath(os.path.join(folder, os.readlink(path)))
        chain.append(path)
    return [*chain, os.path.realpath(path)]


# A row of /proc/net/unix, proc(5): Num RefCount Protocol Flags Type St Inode Path. The groups are:
# Flags, where 0x10000 means "listening"; Type, 2 for datagrams; and Path, which whoever binds the
# socket chooses and which may contain line ends.
_UNIX_ROW = re.compile(r"\w+: \w+ \w+ ([0-9A-F]{8}) ([0-9A-F]{4}) \w+ +\d+ (/.*)", re.ASCII)


def sockets(proc: str = "/proc") -> list[str]:
    """Return the paths of the Unix sockets that can be connected or sent to now."""
    paths = []
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
                    paths.append(path)
            except OSError:  # gone, or of another mount namespace
                continue
    return paths


def data_folders(places: Iterable[str]) -> set[str]:
    """Return the folders with data of arenas, which bots must not see; real absolute paths.

    These are: the folders in each place that are used by default; each place and each folder above
    it that has a catalogue; and every folder in which a process has a catalogue open, as far as
    this user may know.

    Args:
        places: Working directories.
    """
    folders = set()
    for place in places:
        folders |= {os.path.join(place, name) for name in DATA_FOLDERS}
        folders |= set(filter(_has_catalogue, _steps(os.path.realpath(place))))
    folders |= set(filter(_has_catalogue, map(os.path.dirname, _open_databases())))
    return {os.path.realpath(folder) for folder in folders if os.path.isdir(folder)} - {"/"}


def _has_catalogue(folder: str) -> bool:
    """Return whether a folder has a catalogue that belongs to the folder's owner.

    In a folder that everybody can write to, anybody might put a catalogue to have it covered.
    """
    try:
        return os.lstat(folder).st_uid == os.lstat(os.path.join(folder, _CATALOGUE)).st_uid
    except OSError:
        return False


def _open_databases() -> Iterator[str]:
    """Yield the paths of all files that are open in processes with an SQLite database in WAL mode.

    Processes in sandboxes are skipped: a bot could have thousands of files open to slow us down.
    """
    try:
        ours = os.readlink("/proc/self/ns/pid")
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:  # a kernel without them
        return
    # proc_locks(5): Number: Kind Manner Access PID Device:Inode First Last. SQLite holds a lock on
    # these bytes while a connection is open (sqlite.org/fileformat2.html, "the lock-byte page").
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
    """Return what to cover to hide a path, such that no other user can remove what is covered.

    Args:
        path: An absolute path without links.
        users: The ids of the users who are trusted not to remove it.

    Returns:
        The path itself; or, if another user may remove it, the first folder on the way to it that
        others can write to, because nobody else can remove that folder. None if the path is gone.
    """
    for step in _steps(path):
        folder = os.path.dirname(step)
        try:
            holder = os.lstat(folder)
            is_open = holder.st_uid not in users or holder.st_mode & stat.S_IWOTH
            if is_open and holder.st_uid in users and holder.st_mode & stat.S_ISVTX:
                # In such a folder, only an entry's owner may remove it (inode(7), sticky bit).
                is_open = os.lstat(step).st_uid not in users
        except OSError:
            return None
        if is_open and folder != "/":
            return folder
    return path
