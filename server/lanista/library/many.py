"""Playing many matches from Python, side by side in the worker processes of tournaments."""

import itertools
import os
import sys
from collections.abc import (
    AsyncGenerator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, closing, contextmanager
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

import attrs
import trio

from lanista.competition import events, spec
from lanista.competition.executors import LocalWorkers, automatic_concurrency
from lanista.competition.formats.base import Progress
from lanista.competition.scheduler import Scheduler
from lanista.competition.setup import MatchSetup, Opening
from lanista.competition.worker import Block, Finished, Task, WorkError
from lanista.errors import BadInputError, file_errors
from lanista.games.base import check_seed
from lanista.games.outcome import Ending
from lanista.hosting.bot_pool import Contestant, apart
from lanista.hosting.inputs import RECORDS, given_path, record_name
from lanista.hosting.started_match import StartFailureError
from lanista.jobs import Job
from lanista.library.bots import AnyBot
from lanista.library.matches import Match, match_of
from lanista.library.playing import MatchOptions, OnProgress, Prepared, prepared
from lanista.results.blocks import seatings
from lanista.system import make_folder
from lanista.temporary import TemporaryFolder

Keep = Literal["all", "failures", "none"]
Seats = Literal["given", "rotations", "all"]

AHEAD = 64
"""Maximum number of matches that are played before the caller takes them."""


class ManyOptions(MatchOptions, total=False):
    """Options of `play_many`, besides those of each match."""

    workers: int | Literal["auto"]
    """How many matches are played at the same time; `auto`, the default: as many as give each bot a
    core of its own."""
    seatings: Seats
    """`given`, the default: as listed; `rotations`: each bot once in each seat; `all`: in every
    arrangement."""
    records: str | Path | None
    """The folder for the records; None for ./lanista-records/."""
    keep: Keep
    """Which records to keep: `all`, the default; those of `failures` (void matches and matches in
    which a bot failed); or `none`."""
    on_progress: OnProgress | None
    """Called after each match with how many were played, and how many there are; 0 if that isn't
    known."""


_OURS = ManyOptions.__annotations__.keys() - MatchOptions.__annotations__.keys()


def play_many(
    game: str,
    pairings: Iterable[Sequence[AnyBot]],
    seeds: Iterable[int],
    **options: Unpack[ManyOptions],
) -> Generator[Match, None, None]:
    """Play many matches side by side, and yield them in order: seed by seed, pairing by pairing.

    Bots stay for match after match if they can. At most 64 matches are played ahead of the caller.
    When the iteration is broken off, by `break`, an error or Ctrl-C, what is being played is given
    up, and no process is left.

    Args:
        game: The game's name.
        pairings: The bots of a match, by seat, as for `play`; each is played with each seed.
        seeds: The seeds, possibly endless.
        **options: Workers, seatings, records, progress: see `ManyOptions`; and map, settings,
            clock, limits and sandbox: see `MatchOptions`.

    Raises:
        BadInputError: An argument can't be used.
        StartFailureError: A bot couldn't be started, or hasn't said hello.
        FileError: The folder for records can't be written, or a function on its way to its process.
        WorkError: The matches can't be played, through no fault of a bot.
    """
    with _begun(game, pairings, seeds, options) as (job, taken):
        with closing(job.messages()) as messages:
            for match in messages:
                yield taken(match)
        job.result  # noqa: B018 - raises what has ended the job


async def aplay_many(
    game: str,
    pairings: Iterable[Sequence[AnyBot]],
    seeds: Iterable[int],
    **options: Unpack[ManyOptions],
) -> AsyncGenerator[Match, None]:
    """Play many matches as `play_many` does, in a loop of asyncio or trio, which goes on meanwhile.

    To break the iteration off, close it: `async with contextlib.aclosing(aplay_many(…)) as matches`
    ends what is being played at once; otherwise Python does it some time later.
    """
    with _begun(game, pairings, seeds, options) as (job, taken):
        async with aclosing(job.messages_async()) as messages:
            async for match in messages:
                yield taken(match)
        job.result  # noqa: B018 - raises what has ended the job


@contextmanager
def _begun(
    game: str,
    pairings: Iterable[Sequence[AnyBot]],
    seeds: Iterable[int],
    options: Mapping[str, Any],
) -> Iterator[tuple[Job[None], Callable[[Match], Match]]]:
    """Begin to play; yield the job, and what to do with each match before the caller gets it."""
    of_match = {name: options[name] for name in options.keys() - _OURS}
    ours = {name: options[name] for name in options.keys() & _OURS}
    on_progress = ours.pop("on_progress", None)
    if ours.get("records") is not None:
        given_path("records", ours["records"])
    with prepared(game, of_match, ours.get("records"), on_progress) as setup:
        many = _Many(setup, pairings, seeds, **ours)
        job = Job(many.run)
        numbers = itertools.count(1)

        def taken(match: Match) -> Match:
            if on_progress is not None:
                on_progress(next(numbers), many.total)
            job.call(many.wake)
            return match

        yield job, taken


class _Many(Scheduler):
    """The matches of a `play_many`, each of them a block; the caller is sent them in order."""

    def __init__(
        self,
        setup: Prepared,
        pairings: Iterable[Sequence[AnyBot]],
        seeds: Iterable[int],
        *,
        workers: int | Literal["auto"] = "auto",
        seatings: Seats = "given",
        records: str | Path | None = None,
        keep: Keep = "all",
    ) -> None:
        ruleset = setup.ruleset
        _check_choice("keep", keep, Keep)
        _check_choice("seatings", seatings, Seats)
        try:
            spec.check_concurrency(workers)
        except ValueError as error:
            raise BadInputError(f"workers {error}") from None
        if workers == "auto":
            workers = automatic_concurrency(ruleset.seats)
        contestants, self._lineups = _lineups(setup, pairings, seatings)
        board = setup.board
        super().__init__(
            MatchSetup(
                game=ruleset.name,
                settings={setup.map: setup.settings},
                boards={} if board is None else {setup.map: ruleset.write_board(board)},
                clock=setup.clock,
            ),
            contestants,
            LocalWorkers(workers),
            on_event=_end_if_halted,
        )
        self._setup = setup
        self._records = RECORDS if records is None else Path(records)
        self._keep = spec.Keep(keep)
        self._seeds = _seeds(setup, seeds)
        self.total = (
            len(self._seeds) * len(self._lineups) if isinstance(self._seeds, Sequence) else 0
        )
        """How many matches there are; 0 if it isn't known."""
        self._blocks = self._all_blocks()
        self._is_done = False  # whether all matches were handed out
        self._handed_out = 0
        self._played = 0
        self._posted = 0
        # By number: matches that were played before an earlier one.
        self._ready: dict[int, Match] = {}

    async def run(self, job: Job[None]) -> None:
        """Play all matches and post each."""
        self._job = job
        with file_errors("can't write records to", self._records):
            make_folder(self._records)
            # Several machines may share the folder for records.
            kind = f".playing-{os.uname().nodename}"
            self._folder = TemporaryFolder(kind, self._records)
        try:
            await self._play()
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._folder.close)

    @property
    def progress(self) -> Progress:
        """The numbers of matches that are played and planned."""
        return Progress(played=self._played, planned=self.total or None)

    @property
    def _playing(self) -> str:
        return str(self._folder.path)

    def _all_blocks(self) -> Iterator[Block]:
        numbers = itertools.count()
        seats = tuple(range(self._setup.ruleset.seats))
        for seed in self._seeds:
            opening = Opening(check_seed(self._setup.ruleset, seed), self._setup.map)
            for names in self._lineups:
                yield Block(
                    id=f"{next(numbers):08}", bots=names, opening=opening, seatings=(seats,)
                )

    def _next(self) -> Block | None:
        """Return the next match; None if there is none, or while the caller has enough to read."""
        if self._handed_out - self._posted + self._job.unread >= AHEAD:
            return None
        block = next(self._blocks, None)
        if block is None:
            self._is_done = True
        else:
            self._handed_out += 1
        return block

    def _has_more_later(self) -> bool:
        # If nothing is played though there is more, the caller has enough to read: `wake` is called
        # when some of it was taken. All may be taken by now, as it has a thread of its own.
        return not self._is_done

    def _task(self, blocks: Sequence[Block]) -> Task:
        return attrs.evolve(super()._task(blocks), tells=True)

    def _record(self, finished: Sequence[Finished]) -> None:
        for block in finished:
            self._ready[int(block.result.block)] = self._match(block)
        self._played += len(finished)
        while self._posted in self._ready:
            self._job.post(self._ready.pop(self._posted))
            self._posted += 1

    def _match(self, block: Finished) -> Match:
        """Return the last try of a match, and put the records into their place."""
        played = block.tries[-1]
        for seat, bot in enumerate(played.result.seats):
            if bot.ending is Ending.START_FAILURE:
                raise StartFailureError(
                    f"bot {bot.bot!r} (seat {seat}) did not start: {bot.words}",
                    seat,
                    played.output,
                )
        assert played.info is not None
        seed, game = played.result.seed, self._setup.ruleset.name
        for each in block.tries:
            assert each.result.record is not None
            source = self._folder.path / str(block.records[each.result.record])
            kept = self._records / record_name(game, seed, each.match)
            keeps = self._keep.keeps(each.result)
            with file_errors("can't write records to", self._records):
                if keeps:
                    source.replace(kept)
                else:
                    source.unlink()
        return match_of(
            id_=played.match,
            game=game,
            map_=self._setup.map,
            seed=seed,
            names=played.names,
            result=played.info,
            record=kept if keeps else None,
        )


