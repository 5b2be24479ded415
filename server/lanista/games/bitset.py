"""Sets of small numbers as the bits of one integer: cells of the four-player games."""

_HALVES = tuple(
    (span, (1 << span) - 1) for span in (2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1)
)


def nth_member(members: int, n: int) -> int:
    """Return the n-th number of a set, counted from 0 and ascending; all must be below 4096."""
    number = 0
    for span, mask in _HALVES:
        low = members & mask
        count = low.bit_count()
        if n < count:
            members = low
        else:
            n -= count
            members >>= span
            number += span
    return number
