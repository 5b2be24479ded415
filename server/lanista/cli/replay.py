"""`lanista replay`: shows and checks records of matches, and writes them as other files."""

import contextlib
import itertools
import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.bots.command import HOUSE_BOT
from lanista.bots.execute import hint
from lanista.cli import EXIT_BAD_INPUT, Group
from lanista.cli.common import (
    PAUSE,
    ending_line,
    fault_lines,
    say,
    size_option,
    turns_text,
    verdict_text,
)
from lanista.errors import BadInputError, LanistaError, placed, printable
from lanista.games.base import Game, Ruleset, turn_word
from lanista.games.picture import counted
from lanista.page.seat_colours import letter

if TYPE_CHECKING:
    from lanista.hosting.feeder import FeedResult
    from lanista.match.record import Header, Record
    from lanista.page.difference import Difference, SeatDifference
    from lanista.page.story import Chapter

EXIT_MISMATCH = 1
MAX_OUTPUT_LINES = 12
"""Maximum number of lines that a bot's process wrote in a turn that `replay show` prints."""


@click.group("replay", cls=Group)
def command() -> None:
    """Show records of matches, check them, and write them as other files."""


def _read(file: str) -> "tuple[Record, Ruleset]":
    from lanista.match.record import BadRecordError
    from lanista.match.replay import read_with_rules

    try:
        return read_with_rules(Path(file))
    except BadRecordError:
        if not file.removesuffix(".gz").endswith(".res"):
            raise
        uses = "`lanista replay html` shows it, and `lanista explain` checks it"
        raise BadInputError(f"{file} is a match file, and no record: {uses}") from None


@contextlib.contextmanager
def _replaying(file: str, *, err: bool = True) -> Iterator[None]:
    """Have the command end by its exit code if a record proves wrong while it is replayed."""
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError

    try:
        yield
    except MismatchError as error:
        say(f"{file}: DIFFERS: {error}", err=err)
        raise click.exceptions.Exit(EXIT_MISMATCH) from None
    except BadRecordError as error:
        raise BadInputError(f"{file}: {error}") from None


@command.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def verify(files: tuple[str, ...]) -> int:
    """Play recorded matches again by the rules and compare every digest.

    Exit codes: 0 all agree, 1 one differs, 2 a file isn't a record or can't be read.
    """
    from lanista.match.replay import verify as verify_record

    code = 0
    for file in files:
        try:
            record, ruleset = _read(file)
            with _replaying(file, err=False):
                turns = verify_record(record, ruleset)
        except click.exceptions.Exit as differs:
            code = max(code, differs.exit_code)
        except LanistaError as error:
            say(f"lanista: {error}", err=True)
            code = EXIT_BAD_INPUT  # the other files are verified all the same
        else:
            cut = "; the match was cut off, there is no result" if record.result is None else ""
            say(f"{file}: verified {counted(turns, turn_word(ruleset))}{cut}")
    return code


@command.command("diff")
@click.argument("file_a", metavar="A")
@click.argument("file_b", metavar="B")
@click.option("--json", "as_json", is_flag=True, help="Print the difference as one JSON object.")
@click.option(
    "--html",
    "page",
    metavar="FILE",
    help="Write both matches as one HTML file that shows them side by side in a browser.",
)
def diff(file_a: str, file_b: str, *, as_json: bool, page: str | None) -> int:
    """Find the first difference between two recorded matches.

    That is the first turn in which a bot answered differently, for example when two versions of
    a bot have played with the same seed. Times and logs aren't compared.

    Exit codes: 0 the same match, 1 they differ, 2 a file isn't a record or can't be read.
    """
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError
    from lanista.page.difference import first_difference, json_of

    (a, ruleset), (b, _) = _read(file_a), _read(file_b)
    try:
        difference = first_difference(a, b, ruleset)
    except (BadRecordError, MismatchError) as error:
        raise BadInputError(
            f"one of them contradicts the rules, `lanista replay verify` says which: {error}"
        ) from None
    if as_json:
        click.echo(json.dumps(json_of(difference)))
    else:
        say(*_difference_lines(difference, (file_a, file_b), a.header))
    if page is not None:
        from lanista.page import files
        from lanista.page.html import bundle
        from lanista.page.replay_reader import read_frames

        if not difference.is_comparable:
            raise BadInputError(f"{page} isn't written: these matches can't be compared")
        frames_a, frames_b = read_frames(Path(file_a)), read_frames(Path(file_b))
        parts = bundle(frames_a, (frames_b, json_of(difference)))
        size = files.write([file_a, file_b], Path(page), parts)
        say(f"{page}: {size} bytes", err=as_json)
    return EXIT_MISMATCH if difference.found else 0


