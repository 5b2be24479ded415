"""The cores that this process may use, which can be fewer than the machine has."""

import os


def usable_cores() -> list[int]:
    """Return the numbers of the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
