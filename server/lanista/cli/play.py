"""`lanista play`: plays one or several matches between bots that it starts."""

import gc
import itertools
import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from lanista.bots.command import INTERPRETER
from lanista.cli import EXIT_INTERRUPTED
from lanista.cli.common import (
    PAUSE,
    bot_options,
    clock_options,
    ending_line,
    fault_lines,
    game_and_bots,
    game_options,
    last_lines,
    match_cpu_option,
    say,
    size_option,
    start_option,
    turns_text,
    verdict_text,
    warn_of_bombs,
    write_text,
)
from lanista.errors import BadInputError, file_errors, printable
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.match.conditions import Clock, MatchSpec

if TYPE_CHECKING:
    from lanista.cli.web import PagePort
    from lanista.hosting.host import MatchReport
    from lanista.hosting.started_match import StartedMatch

EXIT_NO_START = 1
EXIT_NOT_COUNTED = 3
RES = ".res"
"""The suffix of an original game's match file."""
ORIGINAL_SPELLINGS = {
    "-seed": "--seed",
    "-moveLimit": "--move-limit",
    "-delay": "--delay",
    "-timeInit": "--time-init",
    "-timeMove": "--time-move",
    "-size": "--size",
    "-console": "--console",
}
"""Options of the original Angry Mob arena, and Lanista's options for them."""


class PlayCommand(click.Command):
    """The command, which accepts the options of the original arena too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace the original's options before click splits `-seed` into `-s` and `eed`."""
        end = args.index("--") if "--" in args else len(args)
        replaced = [ORIGINAL_SPELLINGS.get(arg, arg) for arg in args[:end]]
        return super().parse_args(ctx, replaced + args[end:])


