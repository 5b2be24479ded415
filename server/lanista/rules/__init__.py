"""The games: pure rules, found by name through entry points.

This package knows no socket, no clock, no file and no line of the wire but the facts: a ruleset
gets numbers and chance as arguments and returns its facts as bytes. The interface is in `base`.
"""
