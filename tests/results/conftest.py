"""Databases to test on: each test that takes `empty`, `target` or `store` runs on both kinds."""

import itertools
import shutil

import pytest

from lanista.results.database import Store
from lanista.results.schema import METADATA
from results import postgres

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server():
    """The folder of a PostgreSQL server's socket."""
    with postgres.server() as folder:
        yield folder


@pytest.fixture(scope="session")
def new_schema(server):
    """A function that gives the URL of an empty PostgreSQL schema, which is quicker to make."""
    import psycopg

    def make():
        name = f"cup{next(_numbers)}"
        with psycopg.connect(postgres.url(server, "postgres")) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return postgres.url(server, "postgres", schema=name)

    return make


@pytest.fixture
def arena_url(server):
    """The URL of an empty database, as an arena's schema has a fixed name."""
    import psycopg

    name = f"arena{next(_numbers)}"
    with psycopg.connect(postgres.url(server, "postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.url(server, name)


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "migrated.db"
    Store.open(path).close()
    return path


@pytest.fixture(scope="session")
def migrated_schema(new_schema):
    url = new_schema()
    Store.open(url).close()
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request):
    return request.param


@pytest.fixture
def empty(request, kind, tmp_path):
    """A path, or URL, where no tournament is yet."""
    if kind == "sqlite":
        return tmp_path / "cup.db"
    return request.getfixturevalue("new_schema")()


@pytest.fixture
def target(request, kind, tmp_path):
    """A path, or URL, of a database in which nothing is stored."""
    if kind == "sqlite":
        made = request.getfixturevalue("migrated_file")
        return shutil.copyfile(made, tmp_path / "cup.db")
    import psycopg

    url = request.getfixturevalue("migrated_schema")
    with psycopg.connect(url) as connection:
        connection.execute(f"TRUNCATE {', '.join(METADATA.tables)}")
        connection.execute("INSERT INTO changes VALUES (0)")
        connection.execute("INSERT INTO competitions VALUES (1, 'tournament', '', '')")
    return url


@pytest.fixture
def store(target):
    with Store.open(target) as opened:
        yield opened
