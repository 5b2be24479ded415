"""Bots shut off from the machine by bubblewrap: what the sandbox is, and whether it can be made.

The command line of `bwrap` is built here, docs/limits.md says what it gives. Inside, `launcher`
starts the bot and carries its connection to the arena; no other byte goes out but the bot's output.
There is no fall-back: where a sandbox can't be made, that is an error.
"""

# os.path throughout: pathlib resolves or joins what must stay as it was written.
# ruff: noqa: PTH112, PTH113, PTH118

import contextlib
import importlib.util
import os
import pwd
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from lanista.bots import execute, launcher, reach, syscalls
from lanista.bots.execute import SCRATCH, SHARED
from lanista.bots.limits import MIB, BotLimits

SCRATCH_SIZE = 256 * MIB
"""Bytes of the scratch folder where neither the sandbox nor a limit of file sizes tells it."""

SHARED_SIZE = 64 * MIB
"""Bytes of the sandbox's own /dev/shm, for semaphores and shared memory."""

FIRST_USER, USERS = 2_000_000_000, 1 << 27
"""The users of bots in an arena of root, one drawn for each: above all that systemd and containers
give out (to 1 879 048 191), below 2^31, where some programs take numbers for negative."""

KEPT = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "TERM"),
        *("LANISTA_HOST", "LANISTA_PORT", "LANISTA_NAME", "LANISTA_TOKEN", "LANISTA_KEEP"),
        *("JAVA_HOME", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"),
        *("PYTHONUNBUFFERED", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "NODE_PATH"),
    }
)
"""The variables that a bot in a sandbox gets of its environment, besides LC_*; what else an arena's
environment holds may be a secret. `env NAME=VALUE program` gives a bot others."""

# Imported, not run as a script, as the keeper is.
_CODE = "import sys; sys.path.append(sys.argv[1]); import launcher; launcher.main(sys.argv[2:])"
_DIRECTORY = str(Path(launcher.__file__).parent)

_PACKAGES = ("lanista", "lanista_client", "lanista_protocol", "lanista_maps")
"""What house bots and bridges import; an editable install has them outside of Python's folders."""

_OWN_FOLDERS = ("/dev/", "/proc/")
"""What lies in these in a sandbox isn't what lies there outside."""

_PROBE_TIMEOUT = 20.0
"""Seconds that making an empty sandbox may take; it takes some milliseconds."""


class SandboxError(Exception):
    """A sandbox can't be made; its text is one line for the person who asked for it."""


def _loopback(_: Any, __: Any, host: str) -> None:
    if not host.startswith("127."):
        raise ValueError(
            f"an arena with sandboxes listens on a loopback address, such as 127.0.0.1, not {host}"
        )


@attrs.frozen(kw_only=True)
class Sandbox:
    """What a bot is started in to be shut off from the machine.

    Raises:
        ValueError: `host` isn't an IPv4 loopback address; only those exist inside.
    """

    host: str = attrs.field(validator=_loopback)
    """Address of the arena, which the bot dials as if there were no sandbox."""

    port: int
    """TCP port of the arena."""

    scratch_size: int | None = None
    """Bytes of the scratch folder; None takes the limit of file sizes, or SCRATCH_SIZE."""

    hidden: tuple[str | os.PathLike[str], ...] = ()
    """Files and folders that the bot shall not see, such as the record of its match. A file can't
    be read, even if the bot's command names it. A folder is covered by an empty one, in which only
    what the bot needs is shown; one in which the bot's working directory lies, or that is it,
    stays: its files must be named. What doesn't exist at the start of the bot is left out."""

    variables: frozenset[str] = frozenset()
    """Variables of its environment that it gets beside KEPT: those meant for it."""

    def wrap(
        self, command: Sequence[str], env: Mapping[str, str], cwd: str, limits: BotLimits
    ) -> tuple[list[str], dict[str, str]]:
        """The command and environment that run a bot in this sandbox.

        The command expects what a keeper prepares: descriptors and a connection (`execute`).

        Args:
            command: The bot's words.
            env: Its environment, of which it gets KEPT and `variables`.
            cwd: Its working directory, empty for this process's own.
            limits: Set inside, by the launcher.

        Raises:
            SandboxError: bubblewrap isn't there, or this machine's system calls aren't known.
        """
        bwrap = _bwrap()
        _filter()  # the keeper takes it for granted
        is_root = os.geteuid() == 0
        user = FIRST_USER + secrets.randbelow(USERS) if is_root else 0
        directory = os.path.abspath(cwd or os.curdir)  # noqa: PTH100 -- links stay as they are
        size = self.scratch_size or limits.file_size or SCRATCH_SIZE
        folders, files = _hidden(self.hidden, directory)
        data = reach.data_folders({os.curdir, directory})
        folders += [path for path in data if not path.startswith(_OWN_FOLDERS)]
        words = [
            *_isolation(bwrap, execute.FILTER_FD, is_root=is_root),
            *_files(
                reach.needed(command, directory, env.get("PATH"), _own()),
                size,
                is_root,
                folders,
                files,
            ),
            *("--chdir", directory, "--"),
            *(sys.executable, "-I", "-S", "-B", "-c", _CODE, _DIRECTORY),
            *(self.host, str(self.port), str(user), limits.encode()),
            *command,
        ]
        passed = KEPT | self.variables
        kept = {key: value for key, value in env.items() if key in passed or key.startswith("LC_")}
        return words, kept | {"HOME": SCRATCH, "TMPDIR": SCRATCH}


