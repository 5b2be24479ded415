"""Builds programs that authors hand in: in a sandbox, under limits, one file in and one file out.

A sandbox shows the file, a program's source or a ZIP, to `builder`, which compiles it and sends a
tar file back over the one connection that leaves the sandbox. That file is stored as it came, and
is unpacked only in the sandboxes in which the program plays (`unpacker`, `command_of`). So nothing
of an upload is ever unpacked or run outside of a sandbox.
"""

import hmac
import json
import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.bots import builder, unpacker
from lanista.bots.client_libraries import HEADER, SOURCES, library
from lanista.bots.command import HOST, environment
from lanista.bots.limits import MIB, BotLimits
from lanista.bots.process import Bot, start_bot
from lanista.bots.sandbox import Sandbox
from lanista.errors import LanistaError, printable
from lanista.system import undoing
from lanista.temporary import TemporaryFolder
from lanista.unwatched import patiently

SCRATCH_SIZE = 512 * MIB
"""Size of a build's scratch folder in bytes; it is in memory."""
MAX_LINE = 64 * 1024
"""Maximum size of the first line of a result, in bytes."""
MAX_WORDS, MAX_COMMAND = 64, 4096
"""Maximum number of words of a program's command line, and of their characters together."""
MAX_WHY = 500
"""Maximum number of characters of the line that says why a program can't be built."""
PIECE = 256 * 1024
"""Number of bytes of a result that are received at once."""
SECRET_TIME = 30.0
"""Seconds that a connection may take to show a build's secret; a build does so when it begins."""
LEAVING_TIME = 2.0
"""Seconds until it is known how a build's process ended, once its connection was closed."""
PACKING = 1.5
"""Maximum size of a tar file in relation to the files in it, with `PACKING_BASE` more."""
PACKING_BASE = MIB
ENDINGS: Mapping[str, str] = {
    **{ending: one.name for one in builder.LANGUAGES for ending in one.endings},
    ".zip": "ZIP",
}
"""The endings of files that can be handed in, each with its language."""
BUILD_LIMITS = BotLimits(memory=2 << 30, cpu=300, file_size=SCRATCH_SIZE, processes=64)
"""The default limits of a build."""
MAY_BE_ANOTHERS_FAULT = "if the program wasn't why, hand it in again"
"""The advice for a program whose build or check was lost, as when a machine has no memory left.

The program may be why, so it is refused: otherwise it would be tried for ever.
"""


class NotBuiltError(LanistaError):
    """A program couldn't be built; the message is one line for its author."""


class BrokenSandboxError(LanistaError):
    """A build didn't start, by no fault of the program; the message is one line."""


@attrs.frozen(kw_only=True)
class Built:
    """A program that was built."""

    command: tuple[str, ...]
    """The command line that runs it in the folder of its files; see `builder.PYTHON`."""
    size: int


@attrs.frozen(kw_only=True)
class Tools:
    """What programs can be built with and can use, as they find it in their sandboxes."""

    languages: Mapping[str, str] = {}
    """The languages that can be built, each with what its tool says of its version."""
    packages: Mapping[str, str] = {}
    """The Python packages besides Lanista's, each with its version."""


