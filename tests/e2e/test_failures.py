"""Failure bundles, and feeding a bot its match again: what its author has when it lost."""

import errno
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from e2e.running import (
    BOTS,
    PATIENCE,
    Program,
    asked,
    bot,
    bot_words,
    command,
    read,
    stdio,
    wait_until,
    wait_until_gone,
)
from lanista.bots.process import start_bot
from lanista.games import registry
from lanista.hosting import host
from lanista.hosting.feeder import PATIENCE as PATIENCE_OF_FEEDER
from lanista.match.bundle import Failure, folder_of, write_bundles
from lanista.match.replay import payloads

OPPONENT = bot("version1")
BUNDLE = "match.seat0.failure"


def files(folder):
    """The names of all that a bundle has."""
    return sorted(path.name for path in folder.iterdir())


def sent(record, seat):
    """What a seat was told, turn by turn, by its record."""
    return list(payloads(read(record), registry.get("angrymob"), seat))


def fed_by_its_script(bundle, *words, cwd=None):
    """Run the script of a bundle with words; what it printed."""
    fed = subprocess.run(
        ["sh", bundle / "feed.sh", *words],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (0, "") == (fed.returncode, fed.stderr)
    return fed.stdout


@pytest.fixture
def unhurried(monkeypatch):
    """Bots have as long as they need to exit after a match; half a second isn't always enough."""

    def start(*given, **how):
        return start_bot(*given, **{**how, "grace": PATIENCE})

    monkeypatch.setattr("lanista.hosting.bot_pool.start_bot", start)


@pytest.fixture
def lost(lanista):
    """Play a match that this bot loses at seat 0; what was printed, and the bundle's folder."""

    def play(words, *options):
        done = lanista(
            *("play", "angrymob", words, OPPONENT, "-i", "pit", "-s", 3, "--move-limit", 9),
            *("--time-init", 60, "--time-move", 60, "--console", "-o", "match.jsonl", *options),
        )
        assert (0, "") == (done.code, done.err)
        done.bundle = done.folder / BUNDLE
        return done

    return play


@pytest.mark.usefixtures("unhurried")
def test_a_bundle_has_the_last_two_turns_and_feeds_the_bot_again(lost, tmp_path):
    """Byte for byte; its script needs no folder, no environment and no clock. A next match into the
    same record, which all end normally, leaves none: the record's bundles are the new match's.
    """
    done = lost(bot("illegal"))
    told_by_record = sent(done.folder / "match.jsonl", 0)
    assert (
        f"why: {BUNDLE}/about.txt\ncheck it: lanista check angrymob '{bot('illegal')}'\n"
        in done.out
    )
    assert [
        *("about.txt", "feed.sh", "output.txt", "times.json", "turn-1.answer", "turn-1.sent"),
        *("turn-2.answer", "turn-2.sent"),
    ] == files(done.bundle)
    assert told_by_record[1] == (done.bundle / "turn-1.sent").read_bytes()
    assert told_by_record[2] == (done.bundle / "turn-2.sent").read_bytes()
    assert b"-1 0 1 0\n" == (done.bundle / "turn-2.answer").read_bytes()
    times = json.loads((done.bundle / "times.json").read_text())
    record = read(done.folder / "match.jsonl")
    assert [(turn.turn, *turn.times[0]) for turn in record.turns[1:]] == [
        (turn["turn"], *(turn[f"{what}_us"] for what in ("handed", "earliest", "latest", "read")))
        for turn in times
    ]
    assert [60, 60] == [turn["limit_s"] for turn in times]
    about = (done.bundle / "about.txt").read_text()
    assert "turn 2, submove 0: illegal: (-1, 0) is outside the map" in about
    assert "its process exited with code 0" in about
    assert (
        "turn 2: '-1 0 1 0'\n"
        "in the match: '-1 0 1 0'\n"
        "  then, submove 0: illegal: (-1, 0) is outside the map of 7 rows and 9 columns\n"
    ) == fed_by_its_script(done.bundle, cwd=tmp_path).partition("bye\n")[2]
    again = lost(bot("classic"), "-o", done.folder / "match.jsonl")
    assert "match.jsonl" in files(done.folder)
    assert BUNDLE not in files(done.folder)
    assert "why:" not in again.out


def test_the_reason_for_an_end_is_printed_and_recorded(lanista, tmp_path):
    """Not only that the connection was closed: also in the turn's line, which the page shows."""
    script = tmp_path / "faulty.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(BOTS)!r})\n"
        f"from wire import Arena\narena = Arena()\narena.play(turns=1)\noff_the_rails\n"
    )
    command = f"{sys.executable} {script}"
    done = lanista(
        *("play", "angrymob", command, "CamperJoe", "--no-clock"),
        *("--limits", "none", "-o", "m.jsonl"),
    )
    words = "its process exited with code 1: faulty.py:6: NameError: "
    assert f"turn 1: disconnected: {words}" in done.out
    record = read(done.folder / "m.jsonl")
    assert record.turns[1].faults[0].words.startswith(words)


