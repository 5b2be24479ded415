"""How a database is called in what people read: never with its password."""

from pathlib import Path

import pytest

from lanista.results.engines import where_of


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Path("/x/cup.db"), "/x/cup.db"),
        ("postgresql://me:secret@host:5432/cup", "postgresql://me@host:5432/cup"),
        ("postgresql+psycopg://me:secret@host/cup", "postgresql://me@host/cup"),
        ("postgresql:///cup?host=127.0.0.1&password=top@secret", "postgresql:///cup"),
        ("postgresql://me:se@cret@host/cup", "a database whose URL can't be read"),
        ("postgresql://[secret", "a database whose URL can't be read"),
    ],
    ids=str,
)
def test_a_database_is_told_without_its_password(target, shown):
    assert shown == where_of(target)
