"""The player of a block's matches, with bots from the pool.

A void match is played again with bots that are started afresh. Ending bots and completing a record
takes longer than a quick match, so that is done while the next match is played.
"""

import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import attrs
import trio

from lanista.competition.setup import MatchSetup, Opening
from lanista.games import registry
from lanista.games.outcome import Ending, Termination
from lanista.hosting.bot_pool import BotPool, Contestant, NotStartedError, PooledBot
from lanista.hosting.control import RunningMatches
from lanista.hosting.host import (
    MatchReport,
    SeatedMatch,
    distinct,
    host_match,
    play_match,
)
from lanista.match.conditions import MatchSpec
from lanista.match.record import ResultInfo
from lanista.match.record_writer import RecordWriter
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from lanista.results.block_records import BlockMatch
from lanista.results.match_result import MatchResult, SeatResult
from lanista.results.recorded import match_result

BRIEF = 0.2
"""Seconds in which a match is over that nobody can follow while it is played."""
VOID_TRIES = 2
"""Maximum number of attempts to play a match that ends void; then the tournament halts."""


@attrs.frozen(kw_only=True)
class PlayedTry:
    """A try to play a match of a block: its result, and what else its record says; plain data."""

    result: MatchResult
    match: str = ""
    """The match's id; empty, as are the next ones, if none was played as a bot didn't start."""
    names: tuple[str, ...] = ()
    """The bots' names in the record, by seat."""
    info: ResultInfo | None = None
    """The result in the record."""
    record: Path | None = None
    content: bytes | None = None
    """The content of the record, if it is held in memory and there is no file."""
    stays: bool = False
    """Whether the first bot stays for another match."""
    output: str
    """The end of the output of the first bot that failed, as it wrote it."""


@attrs.define(eq=False)
class MatchRun:
    """A match of a block: what is to be played, and what came of it."""

    seats: Sequence[Contestant]
    opening: Opening
    seating: int
    """Number of the seating in its block, from 0."""
    block: str
    """The id of its block; empty if it belongs to none, as when a bot is tried."""
    holds: bool
    """Whether its record is held in memory if the match is brief."""
    tries: list[PlayedTry] = attrs.field(factory=list)
    """The tries in order, once their records are complete; all but the last are void."""
    trouble: str = ""
    """One line that says why the match must not count: an error of the arena aborted it, or too
    many tries were void; empty if it may."""
    failure: OSError | None = None
    """The error because of which a record couldn't be written."""
    hello_after: float = 0.0
    """Seconds from the start of the first bot to its hello."""

    def of_block(self, attempt: int) -> BlockMatch:
        """Return which match of its block an attempt is."""
        return BlockMatch(self.block, self.seating, attempt)


@attrs.define(eq=False)
class Player:
    """The player of all matches of a process; it lives as long as the loop of the worker."""

    pool: BotPool
    stalls: StallMonitor
    # By writer of a record that is held: when its match is no longer brief, in order.
    _held: dict[RecordWriter, float] = attrs.field(factory=dict, init=False)
    _shows: bool = attrs.field(default=False, init=False)  # whether `_show_held` runs
    # Whether the last match was brief, so that the next one probably is.
    _is_brief: bool = attrs.field(default=False, init=False)

    async def play(
        self, match_setup: MatchSetup, run: MatchRun, folder: Path, completing: trio.Nursery
    ) -> None:
        """Play a match, void tries included, and note in `run` what comes of it.

        Its records get unique names in `folder`; the last one may still be completed afterwards, in
        the nursery `completing`.
        """
        over = trio.Event()
        completing.start_soon(self._play, match_setup, run, folder, over)
        await over.wait()

    async def _play(
        self, match_setup: MatchSetup, run: MatchRun, folder: Path, over: trio.Event
    ) -> None:
        """Play a match as `play` does, and set `over` before its record is completed."""

        def end(match: Match) -> None:
            assert match.outcome is not None
            if match.outcome.termination is Termination.ABORTED:
                run.trouble = _aborted_message(match)
            if match.outcome.termination is not Termination.VOID:
                over.set()

        forfeits: list[PlayedTry] = []
        try:
            reports = await play_match(
                _spec(match_setup, run.opening),
                partial(self._seat, run, folder, forfeits),
                partial(self._host, end),
            )
            run.tries = [*(_played_try(run, report) for report in reports), *forfeits]
            self._is_brief = all(report.seconds < BRIEF for report in reports)
            if not run.tries[-1].result.counted:
                run.trouble = _void_message(run)
        except OSError as error:
            run.failure = error
        finally:
            over.set()

    async def _host(self, on_over: Callable[[Match], None], seated: SeatedMatch) -> MatchReport:
        """Play a seated match once, and show its record when it isn't brief after all."""
        writer = seated.writer
        if writer is not None:
            self._held[writer] = trio.current_time() + BRIEF
            if not self._shows:
                self._shows = True
                self.pool.nursery.start_soon(self._show_held)
        try:
            return await host_match(
                seated, running=RunningMatches(), stalls=self.stalls, on_over=on_over
            )
        finally:
            if writer is not None:
                self._held.pop(writer, None)

    async def _show_held(self) -> None:
        """Show each held record whose match isn't brief after all, until none is held."""
        while self._held:
            first, due = next(iter(self._held.items()))
            await trio.sleep_until(due)
            if self._held.pop(first, None) is not None:
                first.show()
        self._shows = False

    async def _seat(
        self, run: MatchRun, folder: Path, forfeits: list[PlayedTry], spec: MatchSpec
    ) -> SeatedMatch | None:
        """Seat the bots of a try; if they don't all start, add its result to `forfeits`."""
        by_seat = await self.pool.take_all(run.seats, spec.ruleset, spec.clock.time_start)
        taken = [by_seat[seat] for seat in range(len(by_seat))]
        bots = [bot for bot in taken if isinstance(bot, PooledBot)]
        if len(bots) < len(taken):
            for bot in bots:
                await self.pool.give_back(bot)
            forfeits.append(_forfeit(taken, run, spec.attempt))
            return None
        run.hello_after = bots[0].hello_after
        record = folder / run.of_block(spec.attempt).name_playing(secrets.token_hex(8))
        return SeatedMatch(
            spec=spec,
            connections=[bot.connection for bot in bots],
            names=distinct([contestant.name for contestant in run.seats]),
            record=record,
            writer=RecordWriter(record, holds=True) if run.holds and self._is_brief else None,
            writes_bundles=False,
            bots=bots,
            pool=self.pool,
        )


