"""Plays a block: its matches one after another, with bots from the pool.

A void match is played again with bots started afresh; two in a row are the block's trouble. The
record of a match is completed beside the next match. Nothing is counted here.
"""

import math
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.bots import Exit
from lanista.hosting import ids
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.endings import failed, seat_result
from lanista.hosting.host import HostedMatch, distinct
from lanista.match.conditions import MatchSpec
from lanista.match.ending import Ending
from lanista.match.record import ENDING, BotInfo, RecordWriter
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.rules import registry
from lanista.rules.outcome import Termination
from lanista.store.results import MatchResult, SeatResult
from lanista.tournament.setup import Draw, MatchSetup

KEPT = "is kept for the next match"
"""What a record tells of a bot's process that goes on."""


@attrs.define(eq=False)
class MatchRun:
    """A match of a block: what is to be played, and what came of it."""

    seats: Sequence[Contestant]
    """Who plays, by seat."""
    draw: Draw
    seating: int = 0
    attempt: int = 1
    result: MatchResult | None = None
    """None until all is known."""
    record: Path | None = None
    """None when there was no match."""
    void: bool = False
    trouble: str = ""
    """What went wrong by no bot's fault."""
    failure: OSError | None = None
    """Why its record couldn't be completed."""
    hello_after: float = 0.0
    """Seconds from the start of the first bot to its hello."""
    stays: bool = False
    """Whether the first bot stayed for another match."""
    output: str = ""
    """The last that a bot wrote which failed."""


@attrs.define(eq=False)
class Player:
    """Plays the blocks of a worker; lives as long as its loop."""

    pool: BotPool
    stalls: StallMonitor
    _boards: dict[tuple[str, str], Any] = attrs.field(factory=dict, init=False)  # read once

    async def play_block(
        self,
        match_setup: MatchSetup,
        seatings: Sequence[Sequence[Contestant]],
        draw: Draw,
        folder: Path,
        over: trio.Event,
    ) -> tuple[list[MatchRun], str]:
        """Play the matches of a block.

        Args:
            match_setup: What all matches have in common.
            seatings: By seating, by seat: who plays.
            draw: Seed and map.
            folder: Where the records go, under names of their own.
            over: Is set when the last match is over, its record still to be completed.

        Returns:
            The matches in order, and why they must not count, if they mustn't.

        Raises:
            OSError: A record can't be written.
        """
        played: list[MatchRun] = []
        trouble = ""
        failure: OSError | None = None
        async with trio.open_nursery() as finishing:
            try:
                for number, seats in enumerate(seatings):
                    for attempt in range(1, match_setup.conditions.void_tries + 1):
                        one = MatchRun(seats, draw, number, attempt)
                        await self.play_match(match_setup, one, folder, finishing)
                        played.append(one)
                        if not one.void:
                            break
                    trouble = one.trouble or (_void_words(one) if one.void else "")
                    if trouble:
                        break
            except OSError as error:
                failure = error  # carried around the nursery, which would wrap it into a group
            finally:
                over.set()
        for found in (failure, *(one.failure for one in played)):
            if found is not None:
                raise found
        return played, trouble

    async def play_match(
        self,
        match_setup: MatchSetup,
        one: MatchRun,
        folder: Path,
        finishing: trio.Nursery,
        until: float = math.inf,
    ) -> None:
        """Play one match; its record is completed in the nursery, and then `one` tells all.

        Args:
            match_setup: What all matches have in common.
            one: Which match it is.
            folder: Where its record goes.
            finishing: Is left only when all is done.
            until: A moment of trio's clock at which it is broken off.

        Raises:
            OSError: The record can't be written.
        """
        seats = one.seats
        come = await self._take(match_setup, seats)
        bots = [bot for bot in come if isinstance(bot, PooledBot)]
        if len(bots) < len(come):
            for bot in bots:
                await self.pool.give_back(bot)
            _walk_over(come, one)
            return
        one.hello_after = bots[0].hello_after
        try:
            record = RecordWriter(folder / f"{secrets.token_hex(8)}{ENDING}")
        except OSError:
            for bot in bots:
                await self.pool.give_back(bot)
            raise
        hosted = HostedMatch(
            spec=self._spec(match_setup, one),
            connections=[bot.connection for bot in bots],
            names=distinct([contestant.name for contestant in seats]),
            record=record,
            stalls=self.stalls,
            bots=bots,
        )
        match = hosted.match
        began = trio.current_time()
        await hosted.run(until)
        ended = trio.current_time()
        assert match.outcome is not None
        one.void = hosted.is_void
        if match.outcome.termination is Termination.ABORTED:
            one.trouble = _aborted_words(match)
        # Those that stay do so now: the next match wants them.
        infos: list[BotInfo | None] = []
        for index, bot in enumerate(bots):
            stays = not one.void and not one.trouble and _stays(bot, match, index)
            infos.append(BotInfo(exit=KEPT, output=bot.output()) if stays else None)
            if stays:
                await self.pool.give_back(bot)
        one.stays = infos[0] is not None
        over = _Over(hosted, infos, ended - began, self.stalls.worst(began, ended))
        finishing.start_soon(_finish, over, one)

    async def warm(self, match_setup: MatchSetup, seats: Sequence[Contestant]) -> None:
        """Start the bots of a match, so that they wait for it.

        Raises:
            NotStartedError: One doesn't come.
        """
        come = await self._take(match_setup, seats)
        for bot in come:
            if isinstance(bot, PooledBot):
                await self.pool.give_back(bot)
        for bot in come:
            if isinstance(bot, NotStartedError):
                raise bot

    async def _take(
        self, match_setup: MatchSetup, seats: Sequence[Contestant]
    ) -> list[PooledBot | NotStartedError]:
        """Return by seat the bot that has come, or why it hasn't."""
        come = await self.pool.take_all(
            seats, registry.get(match_setup.game), match_setup.conditions.time_start
        )
        return [come[seat] for seat in range(len(seats))]

    def _spec(self, match_setup: MatchSetup, one: MatchRun) -> MatchSpec:
        ruleset = registry.get(match_setup.game)
        board = None
        written = match_setup.boards.get(one.draw.map)
        if written is not None:
            key = (match_setup.game, written)
            if key not in self._boards:
                self._boards[key] = ruleset.read_board(written)
            board = self._boards[key]
        return MatchSpec(
            match=ids.match_id(),
            ruleset=ruleset,
            settings=match_setup.settings[one.draw.map],
            seed=one.draw.seed,
            board=board,
            conditions=match_setup.conditions,
            try_=one.attempt,
        )