def _difference_lines(difference: "Difference", files: Sequence[str], a: "Header") -> Iterator[str]:
    """Yield a difference between the records A, with this header, and B as lines for people."""
    yield f"A: {files[0]}"
    yield f"B: {files[1]}"
    if difference.start:
        yield "They start differently:"
        yield from _indented(difference.start)
    if not difference.is_comparable:
        yield "So the turns of these matches can't be compared."
        return
    if difference.turn is None:
        same = counted(min(difference.turns), "turn")
        if difference.end:
            yield f"The same answers in the {same} that both have. They end differently:"
            yield from _indented(difference.end)
        else:
            yield f"No difference: the same answers in {same}, and the same result."
        return
    yield f"First difference: turn {difference.turn}."
    for seat in difference.seats:
        yield from _seat_lines(seat, a.players[seat.seat].name)
    if difference.position_turn is None:
        yield (
            "The position after it is the same, and so are all others in the "
            f"{min(difference.turns)} turns that both have."
        )
        return
    yield f"Positions differ from that after turn {difference.position_turn - 1} on:"
    yield from _indented(difference.position)


def _seat_lines(difference: "SeatDifference", name: str) -> Iterator[str]:
    yield f"  seat {difference.seat} ({name} in A) answered differently:"
    for side, answer in (("A", difference.a), ("B", difference.b)):
        verdict = "" if answer.verdict == "answer" else f"{answer.verdict}: "
        yield f"    {side}: {verdict}{'no answer' if answer.raw is None else answer.raw}"
        yield from (f"      only in {side}: {submove}" for submove in answer.submoves)
        yield from (f"      {fault}" for fault in answer.faults)
    if difference.note is not None:
        yield f"    {difference.note}"


def _indented(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines)


@command.command("show")
@click.argument("file")
@click.option("--turn", type=click.IntRange(min=0), help="Draw only the position after N turns.")
@click.option("--delay", type=PAUSE, default=50, metavar="MS", help="Pause between turns.")
@size_option
@click.option(
    "--drawings/--no-drawings", "draws", default=True, help="Show what bots drew by their logs."
)
def show(file: str, turn: int | None, delay: int, size: int, *, draws: bool) -> None:
    """Show a record: each position in a terminal, elsewhere only the last, and the result."""
    import trio
    from rich.console import Console

    from lanista.cli.live import LiveBoard
    from lanista.cli.view import BoardView, TurnDrawings, turn_drawings
    from lanista.cli.watch import cancelled_by_signals
    from lanista.match.replay import positions

    record, ruleset = _read(file)
    names = [printable(player.name) for player in record.header.players]

    def drawn_on(game: Game) -> TurnDrawings:
        # What bots logged in turn N is about the position of turn N.
        asked = record.turns[game.turn : game.turn + 1] if draws else ()
        return turn_drawings(game.scene(), names, asked[0].logs if asked else {})

    with _replaying(file):
        if turn is None and sys.stdout.isatty():

            async def draw() -> None:
                for game in positions(record, ruleset):
                    await live.watch(game, drawn_on(game).cells)

            with LiveBoard(names, size, delay / 1000) as live:
                trio.run(cancelled_by_signals, draw)
        else:
            game = None
            for at, game in enumerate(positions(record, ruleset)):  # noqa: B007 - the last counts
                if at == turn:
                    break
            assert game is not None
            if turn is not None and game.turn < turn:
                raise BadInputError(f"{file}: no turn {turn}; the last one is {game.turn}")
            view = BoardView(game.scene(), names, size, Console(highlight=False))
            drawn = drawn_on(game)
            view.print(game.frame(), drawn.cells)
            say(*drawn.lines, *_output_lines(record, names, game.turn))
    _print_result(record, ruleset)


