"""How processes that run for long give memory back to the system."""

import contextlib
import ctypes

M_MMAP_THRESHOLD = -3  # mallopt(3)
LARGE_BLOCK = 128 * 1024
"""The size in bytes above which a block of memory is large: glibc's own first threshold."""


def return_large_blocks() -> None:
    """Have the C library return large blocks of memory to the system as soon as they are freed.

    glibc takes blocks above a threshold from the system one by one, but raises the threshold to the
    largest block that was ever freed. From then on the buffers of floods, uploads and large records
    come from the heap, where small objects that stay keep the memory around them for good.
    """
    with contextlib.suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)