@attrs.frozen
class _Over:
    """A match that is over."""

    hosted: HostedMatch
    infos: Sequence[BotInfo | None]
    """By seat, what the record tells of its bot; None for one that is to end first."""
    seconds: float
    stall: float


def _stays(bot: PooledBot, match: Match, seat: int) -> bool:
    """Whether a bot can play the next match as it is."""
    return not (
        bot.contestant.restart
        or bot.is_worn
        or bot.connection.closed
        or bot.bot.exit is not None
        or failed(match, match.seats[seat])
    )


async def _finish(over: _Over, one: MatchRun) -> None:
    """End the bots that don't stay, complete the record, and tell what the match was."""
    hosted = over.hosted
    match, bots = hosted.match, hosted.bots
    exits: list[Exit | None] = [None] * len(bots)
    infos = list(over.infos)

    async def end(seat: int) -> None:
        bot = bots[seat]
        exits[seat] = how = await bot.end()
        infos[seat] = BotInfo(exit=str(how), output=bot.output())

    async with trio.open_nursery() as nursery:
        for seat, info in enumerate(over.infos):
            if info is None:
                nursery.start_soon(end, seat)
    try:
        result = await hosted.complete(infos)
    except OSError as error:
        one.failure = error
        return
    finally:
        hosted.close()
    one.record = hosted.record.path
    seats = tuple(
        seat_result(match, seat, bot.contestant.name, how)
        for seat, bot, how in zip(match.seats, bots, exits, strict=True)
    )
    for part, info in zip(seats, infos, strict=True):
        if part.ending is not Ending.NORMAL and info is not None and not one.output:
            one.output = info.output
    one.result = MatchResult(
        seating=one.seating,
        attempt=one.attempt,
        end=result.end,
        reason=result.reason,
        turns=result.turns,
        digest=result.digest,
        seconds=over.seconds,
        stall=over.stall,
        seats=seats,
        record=hosted.record.path.name,
    )


def _walk_over(come: Sequence[PooledBot | NotStartedError], one: MatchRun) -> None:
    """The result when bots didn't come: they lose to those that did, who tie."""
    there = sum(isinstance(bot, PooledBot) for bot in come)
    results = []
    for contestant, bot in zip(one.seats, come, strict=True):
        if isinstance(bot, PooledBot):
            results.append(SeatResult(bot=contestant.name, rank=1, score=0, ending=Ending.NORMAL))
            continue
        one.output = one.output or bot.output
        words = " ".join(str(bot).split())
        results.append(
            SeatResult(
                bot=contestant.name,
                rank=there + 1,
                score=0,
                ending=Ending.START_FAILURE,
                words=words,
            )
        )
    one.result = MatchResult(
        seating=one.seating,
        attempt=one.attempt,
        end=Termination.FORFEIT.value,
        reason=Ending.START_FAILURE.value,
        turns=0,
        digest="",
        seconds=0.0,
        stall=0.0,
        seats=tuple(results),
    )


def _void_words(one: MatchRun) -> str:
    return (
        f"two void matches in a row with seed {one.draw.seed}: this machine stalls while bots are "
        "judged late; give it less to do (a lower concurrency, fewer other programs) or the bots "
        "more time, and run the tournament again"
    )


def _aborted_words(match: Match) -> str:
    lines = (match.error or "interrupted").strip().splitlines()
    return f"{match.title}, was aborted by an error of the arena: {lines[-1]}"