def test_a_signal_is_told(lost):
    """And that no answer came to the last turn."""
    rails = "print('off the rails', file=sys.stderr, flush=True)\n"
    done = lost(asked(f"{rails}os.kill(os.getpid(), {signal.SIGSEGV:d})"))
    about = (done.bundle / "about.txt").read_text()
    assert "disconnected: its process killed by SIGSEGV" in about
    assert "no turn-0.answer: none came" in about
    assert not (done.bundle / "turn-0.answer").exists()
    assert "off the rails\n" == (done.bundle / "output.txt").read_text()
    assert "# off the rails\n" == (done.bundle / "turn-0.log").read_text()


@pytest.mark.usefixtures("unhurried")
def test_a_process_that_fails_after_a_whole_match_gets_one(lost):
    """A bot that fails after it was told the end has a fault to mend, so that is printed."""
    done = lost(stdio("for line in sys.stdin:\n    if line == 'go\\n': print()\nsys.exit('no')\n"))
    assert "finished" == read(done.folder / "match.jsonl").result.end
    ended = "its process exited with code 1: no\n"
    assert f": afterwards {ended}" in done.out
    assert f"\n  {ended}" in (done.bundle / "about.txt").read_text()


def test_a_daemon_writes_bundles_beside_its_records(serve, join):
    """It doesn't know the bot's command: the script is given it."""
    daemon = serve("--map", "pit", "--move-limit", 9, "--matches", 1, "--no-clock")
    join(daemon, "illegal", "seat=0", name="../../evil")
    join(daemon, "version1", "seat=1", name="Good")
    assert daemon.wait() == 0
    (record,) = daemon.records()
    bundle = record.with_name(record.name.removesuffix(".jsonl.gz") + ".seat0.failure")
    assert sent(record, 0)[2] == (bundle / "turn-2.sent").read_bytes()
    assert "output.txt" not in files(bundle)
    assert f"path={bundle.relative_to(daemon.folder)}" in daemon.err
    assert "turn 2: '-1 0 1 0'\n" in fed_by_its_script(bundle, *bot_words("illegal"))


def test_an_older_bundle_makes_room_and_nothing_else_does(tmp_path):
    record = tmp_path / "m.jsonl"
    folder = folder_of(record, 0)
    failure = Failure(seat=0, name="Ann", reasons=("late: too late",), turns=())

    def check_bundle():
        assert [folder] == write_bundles(record, "match m", 2, [failure])
        about = (folder / "about.txt").read_text()
        assert "Ann, seat 0 of match m\n  late: too late\n" in about

    check_bundle()
    check_bundle()
    shutil.rmtree(folder)
    folder.write_text("somebody's")
    with pytest.raises(NotADirectoryError):
        write_bundles(record, "match m", 2, [failure])
    assert "somebody's" == folder.read_text()


