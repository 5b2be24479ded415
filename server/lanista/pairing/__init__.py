"""Who meets whom, and when: the formats of tournaments, as state machines.

Names, draws and points alone: nothing here plays, stores, or reads a clock; `base` is the protocol.
"""
