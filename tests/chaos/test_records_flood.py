"""Bots that flood what is recorded of them, and large records at the arena's end."""

import contextlib
import signal
import threading
import time

import pytest
import trio
from structlog.testing import capture_logs

from e2e.running import Daemon, Peer, lines_of, read
from lanista.arena import arena as arena_module
from lanista.arena.arena import Arena
from lanista.games import registry
from lanista.match import record_writer as writer_module
from lanista.match.replay import verify
from lanista.match.turn_lines import LOG_KEPT, LOG_OVER
from support.arenas import arena_options

pytestmark = pytest.mark.one_user

TURNS = 150
LOG = b"#\x01" * 8000 + b"\n"
"""56,000 bytes of a record in 16,001 from a bot."""
BLANKS = b" " * 65_000 + b"\n"


def flood(peer):
    """Send logs and blanks for as long as somebody takes them."""
    with contextlib.suppress(OSError):
        while True:
            peer.socket.sendall(LOG + BLANKS)


def drain(peer):
    with contextlib.suppress(OSError):
        while peer.socket.recv(65_536):
            pass


def test_a_flooding_pair_fills_no_disk_and_delays_no_end(tmp_path, started):
    """What is kept of a match is bounded, and SIGTERM still ends the arena within 5 s."""
    daemon = started(Daemon(tmp_path, "--map", "pit", "--no-clock"))
    peers = [Peer(daemon.port, f"{name} v=1") for name in ("Ann", "Bob")]
    threads = []
    for peer in peers:
        peer.until("go")
        threads += [threading.Thread(target=work, args=(peer,)) for work in (flood, drain)]
    for thread in threads:
        thread.start()
    try:
        daemon.until(
            lambda: any(lines_of(path) > TURNS for path in daemon.data.rglob("*.part")),
            f"{TURNS} turns of the flood",
        )
        (part,) = daemon.data.rglob("*.part")
        turns, size = lines_of(part), part.stat().st_size
        assert 2 * 3_000_000 < size < 2 * LOG_KEPT + 1000 * (turns + 100)
        began = time.monotonic()
        daemon.signal(signal.SIGTERM)
        assert 0 == daemon.wait()
        assert 5 > time.monotonic() - began
    finally:
        daemon.end()
        for thread in threads:
            thread.join()
        for peer in peers:
            peer.leave()
    (path,) = daemon.records()
    record = read(path)
    assert "interrupted" == record.result.reason
    assert len(record.turns) == verify(record, registry.get("angrymob"))
    assert {""} == {answer for turn in record.turns for answer in turn.raw}
    for seat in "01":
        logs = [turn.logs.get(seat) for turn in record.turns]
        assert LOG_OVER in logs
        assert {None} == set(logs[logs.index(LOG_OVER) + 1 :])


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
    with capture_logs() as logs, trio.fail_after(60):
        arena = Arena(options_in(tmp_path))
        host, port = await arena.connections.listen()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(arena.serve)
            for name in ("Ann", "Bob"):
                nursery.start_soon(play, host, port, name)
            await compressing.wait()
            arena.shut_down()
    assert "no time to compress a record" in {line["event"] for line in logs}
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


def options_in(folder):
    ruleset = registry.get("angrymob")
    return arena_options(ruleset, port=0, data=folder, settings={"move_limit": 2})


async def play(host, port, name):
    """Answer every request with no submoves."""
    async with await trio.open_tcp_stream(host, port) as stream:
        await stream.send_all(f"{name} v=1\n\n\n".encode())
        async for _ in stream:
            pass
