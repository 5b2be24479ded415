"""The player of blocks: plays the matches of a block one after another, with bots from the pool.

A void match is played again with bots that are started afresh; if too many in a row are void, the
block can't be played now. Ending bots and completing a record takes longer than a quick match, so
that is done while the next match is played. Nothing is counted here.
"""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.bots import Exit
from lanista.hosting import ids
from lanista.hosting.block_records import BlockMatch
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.endings import failed, seat_result
from lanista.hosting.host import HostedMatch, distinct
from lanista.match.conditions import MatchSpec
from lanista.match.ending import Ending
from lanista.match.record import ENDING, BotInfo, ResultInfo
from lanista.match.record_writer import RecordWriter
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.nurseries import helpers_nursery
from lanista.rules import registry
from lanista.rules.outcome import Termination
from lanista.store.results import MatchResult, SeatResult
from lanista.tournament.futures import one_line
from lanista.tournament.setup import MatchSetup, Opening

KEPT = "is kept for the next match"
"""The text in a record about a bot whose process didn't end with the match."""


@attrs.define(eq=False)
class MatchRun:
    """One attempt to play a match of a block: what is to be played, and the outcome."""

    seats: Sequence[Contestant]
    """The bots, by seat."""
    opening: Opening
    seating: int = 0
    """Number of the seating in its block, from 0."""
    attempt: int = 1
    """Number of the attempt, from 1; more than 1 after a void match."""
    block: str = ""
    """The id of its block; empty if it belongs to none, as when a bot is tried."""
    result: MatchResult | None = None
    """The result; None until the record is complete."""
    record: Path | None = None
    """The file of the record; None if no match was played, as a bot didn't start."""
    void: bool = False
    """Whether the match is void, as a bot was late while the host stalled."""
    trouble: str = ""
    """One line about an error of the arena that aborted the match; empty if there was none."""
    failure: OSError | None = None
    """The error because of which the record couldn't be completed."""
    hello_after: float = 0.0
    """Seconds from the start of the first bot to its hello."""
    stays: bool = False
    """Whether the first bot stayed for another match."""
    output: str = ""
    """The end of the output of the first bot that failed, as it wrote it."""
    match: str = ""
    """The match's id; empty if none was played."""
    names: tuple[str, ...] = ()
    """The bots' names in the record, by seat."""
    info: ResultInfo | None = None
    """The result as the record has it."""


@attrs.define(eq=False)
class Player:
    """The player of all blocks of a process; it lives as long as the loop of the worker."""

    pool: BotPool
    stalls: StallMonitor
    # The boards of maps, by game and written board, so that each is parsed only once.
    _boards: dict[tuple[str, str], Any] = attrs.field(factory=dict, init=False)

    async def play_block(
        self,
        match_setup: MatchSetup,
        seatings: Sequence[Sequence[Contestant]],
        opening: Opening,
        folder: Path,
        over: trio.Event,
        *,
        block: str,
    ) -> tuple[list[MatchRun], str]:
        """Play the matches of a block.

        Args:
            match_setup: What all matches of the tournament have in common.
            seatings: By seating, then by seat: the bots.
            opening: Seed and map.
            folder: The folder for the records; their names are unique.
            over: Set when the last match is over; its record may still have to be completed.
            block: The id of the block.

        Returns:
            The matches in the order played, void ones too, and one line that says why the block
            must not count; empty if it may.

        Raises:
            OSError: A record can't be written.
        """
        runs: list[MatchRun] = []
        trouble = ""
        async with helpers_nursery(finishes=True) as finishing:
            try:
                for number, seats in enumerate(seatings):
                    for attempt in range(1, match_setup.conditions.void_tries + 1):
                        run = MatchRun(seats, opening, number, attempt, block)
                        await self.play_match(match_setup, run, folder, finishing)
                        runs.append(run)
                        if not run.void:
                            break
                    trouble = run.trouble or (_void_message(run) if run.void else "")
                    if trouble:
                        break
            finally:
                over.set()
        for run in runs:
            if run.failure is not None:
                raise run.failure
        return runs, trouble

    async def play_match(
        self,
        match_setup: MatchSetup,
        run: MatchRun,
        folder: Path,
        finishing: trio.Nursery,
    ) -> None:
        """Play one match and note its outcome in `run`.

        When this returns, the match is over. The result and the record are complete when the
        nursery is.

        Args:
            match_setup: What all matches of the tournament have in common.
            run: The match.
            folder: The folder for its record.
            finishing: The nursery in which the record is completed.

        Raises:
            OSError: The record can't be written.
        """
        seats = run.seats
        taken = await self._take(match_setup, seats)
        bots = [bot for bot in taken if isinstance(bot, PooledBot)]
        if len(bots) < len(taken):
            for bot in bots:
                await self.pool.give_back(bot)
            _forfeit(taken, run)
            return
        run.hello_after = bots[0].hello_after
        try:
            record = RecordWriter(folder / _record_name(run))
        except OSError:
            for bot in bots:
                await self.pool.give_back(bot)
            raise
        hosted = HostedMatch(
            spec=self._spec(match_setup, run),
            connections=[bot.connection for bot in bots],
            names=distinct([contestant.name for contestant in seats]),
            record=record,
            stalls=self.stalls,
            bots=bots,
        )
        match = hosted.match
        began = trio.current_time()
        await hosted.run()
        ended = trio.current_time()
        assert match.outcome is not None
        run.void = hosted.is_void
        if match.outcome.termination is Termination.ABORTED:
            run.trouble = _aborted_message(match)
        # Bots that stay are returned to the pool now, as the next match begins at once.
        infos: list[BotInfo | None] = []
        for seat, bot in enumerate(bots):
            stays = not run.void and not run.trouble and _stays(bot, match, seat)
            infos.append(bot.info(KEPT) if stays else None)
            if stays:
                await self.pool.give_back(bot)
        run.stays = infos[0] is not None
        played = _PlayedMatch(hosted, infos, ended - began, self.stalls.worst(began, ended))
        finishing.start_soon(_finish, played, run)

    async def _take(
        self, match_setup: MatchSetup, seats: Sequence[Contestant]
    ) -> list[PooledBot | NotStartedError]:
        """Return by seat the bot, started if need be, or the error because of which it wasn't."""
        by_seat = await self.pool.take_all(
            seats, registry.get(match_setup.game), match_setup.conditions.time_start
        )
        return [by_seat[seat] for seat in range(len(seats))]

    def _spec(self, match_setup: MatchSetup, run: MatchRun) -> MatchSpec:
        ruleset = registry.get(match_setup.game)
        board = None
        written = match_setup.boards.get(run.opening.map)
        if written is not None:
            key = (match_setup.game, written)
            if key not in self._boards:
                self._boards[key] = ruleset.read_board(written)
            board = self._boards[key]
        return MatchSpec(
            match=ids.match_id(),
            ruleset=ruleset,
            settings=match_setup.settings[run.opening.map],
            seed=run.opening.seed,
            board=board,
            conditions=match_setup.conditions,
            try_=run.attempt,
        )


