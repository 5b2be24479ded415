"""What processes of ours need of the system: signals that stop them, cores, memory, disks."""

import contextlib
import errno
import gc
import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals sent by Ctrl-C in a terminal, by a service manager, and by a terminal that closes."""
M_MMAP_THRESHOLD = -3  # mallopt(3)
LARGE_BLOCK = 128 * 1024
"""The size in bytes above which a block of memory is large: glibc's own first threshold."""

SEARCHES = 1000
"""The number of searches of the oldest objects for garbage of which one is a search of them all."""

HELPERS_GROUP = "lanista-helpers"
"""The control group that helpers move to where the kernel shares out processors by our groups."""

_BUFFER = 16 * 1024
"""Size in bytes of the buffer for a file that is written as a whole; most records fit into it."""


def heeded(numbers: Iterable[signal.Signals] = STOPPING) -> tuple[signal.Signals, ...]:
    """Return those of the given signals that this process should react to.

    A signal that was ignored when the process was started stays ignored: a shell starts background
    jobs with SIGINT ignored, and `nohup` starts programs with SIGHUP ignored. SIGTERM is always
    returned, so that one signal is left that stops the process.
    """
    return tuple(
        number
        for number in numbers
        if number == signal.SIGTERM or signal.getsignal(number) is not signal.SIG_IGN
    )


@contextlib.contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt at each of `STOPPING` within, unless it is ignored."""
    handlers = {number: signal.getsignal(number) for number in heeded()}
    for number in handlers:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def undoing(undo: Callable[[], object]) -> Iterator[None]:
    """Call a function if the block raises anything, so that nothing of what it began is left."""
    try:
        yield
    except BaseException:
        undo()
        raise


def notice_silence(connected: socket.socket) -> None:
    """Have the system end a connection if the other machine is gone for two minutes.

    Otherwise a bot that waits for a match would wait for ever, and so would the arena for a bot
    whose machine lost power. What was sent but not acknowledged would take 15 minutes to fail.
    """
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        for option, value in (
            (socket.TCP_KEEPIDLE, 60),  # s
            (socket.TCP_KEEPINTVL, 15),  # s
            (socket.TCP_KEEPCNT, 4),
            (socket.TCP_USER_TIMEOUT, 120_000),  # ms
        ):
            connected.setsockopt(socket.IPPROTO_TCP, option, value)


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def control_group(proc: Path = Path("/proc/self")) -> Path | None:
    """Return the folder of this process's control group; None where version 2 isn't mounted."""
    try:
        groups, mounts = (proc / "cgroup").read_text(), (proc / "mountinfo").read_text()
    except OSError:
        return None
    name = None
    for line in groups.splitlines():
        if line.startswith("0::/"):
            name = line.removeprefix("0::/")
    for line in mounts.splitlines():
        # proc_pid_mountinfo(5): "id parent device ROOT MOUNTPOINT options … - TYPE source …"
        fields, _, kind = line.partition(" - ")
        if name is not None and kind.startswith("cgroup2 "):
            root, mounted = fields.split()[3:5]
            below = f"/{name}".removeprefix(root.rstrip("/"))
            return Path(mounted.encode().decode("unicode_escape")) / below.lstrip("/")
    return None


def favour_event_loop() -> None:
    """Have threads that compute give way to the event loop after half a millisecond.

    Those processes of an arena that play matches call this. By default the loop would wait 5 ms
    after each call to the system, of which a turn has several, while a thread makes a QR code for
    some visitor.
    """
    sys.setswitchinterval(0.0005)


def search_new_objects() -> None:
    """Have the garbage collector search each object once, and all of them again only rarely.

    Those processes of an arena that play matches call this once they are ready for them. To search
    the objects of hundreds of connections takes tens of ms, for which the event loop, and so all
    matches, would wait every few seconds. Objects that nothing refers to are freed at once all the
    same. Those that refer to each other wait for the search of all objects if they were in use when
    they were searched; in ten minutes with hundreds of connections, that is some 10 MB.
    """
    searches = 0

    def searched(phase: str, info: dict[str, int]) -> None:
        nonlocal searches
        if phase == "stop" and info["generation"] == 2:
            searches += 1
            if searches % SEARCHES:
                gc.freeze()
            else:
                gc.unfreeze()  # for the next search

    # Few new objects at a time: some 10,000, in about 3 ms.
    gc.set_threshold(700, 3, 1)
    gc.callbacks.append(searched)
    gc.collect()
    # The collector waits until there are a quarter as many new objects as it found the last time.
    # So have it find none.
    gc.collect()


def return_large_blocks() -> None:
    """Have the C library return large blocks of memory to the system as soon as they are freed.

    Processes that run for long call this. glibc takes blocks above a threshold from the system one
    by one, but raises the threshold to the largest block that was ever freed. From then on the
    buffers of floods, uploads and large records come from the heap, where small objects that stay
    keep the memory around them for good.
    """
    import ctypes  # noqa: PLC0415 - slow to import, and only few processes run for long

    with contextlib.suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)


def exists(path: Path) -> bool:
    """Return whether something is at a path; raise OSError if that can't be told.

    Since Python 3.14 `Path.exists` returns False then, as for a folder that can't be searched.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and those around it, unless it is there; raise OSError if it can't be made.

    Each that root makes is for the owner of the folder around it, as by `make_file`.
    """
    is_root = os.geteuid() == 0
    missing = [each for each in (folder, *folder.parents) if is_root and not each.exists()]
    try:
        folder.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError as error:
        is_file = Path(error.filename).exists()
        why = "a file is in its place" if is_file else "it is a link to nothing"
        raise NotADirectoryError(errno.ENOTDIR, why, error.filename) from None
    for made in reversed(missing):
        descriptor = os.open(made, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _give_to_owner(descriptor, made.parent)
        finally:
            os.close(descriptor)


def make_file(path: Path, mode: int) -> None:
    """Make an empty file that isn't there yet, or raise OSError; by root, for its folder's owner.

    So an arena that runs as a user of its own can use what root's commands make in its folder. What
    is there already stays its owner's: it may be that user's link to a file of root's.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        if os.geteuid() == 0:
            _give_to_owner(descriptor, path.parent)
    finally:
        os.close(descriptor)


