"""C++: the header server/lanista/bots/kit/include/lanista.hpp, and the Makefile of clients/cpp."""

import os

from languages.language import CHECKOUT, CLIENTS, EMPTY_BOTS, VECTORS, Language, Step

CPP = CLIENTS / "cpp"
QUICKLY = "-O0"
"""Compiling is most of what these tests take. The empty bot, whose time is measured, has -O2."""


def build(folder):
    """The starters and the tests.

    The tests as they are: with the sanitizers the compiler needs three times as long.
    """
    make(folder, "SANITIZE=", "starters", f"{folder}/tests").run()


def build_empty(folder):
    """The empty bot."""
    make(folder, f"{folder}/empty", f"EMPTY_BOTS={EMPTY_BOTS}").run()
    return [folder / "empty"]


def own_tests(built, _folder):
    """The program of the tests."""
    return [Step(words=[built / "tests", VECTORS / "conversations.jsonl"])]


def long_tests(_built, folder):
    """Under the address and undefined behaviour sanitizers."""
    return [make(folder, "test")]


def make(folder, *words):
    """The Makefile's targets, made in a folder."""
    return Step(words=["make", "-j2", "-C", CPP, f"BUILD={folder}", f"OPTIMIZE={QUICKLY}", *words])


LANGUAGE = Language(
    name="cpp",
    programs=("g++", "make"),
    package="g++ make",
    tools=([os.environ.get("CXX") or "g++", "--version"],),
    sources=[CHECKOUT / "server" / "lanista" / "bots" / "kit" / "include"],
    build=build,
    build_empty=build_empty,
    own_tests=own_tests,
    long_tests=long_tests,
)