def _spec(match_setup: MatchSetup, opening: Opening) -> MatchSpec:
    written = match_setup.boards.get(opening.map)
    return MatchSpec(
        ruleset=registry.get(match_setup.game),
        settings=match_setup.settings[opening.map],
        seed=opening.seed,
        board=None if written is None else _board(match_setup.game, written),
        clock=match_setup.clock,
        void_tries=VOID_TRIES,
    )


@lru_cache
def _board(game: str, written: str) -> Any:
    return registry.get(game).read_board(written)


def _played_try(run: MatchRun, report: MatchReport) -> PlayedTry:
    result = match_result(
        report.spec,
        report.result,
        [contestant.name for contestant in run.seats],
        map_=run.opening.map,
        started=report.started,
        record=run.of_block(report.spec.attempt).place(is_void=report.is_void),
        seating=run.seating,
        stall=report.stall,
    )
    outputs = (
        info.output
        for seat, info in zip(result.seats, report.result.bots, strict=True)
        if seat.ending is not Ending.NORMAL and info is not None and info.output
    )
    return PlayedTry(
        result=attrs.evolve(result, seconds=report.seconds),  # records have milliseconds
        match=report.spec.match,
        names=report.names,
        info=report.result,
        record=report.record,
        content=report.content,
        stays=report.exits[0] is None,
        output=next(outputs, ""),
    )


def _forfeit(
    taken: Sequence[PooledBot | NotStartedError], run: MatchRun, attempt: int
) -> PlayedTry:
    """Return a match whose bots didn't all start: those that did tie for first."""
    started = sum(isinstance(bot, PooledBot) for bot in taken)
    output = ""
    results = []
    for contestant, bot in zip(run.seats, taken, strict=True):
        if isinstance(bot, PooledBot):
            results.append(SeatResult(bot=contestant.name, rank=1, score=0, ending=Ending.NORMAL))
            continue
        output = output or bot.output
        results.append(
            SeatResult(
                bot=contestant.name,
                rank=started + 1,
                score=0,
                ending=Ending.START_FAILURE,
                words=bot.with_last_words(),
            )
        )
    result = MatchResult(
        seating=run.seating,
        attempt=attempt,
        seed=run.opening.seed,
        map=run.opening.map,
        end=Termination.FORFEIT.value,
        reason=Ending.START_FAILURE.value,
        turns=0,
        digest="",
        seconds=0.0,
        stall=0.0,
        seats=tuple(results),
    )
    return PlayedTry(result=result, output=output)


def _void_message(run: MatchRun) -> str:
    return (
        f"two void matches in a row with seed {run.opening.seed}: this machine stalls while bots "
        "are judged late; give it less to do (a lower concurrency, fewer other programs) or the "
        "bots more time, and run the tournament again"
    )


def _aborted_message(match: Match) -> str:
    lines = (match.error or "interrupted").strip().splitlines()
    return f"{match.title}, was aborted by an error of the arena: {lines[-1]}"
