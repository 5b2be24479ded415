"""What the client's tests share."""

import pytest


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    """The environment says nothing of an arena unless a test does."""
    for name in ("HOST", "PORT", "NAME", "TOKEN", "TLS", "TLS_CA", "QUIET"):
        monkeypatch.delenv(f"LANISTA_{name}", raising=False)
