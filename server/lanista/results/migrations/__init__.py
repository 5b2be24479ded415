"""How databases come to their tables, step by step, by alembic.

A new step is a file in `versions`, written by hand after the last one's form; a step that was
released never changes. They are run by `lanista.results.migrate`; no `alembic.ini` is needed.
"""
