"""Playing many matches from Python, side by side in the worker processes of tournaments."""

import functools
import itertools
import os
import time
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import Future
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from typing import Any, Literal, Unpack

import attrs
import trio

from lanista.errors import BadInputError, FileError
from lanista.hosting.bot_pool import Contestant, apart
from lanista.hosting.inputs import RECORDS, checked_seed, record_name
from lanista.hosting.started_match import StartFailureError
from lanista.jobs import Job
from lanista.library.bots import AnyBot
from lanista.library.matches import Match, match_of
from lanista.library.options import MatchOptions, Prepared, prepared, whole_number
from lanista.library.playing import OnProgress
from lanista.match.ending import Ending
from lanista.pairing.base import Progress
from lanista.pairing.blocks import Seating, seatings
from lanista.temporary import TemporaryFolder
from lanista.tournament import worker
from lanista.tournament.calibration import Bounds, NotMeasuredError, calibrate, make_measure
from lanista.tournament.director import MAX_DEATHS
from lanista.tournament.futures import deliver, error_of, one_line
from lanista.tournament.local import LocalWorkers
from lanista.tournament.pace import Disturbances, Pace, failed
from lanista.tournament.setup import MatchSetup, Opening
from lanista.tournament.spec import MAX_SLOTS
from lanista.tournament.worker import Block, Finished, Task, WorkError

Keep = Literal["all", "failures", "none"]
Seats = Literal["given", "rotations", "all"]

AHEAD = 64
"""Maximum number of matches that are played before the caller takes them."""
WORTH_MEASURING = 10.0
"""Expected seconds of matches, one after another, from which on it is measured how many can be
played side by side; measuring takes some seconds."""


def play_many(
    game: str,
    pairings: Iterable[Sequence[AnyBot]],
    seeds: Iterable[int],
    *,
    workers: int | Literal["auto"] = "auto",
    seatings: Seats = "given",
    records: str | Path | None = None,
    keep: Keep = "all",
    on_progress: OnProgress | None = None,
    **options: Unpack[MatchOptions],
) -> Generator[Match, None, None]:
    """Play many matches side by side, and yield them in order: seed by seed, pairing by pairing.

    Bots stay for match after match if they can, as in tournaments. At most 64 matches are played
    ahead of the caller. When the iteration is broken off, by `break`, an error or Ctrl-C, what is
    being played is given up, and no process is left.

    Args:
        game: The game's name.
        pairings: The bots of a match, by seat, as for `play`; each is played with each seed.
        seeds: The seeds; it may be endless.
        workers: How many matches are played at the same time; `auto`: as many as this machine can
            play without disturbing the bots, which is measured if there is much to play.
        seatings: `given`: as listed; `rotations`: each bot once in each seat; `all`: in every
            arrangement.
        records: The folder for the records; None for ./lanista-records/.
        keep: Which records to keep: `all`, those of `failures` (void matches and matches in which a
            bot failed), or `none`.
        on_progress: Called after each match with how many were played, and how many there are; 0
            if that isn't known.
        **options: Map, settings, clock, limits and sandbox: see `MatchOptions`.

    Raises:
        BadInputError: An argument can't be used.
        StartFailureError: A bot couldn't be started, or hasn't said hello.
        FileError: The folder for records can't be written.
        WorkError: The matches can't be played by no fault of a bot.
    """
    wish = _Wish(pairings, seeds, workers, seatings, records, keep, on_progress)
    with _begun(game, wish, options) as (job, taken):
        with closing(job.messages()) as messages:
            for match in messages:
                yield taken(match)
        job.result  # noqa: B018 - raises what has ended the job


async def aplay_many(
    game: str,
    pairings: Iterable[Sequence[AnyBot]],
    seeds: Iterable[int],
    *,
    workers: int | Literal["auto"] = "auto",
    seatings: Seats = "given",
    records: str | Path | None = None,
    keep: Keep = "all",
    on_progress: OnProgress | None = None,
    **options: Unpack[MatchOptions],
) -> AsyncGenerator[Match, None]:
    """Play many matches as `play_many` does, in a loop of asyncio or trio, which goes on meanwhile.

    To break the iteration off, close it: `async with contextlib.aclosing(aplay_many(…)) as matches`
    ends what is being played at once; otherwise Python does it some time later.
    """
    wish = _Wish(pairings, seeds, workers, seatings, records, keep, on_progress)
    with _begun(game, wish, options) as (job, taken):
        async with aclosing(job.messages_async()) as messages:
            async for match in messages:
                yield taken(match)
        job.result  # noqa: B018 - raises what has ended the job


