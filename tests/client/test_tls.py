"""Whether the client speaks TLS, and what it says of an arena without (docs/arena.md, `[tls]`)."""

import contextlib
import socket
import ssl
import threading
from pathlib import Path

import pytest

from client.scripted_arena import wired
from lanista_client import Arena, ArenaError

FILES = Path(__file__).parents[1] / "arena" / "certificates"
CA = str(FILES / "localhost.pem")
NO_FILE = "no.pem can't be read: no such file or directory"
PATIENCE = 60
"""Seconds that anything is waited for; nothing is expected to need them."""


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        ({}, {"TLS": "yes"}, "LANISTA_TLS must be 1 for TLS or 0 for plain text, not 'yes'"),
        ({"tls_ca": CA}, {}, "tls_ca is of no use without TLS: add tls=True"),
        ({"tls": True, "tls_ca": "no.pem"}, {}, f"tls_ca: {NO_FILE}"),
        ({"tls": True}, {"TLS_CA": "no.pem"}, f"LANISTA_TLS_CA: {NO_FILE}"),
        ({"tls_ca": __file__}, {"TLS": "1"}, f"tls_ca: {__file__} has no certificate in PEM"),
    ],
)
def test_what_can_not_be_used_is_refused_before_connecting(
    monkeypatch, arguments, environment, words
):
    for name, value in environment.items():
        monkeypatch.setenv(f"LANISTA_{name}", value)
    with pytest.raises(ValueError, match=r"LANISTA|tls") as refused:
        Arena("A", port=1, **arguments)
    assert words == str(refused.value)


@pytest.mark.parametrize(
    ("tls", "environment"), [(None, ""), (None, "0"), (False, "1"), (False, "yes")]
)
def test_plain_text_is_spoken_when_that_is_asked_for(monkeypatch, tls, environment):
    monkeypatch.setenv("LANISTA_TLS", environment)
    monkeypatch.setenv("LANISTA_TLS_CA", "no.pem")
    wire = wired(monkeypatch)
    Arena("A", tls=tls).close()
    assert b"A v=1\n" == wire.sent


@pytest.fixture
def peer():
    """Serves one connection by a function of its socket, in a thread; returns the port."""
    threads, listener = [], socket.create_server(("127.0.0.1", 0))
    listener.settimeout(PATIENCE)

    def serve(greet):
        def accept():
            connected, _ = listener.accept()
            connected.settimeout(PATIENCE)
            with connected:
                greet(connected)

        threads.append(threading.Thread(target=accept))
        threads[-1].start()
        return listener.getsockname()[1]

    yield serve
    for thread in threads:
        thread.join(PATIENCE)
    listener.close()


def presenting(certificate, key):
    """Perform a handshake with a certificate, which the bot may break off."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FILES / certificate, FILES / key)

    def greet(connected):
        with contextlib.suppress(OSError):
            context.wrap_socket(connected, server_side=True).close()

    return greet


def plain(connected):
    """Answer a handshake as an arena without TLS does."""
    connected.sendall(b"error bad-hello a TLS handshake\n")
    connected.recv(1)


@pytest.mark.parametrize(
    ("greet", "trusted", "why"),
    [
        (
            presenting("valid.pem", "arena.key"),
            CA,
            (
                "its certificate isn't trusted (self-signed certificate); to trust it, name a file "
                "with it or its issuer's in LANISTA_TLS_CA"
            ),
        ),
        (
            presenting("valid.pem", "arena.key"),
            FILES / "valid.pem",
            "its certificate is for other names than 127.0.0.1; connect by one of those",
        ),
        (plain, CA, "the arena there speaks plain text; connect without TLS"),
        (lambda connected: connected.recv(1), CA, "the connection ended in the handshake"),
    ],
    ids=["untrusted", "other-name", "plain-text", "no-place"],
)
def test_no_tls_is_told_in_one_line(peer, greet, trusted, why):
    port = peer(greet)
    with pytest.raises(ArenaError) as refused:
        Arena("A", port=port, tls=True, tls_ca=str(trusted))
    words = f"no TLS with 127.0.0.1:{port}: {why}"
    assert ("unreachable", words) == (refused.value.code, refused.value.words)


@pytest.mark.parametrize(
    ("certificate", "why"),
    [
        ("expired.pem", "its certificate has expired"),
        ("future.pem", "its certificate isn't valid yet by this machine's clock"),
    ],
)
def test_a_certificate_out_of_its_time_is_told_of(monkeypatch, peer, certificate, why):
    """It has the host's name, which the test leads to this machine."""
    port = peer(presenting(certificate, "arena.key"))
    create = socket.create_connection

    def nearby(_address, timeout):
        return create(("127.0.0.1", port), timeout)

    monkeypatch.setattr(socket, "create_connection", nearby)
    with pytest.raises(ArenaError) as refused:
        Arena("A", host="arena.example", port=port, tls=True, tls_ca=str(FILES / certificate))
    assert f"no TLS with arena.example:{port}: {why}" == refused.value.words
