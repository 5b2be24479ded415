"""The parts of the file system that a bot in a sandbox sees, and the mounts that show them.

A sandbox begins empty. It shows, read-only, what every bot needs (`common`), what this bot's
command needs (`needed`), and nothing else. Folders that don't concern the bot stay hidden
even where they lie within something that is shown, and by whatever other name a bind mount gives
them (`aliases`).

`plan`, a pure function, decides about the mounts. Nothing here changes any file.
"""

# os.path throughout: pathlib resolves or joins what must stay as it was written.
# ruff: noqa: PTH100, PTH110, PTH112, PTH113, PTH114, PTH115, PTH116, PTH118, PTH119, PTH120
# ruff: noqa: PTH123, PTH207, PTH208

import contextlib
import enum
import functools
import glob
import itertools
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import attrs

from lanista.bots import unpacker
from lanista.bots.command import HOUSE_BOT, INTERPRETER, OWN_MODULE

_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
    # What libraries look up about the number of processors and their memory.
    *("/sys/devices/system/cpu", "/sys/devices/system/node"),
    # The dynamic linker, and the C library's tables of users, names and times.
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf"),
    *("/etc/protocols", "/etc/services", "/etc/localtime", "/etc/timezone", "/etc/locale.alias"),
    # Settings of language runtimes, and the certificates that everybody trusts: no keys.
    *("/etc/java*", "/etc/python3*", "/etc/perl", "/etc/R", "/etc/php", "/etc/mono", "/etc/dotnet"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/ca-trust"),
    *("/etc/pki/java", "/etc/crypto-policies", "/etc/mime.types", "/etc/fonts"),
)
"""Patterns of the system's files and folders that a bot sees: programs, libraries, their settings.
The other files of /etc, /var, /opt, /srv, homes and so on aren't among them."""

_VARIABLES = ("JAVA_HOME", "LD_LIBRARY_PATH", "NODE_PATH", "PYTHONPATH", "PYTHONHOME")
"""Environment variables with paths, between `:`, that a bot's interpreter looks into."""

_CLASS_PATH = frozenset({"-cp", "-classpath", "--class-path"})
"""Options of Java with which it doesn't look into the working directory."""

SHARED = (
    *("/etc", "/home", "/media", "/mnt", "/opt", "/run", "/srv"),
    *("/tmp", "/var", "/var/lib", "/var/tmp"),  # noqa: S108 -- nothing is written to them
)
"""Folders that hold things of many owners: a program that lies in one of them is shown, the folder
isn't."""

_TOP = ("/", "/home", "/media", "/mnt", "/opt", "/srv", "/var")
"""Folders in which only the system's owner makes links."""

DATA_FOLDERS = ("lanista-data", "lanista-records")
"""Default names of the folders, in the working directory, in which `lanista serve` and
`lanista play` keep their data."""

_DATABASE = "lanista.db"
"""Name of the database in an arena's data folder, as in `results.data_folder`."""

_LAST_LOCK_BYTE = str((1 << 30) + 511)
"""Offset of the last byte that SQLite locks in a database's file, as /proc/locks shows it."""

_LINKS = 40
"""Number of symbolic links that are followed one after another, as many as the kernel follows."""


class Kind(enum.Enum):
    """What to do with a path of the sandbox's file system."""

    COVER = "cover"
    """Mount an empty file system over it, since what is shown contains it."""
    FOLDER = "folder"
    """Make an empty folder."""
    LINK = "link"
    """Make a symbolic link."""
    SHOW = "show"
    """Bind what lies there outside of the sandbox, read-only."""


@attrs.frozen
class Mount:
    """One step of building the sandbox's file system. The steps are done in the order of `plan`."""

    path: str
    """An absolute path."""
    kind: Kind
    target: str = ""
    """The target of a link, as it is written in the link."""