@click.command("play", cls=PlayCommand)
@click.argument("words", metavar="GAME BOT...", nargs=-1)
@click.option("--game", metavar="GAME", help="The game, if it isn't the first word.")
@click.option("-l", "--list", "lists", is_flag=True, help="Only list the house bots of GAME.")
@click.option("-s", "--seed", type=int, help="The match's seed; a random one by default.")
@click.option(
    "--original-seeds",
    is_flag=True,
    help="Give each seat the seed that the original program gives its player (Hogwarts and "
    "Crematoria), instead of a secret one.",
)
@game_options
@click.option(
    "-o",
    "--record",
    metavar="FILE",
    help="File for the record (with -n: a folder); by default, one in ./lanista-records/. "
    "A name ending in .res gets the original game's match file, in addition to that record.",
)
@clock_options
@start_option
@bot_options
@match_cpu_option
@click.option(
    "--delay",
    type=PAUSE,
    metavar="MS",
    show_default="50, or less in a long match",
    help="Pause between turns while the board is drawn.",
)
@size_option
@click.option(
    "--watch",
    is_flag=True,
    help="Show the match in a browser; it begins when the page is opened, and plays a turn every "
    "--delay.",
)
@click.option(
    "--web",
    metavar="HOST:PORT",
    show_default="127.0.0.1:8080, or a free port",
    help="Address of the page of --watch.",
)
@click.option(
    "--open-logs",
    is_flag=True,
    help="With --watch: show bots' logs during the match to all viewers, not only to those on "
    "this machine.",
)
@click.option("--console", is_flag=True, help="Print only the result, without drawing the board.")
@click.option(
    "-n",
    "matches",
    type=click.IntRange(min=1),
    default=1,
    metavar="MATCHES",
    help="Number of matches; each seed is the one before plus 1.",
)
@click.option("--json", "as_json", is_flag=True, help="Print each result as a line of JSON.")
def command(
    words: tuple[str, ...],
    *,
    game: str | None,
    lists: bool,
    seed: int | None,
    original_seeds: bool,
    map_: str | None,
    settings: dict[str, int],
    record: str | None,
    clock: Clock,
    bot_limits: str | None,
    sandbox: str,
    match_cpu: int | None,
    delay: int | None,
    size: int,
    watch: bool,
    web: str | None,
    open_logs: bool,
    console: bool,
    matches: int,
    as_json: bool,
) -> int:
    """Start BOTs and play a match of GAME between them.

    A BOT is a house bot's name (see `lanista bots`), or a command line in quotes, run without a
    shell; in it {host}, {port}, {name} and {token} are replaced. Prefix it with `stdio:` if the
    bot reads stdin and writes stdout. Bots take the seats in the order given.

    Exit codes: 0 played, 1 a bot couldn't start, 2 bad input, 3 void or aborted,
    130 interrupted (the record is written).
    """
    gc.disable()  # what is imported stays: to search it for garbage would take 20 ms
    from lanista.bots.cgroup import use_cgroups
    from lanista.bots.keeper_process import become_subreaper
    from lanista.bots.limits import limits_of_match
    from lanista.hosting import inputs
    from lanista.hosting.bot_pool import Contestant, apart
    from lanista.hosting.host import distinct
    from lanista.hosting.names import bot_command, is_file
    from lanista.hosting.started_match import StartedMatch

    gc.freeze()  # or the next search would go through it all
    gc.enable()
    game, bots = game_and_bots(game, words)
    ruleset = registry.get(game)
    if watch and matches > 1:
        raise BadInputError("--watch shows one match only; use lanista serve for several")
    if (web is not None or open_logs) and not watch:
        raise BadInputError(
            "--web and --open-logs are for the page that --watch serves; give --watch too"
        )
    if lists:
        say(*registry.house_bots(game))
        return 0
    if len(bots) != ruleset.seats:
        raise BadInputError(
            f"{ruleset.title} is for {ruleset.seats} bots; {len(bots)} given{_unquoted(bots)}"
        )
    commands = [bot_command(game, bot) for bot in bots]
    names = distinct([name for name, _ in commands])
    first_seed = inputs.checked_seed(ruleset, seed)
    if seed is not None:
        inputs.checked_seed(ruleset, first_seed + matches - 1)
    seeds_of = _original_seeds(ruleset) if original_seeds else None
    complete, board = inputs.checked_setup(ruleset, map_, settings)
    limits, in_sandbox = limits_of_match(bot_limits, match_cpu), inputs.sandboxed(sandbox)
    contestants = apart(
        [
            Contestant(
                name=name,
                command=argv,
                limits=limits,
                sandboxed=in_sandbox,
                hidden=(inputs.RECORDS,) if matches == 1 or record is None else (Path(record),),
            )
            for name, (_, argv) in zip(names, commands, strict=True)
        ]
    )
    _record_path(game, record, matches, first_seed)  # raises an error if there can be no record
    files = [Path(given) for given in (map_, record) if given is not None and is_file(Path(given))]
    if len(files) == 2 and files[0].samefile(files[1]):
        raise BadInputError(f"-o {record}: is the map of -i; give the record another name")
    res = Path(record) if record is not None and record.endswith(RES) else None
    if res is not None:
        _check_res(ruleset, res, matches)
    page = None
    if watch:
        from lanista.cli.web import PagePort

        page = PagePort(web, open_logs=open_logs)
    become_subreaper()
    use_cgroups()
    warn_of_bombs(contestants)
    draws = page is None and not console and not as_json and sys.stdout.isatty()
    low, high = ruleset.seeds
    session = _Session(ruleset, bots, as_json=as_json, res=res, page=page)
    for number in range(matches):
        match_seed = low + (first_seed + number - low) % (high - low + 1)
        match = StartedMatch(
            spec=MatchSpec(
                ruleset=ruleset,
                settings=complete,
                seed=match_seed,
                seat_seeds=seeds_of(match_seed, ruleset.seats) if seeds_of is not None else (),
                board=board,
                clock=clock,
            ),
            contestants=contestants,
            record_path=_record_path(game, record, matches, match_seed),
            on_wait=_tell_wait if page is None and sys.stderr.isatty() else None,
        )
        code = session.play(match, None if delay is None else delay / 1000, size, draws=draws)
        if code in (EXIT_NO_START, EXIT_INTERRUPTED):
            return code
    session.summarize(matches)
    return session.exit_code


