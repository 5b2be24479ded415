"""The director of a tournament: has its blocks played by workers, and their results recorded.

A bot that fails too many matches in a row is *benched*. If many blocks of a broken bot were with
workers at the same time, it would lose far more matches than it takes to bench it, as a gift to its
opponents. So a bot is *on trial* until a block with it is stored, and again while its last match
was a failure: no more of its blocks are handed out than would bench it, and later blocks of other
bots go first.
"""

import time
from collections.abc import Callable, Sequence

import attrs
import trio

from lanista.competition import events
from lanista.competition.executors import Workers
from lanista.competition.formats.base import Format, Progress
from lanista.competition.result_recorder import ResultRecorder
from lanista.competition.scheduler import Scheduler, described
from lanista.competition.setup import Setup
from lanista.competition.standings import Row, match_rows
from lanista.competition.worker import Block, Finished, Task, play_blocks
from lanista.errors import StoreError, one_line
from lanista.ratings.table import Standings
from lanista.results.blocks import Pairing
from lanista.results.database import Store
from lanista.results.match_result import BlockResult


@attrs.frozen(kw_only=True)
class Report:
    """The outcome of a run."""

    standings: Standings
    over: bool
    """Whether the whole tournament was played."""
    halted: str
    """One line that says why the tournament can't go on; empty if it can."""
    interrupted: bool
    """Whether the run was asked to end before all was played; another run goes on from there."""
    decision: str = ""
    """The hypothesis that a version test has accepted, `H0` or `H1`; otherwise empty."""
    setup: Setup = attrs.field(repr=False, eq=False)

    def matches(self) -> list[Row]:
        """Return a row of plain values for each bot of each match, the oldest first.

        Matches of blocks that don't count, since the spec was changed, are left out.
        `polars.DataFrame` and `pandas.DataFrame` take the rows as they are.

        Raises:
            StoreError: The database can't be read.
        """
        return match_rows(self.setup)


