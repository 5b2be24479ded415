"""Functions for programs that run a tournament; they print nothing and handle no signal."""

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TypedDict, Unpack

from lanista.competition.director import Director, Report
from lanista.competition.events import Event
from lanista.competition.executors import (
    Concurrency,
    GivenWorkers,
    LocalWorkers,
    Workers,
    automatic_concurrency,
    parse_executor,
)
from lanista.competition.setup import AnySpec, Setup, load
from lanista.competition.spec import check_concurrency
from lanista.competition.standings import format_of
from lanista.competition.stored_blocks import check_identities, settle_seed, unbench_bots
from lanista.errors import FileError, SpecError
from lanista.hosting.inputs import check_function, check_options
from lanista.jobs import Job
from lanista.results.base import Database
from lanista.results.database import Store
from lanista.results.lock import folder_lock


@contextlib.contextmanager
def open_tournament(
    setup: Setup,
    *,
    executor: str | Executor | None = None,
    concurrency: Concurrency | None = None,
    accept_changes: bool = False,
    unbench: Sequence[str] = (),
    on_event: Callable[[Event], None] | None = None,
) -> Iterator[Director]:
    """Open the database of a tournament, lock it against other runs, and make a director.

    The options are those of `run`, but `on_event` is called in the trio thread; it mustn't block.
    The director's `run` is to be called once, in a trio loop.

    Raises:
        SpecError: The tournament can't be played with these arguments.
        StoreError: The database can't be used, or is in use by another run; or the folder of
            records is in use by another tournament.
        FileError: The folder of records can't be made.
    """
    spec = setup.spec
    workers = open_executor(
        spec.executor if executor is None else executor,
        spec.concurrency if concurrency is None else concurrency,
        seats=setup.ruleset.seats,
        pin=spec.pin,
    )
    # Made before the database, as it may raise SpecError.
    format_ = format_of(setup)
    with (
        Store.open(setup.database) as store,
        store.lock(),
        folder_lock(setup.records, setup.database),
    ):
        check_identities(setup, store, accept_changes=accept_changes)
        unbench_bots(setup, store, unbench)
        settle_seed(setup, store, makes=True)
        yield Director(setup, store, format_, workers, on_event=on_event or _ignore)


def check_places(setup: Setup) -> None:
    """Check that a run could use its database and its folder of records; nothing is changed.

    Raises:
        StoreError: The database can't be used.
        FileError: The folder of records can't be made, or not be written.
    """
    Database.rehearse(setup.database)
    records = setup.records
    place = next(folder for folder in (records, *records.parents) if folder.exists())
    if not os.access(place / ".", os.W_OK | os.X_OK):
        why = f"{place} isn't a folder that can be written"
        raise FileError(f"can't use the folder of records {records}: {why}")


class RunOptions(TypedDict, total=False):
    """Options of a run."""

    executor: str | Executor | None
    """Overrides the spec's executor: `local`, `dask-local`, `dask://HOST:PORT`, or any
    `concurrent.futures.Executor`, which isn't shut down."""
    concurrency: Concurrency | None
    """Overrides the spec's number of blocks at the same time; a number or `auto`."""
    accept_changes: bool
    """Whether bots may have changed since earlier runs; what they played before doesn't count
    then."""
    unbench: Sequence[str]
    """Names of benched bots that may play again."""
    on_event: Callable[[Event], None] | None
    """Called with each event, in the caller's thread; what it raises ends the run."""


async def run_async(
    spec: AnySpec, *, folder: str | Path | None = None, **options: Unpack[RunOptions]
) -> Report:
    """Run a tournament as `run` does, in a loop of trio's or asyncio's, which goes on meanwhile.

    The arguments and exceptions are those of `run`; `on_event` is called in the caller's loop.
    Cancelling ends it at once; call it again to go on.
    """
    job, on_event = _begin(load(spec, folder), options)
    return await job.follow_async(on_event)


def run(
    spec: AnySpec, *, folder: str | Path | None = None, **options: Unpack[RunOptions]
) -> Report:
    """Run a tournament, from where an earlier run ended.

    It can be called in a notebook too, or within any event loop, which stands still meanwhile;
    there, `await run_async(…)` is better. Ctrl-C, or a notebook's interrupt, ends it at once by
    KeyboardInterrupt. However it ends, the blocks that were stored remain: call it again to go on.

    Args:
        spec: The path of a TOML file, the content of such a file, or a `Spec`.
        folder: The folder for the results, as for `load`.
        **options: Executor, concurrency, changed and benched bots, events: see `RunOptions`.

    Raises:
        SpecError: The tournament can't be played with these arguments.
        StoreError: The database can't be used, or is in use by another run.
        FileError: The folder of records can't be made.
    """
    job, on_event = _begin(load(spec, folder), options)
    return job.follow(on_event)


def _begin(setup: Setup, options: RunOptions) -> tuple[Job[Report], Callable[[Event], None]]:
    """Begin a run in another thread; return it, and what to call with its events."""
    on_event, unbench = options.get("on_event"), options.get("unbench", ())
    check_function("on_event", on_event)
    check_options(options, RunOptions)
    if isinstance(unbench, str) or not isinstance(unbench, Sequence):
        raise SpecError(f"unbench: {unbench!r:.200}; expected a list of names of bots")

    async def work(job: Job[Report]) -> Report:
        posting: RunOptions = {**options, "on_event": None if on_event is None else job.post}
        with open_tournament(setup, **posting) as director:
            return await director.run()

    return Job(work), on_event or _ignore


def _ignore(_: object) -> None:
    pass


def open_executor(
    executor: str | Executor,
    concurrency: Concurrency = "auto",
    *,
    seats: int,
    pin: bool = False,
) -> Workers:
    """Make the workers that a spec asks for, by name or as an executor, without starting them.

    `auto` stands for as many tasks at the same time as give each bot a core of this machine, or as
    many as a cluster has threads.

    Raises:
        SpecError: There is no such executor, or it isn't installed.
    """
    try:
        check_concurrency(concurrency)
    except ValueError as error:
        raise SpecError(f"concurrency: {error}") from None
    if isinstance(executor, Executor):
        return GivenWorkers(executor, concurrency)
    address = parse_executor(str(executor))
    here = automatic_concurrency(seats) if concurrency == "auto" else concurrency
    if executor == "local":
        return LocalWorkers(here, pin=pin)
    try:
        # Imported only when a cluster is wanted: it is slow to import and may not be installed.
        from lanista.competition.cluster import DaskWorkers  # noqa: PLC0415
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("distributed", "dask"):
            raise
        raise SpecError(
            f"executor: {executor}: dask.distributed isn't installed; "
            "pip install 'lanista[cluster]'"
        ) from None
    if address is None:
        return DaskWorkers(None, here)
    return DaskWorkers(f"tcp://{address[1]}:{address[2]}", concurrency)