def test_a_bundle_that_can_not_be_written_costs_nothing_else(lanista, tmp_path, monkeypatch):
    """The match is played and its record whole; why there is no bundle is told."""

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device", "m.seat0.failure")

    monkeypatch.setattr(host, "write_bundles", refuse)
    record = tmp_path / "m.jsonl"
    bots = (bot("illegal"), bot("classic"))
    done = lanista("play", "angrymob", *bots, "--no-clock", "-o", record)
    why = "lanista play: can't write the failure bundle m.seat0.failure: No space left on device\n"
    assert (0, why) == (done.code, done.err)
    assert "why: " not in done.out
    assert "forfeit" == read(record).result.end


# -- lanista replay feed -------------------------------------------------------------------------


@pytest.fixture
def feed(lanista, record):
    """Feed a bot the record of a match until it has answered."""

    def feed(*program, seat=0, turn=None):
        turns = [] if turn is None else ["--turn", turn]
        return lanista("replay", "feed", record, "--seat", seat, *turns, "--", *program)

    return feed


@pytest.mark.parametrize(("seat", "script"), [(0, "version1"), (1, "classic")])
def test_feed_gives_a_bot_the_match_again(feed, record, seat, script):
    done = feed(*bot_words(script), seat=seat, turn=4)
    answer = read(record).turns[4].raw[seat]
    assert (0, "") == (done.code, done.err)
    words = f"turn 4: {answer!r}\nin the match: {answer!r}\n"
    assert words == done.out[done.out.index("turn 4:") :]


def test_feed_speaks_the_dialect_of_the_bot(feed, record):
    """Whatever the one in the match spoke; without --turn it takes the last one."""
    done = feed(*bot_words("classic"))
    assert (0, "") == (done.code, done.err)
    assert f"turn {len(read(record).turns) - 1}: '" in done.out


def test_feed_tells_where_a_bot_answers_otherwise(feed):
    """The match goes on as it was recorded: GravityGoers is fed what another bot met."""
    done = feed("GravityGoers", turn=5)
    assert (0, "") == (done.code, done.err)
    assert "its answers differ from the match's in " in done.out


def test_feed_needs_no_haste(feed):
    """A bot that waits for another process, as in a debugger, has all the time there is."""
    done = feed(*shlex.split(asked("import time; time.sleep(0.5); print('7 7 7 7')")), turn=0)
    assert (0, "") == (done.code, done.err)
    assert "turn 0: '7 7 7 7'\n" in done.out


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            ["true"],
            "if it reads standard input, put `stdio:` before its command (exit code 0)",
        ),
        pytest.param(
            bot_words("crashes"),
            "turn 0: no answer: it ended before it had said hello (exit code 1)",
            marks=pytest.mark.long,
        ),
        (
            shlex.split(asked(f"os.kill(os.getpid(), {signal.SIGKILL:d})")),
            "turn 0: no answer: it closed its connection in turn 0 (killed by SIGKILL)",
        ),
        (bot_words("dies_in_play"), "no answer: it closed its connection in turn "),
        pytest.param(bot_words("not_utf8"), "no answer: byte ", marks=pytest.mark.long),
    ],
)
def test_feed_tells_why_a_bot_does_not_answer(feed, program, said):
    done = feed(*program, turn=6)
    assert done.code == 1
    assert said in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seat", 2, "--", "true"], "--seat 2; angrymob has seats 0 to 1"),
        (
            ["--seat", 0, "--turn", 99, "--", "true"],
            "--turn 99; seat 0 was absent then, or had its last turn, 8",
        ),
        (["--seat", 0, "--", "nonesuch"], "no program 'nonesuch' that could be run"),
        (["--seat", 0], "give the bot's command after --"),
        (["--", "true"], "Missing option '--seat'"),
    ],
)
def test_feed_names_what_was_wrong(lanista, record, words, said):
    done = lanista("replay", "feed", record, *words)
    assert (2, "") == (done.code, done.out)
    (line,) = done.err.splitlines()
    assert said in line


def test_feed_tells_why_a_script_can_not_be_started(feed, tmp_path):
    script = tmp_path / "bot.py"
    script.write_text("print()\n")
    script.chmod(0o755)
    done = feed(script)
    assert 2 == done.code
    assert done.err.endswith("Exec format error (a script must begin with a #! line)\n")


