"""Sandboxes that isolate bots from the machine, made by bubblewrap.

A bot is somebody else's program. In a sandbox it must be able to do only what a match needs: run,
read its own files, write to a scratch folder, and talk to the arena. bubblewrap (`bwrap`) starts it
in namespaces of its own, and each of them closes one way out:

- Network: there is only a loopback interface. The `launcher` inside listens where the bot expects
  the arena, and relays one connection that was made outside. Apart from the bot's output, no other
  byte leaves the sandbox.
- Files: the bot sees the system's folders, its own program's, and no others, all read-only
  (`reach`). Where data of an arena, records or other bots lie in what is shown, they are covered.
  So are sockets, because connecting to one isn't writing to a file: the read-only mount doesn't
  prevent it.
- Processes: the bot sees only its own, and they all end with the first of them.
- Users: in an arena of root each bot becomes a user of its own, to whom no file belongs. An arena
  of an ordinary user can't do that: its bots keep that user's rights inside.
- System calls: a filter (`syscalls`) refuses those that get around the above.

docs/limits.md describes what a bot gets. There is no fallback: if a sandbox can't be made, that is
an error.
"""

# os.path throughout: pathlib resolves or joins what must stay as it was written.
# ruff: noqa: PTH112, PTH113

import contextlib
import functools
import importlib.util
import os
import pwd
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from lanista.bots import execute, reach, syscalls
from lanista.bots.command import HOST
from lanista.bots.execute import SCRATCH, SHARED
from lanista.bots.keeper_process import DIRECTORY, interpreter
from lanista.bots.limits import MIB, BotLimits
from lanista.errors import LanistaError, printable

SCRATCH_SIZE = 256 * MIB
"""Default size of the scratch folder in bytes, if there is no limit of file sizes either."""

SHARED_SIZE = 64 * MIB
"""Size of the sandbox's own /dev/shm in bytes, for semaphores and shared memory."""

FIRST_USER, USERS = 2_000_000_000, 1 << 27
"""Range of user ids of which each bot gets a random one in an arena of root: its start and length.
It is above the ids that systemd and containers use (up to 1 879 048 191), and below 2^31, from
where on some programs take ids for negative numbers."""

KEPT = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TERM"),
        *("LANISTA_HOST", "LANISTA_PORT", "LANISTA_NAME", "LANISTA_TOKEN", "LANISTA_KEEP"),
        *("LANISTA_QUIET", "LANISTA_LOCAL"),
        *("JAVA_HOME", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"),
        *("PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "NODE_PATH"),
    }
)
"""Names of the environment variables that a bot in a sandbox gets, besides LC_*. The others that an
arena has may be secrets. `env NAME=VALUE program` as a command gives a bot further ones."""

_PACKAGES = ("lanista", "lanista_client", "lanista_protocol", "lanista_maps")
"""Packages that house bots and bridges import. In an editable install they are outside of Python's
own folders."""

_OWN_FOLDERS = ("/dev", "/proc")
"""Folders of which a sandbox has its own, with different content than outside."""

_PROBE_TIMEOUT = 20.0
"""Seconds that making an empty sandbox may take; it usually takes a few milliseconds."""


class SandboxError(LanistaError):
    """A sandbox can't be made; the message is one line for the person who asked for it."""


