"""A socket that bots take for an arena, and starting the bots of tests/bots against it."""

import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import attrs
import pytest
import trio

from lanista.bots.command import HOST, environment
from lanista.bots.process import Bot, start_bot
from lanista.bots.sandbox import Sandbox, SandboxError, check_sandbox

try:
    check_sandbox()
    CAN_SANDBOX = True
except SandboxError:
    if os.environ.get("CI") == "true":
        raise
    CAN_SANDBOX = False

needs_sandbox = pytest.mark.skipif(not CAN_SANDBOX, reason="no sandbox can be made here")

BOTS = Path(__file__).parent.parent / "bots"


@attrs.frozen
class Arena:
    """A listener and where it listens."""

    listener: trio.SocketListener

    @property
    def port(self) -> int:
        return self.listener.socket.getsockname()[1]

    @property
    def env(self) -> dict[str, str]:
        return environment(port=self.port, name="Camper", token="t0k")

    def start(self, *words, sandboxed=False, **options):
        """Start a bot against it; options as of `start_bot`."""
        sandbox = Sandbox(port=self.port) if sandboxed else None
        options.setdefault("grace", 0)
        env = options.pop("env", self.env)
        return start_bot(words, env, sandbox=sandbox, **options)

    @contextlib.asynccontextmanager
    async def first_turn(self, name: str, *words: str, **options) -> AsyncIterator[Bot]:
        """Start a bot of tests/bots, and give it its first turn."""
        command = sys.executable, str(BOTS / name), *words
        async with self.start(*command, **options) as bot, await self.listener.accept() as stream:
            hello = b""
            while not hello.endswith(b"\n"):
                hello += await stream.receive_some()
            await stream.send_all(b"go\n")
            yield bot


@contextlib.asynccontextmanager
async def listening() -> AsyncIterator[Arena]:
    """An arena for the block."""
    (listener,) = await trio.open_tcp_listeners(0, host=HOST)
    async with listener:
        yield Arena(listener)
