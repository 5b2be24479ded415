"""One file that several processes have open, and one process twice."""

from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.names import NameStore, Registrar
from results.waiting import output_of

LOOK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("select * from names").fetchall())
connection.close()
"""


def test_what_is_written_after_a_second_opening_is_there_for_others(tmp_path):
    """An arena has its database open twice, for its ladders and for its page.

    SQLite's locks are those of the process: closing any other descriptor of the file would give
    them up. Then whoever opens it elsewhere and leaves takes itself for the last one and removes
    the log, into which the arena goes on writing: all of that would be lost.
    """
    data = DataFolder(tmp_path / "data")

    with Database.of_arena(data) as database:
        names = NameStore(database)
        names.register("Ada", "hash", Registrar.ITSELF)
        Database.of_arena(data).close()
        assert "Ada" in output_of("-c", LOOK, data.database)
        names.register("Bob", "hash", Registrar.ITSELF)
        assert "Bob" in output_of("-c", LOOK, data.database)
