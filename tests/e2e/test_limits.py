"""`lanista play --limits … --sandbox …`: whole matches of bots that are held to them."""

import shlex
import sys

import pytest

from bots_start.arena import needs_sandbox
from e2e.running import as_json, asked, environment, read

pytestmark = pytest.mark.usefixtures("one_sandbox")

OPPONENT = "CamperJoe"
PLAY = ("play", "angrymob")
OPTIONS = ("-i", "pit", "-s", 3, "--time-init", 60, "--time-move", 20, "--json", "-o", "m.jsonl")


@pytest.fixture
def play(lanista):
    """Play a match to its end; its result, and the folder with its record."""

    def play(*words):
        done = lanista(*PLAY, *words, *OPTIONS)
        assert (0, "") == (done.code, done.err)
        (result,) = as_json(done)
        return result, done.folder

    return play


def test_a_bot_that_eats_memory_is_ended_and_told(play):
    """The match ends by the rules; record and bundle have the reason."""
    eater = asked("kept = [bytearray(b'x' * 2**20) for _ in range(4000)]")
    result, folder = play(eater, OPPONENT, "--limits", "memory=200M")
    assert ("forfeit", [2, 1]) == (result["end"], result["ranks"])
    words = read(folder / "m.jsonl").result.bots[0].exit
    assert words.startswith("was ended: it used 2")
    assert words.endswith(" MiB of memory; the limit is 200 MiB")
    assert words in (folder / "m.seat0.failure" / "about.txt").read_text()


@needs_sandbox
def test_a_match_in_sandboxes_is_the_same_match(play):
    """House bots by TCP, all unchanged."""
    results = [
        play("GravityGoers", "RandomRunners", "--sandbox", sandbox)[0]
        for sandbox in ("none", "bwrap")
    ]
    assert [("finished", [])] * 2 == [(each["end"], each["bundles"]) for each in results]
    assert results[0]["digest"] == results[1]["digest"]


@needs_sandbox
def test_a_bot_of_stdin_and_stdout_in_a_sandbox_reads_no_record(play):
    """Its own match's, as it is written: what its opponent logs stands there.

    What else it doesn't see is tested in bots_start/test_sandbox.py.
    """
    code = (
        "for name in sorted(os.listdir()):\n"
        "    try:\n"
        "        found = 'read ' + open(name).read()\n"
        "    except OSError as error:\n"
        "        found = type(error).__name__\n"
        "    print(name, found, file=sys.stderr)\n"
    )
    _, folder = play(asked(code), OPPONENT, "--sandbox", "bwrap")
    told = read(folder / "m.jsonl").result.bots[0].output.splitlines()
    # What the test captures of `lanista` itself lies there too.
    assert "m.jsonl.part PermissionError" in told
    assert {"m.jsonl.part PermissionError", "stderr read ", "stdout read "} == set(told)


def test_a_sandbox_that_can_not_be_made_is_an_error_before_anything_starts(lanista, tmp_path):
    """Never a match without it."""
    mark = tmp_path / "started"
    touch = shlex.join([sys.executable, "-c", f"open({str(mark)!r}, 'w')"])
    done = lanista(
        *PLAY, touch, OPPONENT, *OPTIONS, "--sandbox", "bwrap", env=environment(PATH="/none")
    )
    assert (2, "", False) == (done.code, done.out, mark.exists())
    (line,) = done.err.splitlines()
    assert "bubblewrap (bwrap) isn't installed" in line
