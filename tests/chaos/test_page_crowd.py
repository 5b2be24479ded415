"""The page's port while hostile peers crowd it: honest visitors get their page, and soon."""

import contextlib
import json
import selectors
import socket
import time
import urllib.request
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from e2e.running import PATIENCE, Daemon, wait_until

pytestmark = pytest.mark.one_user

CROWD = 620
"""More than the page keeps that ask for nothing."""
SOON = PATIENCE / 2
"""Seconds within which a visitor sees the lobby, on the busiest of machines too."""
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LARGE = "/page/script.js"
UPLOAD = 32 * 1024 * 1024


@pytest.fixture
def daemon(tmp_path):
    daemon = Daemon(tmp_path, web="127.0.0.1:0")
    yield daemon
    daemon.end()


def port_of(daemon):
    return urlsplit(daemon.page).port


@contextlib.contextmanager
def crowd(daemon, said, *, buffer=0):
    """So many connections that have said this, and do nothing more."""
    with contextlib.ExitStack() as stack:
        sockets = []
        for _ in range(CROWD):
            peer = stack.enter_context(socket.socket())
            if buffer:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            peer.settimeout(PATIENCE)
            peer.connect(("127.0.0.1", port_of(daemon)))
            with contextlib.suppress(ConnectionError):  # the arena may have closed it
                peer.sendall(said)
            sockets.append(peer)
        yield sockets


def visited(daemon):
    """Load the page as a browser does, and wait for its lobby; how long it took, in seconds."""
    began = time.monotonic()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for path in ("/", "/page/main.js", "/page/style.css", LARGE):
        address = f"http://127.0.0.1:{port_of(daemon)}{path}"
        with opener.open(address, timeout=PATIENCE) as answer:
            assert int(answer.headers["Content-Length"]) == len(answer.read())
    with looking(daemon) as viewer:
        viewer.send('{"do": "lobby"}')
        assert "lobby" in {json.loads(viewer.recv(PATIENCE))["type"] for _ in range(2)}
    return time.monotonic() - began


@contextlib.contextmanager
def looking(daemon):
    """A viewer's WebSocket, which has heard hello."""
    address = f"ws://127.0.0.1:{port_of(daemon)}/api/1/ws"
    with connect(address, proxy=None, close_timeout=1, open_timeout=PATIENCE) as viewer:
        assert "hello" == json.loads(viewer.recv(PATIENCE))["type"]
        yield viewer


def closed(sockets):
    """How many of these connections the arena has closed."""
    with selectors.DefaultSelector() as ready:
        for peer in sockets:
            ready.register(peer, selectors.EVENT_READ)
        return len(ready.select(0))


@pytest.mark.long
@pytest.mark.parametrize("said", [HALF, b""], ids=["half requests", "silence"])
def test_half_requests_and_silence_keep_nobody_out(daemon, said):
    """Of 620 the oldest give way; the others are closed when their time is up."""
    with crowd(daemon, said) as sockets:
        assert visited(daemon) < SOON
        wait_until(lambda: closed(sockets) == CROWD, "all of them are closed")
    assert "Traceback" not in daemon.err


@pytest.mark.long
def test_answers_that_nobody_reads_keep_nobody_out(daemon):
    asked = f"GET {LARGE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with crowd(daemon, asked, buffer=1):
        visited(daemon)  # as soon as 620 answers allow
    assert "Traceback" not in daemon.err


@pytest.mark.long
def test_half_requests_that_go_on_keep_nobody_out(daemon):
    """For 30 seconds, bytes trickling in: whoever comes sees the page soon."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with crowd(daemon, HALF) as sockets:
            for peer in sockets:
                with contextlib.suppress(ConnectionError):
                    peer.sendall(b"X: y\r\n")
            assert visited(daemon) < SOON
    assert "Traceback" not in daemon.err


def test_announced_uploads_keep_nobody_out(daemon, tmp_path):
    """What isn't here takes no room: 16 viewers announce as much as there is room for."""
    record = tmp_path / "short.res"
    record.write_bytes(b"not a record, which is reported")
    with contextlib.ExitStack() as stack:
        for _ in range(16):
            viewer = stack.enter_context(looking(daemon))
            viewer.send(json.dumps({"do": "file", "id": 1, "name": "x", "size": UPLOAD}))
            viewer.send(b"x")
        honest = stack.enter_context(looking(daemon))
        began = time.monotonic()
        size = record.stat().st_size
        honest.send(json.dumps({"do": "file", "id": 1, "name": record.name, "size": size}))
        honest.send(record.read_bytes())
        answer = json.loads(honest.recv(PATIENCE))
        assert "too many files" not in answer["words"]
        assert time.monotonic() - began < PATIENCE / 2
    assert "Traceback" not in daemon.err
