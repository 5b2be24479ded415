"""Tournament formats as state machines: which bots meet, and in which order."""
