"""`lanista arena run`: an arena that a file describes, as its operator and a bot meet it."""

import contextlib
import json
import os
import signal

from e2e.running import FileArena, Program, command

RELOADED = """
port = 0
game = "angrymob"
max_connections = {most}
drain = 3600
log_format = "json"
workers = {workers}
page = {{ listen = "none" }}
"""
FEW_FILES = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000))"


def test_an_arena_reads_its_file_again_and_drains(started, peers, pair, tmp_path):
    """SIGHUP: new limits hold, a wrong file changes nothing. SIGTERM: running matches end first.

    Workers play them, as they do in large arenas; what they log is among the arena's own lines,
    and so is that the system allows too few open files.
    """
    text = RELOADED.format(most=1000, workers=2)
    arena = started(FileArena(tmp_path, text, change=FEW_FILES))
    file = tmp_path / "arena.toml"
    file.write_text(RELOADED.format(most=0, workers=2))
    arena.signal(signal.SIGHUP)
    arena.until(lambda: "nothing is changed" in arena.err, "the file is refused")
    assert "max_connections: 0; expected at least 1" in arena.err
    file.unlink()
    os.mkfifo(file)  # nothing ever writes to it
    arena.signal(signal.SIGHUP)
    arena.until(lambda: "a named pipe" in arena.err, "the pipe is refused")
    file.unlink()
    file.write_text(RELOADED.format(most=3, workers=1))
    arena.signal(signal.SIGHUP)
    arena.until(lambda: "was read again" in arena.err, "the file is read")
    assert ["workers"] in [json.loads(line).get("keys") for line in arena.err.splitlines()]
    ada, bob = pair(arena)
    waiting = peers(arena, "Cem v=1")
    waiting.until("wait")
    assert peers(arena, "Dil v=1").rest().startswith("error server-full already 3 connections")
    arena.signal(signal.SIGTERM)
    assert "error shutdown" in waiting.rest()
    assert "error shutdown" in peers(arena, "Eve v=1").rest()
    ada.leave()
    bob.say("\n")
    assert "error" not in bob.rest()
    assert 0 == arena.wait()
    match = arena.record_with("Ada")
    assert "aborted" != match.result.end
    log = {line["event"]: line for line in map(json.loads, arena.err.splitlines())}
    few = log["fewer connections are possible"]
    assert few["at_once"] < few["wanted"] == 1000
    assert "the system allows 1000 open files (ulimit -Hn)" in few["why"]
    assert ["timestamp", "level", "event", "match"] == list(log["match begins"])[:4]
    assert log["match begins"]["worker"] in {1, 2}
    assert match.header.match == log["match begins"]["match"] == log["match ends"]["match"]
    assert ("Eve", "shutdown") == (log["refused"]["name"], log["refused"]["code"])
    assert log["ended"]["timestamp"].endswith("Z")


def test_sighup_while_an_arena_starts_does_not_end_it(started, tmp_path):
    """It has only begun to read its file, a pipe into which nothing was written yet."""
    os.mkfifo(tmp_path / "arena.toml")
    arena = started(Program(command("arena", "run", "arena.toml"), tmp_path))
    writing = []

    def is_read():
        with contextlib.suppress(OSError):  # nobody has opened it
            writing[:] = [os.open(tmp_path / "arena.toml", os.O_WRONLY | os.O_NONBLOCK)]
        return writing

    arena.until(is_read, "the file is read")
    arena.signal(signal.SIGHUP)
    with os.fdopen(*writing, "w") as file:
        file.write(RELOADED.format(most=1000, workers=1))
    arena.until(lambda: "listens on" in arena.out, "the arena listens")
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait()
