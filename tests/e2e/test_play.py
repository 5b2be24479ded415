"""`lanista play` with real bots: who plays where, results, records, exit codes."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from e2e.running import (
    PATIENCE,
    as_json,
    asked,
    bot,
    command,
    environment,
    read,
    stdio,
    wait_until,
)
from lanista import __version__
from lanista.games import registry
from support.angrymob import PAGE


@pytest.fixture
def play(lanista):
    """Play Angry Mob without haste and without drawing it."""
    return lambda *words: lanista("play", "angrymob", *words, "--no-clock", "--console")


def once(file, command):
    """The command line of a bot that begins once a file is there."""
    waits = f"while [ ! -e {file} ]; do sleep 0.01; done; exec {command}"
    return shlex.join(["sh", "-c", waits])


def the_record(done):
    """The record of the one match of a run, which went well."""
    assert (0, "") == (done.code, done.err)
    (path,) = (done.folder / "lanista-records").glob("*.jsonl.gz*")
    return read(path)


def test_house_bots_play_and_the_result_is_told(lanista, play):
    """Exit code 0; verdict, the rule behind it, ranks and scores, seed, and where the record is."""
    done = play("CamperJoe", "GravityGoers", "-i", "pit")
    verdict, rule, first, second, seed, where = done.out.splitlines()
    assert rule.endswith("wins, whatever the scores (rules, section 3)")
    assert re.fullmatch(r"GravityGoers wins \(finished: capture, \d+ moves\)", verdict)
    assert re.fullmatch(r"  1\. GravityGoers  score \d+", first)
    assert re.fullmatch(r"  2\. CamperJoe  score \d", second)
    record = the_record(done)
    assert f"seed {record.header.seed}" == seed
    path = done.folder / where.removeprefix("record ")
    assert f"angrymob-{record.header.seed}-{record.header.match}.jsonl.gz" == path.name
    assert path.exists()
    verified = lanista("replay", "verify", path)
    assert (0, f"{path}: verified {record.result.turns} moves\n") == (verified.code, verified.out)


@pytest.mark.parametrize(
    "closed",
    [
        *(pytest.param(one, marks=pytest.mark.long) for one in ("<&-", ">&-", "2>&-")),
        "<&- >&- 2>&-",
    ],
)
def test_a_match_is_played_without_standard_streams(tmp_path, closed):
    """Python has None for a stream that was closed when it was started, as by a service."""
    words = command("play", "angrymob", "CamperJoe", "CamperJoe", "--move-limit", 2, "-n", 2)
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *words]
    done = subprocess.run(
        shell, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=PATIENCE
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert 2 == len(list((tmp_path / "lanista-records").iterdir()))


def test_bots_take_their_seats_in_order_of_the_command_line(play):
    """Also when one is slow to start, and when it can say nothing but a name."""
    # The first bot's hello comes long after the second's would.
    slow = "sh -c " + shlex.quote(f"sleep 0.3; exec {bot('classic')}")
    done = play(slow, bot("version1"), "-i", "pit", "--move-limit", 8, "--json")
    record = the_record(done)
    assert ("classic", "1") == tuple(player.protocol for player in record.header.players)
    assert ["sh", "version1"] == as_json(done)[0]["players"]
    assert shlex.split(slow) == list(record.header.players[0].command)


def test_placeholders_are_filled_and_no_shell_is_run(lanista, tmp_path):
    """{host}, {port}, {name} and {token} only; the environment tells the same."""
    script = tmp_path / "told.py"
    script.write_text(
        "import os, sys\n"
        "print(ascii(sys.argv[1:]))\n"
        "print([os.environ['LANISTA_' + key] for key in ('HOST', 'PORT', 'NAME', 'TOKEN')])\n"
    )
    told = f"{shlex.join([sys.executable, str(script)])} {{host}} {{port}} {{name}} {{token}}"
    done = lanista("play", "angrymob", f"{told} {{other}} $HOME '*' ';'", "CamperJoe")
    assert 1 == done.code
    words, from_environment = (
        json.loads(line.replace("'", '"')) for line in done.err.splitlines()[2:4]
    )
    assert from_environment == words[:4]
    host, port, name, token = words[:4]
    assert ("127.0.0.1", "told") == (host, name)
    assert int(port) > 0
    assert len(token) >= 32
    assert ["{other}", "$HOME", "*", ";"] == words[4:]


def test_json_tells_each_match_in_a_line(play):
    """--json with -n and a folder for the records: seeds count up, nothing else is printed."""
    done = play(bot("nothing"), bot("illegal"), "-s", 41, "-n", 2, "-o", "kept", "--json")
    assert (0, "") == (done.code, done.err)
    results = as_json(done)
    assert [41, 42] == [result["seed"] for result in results]
    assert 2 == len({result["match"] for result in results})
    for result in results:
        assert ("forfeit", [1, 2], [1, 1]) == (result["end"], result["ranks"], result["scores"])
        (fault,) = result["faults"]
        assert (2, 1, "illegal", 0) == (*(fault[key] for key in ("turn", "seat", "code", "index")),)
        record = read(done.folder / result["record"])
        assert (result["seed"], result["match"]) == (record.header.seed, record.header.match)
        assert result["digest"] == record.result.digest
        assert [f"{result['record'].removesuffix('.jsonl.gz')}.seat1.failure"] == result["bundles"]
    told = [path for result in results for path in [result["record"], *result["bundles"]]]
    assert sorted(told) == sorted(f"kept/{path.name}" for path in (done.folder / "kept").iterdir())


def test_several_matches_are_summed_up(play):
    """-n: the wins by name, and the draws."""
    done = play(bot("illegal"), "CamperJoe", "-n", 2, "-s", 1)
    assert 0 == done.code
    assert "2 matches: illegal won 0, CamperJoe won 2, 0 drawn" == done.out.splitlines()[-1]
    assert 2 == done.out.count("illegal: turn 2, submove 0: illegal: (-1, 0) is outside the map")


def test_a_record_goes_where_it_is_told_to(play):
    """-o FILE; a name without .gz is plain JSON lines; how the bots ended is in it."""
    done = play("CamperJoe", bot("leaves"), "-o", "deep/er/match.jsonl")
    assert 0 == done.code
    path = done.folder / "deep" / "er" / "match.jsonl"
    header, *_, result = path.read_text().splitlines()
    assert 4 == json.loads(header)["lanista_record"]
    exits = [ended["exit"] for ended in json.loads(result)["result"]["bots"]]
    assert ["exited with code 0", "exited with code 0"] == exits
    assert {path, path.with_name("match.seat1.failure")} == set(path.parent.iterdir())


def test_the_originals_spellings(lanista):
    """The options of the original arena, as they were written there."""
    done = lanista(
        *("play", "angrymob", "CamperJoe", "CamperJoe", "-moveLimit", 3, "-seed", -5),
        *("-timeInit", 50, "-timeMove", 50, "-delay", 0, "-size", 3, "-console"),
    )
    record = the_record(done)
    assert (-5, {"move_limit": 3}) == (record.header.seed, record.header.settings)
    assert (50, 50) == (record.header.clock.time_init, record.header.clock.time_move)


def test_a_map_file_is_played_on(play, tmp_path):
    """-i FILE: the board of the file, not the seed's; seat 0 has base A."""
    path = tmp_path / "example.map"
    path.write_text("; the example\n" + PAGE)
    header = the_record(play("CamperJoe", "CamperJoe", "-i", path, "--set", "move_limit=1")).header
    assert (PAGE, False) == (header.board, header.generated)


