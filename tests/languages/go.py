"""Go: module `lanista` in clients/go, built and tested by the toolchain alone, offline."""

import re

from languages.language import CLIENTS, EMPTY_BOTS, Language, Step

CLIENT = CLIENTS / "go"
GAMES = ("angrymob", "hogwarts", "crematoria")
EMPTY = EMPTY_BOTS / "empty.go"


def environment(folder):
    """Caches in the folder, no registry, no settings of whoever runs the tests."""
    caches = {"GOCACHE": folder / "go-cache", "GOPATH": folder / "go-path"}
    settings = {"GOENV": "off", "GOFLAGS": "", "GOPROXY": "off", "GOWORK": "off"}
    return {name: str(path) for name, path in caches.items()} | settings


def go(folder, *words, cwd=CLIENT):
    """A call of the toolchain."""
    return Step(words=("go", *words), cwd=cwd, env=environment(folder))


def build(folder):
    """The starters in one call, the empty bot, whose file lies outside the module, in another."""
    bin_ = folder / "bin"
    bin_.mkdir(exist_ok=True)
    go(folder, "build", "-o", f"{bin_}/", *[f"./starters/{game}" for game in GAMES]).run()
    go(folder, "build", "-o", bin_ / "empty", EMPTY).run()
    return {name: [bin_ / name] for name in (*GAMES, "empty")}


def own_tests(folder):
    """The form (gofmt only lists what has another), vet, the tests, and the README's first bot."""
    formed = f'out=$(gofmt -l . "{EMPTY}" 2>&1); echo "$out"; test -z "$out"'
    bot = folder / "mybot"
    bot.mkdir()
    readme = (CLIENT / "README.md").read_text()
    (first,) = re.findall(r"```go\n(package main\n.*?)```", readme, re.DOTALL)
    (bot / "main.go").write_text(first)
    required = ("-require", "lanista@v0.0.0", "-replace", f"lanista={CLIENT}")
    return [
        Step(words=("sh", "-c", formed), cwd=CLIENT),
        go(folder, "vet", EMPTY),
        go(folder, "vet", "./..."),
        go(folder, "test", "-vet=off", "./..."),  # the line above has done it
        go(folder, "mod", "init", "mybot", cwd=bot),
        go(folder, "mod", "edit", *required, cwd=bot),
        go(folder, "vet", ".", cwd=bot),
    ]


LANGUAGE = Language(
    name="go",
    programs=("go", "gofmt"),
    package="golang",
    build=build,
    own_tests=own_tests,
    optional=True,
)