def _tell_wait(what: str) -> None:
    say(f"{what} …", err=True)


def _original_seeds(ruleset: Ruleset) -> Callable[[int, int], tuple[int, ...]]:
    """Return what tells the seeds of the seats in the original of a game."""
    from lanista.games.originals import of_game, seat_seeds

    if of_game(ruleset.name) is None:
        raise BadInputError(f"--original-seeds: {ruleset.title} has no original with such seeds")
    return seat_seeds


def _unquoted(bots: Sequence[str]) -> str:
    """Return the end of a message about too many bots: one may be a command without quotes."""
    for first, second in itertools.pairwise(bots):
        if INTERPRETER.fullmatch(Path(first).name):
            return f"; put a command of several words in quotes: '{first} {second}'"
    return ""


def _check_res(ruleset: Any, res: Path, matches: int) -> None:
    from lanista.games.originals import of_game

    if of_game(ruleset.name) is None:
        raise BadInputError(
            f"-o {res}: {ruleset.title} has no .res files; give the record another name"
        )
    if matches > 1:
        raise BadInputError(f"-o {res}: is one match file; with -n, name a folder for the records")
    with file_errors("can't write", res), res.open("a", encoding="ascii"):
        pass


def _record_path(game: str, record: str | None, matches: int, seed: int) -> Any:
    """Return a function that gives the path of a match's record for the match's id."""
    from lanista.hosting import inputs

    if record is not None and record.endswith(RES) and matches == 1:
        record = None  # the match file is made from a record with a name of its own
    path = inputs.RECORDS if record is None else Path(record)
    names_file = record is not None and matches == 1
    # The error of a name too long, or of a folder that can't be searched.
    with file_errors("can't write the record", path):
        if path.exists() and path.is_dir() == names_file:
            raise BadInputError(
                f"-o {path}: name a file for the record of one match, and with -n a folder"
            )
    if names_file:
        return lambda match: path  # noqa: ARG005 - named by the user, not by the match
    return lambda match: path / inputs.record_name(game, seed, match)


