"""A running arena as its page, its metrics and its operator see it: questions and commands."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import structlog

from lanista.arena.bot_connections import BotConnections, Refusal
from lanista.arena.ladder_matches import LadderMatches
from lanista.arena.lobby import HOUSE_BOT, Player, RoomKey
from lanista.arena.matches import ArenaFigures, Matches
from lanista.arena.options import Options
from lanista.arena.person import PersonMatches
from lanista.arena.spec import Rooms
from lanista.arena.tls import TlsRelay
from lanista.bots.command import environment
from lanista.bots.process import start_bot
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.control import RunningMatches
from lanista.hosting.names import bot_command
from lanista.match.background import BackgroundWork
from lanista.match.stalls import LoopLag
from lanista.suggestions import did_you_mean
from lanista_protocol import RemoteProtocolError

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names
    from lanista.arena.submission_queue import AllSubmissions
    from lanista.results.names import BenchedName

MAX_GUESTS = 16


class GuestRefusedError(BadInputError):
    """A house bot can't be seated; the message is one line."""


log = structlog.get_logger()


@attrs.frozen
class WaitingRoom:
    """A room in which bots wait."""

    name: str | None
    """Its name; None for the room of those that name none."""
    players: tuple[Player, ...]
    is_complete: bool
    """Whether a match of its bots could begin."""

    @property
    def ruleset(self) -> Ruleset:
        """The game."""
        return self.players[0].ruleset

    @property
    def is_ladder(self) -> bool:
        """Whether it is that of a ladder."""
        return self.players[0].ladder is not None


