"""A few thousand changed inputs for all that reads what others wrote; `make fuzz` tries more.

New inputs in every run; a failure prints the seed that makes them again.
"""

import itertools
import json
import os
import resource
import secrets
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

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


TESTS = Path(__file__).parents[1]
HELD = []


def fails(given):
    """An input's check: by its number, in a way of its own."""
    if given == 3:
        raise KeyError("a fault\nof two lines")
    if given == 5:
        while True:
            pass
    if given == 7:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        # Kept until it was measured: some kernels lose the peak of what was freed meanwhile.
        HELD.append(b"x" * (peak + 2 * target_module.MEMORY))
    assert given != 9


def find_faults():
    """Print what is found, as JSON: in a process of its own, whose memory has no past."""
    target_module.MEMORY = 16 * 1024 * 1024
    numbers = itertools.count()
    target = Target(draw=lambda _: next(numbers), check=fails)
    found = run_chunk(target, "fails", 1, 7, 20)
    told = [[one.number, one.place.split()[0], one.given, one.chunk] for one in found]
    print(json.dumps(told))


def test_each_kind_of_fault_is_found():
    """An error, an endless loop, memory without bound, a wrong result; and the run goes on."""
    script = "from fuzz.test_fuzz import find_faults; find_faults()"
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    faults = ("KeyError", "TooSlowError", "TooLargeError", "AssertionError")
    assert [
        [number, fault, str(number), 7] for number, fault in zip((3, 5, 7, 9), faults, strict=True)
    ] == json.loads(done.stdout)


def test_a_chunk_has_the_same_inputs_in_every_run():
    for name in TARGETS:
        drawn = [
            [target_named(name).draw(random) for _ in range(20)]
            for random in (Random(name), Random(name))
        ]
        assert drawn[0] == drawn[1]
