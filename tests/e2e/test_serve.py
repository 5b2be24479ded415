"""The daemon as its operator meets it: options, shutting down."""

import re
import signal
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from e2e.running import Program, command, read
from lanista.games import registry
from lanista.match.replay import verify


def test_after_so_many_matches_the_daemon_ends(serve, peers, pair, tmp_path):
    """`--matches N`: exit code 0; who still waits is told `error shutdown`.

    `--data DIR`: records are DIR/records/YYYY-MM-DD/MATCH.jsonl.gz, and no part is left.
    """
    today = datetime.now(UTC).date()
    daemon = serve(
        *("--matches", 2, "--data", tmp_path / "kept"),
        *("--move-limit", 1, "--no-clock", "-i", "pit"),
    )
    # Both have begun before one ends: else the pair of the first, which stays, plays the second.
    for peer in (*pair(daemon, "room=a keep=1"), *pair(daemon, "room=b keep=1")):
        peer.say("\n")
    third = peers(daemon, "Third room=c")
    assert "error shutdown the arena is shutting down\n" == third.rest()
    assert 0 == daemon.wait()
    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert {f"{read(path).header.match}.jsonl.gz" for path in files} == {
        path.name for path in files
    }
    for path in files:
        assert "records" == path.parents[1].name
        assert 1 >= abs((date.fromisoformat(path.parent.name) - today).days)
    assert 2 == len(files)


def test_manual_waits_for_enter_before_each_match(serve, peers):
    """`--start manual`: who has waited longest plays first; an Enter too early starts nothing."""
    daemon = serve(
        *("--start", "manual", "--move-limit", 1, "--no-clock", "-i", "pit"), stdin=subprocess.PIPE
    )

    def press_enter():
        daemon.process.stdin.write(b"\n")
        daemon.process.stdin.flush()

    press_enter()
    daemon.until(lambda: "no match is ready" in daemon.err, "Enter is heard and of no use yet")
    names = [("Ada", "a"), ("Bob", "a"), ("Cem", "b"), ("Dil", "b")]
    waiting = []
    for name, room in names:  # one after the other: that is the order of their hellos
        waiting.append(peers(daemon, f"{name} v=1 room={room}"))
        waiting[-1].until("wait")
    for peer in (waiting[0], waiting[2]):
        assert "wait 2 2" == peer.until("wait")[-1]
    daemon.until(lambda: "room=b" in daemon.err, "the second pair is ready")
    assert 2 <= daemon.err.count("ready: press Enter to start")
    assert "match begins" not in daemon.err
    for pair in (waiting[:2], waiting[2:]):
        press_enter()
        for peer in pair:
            assert peer.line().startswith("start ")
            peer.until("go")
            peer.say("\n")
        for peer in pair:
            assert peer.rest().endswith("bye\n")
            peer.leave()
    daemon.process.stdin.close()
    daemon.until(lambda: "standard input has ended" in daemon.err, "the end of stdin is noticed")
    daemon.signal(signal.SIGTERM)
    assert 0 == daemon.wait()


@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM],
    ids=lambda number: number.name,
)
def test_a_shutdown_ends_what_runs_and_what_waits(serve, peers, pair, join, number):
    """No new match, running ones get `error shutdown` and are recorded, exit code 0; even with
    bots that have stopped reading, one that waits, and one that hasn't said hello.
    """
    daemon = serve("--no-clock", "-i", "frontier")
    running = pair(daemon, "room=a keep=1")
    for peer in running:
        peer.say("\n")
    running[0].until("go")
    bots = [join(daemon, "stops_reading", "room=b", name=name) for name in ("Deaf", "Dumb")]
    waiting, silent = peers(daemon, "Waiting v=1 room=c"), peers(daemon)
    waiting.until("wait")
    # The two have answered twice: their match is in its third turn.
    daemon.until(
        lambda: any(path.read_bytes().count(b"\n") == 3 for path in daemon.data.rglob("*.part")),
        "the match of the bots that stop reading is in its third turn",
    )
    daemon.signal(number)
    assert 0 == daemon.wait()
    shutdown = "error shutdown the arena is shutting down\n"
    assert shutdown == running[0].rest()
    assert running[1].rest().endswith("go\n" + shutdown)
    assert (shutdown, shutdown) == (waiting.rest(), silent.rest())
    angrymob = registry.get("angrymob")
    for name, turns in [("Ada", 1), ("Deaf", 2)]:
        record = daemon.record_with(name)
        assert ("aborted", "interrupted") == (record.result.end, record.result.reason)
        assert turns == verify(record, angrymob)
    assert 2 == len(daemon.records())
    assert [] == list(daemon.data.rglob("*.part"))
    assert [None, None] == [bot.process.poll() for bot in bots], "they were to be there still"


def test_a_log_that_nobody_reads_ends_no_match(tmp_path, started, pair):
    """Who read stderr has gone, as with `lanista serve 2>&1 | head`."""
    options = ("--no-web", "--move-limit", 1, "--no-clock", "-i", "pit")
    words = command("serve", "--port", 0, *options)
    daemon = started(Program(["bash", "-c", 'exec "$@" 2> >(exit)', "bash", *words], tmp_path))
    daemon.until(lambda: daemon.out.endswith("\n"), "the daemon says where it listens")
    daemon.port = int(daemon.out.rpartition(":")[2])
    bots = pair(daemon)
    for bot in bots:
        bot.say("\n")
    for bot in bots:
        assert bot.rest().endswith("bye\n")
    daemon.signal(signal.SIGTERM)
    assert 0 == daemon.wait()
    (record,) = tmp_path.rglob("*.jsonl.gz")
    assert "move-limit" == read(record).result.reason


def test_a_daemon_without_stdin_serves_and_asks_for_the_files_that_it_needs(tmp_path, started):
    """`--start manual` then only says that it can't wait for Enter.

    Many systems allow a process 1024 files at first: too few for the default of connections.
    """
    options = ("--no-web", "--start", "manual", "--max-connections", 400)
    words = command("serve", "--port", 0, *options)
    program = Program(["sh", "-c", 'ulimit -Sn 256; exec "$@" <&-', "sh", *words], tmp_path / "run")
    started(program)
    program.until(lambda: "standard input has ended" in program.err, "stdin's end is noticed")
    limits = Path(f"/proc/{program.process.pid}/limits").read_text()
    soft, hard = re.search(r"Max open files +(\w+) +(\w+)", limits).groups()
    # A socket each, a record for each two, and some; all there are, as bots' descriptors count too.
    assert soft == hard
    program.signal(signal.SIGTERM)
    assert 0 == program.wait()
    assert "Traceback" not in program.err