def test_an_interrupt_is_for_the_debugger(start, record, tmp_path):
    """Ctrl+C reaches the bot and us: what it does with it is its affair, and we go on."""
    mark = tmp_path / "interrupted"
    code = (
        "import pathlib, signal\n"
        f"mark = pathlib.Path({str(mark)!r})\n"
        "mark.write_text('no')\n"
        "while mark.read_text() != 'yes': signal.sigtimedwait([], 0.01)\n"
        "while sys.stdin.readline() != 'go\\n': pass\n"
        "print()\n"
    )
    words = shlex.split(stdio(code))
    feeding = start("replay", "feed", record, "--seat", 0, "--turn", 0, "--", *words)
    wait_until(lambda: mark.exists() and mark.read_text() == "no", "the bot is there")
    feeding.signal(signal.SIGINT)
    mark.write_text("yes")
    assert (0, "") == (feeding.wait(), feeding.err)


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (('"digest":"', '"digest":"0'), 1, "DIFFERS: turn 0: digest "),
        (('"board":"', '"board":"9'), 2, "the record's header: "),
        (('"name":"version1"', '"name":"a\\u0000b"'), 2, "'a\\x00b' can't be a player's name"),
        (('"name":"version1"', '"name":"\\ud800"'), 2, "'\\ud800' can't be a player's name"),
        (('"move_limit":9', '"move_limit":0'), 2, "the record's header: "),
    ],
)
def test_feed_tells_what_is_wrong_with_a_record(feed, record, tmp_path, change, code, said):
    """In one line, and before anything is started."""
    record.write_text(record.read_text().replace(*change))
    mark = tmp_path / "started"
    done = feed("touch", mark)
    assert (code, "", False) == (done.code, done.out, mark.exists())
    (line,) = done.err.splitlines()
    assert said in line


def test_feed_prints_what_a_bot_on_stdin_would_read(lanista, record):
    done = lanista("replay", "feed", record, "--seat", 1, "--turn", 2, "--print")
    assert (0, "") == (done.code, done.err)
    assert b"".join(sent(record, 1)[:3]).decode() == done.out


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=pytest.mark.long), signal.SIGHUP]
)
def test_feed_ends_its_bot_when_it_is_told_to_end(start, record, tmp_path, number):
    """A closed terminal leaves no bot behind."""
    mark = tmp_path / "pid"
    sleeper = f"echo $$ > {mark}.new; mv {mark}.new {mark}; exec sleep 600"
    feeding = start("replay", "feed", record, "--seat", 0, "--", "sh", "-c", sleeper)
    wait_until(mark.exists, "the bot is there")
    feeding.signal(number)
    assert 1 == feeding.wait()
    assert "no answer: a signal has ended it" in feeding.out
    wait_until_gone([int(mark.read_text())])


@pytest.mark.long
def test_feed_leaves_a_debugger_to_the_person_at_it(record, tmp_path, started):
    """With a terminal, a bot that has answered runs on until it ends by itself."""
    ours, theirs = pty.openpty()
    script = tmp_path / "stays.py"
    # It goes when the test says so, by a line on the terminal.
    script.write_text(
        "import sys\nsys.path.insert(0, sys.argv.pop(1))\n"
        "from wire import Arena\narena = Arena()\narena.turn()\narena.say(b'\\n')\n"
        "print('answered', flush=True)\nprint('heard', input(), flush=True)\n"
    )
    words = [sys.executable, script, bot_words("wire")[-1].rpartition("/")[0]]
    feeding = started(
        Program(
            command("replay", "feed", record, "--seat", 0, "--turn", 0, "--", *words),
            tmp_path / "feeding",
            stdin=theirs,
        )
    )
    os.close(theirs)
    try:
        feeding.until(lambda: "answered" in feeding.out, "the bot has answered")
        # Longer than a bot without a terminal has to go: nobody ends it.
        with pytest.raises(subprocess.TimeoutExpired):
            feeding.process.wait(PATIENCE_OF_FEEDER + 1)
        os.write(ours, b"go on\n")
        assert 0 == feeding.wait()
    finally:
        os.close(ours)
    assert re.search("^heard go on$", feeding.out, re.MULTILINE)
