"""Shared by the tests of all client libraries: a language's toolchain, and how it is used.

Each `languages/NAME.py` has a `LANGUAGE`; `every` has them all. Nothing is built within the
checkout.
"""

import functools
import importlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs
import pytest

from languages.built import CHECKOUT, built

CLIENTS = CHECKOUT / "clients"
GAMES = ("angrymob", "hogwarts", "crematoria")
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
    tools: Sequence[Sequence[str]] = ()
    """The commands that tell the versions of what `build` uses."""
    sources: Sequence[Path] = ()
    """Sources that `build` reads, beside the language's folder in clients/ and its module here."""
    build: Callable[[Path], None] = lambda _folder: None
    """Builds the starters, and the library's own tests, into a folder that is moved then."""
    commands: Callable[[Path], Mapping[str, Sequence[str | Path]]] = lambda folder: {
        game: [folder / game] for game in GAMES
    }
    """The starters' commands by game, out of the folder that `build` has filled."""
    build_empty: Callable[[Path], Sequence[str | Path]]
    """Builds the bot `empty` into a folder, for speed; its command."""
    own_tests: Callable[[Path, Path], Sequence[Step]]
    """The library's own tests, given what `build` has built and an empty folder."""
    long_tests: Callable[[Path, Path], Sequence[Step]] = lambda _built, _folder: ()
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

    def built(self):
        """The folder with what `build` has built of the present sources."""
        here = Path(__file__).parent
        recipe = [here / f"{self.name}.py", here / "language.py"]
        sources = [CLIENTS / self.name, *recipe, *self.sources]
        return built(self.name, sources, self.tools, self.build)


@functools.cache
def every():
    """All languages by name: each folder of clients/ has its module here."""
    names = sorted(path.name for path in CLIENTS.iterdir() if path.is_dir())
    return {name: importlib.import_module(f"languages.{name}").LANGUAGE for name in names}
