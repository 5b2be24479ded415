"""The fixtures of tests/e2e: daemons, scripted bots and programs that end with their test."""

from e2e.conftest import join, lanista, new_folder, peers, serve, start, started  # noqa: F401
