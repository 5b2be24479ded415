"""A running arena: its connections and matches, its beginning and end, and what is asked of it.

The page, the metrics and the operator ask its parts directly; what concerns several parts is here.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from lanista.arena.bot_connections import BotConnections
from lanista.arena.ladder_matches import LadderMatches
from lanista.arena.lobby import Lobby
from lanista.arena.matches import Matches, RecordSpace
from lanista.arena.options import Options
from lanista.arena.person import PersonMatches
from lanista.arena.spec import Registration
from lanista.arena.tls import TlsRelay
from lanista.bots.command import environment
from lanista.bots.process import start_bot
from lanista.errors import BadInputError, one_line
from lanista.games import registry
from lanista.hosting.control import RunningMatches
from lanista.hosting.names import bot_command
from lanista.nurseries import ungrouped
from lanista.results.recovery import complete_records

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names
    from lanista.arena.submission_queue import AllSubmissions

MAX_GUESTS = 16
"""Maximum number of house bots at once in rooms that aren't ladders'."""
SHUTDOWN_TIME = 4.0
"""Seconds that running matches have at shutdown to tell their bots and write their records."""
STORING_TIME = 1.0
"""Seconds, within those, that storing the last results of ladders may take; the next start finds
the other results in the records."""

log = structlog.get_logger()


@attrs.define(eq=False)
class Arena:
    """A running arena. Call `connections.listen`, then `serve`, each only once.

    Its tasks are in nested nurseries so that they are shut down in order: first no more connections
    are accepted and no more matches begin; then the running matches tell their bots and complete
    their records; then everything else is cancelled.
    """

    options: Options
    """The choices of the operator, as they hold now."""
    ladders: "Mapping[str, LadderRoom]" = attrs.field(factory=dict)
    names: "Names | None" = None
    """The names on ladders; None if there are no ladders."""
    submissions: "AllSubmissions | None" = None
    """The programs that were handed in to all ladders; None if no ladder takes any."""
    lobby: Lobby = attrs.field(factory=Lobby, init=False)
    running: RunningMatches = attrs.field(factory=RunningMatches, init=False)
    matches: Matches = attrs.field(init=False)
    ladder_matches: LadderMatches = attrs.field(init=False)
    people: PersonMatches = attrs.field(init=False)
    """The matches that people play in the browser."""
    connections: BotConnections = attrs.field(init=False)
    _space: RecordSpace = attrs.field(init=False)
    _helpers: trio.Nursery | None = attrs.field(default=None, init=False)
    _draining: trio.Event = attrs.field(factory=trio.Event, init=False)
    _is_ending: bool = attrs.field(default=False, init=False)  # whether `shut_down` was called
    _guests: int = attrs.field(default=0, init=False)  # house bots in rooms that aren't ladders'

    def __attrs_post_init__(self) -> None:
        options, folder, tls = self.options, self.options.folder, self.options.spec.tls
        self._space = RecordSpace(options.data, self._has_room_again, self.running.changes)
        self.matches = Matches(options, self.lobby, self.running, self.shut_down, self._space)
        self.ladder_matches = LadderMatches(self.matches, self.ladders)
        self.people = PersonMatches(self.matches)
        self.connections = BotConnections(
            options,
            self.lobby,
            self.running,
            self.matches,
            self.ladder_matches,
            self.names,
            None if tls is None else TlsRelay(folder / tls.certificate, folder / tls.key),
        )

    async def serve(self) -> None:
        """Serve, after listening, until `drain`, `shut_down` or the last of `Options.matches`."""
        async with trio.open_nursery() as helpers:
            helpers.start_soon(self.matches.player.run)
            helpers.start_soon(self._space.run)
            self._helpers = helpers
            self._complete_records()
            helpers.start_soon(self._shut_down_when_drained)
            if self.names is not None:
                helpers.start_soon(self.names.run)
            # Connections and matches are in an inner nursery, because they need the helpers until
            # they end.
            async with trio.open_nursery() as matches:
                self.matches.nursery = matches
                self.ladder_matches.open(helpers)
                if self.submissions is not None:
                    helpers.start_soon(self.submissions.run)
                await self.connections.accept()
                end = matches.cancel_scope.deadline = trio.current_time() + SHUTDOWN_TIME
            with trio.move_on_at(min(end, trio.current_time() + STORING_TIME)):
                await self.ladder_matches.settle()
            helpers.cancel_scope.cancel()
        log.info("ended", matches=self.matches.over)

    def _complete_records(self) -> None:
        """Complete the records that are left behind, while the arena runs."""
        if self._helpers is not None:
            records = self.options.data.records
            complete = trio.to_thread.run_sync
            self._helpers.start_soon(complete, complete_records, records, self.running.end)

    def _has_room_again(self) -> None:
        """Go on with matches after there was, or might have been, no room for records."""
        # One may lack no more than compressing. There may be room for little, but not for that one.
        self._complete_records()
        self.matches.start_ready()
        self.ladder_matches.start_ready()

    def drain(self) -> None:
        """Begin no more matches, wait `Options.drain` seconds for the running ones, and shut down.

        Until then bots may still come back to their matches; all others get `error shutdown`. If
        the arena drains already, it shuts down at once.
        """
        if self.options.spec.drain == 0 or self._draining.is_set():
            self.shut_down()
            return
        running, waiting = len(self.running.matches), len(self.lobby.waiting())
        log.info("draining", seconds=self.options.spec.drain, running=running, waiting=waiting)
        self.matches.closing = True
        self._draining.set()
        self.connections.empty_lobby()

    async def _shut_down_when_drained(self) -> None:
        await self._draining.wait()
        with trio.move_on_after(self.options.spec.drain):
            while self.matches.unfinished:
                await self.running.changes.wait(self.running.changes.count)
        self.shut_down()

    def shut_down(self) -> None:
        """Begin no more matches, end the running ones by `error shutdown`, and make `serve` end."""
        if self._is_ending:
            return
        self._is_ending = True
        self.matches.shut_down()
        self.connections.end()

    def reload(self, options: Options) -> None:
        """Go on with the limits of other options (`options.with_limits`)."""
        self.options, spec = options, options.spec
        self.connections.reload(options)
        if self.names is not None:
            self.names.is_open = spec.registration is Registration.OPEN
        self.ladder_matches.reload(spec.ladders)
        if self.submissions is not None:
            for handed_in in self.submissions.ladders.values():
                handed_in.reload()
        log.info(
            "the arena's file was read again",
            max_connections=spec.max_connections,
            max_per_address=spec.max_per_address,
            hello_timeout=spec.hello_timeout,
            registration=spec.registration.value,
            drain=spec.drain,
        )

    # -- what is asked of it ---------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether bots that connect now are served: the arena neither begins nor ends."""
        return self.matches.nursery is not None and not self.matches.closing

    def seat_house_bot(self, game: str, bot: str, room: str) -> None:
        """Start a house bot for a room that isn't a ladder's; it connects like any other bot.

        Raises:
            BadInputError: There is no such game or bot, or it can't play now.
        """
        nursery = self.matches.check_friendly()
        registry.check_house_bot(registry.get(game), bot)
        if self._guests >= MAX_GUESTS:
            raise BadInputError(f"already {MAX_GUESTS} house bots; wait until some have played")
        self._guests += 1
        nursery.start_soon(self._keep_guest, *bot_command(game, bot), room)

    async def _keep_guest(self, name: str, command: Sequence[str], room: str) -> None:
        """Run a house bot that plays one match in a room and leaves."""
        try:
            async with self.connections.listening_nearby() as (host, port):
                env = environment(host=host, port=port, name=name, room=room)
                async with start_bot(command, env) as started:
                    await started.exited()
                    how = await started.why_left()
            log.info("a house bot has left", name=name, room=room, how=how)
        except* OSError as errors:  # there is no descriptor or port for its connection
            why = one_line(ungrouped(errors))
            log.error("a house bot can't connect", name=name, room=room, why=why)
        finally:
            self._guests -= 1
