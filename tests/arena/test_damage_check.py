"""Large databases of ladders, in which damage is looked for while the arena runs already."""

import os

import pytest
import trio

from lanista.arena import server
from lanista.arena.ladders import damage_check
from lanista.arena.ladders.damage_check import damage_of
from lanista.arena.ladders.room import LadderRoom
from lanista.arena.server import CannotOpenError, serve
from lanista.arena.spec import LadderSpec
from lanista.hosting.control import RunningMatches
from lanista.results.data_folder import DataFolder
from lanista.rules import registry
from lanista.store.damage import damage
from lanista.store.database import Store
from lanista.store.errors import StoreError
from store.samples import block
from support.arenas import arena_options
from support.processes import children_of

PATIENCE = 60
SPEC = LadderSpec(name="pit", game="angrymob")


@pytest.fixture
def path(tmp_path):
    """A ladder's database, in the place where an arena has it."""
    path = tmp_path / "ladders" / "pit.db"
    path.parent.mkdir()
    with Store.open(path) as store:
        store.add_matches([block(number) for number in range(20)])
    return path


def change(path):
    """Change a name as a bit that flips on the disk does; the database's structure stays right."""
    data = path.read_bytes()
    path.write_bytes(data.replace(b'["Ant", "Bee"]', b'["Ant", "Bef"]', 1))


def test_a_database_in_use_is_whole_until_it_is_damaged(path):
    with Store.open(path) as store:
        store.add_matches([block(20)])
        assert "" == damage(path)
    change(path)
    with Store.open(path, check=False):
        found = damage(path)
    assert "pit.db: damaged (block " in found
    assert found.isprintable()
    path.write_bytes(b"no database" * 1000)
    assert "no SQLite database, or damaged at its start" in damage(path)


async def test_damage_is_found_by_another_process(path):
    """If the caller gives up, the process ends."""
    change(path)
    before = children_of(os.getpid())
    with Store.open(path, check=False):
        with trio.fail_after(PATIENCE):
            assert "damaged (block " in await damage_of(path)
        with trio.move_on_after(0.001):
            await damage_of(path)
    assert before == children_of(os.getpid())


def test_a_large_database_is_not_looked_at_before_the_arena_starts(path, monkeypatch):
    change(path)
    monkeypatch.setattr(damage_check, "LARGE", path.stat().st_size)
    folder = path.parent.parent
    room = LadderRoom.open(SPEC, folder, DataFolder(folder), None, RunningMatches())
    room.close()
    assert path == room.unchecked
    monkeypatch.setattr(damage_check, "LARGE", path.stat().st_size + 1)
    with pytest.raises(StoreError, match="damaged"):
        LadderRoom.open(SPEC, folder, DataFolder(folder), None, RunningMatches())


async def test_an_arena_ends_when_its_database_turns_out_to_be_damaged(path, monkeypatch):
    """By a message like that of one that doesn't start."""

    async def found(asked):
        assert path == asked
        return "pit.db: damaged"

    monkeypatch.setattr(damage_check, "LARGE", 0)
    monkeypatch.setattr(server, "damage_of", found)
    data = path.parent.parent
    options = arena_options(
        registry.get("angrymob"), port=0, data=data, ladders=(SPEC,), folder=data
    )
    with trio.fail_after(PATIENCE), pytest.raises(CannotOpenError, match=r"pit\.db: damaged"):
        await serve(options, lambda *_: None)