def test_bots_are_told_how_many_have_come(play, tmp_path):
    """PROTOCOL.md 3: `wait` is repeated when it changes, also for the bot that came first."""
    script = tmp_path / "hears.py"
    script.write_text(
        """import os, socket
sock = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
sock.sendall(f"Ear v=1 token={os.environ['LANISTA_TOKEN']}\\n".encode())
for line in sock.makefile():
    if line.startswith("start"):
        break
    print(line, end="")
    open(line.split()[0], "w").close()
"""
    )
    hears = shlex.join([sys.executable, str(script)])
    done = play(hears, once("wait", bot("classic")))
    told = the_record(done).result.bots[0].output.splitlines()
    assert [f"welcome 1 lanista {__version__}", "wait 1 2", "wait 2 2"] == told


CRASH = "did not start: exited with code 1 before it said hello"
LAST_WORDS = "RuntimeError: no brain found"
AS_STDIO = "if it reads its turns from standard input, start it as stdio:cat\n"
KILLED = "bot 'sh' (seat 1) did not start: killed by SIGKILL before it said hello"


@pytest.mark.parametrize(
    ("bots", "told"),
    [
        ((bot("crashes"), "CamperJoe"), [f"bot 'crashes' (seat 0) {CRASH}", LAST_WORDS]),
        (("CamperJoe", "sh -c 'echo bye; kill -9 $$'"), [KILLED, "bye"]),
        (("./bot", "CamperJoe"), ["could not be started: Exec format error: "]),
        (("cat", "CamperJoe"), ["exited with code 0 before it said hello; ", AS_STDIO]),
    ],
    ids=["crashed", "killed", "no program", "stdin"],
)
def test_a_bot_that_cannot_start_is_told_with_its_last_words(lanista, tmp_path, bots, told):
    """Exit code 1, why, and the tail of its stderr; no record is left, no traceback of ours."""
    path = tmp_path / "bot"
    path.write_bytes(b"\x7fELF, but no")
    path.chmod(0o755)
    done = lanista("play", "angrymob", bots[0].replace("./bot", str(path)), bots[1])
    assert (1, "") == (done.code, done.out)
    for words in told:
        assert words in done.err
    assert "check it: lanista check angrymob " in done.err.splitlines()[-1]
    assert ["lanista play: bot"] == re.findall("^lanista play: bot", done.err, re.MULTILINE)
    assert [] == list((done.folder / "lanista-records").iterdir())


