"""Traces of the original programs, and cases of a test of which most are left to a long run."""

import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

TRACES = Path(__file__).parents[1] / "traces"


def unpacked_trace(name: str) -> bytes:
    """The content of a compressed match file, given by its path within `tests/traces`."""
    return gzip.decompress((TRACES / name).read_bytes())


def some_always(names: Iterable[str], *always: str) -> Sequence[Any]:
    """All these as cases, traces or games, of which only some are run always; the others are long.

    For questions that one trace answers as well as eight: every trace is compared as a whole,
    byte for byte, by `games/test_traces.py`.
    """
    return [
        name if name in always else pytest.param(name, marks=pytest.mark.long) for name in names
    ]
