"""Go: module `lanista` in clients/go, built and tested by the toolchain alone, offline."""

import re

from languages.built import CACHE
from languages.language import CLIENTS, EMPTY_BOTS, GAMES, Language, Step

CLIENT = CLIENTS / "go"


def environment():
    """The toolchain's own cache among ours, no registry, no settings of whoever runs the tests.

    The cache knows by hashes what is up to date, bears several processes and forgets what is old.
    """
    caches = {"GOCACHE": CACHE / "go-cache", "GOPATH": CACHE / "go-path"}
    settings = {"GOENV": "off", "GOFLAGS": "", "GOPROXY": "off", "GOWORK": "off"}
    return {name: str(path) for name, path in caches.items()} | settings


def go(*words, cwd=CLIENT):
    """A call of the toolchain."""
    return Step(words=("go", *words), cwd=cwd, env=environment())


def build(folder):
    """The starters, in one call."""
    go("build", "-o", f"{folder}/", *[f"./starters/{game}" for game in GAMES]).run()


def build_empty(folder):
    """The empty bot, whose file lies outside the module."""
    go("build", "-o", folder / "empty", EMPTY_BOTS / "empty.go").run()
    return [folder / "empty"]


def own_tests(_built, folder):
    """The tests, each time anew, and the README's first bot, which must compile."""
    readme = (CLIENT / "README.md").read_text()
    (first,) = re.findall(r"```go\n(package main\n.*?)```", readme, re.DOTALL)
    (folder / "main.go").write_text(first)
    required = ("-require", "lanista@v0.0.0", "-replace", f"lanista={CLIENT}")
    return [
        go("test", "-vet=off", "-count=1", "./..."),  # `make lint` vets
        go("mod", "init", "mybot", cwd=folder),
        go("mod", "edit", *required, cwd=folder),
        go("build", "-o", folder / "mybot", ".", cwd=folder),
    ]


LANGUAGE = Language(
    name="go",
    programs=("go",),
    package="golang",
    tools=(["go", "version"],),
    build=build,
    build_empty=build_empty,
    own_tests=own_tests,
    optional=True,
)