def plan(
    needed: Iterable[Mount], hidden: Collection[str], closed: Callable[[str], bool]
) -> list[Mount]:
    """Decide what to show, so that little more than what is needed is visible.

    A needed folder that is closed to the bot, or hidden, shows only the needed things in it, since
    needing the folder doesn't mean needing all its content. If a closed or hidden folder lies in a
    folder that is shown, it is covered.

    All paths are absolute, and those that are `needed` have no links in their folders. `closed`
    tells whether a path is a folder (not a link to one) that the bot can't search. Of the mounts,
    each folder is before what lies in it.
    """
    mounts: dict[str, Mount] = {}
    for wanted in sorted(needed, key=lambda mount: _depth(mount.path)):
        path, visible = wanted.path, False
        missing = []  # folders on the way that must be made
        for step in _steps(path):
            if step in mounts:
                visible = mounts[step].kind is Kind.SHOW
            elif visible and (step in hidden or closed(step)):
                mounts[step] = Mount(step, Kind.COVER)
                visible = False
            elif not visible:
                missing.append(step)
        for step in missing:
            mounts[step] = Mount(step, Kind.FOLDER)
        is_shut = wanted.kind is Kind.SHOW and (path in hidden or closed(path))
        if missing and not is_shut:
            mounts[path] = wanted
    for path in sorted(set(hidden) - mounts.keys(), key=_depth):
        if is_visible(path, mounts.values()):
            mounts[path] = Mount(path, Kind.COVER)
    return sorted(mounts.values(), key=lambda mount: _depth(mount.path))


def is_visible(path: str, mounts: Iterable[Mount]) -> bool:
    """Return whether what lies at a path outside is visible in a sandbox with these mounts."""
    kinds = {mount.path: mount.kind for mount in mounts}
    visible = False
    for step in _steps(path):
        visible = kinds.get(step, Kind.SHOW if visible else Kind.COVER) is Kind.SHOW
    return visible


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _steps(path: str) -> list[str]:
    """Return the folders on the way to an absolute path, from the top and without `/`, and it."""
    names = path.strip("/").split("/")
    return ["/" + "/".join(names[:end]) for end in range(1, len(names) + 1) if names[0]]


def is_within(path: str, folder: str) -> bool:
    """Return whether an absolute path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def closed_to_others(path: str) -> bool:
    """Return whether a path is a folder that only its owner and group may search."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode) and not mode & stat.S_IXOTH


def common(also: Sequence[str]) -> tuple[Mount, ...]:
    """Return what every bot sees, for `plan`: the system's files and folders, and these paths."""
    return _common(tuple(also), os.stat("/etc").st_mtime_ns)


# Looking all of this up takes milliseconds, and it is the same for all bots until a package is
# installed, which changes /etc.
@functools.lru_cache(maxsize=4)
def _common(also: tuple[str, ...], _etc_changed: int) -> tuple[Mount, ...]:
    paths = [*also]
    for pattern in _SYSTEM:
        paths += glob.glob(pattern) if "*" in pattern else [pattern]
    found = [mount for path in paths if os.path.lexists(path) for mount in way(path, Kind.SHOW)]
    return tuple(dict.fromkeys(found))


def common_places(also: Sequence[str]) -> list[str]:
    """Return the real paths of what every bot sees (see `common`)."""
    return [mount.path for mount in common(also) if mount.kind is Kind.SHOW]


def needed(
    command: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    also: Sequence[str],
    hidden: Collection[str] = (),
) -> list[Mount]:
    """Return what a bot needs, as `plan` takes it.

    These are those of `common` and `own`; the folders that its environment names for its
    interpreter; and its working directory, though that may be empty. `also` are further paths that
    every bot sees; no link from elsewhere may lead into what is hidden (see `own`).
    """
    paths = [*told(env), *own(command, cwd, env.get("PATH"), also, hidden)]
    found = {mount.path: mount for mount in common(also)}
    for path, kind in [(cwd, Kind.FOLDER), *[(path, Kind.SHOW) for path in paths]]:
        for mount in way(path, kind):
            if mount.kind is not Kind.FOLDER or mount.path not in found:
                found[mount.path] = mount
    return [mount for mount in found.values() if mount.path != "/"]


