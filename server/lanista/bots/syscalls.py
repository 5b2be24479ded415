"""What the kernel is asked for by numbers, since Python has no functions for it.

A session keyring of the bot's own, the filter of system calls that bubblewrap puts on a sandbox,
and how many files a sandbox may hold. Used by keepers and what they fork: light modules of the
standard library only.
"""

import errno
import os
import struct
import sys

# Importing these for their numbers would take milliseconds, for every bot.
AF_UNIX, AF_INET = 1, 2

# By machine, as uname(2) calls it: its number in <linux/audit.h>, and those of system calls.
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {
        "socket": 41,
        "socketpair": 53,
        "mount": 165,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "io_uring_setup": 425,
        "fsopen": 430,
    },
    "aarch64": {
        "mount": 40,
        "socket": 198,
        "socketpair": 199,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "io_uring_setup": 425,
        "fsopen": 430,
    },
}

# What a filter refuses, and how. Keys and rings look as if the kernel had none, for which runtimes
# are prepared; rings could make sockets past the filter. In a user namespace of its own a bot could
# mount file systems in memory, without any limit.
REFUSED = {
    **dict.fromkeys(("keyctl", "add_key", "request_key", "io_uring_setup"), errno.ENOSYS),
    **dict.fromkeys(("mount", "fsopen"), errno.EPERM),
}

# Numbers of x86_64 from here on are the same calls by another convention, x32.
X32 = 0x40000000

# seccomp(2): what a filter answers, and where it finds what it asks for, of which the lower half
# of the first argument is what `socket` looks at; bpf(4) has the instructions.
ALLOW, ERRNO, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER_AT, MACHINE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
LOAD, IF_EQUAL, IF_AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06

KEYCTL_JOIN_SESSION_KEYRING = 1
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
NS_GET_USERNS = 0xB701
MS_NOSUID, MS_NODEV, MS_REMOUNT = 2, 4, 32


def machine() -> str:
    """The machine whose system calls this process makes, as uname(2) calls it."""
    name = os.uname().machine
    return name if sys.maxsize > 1 << 32 else f"32-bit {name}"


def sandbox_filter(name: str) -> bytes | None:
    """The program that bubblewrap's `--seccomp` takes, for a machine; None for an unknown one.

    It refuses the calls of REFUSED, and sockets of other families than AF_UNIX and AF_INET. Calls
    of another machine, as 32-bit programs make them, end the process: they have other numbers.
    """
    if name not in AUDIT:
        return None
    numbers = NUMBERS[name]
    # Code, how many instructions to skip if it is so, how many if not, operand.
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


def join_session_keyring() -> None:
    """Leave the arena's session keyring for a new, empty one.

    A failure is no reason not to start the bot. A kernel without keyrings has no keys to find. A
    user who has used up their quota of keys (200 in all, but for root) goes on with the arena's:
    in a sandbox no key can be reached anyway, and without one, a bot of the same user can reach
    that user's own keyrings and the arena itself.
    """
    numbers = NUMBERS.get(machine())
    if sys.platform == "linux" and numbers is not None:
        import ctypes  # noqa: PLC0415 -- only who needs it pays for it

        operation = ctypes.c_long(KEYCTL_JOIN_SESSION_KEYRING)
        ctypes.CDLL(None).syscall(ctypes.c_long(numbers["keyctl"]), operation, None)


def limit_files(pid: int, folders: list[str], files: int) -> None:
    """Limit how many files the file systems in memory of a sandbox may hold.

    This process moves into the sandbox for it, for good, as it may be the owner of the sandbox's
    user namespace: to be called in a forked child that then ends.

    Args:
        pid: A process in the sandbox.
        folders: Where they are mounted there.
        files: How many files and folders in each.

    Raises:
        OSError: The kernel doesn't allow it, or the process is gone.
    """
    import ctypes  # noqa: PLC0415 -- only who needs it pays for it
    import fcntl  # noqa: PLC0415

    libc = ctypes.CDLL(None, use_errno=True)

    def ask(result: int) -> None:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    mounts = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    if os.path.sameopenfile(mounts, os.open("/proc/self/ns/mnt", os.O_RDONLY)):
        raise ProcessLookupError(errno.ESRCH, "the sandbox is gone")  # never touch our own
    owner = fcntl.ioctl(mounts, NS_GET_USERNS)
    if not os.path.sameopenfile(owner, os.open("/proc/self/ns/user", os.O_RDONLY)):
        ask(libc.setns(owner, CLONE_NEWUSER))
    ask(libc.setns(mounts, CLONE_NEWNS))
    for folder in folders:
        flags = ctypes.c_ulong(MS_REMOUNT | MS_NOSUID | MS_NODEV)
        ask(libc.mount(None, os.fsencode(folder), None, flags, f"nr_inodes={files}".encode()))
