"""The fixture of tests/e2e with which programs end with their test."""

from e2e.conftest import started  # noqa: F401
