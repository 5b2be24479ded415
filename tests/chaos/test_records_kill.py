"""Kill -9 of the daemon at any moment: every match whose end a bot was told is kept."""

import contextlib
import gzip
import json
import random
import signal
import urllib.request

import pytest

from chaos.ladder_arena import Bots
from e2e.running import PATIENCE, Daemon, wait_until
from lanista.games import registry
from lanista.match.replay import verify

pytestmark = pytest.mark.one_user

PAIRS = 4
"""Pairs of bots that play match after match."""
MAP = "2 3\nA . .\n. . B\n"


def matches_of(daemon):
    """All matches that the page's list has, by id."""
    found, cursor = {}, ""
    while cursor is not None:
        url = f"{daemon.page}api/1/matches?limit=200{cursor and f'&before={cursor}'}"
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            told = json.load(answer)
        found |= {match["match"]: match for match in told["matches"]}
        cursor = told["next"]
    return found


def size(path):
    """Bytes of a file; 0 when it has gone since it was found."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


@pytest.mark.parametrize(
    ("kills", "least"),
    [
        pytest.param(1, 6, id="short"),
        pytest.param(25, 500, id="long", marks=[pytest.mark.long, pytest.mark.timeout(900)]),
    ],
)
def test_no_result_that_was_told_is_lost(serve_again, kills, least):
    """Kills come when a match's end has just been told, in the middle of others' ends."""
    chance = random.Random(kills)
    hellos = [f"bot{n} v=1 keep=1 room={n // 2}" for n in range(2 * PAIRS)]
    with Bots("127.0.0.1", hellos, {"finished"}) as bots:
        for _ in range(kills):
            daemon = serve_again()
            bots.go(daemon.port)
            bots.wait_for(-(-least // kills) + chance.randrange(5))
            daemon.signal(signal.SIGKILL)
            daemon.process.wait(PATIENCE)
    told = bots.told
    daemon = serve_again()
    # An empty one may be another arena's that is just beginning; it is removed later.
    wait_until(
        lambda: not any(map(size, daemon.data.rglob("*.part"))),
        "all records are complete",
        lambda: str(list(daemon.data.rglob("*.part"))),
    )
    recorded = {path.name.split(".")[0]: path for path in daemon.records()}
    all_ = told | recorded.keys()
    wait_until(
        lambda: all_ <= matches_of(daemon).keys(),
        "all matches are in the list",
        lambda: f"not there: {sorted(all_ - matches_of(daemon).keys())}",
    )
    found = matches_of(daemon)  # aborted ones too
    assert least <= len(told)
    assert {"finished"} == {found[match]["end"] for match in told}
    assert {"finished", "aborted"} >= {match["end"] for match in found.values()}
    for match, record in recorded.items():
        assert gzip.decompress(record.read_bytes()).endswith(b"}}\n")
        verify(daemon.record_of(match), registry.get("angrymob"))
    assert not list(daemon.data.rglob("*.tmp"))
    assert "Traceback" not in daemon.err


@pytest.fixture
def serve_again(tmp_path, started):
    """Start a daemon with a page, on the same data folder as the one before."""
    (tmp_path / "small.map").write_text(MAP)

    def serve_again():
        return started(
            Daemon(
                tmp_path,
                *("--map", tmp_path / "small.map", "--move-limit", 2, "--no-clock"),
                web="127.0.0.1:0",
            )
        )

    return serve_again
