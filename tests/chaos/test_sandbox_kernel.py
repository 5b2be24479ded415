"""What a bot can't have of the kernel: the arena's keys, other bots' keys, odd sockets.

With real bots, as whoever runs the tests and, where that is root, as an ordinary user too.
"""

import socket
from pathlib import Path

import pytest

from bots_start.arena import needs_sandbox
from bots_start.boxed import CALL, CALLS, run, users

pytestmark = [
    pytest.mark.usefixtures("one_sandbox"),
    pytest.mark.skipif(not CALLS, reason="system calls of this processor aren't known"),
    pytest.mark.skipif(not Path("/proc/keys").exists(), reason="this kernel keeps no keys"),
]

SESSION, JOIN, SEARCH, READ = -3, 1, 10, 11
"""The session keyring, and operations of keyctl(2)."""
KEYS = f"""
{CALL}
found = call("keyctl", {SEARCH}, {SESSION}, b"user", b"lanista-operator", 0)
left = call("keyctl", {SEARCH}, {SESSION}, b"user", b"lanista-bot", 0)
added = call("add_key", b"user", b"lanista-bot", b"x", 1, {SESSION})
asked = call("request_key", b"user", b"lanista-operator", None, 0)
print(json.dumps([found, left, added if isinstance(added, str) else "added", asked]))
"""
"""Looks for a key of the operator's and for one that a bot before left, and leaves one."""


@pytest.mark.parametrize("user", users())
def test_a_bot_has_no_key_of_the_session_and_leaves_none(user):
    """Not even without a sandbox."""
    none = ["ENOKEY", "ENOKEY", "added", "ENOKEY"]
    assert [none, none] == run(KEYS, KEYS, user=user, sandboxed=False, key="lanista-operator")


SOCKETS = f"""
{CALL}
import socket
def made(make, family):
    try:
        for end in make(family): end.close()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "made"
def one(family):
    return [socket.socket(family)]
print(json.dumps([
    {{family: made(one, family) for family in range(1, 50)}},
    {{family: made(socket.socketpair, family) for family in (1, 16, 40)}},
    call("io_uring_setup", 8, ctypes.create_string_buffer(120)),
    call("mount", b"x", b"/tmp", b"tmpfs", 0, None),
    call("fsopen", b"tmpfs", 0),
]))
"""
NAMESPACES = f"""
{CALL}
import struct
CLONE_NEWUSER, SIGCHLD, CLOSE_RANGE_UNSHARE = 0x10000000, 17, 2
def forked(name, *words):
    result = call(name, *words)
    if result == 0:
        os._exit(0)
    return result
print(json.dumps([
    call("unshare", CLONE_NEWUSER),
    forked("clone", ctypes.c_long(CLONE_NEWUSER | SIGCHLD), 0, 0, 0, 0),
    forked("clone3", struct.pack("=11Q", CLONE_NEWUSER, 0, 0, 0, SIGCHLD, *[0] * 6), 88),
    call("mount", b"x", b"/tmp", b"tmpfs", 0, None),
    call("close_range", 99, 99, CLOSE_RANGE_UNSHARE),
]))
"""


@needs_sandbox
@pytest.mark.parametrize("user", users())
def test_in_a_sandbox_are_no_keys_no_odd_sockets_and_no_file_systems(user):
    """Nor keys that all processes of a user share; sockets of two families alone, whatever the
    kernel has, and by whatever call. No file system can be mounted, not even in a namespace of
    one's own: it would be memory that nobody limits. No namespace can be made either: the arena's
    user may have so many, and needs them for sandboxes. Nor are there threads with descriptors of
    their own, of which a bot could have more than its limit says.
    """
    keys, made, namespaces = run(KEYS, SOCKETS, NAMESPACES, user=user, key="lanista-operator")
    assert ["ENOSYS"] * 4 == keys
    families, pairs, ring, mounted, opened = made
    unix, inet = str(int(socket.AF_UNIX)), str(int(socket.AF_INET))
    assert {unix: "made", inet: "made"} == {
        family: how for family, how in families.items() if how != "EAFNOSUPPORT"
    }
    assert {unix: "made", "16": "EAFNOSUPPORT", "40": "EAFNOSUPPORT"} == pairs
    assert ["ENOSYS", "EPERM", "EPERM"] == [ring, mounted, opened]
    assert ["EPERM", "EPERM", "ENOSYS", "EPERM", "EPERM"] == namespaces
