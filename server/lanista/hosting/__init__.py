"""Who connects and where they sit: the handshake, bots that are started, and hosting a match.

`lanista play`, `lanista check`, the workers of tournaments and the arena all seat bots here.
"""