def _give_to_owner(descriptor: int, folder: Path) -> None:
    """Give what is open, and was made by root, to the owner of the folder that it is in."""
    owner = folder.stat()
    with contextlib.suppress(OSError):  # a root without this right, as in some containers
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def sync_folder(folder: Path) -> None:
    """Wait until the names of a folder's files are on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(
    path: Path,
    chunks: Iterable[bytes | bytearray],
    part: Path | None = None,
    mode: int = 0o666,
) -> int:
    """Write a file that is complete and on the disk once it has its name; return its size.

    Until then it is `part`, by default a file beside it. Raises OSError if it can't be written;
    nothing has changed then.
    """

    def opened(path: str, flags: int) -> int:
        return os.open(path, flags, mode)

    if part is None:
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with undoing(lambda: part.unlink(missing_ok=True)):
        with open(part, "wb", buffering=_BUFFER, opener=opened) as file:
            size = sum(map(file.write, chunks))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    return size


def write_output(path: Path, chunks: Iterable[bytes]) -> int:
    """Write to what a user named, a file as `write_whole` does, or a device or pipe; return a size.

    A link stays a link: the file to which it leads is written. A file is written over in place if
    it is another user's or its folder can't be written. Whoever might read or write a file still
    may, and nobody else.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return write_whole(path.resolve(), chunks)
    real, mode = path.resolve(), status.st_mode & 0o777
    is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
    if not (is_ours and os.access(path, os.W_OK) and os.access(real.parent, os.W_OK)):
        with path.open("wb") as file:
            return sum(map(file.write, chunks))
    size = write_whole(real, chunks, mode=mode)
    real.chmod(mode)  # the umask may have taken from it what a group had
    return size
