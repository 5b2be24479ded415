"""Looks for damage in all of a SQLite database while others use it; a program of its own.

It takes half a minute for a ladder of a million matches, most of it Python's, so it is done in a
process of low priority: `python -m lanista.store.damage PATH`. That prints what is wrong in one
line and exits with 1, or prints nothing and exits with 0. It also exits when its input is closed,
so that it doesn't outlive whoever has started it.
"""

import os
import sys
import threading
from pathlib import Path

from lanista.store import checksums
from lanista.store.engines import ERRORS, sqlite_engine
from lanista.store.errors import damaged, sqlite_error

_NICENESS = 19
_LEFT = 3
"""The exit code if nobody waits for the answer any more."""


def damage(path: Path) -> str:
    """Return why a tournament's or ladder's database can't be trusted, in one line; "" if it can.

    Args:
        path: The database's file, with the tables of this version.
    """
    engine = sqlite_engine(path, "mode=ro")
    try:
        with engine.connect() as connection:
            detail = checksums.broken_pages(connection) or checksums.changed_values(connection)
    except ERRORS as error:
        return str(sqlite_error(path, getattr(error, "orig", error)))
    finally:
        engine.dispose()
    return str(damaged(path, detail)) if detail else ""


def _exit_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(_LEFT)


def main() -> None:
    """Check the file that is named on the command line."""
    threading.Thread(target=_exit_with_input, daemon=True).start()
    os.nice(_NICENESS)
    found = damage(Path(sys.argv[1]))
    if found:
        sys.stdout.write(found + "\n")
        sys.stdout.flush()
    # Not by `sys.exit`, which would wait for the thread's read.
    os._exit(1 if found else 0)


if __name__ == "__main__":
    main()
