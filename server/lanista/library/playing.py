"""Playing one match from Python, and the options that all matches have."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict, Unpack

import attrs

from lanista.bots.keeper_process import starting_bots
from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Game, Ruleset, whole_number
from lanista.hosting.bot_pool import apart
from lanista.hosting.host import MatchReport, distinct
from lanista.hosting.inputs import (
    RECORDS,
    Map,
    check_function,
    check_options,
    checked_seed,
    checked_setup,
    given_path,
    map_name,
    record_name,
    sandboxed,
)
from lanista.hosting.started_match import StartedMatch
from lanista.jobs import Job
from lanista.library.bots import AnyBot, Bots, Functions
from lanista.library.matches import Match, match_of
from lanista.match.conditions import (
    CLOCK_OPTIONS,
    MAX_MATCH_CPU,
    Clock,
    MatchSpec,
    clock_of,
)
from lanista.match.runner import Watcher
from lanista.toml_spec import SpecReader, strict_converter

OnProgress = Callable[[int, int], object]
"""Called in the caller's thread with how much is done, and how much there is at most."""

_CLOCK = SpecReader(Clock, strict_converter(), 0)


class MatchOptions(TypedDict, total=False):
    """Options of a match, named and meant like those of `lanista play` (docs/cli.md)."""

    map: Map | None
    """A shipped map's name, a path, or the text of a map file or of a configuration of an original
    game; without it, the seed makes the map."""
    settings: Mapping[str, int]
    """Settings of the game, as `--set`."""
    time_init: float
    """Seconds for the first answer; 20 by default, 0 for no limit."""
    time_move: float
    """Seconds for every other answer; 0.2 by default, 0 for no limit."""
    no_clock: bool
    """Give bots unlimited time for their answers."""
    late_limit: int
    """Late turns in a row that put a bot out, in games that skip late turns; 10 by default."""
    stall_margin: float
    """If this machine stalls for more seconds than this, a late answer makes the match void; 0.05
    by default."""
    time_start: float
    """Seconds that a bot has from its start to its hello; 30 by default."""
    limits: str | None
    """What each bot may use, such as `memory=1G,cpu=3600,files=1024`, or `none`."""
    match_cpu: int | None
    """Seconds of processor time that each bot may use in a whole match; each bot is then started
    afresh for every match. None for no such budget."""
    sandbox: str
    """`bwrap` to isolate the bots from this machine; `none` by default."""


@attrs.define
class Prepared:
    """A match's options after they were checked."""

    ruleset: Ruleset
    settings: dict[str, int]
    board: Any
    map: str
    clock: Clock
    bots: Bots


@contextmanager
def prepared(
    game: str,
    options: Mapping[str, Any],
    records: str | Path | None,
    on_progress: OnProgress | None,
) -> Iterator[Prepared]:
    """Check the options of a match; functions can be played as bots until the `with` ends.

    `records` is the record or the folder for records, which sandboxed bots must not see; None for
    `RECORDS`. `on_progress` is only checked.
    """
    ruleset = registry.get(game)
    check_function("on_progress", on_progress)
    hidden = RECORDS if records is None else given_path("record", records)
    check_options(options, MatchOptions)
    match_cpu = options.get("match_cpu")
    if match_cpu is not None:
        whole_number("match_cpu", match_cpu, 1, MAX_MATCH_CPU)
    limits = options.get("limits")
    if not isinstance(limits, str | None):
        raise BadInputError(f"limits {limits!r:.200}; expected a text such as 'memory=1G'")
    map_ = options.get("map")
    settings, board = checked_setup(ruleset, map_, options.get("settings"))
    with Functions() as functions:
        yield Prepared(
            ruleset=ruleset,
            settings=settings,
            board=board,
            map="" if map_ is None else map_name(map_),
            clock=_clock(options),
            bots=Bots(
                ruleset=ruleset,
                functions=functions,
                limits=limits,
                match_cpu=match_cpu,
                sandboxed=sandboxed(options.get("sandbox", "none")),
                hidden=(str(hidden),),
            ),
        )


def _clock(options: Mapping[str, Any]) -> Clock:
    given = {name: options[name] for name in CLOCK_OPTIONS & options.keys()}
    no_clock = given.pop("no_clock", False)
    return clock_of(no_clock=no_clock, **attrs.asdict(_CLOCK.of(given, "")))


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

    An event loop in which it is called stands still meanwhile; there, `await aplay(…)` is better.
    Ctrl-C ends the match as aborted, with its record written, and raises KeyboardInterrupt.

    Args:
        game: The game's name.
        bots: By seat: a house bot's name, a command line, a Python function from the client's state
            to submoves, or a `Bot`.
        seed: The match's seed; None for a new one.
        record: The file for the record; None for one in ./lanista-records/.
        on_progress: Called after each turn with the number of turns played, and the greatest that
            the match can have.
        **options: Map, settings, clock, limits and sandbox: see `MatchOptions`.

    Raises:
        BadInputError: An argument can't be used.
        StartFailureError: A bot couldn't be started, or hasn't said hello.
        FileError: The record can't be written, or a function on its way to its process.
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
    if path is not None and os.path.isdir(path):  # noqa: PTH112 - `Path` raises for a long name
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
        with starting_bots():
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
