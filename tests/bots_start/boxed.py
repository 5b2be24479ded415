"""Starts bots one after another as an arena does, in a process of its own; perhaps another user's.

    python boxed.py JSON

JSON has the arguments of `_main`. Printed is, as JSON too, how each bot ended and what it printed.
Only functions for the tests import pytest, which takes longer than a bot.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys

import trio

from lanista.bots.command import HOST, environment
from lanista.bots.limits import BotLimits
from lanista.bots.process import start_bot
from lanista.bots.sandbox import Sandbox

ORDINARY = 54321
"""A user and group that no system knows."""
PATIENCE = 60
"""Seconds for one bot; nothing is expected to need them."""
_NAMES = "keyctl", "add_key", "request_key", "mount", "clone", "unshare"
CALLS = {
    "x86_64": dict(zip(_NAMES, (250, 248, 249, 165, 56, 272), strict=True)),
    "aarch64": dict(zip(_NAMES, (219, 217, 218, 40, 220, 97), strict=True)),
}.get(os.uname().machine, {})
"""System calls by name that Python has no function for."""
CALL = f"""
import ctypes, errno, json, os, sys
NUMBERS = {CALLS | {"io_uring_setup": 425, "fsopen": 430, "clone3": 435, "close_range": 436}}
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *words):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(NUMBERS[name]), *words)
    return errno.errorcode[ctypes.get_errno()] if result < 0 else result
"""
"""The beginning of a bot that makes system calls by name; they return an error's name."""


async def _main(commands, sandboxed, key, data):
    if key:
        _have_key(key)
    if data is None:
        return await _played(commands, sandboxed)
    # Only here, as importing them takes longer than a bot.
    from lanista.results.base import Database
    from lanista.results.data_folder import DataFolder
    from lanista.results.names import NameStore

    with Database.of_arena(DataFolder(data)) as database:
        NameStore(database).changes()  # an arena looks for them, which keeps a file locked
        return await _played(commands, sandboxed)


async def _played(commands, sandboxed):
    told = []
    for command, cwd in commands:
        (listener,) = await trio.open_tcp_listeners(0, host=HOST)
        async with listener:
            port = listener.socket.getsockname()[1]
            env = environment(port=port, name="Camper", token="t0k")
            box = Sandbox(port=port) if sandboxed else None
            async with start_bot(
                command, env, cwd=cwd, grace=0, limits=BotLimits(), sandbox=box
            ) as bot:
                with trio.move_on_after(PATIENCE):
                    await bot.exited()
            told.append([str(bot.exit), bot.output_tail()])
    return told


def _have_key(description):
    """Put a key into a session keyring of our own."""
    libc = ctypes.CDLL(None, use_errno=True)
    name = description.encode()
    if (
        libc.syscall(CALLS["keyctl"], 1, None) < 0
        or libc.syscall(CALLS["add_key"], b"user", name, b"x", 1, -3) < 0
    ):
        sys.exit(os.strerror(ctypes.get_errno()))


def users():
    """Who may run an arena here: None is ourselves; where we are root, an ordinary user too."""
    import pytest

    ordinary = [pytest.param(ORDINARY, marks=pytest.mark.long)] if os.geteuid() == 0 else []
    return [None, *ordinary]


def run(
    *scripts,
    user=None,
    sandboxed=True,
    cwd=None,
    key=None,
    data=None,
    own=(),
    mounts=(),
):
    """Run scripts in Python as bots, one after another; the test fails if one does.

    Args:
        scripts: Their text; or the text, `cwd` and `own` where each has its own. Each prints one
            line of JSON.
        user: Of `users`.
        own: Folders that the commands name.
        mounts: Pairs of a folder and another one over which it is mounted, for the arena alone;
            only where we are root.
        sandboxed: Whether each runs in a sandbox.
        cwd: Their working directory; None for the arena's own.
        key: The description of a key in the arena's session keyring.
        data: The folder of a database that the arena has open.

    Returns:
        What each printed.
    """
    python = sys.executable if user is None else python_for_all()
    bots = [(script, cwd, own) if isinstance(script, str) else script for script in scripts]
    commands = [
        ([python, "-I", "-S", "-c", text, *map(str, own)], cwd and str(cwd))
        for text, cwd, own in bots
    ]
    asked = [commands, sandboxed, key, data]
    words = [python, "-P", __file__, json.dumps(asked)]
    if mounts:
        binds = "".join(f"mount --bind {source} {over} && " for source, over in mounts)
        words = ["unshare", "--mount", "sh", "-c", f'{binds}exec "$@"', "sh", *words]
    done = subprocess.run(
        words,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": "/"},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=PATIENCE * (1 + len(scripts)),
        check=False,
        **({} if user is None else {"user": user, "group": user, "extra_groups": []}),
    )
    assert (0, "") == (done.returncode, done.stderr)
    told = json.loads(done.stdout)
    assert [] == [words for words in told if words[0] != "exited with code 0"]
    return [json.loads(output) for _, output in told]


def python_for_all():
    """A Python of our version that any user may run, or the test is skipped."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    import pytest

    found = shutil.which(name, path="/usr/local/bin:/usr/bin")
    if found is None:
        pytest.skip(f"no {name} in /usr/bin for an ordinary user")
    return found


if __name__ == "__main__":
    print(json.dumps(trio.run(_main, *json.loads(sys.argv[1]))))
