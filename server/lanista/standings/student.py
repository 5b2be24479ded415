"""Student's distribution, as far as 95 % intervals need it."""

NORMAL = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""
_FEW_DEGREES = (12.706204736174694, 4.302652729749462, 3.1824463052837078)


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution, exact to at least three decimals.

    The expansion is formula 26.7.5 of Abramowitz and Stegun; below four degrees it isn't good
    enough.

    Args:
        freedom: The degrees of freedom, at least 1.
    """
    if freedom <= len(_FEW_DEGREES):
        return _FEW_DEGREES[freedom - 1]
    z, n = NORMAL, float(freedom)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )
