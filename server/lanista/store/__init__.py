"""The results of a tournament or a ladder, in a database: an SQLite file, or PostgreSQL by URL.

Only facts are stored, a tournament's block by block and a ladder's match by match; every total is
derived by whoever reads them. This package knows no game, runs no match and starts no bot.
"""
