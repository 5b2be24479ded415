"""For programs: run a tournament, given a spec in whatever form.

What the command line does is done by the same functions. Nothing is printed here, and no signal is
handled.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

import trio

from lanista.store.database import Store
from lanista.tournament import worker
from lanista.tournament.director import Director, Report
from lanista.tournament.events import Event
from lanista.tournament.executors import Concurrency, GivenWorkers, Workers, checked
from lanista.tournament.looking import AnySpec, format_of, load
from lanista.tournament.records import held
from lanista.tournament.setup import Setup
from lanista.tournament.spec import SpecError
from lanista.tournament.stored_blocks import agree, settle_seed, unbench_bots


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
    """Open a tournament's database, be the only one that runs it, and make its director.

    Args:
        setup: By `load`.
        executor: What runs the matches, in place of the spec's: its words, or any executor.
        concurrency: Blocks at the same time, in place of the spec's.
        accept_changes: Whether bots that changed under their names are started anew.
        unbench: Names of bots whose failures are forgiven.
        on_event: Is told what happens, in the trio thread; must not block.

    Yields:
        The director; its `run` is to be called once, in a trio loop.

    Raises:
        SpecError: It can't be played so.
        StoreError: The database can't be used, or is in use by another run; or the folder of
            records is in use by another tournament.
        OSError: The folder of records can't be made.
    """
    spec = setup.spec
    workers = open_executor(
        spec.executor if executor is None else executor,
        spec.concurrency if concurrency is None else concurrency,
        pin=spec.pin,
    )
    # Before the database is made: it may refuse.
    format_ = format_of(setup)
    with Store.open(setup.database) as store, store.lock(), held(setup.records):
        agree(setup, store, accept_changes=accept_changes)
        unbench_bots(setup, store, unbench)
        settle_seed(setup, store, makes=True)
        yield Director(
            setup,
            store,
            format_,
            workers,
            play=worker.play_blocks,
            measure=worker.measure,
            farewell=worker.rest,
            on_event=on_event,
        )


async def run_async(
    spec: AnySpec,
    *,
    folder: str | Path | None = None,
    executor: str | Executor | None = None,
    concurrency: Concurrency | None = None,
    accept_changes: bool = False,
    unbench: Sequence[str] = (),
    on_event: Callable[[Event], None] | None = None,
) -> Report:
    """Run a tournament, or go on with it, in a trio loop; cancelling it ends it at once.

    Whatever ends it, what was stored stays: call it again to go on.

    Args:
        spec: A TOML file's path, what such a file holds, or a `Spec`.
        folder: As `load`'s.
        executor: What runs the matches, in place of the spec's: `local`, `dask-local`,
            `dask://HOST:PORT`, or any `concurrent.futures.Executor`, which is used as it is.
        concurrency: Blocks at the same time, or `auto`; in place of the spec's.
        accept_changes: Whether bots that changed under their names are started anew.
        unbench: Names of bots whose failures are forgiven.
        on_event: Is told what happens, in the trio thread; must not block.

    Raises:
        SpecError: It can't be played so.
        StoreError: The database can't be used, or is in use by another run.
        OSError: The folder of records can't be made.
    """
    setup = load(spec, folder)
    with open_tournament(
        setup,
        executor=executor,
        concurrency=concurrency,
        accept_changes=accept_changes,
        unbench=unbench,
        on_event=on_event,
    ) as director:
        return await director.run()


def run(
    spec: AnySpec,
    *,
    folder: str | Path | None = None,
    executor: str | Executor | None = None,
    concurrency: Concurrency | None = None,
    accept_changes: bool = False,
    unbench: Sequence[str] = (),
    on_event: Callable[[Event], None] | None = None,
) -> Report:
    """Run a tournament, or go on with it; as `run_async`, outside of a trio loop.

    Ctrl-C ends it at once, by KeyboardInterrupt; call it again to go on.
    """

    async def main() -> Report:
        return await run_async(
            spec,
            folder=folder,
            executor=executor,
            concurrency=concurrency,
            accept_changes=accept_changes,
            unbench=unbench,
            on_event=on_event,
        )

    return trio.run(main)


def open_executor(
    executor: str | Executor, concurrency: Concurrency = "auto", *, pin: bool = False
) -> Workers:
    """The workers that a spec wants. Nothing is started yet; end them by `close` or `terminate`.

    Args:
        executor: As a spec says it, or one that is there.
        concurrency: Tasks at the same time; `auto`: measured on this machine, all threads of a
            cluster.
        pin: Whether workers of this machine get cores of their own.

    Raises:
        SpecError: There is no such executor, or it isn't installed.
    """
    if isinstance(executor, Executor):
        return GivenWorkers(executor, concurrency)
    address = checked(executor)
    if executor == "local":
        from lanista.tournament.local import LocalWorkers  # noqa: PLC0415 - see below

        return LocalWorkers(concurrency, pin=pin)
    try:
        # An extra, and slow to import: only for those who want a cluster.
        from lanista.tournament.cluster import DaskWorkers  # noqa: PLC0415
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("distributed", "dask"):
            raise
        raise SpecError(
            f"executor: {executor}: dask.distributed isn't installed; "
            "pip install 'lanista[cluster]'"
        ) from None
    where = None if address is None else f"tcp://{address[1]}:{address[2]}"
    return DaskWorkers(where, concurrency)
