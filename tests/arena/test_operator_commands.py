"""The socket for commands: who has it, and what is answered."""

import json
import socket

import pytest
import structlog
import trio

from lanista.arena.operator import serve_commands, socket_address
from lanista.errors import BadInputError
from lanista.results.data_folder import DataFolder


async def echo(asked):
    return {"echo": asked["text"]}


async def refuse(_):
    raise BadInputError("not today")


async def fail(_):
    raise ZeroDivisionError


COMMANDS = {"echo": echo, "refuse": refuse, "fail": fail}


async def asked(folder, line):
    """Send a line; the answer."""
    with socket_address(DataFolder(folder)) as address:
        stream = await trio.open_unix_socket(str(address))
    async with stream:
        await stream.send_all(line)
        received = b""
        async for chunk in stream:
            received += chunk
    return json.loads(received) if received else None


@pytest.fixture
async def serving(nursery, tmp_path):
    await nursery.start(serve_commands, DataFolder(tmp_path), COMMANDS)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b'{"command": "echo", "text": "\xc3\xa9"}\n', {"answer": {"echo": "é"}}),
        (b'{"command": "refuse"}\n', {"error": "not today"}),
        (b'{"command": "fail"}\n', {"error": "the arena failed to do this; its log says why"}),
        (b'{"command": "no"}\n', {"error": "unknown command; known are echo, fail, refuse"}),
    ],
)
async def test_each_line_gets_an_answer(serving, line, answer):
    assert answer == await asked(serving, line)


async def test_only_its_user_may_open_it_and_it_is_removed_at_the_end(tmp_path):
    async with trio.open_nursery() as nursery:
        await nursery.start(serve_commands, DataFolder(tmp_path), COMMANDS)
        assert 0o600 == (tmp_path / "control.sock").stat().st_mode & 0o777
        nursery.cancel_scope.cancel()
    assert [] == list(tmp_path.iterdir())


async def test_that_of_a_killed_arena_is_replaced(nursery, tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "control.sock"))
        left.listen()
    await nursery.start(serve_commands, DataFolder(tmp_path), COMMANDS)
    assert {"error": "not today"} == await asked(tmp_path, b'{"command":"refuse"}\n')


async def test_that_of_a_running_arena_stays(nursery, tmp_path):
    await nursery.start(serve_commands, DataFolder(tmp_path), COMMANDS)
    with structlog.testing.capture_logs() as lines:
        await nursery.start(serve_commands, DataFolder(tmp_path), {})
    assert ["another running arena uses it"] == [line["why"] for line in lines]
    assert {"error": "not today"} == await asked(tmp_path, b'{"command":"refuse"}\n')


async def test_the_path_of_the_folder_may_be_long(nursery, tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    await nursery.start(serve_commands, DataFolder(folder), COMMANDS)
    assert {"error": "not today"} == await asked(folder, b'{"command":"refuse"}\n')
