"""Lanista from Python: playing matches and reading records; see docs/python.md."""
