"""A person who plays a match against house bots: the bridge between the page and the wire protocol.

A pair of sockets stands in for a bot's connection: the arena has one end, which it treats like any
other bot's, and `Person` the other, where it reads the arena's lines and sends the answers that the
person gives. So such a match is played, recorded and replayed like every other. It is in no room,
where others could join it, and on no ladder.
"""

import contextlib
import socket
from collections import Counter
from collections.abc import Sequence
from functools import partial

import attrs
import trio

from lanista.arena.lobby import NO_NUMBER
from lanista.arena.match_player import record_path
from lanista.arena.matches import Matches
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Ruleset, check_seed
from lanista.hosting import handshake
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.control import Changes
from lanista.hosting.host import SeatedMatch, distinct, play_match
from lanista.hosting.names import bot_command, checked_name
from lanista.match.channel import SocketChannel
from lanista.match.conditions import Clock, MatchSpec
from lanista.match.connection import Connection
from lanista.nurseries import helpers_nursery
from lanista.unwatched import patiently
from lanista_protocol import LINE_LIMIT, ErrorCode, RemoteProtocolError

THINKING_TIME = 600.0
"""Seconds for each answer in a person's match; the house bots have as many."""
MAX_PEOPLE = 20
"""Maximum number of people who play at once."""
MAX_PER_ADDRESS = 4
"""The same for each address."""


@attrs.frozen(kw_only=True)
class PersonsWish:
    """The match that a person wants to play."""

    game: str
    name: str
    """The person's name, of the form of a bot's."""
    bots: Sequence[str]
    """The names of the house bots, by seat, without the person's."""
    seat: int = 0
    seed: int | None = None
    """The match's seed; None to draw one."""


@attrs.define(eq=False)
class Person:
    """A person in a match, at the end of the connection where a bot would be."""

    stream: trio.SocketStream
    match: str | None = attrs.field(default=None, init=False)
    """The match's id, once it has begun."""
    asked: int | None = attrs.field(default=None, init=False)
    """The turn for which an answer is awaited; None if none is."""
    is_over: bool = attrs.field(default=False, init=False)
    """Whether no answer will be asked for any more."""
    why: str = attrs.field(default="", init=False)
    """The arena's reason if it closed the connection with an error."""
    _changes: Changes = attrs.field(factory=Changes, init=False)

    async def listen(self) -> None:
        """Read the arena's lines until the connection ends."""
        turn, unread = 0, b""
        try:
            while data := await patiently(partial(self.stream.receive_some, LINE_LIMIT)):
                *lines, unread = (unread + data).split(b"\n")
                for line in lines:
                    keyword, _, rest = line.partition(b" ")
                    if keyword == b"start":
                        self.match = rest.decode()
                    elif keyword == b"turn":
                        turn = int(rest)
                    elif keyword == b"go":
                        self.asked = turn
                        self._changes.tell()
                    elif keyword == b"error":
                        self.why = rest.partition(b" ")[2].decode()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            self.is_over, self.asked = True, None
            self._changes.tell()
            self.leave()

    async def answer(self, turn: int, line: str) -> None:
        """Send the answer for a turn; it is a BadInputError if none is awaited."""
        if line.startswith("#") or not line.isprintable():
            raise BadInputError("an answer is one line, which doesn't begin with #")
        if turn != self.asked:
            raise BadInputError(f"no answer is awaited for turn {turn}")
        self.asked = None
        # `listen` notices it, too, if the connection has ended.
        with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await self.stream.send_all(f"{line}\n".encode())

    async def next_turn(self) -> int | None:
        """Wait until an answer is awaited, and return for which turn; None if the match is over."""
        while self.asked is None and not self.is_over:
            await self._changes.wait(self._changes.count)
        return self.asked

    def leave(self) -> None:
        """Leave the match, if it isn't over; a bot that does so is out."""
        self.stream.socket.close()