@attrs.define(eq=False)
class Arena:
    """A running arena, as whoever watches or operates it sees it."""

    _connections: BotConnections
    _matches: Matches
    _ladder_matches: LadderMatches
    submissions: "AllSubmissions | None" = None
    """The programs that were handed in to all ladders; None if no ladder takes any."""
    people: PersonMatches = attrs.field(
        default=attrs.Factory(lambda self: PersonMatches(self._matches), takes_self=True),
        init=False,
    )
    """The matches that people play in the browser."""
    _guests: int = attrs.field(default=0, init=False)  # house bots in rooms that aren't ladders'

    @property
    def options(self) -> Options:
        """What the operator has chosen, as it holds now."""
        return self._connections.options

    @property
    def address(self) -> tuple[str, int] | None:
        """The address and the port to which bots connect; None before they can."""
        return self._connections.address

    @property
    def page(self) -> str | None:
        """The address of the web page; None if there is none."""
        return self._connections.page

    @page.setter
    def page(self, address: str) -> None:
        self._connections.page = address

    @property
    def tls(self) -> TlsRelay | None:
        """Speaks TLS with bots and viewers; None if these speak plain text."""
        return self._connections.tls

    @property
    def background(self) -> BackgroundWork:
        """The background work for connections of bots."""
        return self._connections.background

    @property
    def is_ready(self) -> bool:
        """Whether bots that connect now are served: the arena neither begins nor ends."""
        return self._matches.nursery is not None and not self._matches.closing

    # -- bots ----------------------------------------------------------------------------------

    @property
    def connections(self) -> int:
        """Number of connections of bots that have a place."""
        return self._connections.admission.taken

    def connections_by_state(self) -> Mapping[str, int]:
        """Return the number of connections before their hello, waiting, playing, and leaving."""
        return self._connections.by_state()

    @property
    def refusals(self) -> Collection[Refusal]:
        """The last refused connections, the newest first."""
        return tuple(reversed(self._connections.refusals))

    def waiting(self) -> Collection[Player]:
        """Return all bots that wait for a match."""
        return self._matches.lobby.waiting()

    def rooms(self) -> Iterator[WaitingRoom]:
        """Yield the rooms in which bots wait."""
        lobby = self._matches.lobby
        for room in lobby.rooms():
            yield WaitingRoom(room[1], lobby.waiting(room), lobby.complete(room))

    def kick(self, number: int, error: RemoteProtocolError | None = None) -> bool:
        """Close the connection of a bot (`BotConnections.kick`)."""
        return self._connections.kick(number, error)

    def kick_all(self, name: str) -> int:
        """Close all connections of the bots of a name, whatever its capitals; return how many."""
        wanted = name.casefold()
        bots = [(player.number, player.name) for player in self.waiting()]
        for running in self.running.matches.values():
            bots += running.bots
        numbers = {number for number, name in bots if name.casefold() == wanted} - {HOUSE_BOT}
        return sum(map(self.kick, numbers))

    def seat_house_bot(self, game: str, bot: str, room: str) -> None:
        """Start a house bot for a room that isn't a ladder's; it connects like any other bot.

        Raises:
            UnknownGameError: There is no such game.
            GuestRefusedError: There is no such house bot, there are too many at once, the arena has
                only ladders, or it isn't serving bots now.
        """
        nursery = self._matches.nursery
        if nursery is None or self._matches.closing:
            raise GuestRefusedError("the arena isn't serving bots now")
        if self.options.spec.rooms is Rooms.LADDERS:
            raise GuestRefusedError('this arena has only ladders (rooms = "ladders" in its file)')
        ruleset = registry.get(game)
        house = registry.house_bots(game)
        if bot not in house:
            raise GuestRefusedError(
                f"{ruleset.title} has no house bot {bot!r}; it has: "
                f"{', '.join(house) or 'none'}{did_you_mean(bot, house)}"
            )
        if self._guests >= MAX_GUESTS:
            raise GuestRefusedError(f"already {MAX_GUESTS} house bots; wait until some have played")
        self._guests += 1
        nursery.start_soon(self._keep_guest, *bot_command(game, bot), room)

    async def _keep_guest(self, name: str, command: Sequence[str], room: str) -> None:
        """Run a house bot that plays one match in a room and leaves."""
        try:
            async with self._connections.listening_nearby() as (host, port):
                env = environment(host=host, port=port, name=name, room=room)
                async with start_bot(command, env) as started:
                    await started.exited()
                    how = await started.why_left()
            log.info("a house bot has left", name=name, room=room, how=how)
        except OSError as error:  # there is no descriptor or port for its connection
            log.error("a house bot can't connect", name=name, room=room, why=error.strerror)
        finally:
            self._guests -= 1

    # -- matches -------------------------------------------------------------------------------

    @property
    def running(self) -> RunningMatches:
        """The running matches."""
        return self._matches.running

    @property
    def over(self) -> int:
        """Number of matches that are over and count."""
        return self._matches.over

    @property
    def figures(self) -> ArenaFigures:
        """What was counted of matches and refusals."""
        return self._matches.figures

    @property
    def loop_lags(self) -> Mapping[str, LoopLag]:
        """How late the heartbeats of each event loop that plays matches were, by its name."""
        return self._matches.player.lags

    @property
    def boards_waiting(self) -> int:
        """Number of matches that wait until their board can be made."""
        return self._matches.player.boards_waiting

    @property
    def is_manual(self) -> bool:
        """Whether matches begin only when the operator says so."""
        return self._matches.manual

    def set_manual(self, *, manual: bool) -> None:
        """Set whether matches begin only when the operator says so, or by themselves."""
        self._matches.set_manual(manual)

    def start_match(self, room: RoomKey) -> bool:
        """Start the match of a room; return False if none is ready there, or may begin any more."""
        return self._matches.start(room)

    # -- ladders -------------------------------------------------------------------------------

    @property
    def ladders(self) -> "Mapping[str, LadderRoom]":
        """The ladders by name."""
        return self._ladder_matches.rooms

    @property
    def names(self) -> "Names | None":
        """The names on ladders; None if there are no ladders."""
        return self._connections.names

    def members(self) -> Collection[Player]:
        """Return the bots that are connected under a name on a ladder."""
        return self._connections.members.values()

    def bench(self, benched: "Collection[BenchedName]") -> None:
        """Let names on ladders rest that are benched, and those that were no longer."""
        self._ladder_matches.bench(benched, self.members())
