"""TLS as bots and browsers meet it: one arena, with a certificate that its clients trust."""

import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from websockets.sync.client import connect as viewer_at

from e2e.running import PATIENCE, FileArena, ask, command, environment, run_here, wait_until
from lanista_client import Arena, ArenaError
from support.processes import children_with

FILES = Path(__file__).parent.parent / "arena" / "certificates"
CERTIFICATE = FILES / "localhost.pem"
ARENA = """
port = 0
data = "data"
hello_timeout = 100
workers = 2
tls = { certificate = "localhost.pem", key = "localhost.key" }
page = { listen = "127.0.0.1:0" }

[[ladders]]
name = "pit"
game = "angrymob"
settings = { move_limit = 2 }
clock = { time_init = 0, time_move = 0 }
"""
STDIO_BOT = """
for line in open(0):
    if line == "go\\n":
        print(flush=True)
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arena")
    for name in ("localhost.pem", "localhost.key"):
        shutil.copy(FILES / name, folder)
    arena = FileArena(folder, ARENA)
    assert arena.page.startswith("https://127.0.0.1:")
    arena.page_port = int(arena.page.rpartition(":")[2])
    yield arena
    arena.signal(signal.SIGTERM)
    assert 0 == arena.wait(), arena.err
    arena.end()


def enter(arena, name, **more):
    """A bot of the Python client, over TLS unless that is said otherwise."""
    how = {"tls": True, "tls_ca": str(CERTIFICATE), "room": "pit", **more}
    return Arena(name, host="127.0.0.1", port=arena.port, **how)


def connect(arena, *options, **more):
    """`lanista connect` with a bot on stdin and stdout."""
    bot = [sys.executable, "-I", "-S", "-c", STDIO_BOT]
    where = ["--host", "127.0.0.1", "--port", str(arena.port), "--name", "Right", "--room", "pit"]
    return subprocess.run(
        command("connect", *where, *options, "--", *bot),
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_bots_play_over_tls(arena):
    """One of the client, one on stdin and stdout; in a worker, which knows the way to both."""
    ended = []
    right = threading.Thread(
        target=lambda: ended.append(
            connect(arena, LANISTA_TLS="1", LANISTA_TLS_CA=str(CERTIFICATE), LANISTA_QUIET="1")
        )
    )
    right.start()
    with enter(arena, "Left") as left:
        for _ in left:
            left.send()
    right.join(PATIENCE)
    assert "finished" == left.result.end
    assert [(0, "", "")] == [(each.returncode, each.stdout, each.stderr) for each in ended]
    first = arena.record_of(left.state.match).turns[0]
    assert {"0", "1"} == first.round_trips.keys()
    assert {4} == {len(times) for times in first.times}


def test_connect_says_that_it_does_not_trust_the_certificate(arena):
    done = connect(arena, "--tls")
    words = (
        f"lanista connect: no TLS with 127.0.0.1:{arena.port}: its certificate isn't trusted "
        "(self-signed certificate); to trust it, name a file with it or its issuer's in "
        "LANISTA_TLS_CA\n"
    )
    assert (1, "", words) == (done.returncode, done.stdout, done.stderr)


def test_plain_text_is_refused_with_the_reason(arena):
    left = enter(arena, "Left", tls=False)
    with pytest.raises(ArenaError, match=r"bad-hello.*this port speaks TLS"):
        next(left)
    left.close()
    wait_until(lambda: "this port speaks TLS" in arena.err, "the log has it")
    page = http.client.HTTPConnection("127.0.0.1", arena.page_port, timeout=PATIENCE)
    page.request("GET", "/api/1/games")
    answer = page.getresponse()
    told = {"error": "this port speaks TLS: begin with https instead"}
    assert (400, told) == (answer.status, json.load(answer))
    page.close()


@pytest.mark.parametrize(
    ("host", "trusted", "expected"),
    [
        (
            "https://127.0.0.1",
            CERTIFICATE,
            "no programs can be handed in to 'pit': no ladder of this arena takes programs",
        ),
        (
            "https://127.0.0.1",
            "",
            "its certificate isn't trusted (self-signed certificate); to trust it, name",
        ),
        ("https://127.1", CERTIFICATE, "its certificate is for other names than 127.1; connect by"),
        ("http://127.0.0.1", "", "this port speaks TLS: begin with https instead"),
    ],
)
def test_lanista_submit_speaks_tls_with_the_page(arena, tmp_path, host, trusted, expected):
    """Where it trusts the certificate, it comes as far as what the ladder takes."""
    url = f"{host}:{arena.page_port}"
    env = environment(LANISTA_TLS_CA=str(trusted), XDG_CONFIG_HOME=str(tmp_path))
    words = ["submit", __file__, "--arena", url, "--ladder", "pit", "--name", "Ada"]
    done = run_here(words, tmp_path, env)
    assert (2, "") == (done.code, done.out)
    told = done.err.removeprefix("lanista: ").removeprefix(f"{url}: ")
    assert told.startswith(expected), done.err


def test_the_page_speaks_tls(arena):
    context = ssl.create_default_context(cafile=CERTIFICATE)
    page = http.client.HTTPSConnection(
        "127.0.0.1", arena.page_port, timeout=PATIENCE, context=context
    )
    page.request("GET", "/api/1/games")
    answer = page.getresponse()
    assert 200 == answer.status
    assert b"angrymob" in answer.read()
    page.close()
    with viewer(arena) as looking:
        bots = {"host": None, "port": arena.port, "registration": "open", "tls": True}
        assert bots == json.loads(looking.recv(PATIENCE))["bots"]
        looking.send(json.dumps({"do": "lobby", "id": 1}))
        while (told := json.loads(looking.recv(PATIENCE)))["type"] != "lobby":
            pass
        assert "pit" in {ladder["name"] for ladder in told["ladders"]}


def test_a_house_bot_that_the_operator_seats_plays(arena):
    """It connects within the machine, where no certificate is valid for its address."""
    with viewer(arena) as operator:
        answer = ask(operator, "house", game="angrymob", bot="CamperJoe", room="friends")
        assert "done" == answer["type"], answer
    with enter(arena, "Ann", room="friends") as ann:
        assert {"Ann", "CamperJoe"} == set(next(ann).players)
        ann.send()


def viewer(arena):
    """The page's WebSocket, as a browser opens it."""
    where = f"127.0.0.1:{arena.page_port}"
    context = ssl.create_default_context(cafile=CERTIFICATE)
    return viewer_at(f"wss://{where}/api/1/ws", ssl=context, origin=f"https://{where}", proxy=None)


def test_without_its_relay_an_arena_starts_another_one(arena):
    def hellos():
        return arena.err.count("event=hello ")

    def relays():
        return children_with(arena.process.pid, "lanista.arena.tls_relay")

    before = hellos()
    waiting = enter(arena, "Left")
    wait_until(lambda: hellos() == before + 1, "the bot waits")
    (relay,) = relays()
    os.kill(relay, signal.SIGKILL)
    with pytest.raises(ArenaError, match="disconnected"):
        next(waiting)
    waiting.close()
    wait_until(lambda: set(relays()) - {relay}, "there is another relay")
    again = enter(arena, "Left")
    wait_until(lambda: hellos() == before + 2, "the bot is back")
    again.close()
    assert "the TLS relay ended" in arena.err