@attrs.define(eq=False)
class PersonMatches:
    """The matches of an arena that people play against house bots."""

    matches: Matches
    """The other matches of the arena, which these are counted and played with."""
    _people: Counter[str] = attrs.field(factory=Counter, init=False)
    """Number of people who play, by address."""

    def begin(self, wish: PersonsWish, address: str) -> Person:
        """Begin to start the house bots of a match, which then begins by itself.

        It is a BadInputError if there can't be such a match, or not now.
        """
        nursery = self.matches.check_friendly()
        ruleset = _checked(wish)
        if self._people.total() >= MAX_PEOPLE or self._people[address] >= MAX_PER_ADDRESS:
            raise BadInputError("too many people play already; wait until a match is over")
        spec = self._spec(ruleset, wish.seed)
        ours, theirs = socket.socketpair()
        theirs.sendall(f"{wish.name} v=1 game={wish.game}\n".encode())
        person = Person(trio.SocketStream(trio.socket.from_stdlib_socket(theirs)))
        connection = Connection(SocketChannel(ours, is_set_up=True), host=address)
        self._people[address] += 1
        self.matches.unfinished += 1
        nursery.start_soon(person.listen)
        nursery.start_soon(self._run, wish, spec, connection)
        return person

    def _spec(self, ruleset: Ruleset, seed: int | None) -> MatchSpec:
        """Return a match as in a friendly room, with time to think, and on the seed's own map."""
        spec = self.matches.spec_of(ruleset)
        if seed is not None:
            spec = attrs.evolve(spec, seed=seed, board=None)
        clock = Clock(time_init=THINKING_TIME, time_move=THINKING_TIME)
        return attrs.evolve(spec, clock=clock, void_tries=1)

    async def _run(self, wish: PersonsWish, spec: MatchSpec, connection: Connection) -> None:
        """Play one match; it ends at once if the person leaves."""
        house: list[PooledBot] = []

        async def seats(of_try: MatchSpec) -> SeatedMatch | None:
            await connection.read_hello()
            connection.send_some(handshake.welcome())
            contestants = [
                Contestant(name=bot, command=bot_command(wish.game, bot)[1]) for bot in wish.bots
            ]
            taken = await BotPool(helpers).take_all(
                contestants, spec.ruleset, spec.clock.time_start, all_or_none=True
            )
            for _, bot in sorted(taken.items()):
                if isinstance(bot, NotStartedError):
                    why = f"a house bot can't be started: {bot.with_last_words()}"
                    await connection.refuse(RemoteProtocolError(ErrorCode.SHUTDOWN, why))
                    return None
                house.append(bot)
            connections = [bot.connection for bot in house]
            connections.insert(wish.seat, connection)
            names = list(wish.bots)
            names.insert(wish.seat, wish.name)
            return SeatedMatch(
                spec=of_try,
                connections=connections,
                names=distinct(names),
                numbers=[NO_NUMBER] * len(names),
                record=record_path(self.matches.options.data, of_try.match),
            )

        try:
            async with self.matches.playing(()), helpers_nursery() as helpers:
                await play_match(spec, seats, self.matches.play, running=self.matches.running)
                for bot in house:
                    await bot.end()
        finally:
            self._people -= Counter([connection.host])  # leaves out those who have gone
            connection.channel.close()


def _checked(wish: PersonsWish) -> Ruleset:
    ruleset = registry.get(wish.game)
    for bot in wish.bots:
        registry.check_house_bot(ruleset, bot)
    if len(wish.bots) != ruleset.seats - 1:
        raise BadInputError(f"{ruleset.title} needs {ruleset.seats - 1} house bots")
    if not 0 <= wish.seat < ruleset.seats:
        raise BadInputError(f"{ruleset.title} has the seats 0 to {ruleset.seats - 1}")
    if wish.seed is not None:
        check_seed(ruleset, wish.seed)
    checked_name(wish.name)
    return ruleset
