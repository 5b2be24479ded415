"""Tournament formats as state machines: which bots meet, and in which order.

They work on names, openings and points alone. Nothing here plays, stores, or reads a clock. `base`
has what every format implements.
"""