def environment_parts(folder: str) -> list[str]:
    """Return the paths of what belongs to a virtual environment of Python; none if it isn't one.

    The folder itself isn't among them, since it may be that of a project with other things in it.
    """
    names = "pyvenv.cfg", "bin", "lib", "lib64", "share"
    parts = [os.path.join(folder, name) for name in names]
    return [part for part in parts if os.path.lexists(part)] if os.path.isfile(parts[0]) else []


def told(env: Mapping[str, str]) -> list[str]:
    """Return the absolute paths of what an environment names for interpreters."""
    folders = [folder for name in _VARIABLES for folder in env.get(name, "").split(":")]
    paths = [*folders, *environment_parts(env.get("VIRTUAL_ENV", ""))]
    return [path for path in paths if path.startswith("/") and os.path.exists(path)]


def own(
    command: Sequence[str],
    cwd: str,
    path: str | None,
    also: Sequence[str] = (),
    hidden: Collection[str] = (),
) -> list[str]:
    """Return the files and folders that a bot's command line shows to be its own.

    docs/limits.md, "What it sees", says which these are. The working directory is among them if no
    file that is named can be the bot's program, or if Python runs a module of it (`-m`). A link may
    be the work of the bot's author, and so may be the command line of a program that was handed in:
    `_strays` and `_trusted` keep these from showing what is others'.

    All paths are absolute, and may lead through links. `path` is the PATH of the bot's environment;
    None for the system's default. What every bot sees, with the paths in `also`, isn't the bot's
    own. No link from elsewhere may lead into the real paths that are `hidden`, or data of arenas.
    """
    shared = common_places(also)
    place = os.path.realpath(cwd)
    named: list[str] = []
    command = _trusted(command)
    for argument in command:
        named += _named(argument, place, path)
    modules = [module for flag, module in itertools.pairwise(command) if flag == "-m"]
    is_in_cwd = any(not OWN_MODULE.match(module) for module in modules)
    has_program = any(HOUSE_BOT.match(argument) for argument in command)
    has_program |= not _CLASS_PATH.isdisjoint(command)
    paths: list[str] = []
    seen: set[str] = set()
    for file in named:  # grows by interpreters while it is iterated over
        if file in seen:
            continue
        seen.add(file)
        its_way = way(file, Kind.SHOW)
        if _strays(its_way, shared, hidden):
            continue
        paths.append(file)
        for hop in [mount.path for mount in its_way]:
            if os.path.isdir(hop):
                has_program |= os.path.isfile(os.path.join(hop, "__main__.py"))
                continue
            if not any(is_within(hop, folder) for folder in shared):
                has_program |= not INTERPRETER.fullmatch(os.path.basename(hop))
                paths += _folders_of(hop)
        named += _interpreters(file, place, path)
    return [*paths, cwd] if is_in_cwd or not has_program else paths


def _trusted(command: Sequence[str]) -> Sequence[str]:
    """Return the words of a command line that may name files which the bot is to see.

    What follows the packed program in `building.command_of` was written by its author, who could
    name the programs of others there. Only the names of interpreters count.
    """
    if unpacker.__file__ not in command:
        return command
    end = command.index(unpacker.__file__) + 2
    return [*command[:end], *filter(INTERPRETER.fullmatch, command[end:])]


def _strays(its_way: Sequence[Mount], shared: Collection[str], hidden: Collection[str]) -> bool:
    """Return whether links on the way to a file lead from outside into something that is hidden.

    Links in the system's folders, and at the top of the file system as those to another disk, are
    never the work of a bot's author. An interpreter may be anywhere, such as in a home.
    """
    *steps, end = its_way
    links = [
        step.path
        for step in [*steps, end]
        if step.kind is Kind.LINK
        and os.path.dirname(step.path) not in _TOP
        and not any(is_within(step.path, folder) for folder in shared)
    ]
    if not links or INTERPRETER.fullmatch(os.path.basename(end.path)):
        return False
    data = [
        step
        for step in _steps(end.path)
        if os.path.basename(step) in DATA_FOLDERS or _has_database(step)
    ]
    return any(
        is_within(end.path, folder) and not all(is_within(link, folder) for link in links)
        for folder in (*hidden, *data)
    )