@attrs.frozen(kw_only=True)
class Builder:
    """Builds programs, all of them under the same limits."""

    limits: BotLimits = BUILD_LIMITS
    seconds: float = 120.0
    """Seconds that a build may take."""
    most: int = 64 * MIB
    """Maximum size of the built program in bytes."""
    hidden: Sequence[Path] = ()
    """Files and folders that a build must not see, as `Sandbox.hidden`."""

    async def tools(self) -> Tools:
        """Return what works in a sandbox; raise BrokenSandboxError if that can't be found out."""
        with TemporaryFolder("lanista-build") as folder:
            answer = await self._run(["--tools"], {}, folder.path)
        languages, packages = answer.get("languages"), answer.get("packages")
        if not isinstance(languages, dict) or not isinstance(packages, dict):
            raise BrokenSandboxError(f"no languages were found in a sandbox: {answer}"[:500])
        return Tools(languages=_short(languages), packages=_short(packages))

    async def build(
        self,
        source: Path,
        product: Path,
        *,
        file: str,
        game: str,
        on_start: Callable[[Bot], object] = lambda _bot: None,
    ) -> Built:
        """Build a program of the bytes that were handed in, which are in a file `source`.

        It is written, packed, to `product`, where nothing is if that fails. `file` is what its
        author calls it, with one of `ENDINGS`. The game is for players of the original kits.
        `on_start` is called with the process, whose output is what the compilers say.

        Raises:
            NotBuiltError: The program can't be built, or its keeper was killed.
            BrokenSandboxError: The sandbox can't be made.
            OSError: The result can't be written.
        """
        with TemporaryFolder("lanista-build") as folder:
            libraries = await trio.to_thread.run_sync(_libraries, folder.path)
            asked = {"file": file, "game": game, "most": self.most}
            with undoing(lambda: product.unlink(missing_ok=True)):
                answer = await self._run(
                    [str(source), *map(str, libraries)],
                    asked,
                    folder.path,
                    product,
                    on_start,
                )
                return Built(command=_command(answer), size=product.stat().st_size)  # noqa: ASYNC240 - quick

    async def _run(
        self,
        files: Sequence[str],
        asked: Mapping[str, Any],
        folder: Path,
        product: Path | None = None,
        on_start: Callable[[Bot], object] = lambda _bot: None,
    ) -> dict[str, Any]:
        """Run `builder` in a sandbox, write what follows its answer, and return the answer."""
        request = _write_request({**asked, "python": sys.executable}, folder)
        [listener] = await trio.open_tcp_listeners(0, host=HOST)
        async with listener:
            port = listener.socket.getsockname()[1]
            command = [
                *(sys.executable, "-I", "-S", "-B", builder.__file__),
                *(str(request), *files),
            ]
            secret = secrets.token_hex(16)
            env = environment(port=port, name="build", token=secret)
            sandbox = Sandbox(port=port, scratch_size=SCRATCH_SIZE, hidden=tuple(self.hidden))
            async with start_bot(
                # A sandbox shows what a command line names: the tools, wherever they are.
                [*command, builder.END, *builder.TOOLS],
                env,
                cwd=folder,
                grace=1.0,
                limits=self.limits,
                sandbox=sandbox,
            ) as bot:
                if bot.pid is None:
                    raise BrokenSandboxError(f"the sandbox of a build {bot.exit}")
                on_start(bot)
                answer: dict[str, Any] | None = None
                with trio.move_on_after(self.seconds) as scope:
                    answer = await self._receive(listener, bot, product, secret)
                if scope.cancelled_caught:
                    raise NotBuiltError(f"the build took more than {self.seconds:g} s, its limit")
                if answer is None:
                    with trio.move_on_after(LEAVING_TIME):
                        await bot.exited()
                    if bot.exit is not None and bot.exit.failure is not None:
                        raise NotBuiltError(f"the build {bot.exit}; {MAY_BE_ANOTHERS_FAULT}")
                    how = bot.exit or "was ended"
                    raise NotBuiltError(f"the build ended without a result: its process {how}")
        return answer

    async def _receive(
        self, listener: trio.SocketListener, bot: Bot, product: Path | None, secret: str
    ) -> dict[str, Any] | None:
        """Return the answer of a build, having written what follows it; None if none came.

        Every user of this machine can connect to the port, so only the build knows a secret.
        """
        while True:
            async with await patiently(listener.accept) as stream:
                is_build = False
                with trio.move_on_after(SECRET_TIME):
                    is_build = await _shows(stream, secret)
                if is_build:
                    return await self._read(stream, bot, product)
            with trio.move_on_after(LEAVING_TIME) as scope:
                await bot.exited()
            if not scope.cancelled_caught:
                return None

    async def _read(
        self, stream: trio.SocketStream, bot: Bot, product: Path | None
    ) -> dict[str, Any] | None:
        """Return the answer that a build sends over its connection, as `_receive` does."""
        most = int(self.most * PACKING) + PACKING_BASE
        received = bytearray()
        while b"\n" not in received and len(received) <= MAX_LINE:
            data = await _some(stream)
            if not data:
                return None
            received += data
        line, end, rest = bytes(received).partition(b"\n")
        answer = _parsed(line) if end else None
        if answer is None or product is None or "error" in answer:
            return answer
        size = 0
        with product.open("wb") as file:
            os.fchmod(file.fileno(), 0o644)  # whatever the umask: see `results.submissions`
            data = rest
            while data or (data := await _some(stream)):
                size += len(data)
                if size > most:
                    raise NotBuiltError(f"the built program takes more than {self.most >> 20} MiB")
                await trio.to_thread.run_sync(file.write, data)  # the disk may take long
                data = b""
            await trio.to_thread.run_sync(file.flush)
            await trio.to_thread.run_sync(os.fsync, file.fileno())
        exit_ = await bot.exited()
        return answer if exit_.code == 0 else None


def _short(versions: Mapping[str, Any]) -> dict[str, str]:
    return {str(name)[:80]: str(version)[:80] for name, version in versions.items()}


def _write_request(asked: Mapping[str, Any], folder: Path) -> Path:
    """Write what `builder` is asked for into its folder; it runs as somebody else for root."""
    request = folder / "request.json"
    request.write_text(json.dumps(asked), encoding="utf-8")
    request.chmod(0o644)
    folder.chmod(0o755)
    return request


async def _shows(stream: trio.SocketStream, secret: str) -> bool:
    """Return whether the first line of a connection is the secret."""
    expected, received = f"{secret}\n".encode(), b""
    while len(received) < len(expected):
        data = await _some(stream, len(expected) - len(received))
        if not data:
            return False
        received += data
    return hmac.compare_digest(received, expected)


async def _some(stream: trio.SocketStream, most: int = PIECE) -> bytes:
    try:
        return bytes(await patiently(partial(stream.receive_some, most)))
    except trio.BrokenResourceError:
        return b""


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _command(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command in a build's answer, which may be anything, or raise NotBuiltError."""
    if "error" in answer:
        raise NotBuiltError(printable(str(answer["error"])[:MAX_WHY]))
    words = answer.get("command")
    if (
        not isinstance(words, list)
        or not 1 <= len(words) <= MAX_WORDS
        or not all(isinstance(word, str) and word and word.isprintable() for word in words)
        or sum(map(len, words)) > MAX_COMMAND
    ):
        raise NotBuiltError(
            f"the command line that runs it isn't 1 to {MAX_WORDS} words of printable characters, "
            f"together at most {MAX_COMMAND}; see run in bot.toml"
        )
    return tuple(words)


def _libraries(folder: Path) -> list[Path]:
    files = [HEADER]
    for language in SOURCES:
        if language not in {"python", "cpp"}:  # these are there already
            file = folder / f"{language}.zip"
            file.write_bytes(library(file.name))
            file.chmod(0o644)
            files.append(file)
    return files


def command_of(product: Path, command: Sequence[str]) -> tuple[str, ...]:
    """Return the command line that runs a built program in a sandbox, given `Built.command`."""
    return (sys.executable, "-I", "-S", "-B", unpacker.__file__, str(product), *command)
