"""Arguments of every kind for public functions, which take them or raise a `LanistaError`."""

import math
from pathlib import Path

import lanista

VALUES = [
    *(None, True, -1, 0, 7, 2**70, 10**400, 1.5, math.nan, math.inf, object(), print, Path("/")),
    *("", "x", "\0", "a\nb", "seat_1", b"x", [], [None], [[7]], ["x", 7], {}, {"x": 1}, {1: "x"}),
]


def try_all(function, others, argument):
    """Give every value for one argument."""
    for value in VALUES:
        try:
            function(**{**others, argument: value})
        except lanista.LanistaError as error:
            assert str(error)  # noqa: PT017 - or there may be no error
        except Exception as error:
            raise AssertionError(f"{argument}={value!r}") from error