def _folders_of(file: str) -> list[str]:
    """Return the folder of a file, and the installation to whose `bin` it belongs, if to any."""
    folder = os.path.dirname(file)
    above, name = os.path.split(folder)
    if name not in {"bin", "shims"}:
        return [folder]
    if parts := environment_parts(above):
        return parts
    libraries = [os.path.join(above, library) for library in ("lib", "lib64", "libexec")]
    libraries = list(filter(os.path.isdir, libraries))
    if os.path.basename(above) == ".local":  # beside `lib` it has private files of its user
        return [folder, *libraries]
    return [folder, above] if libraries else [folder]


def _named(argument: str, cwd: str, path: str | None) -> list[str]:
    pieces = {argument, *re.split("[=:]", argument)} - {""}
    paths = [os.path.join(cwd, piece) for piece in pieces if "\0" not in piece]
    named = [candidate for candidate in paths if os.path.lexists(candidate)]
    if "/" not in argument and "\0" not in argument:
        program = shutil.which(argument, path=path)
        if program:
            named.append(os.path.abspath(program))
    return named


def _interpreters(program: str, cwd: str, path: str | None) -> list[str]:
    """Return the interpreters that a script's `#!` line names.

    That line is chosen by the bot's author, not by whoever runs the arena. So it shows only files
    with the name of an interpreter, and programs along PATH.
    """
    line = _script_line(program)
    if not line:
        return []
    first, *others = line
    names = [os.path.basename(first), *[word for word in others if "/" not in word]]
    found = [shutil.which(name, path=path) for name in names]
    interpreters = [os.path.abspath(file) for file in found if file]
    given = os.path.join(cwd, first)
    if os.path.isfile(given) and INTERPRETER.fullmatch(os.path.basename(os.path.realpath(given))):
        interpreters.append(given)
    return interpreters


def _script_line(program: str) -> list[str]:
    """Return the words of a script's `#!` line; empty without one.

    The kernel reads it only in a file that can be executed: one that was handed in can't.
    """
    try:
        if not os.path.isfile(program) or not os.access(program, os.X_OK):
            return []
        with open(program, "rb") as file:
            line = file.read(256).split(b"\n")[0]
    except OSError:  # not readable for us
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def way(path: str, kind: Kind) -> list[Mount]:
    """Return what the kernel needs on its way to an absolute path, and what lies at its end.

    These are the symbolic links, the folders that are left again by `..`, and the real path. A ring
    of links has no real path.
    """
    found: list[Mount] = []
    followed = 0
    here, names = "/", path.split("/")[::-1]
    while names:
        name = names.pop()
        step = os.path.join(here, name)
        if name in {"", "."}:
            continue
        if name == "..":
            found.append(Mount(here, Kind.FOLDER))
            here = os.path.dirname(here)
        elif os.path.islink(step):
            followed += 1
            if followed > _LINKS:
                return found
            target = os.readlink(step)
            found.append(Mount(step, Kind.LINK, target))
            if target.startswith("/"):
                here = "/"
            names += target.split("/")[::-1]
        else:
            here = step
    return [*found, Mount(here, kind)]


