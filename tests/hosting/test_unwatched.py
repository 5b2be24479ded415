"""Waiting while the system can't watch another descriptor, as epoll_ctl(2) says by ENOSPC."""

import errno

import pytest
import trio

from hosting.test_host import SPEC
from lanista.hosting.bot_pool import Contestant
from lanista.hosting.names import bot_command
from lanista.hosting.started_match import StartedMatch
from lanista.unwatched import patiently

NO_WATCHES = OSError(errno.ENOSPC, "No space left on device")
RESET = ConnectionResetError(errno.ECONNRESET, "reset")


def told_by_a_stream(error):
    broken = trio.BrokenResourceError("socket connection broken")
    broken.__cause__ = error
    return broken


async def test_a_call_is_repeated_for_that_reason_alone(autojump_clock):
    ends = [NO_WATCHES, told_by_a_stream(NO_WATCHES), 1, told_by_a_stream(RESET), RESET]

    async def call():
        end = ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end

    assert 1 == await patiently(call)
    with pytest.raises(trio.BrokenResourceError):
        await patiently(call)
    with pytest.raises(ConnectionResetError):
        await patiently(call)


async def test_a_match_is_played_meanwhile(tmp_path, monkeypatch):
    """Bots are started, connect and answer, although no descriptor can be watched at first."""
    really_wait, tries = trio.lowlevel.wait_readable, {}

    async def wait(descriptor):
        number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        tries[number] = tries.get(number, 0) + 1
        if tries[number] <= 3:
            raise NO_WATCHES
        await really_wait(descriptor)

    monkeypatch.setattr(trio.lowlevel, "wait_readable", wait)
    _, command = bot_command("angrymob", "RandomRunners")
    report = await StartedMatch(
        spec=SPEC,
        contestants=[Contestant(name=name, command=command) for name in "ab"],
        record_path=lambda id_: tmp_path / id_,
    ).play()
    assert "finished" == report.result.end
    assert len(tries) >= 6  # the output, the keeper and the connection of each bot
