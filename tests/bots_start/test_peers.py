"""Whose process is at the other end of a connection."""

import os
import socket
import subprocess
import sys

import pytest

from lanista.bots import peers

DIALS = """
import os, socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
sys.stdin.read()
"""


@pytest.fixture
def connection():
    """Our end of a connection, and the process at the other."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        words = [sys.executable, "-S", "-c", DIALS, str(port)]
        with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
            server.settimeout(20)
            ours, _ = server.accept()
            with ours:
                yield ours, process
                process.stdin.close()


def test_the_process_that_dialled_is_found_below_those_it_comes_from(connection):
    ours, process = connection
    ends = ours.getpeername(), ours.getsockname()
    assert peers.connects(process.pid, *ends)
    assert peers.connects(os.getpid(), *ends)


def test_another_process_is_not_taken_for_it(connection):
    ours, _ = connection
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as other:
        assert not peers.connects(other.pid, ours.getpeername(), ours.getsockname())
        other.stdin.close()


def test_a_connection_that_is_not_there_is_nobodys(connection):
    ours, process = connection
    address, port = ours.getpeername()
    assert not peers.connects(process.pid, (address, port), (address, port))