def aliases(paths: Collection[str], mountinfo: str = "/proc/self/mountinfo") -> set[str]:
    """Return other paths under which bind mounts show some absolute paths, or parts of them."""
    # proc_pid_mountinfo(5): "id parent DEVICE ROOT MOUNTPOINT options … - TYPE source …".
    mounts = []
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as table:
            for row in table:
                _, _, device, root, point, *_ = row.split(" ")
                mounts.append((device, _unescaped(root), _unescaped(point)))
    except OSError:  # no /proc
        return set()
    found = set()
    for path in paths:
        # The mount that holds it: of the deepest ones above it, the last.
        device, root, point = "", "/", "/"
        for mount in mounts:
            if is_within(path, mount[2]) and len(mount[2]) >= len(point):
                device, root, point = mount
        in_device = os.path.normpath(os.path.join(root, os.path.relpath(path, point)))
        for other_device, other_root, other_point in mounts:
            if other_device != device:
                continue
            if is_within(in_device, other_root):
                below = os.path.relpath(in_device, other_root)
                found.add(os.path.normpath(os.path.join(other_point, below)))
            elif is_within(other_root, in_device):
                found.add(other_point)
    return found - set(paths)


def _unescaped(field: str) -> str:
    r"""Return a field of a table of mounts, in which some characters are written as `\040`."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), field)


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

    These are: the folders in each place, a working directory, that are used by default; each place
    and each folder above it that has a database; and every folder in which a process has a
    database open, as far as this user may know.
    """
    folders = set()
    for place in places:
        folders |= {os.path.join(place, name) for name in DATA_FOLDERS}
        folders |= set(filter(_has_database, _steps(os.path.realpath(place))))
    holders = _holders_of_databases()
    opened = _all_opened_by(holders)
    if not all(map(_has_database, opened)):  # one was renamed or removed
        _opened_by.cache_clear()
        opened = _all_opened_by(holders)
    folders |= opened
    return {os.path.realpath(folder) for folder in folders if os.path.isdir(folder)} - {"/"}


def _has_database(folder: str) -> bool:
    """Return whether a folder has an arena's database that belongs to the folder's owner.

    In a folder that everybody can write to, anybody might put one to have it covered.
    """
    try:
        return os.lstat(folder).st_uid == os.lstat(os.path.join(folder, _DATABASE)).st_uid
    except OSError:
        return False


def _holders_of_databases() -> Mapping[str, frozenset[str]]:
    """Return by process the files of the SQLite databases that it has open in WAL mode."""
    try:
        with open("/proc/locks", encoding="ascii") as table:
            rows = [line.split() for line in table]
    except OSError:  # a kernel without them
        return {}
    # proc_locks(5): Number: Kind Manner Access PID Device:Inode First Last. SQLite holds a lock on
    # these bytes while a connection is open (sqlite.org/fileformat2.html, "the lock-byte page").
    held: dict[str, frozenset[str]] = {}
    for row in rows:
        if row[-1] == _LAST_LOCK_BYTE:
            held[row[4]] = held.get(row[4], frozenset()) | {row[5]}
    return held


def _all_opened_by(holders: Mapping[str, frozenset[str]]) -> set[str]:
    """Return the folders with an arena's database in which one of these processes has a file."""
    folders: set[str] = set()
    for pid, databases in holders.items():
        with contextlib.suppress(OSError):  # gone, another user's, or we have too many files open
            folders |= _opened_by(pid, databases)
    return folders


# An arena has a thousand connections open; looking at each of them takes milliseconds. So it is
# done again only when the process has other databases open. An error isn't kept, as it may be over
# the next time.
@functools.lru_cache(maxsize=1000)
def _opened_by(pid: str, _databases: frozenset[str]) -> frozenset[str]:
    """Return the folders with an arena's database in which a process has a file open."""
    return frozenset(filter(_has_database, {os.path.dirname(path) for path in _open_files(pid)}))


def _open_files(pid: str) -> Iterator[str]:
    """Yield the paths of all files that are open in a process; it raises OSError if it can't.

    A process in a sandbox is skipped: a bot could have thousands of files open to slow us down.
    """
    descriptors = f"/proc/{pid}/fd"
    if os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid"):
        return
    for name in os.listdir(descriptors):
        with contextlib.suppress(OSError):  # closed meanwhile
            yield os.readlink(f"{descriptors}/{name}")