def check_sandbox() -> None:
    """See that sandboxes can be made on this machine, by making an empty one.

    To be called once before the first bot is started.

    Raises:
        SandboxError: What is missing, and what to do about it.
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
    words = [
        *_isolation(bwrap, rules, is_root=is_root),
        *_files(reach.needed([], "/", None, _own()), SCRATCH_SIZE, is_root),
        *("--", sys.executable, "-I", "-S", "-c", ""),
    ]
    try:
        probe = subprocess.run(
            words,
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
        said = " ".join(probe.stderr.decode("utf-8", "backslashreplace").split()) or "nothing"
        said = execute.printable(said)
        raise SandboxError(
            f"sandbox: bubblewrap can't make namespaces here; it said: {said}. "
            "docs/limits.md tells what a system must allow; --sandbox none runs bots without"
        )


def _bwrap() -> str:
    """The path of bubblewrap."""
    if sys.platform != "linux":
        raise SandboxError("sandbox: bubblewrap is for Linux; --sandbox none runs bots without")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxError(
            "sandbox: bubblewrap (bwrap) isn't installed: install the package 'bubblewrap' "
            "(apt-get install bubblewrap), or run bots with --sandbox none"
        )
    return bwrap


def _filter() -> bytes:
    """The filter of system calls, for this machine."""
    machine = syscalls.machine()
    program = syscalls.sandbox_filter(machine)
    if program is None:
        known = " and ".join(syscalls.AUDIT)
        raise SandboxError(
            f"sandbox: the filter of system calls is for {known}, not {machine}; "
            "--sandbox none runs bots without"
        )
    return program


def _isolation(bwrap: str, rules: int, *, is_root: bool) -> list[str]:
    """The namespaces and privileges; `rules` is the descriptor with the filter of system calls."""
    return [
        *(bwrap, "--die-with-parent", "--new-session"),
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        # Only a name is hidden by it, and some kernels have no groups.
        "--unshare-cgroup-try",
        *("--seccomp", str(rules)),
        # Root needs no user namespace, and the launcher becomes somebody else by itself: a user
        # whom no file belongs to. An ordinary user stays one.
        *(
            ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
            if is_root
            else ("--unshare-user",)
        ),
    ]


def _homes(user: int, environment: Mapping[str, str]) -> set[str]:
    """The home folders of a user, as the environment and as the system has it; `/` isn't one."""
    found = {environment.get("HOME", "")}
    with contextlib.suppress(KeyError):  # a user whom the system doesn't know
        found.add(pwd.getpwuid(user).pw_dir)
    homes = {os.path.realpath(home) for home in found if home.startswith("/")}
    return {home for home in homes if os.path.isdir(home)} - {"/"}


def _hidden(paths: Sequence[str | os.PathLike[str]], directory: str) -> tuple[list[str], list[str]]:
    """The folders and the files among what a bot in this directory shall not see."""
    real = [os.path.realpath(path) for path in paths]
    real = [path for path in real if not path.startswith(_OWN_FOLDERS)]
    inside = os.path.join(os.path.realpath(directory), "")
    folders = [
        path
        for path in real
        if os.path.isdir(path) and not inside.startswith(os.path.join(path, ""))
    ]
    return folders, [path for path in real if os.path.isfile(path)]


def _files(
    needed: set[str],
    scratch: int,
    is_root: bool,
    hidden_folders: Sequence[str] = (),
    hidden_files: Sequence[str] = (),
) -> list[str]:
    """The file system: everything read-only, covers, what is needed below them, scratch."""
    covers = {SCRATCH, os.path.realpath("/run"), os.path.realpath("/var/run"), *hidden_folders}
    if not is_root:
        # The bot is the arena's user, whose own files it could read.
        covers |= _homes(os.geteuid(), os.environ)
    # A socket may be gone, or its folder, before it is covered, and that bubblewrap fails at. So
    # that nobody can keep bots from starting, what is covered is what no other user can remove.
    firm = {
        path: reach.firm_cover(path, {0, os.geteuid()})
        for path in reach.sockets()
        if not path.startswith(_OWN_FOLDERS)
    }
    covers |= {cover for path, cover in firm.items() if cover is not None and cover != path}
    sockets = [path for path, cover in firm.items() if cover is not None]
    mounts = reach.plan(needed, covers, reach.closed_to_others if is_root else lambda _path: False)
    words = [
        *("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
        *("--size", str(SHARED_SIZE), "--perms", "1777", "--tmpfs", SHARED),
        *("--remount-ro", "/dev"),
    ]
    read_only = []
    for mount in mounts:
        if mount.kind is reach.Kind.SHOW:
            words += ["--ro-bind", mount.path, mount.path]
        elif mount.kind is reach.Kind.FOLDER:
            # Said, since bubblewrap makes what is missing on the way closed to others.
            words += ["--perms", "0755", "--dir", mount.path]
        elif mount.path == SCRATCH:
            words += ["--size", str(scratch), "--perms", "1777", "--tmpfs", SCRATCH]
        else:
            words += ["--perms", "0755", "--tmpfs", mount.path]
            read_only += ["--remount-ro", mount.path]
    for path in [*sockets, *hidden_files]:
        if reach.is_visible(path, mounts):
            words += ["--ro-bind", os.devnull, path]
    return words + read_only


def _own() -> list[str]:
    """What the launcher, house bots and bridges need: this Python and our packages."""
    found = [sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, _DIRECTORY]
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None:
            found += spec.submodule_search_locations or []
    return found


def _is_mapped(user: int, proc: str = "/proc") -> bool:
    """Whether a user id exists in this process's user namespace (user_namespaces(7))."""
    try:
        rows = Path(f"{proc}/self/uid_map").read_text(encoding="ascii").splitlines()
    except OSError:
        return True  # a kernel without user namespaces
    return any(
        int(first) <= user < int(first) + int(count)
        for first, _, count in (row.split() for row in rows)
    )
