"""Playing one match: its connections, the fair clock, the runner and the record.

No game is named here: the rules come as a `lanista.games.base.Ruleset`. Listening sockets, lobbies
and processes are the business of other packages.
"""
