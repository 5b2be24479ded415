"""An arena keeps no large blocks that were freed, and searches no objects that stay."""

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import re, sys
from pathlib import Path
from lanista.system import return_large_blocks

def resident():
    return int(re.search(r"VmData:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

if sys.argv[1] == "arena":
    return_large_blocks()
bytearray(8 << 20)  # freed: from here on glibc takes smaller blocks from the heap
before = resident()
blocks = [(bytearray(4 << 20), bytearray(100_000)) for _ in range(16)]
kept = [small for _, small in blocks]
del blocks
print((resident() - before) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and glibc")
def test_large_blocks_go_back_to_the_system():
    """64 MiB of them, between small ones that stay; without the arena's word they are kept."""
    held = {}
    for mode in ("arena", "plain"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, mode], capture_output=True, text=True, check=True
        )
        held[mode] = int(done.stdout)
    assert held["arena"] < 8
    if platform.libc_ver()[0] == "glibc":
        assert held["plain"] > 32


SEARCHES = """
import gc, weakref
from lanista import system

class Node:
    pass

def search():
    gc.collect()
    return sum(isinstance(each, Node) for each in gc.get_objects()), gone() is None

system.SEARCHES = 5
system.search_new_objects()  # two searches
kept = [Node() for _ in range(100)]
one, other = Node(), Node()
one.other, other.other = other, one
gone = weakref.ref(one)
print(search())  # the third
del one, other
print(search(), search(), search())
"""


def test_objects_that_were_searched_for_garbage_are_searched_again_only_with_all_others():
    """Shown are how many objects the next search goes through, and whether the garbage is gone."""
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "(0, False)",
        "(0, False) (102, False) (0, True)",  # the fifth is followed by one of all
    ]


SIZES = """
import gc
from lanista import system

system.search_new_objects()
sizes = []
gc.callbacks.append(lambda phase, info: phase == "start" and sizes.append(len(gc.get_objects())))
kept = [[] for _ in range(100_000)]
print(max(sizes))
"""


def test_a_search_goes_through_few_new_objects():
    """By Python's own thresholds it would be 70,000 at a time, for which matches would wait."""
    done = subprocess.run([sys.executable, "-c", SIZES], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20_000
