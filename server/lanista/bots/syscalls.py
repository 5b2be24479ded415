"""System calls for which Python has no functions, and the filter of system calls for sandboxes.

They fork a keeper, start a bot in its control group, give it its own session keyring, and limit how
many files a sandbox may hold. Keepers and their forked children use this module, so it imports only
light modules of the standard library.
"""

import errno
import os
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes

# Importing these for their numbers would take milliseconds, for every bot.
AF_UNIX, AF_INET = 1, 2

# By machine, as uname(2) calls it: its number in <linux/audit.h>, and its system call numbers.
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {
        "socket": 41,
        "socketpair": 53,
        "clone": 56,
        "mount": 165,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "unshare": 272,
        "io_uring_setup": 425,
        "fsopen": 430,
        "clone3": 435,
        "close_range": 436,
    },
    "aarch64": {
        "mount": 40,
        "unshare": 97,
        "socket": 198,
        "socketpair": 199,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "clone": 220,
        "io_uring_setup": 425,
        "fsopen": 430,
        "clone3": 435,
        "close_range": 436,
    },
}

# The system calls that the filter refuses, and the error that they give. Key management and
# io_uring seem to be missing in the kernel, which language runtimes can handle; with io_uring a bot
# could make sockets that the filter doesn't see. clone3 seems to be missing too, because a filter
# can't see its flags; C libraries then use clone, with which no user namespace can be made. In one
# of its own a bot could make namespaces until the arena's user may have no more, not even for
# sandboxes, and mount file systems in memory, of any size.
REFUSED = {
    **dict.fromkeys(("keyctl", "add_key", "request_key", "io_uring_setup"), errno.ENOSYS),
    "clone3": errno.ENOSYS,
    **dict.fromkeys(("unshare", "mount", "fsopen"), errno.EPERM),
}

# On x86_64, numbers from here on are the same calls in another calling convention, x32.
X32 = 0x40000000

# seccomp(2): the results of a filter, and the offsets of its inputs; of the arguments, the lower
# half has what these calls read. Then the instructions, from bpf(4).
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER_AT, MACHINE_AT, FIRST_ARGUMENT_AT, THIRD_ARGUMENT_AT = 0, 4, 16, 32
LOAD, AND, IF_EQUAL, IF_AT_LEAST, IF_ANY, ANSWER = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
CLONE_PARENT, CLONE_INTO_CGROUP, SIGCHLD = 0x00008000, 0x200000000, 17
KEYCTL_JOIN_SESSION_KEYRING = 1
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
CLONE_FILES, CLONE_THREAD, CLOSE_RANGE_UNSHARE = 0x00000400, 0x00010000, 2
NS_GET_USERNS = 0xB701
MS_NOSUID, MS_NODEV, MS_REMOUNT = 2, 4, 32


def machine() -> str:
    """Return the machine whose system calls this process makes, as uname(2) calls it."""
    name = os.uname().machine
    return name if sys.maxsize > 1 << 32 else f"32-bit {name}"


