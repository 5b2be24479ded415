"""Tests that connections harm no others without playing: by places, storms, other protocols."""

import contextlib
import re
import resource
import socket
import threading
import time

import pytest

from e2e.running import PATIENCE, Daemon, Program, bot, command, read
from lanista.arena.options import files_needed

pytestmark = pytest.mark.one_user

FLOOD = "x" * 60_000 + "\n"
"""A line that isn't too long; one is an answer, and two more are more than the arena holds."""


@pytest.fixture(scope="module")
def with_page(tmp_path_factory):
    """A daemon with a page, for tests that leave it as it was; nobody is late there."""
    daemon = Daemon(
        tmp_path_factory.mktemp("with-page"), "--time-init", PATIENCE, web="127.0.0.1:0"
    )
    yield daemon
    daemon.end()


def test_connections_that_are_reset_are_no_harm(with_page, peers):
    """Before, in and after the hello: the arena serves on and reports no error of its own."""
    for said in ("", "Half", "Whole v=1 room=reset\n"):
        for _ in range(20):
            peer = peers(with_page)
            peer.say(said)
            peer.reset()
    pair = [peers(with_page, f"{name} v=1 room=after") for name in ("Ada", "Bob")]
    for peer in pair:
        peer.until("go")
    pair[0].leave()
    pair[1].say("\n")
    assert "end forfeit" in pair[1].until("end")
    assert "Traceback" not in with_page.err


def test_a_flood_before_a_match_ends_the_connection_in_words(with_page, peers):
    """PROTOCOL.md 4, 7: `flood`. What fits stays: another bot's two answers ahead do no harm."""
    modest = peers(with_page, "Modest v=1 room=modest")
    modest.until("wait")
    modest.say("\n\n")
    flooder = peers(with_page, "Flooder v=1 room=flood")
    flooder.until("wait")
    flooder.say(FLOOD * 3)
    assert "error flood more than 65536 bytes while it waited for a match\n" == flooder.rest()
    peers(with_page, "Other v=1 room=modest").until("go")
    assert modest.until("go")


def test_one_address_does_not_keep_the_others_out(serve, peers):
    """The longest idle bot of the address that has most places goes for one that has few."""
    daemon = serve("--max-connections", 12)
    crowd = []
    for number in range(12):
        crowd.append(peers(daemon, f"Crowd v=1 room={number}", address="127.0.0.2"))
        crowd[-1].until("wait")
    honest = []
    for number in range(4):
        honest.append(peers(daemon, f"Honest v=1 room=h{number}"))
        assert honest[-1].line().startswith("welcome ")
    for number in range(4):
        told = crowd[number].rest()
        assert "error server-full already 12 connections" in told, number
    # Who is left has its place, though nobody else comes: two of a room meet.
    peers(daemon, "Partner v=1 room=h0").until("go")


def test_an_http_request_is_answered_in_http_and_is_no_player(with_page, peers):
    """A browser that is led to the bots' port learns where the page is, without the token."""
    hellos = with_page.err.count("event=hello")
    browser = peers(with_page)
    browser.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    browser.socket.shutdown(socket.SHUT_WR)
    told = browser.rest()
    assert told.startswith("HTTP/1.1 400 Bad Request\r\n")
    assert f"The page is {with_page.page}\n" in told
    assert hellos == with_page.err.count("event=hello")


def test_a_tls_handshake_is_named_in_the_log(with_page, peers):
    client = peers(with_page)
    client.socket.sendall(bytes.fromhex("1603010200010001fc0303") + b"\xff" * 40)
    # Within TLS it may be told the same.
    words = "a TLS handshake where the hello is expected; connect without TLS, or without a second"
    assert client.rest().startswith(f"error bad-hello {words} one")
    assert re.search("refused.*a TLS handshake", with_page.err)


HELD = 600
"""Connections of a storm at once: more than twice the daemon's descriptors."""


def storm(port, seconds, hold, stop):
    """Dial again and again, and hold each connection for a while; how often it was dialled."""
    held, dialled = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stop.is_set():
        now = time.monotonic()
        while held and held[0][0] <= now:
            held.pop(0)[1].close()
        if len(held) == HELD:
            time.sleep(0.001)
            continue
        dialling = socket.socket()
        dialling.setblocking(False)
        dialling.connect_ex(("127.0.0.1", port))
        held.append((now + hold, dialling))
        dialled += 1
    for _, dialling in held:
        dialling.close()
    return dialled


def admitted(peers, daemon, hello):
    """A bot that was welcomed. Until then it may be refused, and dials again, as bots do."""
    while True:
        with contextlib.suppress(OSError, AssertionError):
            peer = peers(daemon, hello)
            assert peer.line().startswith("welcome ")
            return peer


@pytest.mark.parametrize(
    "seconds", [1.5, pytest.param(20, marks=pytest.mark.long)], ids=["short", "long"]
)
def test_a_storm_of_connections_ends_no_match(serve, peers, seconds):
    """Matches that play while hundreds of connections come and go: all are recorded whole.

    The daemon has as few descriptors as its connections need. A bot may have no place while the
    storm lasts; but once it has one, it plays its match to the end.
    """
    daemon = serve("--max-connections", 20, "--move-limit", 4, "--no-clock")
    files = files_needed(20)
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (files, files))
    stop = threading.Event()
    dialled = []
    storming = threading.Thread(
        target=lambda: dialled.append(storm(daemon.port, seconds, 1.5, stop))
    )
    played = 0
    storming.start()
    try:
        while storming.is_alive():
            pair = [
                admitted(peers, daemon, f"{name} v=1 room=r{played}") for name in ("Ann", "Bob")
            ]
            for peer in pair:
                peer.until("go")
            for _ in range(4):
                for peer in pair:
                    peer.say("\n")
            for peer in pair:
                assert "end finished\n" in peer.rest()
                peer.leave()
            played += 1
    finally:
        stop.set()
        storming.join()
    assert played > 0
    daemon.until(lambda: len(daemon.records()) == played, "all records are whole")
    assert "can't" not in daemon.err
    assert "error" not in re.findall(r"level=(\w+)", daemon.err)


def test_a_bot_that_dials_its_arena_again_and_again_takes_no_descriptors(tmp_path, started):
    """`lanista play` may have 200 files open; the record is written all the same."""
    words = command(
        *("play", "angrymob", bot("dials_again"), bot("version1"), "-o", "match.jsonl.gz"),
        *("--no-clock", "--move-limit", 5),
    )
    words = ["sh", "-c", 'ulimit -Sn 200; exec "$@"', "sh", *words]
    program = started(Program(words, tmp_path / "run"))
    assert (0, "") == (program.wait(), program.err)
    assert "finished" == read(tmp_path / "run" / "match.jsonl.gz").result.end