@attrs.frozen(kw_only=True)
class Sandbox:
    """Settings of the sandbox that a bot is started in."""

    port: int
    """TCP port of the arena at HOST, to which the bot connects as if there were no sandbox."""

    scratch_size: int | None = None
    """Size of the scratch folder in bytes; None for the limit of file sizes, or SCRATCH_SIZE."""

    hidden: tuple[str | os.PathLike[str], ...] = ()
    """Files and folders that don't concern the bot, such as the record of its match. A
    hidden file can't be read, even if the bot's command names it. Of a hidden folder, even if it is
    the bot's working directory, only what the command names is shown, and the folder of a program
    further down. Paths that don't exist when the bot is started are ignored."""

    variables: frozenset[str] = frozenset()
    """Names of the environment variables that it gets besides KEPT: those meant for this bot."""

    def wrap(
        self, command: Sequence[str], env: Mapping[str, str], cwd: str, limits: BotLimits
    ) -> tuple[list[str], dict[str, str]]:
        """Return the command and the environment that run a bot in this sandbox.

        The command needs descriptors and a connection, which a keeper prepares (see `execute`). The
        bot gets KEPT and `variables` from `env`; its limits are set by the launcher. An empty `cwd`
        is this process's own.

        Raises:
            SandboxError: There is no bubblewrap, or no filter of system calls for this machine.
        """
        bwrap = _bwrap()
        _filter()  # raises where the keeper would find none
        is_root = os.geteuid() == 0
        user = FIRST_USER + secrets.randbelow(USERS) if is_root else 0
        directory = os.path.abspath(cwd or os.curdir)  # noqa: PTH100 -- links stay as they are
        size = self.scratch_size or limits.file_size or SCRATCH_SIZE
        argv = [
            *_isolation(bwrap, execute.FILTER_FD, is_root=is_root),
            *_files(command, directory, env, self.hidden, size, is_root=is_root),
            *("--chdir", directory, "--"),
            *interpreter("launcher"),
            *(HOST, str(self.port), str(user), limits.encode()),
            *command,
        ]
        passed = KEPT | self.variables
        kept = {key: value for key, value in env.items() if key in passed or key.startswith("LC_")}
        return argv, kept | {"HOME": SCRATCH, "TMPDIR": SCRATCH}


