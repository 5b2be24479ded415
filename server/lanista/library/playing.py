"""Playing one match from Python."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Unpack

import attrs

from lanista.bots.keeper_process import close_fork_server
from lanista.errors import BadInputError
from lanista.games.base import Game
from lanista.hosting.bot_pool import apart
from lanista.hosting.host import MatchReport, distinct
from lanista.hosting.inputs import RECORDS, checked_seed, record_name
from lanista.hosting.started_match import StartedMatch
from lanista.jobs import Job
from lanista.library.bots import AnyBot
from lanista.library.matches import Match, match_of
from lanista.library.options import MatchOptions, Prepared, prepared
from lanista.match.conditions import MatchSpec
from lanista.match.runner import Watcher

OnProgress = Callable[[int, int], object]
"""Called in the caller's thread with how much is done, and how much there is at most."""

_playing = 0
_lock = threading.Lock()


def play(
    game: str,
    bots: Sequence[AnyBot],
    *,
    seed: int | None = None,
    record: str | Path | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[MatchOptions],
) -> Match:
    """Start bots and play a match between them, as `lanista play` does.

    It can be called in a notebook too, or within any event loop, which stands still meanwhile;
    there, `await aplay(…)` is better. Ctrl-C ends the match as aborted, with its record written,
    and raises KeyboardInterrupt.

    Args:
        game: The game's name.
        bots: The bots, by seat: each a house bot's name, a command line, a Python function from
            the client's state to submoves, or a `Bot`.
        seed: The match's seed; None for a new one.
        record: The file for the record; None for one in ./lanista-records/.
        on_progress: Called after each turn with the number of turns played, and the greatest that
            the match can have.
        **options: Map, settings, clock, limits and sandbox: see `MatchOptions`.

    Raises:
        BadInputError: An argument can't be used.
        StartFailureError: A bot couldn't be started, or hasn't said hello.
        FileError: The record can't be written.
    """
    with prepared(game, options, record, on_progress) as setup:
        job, take = _begin(setup, bots, seed, record, on_progress)
        return _match(job.follow(take), setup)


async def aplay(
    game: str,
    bots: Sequence[AnyBot],
    *,
    seed: int | None = None,
    record: str | Path | None = None,
    on_progress: OnProgress | None = None,
    **options: Unpack[MatchOptions],
) -> Match:
    """Play a match as `play` does, in a loop of asyncio or trio, which goes on meanwhile.

    If this is cancelled, the match ends as aborted, with its record written.
    """
    with prepared(game, options, record, on_progress) as setup:
        job, take = _begin(setup, bots, seed, record, on_progress)
        return _match(await job.follow_async(take), setup)


def _begin(
    setup: Prepared,
    bots: Sequence[AnyBot],
    seed: int | None,
    record: str | Path | None,
    on_progress: OnProgress | None,
) -> tuple[Job[MatchReport | None], Callable[[tuple[int, int]], object]]:
    """Begin to play in another thread; return the job, and what to call with its messages."""
    ruleset = setup.ruleset
    match_seed = checked_seed(ruleset, seed)
    seated = setup.bots.seated(bots)
    names = distinct([contestant.name for contestant in seated])
    most = ruleset.max_turns(setup.settings)
    path = None if record is None else Path(record)
    if path is not None and path.is_dir():
        raise BadInputError(f"record {path}: a folder; name a file")

    async def work(job: Job[MatchReport | None]) -> MatchReport | None:
        def watcher(_: Sequence[str]) -> Watcher:
            def watch(game: Game) -> None:
                job.post((game.turn, most))

            return watch

        match = StartedMatch(
            spec=MatchSpec(
                ruleset=ruleset,
                settings=setup.settings,
                seed=match_seed,
                board=setup.board,
                clock=setup.clock,
            ),
            contestants=[
                attrs.evolve(contestant, name=name, restart=True)
                for name, contestant in zip(names, apart(seated), strict=True)
            ],
            record_path=lambda id_: path or RECORDS / record_name(ruleset.name, match_seed, id_),
            watcher=None if on_progress is None else watcher,
        )
        job.interrupt = match.interrupt
        with _counted():
            return await match.play()

    return Job(work), lambda progress: on_progress and on_progress(*progress)


def _match(report: MatchReport | None, setup: Prepared) -> Match:
    assert report is not None  # None only if the match was interrupted
    return match_of(
        id_=report.spec.match,
        game=setup.ruleset.name,
        map_=setup.map,
        seed=report.spec.seed,
        names=report.names,
        result=report.result,
        record=report.record,
        bundles=list(report.bundles.values()),
    )


@contextmanager
def _counted() -> Iterator[None]:
    """Count a match while it is played; after the last one in this process, end the fork server."""
    global _playing  # noqa: PLW0603 - one fork server for each process
    with _lock:
        _playing += 1
    try:
        yield
    finally:
        with _lock:
            _playing -= 1
            if not _playing:
                close_fork_server()
