"""What the client says first, and from where it knows it (`PROTOCOL.md 2`)."""

import socket

import pytest

from client.scripted_arena import wired
from lanista_client import Arena, ArenaError


@pytest.mark.parametrize(
    ("arguments", "hello"),
    [
        ({"name": "CamperJoe"}, b"CamperJoe v=1\n"),
        ({"name": "Ann Lee", "game": "angrymob"}, b"Ann Lee v=1 game=angrymob\n"),
        (
            {"name": "A", "game": "crematoria", "room": "cup-3", "seat": 0, "token": "9f="},
            b"A v=1 game=crematoria room=cup-3 seat=0 token=9f=\n",
        ),
        ({"name": "Zo\u00eb", "keep": True, "notes": True}, b"Zo\xc3\xab v=1 keep=1 notes=1\n"),
        ({"name": "x" * 32}, b"x" * 32 + b" v=1\n"),
    ],
)
def test_hello_says_name_and_options(monkeypatch, arguments, hello):
    wire = wired(monkeypatch)
    Arena(**arguments).close()
    assert hello == wire.sent


HERE = {"HOST": "arena", "PORT": "99", "NAME": "E", "TOKEN": "t"}


@pytest.mark.parametrize(
    ("variables", "arguments", "address", "hello"),
    [
        pytest.param({}, {"name": "A"}, (b"127.0.0.1", 7777), b"A v=1\n", id="nothing is said"),
        pytest.param(HERE, {}, (b"arena", 99), b"E v=1 token=t\n", id="by the environment"),
        pytest.param(
            *(HERE | {"PORT": "no"}, {"name": "A", "host": "other", "port": 1, "token": "u"}),
            *((b"other", 1), b"A v=1 token=u\n"),
            id="arguments override it",
        ),
        pytest.param(
            *(dict.fromkeys(HERE, ""), {"name": "A"}),
            *((b"127.0.0.1", 7777), b"A v=1\n"),
            id="empty variables say nothing",
        ),
        pytest.param(
            *({}, {"name": "A", "host": "ar\u00e9na"}, ("ar\u00e9na", 7777), b"A v=1\n"),
            id="an international name is left to the resolver",
        ),
        # What a bot that Lanista started says of another arena counts for nothing; what it says of
        # itself does.
        pytest.param(
            HERE | {"LOCAL": "1"},
            {"name": "A", "keep": True, "reconnect": True, "host": "other", "port": 1}
            | {"token": "u", "room": "pit", "tls": True},
            (b"arena", 99),
            b"A v=1 token=t keep=1\n",
            id="started by lanista it stays",
        ),
    ],
)
def test_where_the_arena_is(monkeypatch, variables, arguments, address, hello):
    wire = wired(monkeypatch)
    for name, value in variables.items():
        monkeypatch.setenv(f"LANISTA_{name}", value)
    Arena(**arguments).close()
    assert address == wire.address
    assert hello == wire.sent


def test_small_writes_go_at_once_and_a_machine_that_is_gone_is_noticed(monkeypatch):
    """PROTOCOL.md 1: both sides set TCP_NODELAY. A bot that only waits would never know else."""
    wire = wired(monkeypatch)
    Arena("A").close()
    assert (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1) in wire.options
    assert (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1) in wire.options
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # for an answer that isn't acknowledged
        assert (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 120_000) in wire.options
    assert wire.closed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "has no name"),
        ({"name": "a=b"}, "'a=b'"),
        ({"name": 5}, "not 5"),
        ({"name": "two\nlines"}, r"'two\nlines'"),
        ({"name": "two  spaces"}, "single spaces"),
        ({"name": "x" * 33}, "1 to 32"),
        ({"name": "A", "room": "cup 3"}, "room must be one printable word without spaces"),
        ({"name": "A", "room": ""}, "room must be"),
        ({"name": "A", "token": "t\n"}, "token must be"),
        ({"name": "A", "token": "my secret"}, "token must be"),
        ({"name": "A", "port": 65_536}, "from 1 to 65535, such as 7777, not 65536"),
        ({"name": "A", "port": 0}, "port must be a port number from 1 to 65535"),
        ({"name": "A", "port": -1}, "port must be a port number"),
        ({"name": "A", "port": "http"}, "not 'http'"),
        ({"name": "A", "port": 7777.0}, "not 7777.0"),
    ],
)
def test_what_no_hello_can_say_is_refused_before_connecting(monkeypatch, arguments, words):
    wire = wired(monkeypatch)
    with pytest.raises(ValueError) as caught:
        Arena(**arguments)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)
    assert b"" == wire.sent


@pytest.mark.parametrize("port", ["http", "70000"])
def test_a_port_that_is_no_number_is_named(monkeypatch, port):
    monkeypatch.setenv("LANISTA_PORT", port)
    with pytest.raises(ValueError) as caught:
        Arena("A")
    words = "LANISTA_PORT must be a port number from 1 to 65535, such as 7777"
    assert f"{words}, not {port!r}" == str(caught.value)


def test_a_name_that_no_host_can_have_is_an_unknown_host():
    """The codec for international names refuses an empty part before anything is looked up."""
    with pytest.raises(ArenaError) as caught:
        Arena("A", host="\u00e9..example")
    words = "no arena at \u00e9..example:7777: unknown host; check the host and the port"
    assert ("unreachable", words) == (caught.value.code, caught.value.words)
