"""One match in its nursery: connections, the fair clock, the runner, the record.

Names no game: rules come as a `lanista.rules.base.Ruleset`. Listening, lobbies and processes
are elsewhere.
"""
