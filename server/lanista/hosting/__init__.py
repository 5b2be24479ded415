"""Seating bots and hosting matches: the handshake, starting bots, and running a match to its end.

`lanista play`, `lanista check`, the workers of tournaments and the arena all use this package.
"""
