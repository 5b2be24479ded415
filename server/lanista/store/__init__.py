"""The database of a tournament's results: SQLite beside the spec, or PostgreSQL by URL.

Only facts are stored, block by block; every total is derived by whoever reads them. This package
knows no game, runs no match and starts no bot.
"""
