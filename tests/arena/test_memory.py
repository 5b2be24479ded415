"""What an arena does not keep: the memory of large blocks that were freed."""

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
