"""For programs: run a tournament, or look at its standings, given a spec in whatever form.

What the command line does is done by the same functions. Nothing is printed here, and no signal is
handled.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import trio

from lanista.store.database import Store
from lanista.tournament import work
from lanista.tournament.director import Director, Report
from lanista.tournament.events import Event
from lanista.tournament.executors import Concurrency, open_executor
from lanista.tournament.pairing import make_format
from lanista.tournament.pairing.base import Format
from lanista.tournament.setup import Setup, prepare
from lanista.tournament.spec import Spec, read_spec, spec_of
from lanista.tournament.standings import Standings
from lanista.tournament.stock import agree, pardon, settle_seed, take_stock
from lanista.tournament.totals import snapshot, standings

AnySpec = str | Path | Mapping[str, Any] | Spec
"""A TOML file's path, what such a file holds, or a spec."""


def load(spec: AnySpec, folder: str | Path | None = None) -> Setup:
    """Look up all that a spec names.

    Args:
        spec: The spec.
        folder: Where results lie, and what paths are relative to, for a spec that is no file; the
            present folder without it.

    Raises:
        SpecError: It can't be read, or can't be played.
    """
    if isinstance(spec, (str, Path)):
        path = Path(spec)
        return prepare(read_spec(path), path.parent, path.stem)
    if not isinstance(spec, Spec):
        spec = spec_of(spec)
    return prepare(spec, Path.cwd() if folder is None else Path(folder))


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
        StoreError: The database can't be used, or is in use by another run.
    """
    spec = setup.spec
    workers = open_executor(
        spec.executor if executor is None else executor,
        spec.concurrency if concurrency is None else concurrency,
        pin=spec.pin,
    )
    # Before the database is made: it may refuse.
    format_ = _format(setup)
    with Store.open(setup.database) as store, store.lock():
        agree(setup, store, accept_changes=accept_changes)
        pardon(setup, store, unbench)
        settle_seed(setup, store, makes=True)
        yield Director(
            setup,
            store,
            format_,
            workers,
            play=work.play_blocks,
            measure=work.measure,
            farewell=work.close,
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


def standings_of(setup: Setup, store: Store) -> Standings:
    """The standings of what a database holds of a tournament; nothing is written.

    Args:
        setup: The tournament.
        store: Its database; may be in use by a run.

    Raises:
        SpecError: The spec's format can't be.
        StoreError: The database can't be read.
    """
    settle_seed(setup, store, makes=False)
    format_ = _format(setup)
    with store.reading() as now:
        stock = take_stock(setup, now.played())
        failures = now.running_failures(setup.spec.bench_after)
    for _, pairing, played in stock.entries:
        format_.record(pairing, played)
    benched = [bot for bot in setup.bots if failures.get(bot, 0) >= setup.spec.bench_after]
    for bot in benched:
        format_.bench(bot)
    return standings(setup, store, snapshot(format_, stock, benched))


def _format(setup: Setup) -> Format:
    return make_format(setup.spec, setup.ruleset.seats, setup.draws, setup.bots, setup.fillers)