def _record_name(run: MatchRun) -> str:
    """Return a unique name for the record of a match that begins."""
    token = secrets.token_hex(8)
    if not run.block:
        return token + ENDING
    return BlockMatch(run.block, run.seating, run.attempt).name_playing(token)


@attrs.frozen
class _PlayedMatch:
    """A match that is over and whose record is to be completed."""

    hosted: HostedMatch
    infos: Sequence[BotInfo | None]
    """By seat: the information on the bot for the record; None if the bot is to be ended first."""
    seconds: float
    stall: float


def _stays(bot: PooledBot, match: Match, seat: int) -> bool:
    """Return whether a bot can play another match without being started afresh."""
    return not (
        bot.contestant.restart
        or bot.is_worn
        or bot.connection.closed
        or bot.bot.exit is not None
        or failed(match, match.seats[seat])
    )


async def _finish(played: _PlayedMatch, run: MatchRun) -> None:
    """End the bots that don't stay, complete the record, and note the result in `run`."""
    hosted = played.hosted
    match, bots = hosted.match, hosted.bots
    exits: list[Exit | None] = [None] * len(bots)
    infos = list(played.infos)

    async def end(seat: int) -> None:
        bot = bots[seat]
        exits[seat] = bot_exit = await bot.end()
        infos[seat] = bot.info(str(bot_exit))

    if None in infos:
        async with trio.open_nursery() as nursery:
            for seat, info in enumerate(played.infos):
                if info is None:
                    nursery.start_soon(end, seat)
    try:
        result = await hosted.complete(infos)
    except OSError as error:
        run.failure = error
        return
    finally:
        hosted.close()
    run.record = hosted.record.path
    run.match, run.names, run.info = hosted.spec.match, tuple(hosted.names), result
    seats = tuple(
        seat_result(match, seat, bot.contestant.name, bot_exit)
        for seat, bot, bot_exit in zip(match.seats, bots, exits, strict=True)
    )
    for seat_outcome, info in zip(seats, infos, strict=True):
        if seat_outcome.ending is not Ending.NORMAL and info is not None and not run.output:
            run.output = info.output
    run.result = MatchResult(
        seating=run.seating,
        attempt=run.attempt,
        end=result.end,
        reason=result.reason,
        turns=result.turns,
        digest=result.digest,
        seconds=played.seconds,
        stall=played.stall,
        seats=seats,
        record=hosted.record.path.name,
    )


def _forfeit(taken: Sequence[PooledBot | NotStartedError], run: MatchRun) -> None:
    """Note the result of a match whose bots didn't all start: those that did tie for first."""
    started = sum(isinstance(bot, PooledBot) for bot in taken)
    results = []
    for contestant, bot in zip(run.seats, taken, strict=True):
        if isinstance(bot, PooledBot):
            results.append(SeatResult(bot=contestant.name, rank=1, score=0, ending=Ending.NORMAL))
            continue
        run.output = run.output or bot.output
        results.append(
            SeatResult(
                bot=contestant.name,
                rank=started + 1,
                score=0,
                ending=Ending.START_FAILURE,
                words=one_line(bot),
            )
        )
    run.result = MatchResult(
        seating=run.seating,
        attempt=run.attempt,
        end=Termination.FORFEIT.value,
        reason=Ending.START_FAILURE.value,
        turns=0,
        digest="",
        seconds=0.0,
        stall=0.0,
        seats=tuple(results),
    )


def _void_message(run: MatchRun) -> str:
    return (
        f"two void matches in a row with seed {run.opening.seed}: this machine stalls while bots "
        "are judged late; give it less to do (a lower concurrency, fewer other programs) or the "
        "bots more time, and run the tournament again"
    )


def _aborted_message(match: Match) -> str:
    lines = (match.error or "interrupted").strip().splitlines()
    return f"{match.title}, was aborted by an error of the arena: {lines[-1]}"