@attrs.frozen
class _Wish:
    """The arguments of `play_many`, apart from the options of a match."""

    pairings: Iterable[Sequence[AnyBot]]
    seeds: Iterable[int]
    workers: int | Literal["auto"]
    seatings: Seats
    records: str | Path | None
    keep: Keep
    on_progress: OnProgress | None

    @property
    def folder(self) -> Path:
        """The folder for records."""
        return RECORDS if self.records is None else Path(self.records)


@contextmanager
def _begun(
    game: str, wish: _Wish, options: MatchOptions
) -> Iterator[tuple[Job[None], Callable[[Match], Match]]]:
    """Begin to play; yield the job, and what to do with each match before the caller gets it."""
    with prepared(game, options, wish.folder) as setup:
        plan = _plan(setup, wish)
        job = Job(plan.run)
        numbers = itertools.count(1)

        def taken(match: Match) -> Match:
            if wish.on_progress is not None:
                wish.on_progress(next(numbers), plan.total)
            job.call(plan.wake)
            return match

        yield job, taken


def _plan(setup: Prepared, wish: _Wish) -> "_Plan":
    workers, seeds, keep, seated = wish.workers, wish.seeds, wish.keep, wish.seatings
    ruleset = setup.ruleset
    if keep not in {"all", "failures", "none"}:
        raise BadInputError(f"keep {keep!r:.200}; expected 'all', 'failures' or 'none'")
    if seated not in {"given", "rotations", "all"}:
        raise BadInputError(f"seatings {seated!r:.200}; expected 'given', 'rotations' or 'all'")
    if workers != "auto" and not 1 <= whole_number("workers", workers) <= MAX_SLOTS:
        raise BadInputError(f"workers {workers}; expected 'auto' or 1 to {MAX_SLOTS}")
    if isinstance(seeds, int):
        raise BadInputError(f"seeds {seeds}; give several, such as range({seeds})")
    contestants: dict[str, Contestant] = {}
    lineups: list[tuple[tuple[str, ...], Seating]] = []
    for pairing in wish.pairings:
        bots = setup.bots.seated(pairing)
        contestants |= {bot.name: bot for bot in bots}
        names = tuple(bot.name for bot in bots)
        arrangements = [tuple(range(len(bots)))]
        if seated != "given":
            arrangements = list(seatings(names, every=seated == "all"))
        lineups += [(names, arrangement) for arrangement in arrangements]
    if not lineups:
        raise BadInputError("pairings: there are none; give a list of lists of bots")
    known = None
    if isinstance(seeds, Sequence):
        known = seeds = [checked_seed(ruleset, whole_number("seed", seed)) for seed in seeds]
    return _Plan(
        setup=setup,
        lineups=lineups,
        seeds=iter(seeds),
        total=0 if known is None else len(known) * len(lineups),
        contestants={bot.name: bot for bot in apart([*contestants.values()])},
        workers=LocalWorkers(workers),
        records=wish.folder,
        keep=keep,
    )


@attrs.define(eq=False)
class _Wanted:
    """A match that was handed out."""

    index: int
    block: Block
    deaths: int = 0


