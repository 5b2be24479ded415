"""`make soak` itself, in seconds: that it works, not what it measures."""

import signal
import sys
from pathlib import Path

import pytest

from e2e.running import Program


@pytest.mark.long
def test_a_short_soak_breaks_no_promise(tmp_path):
    """Six tables beside every kind of hostile peers; then the end, and the list again."""
    script = Path(__file__).with_name("run.py")
    words = [sys.executable, str(script), "--seconds", "8", "--tables", "6"]
    soak = Program(words, tmp_path / "soak")
    try:
        assert 0 == soak.wait(), soak.out + soak.err
    finally:
        if soak.process.poll() is None:
            soak.signal(signal.SIGTERM)  # it ends what it has started
            soak.process.wait()
    assert "'finished': " in soak.out
