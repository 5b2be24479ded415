"""Builds what takes a compiler long once, for all processes and for every run with these sources.

It lies in `.cache/tests/NAME-KEY` of the checkout, where the key is a hash of all that decides what
it becomes. `make clean` removes it. A test that is about building builds for itself.
"""

import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
CACHE = CHECKOUT / ".cache" / "tests"
VARIABLES = ("CC", "CXX", "CXXFLAGS", "RUSTFLAGS")
"""Variables of the environment that compilers and makefiles heed."""
LEFT_OUT = {"__pycache__", "node_modules", "target", "build"}
"""Folders that are made, and so no source of anything."""
BUILDS = pytest.mark.timeout(600)
"""The mark of tests that may have to build: on a busy machine a compiler takes minutes."""


def built(name, sources, tools, build):
    """The folder that `build(folder)` has filled: now, or in an earlier run.

    Others wait meanwhile. Nobody sees a folder that isn't whole, since it gets its name at the
    end: what is built must bear being moved.

    Args:
        name: What it is; what was built under this name from other sources is removed.
        sources: The files, and folders with all in them, that it is built of; also the module that
            knows how.
        tools: The commands that tell the tools' versions.
        build: Fills the empty folder that it is given.
    """
    place = CACHE / f"{name}-{_key(sources, tools)}"
    if place.exists():  # made by another user perhaps, who alone may write there
        return place
    CACHE.mkdir(parents=True, exist_ok=True)
    making = CACHE / f"{name}.making"
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            # The half of a build that was killed, too.
            for old in [making, *CACHE.glob(f"{name}-{'[0-9a-f]' * 16}")]:
                shutil.rmtree(old, ignore_errors=True)
            making.mkdir()
            build(making)
            making.rename(place)
    return place


def _key(sources, tools):
    """A hash of the files' names and contents, the tools' versions and the settings for them."""
    key = hashlib.sha256()
    told = [(name, os.environ.get(name, "")) for name in VARIABLES]
    key.update(repr([told, [_version(tuple(map(str, tool))) for tool in tools]]).encode())
    for source in sources:
        for path in _files(source):
            content = path.read_bytes()
            key.update(f"{path.relative_to(CHECKOUT)} {len(content)}\n".encode() + content)
    return key.hexdigest()[:16]


def _files(source):
    """A source itself, or all files of a folder, in an order that doesn't change."""
    if source.is_file():
        return [source]
    found = []
    for folder, folders, files in os.walk(source):
        folders[:] = set(folders) - LEFT_OUT
        found += [Path(folder, file) for file in files]
    return sorted(found)


@functools.cache
def _version(words):
    """Return what a tool says about itself."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout
