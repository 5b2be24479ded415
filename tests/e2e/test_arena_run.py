"""`lanista arena run`: an arena that a file describes, as its operator and a bot meet it."""

import signal
from types import SimpleNamespace

from e2e.running import read

ARENA = """
port = 0
data = "data"
game = "angrymob"
hello_timeout = 0.5
page = { listen = "none" }
"""


def test_an_arena_runs_as_its_file_says_beside_its_file(start, peers, tmp_path):
    """Two bots play; a silent one is sent off in time; SIGTERM ends it."""
    folder = tmp_path / "arenas"
    folder.mkdir()
    (folder / "mine.toml").write_text(ARENA)
    arena = start("arena", "run", folder / "mine.toml")
    arena.until(lambda: "\n" in arena.out, "the arena says where it listens")
    assert arena.out.startswith("Lanista listens on 127.0.0.1:")
    assert 1 == arena.out.count("\n")
    there = SimpleNamespace(port=int(arena.out.rpartition(":")[2]))
    silent = peers(there)
    pair = [peers(there, f"{name} v=1 room=r") for name in ("Ann", "Bob")]
    for peer in pair:
        peer.until("go")
    assert silent.rest().startswith("error hello-timeout no complete hello within 0.5 s")
    for peer in pair:
        peer.leave()
    records = folder / "data" / "records"
    arena.until(lambda: list(records.glob("*/*.jsonl.gz")), "the record is complete")
    (record,) = records.glob("*/*.jsonl.gz")
    assert "angrymob" == read(record).header.game
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait()
