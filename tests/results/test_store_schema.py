"""The tables: what a new database has and migrations make, and which databases are refused."""

import sqlite3

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from lanista.errors import StoreError
from lanista.results import base, migrations
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.schema import METADATA, VERSION_TABLE
from results.samples import asking, block, stored
from results.waiting import output_of

FIRST = {
    "barred": "key ladder name since",
    "benched": "competition bot number failures",
    "blocks": "number competition id bots",
    "bots": "competition name identity since",
    "changes": "count",
    "competitions": "number kind name game",
    "matches": "number competition id block seating attempt seed map started ended committed "
    "termination reason ranks scores turns digest seconds stall record",
    "meta": "competition key value",
    "names": "key name token_hash registrar registered seen",
    "ratings": "competition taken bot rating low high",
    "seats": "match seat competition bot ending words late malformed illegal gone",
    "snapshots": "competition taken",
    "struck": "competition bot number",
    "unbenched": "competition bot number",
}
"""The tables of the first version, each with its columns."""


def execute(target, *statements):
    """Run statements by the plain driver, as another program would."""
    if not isinstance(target, str):
        connection = sqlite3.connect(target)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        return
    import psycopg

    with psycopg.connect(target) as connection:
        for statement in statements:
            connection.execute(statement)


def test_partial_indexes_are_partial(empty):
    """In both kinds of database: the schema has their conditions only for SQLite."""
    with Store.open(empty) as store, store.database.reading() as connection:
        if store.database.is_shared:
            texts = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()"
        else:
            texts = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        made = dict(connection.exec_driver_sql(texts).all())
    partial = {name for name, text in made.items() if " WHERE " in text}
    assert {"ix_matches_block", "ix_matches_id", "ix_matches_seed", "ix_seats_failed"} == partial


def test_who_reads_a_file_loads_nothing_of_postgresql(migrated_file):
    """To load it takes each command and process of an arena some 30 ms."""
    code = (
        "import sys; from lanista.results.database import Store; Store.open(sys.argv[1]).close();"
        "assert not [name for name in sys.modules if 'postgresql' in name or 'alembic' in name]"
    )
    output_of("-c", code, migrated_file)


def test_a_database_of_the_first_version_is_brought_up_to_date(empty):
    """It gets the tables of a new one, types and defaults too; what is stored stays.

    It is a new database without what came later, so whatever has no migration is missing after it.
    """
    with Store.open(empty) as store:
        store.add([block(1)])
    tables = METADATA.sorted_tables
    execute(
        empty,
        *(f"DROP TABLE {table}" for table in reversed(tables) if table.name not in FIRST),
        *(
            f"ALTER TABLE {table} DROP COLUMN {column.name}"
            for table in tables
            for column in table.columns
            if table.name in FIRST and column.name not in FIRST[table.name].split()
        ),
        f"UPDATE {VERSION_TABLE} SET version_num = 'v1'",
    )
    with Store.open(empty, create=False) as store, store.database._engine.connect() as connection:
        assert migrations.is_current(connection)
        context = MigrationContext.configure(
            connection, opts={"compare_server_default": True, "version_table": VERSION_TABLE}
        )
        assert [] == compare_metadata(context, METADATA)
        assert [block(1)] == stored(store)


def test_a_database_whose_tables_are_not_known_is_refused(empty):
    Store.open(empty).close()
    execute(empty, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"written by a newer version of Lanista.*9999") as refused:
        Store.open(empty)
    assert 1 == len(str(refused.value).splitlines())


def test_another_programs_database_is_refused_and_left_alone(empty):
    execute(empty, "CREATE TABLE recipes (name TEXT)")
    for create in (True, False):
        words = "not a database of Lanista: it holds other tables, such as 'recipes'"
        with pytest.raises(StoreError, match=words):
            Store.open(empty, create=create)
    execute(empty, "INSERT INTO recipes VALUES ('soup')")
    if not isinstance(empty, str):
        connection = sqlite3.connect(empty)
        assert ("delete",) == connection.execute("PRAGMA journal_mode").fetchone()
        connection.close()


def test_an_empty_database_is_only_filled_when_that_is_wanted(empty):
    if not isinstance(empty, str):
        empty.touch()
    words = "empty; `lanista tournament run` or `lanista arena run` fills it"
    with pytest.raises(StoreError, match=words):
        Store.open(empty, create=False)
    with Store.open(empty) as store:
        assert [] == asking(store).played()


def test_no_reader_finds_a_tournament_s_tables_without_the_tournament(tmp_path, monkeypatch):
    """They are made in one transaction: else it would be taken for an arena's, and refused."""

    def competition_in(*_):
        raise StoreError("the disk is full")

    path = tmp_path / "cup.db"
    with monkeypatch.context() as patching:
        patching.setattr(base, "competition_in", competition_in)
        with pytest.raises(StoreError, match="the disk is full"):
            Store.open(path)
    with pytest.raises(StoreError, match=r"cup\.db: empty; `lanista tournament run` or"):
        Store.open(path, create=False)
    with Store.open(path) as store:
        assert [] == asking(store).played()


@pytest.mark.parametrize("create", [True, False])
def test_the_database_of_an_arena_is_none_of_a_tournament(tmp_path, create):
    """Nor does it become one."""
    data = DataFolder(tmp_path)
    Database.of_arena(data).close()
    with pytest.raises(StoreError, match=r"lanista\.db: the database of an arena, not of a tourn"):
        Store.open(data.database, create=create)
