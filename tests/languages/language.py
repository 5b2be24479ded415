"""What the tests of all client libraries share: a language's toolchain, and building once a run.

Each `languages/NAME.py` has a `LANGUAGE`; `every` has them all. Nothing is built within the
checkout.
"""

import fcntl
import functools
import importlib
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
import pytest

CHECKOUT = Path(__file__).parents[2]
CLIENTS = CHECKOUT / "clients"
VECTORS = CHECKOUT / "protocol" / "vectors"
EMPTY_BOTS = CHECKOUT / "tests" / "bench" / "empty_bots"
"""Of each language, a bot that answers nothing: what it needs is the library's own time."""
PATIENCE = 300
"""Seconds for a compiler or for a language's own tests; nothing is expected to need them."""


@attrs.frozen(kw_only=True)
class Step:
    """A program to run, to the end."""

    words: Sequence[str | Path]
    cwd: Path = CHECKOUT
    env: Mapping[str, str] = attrs.field(factory=dict)
    """Beside our own environment."""

    def run(self):
        """Run it; the test fails with all that it printed if its exit code isn't 0."""
        words = [str(word) for word in self.words]
        done = subprocess.run(
            words,
            cwd=self.cwd,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            text=True,
        )
        if done.returncode:
            pytest.fail(f"$ cd {self.cwd}; {shlex.join(words)}\n{done.stdout[-8000:]}")


@attrs.frozen(kw_only=True)
class Language:
    """A client library and how its bots are made."""

    name: str
    """The name of its folder in clients/."""
    programs: tuple[str, ...]
    """What must be on the PATH, or there is nothing to test with."""
    package: str
    """What Debian calls the package that has them."""
    build: Callable[[Path], Mapping[str, Sequence[str]]]
    """Builds into a folder; the command of each starter by game, and of `empty` where that is
    quickly built."""
    build_empty: Callable[[Path], Mapping[str, Sequence[str]]] | None = None
    """Builds the bot `empty` where `build` doesn't."""
    own_tests: Callable[[Path], Sequence[Step]]
    """The library's own tests, style checks too; made things go to the folder."""
    long_tests: Callable[[Path], Sequence[Step]] = lambda _folder: ()
    """What takes too long for every day."""
    trouble: Callable[[], str | None] = lambda: None
    """Why the toolchain that is there won't do, such as its age; None if it will."""
    optional: bool = False
    """Whether its tests are left out where the toolchain can't be had, even in CI."""

    @property
    def missing(self):
        """Why it can't be tested here; None if it can."""
        lacking = [program for program in self.programs if shutil.which(program) is None]
        if not lacking:
            return self.trouble()
        return f"no {' and no '.join(lacking)} on the PATH (Debian: apt-get install {self.package})"


def built_once(language, folder):
    """Build a language's bots, once for all processes that share the folder; its commands."""
    place = folder / f"built-{language.name}"
    place.mkdir(exist_ok=True)
    with (folder / f"{language.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = place / "commands.json"
        if not done.exists():
            commands = language.build(place)
            done.write_text(json.dumps({bot: [*map(str, c)] for bot, c in commands.items()}))
    return json.loads(done.read_text())


@functools.cache
def every():
    """All languages by name: each folder of clients/ has its module here."""
    names = sorted(path.name for path in CLIENTS.iterdir() if path.is_dir())
    return {name: importlib.import_module(f"languages.{name}").LANGUAGE for name in names}