@command.command("export")
@click.argument("file")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["res", "png", "gif"]),
    required=True,
    help="The format: the original game's match file, a picture, or a moving picture.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="The file to write; by default, a picture is named after FILE, and a res is printed.",
)
@click.option(
    "--round", "round_", type=click.IntRange(min=0), show_default="the last", help="png: the round."
)
@click.option(
    "--from", "first", type=click.IntRange(min=0), show_default="0", help="gif: the first round."
)
@click.option(
    "--to",
    "last",
    type=click.IntRange(min=0),
    show_default="the match's",
    help="gif: the last round.",
)
@click.option(
    "--delay",
    type=click.IntRange(20, 60_000),
    metavar="MS",
    show_default="200",
    help="gif: how long each round is shown.",
)
@click.option(
    "--size",
    type=click.IntRange(1, 200),
    metavar="PIXELS",
    show_default="so that it fits 1200 pixels",
    help="png, gif: the side of a cell.",
)
def export(file: str, format_: str, output: str | None, **given: int | None) -> None:
    """Write a match as a file in another format.

    res: a record of Hogwarts or Crematoria as the original game's match file. png, gif: a picture
    of a record, or of a match file (.res) of an original game.
    """
    from lanista.cli.originals import as_res
    from lanista.page import files

    options = {
        "res": set[str](),
        "png": {"round_", "size"},
        "gif": {"first", "last", "delay", "size"},
    }
    names = {"round_": "--round", "first": "--from", "last": "--to"}
    for name, value in given.items():
        if value is not None and name not in options[format_]:
            raise BadInputError(f"{names.get(name, '--' + name)} has no meaning for {format_}")
    if format_ == "res":
        record, ruleset = _read(file)
        with placed(f"{file}: "):
            text = "".join(as_res(record, ruleset))
        if output is None:
            click.echo(text, nl=False)
        else:
            files.write([file], Path(output), [text.encode()])
        return
    if format_ == "png":
        number, picture = files.as_png(file, given["round_"], given["size"])
        ending, parts = f"-round{number}.png", iter([picture])
    else:
        first, last, delay = given["first"] or 0, given["last"], given["delay"] or files.GIF_DELAY
        if last is not None and last < first:
            raise BadInputError(f"--to {last} comes before --from {first}")
        ending, parts = ".gif", files.as_gif(file, first, last, delay, given["size"])
    path = _new_name(file, ending) if output is None else Path(output)
    size = files.write([file], path, parts)
    say(f"{path}: {size} bytes")


def _new_name(file: str, ending: str) -> Path:
    """Return the default output file: `file`'s name in the current folder, with another ending."""
    name = Path(file).name.removesuffix(".gz")
    return Path(Path(name).stem + ending)


@command.command("html")
@click.argument("file")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    show_default="FILE's name with .html, in the working directory",
    help="The file to write.",
)
def html(file: str, output: str | None) -> int:
    """Write a match as one HTML file that shows it in a browser, without an arena or a network.

    FILE is a record, or a match file (.res) of an original game.

    Exit codes: 0 written; 1 written, but the match is shown only in part; 2 bad input.
    """
    from lanista.page import files
    from lanista.page.html import bundle
    from lanista.page.replay_reader import is_record, read_frames

    is_record(Path(file))  # if it can't be read, this says so with its whole path
    troubles: list[str] = []

    def parts() -> Iterator[dict[str, Any]]:
        for part in read_frames(Path(file)):
            if part.get("trouble"):
                troubles.append(part["trouble"])
            yield part

    path = _new_name(file, ".html") if output is None else Path(output)
    size = files.write([file], path, bundle(parts()))
    say(f"{path}: {size} bytes")
    say(*(f"{file}: {trouble}" for trouble in troubles), err=True)
    return EXIT_MISMATCH if troubles else 0


