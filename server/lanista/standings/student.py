"""Student's distribution, as far as 95 % intervals need it."""

from lanista.standings.numerics import Floats

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


def student(freedom: Floats) -> Floats:
    """Return the 97.5 % quantile of Student's distribution.

    The expansion is formula 26.7.5 of Abramowitz and Stegun; it is 1 % too low for two degrees of
    freedom, 0.2 % for three, and nearly exact from there on.

    Args:
        freedom: The degrees of freedom, at least 2; they need not be whole.
    """
    z, n = NORMAL, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )
