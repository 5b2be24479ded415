"""The page as its operator meets it: its address, its token, its end; `lanista play --watch`."""

import contextlib
import json
import signal
import socket
import time
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from e2e.running import PATIENCE, ask, environment, read, wait_until
from lanista.cli.web import own_addresses
from lanista.games import registry
from lanista.match.replay import verify

CAMPERS = ("CamperJoe", "CamperJoe")


@contextlib.contextmanager
def looking(url):
    """A viewer of the page at an address that was printed; asks by `ask`."""
    port = urlsplit(url).port
    with connect(f"ws://127.0.0.1:{port}/api/1/ws", proxy=None, close_timeout=1) as viewer:
        assert "hello" == json.loads(viewer.recv(PATIENCE))["type"]
        yield viewer


def test_off_loopback_commands_need_the_token_that_is_printed(serve):
    """One of the operator's choice; without it a fresh one (tests/cli/test_web_option.py)."""
    daemon = serve(web="0.0.0.0:0", env=environment(LANISTA_WEB_TOKEN="open-sesame"))
    page = urlsplit(daemon.page)
    own = next(iter(own_addresses("0.0.0.0")), socket.gethostname())
    assert f"http://{own}:{page.port}/#token=open-sesame" == daemon.page
    with looking(daemon.page) as viewer:
        told = ask(viewer, "mode", manual=True)
        assert "mode is the operator's; say the token first" == told["words"]
        assert "operator" == ask(viewer, "token", token="open-sesame")["type"]
        assert "done" == ask(viewer, "mode", manual=True)["type"]
        daemon.signal(signal.SIGTERM)  # a viewer keeps no arena from its end
        assert 0 == daemon.wait()
    assert "Traceback" not in daemon.err
    assert "LANISTA_WEB_TOKEN has 11 characters and could be guessed" in daemon.err
    assert "sesame" not in daemon.err  # the log may be read by others


# -- lanista play --watch ------------------------------------------------------------------------


@pytest.fixture
def watched(start):
    """A match of four moves that waits for a viewer; the program and its page's address."""

    def watched(*options, **env):
        program = start(
            *("play", "angrymob", *CAMPERS, "--watch", "--web", "127.0.0.1:0"),
            *("-s", 1, "--move-limit", 4, "--no-clock", "--delay", 0, *options),
            env=environment(**env),
        )
        program.until(lambda: "Ctrl-C ends it" in program.err, "the page's address is printed")
        (page,) = [line for line in program.err.splitlines() if line.startswith("page: ")]
        return program, page.removeprefix("page: ")

    return watched


def the_match(page):
    match = urlsplit(page).fragment.removeprefix("/match/")
    assert 26 == len(match)
    return match


def the_record(program):
    (file,) = program.folder.glob("lanista-records/*.jsonl.gz")
    record = read(file)
    assert len(record.turns) == verify(record, registry.get("angrymob"))
    return record


def test_watching_a_match(watched):
    """It waits for a viewer, plays, prints its result, and ends when nobody looks any more.

    Over SSH it prints the command that forwards the page's port to where the viewer is.
    """
    program, page = watched(SSH_CONNECTION="192.0.2.1 50000 192.0.2.7 22", LOGNAME="ada")
    match = the_match(page)
    port = urlsplit(page).port
    way = f"ssh -L {port}:localhost:{port} ada@192.0.2.7"
    assert f"first run on your own computer: {way}\n" in program.err
    with looking(page) as viewer:
        ask(viewer, "open", match=match)
        end = ask(viewer, "frames", match=match, **{"from": 5})
        assert ("end", 5, "finished") == (end["type"], end["count"], end["result"]["end"])
        program.until(lambda: "the page stays until it is closed" in program.err, "it is over")
        assert program.out.startswith("draw (finished: move-limit, 4 moves)\n")
        # The frames are there as long as there is a viewer.
        frames = ask(viewer, "frames", match=match, **{"from": 0})["frames"]
        assert [0, 1, 2, 3, 4] == [frame["n"] for frame in frames]
        assert program.process.poll() is None
        left = time.monotonic()
    assert 0 == program.wait()
    assert 2.5 <= time.monotonic() - left  # a page may be loaded again
    assert 1 == program.out.count("draw (finished")
    assert "finished" == the_record(program).result.end
    assert "Traceback" not in program.err


def test_a_watched_match_is_cancelled(watched):
    """Not counted: exit code 3, as a match that was aborted has without a page."""
    program, page = watched("--delay", 60_000)
    with looking(page) as viewer:
        assert "done" == ask(viewer, "cancel", match=the_match(page))["type"]
        wait_until(lambda: "not counted (aborted: interrupted" in program.out, "its result is told")
        program.signal(signal.SIGINT)
        assert 3 == program.wait()
    assert "aborted" == the_record(program).result.end


def test_ctrl_c_before_anybody_looks(watched):
    """Nothing was played: the match is recorded as aborted."""
    program, _ = watched()
    program.signal(signal.SIGINT)
    assert 130 == program.wait()
    assert program.out.startswith("interrupted (aborted: interrupted, 0 moves)\n")
    assert "aborted" == the_record(program).result.end