def _end_if_halted(event: events.Event) -> None:
    if isinstance(event, events.Halted):
        raise WorkError(event.words)


def _check_choice(name: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        *others, last = map(repr, get_args(choices))
        raise BadInputError(f"{name} {value!r:.200}; expected {', '.join(others)} or {last}")


def _lineups(
    setup: Prepared, pairings: Iterable[Sequence[AnyBot]], seated: Seats
) -> tuple[Mapping[str, Contestant], Sequence[tuple[str, ...]]]:
    """Return the bots by name, and by match with the same seed: the bots' names, by seat."""
    contestants: dict[str, Contestant] = {}
    lineups: list[tuple[str, ...]] = []
    if not isinstance(pairings, Iterable):
        raise BadInputError(f"pairings {pairings!r:.200}; give a list of lists of bots")
    for pairing in pairings:
        bots = setup.bots.seated(pairing)
        contestants |= {bot.name: bot for bot in bots}
        names = tuple(bot.name for bot in bots)
        arrangements = [tuple(range(len(names)))]
        if seated != "given":
            arrangements = list(seatings(names, every=seated == "all"))
        lineups += [tuple(names[place] for place in seating) for seating in arrangements]
    if not lineups:
        raise BadInputError("pairings: there are none; give a list of lists of bots")
    return {bot.name: bot for bot in apart([*contestants.values()])}, lineups


def _seeds(setup: Prepared, seeds: Iterable[int]) -> Iterable[int]:
    """Return the seeds; a sequence is checked at once (of a range its ends), others when drawn."""
    if not isinstance(seeds, Iterable):
        some = f"range({seeds if isinstance(seeds, int) else 10})"
        raise BadInputError(f"seeds {seeds!r:.200}; give several, such as {some}")
    if isinstance(seeds, range):
        for seed in (*seeds[:1], *seeds[-1:]):
            check_seed(setup.ruleset, seed)
        # More than sys.maxsize have no length.
        return seeds if len(seeds[: sys.maxsize]) < sys.maxsize else iter(seeds)
    if isinstance(seeds, Sequence):
        return [check_seed(setup.ruleset, seed) for seed in seeds]
    return seeds