@command.command("feed")
@click.option(
    "--seat",
    type=click.IntRange(min=0),
    required=True,
    help="The seat whose place the bot takes, from 0.",
)
@click.option(
    "--turn",
    type=click.IntRange(min=0),
    show_default="the seat's last",
    help="The last turn to feed.",
)
@click.option(
    "--print",
    "prints",
    is_flag=True,
    help="Start no bot: print what the seat was sent, as a stdio: bot reads it.",
)
@click.argument("file")
@click.argument("argv", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
def feed(file: str, *, seat: int, turn: int | None, prints: bool, argv: tuple[str, ...]) -> int:
    """Feed a bot a recorded match up to some turn, with no clock.

    COMMAND runs in the foreground, so that it can be a debugger. Whatever the bot answers, it is
    sent what SEAT was sent in the match; its last answer is printed beside the recorded one. In a
    terminal it then runs on until it ends by itself.

    Exit codes: 0 it answered the last turn, 1 it didn't, 2 bad input.
    """
    import trio

    from lanista.hosting.feeder import Feeder
    from lanista.hosting.names import STDIO, bot_command
    from lanista.match.replay import asked_turns, payloads, start

    record, ruleset = _read(file)
    with _replaying(file):
        start(record.header, ruleset)
    if not argv and not prints:
        raise BadInputError("give the bot's command after --, or use --print, which needs none")
    if seat >= ruleset.seats:
        raise BadInputError(f"--seat {seat}; {ruleset.name} has seats 0 to {ruleset.seats - 1}")
    asked = asked_turns(record, seat)
    if not asked:
        raise BadInputError(f"{file}: seat {seat} was never asked for an answer")
    last = asked[-1] if turn is None else turn
    if last not in asked:
        raise BadInputError(
            f"{file}: --turn {last}; seat {seat} was absent then, or had its last turn, {asked[-1]}"
        )
    with _replaying(file):
        if prints:
            for data in itertools.islice(payloads(record, ruleset, seat), last + 1):
                click.echo(data, nl=False)
            return 0
        patient = sys.stdin.isatty()
        try:
            prefix = STDIO if argv[0].startswith(STDIO) else ""
            words = shlex.join((argv[0].removeprefix(prefix), *argv[1:]))
            _, command_argv = bot_command(ruleset.name, prefix + words)
            result = trio.run(Feeder(record, ruleset, seat, last, command_argv, patient).run)
        except OSError as error:
            why = f"{error.strerror}{hint(error, argv[0])}"
            raise BadInputError(f"can't start {argv[0]!r}: {why}") from None
    return _print_feed(record, ruleset, seat, last, result)


def _print_feed(
    record: "Record", ruleset: Ruleset, seat: int, last: int, result: "FeedResult"
) -> int:
    from lanista.bots.process import Exit
    from lanista.match.replay import all_faults, start

    differing = [
        turn
        for turn, answer in enumerate(result.answers)
        if answer is not None and not record.turns[turn].was_answer(seat, answer)
    ]
    if differing:
        click.echo(
            f"its answers differ from the match's in {counted(len(differing), 'turn')}, "
            f"first in turn {differing[0]}"
        )
    if result.trouble is not None:
        code = result.exit_code
        ended = "was ended" if code is None else f"exit code {code}"
        if code is not None and code < 0:
            ended = str(Exit(signal=-code))
        say(f"turn {len(result.answers)}: no answer: {result.trouble} ({ended})")
        return EXIT_MISMATCH
    recorded = record.turns[last].raw[seat]
    answer = result.answers[last]
    assert answer is not None  # the seat was asked in this turn
    click.echo(f"turn {last}: {printable(answer)!r}")
    click.echo("in the match: " + ("no answer" if recorded is None else repr(printable(recorded))))
    by_turn = all_faults(record, start(record.header, ruleset))
    for fault in next(itertools.islice(by_turn, last, None)):
        if fault.seat == seat:
            place = "" if fault.index is None else f", submove {fault.index}"
            say(f"  then{place}: {fault.code}: {fault.words}")
    return 0


def _output_lines(record: "Record", names: Sequence[str], turn: int) -> Iterator[str]:
    """Yield what bots' processes wrote in a turn, of each bot the last lines."""
    bots = () if record.result is None else record.result.bots
    for seat, (bot, name) in enumerate(zip(bots, names, strict=False)):
        lines = [] if bot is None else bot.written_in(turn).splitlines()
        if len(lines) > MAX_OUTPUT_LINES:
            yield f"{letter(seat)} {name} wrote {len(lines)} lines; the last ones:"
        for line in lines[-MAX_OUTPUT_LINES:]:
            yield f"{letter(seat)} {name} wrote: {line}"


def _print_result(record: "Record", ruleset: Ruleset) -> None:
    from lanista.games.originals import of_game

    header, result = record.header, record.result
    say(f"{header.game}, match {header.match}, {header.started}, seed {header.seed}")
    if result is None:
        click.echo("no result: the arena ended before the match did")
        return
    say(f"{verdict_text(result)}, {turns_text(ruleset, result)}")
    say(*ending_line(ruleset, result))
    for seat, player in enumerate(header.players):
        # The original programs and their players count from 0; the board has letters.
        called = f" ({letter(seat)}, player {seat})" if of_game(header.game) is not None else ""
        say(f"  {result.ranks[seat]}. {player.name}{called}  score {result.scores[seat]}")
    house = [
        seat
        for seat, player in enumerate(header.players)
        if any(HOUSE_BOT.match(word) for word in player.command or ())
    ]
    say(*fault_lines([player.name for player in header.players], result, house))
    if result.is_decided:
        say(*_story_lines(record, ruleset))


def _story_lines(record: "Record", ruleset: Ruleset) -> Iterator[str]:
    from lanista.page.story import story_of

    story, word = story_of(record, ruleset), turn_word(ruleset)
    names = [player.name for player in record.header.players]

    def line(chapter: "Chapter", loser: int | None = None) -> str:
        about = "" if chapter.seat in {None, loser} else f"{letter(chapter.seat)} "
        return f"  {chapter.round}  {about}{_with_names(chapter.text, names)}"

    yield f"the match, by {word}:"
    yield from map(line, story.chapters)
    for loser, reasons in story.losses.items():
        yield f"{letter(loser)}, {names[loser]}, lost by:"
        yield from (line(chapter, loser) for chapter in reasons)


def _with_names(text: str, names: Sequence[str]) -> str:
    """Return a ruleset's text with `seat 1`, say, replaced by that seat's letter and name."""

    def named(found: "re.Match[str]") -> str:
        seat = int(found[1])
        return f"{letter(seat)} {names[seat]}" if seat < len(names) else found[0]

    return re.sub(r"\bseat (\d+)\b", named, text)
