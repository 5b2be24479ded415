"""The fixtures of tests/e2e: daemons, scripted bots and programs that end with their test."""

from e2e.conftest import join, lanista, peers, serve, start, started  # noqa: F401
