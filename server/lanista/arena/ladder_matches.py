"""The matches of an arena's ladders: when they begin, their house bots, what becomes of them.

A void match isn't repeated as it is in friendly rooms (`matches`): the ladder has it played again
when its bots wait again.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs
import structlog
import trio

from lanista.arena.lobby import NO_NUMBER, Member, Player
from lanista.arena.match_player import record_path
from lanista.arena.matches import ROOM_INTERVAL, Matches
from lanista.arena.spec import LadderSpec
from lanista.games.outcome import Ending
from lanista.hosting import handshake
from lanista.hosting.bot_pool import BotPool, NotStartedError, PooledBot
from lanista.hosting.host import MatchReport, SeatedMatch, play_match
from lanista.match.conditions import MatchSpec
from lanista.match.seat import RejoinError
from lanista_protocol import ErrorCode, NoteCode, RemoteProtocolError, messages

REPLACED = "a newer connection has shown the token of this name"

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom, SubmittedBot
    from lanista.results.names import BenchedName

log = structlog.get_logger()


@attrs.define(eq=False)
class LadderMatches:
    """The matches of all ladders of an arena."""

    matches: Matches
    """The other matches of the arena, which these are counted and played with."""
    rooms: "Mapping[str, LadderRoom]"
    unattended: int = attrs.field(default=0, init=False)
    """Number of running matches in which no bot plays that has connected."""
    _changed: trio.Event = attrs.field(factory=trio.Event, init=False)
    _pool: BotPool | None = attrs.field(default=None, init=False)  # the bots that it starts
    _turns: "list[LadderRoom]" = attrs.field(
        default=attrs.Factory(lambda self: list(self.rooms.values()), takes_self=True), init=False
    )
    """The ladders; the last one is that which was the last to begin an unattended match."""

    def open(self, helpers: trio.Nursery) -> None:
        """Get ready for matches; house bots and databases get a nursery that outlives these."""
        self._pool = BotPool(helpers)
        for room in self.rooms.values():
            room.changed = self.start_ready
            helpers.start_soon(room.results.run)
        if self.rooms:
            helpers.start_soon(self._keep_pairing)

    def reload(self, specs: Sequence[LadderSpec]) -> None:
        """Go on with other limits of the ladders, given those of all."""
        for spec in specs:
            self.rooms[spec.name].reload(spec)
        self.start_ready()

    async def settle(self) -> None:
        """Wait until all results are stored."""
        for room in self.rooms.values():
            await room.results.settle()

    def start_ready(self) -> None:
        """Begin every match that a ladder wants to be played now.

        Ladders take turns with unattended matches. One whose turn it is may have fewer slots than
        others have taken; until one is free for it, the others begin no such match.
        """
        awaited = False
        for room in tuple(self._turns):
            is_full = False
            while self._may_begin(room):
                is_full = awaited or self.unattended >= room.slots
                match = room.next(is_full=is_full)
                if match is None:
                    break
                self._begin(room, match)
            had_turn = room is self._turns[-1]
            awaited = awaited or (is_full and not had_turn and room.awaits_slot())
        self._changed.set()

    def _may_begin(self, room: "LadderRoom") -> bool:
        return self.matches.may_begin and room.results.has_room

    async def _keep_pairing(self) -> None:
        """Begin matches whose time has come although nothing else happened."""
        while not self.matches.closing:
            self._changed = trio.Event()
            dues = [
                room.due() if self._may_begin(room) else ROOM_INTERVAL
                for room in self.rooms.values()
            ]
            soonest = min([due for due in dues if due is not None], default=math.inf)
            with trio.move_on_after(soonest):
                await self._changed.wait()
                continue
            self.start_ready()

    async def replace(self, old: Player, new: Player) -> None:
        """Let a bot's newer connection take the place of an older one that plays a match.

        If bots can come back to that match, `new` goes on with it, and `old` isn't `seated` any
        more; otherwise the seat is out.
        """
        begun = await self.matches.begun(old)
        if begun is None:
            return
        running, seat = begun
        try:
            replaced = await running.rejoin(seat, new.connection)
        except RejoinError as error:
            log.info("can't come back", match=running.match, name=new.name, why=str(error))
            running.playing.kick(seat, REPLACED, ErrorCode.REPLACED)
            return
        running.bots[seat] = new.number, new.name
        self.matches.running.changes.tell()
        new.over, new.place.plays = old.over, True
        if replaced is not None:  # else it is broken, and the match has closed it
            old.sent_off = RemoteProtocolError(ErrorCode.REPLACED, REPLACED)
        old.seated.cancel()

    @staticmethod
    def note_rest(player: Player, member: Member) -> None:
        """Tell a waiting bot that it rests, if it does (PROTOCOL.md 7, `benched`)."""
        rest = member.ladder.resting(member.who)
        if rest is not None:
            seconds = 0 if rest == math.inf else math.ceil(rest)
            why = member.ladder.why_resting(member.who.name)
            note = messages.note(NoteCode.BENCHED, seconds, None, why)
            handshake.tell(player.connection, player.ruleset, note)

    def bench(self, benched: "Collection[BenchedName]", connected: Collection[Player]) -> None:
        """Let benched names rest, tell those of them that wait, and pair the others again."""
        for room in self.rooms.values():
            members = [player.member for player in connected if player.member is not None]
            present = [member.who for member in members if member.ladder is room]
            rested = {who for who in present if room.resting(who) is not None}
            room.set_benched(benched, present)
            for player in self.matches.lobby.waiting((room.ruleset.name, room.spec.name)):
                if player.member is not None and player.member.who not in rested:
                    self.note_rest(player, player.member)
        self.start_ready()

    def _begin(self, room: "LadderRoom", match: tuple[str, ...]) -> None:
        assert self.matches.nursery is not None
        players = self.matches.lobby.take_named((room.ruleset.name, room.spec.name), match)
        submitted = {
            name: room.submitted[name]
            for name in match
            if name not in players and name in room.submitted
        }
        self.matches.unfinished += 1
        if not players:
            self.unattended += 1
            self._turns.remove(room)
            self._turns.append(room)
        self.matches.nursery.start_soon(self._run, room, match, players, submitted)
        self.matches.running.changes.tell()

    async def _run(
        self,
        room: "LadderRoom",
        match: tuple[str, ...],
        players: Mapping[str, Player],
        submitted: "Mapping[str, SubmittedBot]",
    ) -> None:
        """Play one match of these names by seat, and take its result.

        `players` are the bots that have connected, `submitted` the programs that were handed in;
        all others are house bots.
        """
        versions = [submitted[name].version if name in submitted else None for name in match]
        pooled: dict[str, PooledBot] = {}
        reports: Sequence[MatchReport] = ()

        async def seats(spec: MatchSpec) -> SeatedMatch | None:
            pooled.update(await self._start_bots(room, match, submitted))
            return self._seated(room, spec, match, {**players, **pooled})

        try:
            async with self.matches.playing(players.values()):
                reports = await play_match(
                    room.match_spec(versions if submitted else ()),
                    seats,
                    self.matches.play,
                    running=self.matches.running,
                )
        finally:
            self.unattended -= not players
            report = reports[0] if reports else None
            self.matches.over += room.over(match, report, submitted)
            endings: dict[str, str] = {}  # none if the match's worker ended
            if report is not None:
                endings = dict(zip(match, report.result.endings, strict=False))
            for name, bot in pooled.items():
                on_left, ending = None, endings.get(name)
                if report is not None and name in submitted and ending == Ending.DISCONNECT:
                    version, id_ = submitted[name].version, report.spec.match
                    on_left = partial(room.left, name, version, id_)
                assert self.matches.nursery is not None
                self.matches.nursery.start_soon(self._give_back, bot, on_left)
            self.start_ready()

    def _seated(
        self,
        room: "LadderRoom",
        spec: MatchSpec,
        names: Sequence[str],
        bots: Mapping[str, Player | PooledBot],
    ) -> SeatedMatch | None:
        """Return a match with its bots; None if one that the arena starts didn't come."""
        if bots.keys() != set(names):
            return None
        seated = [bots[name] for name in names]
        return SeatedMatch(
            spec=spec,
            connections=[bot.connection for bot in seated],
            names=names,
            numbers=[bot.number if isinstance(bot, Player) else NO_NUMBER for bot in seated],
            room=room.spec.name,
            record=record_path(self.matches.options.data, spec.match),
            may_rejoin=[
                seat
                for seat, bot in enumerate(seated)
                if isinstance(bot, Player) and bot.is_registered
            ],
        )

    async def _start_bots(
        self,
        room: "LadderRoom",
        match: tuple[str, ...],
        submitted: "Mapping[str, SubmittedBot]",
    ) -> dict[str, PooledBot]:
        """Start the bots of a match that haven't connected."""
        assert self._pool is not None
        contestants = {name: room.house[name] for name in match if name in room.house}
        contestants |= {name: bot.contestant for name, bot in submitted.items()}
        if not contestants:
            return {}
        names = list(contestants)
        taken = await self._pool.take_all(
            list(contestants.values()), room.ruleset, room.spec.clock.time_start
        )
        bots: dict[str, PooledBot] = {}
        for place, bot in taken.items():
            if not isinstance(bot, NotStartedError):
                bots[names[place]] = bot
                continue
            name, why = names[place], bot.with_last_words()
            if name in submitted:
                log.info("a submitted bot didn't start", ladder=room.spec.name, name=name, why=why)
                room.not_started(name, str(bot), submitted[name].version, why)
            else:
                log.error("a house bot can't be started", ladder=room.spec.name, name=name, why=why)
                room.not_started(name, "it couldn't be started; the arena's log says why")
        return bots

    async def _give_back(
        self, bot: PooledBot, on_left: Callable[[str], None] | None = None
    ) -> None:
        """Keep a bot for its next match, or end it; of one that left, tell `on_left` why."""
        assert self._pool is not None
        if on_left is not None and (why := await bot.bot.why_left()) is not None:
            on_left(why)
        if bot.may_play_again:
            await self._pool.give_back(bot)
        else:
            await bot.end()
