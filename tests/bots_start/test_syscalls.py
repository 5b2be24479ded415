"""The filter of system calls, run as the kernel runs it, for each machine it is made for."""

import errno
import signal
import socket
import struct

import pytest

from lanista.bots import syscalls
from lanista.bots.syscalls import (
    AUDIT,
    CLONE_FILES,
    CLONE_NEWUSER,
    CLONE_THREAD,
    NUMBERS,
    REFUSED,
    machine,
    sandbox_filter,
)

ALLOWED, KILLED = 0x7FFF0000, 0x80000000
I386, X32 = 0x40000003, 0x40000000


def refused(error):
    """What the filter answers for an error."""
    return 0x50000 | error


def answer(program, audit, number, *arguments):
    """Run a filter; the few instructions of bpf(4) that there are."""
    arguments = *arguments, *[0] * (6 - len(arguments))
    data = struct.pack("=iIQ6Q", number, audit, 0, *arguments)
    at = accumulator = 0
    while True:
        code, skip_if, skip_else, operand = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if code == 0x06:
            return operand
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, operand)
        elif code == 0x54:
            accumulator &= operand
        else:
            holds = {
                0x15: accumulator == operand,
                0x35: accumulator >= operand,
                0x45: accumulator & operand != 0,
            }[code]
            at += skip_if if holds else skip_else


@pytest.mark.parametrize("name", AUDIT)
def test_what_is_refused(name):
    """All else is allowed, of this machine's own calls."""
    program, audit, numbers = sandbox_filter(name), AUDIT[name], NUMBERS[name]
    families, clone = {numbers["socket"], numbers["socketpair"]}, numbers["clone"]
    expected = {numbers[call]: refused(error) for call, error in REFUSED.items()}
    for number in {*range(600), X32 - 1} - families - {clone}:
        assert expected.get(number, ALLOWED) == answer(program, audit, number)
    for number in families:
        for family in range(64):
            may = family in {socket.AF_UNIX, socket.AF_INET}
            how = ALLOWED if may else refused(errno.EAFNOSUPPORT)
            assert how == answer(program, audit, number, family)
            # The kernel takes the lower half alone (socket(2): an int).
            assert how == answer(program, audit, number, family | 1 << 32)
    thread = 0x3D0F00
    for flags in 0, signal.SIGCHLD, thread, thread | 1 << 60:
        assert ALLOWED == answer(program, audit, clone, flags)
        # The kernel takes the lower half alone, as above.
        for new in flags | CLONE_NEWUSER, flags | CLONE_NEWUSER | 1 << 32:
            assert refused(errno.EPERM) == answer(program, audit, clone, new)
    # A thread that doesn't share its descriptors with the others; a process may not either.
    assert refused(errno.EPERM) == answer(program, audit, clone, thread & ~CLONE_FILES)
    assert ALLOWED == answer(program, audit, clone, thread & ~CLONE_FILES & ~CLONE_THREAD)
    for flags, how in (0, ALLOWED), (2, refused(errno.EPERM)), (4, ALLOWED), (6, refused(1)):
        assert how == answer(program, audit, numbers["close_range"], 3, 9, flags)
    for number in X32, X32 | numbers["socket"], -1:
        assert refused(errno.ENOSYS) == answer(program, audit, number)


@pytest.mark.parametrize("name", AUDIT)
def test_calls_of_another_machine_end_the_process(name):
    others = {I386, *AUDIT.values()} - {AUDIT[name]}
    for audit in others:
        for number in 0, NUMBERS[name]["socket"], 359:
            assert KILLED == answer(sandbox_filter(name), audit, number, socket.AF_UNIX)


def test_no_filter_for_another_machine(monkeypatch):
    """A 32-bit Python makes other calls than its machine's name says."""
    assert sandbox_filter("riscv64") is None
    monkeypatch.setattr("sys.maxsize", (1 << 31) - 1)
    assert sandbox_filter(machine()) is None


def test_a_user_who_may_have_no_more_keyrings_still_starts_bots(monkeypatch):
    """They are in the arena's session then; see `chaos/test_sandbox_kernel.py`."""
    asked = []

    def refuse(*words):
        asked.append(words)
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(syscalls, "call", refuse)
    syscalls.join_session_keyring()
    numbers = NUMBERS.get(machine())
    assert len(asked) == (numbers is not None)
