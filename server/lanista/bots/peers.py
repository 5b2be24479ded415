"""Whose process is at the other end of a connection on this machine, as Linux tells it."""

import contextlib
import os
import socket
import struct
import sys

from lanista.bots.proctree import PROC, processes, with_descendants

# sock_diag(7): asking the kernel for one socket, and where its answer has the inode.
_NETLINK_SOCK_DIAG, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST = 4, 20, 1
_HEADER = struct.Struct("=IHHII")
_REQUEST = struct.Struct("=BBBBI2s2s16s16sIII")
_ANY_COOKIE = 0xFFFFFFFF
_INODE_AT = _HEADER.size + 68
_PATIENCE = 1.0  # seconds; the kernel answers at once


def connects(root: int, peer: tuple[str, int], ours: tuple[str, int]) -> bool:
    """Whether a process, or one that comes from it, holds the other end of a TCP connection.

    Args:
        root: Its pid.
        peer: IPv4 address and port of that end, which is on this machine.
        ours: Those of our end.

    Returns:
        False also where that can't be found out: another system, processes of another user.
    """
    inode = _inode(peer, ours)
    if inode is None:
        return False
    wanted = f"socket:[{inode}]"
    for pid in with_descendants([root], processes()):
        with contextlib.suppress(OSError):  # gone, or not ours to look into
            for fd in os.listdir(f"{PROC}/{pid}/fd"):  # noqa: PTH208 - names alone
                with contextlib.suppress(OSError):
                    if os.readlink(f"{PROC}/{pid}/fd/{fd}") == wanted:  # noqa: PTH115 - no path
                        return True
    return False


def _inode(end: tuple[str, int], other: tuple[str, int]) -> int | None:
    """The inode of the socket whose own end is the first and whose peer the other."""
    if sys.platform != "linux":
        return None
    request = _REQUEST.pack(
        *(socket.AF_INET, socket.IPPROTO_TCP, 0, 0, _ANY_COOKIE),
        *(struct.pack(">H", port) for _, port in (end, other)),
        *(socket.inet_aton(host).ljust(16, b"\0") for host, _ in (end, other)),
        *(0, _ANY_COOKIE, _ANY_COOKIE),
    )
    header = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 1, 0)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as kernel:
            kernel.settimeout(_PATIENCE)
            kernel.send(header + request)
            answer = kernel.recv(4096)
    except OSError:
        return None
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:  # an error: there is no such
        return None
    inode: int = struct.unpack_from("=I", answer, _INODE_AT)[0]
    return inode or None