def test_a_bot_can_not_take_the_seat_of_another(lanista, tmp_path):
    """Each has a port of its own, which is closed when its bot has come."""
    mark = tmp_path / "told"
    done = lanista(
        *("play", "angrymob", bot("thief", mark), once(mark, bot("classic"))),
        *("-i", "pit", "-s", 3, "--time-init", 1, "--console", "--stall-margin", 600),
    )
    assert ["thief", "sh"] == [player.name for player in the_record(done).header.players]
    assert "Connection refused" in mark.read_text()


def test_an_interrupt_blames_no_bot(start, tmp_path):
    """A bot that fails because the arena shuts down hasn't failed by itself: no bundle."""
    fails = asked(f"open({str(tmp_path / 'asked')!r}, 'w'); sys.stdin.read(); sys.exit(3)")
    playing = start("play", "angrymob", fails, "CamperJoe", "--console", "-o", "match.jsonl")
    wait_until((tmp_path / "asked").exists, "the bot was asked")
    playing.signal(signal.SIGINT)
    assert 130 == playing.wait()
    assert [] == list(playing.folder.glob("*.failure"))


def test_an_error_of_the_rules_blames_no_bot(play, monkeypatch):
    """The bots are told `error internal`, and may well fail by that, but get no bundle."""
    monkeypatch.setattr(type(registry.get("angrymob")), "new", lambda *_: 1 / 0)
    fails = stdio("sys.stdin.read(); sys.exit(3)")
    done = play(fails, fails, "-o", "match.jsonl")
    assert (3, True) == (done.code, "ZeroDivisionError: division by zero" in done.err)
    assert "check it:" not in done.out
    assert [] == list(done.folder.glob("*.failure"))


def test_a_command_that_is_no_text_is_fed_as_it_came(play, tmp_path):
    """Bytes of a path that aren't UTF-8: the bundle's script has them."""
    script = tmp_path / os.fsdecode(b"b\xff.sh")
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    done = play(f"stdio:{script}", "CamperJoe", "-o", "match.jsonl")
    assert (0, "") == (done.code, done.err)
    assert b"b\xff.sh" in (done.folder / "match.seat0.failure" / "feed.sh").read_bytes()
