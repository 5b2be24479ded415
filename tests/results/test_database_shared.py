"""One file that several processes have open, and one process twice."""

import subprocess
import sys

from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.names import NameStore, Registrar

LOOK = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("select * from names").fetchall())
"""


def test_what_is_written_after_a_second_opening_is_there_for_others(tmp_path):
    """An arena has its database open twice, for its ladders and for its page.

    SQLite's locks are those of the process: closing any other descriptor of the file would give
    them up. Then whoever opens it elsewhere and leaves takes itself for the last one and removes
    the log, into which the arena goes on writing: all of that would be lost.
    """
    data = DataFolder(tmp_path / "data")

    def names_seen():
        looked = subprocess.run(
            [sys.executable, "-c", LOOK, data.database], capture_output=True, text=True, check=True
        )
        return looked.stdout

    with Database.of_arena(data) as database:
        names = NameStore(database)
        names.register("Ada", "hash", Registrar.ITSELF)
        Database.of_arena(data).close()
        assert "Ada" in names_seen()
        names.register("Bob", "hash", Registrar.ITSELF)
        assert "Bob" in names_seen()
