"""Lanista: an arena for bots."""

__version__ = "0.1.0"
