"""Copies of an arena: what is in them, and what is refused."""

import errno
import os
from pathlib import Path

import attrs
import pytest

from lanista.arena.backup import back_up
from lanista.arena.spec import ArenaSpec
from lanista.errors import BadInputError, StoreError
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.names import NameStore, Registrar

SPEC = ArenaSpec(data="data")
DAY = Path("records", "2026-01-01")


@pytest.fixture
def file(tmp_path):
    """The file of an arena that has a ladder and a name, and runs."""
    data = tmp_path / "arena" / "data"
    (data / DAY).mkdir(parents=True)
    for name in ("a.jsonl.gz", "b.jsonl.gz.part", "c.jsonl.gz.tmp"):
        (data / DAY / name).write_text(name)
    (data / DAY / "away.jsonl.gz").symlink_to("/etc/passwd")
    (data / DAY / "a-seat-0").mkdir()
    (data / DAY / "a-seat-0" / "about.txt").touch()
    (data / "control.sock").touch()
    path = tmp_path / "arena" / "mine.toml"
    path.write_text('data = "data"')
    with Database.of_arena(DataFolder(data)) as database, database.lock():
        NameStore(database).register("Ann", "hash", Registrar.OPERATOR)
        yield path


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_is_complete_is_copied(file, tmp_path):
    """The database by its content, though the newest of it is in the write-ahead log."""
    made = back_up(SPEC, file, tmp_path / "copy")
    assert (tmp_path / "copy" / "data", True, 2) == (made.data, made.has_database, made.files)
    assert [
        "data/lanista.db",
        f"data/{DAY}/a-seat-0/about.txt",
        f"data/{DAY}/a.jsonl.gz",
        "mine.toml",
    ] == files(tmp_path / "copy")
    with Database.of_arena(DataFolder(made.data), create=False) as database:
        assert ["Ann"] == [name.name for name in NameStore(database).names()]
    assert 0o700 == (tmp_path / "copy").stat().st_mode & 0o777
    assert 0o600 == (made.data / "lanista.db").stat().st_mode & 0o777
    assert ["arena", "copy"] == sorted(path.name for path in tmp_path.iterdir())


def test_a_data_folder_elsewhere_becomes_one_of_the_copy(file, tmp_path):
    """Running the copy must not use what was copied."""
    for name, data in (("one", str(file.parent / "data")), ("two", "../arena/data")):
        made = back_up(attrs.evolve(SPEC, data=data), file, tmp_path / "copies" / name)
        assert made.data.is_relative_to(tmp_path / "copies")
        assert made.has_database


def test_on_another_disk_records_are_copied(file, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", fail)
    made = back_up(SPEC, file, tmp_path / "copy")
    assert "a.jsonl.gz" == (made.data / DAY / "a.jsonl.gz").read_text()


def test_an_arena_without_a_file_of_its_own(file, tmp_path):
    """It may have stored nothing yet, or everything in PostgreSQL."""
    (file.parent / "data" / "lanista.db").unlink()
    made = back_up(attrs.evolve(SPEC, store="postgresql://h/n"), file, tmp_path / "copy")
    assert (False, 2) == (made.has_database, made.files)


def test_what_is_refused(file, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").touch()
    with pytest.raises(BadInputError, match=r"full: exists already, and isn't an empty folder"):
        back_up(SPEC, file, full)
    with pytest.raises(BadInputError, match=r"within the data folder"):
        back_up(SPEC, file, file.parent / "data" / "copy")
    with pytest.raises(BadInputError, match=r"file/copy.part: Not a directory"):
        back_up(SPEC, file, full / "file" / "copy")
    (tmp_path / "copy.part").mkdir()
    with pytest.raises(BadInputError, match=r"copy.part: File exists"):
        back_up(SPEC, file, tmp_path / "copy")
    assert ["copy.part", "file"] == [tmp_path.joinpath("copy.part").name, *files(full)]


@pytest.mark.parametrize("name", ["", "lanista.db", "records", "submissions"])
def test_a_copy_that_would_lack_what_is_on_an_absent_disk_is_not_made(file, tmp_path, name):
    place = tmp_path / "arena" / "data" / name
    if place.exists():
        place.rename(tmp_path / "elsewhere")
    place.symlink_to("/media/absent")
    with pytest.raises(BadInputError, match=f"{place}: a link to nothing; is its disk mounted"):
        back_up(SPEC, file, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_copy_that_would_lack_records_which_cannot_be_listed_is_not_made(file, tmp_path):
    records = file.parent / "data" / "records"
    records.rename(tmp_path / "moved")
    records.touch()
    with pytest.raises(BadInputError, match="records: Not a directory"):
        back_up(SPEC, file, tmp_path / "copy")
    records.unlink()
    assert 0 == back_up(SPEC, file, tmp_path / "copy").files


def test_a_copy_that_fails_leaves_nothing(file, tmp_path, monkeypatch):
    empty = tmp_path / "empty"
    empty.mkdir()

    def fail(*_):
        raise StoreError("the disk is full")

    monkeypatch.setattr(Database, "backup", fail)
    with pytest.raises(StoreError):
        back_up(SPEC, file, empty)
    assert ["arena", "empty"] == sorted(path.name for path in tmp_path.iterdir())
    assert [] == list(empty.iterdir())


def test_a_full_disk_is_told_of_where_the_copy_is_made(file, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    for how in "sendfile", "copy_file_range":  # depending on Python's version
        monkeypatch.setattr(os, how, full)
    with pytest.raises(BadInputError, match=r"copy.part/mine.toml: No space left on device"):
        back_up(SPEC, file, tmp_path / "copy")