def sandbox_filter(name: str) -> bytes | None:
    """Return the filter that bubblewrap's `--seccomp` takes, for a machine; None if unknown.

    It refuses the calls in REFUSED, sockets of other families than AF_UNIX and AF_INET, new user
    namespaces, and threads with descriptors of their own: a bot could have a thousand times as many
    open as its limit says, and in them memory that the keeper doesn't see. System calls of another
    machine, as a 32-bit program makes them, end the process, because their numbers are different.
    """
    if name not in AUDIT:
        return None
    numbers = NUMBERS[name]
    # Each: instruction, how many instructions to skip if true, how many if false, operand.
    program = [
        (LOAD, 0, 0, MACHINE_AT),
        (IF_EQUAL, 1, 0, AUDIT[name]),
        (ANSWER, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
        (IF_AT_LEAST, 0, 1, X32),
        (ANSWER, 0, 0, ERRNO | errno.ENOSYS),
    ]
    for call, error in REFUSED.items():
        program += [(IF_EQUAL, 0, 1, numbers[call]), (ANSWER, 0, 0, ERRNO | error)]
    program += [
        (IF_EQUAL, 0, 6, numbers["clone"]),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (IF_ANY, 2, 0, CLONE_NEWUSER),
        (AND, 0, 0, CLONE_THREAD | CLONE_FILES),
        (IF_EQUAL, 0, 1, CLONE_THREAD),
        (ANSWER, 0, 0, ERRNO | errno.EPERM),
        (ANSWER, 0, 0, ALLOW),
        (IF_EQUAL, 0, 4, numbers["close_range"]),
        (LOAD, 0, 0, THIRD_ARGUMENT_AT),
        (IF_ANY, 0, 1, CLOSE_RANGE_UNSHARE),
        (ANSWER, 0, 0, ERRNO | errno.EPERM),
        (ANSWER, 0, 0, ALLOW),
        (IF_EQUAL, 2, 0, numbers["socket"]),
        (IF_EQUAL, 1, 0, numbers["socketpair"]),
        (ANSWER, 0, 0, ALLOW),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (IF_EQUAL, 1, 0, AF_UNIX),
        (IF_EQUAL, 0, 1, AF_INET),
        (ANSWER, 0, 0, ALLOW),
        (ANSWER, 0, 0, ERRNO | errno.EAFNOSUPPORT),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


_libc: "ctypes.PyDLL | None" = None


def call(function: str, *arguments: "int | bytes | None") -> int:
    """Call a function of the C library, without releasing the interpreter's lock.

    Numbers are passed as long. Raises OSError if it returns a negative number.
    """
    import ctypes  # noqa: PLC0415 -- slow to import, and not always needed

    # Making this object is slow, too. Fork servers hand it on to keepers.
    global _libc  # noqa: PLW0603 -- made when it is first needed
    if _libc is None:
        _libc = ctypes.PyDLL(None, use_errno=True)
    result: int = getattr(_libc, function)(
        *[ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    )
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def prctl(option: int, value: int) -> bool:
    """Set a property of this process (prctl(2)), on Linux; return whether that worked."""
    if sys.platform != "linux":
        return False
    try:
        call("prctl", option, value, 0, 0, 0)
    except OSError:
        return False
    return True


def can_fork_siblings() -> bool:
    """Return whether `fork_sibling` knows this system."""
    return sys.platform == "linux" and machine() in NUMBERS


def fork_sibling() -> int:
    """Fork this process, the child becoming a child of this process's parent, so a sibling.

    Call this only in a process that has never had a second thread. It bypasses what `os.fork` and
    libc's `fork` do for a child: release locks that other threads held, and forget those threads.
    Raises OSError if there are too many processes.
    """
    # The interpreter's lock isn't released around the call, so the child holds it too.
    # Without a stack of its own, the child goes on with a copy of ours, as after a fork (clone(2)).
    # Machines differ in the order of the arguments after the stack, but all of these are 0.
    return call("syscall", NUMBERS[machine()]["clone"], CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)


def fork_into_group(folder: str) -> int:
    """Fork this process, the child beginning in another control group (version 2).

    That takes no longer than a fork, while a process that moves to another group waits for some 10
    ms. Call this only in a process that has never had a second thread, as `fork_sibling`. Raises
    OSError if the kernel can't do that (before Linux 5.7), the group is gone or can't be entered,
    or there are too many processes.
    """
    numbers = NUMBERS.get(machine())
    if numbers is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    group = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # struct clone_args of clone(2): the flags, the signal and the group are items 0, 4 and 10.
        arguments = struct.pack("=11Q", CLONE_INTO_CGROUP, *[0] * 3, SIGCHLD, *[0] * 5, group)
        return call("syscall", numbers["clone3"], arguments, len(arguments))
    finally:
        os.close(group)


def join_session_keyring() -> None:
    """Leave the arena's session keyring for a new, empty one.

    Failures are ignored: a kernel without keyrings has no keys to protect, and a user who has used
    up their quota of keys (200, except for root) keeps the arena's keyring. In a sandbox keys can't
    be reached anyway; without one a bot can reach the keyrings of its user, and the arena itself.
    """
    numbers = NUMBERS.get(machine())
    if sys.platform == "linux" and numbers is not None:
        try:  # noqa: SIM105 -- contextlib would take time to import, for every bot
            call("syscall", numbers["keyctl"], KEYCTL_JOIN_SESSION_KEYRING, None)
        except OSError:
            pass


def limit_files(pid: int, folders: list[str], files: int) -> None:
    """Limit how many files the in-memory file systems on some folders of a sandbox may hold.

    For that, this process joins the namespaces of a process in the sandbox, as root or the owner of
    the sandbox's user namespace may. It can't leave them again, so call this in a forked child that
    then exits. Raises OSError if the kernel doesn't allow it, or the process is gone.
    """
    import fcntl  # noqa: PLC0415 -- only sandboxes need it

    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    if os.path.sameopenfile(mounts, os.open("/proc/self/ns/mnt", os.O_RDONLY)):
        raise ProcessLookupError(errno.ESRCH, "the sandbox is gone")  # never touch our own
    owner = fcntl.ioctl(mounts, NS_GET_USERNS)
    if not os.path.sameopenfile(owner, os.open("/proc/self/ns/user", os.O_RDONLY)):
        call("setns", owner, CLONE_NEWUSER)
    call("setns", mounts, CLONE_NEWNS)
    for folder in folders:
        flags, options = MS_REMOUNT | MS_NOSUID | MS_NODEV, f"nr_inodes={files}".encode()
        call("mount", None, os.fsencode(folder), None, flags, options)