@attrs.define(eq=False)
class _Session:
    """The matches of one `lanista play`."""

    ruleset: Ruleset
    bots: Sequence[str]
    as_json: bool
    res: Path | None
    page: "PagePort | None"
    exit_code: int = 0
    _won: Counter[str] = attrs.field(factory=Counter, init=False)
    """By name, in the order of the seats, how often a bot has won."""
    _drawn: int = attrs.field(default=0, init=False)

    @property
    def _house(self) -> set[int]:
        house = registry.house_bots(self.ruleset.name)
        return {seat for seat, bot in enumerate(self.bots) if bot in house}

    def play(self, match: "StartedMatch", delay: float | None, size: int, *, draws: bool) -> int:
        """Play one match, print its result, and return the exit code.

        The delay is the pause between drawn turns in seconds; None for the usual one.
        """
        import trio

        from lanista.cli.watch import interruptible
        from lanista.hosting.started_match import StartFailureError

        try:
            if self.page is not None:
                from lanista.cli.live import DELAY
                from lanista.cli.watch import play_watched

                pause = DELAY if delay is None else delay
                played = trio.run(play_watched, match, self.page, pause, self._print)
            elif not draws:
                played = trio.run(interruptible, match.play, match.interrupt)
            else:
                from lanista.cli.live import LiveBoard

                with LiveBoard((), size, delay) as live:
                    match.watcher = live.watcher_of
                    match.on_wait = lambda what: live.say(f"{printable(what)} …")
                    played = trio.run(interruptible, match.play, match.interrupt)
        except StartFailureError as error:
            say(f"lanista play: {error}", err=True)
            say(*last_lines(error.output), err=True)
            self._offer_checks([error.seat], err=True)
            return EXIT_NO_START
        if played is not None:
            if self.page is None:
                self._print(played, interrupted=match.interrupted)
            if self.res is not None:
                self._export(played, self.res)
        if match.interrupted:
            if played is None:
                click.echo("lanista play: interrupted before the match began", err=True)
            return EXIT_INTERRUPTED
        assert played is not None
        if not played.result.is_decided:
            self.exit_code = EXIT_NOT_COUNTED
        return self.exit_code

    def _export(self, played: "MatchReport", res: Path) -> None:
        from lanista.cli.originals import as_res
        from lanista.match.replay import read_with_rules

        write_text(res, "".join(as_res(*read_with_rules(played.record))))
        if not self.as_json:
            click.echo(f"match file {res}")

    def _print(self, played: "MatchReport", *, interrupted: bool) -> None:
        result = played.result
        self._won.update(dict.fromkeys(played.names, 0))
        best = [name for name, rank in zip(played.names, result.ranks, strict=True) if rank == 1]
        if result.is_decided:
            if len(best) == 1:
                self._won[best[0]] += 1
            else:
                self._drawn += 1
        if self.as_json:
            click.echo(json.dumps(_as_json(played)))
            return
        if interrupted:
            verdict = "interrupted"
        elif not result.is_decided:
            verdict = "not counted"
        elif len(best) == 1:
            verdict = f"{best[0]} wins"
        else:
            verdict = "draw" if len(best) == len(played.names) else f"{', '.join(best)} share it"
        say(f"{verdict} ({verdict_text(result)}, {turns_text(self.ruleset, result)})")
        say(*ending_line(self.ruleset, result))
        order = sorted(range(len(played.names)), key=lambda seat: result.ranks[seat])
        for seat in order:
            click.echo(f"  {result.ranks[seat]}. {played.names[seat]}  score {result.scores[seat]}")
        say(*fault_lines(played.names, result, self._house))
        say(*crash_lines(played))
        if result.error:
            click.echo(printable(result.error, "\n"), err=True)
        click.echo(f"seed {played.spec.seed}")
        click.echo(f"record {played.record}")
        for bundle in played.bundles.values():
            click.echo(f"why: {bundle / 'about.txt'}")
        self._offer_checks(played.bundles)
        if (error := played.bundle_error) is not None:
            trouble = f"can't write the failure bundle {error.filename}: {error.strerror}"
            say(f"lanista play: {trouble}", err=True)

    def _offer_checks(self, seats: Iterable[int], *, err: bool = False) -> None:
        """Print the commands that check the bots of some seats, which have failed."""
        for bot in dict.fromkeys(self.bots[seat] for seat in seats if seat not in self._house):
            command = shlex.join(["lanista", "check", self.ruleset.name, bot])
            click.echo(f"check it: {printable(command)}", err=err)  # whole, to be copied

    def summarize(self, matches: int) -> None:
        """Print the number of wins of each bot, if there were several matches."""
        if matches == 1 or self.as_json:
            return
        won = ", ".join(f"{name} won {count}" for name, count in self._won.items())
        click.echo(f"{matches} matches: {won}, {self._drawn} drawn")


def crash_lines(played: "MatchReport") -> Iterator[str]:
    """Yield a line for each bot whose process crashed without this being a fault in the match."""
    for seat in played.bundles:
        exit_, ended = played.exits[seat], played.how_ended(seat)
        faults = [fault.words for fault in played.result.faults if fault.seat == seat]
        # A client library ends its bot with the words of the arena that has put it out.
        is_said = any(str(exit_) in words or words in ended for words in faults)
        if exit_ is not None and exit_.is_crash and not is_said:
            yield f"  {played.names[seat]}: afterwards {ended}"


def _as_json(played: "MatchReport") -> dict[str, Any]:
    """Return a result as one JSON object; docs/cli.md describes its keys."""
    result = played.result
    return {
        "match": played.spec.match,
        "seed": played.spec.seed,
        "players": list(played.names),
        "end": result.end,
        "reason": result.reason,
        "ranks": list(result.ranks),
        "scores": list(result.scores),
        "turns": result.turns,
        "digest": result.digest,
        "faults": [attrs.asdict(fault) for fault in result.faults],
        "fault_counts": list(result.fault_counts),
        "record": str(played.record),
        "bundles": [str(bundle) for bundle in played.bundles.values()],
    }
