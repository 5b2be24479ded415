"""The games: pure rules, found by name through entry points.

No socket, no clock, no file, no wire format of lines lives here or below: a ruleset gets
numbers and chance as arguments and gives facts as bytes. See `base` for the interface.
"""
