"""Lanista from Python: playing matches and reading records; see docs/python.md.

The public names are those of `lanista` itself; its table says which module each comes from. No
match is run here: bots are seated and matches are played by `lanista.hosting` and
`lanista.competition`, as the commands have it.
"""
