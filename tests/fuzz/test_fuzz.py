"""A few thousand changed inputs for all that reads what others wrote; `make fuzz` tries more.

New inputs in every run; a failure prints the seed that makes them again.
"""

import itertools
import secrets
import subprocess
import sys
from random import Random

import pytest

from fuzz import run
from fuzz import target as target_module
from fuzz.run import TARGETS, target_named
from fuzz.target import Target, run_chunk


@pytest.mark.parametrize("name", TARGETS)
def test_changed_inputs_are_read_or_refused_as_documented(name, monkeypatch):
    """How long an input takes is `make fuzz`'s to find: here others use the machine."""
    monkeypatch.setattr(target_module, "SECONDS", 60.0)
    seed = secrets.randbelow(10**9)
    target = target_named(name)
    for finding in run_chunk(target, name, seed, 0, target.short):
        pytest.fail(
            f"{finding.place}\n{finding.trace}{finding.given[:2000]}\n"
            f"again: python tests/fuzz/run.py --seed {seed} --chunk 0 {name}"
        )


def fails(given):
    """An input's check: by its number, in a way of its own."""
    if given == 3:
        raise KeyError("a fault\nof two lines")
    if given == 5:
        while True:
            pass
    if given == 7:
        b"x" * (3 * target_module.MEMORY)  # nothing that was freed before is as large
    assert given != 9


def test_each_kind_of_fault_is_found(monkeypatch):
    """An error, an endless loop, memory without bound, a wrong result; and the run goes on."""
    monkeypatch.setattr(target_module, "MEMORY", 32 * 1024 * 1024)
    numbers = itertools.count()
    target = Target(draw=lambda _: next(numbers), check=fails)
    found = run_chunk(target, "fails", 1, 7, 20)
    faults = ("KeyError", "TooSlowError", "MemoryError", "AssertionError")
    assert [
        (number, fault, str(number), 7) for number, fault in zip((3, 5, 7, 9), faults, strict=True)
    ] == [(one.number, one.place.split()[0], one.given, one.chunk) for one in found]


def test_it_runs_as_a_program():
    """Its folder is on Python's path then, and has modules with names of the tests' packages."""
    command = [sys.executable, run.__file__, "--inputs", "1", "hello"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "hello" in output


def test_a_chunk_has_the_same_inputs_in_every_run():
    for name in TARGETS:
        drawn = [
            [target_named(name).draw(random) for _ in range(20)]
            for random in (Random(name), Random(name))
        ]
        assert drawn[0] == drawn[1]
