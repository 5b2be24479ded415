"""C++: one header, server/lanista/kit/include/lanista.hpp, built by the Makefile of clients/cpp."""

from languages.language import CLIENTS, EMPTY_BOTS, Language, Step

CPP = CLIENTS / "cpp"
GAMES = ("angrymob", "hogwarts", "crematoria")
QUICKLY = "-O0"
"""Compiling is most of what these tests take. The empty bot, whose time is measured, has -O2."""


def build(folder):
    """The starters; warnings are errors, by the Makefile."""
    make(folder, "starters").run()
    return {name: [folder / name] for name in GAMES}


def build_empty(folder):
    """The empty bot."""
    make(folder, f"{folder}/empty", f"EMPTY_BOTS={EMPTY_BOTS}").run()
    return {"empty": [folder / "empty"]}


def own_tests(folder):
    """As they are: with the sanitizers the compiler needs three times as long."""
    return [make(folder, "test", "SANITIZE=")]


def long_tests(folder):
    """Under the address and undefined behaviour sanitizers."""
    return [make(folder, "test")]


def make(folder, *words):
    """The Makefile's targets, made in a folder."""
    return Step(words=["make", "-j2", "-C", CPP, f"BUILD={folder}", f"OPTIMIZE={QUICKLY}", *words])


LANGUAGE = Language(
    name="cpp",
    programs=("g++", "make"),
    package="g++ make",
    build=build,
    build_empty=build_empty,
    own_tests=own_tests,
    long_tests=long_tests,
)
