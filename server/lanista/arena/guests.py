"""House bots that the operator seats in friendly rooms; they connect like any other bot."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import attrs
import structlog
import trio

from lanista.bots.command import environment
from lanista.bots.process import start_bot
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.names import bot_command
from lanista.suggestions import did_you_mean

MOST = 16
"""Maximum number of guests at once."""

log = structlog.get_logger()


class GuestRefusedError(Exception):
    """A house bot can't be seated; the message is one line."""


@attrs.define(eq=False)
class Guests:
    """The house bots that were started for friendly rooms; each plays one match and leaves."""

    nearby: Callable[[], AbstractAsyncContextManager[tuple[str, int]]]
    """Opens an address within this machine at which the arena takes plain text."""
    _count: int = attrs.field(default=0, init=False)

    def start(self, nursery: trio.Nursery, ruleset: Ruleset, bot: str, room: str) -> None:
        """Start a house bot for a room.

        Args:
            nursery: The nursery of its task, which ends it when it is cancelled.
            ruleset: The game.
            bot: The house bot's name.
            room: The room in which it is to play.

        Raises:
            GuestRefusedError: There is no such house bot, or there are too many at once.
        """
        if bot not in registry.house_bots(ruleset.name):
            known = ", ".join(registry.house_bots(ruleset.name)) or "none"
            raise GuestRefusedError(
                f"no house bot {bot!r} of {ruleset.title}; there are: {known}"
                f"{did_you_mean(bot, registry.house_bots(ruleset.name))}"
            )
        if self._count >= MOST:
            raise GuestRefusedError(f"{MOST} house bots at once; wait until some have played")
        self._count += 1
        nursery.start_soon(self._live, ruleset, bot, room)

    async def _live(self, ruleset: Ruleset, bot: str, room: str) -> None:
        name, command = bot_command(ruleset.name, bot)
        try:
            async with self.nearby() as (host, port):
                env = environment(host=host, port=port, name=name, room=room)
                async with start_bot(command, env) as started:
                    await started.exited()
                    how = await started.why_left()
            log.info("a house bot has left", name=name, room=room, how=how)
        except OSError as error:  # there is no descriptor or port for its connection
            log.error("a house bot can't connect", name=name, room=room, why=error.strerror)  # noqa: TRY400
        finally:
            self._count -= 1
