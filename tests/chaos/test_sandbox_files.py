"""A bot in a sandbox that makes as many files as it can, which are the kernel's memory."""

import pytest

from bots_start.arena import needs_sandbox
from bots_start.boxed import CALL, run, users
from lanista.bots import execute

pytestmark = [needs_sandbox, pytest.mark.usefixtures("one_sandbox")]

MAKER = f"""
import errno, json, os
MOST = {2 * execute.SCRATCH_FILES}
def fill(folder, make):
    os.makedirs(folder, exist_ok=True)
    for number in range(MOST):
        try:
            make(f"{{folder}}/{{number:0200}}")
        except OSError as error:
            return number, errno.errorcode[error.errno]
    return MOST, None
def empty(folder):
    for name in os.listdir(folder):
        os.remove(f"{{folder}}/{{name}}")
    os.rmdir(folder)
def touch(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
told = {{}}
"""
LIFTING = f"""
{CALL}
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines())
MS_REMOUNT, CLONE_NEWUSER, CLONE_NEWNS = 32, 0x10000000, 0x20000
lifted = [call("mount", None, b"/tmp", None, MS_REMOUNT, b"nr_inodes=0")]
libc.unshare(CLONE_NEWUSER | CLONE_NEWNS)
lifted.append(call("mount", None, b"/tmp", None, MS_REMOUNT, b"nr_inodes=0"))
print(json.dumps([[status[key] for key in ("CapPrm", "CapEff", "CapAmb")], lifted,
    [os.statvfs(folder).f_files for folder in ("/tmp", "/dev/shm")]]))
"""


@pytest.mark.parametrize("user", users())
def test_files_are_limited_by_number(user):
    """In each folder that it may write to; hard links count too, removed files don't. It costs the
    bot no privilege: it has no capability, and can't lift the limit.
    """
    filling = f"""
{MAKER}
for folder in "/tmp/filled", "/dev/shm/filled":
    told[folder] = fill(folder, touch)
    empty(folder)
open(folder, "w").close()
told[folder + " links"] = fill(folder + "s", lambda path: os.link(folder, path))
print(json.dumps(told))
"""
    told, (powers, lifted, files) = run(filling, LIFTING, user=user)
    assert {"ENOSPC"} == {error for _, error in told.values()}
    most = execute.SCRATCH_FILES
    # Folders count too: those made here, and those that lead to what the bot needs.
    assert {True} == {most - 100 <= number < most for number, _ in told.values()}, told
    assert ["0" * 16] * 3 == powers
    assert ["EPERM", "EPERM"] == lifted
    assert [most] * 2 == files
