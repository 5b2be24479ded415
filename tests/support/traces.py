"""Traces of the original programs as cases of a test: which of them only a long run looks at."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def some_always(names: Iterable[str], *always: str) -> Sequence[Any]:
    """All these traces as cases, of which only some are run always; the others are long.

    For questions that one trace answers as well as eight: every trace is compared as a whole,
    byte for byte, by `games/test_traces.py`.
    """
    return [
        name if name in always else pytest.param(name, marks=pytest.mark.long) for name in names
    ]