@attrs.define(eq=False, kw_only=True)
class _Plan:
    """The matches to play, in order, and how far they are; `run` plays them."""

    setup: Prepared
    lineups: Sequence[tuple[tuple[str, ...], Seating]]
    """By match with the same seed: the bots' names, and the seating."""
    seeds: Iterator[int]
    total: int
    """How many matches there are; 0 if it isn't known."""
    contestants: Mapping[str, Contestant]
    workers: LocalWorkers
    records: Path
    keep: Keep
    _job: "Job[None]" = attrs.field(init=False)
    _playing: TemporaryFolder = attrs.field(init=False)
    """The folder of the records that are being written; below `records`, to be moved there."""
    _wake: trio.Event = attrs.field(factory=trio.Event, init=False)
    _arrived: deque[Future[Any]] = attrs.field(factory=deque, init=False)
    _running: dict[Future[Any], list[_Wanted]] = attrs.field(factory=dict, init=False)
    _retries: deque[_Wanted] = attrs.field(factory=deque, init=False)
    _ready: dict[int, Match] = attrs.field(factory=dict, init=False)
    """Matches that were played before one that comes first, by index."""
    _is_done: bool = attrs.field(default=False, init=False)
    """Whether all matches were handed out."""
    _handed_out: int = attrs.field(default=0, init=False)
    _given: int = attrs.field(default=0, init=False)
    _pace: Pace = attrs.field(init=False)
    _disturbances: Disturbances = attrs.field(init=False)

    def wake(self) -> None:
        """Look whether there is more to do; called in the job's thread."""
        self._wake.set()

    async def run(self, job: "Job[None]") -> None:
        """Play all matches and post each."""
        self._job = job
        self._pace = Pace(time.monotonic())
        self._disturbances = Disturbances(self.setup.conditions.stall_margin)
        try:
            self.records.mkdir(parents=True, exist_ok=True)
            # Several machines may share the folder for records.
            kind = f".playing-{os.uname().nodename}"
            self._playing = TemporaryFolder(kind, self.records, watched=True)
        except OSError as error:
            raise FileError.of("can't write records to", self.records, error) from None
        try:
            try:
                await trio.to_thread.run_sync(self.workers.start)
                await self._direct()
            except BaseException:
                await _shielded(self.workers.terminate)
                raise
            await _shielded(functools.partial(self.workers.close, worker.end_idle_bots))
        finally:
            await _shielded(self._playing.close)

    def _wanted(self) -> Iterator[_Wanted]:
        index = itertools.count()
        for seed in self.seeds:
            checked = checked_seed(self.setup.ruleset, whole_number("seed", seed))
            for names, seating in self.lineups:
                number = next(index)
                opening = Opening(checked, self.setup.map)
                block = Block(id=f"{number:08}", bots=names, opening=opening, seatings=(seating,))
                yield _Wanted(number, block)

    async def _direct(self) -> None:
        waiting = self._wanted()
        if self.workers.is_auto and self.workers.slots > 1:
            await self._settle_slots(waiting)
        while True:
            self._hand_out(waiting)
            # If nothing is played though there is more, the caller has enough to read, and wakes us
            # when it has taken some. It has a thread of its own, so all may be taken by now.
            if not self._running and self._is_done:
                return
            await self._wake.wait()
            self._wake = trio.Event()
            self._take_all_in()

    def _take_all_in(self) -> None:
        while self._arrived:
            self._take_in(self._arrived.popleft())

    async def _settle_slots(self, waiting: Iterator[_Wanted]) -> None:
        """Play one match, and decide whether it is worth measuring how many workers there can be.

        Few matches are played by one worker.
        """
        most = self.workers.slots
        first = next(waiting, None)
        if first is None:
            return
        began = trio.current_time()
        self._submit([first])
        while self._running:
            await self._wake.wait()
            self._wake = trio.Event()
            self._take_all_in()
            if self._retries:
                self._submit([self._retries.popleft()])
        seconds = trio.current_time() - began
        if self.total and (self.total - 1) * seconds < WORTH_MEASURING:
            self.workers.set_slots(1)
            return
        conditions = self.setup.conditions
        bounds = Bounds(turn=conditions.clock.turn, stall_margin=conditions.stall_margin)
        task = self._task([first])
        measure = make_measure(self.workers, worker.measure, task, lambda: False)
        failures: tuple[type[BaseException], ...] = (NotMeasuredError, WorkError)
        try:
            calibrated = await calibrate(most, measure, bounds)
        except (*failures, *self.workers.losses):
            self.workers.set_slots(max(1, most // 2))
        else:
            self.workers.set_slots(calibrated.slots)

    def _hand_out(self, waiting: Iterator[_Wanted]) -> None:
        """Give every free slot a task, unless the caller has enough to read."""
        while len(self._running) < self.workers.slots:
            if self._retries:
                self._submit([self._retries.popleft()])
                continue
            room = AHEAD - (self._handed_out - self._given + self._job.unread)
            running = sum(map(len, self._running.values()))
            done = self._handed_out - running
            size = self._pace.task_size(
                Progress(played=done, planned=self.total or None), running, self.workers.slots
            )
            if room <= 0:
                return
            wanted = list(itertools.islice(waiting, min(size, room)))
            if not wanted:
                self._is_done = True
                return
            self._submit(wanted)

    def _task(self, wanted: Sequence[_Wanted]) -> Task:
        setup = self.setup
        board = setup.board
        names = {name for each in wanted for name in each.block.bots}
        return Task(
            match_setup=MatchSetup(
                game=setup.ruleset.name,
                settings={setup.map: setup.settings},
                boards={} if board is None else {setup.map: setup.ruleset.write_board(board)},
                conditions=setup.conditions,
            ),
            contestants={name: self.contestants[name] for name in sorted(names)},
            blocks=tuple(each.block for each in wanted),
            playing=str(self._playing.path),
            reports=True,
        )

    def _submit(self, wanted: list[_Wanted]) -> None:
        future = self.workers.submit(worker.play_blocks, self._task(wanted))
        self._running[future] = wanted
        self._handed_out = max(self._handed_out, wanted[-1].index + 1)
        deliver(future, self._deliver)

    def _deliver(self, future: Future[Any]) -> None:
        self._arrived.append(future)
        self._wake.set()

    def _take_in(self, future: Future[Any]) -> None:
        wanted = self._running.pop(future)
        error = error_of(future)
        if isinstance(error, self.workers.losses):
            for each in wanted:
                each.deaths += 1
                if each.deaths >= MAX_DEATHS:
                    seed = each.block.opening.seed
                    bots = " - ".join(each.block.bots)
                    raise WorkError(
                        f"{MAX_DEATHS} workers died while playing {bots} with seed {seed}"
                    ) from error
            self._retries.extend(wanted)
            return
        if error is not None:
            if isinstance(error, WorkError):
                raise error
            raise WorkError(f"a worker failed: {one_line(error)}") from error
        finished: list[Finished] = future.result()
        self._pace.learn(finished)
        for each, block in zip(wanted, finished, strict=True):
            self._ready[each.index] = self._match(each, block)
            too_many = self._disturbances.too_many(block.result)
            if too_many and self.workers.slots > 1:
                self.workers.set_slots(self.workers.slots - 1)
        while self._given in self._ready:
            self._job.post(self._ready.pop(self._given))
            self._given += 1

    def _match(self, wanted: _Wanted, block: Finished) -> Match:
        """Return the last try of a match, and put the record into its place.

        Raises:
            StartFailureError: A bot hasn't started.
        """
        result, report = block.result.matches[-1], block.reports[-1]
        for seat, bot in enumerate(result.seats):
            if bot.ending is Ending.START_FAILURE:
                raise StartFailureError(
                    f"bot {bot.bot!r} (seat {seat}) did not start: {bot.words}", report.output
                )
        assert report.info is not None
        keeps = self.keep == "all" or (
            self.keep == "failures" and (failed(block.result) or not result.counted)
        )
        seed = wanted.block.opening.seed
        kept = None
        for match, described in zip(block.result.matches, block.reports, strict=True):
            assert match.record is not None
            source = self._playing.path / str(block.records[match.record])
            try:
                if keeps:
                    name = record_name(self.setup.ruleset.name, seed, described.match)
                    kept = source.replace(self.records / name)
                else:
                    source.unlink()
            except OSError as error:
                raise FileError.of("can't write records to", self.records, error) from None
        return match_of(
            id_=report.match,
            game=self.setup.ruleset.name,
            map_=self.setup.map,
            seed=seed,
            names=report.names,
            result=report.info,
            record=kept,
        )


async def _shielded(end: Callable[[], object]) -> None:
    """Run a function in a thread, also if this is cancelled; it takes a bounded time."""
    with trio.CancelScope(shield=True):
        await trio.to_thread.run_sync(end)
