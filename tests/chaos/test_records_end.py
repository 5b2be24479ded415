"""Large records at the arena's end."""

import errno
import time

import pytest
import trio
from structlog.testing import capture_logs

from e2e.running import read
from lanista.arena import arena as arena_module
from lanista.arena.arena import Arena
from lanista.games import registry
from lanista.match import record_writer as writer_module
from support.arenas import arena_options

pytestmark = pytest.mark.one_user


async def test_an_end_with_records_too_large_to_compress(tmp_path, monkeypatch):
    """They stay in their `.part` files, results and all; the next arena completes them."""
    compressing = trio.Event()
    plain = writer_module._chunks

    def never(source, length, last):
        trio.from_thread.run_sync(compressing.set)
        while True:
            trio.from_thread.check_cancelled()
            time.sleep(0.001)

    monkeypatch.setattr(writer_module, "_chunks", never)
    monkeypatch.setattr(arena_module, "SHUTDOWN_TIME", 0.2)
    with capture_logs(), trio.fail_after(60):
        arena = Arena(options_in(tmp_path))
        await arena.connections.listen()
        host, port = arena.connections.address
        async with trio.open_nursery() as nursery:
            nursery.start_soon(arena.serve)
            for name in ("Ann", "Bob"):
                nursery.start_soon(play, host, port, name)
            await compressing.wait()
            arena.shut_down()
    (part,) = tmp_path.rglob("*.part")
    assert "finished" == read(part).result.end
    assert [] == [*tmp_path.rglob("*.tmp"), *tmp_path.rglob("*.gz")]

    monkeypatch.setattr(writer_module, "_chunks", plain)
    with capture_logs(), trio.fail_after(60):
        arena = Arena(options_in(tmp_path))
        await arena.connections.listen()
        told = trio.Event()
        arena.running.on_end = lambda *_: told.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(arena.serve)
            await told.wait()
            arena.shut_down()
    (path,) = tmp_path.rglob("*.gz")
    assert {path.name.split(".")[0]: path} == arena.running.ended
    assert "finished" == read(path).result.end
    assert [] == list(tmp_path.rglob("*.part"))


async def test_a_record_for_which_there_was_no_room_is_completed_when_there_is(
    tmp_path, monkeypatch
):
    """With room for little on the disk, the record waited for the next start of the arena."""
    full, plain = [OSError(errno.ENOSPC, "No space left on device")], writer_module._chunks

    def full_once(*about):
        if full:
            raise full.pop()
        return plain(*about)

    monkeypatch.setattr(writer_module, "_chunks", full_once)
    with capture_logs(), trio.fail_after(60):
        arena = Arena(options_in(tmp_path))
        await arena.connections.listen()
        host, port = arena.connections.address
        told = trio.Event()
        arena.running.on_end = lambda _, record: record and told.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(arena.serve)
            for name in ("Ann", "Bob"):
                nursery.start_soon(play, host, port, name)
            await told.wait()
            arena.shut_down()
    (path,) = tmp_path.rglob("*.gz")
    assert "finished" == read(path).result.end
    assert [] == list(tmp_path.rglob("*.part"))


def options_in(folder):
    ruleset = registry.get("angrymob")
    return arena_options(ruleset, port=0, data=folder, settings={"move_limit": 2})


async def play(host, port, name):
    """Answer every request with no submoves."""
    async with await trio.open_tcp_stream(host, port) as stream:
        await stream.send_all(f"{name} v=1\n\n\n".encode())
        async for _ in stream:
            pass