def own_folders(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> set[str]:
    """Return the folders among a bot's `own_paths` that aren't those of many owners."""
    return {*filter(os.path.isdir, own_paths(command, cwd, env))} - {
        *map(os.path.realpath, reach.SHARED)
    }


def own_paths(command: Sequence[str], cwd: str, env: Mapping[str, str]) -> set[str]:
    """Return the files and folders that a bot's command line shows to be its own; real paths.

    The command is looked up in `env`. An empty `cwd` is this process's own.
    """
    ours = _own()
    common = reach.common_places(ours)
    place = os.path.abspath(cwd or os.curdir)  # noqa: PTH100 -- links stay as they are
    found = {os.path.realpath(path) for path in reach.own(command, place, env.get("PATH"), ours)}
    return {path for path in found if not any(reach.is_within(path, folder) for folder in common)}


def check_sandbox() -> None:
    """Make an empty sandbox, to check that sandboxes can be made on this machine.

    Call this before the first bot is started. Raises SandboxError, which says what is missing and
    what to do about it.
    """
    bwrap = _bwrap()
    is_root = os.geteuid() == 0
    if is_root and not _is_mapped(FIRST_USER + USERS):
        raise SandboxError(
            "sandbox: root of this container can't become other users than the container's own "
            f"(/proc/self/uid_map ends before {FIRST_USER}): run the arena as an ordinary user"
        )
    program = _filter()
    rules, write = os.pipe()
    os.write(write, program)
    os.close(write)
    argv = [
        *_isolation(bwrap, rules, is_root=is_root),
        *_files([], "/", {}, (), SCRATCH_SIZE, is_root=is_root),
        *("--", sys.executable, "-I", "-S", "-c", ""),
    ]
    try:
        probe = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PROBE_TIMEOUT,
            pass_fds=(rules,),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxError(f"sandbox: {bwrap} can't be run: {error}") from error
    finally:
        os.close(rules)
    if probe.returncode != 0:
        complaint = " ".join(probe.stderr.decode("utf-8", "backslashreplace").split()) or "nothing"
        raise SandboxError(
            "sandbox: bubblewrap can't make namespaces here; "
            f"it said: {printable(complaint)}. docs/limits.md says what a system must allow"
        )


def _bwrap() -> str:
    if sys.platform != "linux":
        raise SandboxError("sandbox: bubblewrap needs Linux")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError(
            "sandbox: bubblewrap (bwrap) isn't installed: install the package 'bubblewrap' "
            "(apt-get install bubblewrap)"
        )
    return bwrap


def _filter() -> bytes:
    machine = syscalls.machine()
    program = syscalls.sandbox_filter(machine)
    if program is None:
        known = " and ".join(syscalls.AUDIT)
        raise SandboxError(f"sandbox: the filter of system calls is for {known}, not {machine}")
    return program


def _isolation(bwrap: str, rules: int, *, is_root: bool) -> list[str]:
    """Return the arguments for namespaces, privileges and the filter, which `rules` holds."""
    return [
        *(bwrap, "--die-with-parent", "--new-session"),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        # Not required: it only hides the group's name, and some kernels have no control groups.
        "--unshare-cgroup-try",
        *("--seccomp", str(rules)),
        # Root needs no user namespace: the launcher itself changes to a user that owns no files.
        # An ordinary user keeps their id.
        *(
            ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
            if is_root
            else ("--unshare-user",)
        ),
    ]


def _homes(user: int, environment: Mapping[str, str]) -> set[str]:
    """Return the home folders of a user, from the environment and the system, but never `/`."""
    candidates = {environment.get("HOME", "")}
    with contextlib.suppress(KeyError):  # a user that the system doesn't know
        candidates.add(pwd.getpwuid(user).pw_dir)
    homes = {os.path.realpath(home) for home in candidates if home.startswith("/")}
    return {home for home in homes if os.path.isdir(home)} - {"/"}


def _files(
    command: Sequence[str],
    directory: str,
    env: Mapping[str, str],
    hidden: Sequence[str | os.PathLike[str]],
    scratch: int,
    *,
    is_root: bool,
) -> list[str]:
    """Return the arguments for the file system, whose scratch folder has `scratch` bytes."""
    covered = {os.path.realpath(path) for path in hidden}
    homes = _homes(os.geteuid(), os.environ)
    ours = _own()
    needed = [
        mount
        for mount in reach.needed(command, directory, env, ours, covered | homes)
        if not any(reach.is_within(mount.path, folder) for folder in _OWN_FOLDERS)
    ]
    places = {mount.path for mount in needed if mount.kind is not reach.Kind.LINK}
    covered |= reach.data_folders(places - {*reach.common_places(ours)})
    covered |= reach.aliases(covered)
    closed = covered | homes | {*map(os.path.realpath, reach.SHARED)}
    folders = {path for path in closed if os.path.isdir(path)}
    mounts = reach.plan(needed, folders, reach.closed_to_others if is_root else lambda _path: False)
    argv = [
        *("--proc", "/proc", "--dev", "/dev"),
        *("--size", str(SHARED_SIZE), "--perms", "1777", "--tmpfs", SHARED),
        *("--size", str(scratch), "--perms", "1777", "--tmpfs", SCRATCH),
        *("--remount-ro", "/dev"),
    ]
    read_only = ["/"]
    for mount in mounts:
        if mount.kind is reach.Kind.SHOW:
            argv += ["--ro-bind", mount.path, mount.path]
        elif mount.kind is reach.Kind.LINK:
            argv += ["--symlink", mount.target, mount.path]
        elif mount.kind is reach.Kind.FOLDER:
            # Folders that bubblewrap makes by itself on the way would be closed to others.
            argv += ["--perms", "0755", "--dir", mount.path]
        else:
            argv += ["--perms", "0755", "--tmpfs", mount.path]
            read_only.append(mount.path)
    files = {path for path in covered if os.path.isfile(path)}
    for path in [*sorted(files), *reach.sockets()]:
        if reach.is_visible(path, mounts):
            argv += ["--ro-bind", os.devnull, path]
    return argv + [word for path in read_only for word in ("--remount-ro", path)]


@functools.cache
def _own() -> tuple[str, ...]:
    """Return the paths that the launcher, house bots and bridges need: Python and our packages."""
    paths = [sys.executable, sys.base_prefix, sys.base_exec_prefix, DIRECTORY]
    paths += reach.environment_parts(sys.prefix)
    # What we need ourselves may be installed elsewhere, and be found by a `.pth` file.
    paths.append(str(Path(attrs.__file__).parent.parent))
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None:
            paths += spec.submodule_search_locations or []
    return tuple(paths)


def _is_mapped(user: int, proc: str = "/proc") -> bool:
    """Return whether a user id exists in this process's user namespace (user_namespaces(7))."""
    try:
        rows = Path(f"{proc}/self/uid_map").read_text(encoding="ascii").splitlines()
    except OSError:
        return True  # a kernel without user namespaces
    return any(
        int(first) <= user < int(first) + int(count)
        for first, _, count in (row.split() for row in rows)
    )