class Director(Scheduler):
    """The director of one run of a tournament."""

    def __init__(
        self,
        setup: Setup,
        store: Store,
        format_: Format,
        workers: Workers,
        *,
        play: Callable[[Task], list[Finished]] = play_blocks,
        on_event: Callable[[events.Event], None] = lambda _: None,
    ) -> None:
        """Prepare a run; nothing is read or started before `run`.

        The setup is one after `check_identities` and `settle_seed` with this store, which the
        caller has locked. No result was reported to the format.
        """
        super().__init__(
            setup.match_setup, setup.contestants, workers, play=play, on_event=on_event
        )
        self.setup = setup
        self._recorder = ResultRecorder(setup, store, format_)
        self._format = format_
        self._is_planned = setup.spec.format.is_planned
        self._scope = trio.CancelScope()
        # By the id of a block that was taken from the format and isn't stored: what it asked for.
        self._pairings: dict[str, Pairing] = {}
        # The number of blocks that this run has stored, and when it began.
        self._stored = 0
        self._began = 0.0
        self._finishing = False

    @property
    def progress(self) -> Progress:
        """The numbers of blocks that are played and planned."""
        return self._format.progress()

    def finish(self) -> None:
        """Hand out nothing more, and end when what runs is stored; call it in the trio thread."""
        if not self._finishing:
            self._finishing = True
            self._emit(events.Finishing(running=self.running))
        self.wake()

    def stop(self) -> None:
        """End now; what runs is played again by the next run. Call it in the trio thread."""
        self._finishing = True
        self._scope.cancel()

    async def standings(self) -> Standings:
        """Return the standings of what is stored, computed in a thread; it may raise StoreError."""
        return await self._recorder.standings()

    async def run(self) -> Report:
        """Play until the tournament is over, can't go on, or is ended by `finish` or `stop`.

        Raises:
            SpecError: The workers can't be started.
            StoreError: The database can't be read.
            OSError: The folder of records can't be made.
        """
        with self._scope:
            self._resume()
            if not self._format.over():
                await self._play()
                if not self._finishing and not self._halted and not self._format.over():
                    self._halt("the format wants no block, and is not over: a fault in Lanista")
        over = self._format.over()
        try:
            standings = await self.standings()
        except StoreError as error:
            self._halt(one_line(error))
            standings = await self._recorder.standings(with_endings=False)
        report = Report(
            setup=self.setup,
            standings=standings,
            over=over,
            halted=self._halted,
            interrupted=self._finishing and not over and not self._halted,
            decision=self._format.decision,
        )
        self._emit(
            events.Ended(
                over=over,
                halted=report.halted,
                interrupted=report.interrupted,
                progress=self.progress,
                verdict=self._format.verdict() if over else "",
            )
        )
        return report

    def _resume(self) -> None:
        benched = self._recorder.resume()
        self._began = time.monotonic()
        self._emit(
            events.Begun(
                name=self.setup.spec.name,
                game=self.setup.ruleset.name,
                format=self.setup.spec.format.value,
                bots=self.setup.bots,
                seats=self.setup.ruleset.seats,
                progress=self.progress,
                matches=self._recorder.matches,
                slots=self._workers.slots,
            )
        )
        for bot, failures in benched.items():
            reason = self._recorder.last_failure(bot)
            self._emit(events.Benched(bot=bot, failures=failures, words=reason))

    # What the scheduler asks

    @property
    def _playing(self) -> str | None:
        # A cluster has to share a folder whose path in the spec is absolute.
        records = self.setup.spec.records
        is_shared = self._workers.is_near or (records is not None and records.startswith("/"))
        return self._recorder.playing if is_shared else None

    def _hand_out(self) -> None:
        self._give_back()
        # A version test that has decided wants no block any more, not even one that was lost.
        if not self._finishing and not self._format.over():
            super()._hand_out()

    def _give_back(self) -> None:
        """Return to the format the waiting blocks whose bots were benched meanwhile."""
        if not self._format.benched:
            return
        for queue in (self._waiting, self._retries):
            waiting = list(queue)
            queue.clear()
            for wanted in waiting:
                if self._format.benched.keys().isdisjoint(wanted.block.bots):
                    queue.append(wanted)
                else:
                    self._format.give_back(self._pairings.pop(wanted.block.id))

    def _next(self) -> Block | None:
        pairing = self._format.next()
        if pairing is None:
            return None
        opening = self.setup.opening(pairing.opening)
        block = Block(
            id=self.setup.block_id(pairing.bots, opening),
            bots=pairing.bots,
            opening=opening,
            seatings=self._format.seated,
        )
        self._pairings[block.id] = pairing
        return block

    def _room(self, block: Block, /) -> int | None:
        rooms = [
            left - self._in_play[bot]
            for bot in set(block.bots)
            if (left := self._recorder.blocks_until_benched(bot)) is not None
        ]
        return min(rooms, default=None)

    def _record(self, finished: Sequence[Finished]) -> None:
        """Record blocks that were played, in one transaction, and emit the events about them."""
        try:
            for block in finished:
                if block.trouble:
                    id_ = block.result.block
                    opening = self.setup.opening(self._pairings[id_].opening)
                    name = described(id_, block.result.bots, opening)
                    self._halt(f"{name}: {one_line(block.trouble)}")
                    self._recorder.set_aside(block)
            counting = [block for block in finished if not block.trouble]
            results, benched = self._recorder.commit(
                [(self._pairings[block.result.block], block) for block in counting]
            )
        except (OSError, StoreError) as error:
            self._halt(one_line(error))
            return
        self._stored += len(results)
        for result in results:
            del self._pairings[result.block]
            self._report(result)
            for benching, reason in benched:
                if benching.block == result.block:
                    self._emit(
                        events.Benched(bot=benching.bot, failures=benching.failures, words=reason)
                    )

    def _report(self, result: BlockResult) -> None:
        progress = self.progress
        matches = len(self._format.seated)
        rate = self._stored * matches / max(time.monotonic() - self._began, 1e-6)
        eta = None
        if progress.planned is not None:
            eta = (progress.planned - progress.played) * matches / rate
        voids = [match for match in result.matches if not match.counted]
        if voids:
            self._emit(
                events.Voided(
                    block=result.block,
                    bots=result.bots,
                    count=len(voids),
                    stall=max(match.stall for match in voids),
                )
            )
        self._emit(
            events.BlockDone(
                block=result.block,
                bots=result.bots,
                seed=result.matches[0].seed,
                map=result.matches[0].map,
                matches=result.matches,
                progress=progress,
                running=self.running,
                slots=self._workers.slots,
                rate=rate,
                eta=eta,
            )
        )
