"""Where the results of tournaments lie: a database, SQLite beside the spec or PostgreSQL by URL.

Only facts are stored, block by block; every total is derived by who reads them. No game, no match
and no bot is known here.
"""
