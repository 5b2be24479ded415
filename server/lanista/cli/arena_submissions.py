"""`lanista arena submissions`: the programs that authors have handed in, for the operator.

They are read from the arena's data folder; only decisions go to a running arena by its socket.
"""

import contextlib
import functools
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from lanista.cli import Group
from lanista.cli.arena_file import ArenaFile, NotRunningError, arena_argument, ladder_option
from lanista.cli.common import minute_text, say, write_example
from lanista.errors import BadInputError, FileError, did_you_mean, file_errors, printable
from lanista.games import registry
from lanista.games.picture import counted
from lanista.system import undoing

if TYPE_CHECKING:
    from lanista.arena.spec import LadderSpec
    from lanista.results.submissions import Author, SubmissionFolder, Version


_on_ladder = ladder_option(show_default="the only one with submissions")


@click.group("submissions", cls=Group)
def command() -> None:
    """List, show, export and disable the programs that authors have handed in."""


# -- which ladder, which name --------------------------------------------------------------------


def folder_of(arena: ArenaFile, ladder: "LadderSpec") -> "SubmissionFolder":
    """Return the folder of what was handed in to a ladder."""
    from lanista.results.submissions import SubmissionFolder

    return SubmissionFolder.of_ladder(arena.data.submissions, ladder.name)


def _ladder_of(arena: ArenaFile, name: str | None) -> "LadderSpec":
    """Return the ladder of a name, or the only one to which programs are handed in."""
    ladders = arena.spec.ladders if name is None else [arena.ladder(name)]
    taking = [ladder for ladder in ladders if ladder.submissions is not None]
    if len(taking) == 1:
        return taking[0]
    names = ", ".join(one.name for one in arena.spec.ladders if one.submissions is not None)
    raise BadInputError(
        f"{arena.path}: choose by --ladder one that takes programs, by submissions = true; "
        f"these do: {names or 'none'}"
    )


def _author(authors: Mapping[str, "Author"], ladder: str, name: str) -> "Author":
    from lanista.results.names import key_of

    author = authors.get(key_of(name))
    if author is None:
        raise BadInputError(
            f"nothing was handed in to {ladder} as {name!r}"
            f"{did_you_mean(name, [author.name for author in authors.values()])}"
        )
    return author


def _last_ready(author: "Author") -> "Version | None":
    """Return the version of a name that plays, or else the last one that could; None for none."""
    from lanista.results.submissions import State

    if author.playing in author.versions:
        return author.versions[author.playing]
    ready = [one for one in author.versions.values() if one.state is State.READY]
    return ready[-1] if ready else None


def _removed(arena: ArenaFile, authors: Mapping[str, "Author"]) -> set[str]:
    """Return the keys of the names that the operator has removed since they handed in."""
    from lanista.results.names import NameStore

    if not arena.data.database.exists():
        return set()  # as nothing is known of names
    with arena.database(create=False) as database:
        names = {name.key: name for name in NameStore(database).names()}
    return {key for key, author in authors.items() if not author.is_of(names.get(key))}


# -- looking at them -----------------------------------------------------------------------------


@command.command("list")
@arena_argument
@_on_ladder
def list_(arena: ArenaFile, ladder: str | None) -> None:
    """List the names for which programs were handed in, with the versions that play."""
    from lanista.cli import tables

    authors = folder_of(arena, _ladder_of(arena, ladder)).read()
    removed = _removed(arena, authors)
    titles = ("name", "plays", "latest", "state", "handed in", "versions", "size", "")
    numbers = {"plays", "latest", "versions", "size"}
    rows = [_row(author, is_removed=key in removed) for key, author in authors.items()]
    tables.show(tables.listing(titles, rows, numbers))


def _row(author: "Author", *, is_removed: bool) -> Iterator[str]:
    from lanista.bots.limits import readable_size

    yield author.name
    yield "" if author.playing is None else str(author.playing)
    latest = max(author.versions.values(), key=lambda one: one.number, default=None)
    if latest is None:
        yield from ("", "", "")
    else:
        state = latest.state.value if is_removed else author.state_of(latest)
        yield from (str(latest.number), state, minute_text(latest.received))
    yield str(len(author.versions))
    yield readable_size(author.size)
    if author.disabled:
        yield f"disabled: {author.disabled}"
    else:
        yield "name removed" if is_removed else "paused" * author.paused


@command.command("show")
@arena_argument
@click.argument("name")
@click.argument("number", metavar="[VERSION]", type=click.IntRange(min=1), required=False)
@_on_ladder
def show(arena: ArenaFile, name: str, number: int | None, ladder: str | None) -> None:
    """Show the versions of NAME, and what the build and the check of one said (the latest)."""
    of = _ladder_of(arena, ladder)
    folder = folder_of(arena, of)
    author = _author(folder.read(), of.name, name)
    for version in author.versions.values():
        say(version_line(author, version))
    if not author.versions:
        raise BadInputError(f"no version of {author.name} is there any more")
    number = number or max(author.versions)
    if number not in author.versions:
        known = ", ".join(map(str, author.versions))
        raise BadInputError(f"{author.name} has no version {number}; there are: {known}")
    version = author.versions[number]
    say("", f"Version {number}: {version.size} bytes, SHA-256 {version.sha256}")
    if author.disabled:
        say(f"{author.name} is disabled: {author.disabled}")
    if version.why:
        say(f"refused: {version.why}")
    say(*version.findings)
    with contextlib.suppress(FileNotFoundError):  # it wasn't built yet
        output = folder.output(author.key, number).read_text(encoding="utf-8", errors="replace")
        click.echo(printable(output, kept="\n\t"), nl=not output.endswith("\n"))


def version_line(author: "Author", version: "Version") -> str:
    """Return a line about a version: its number, state, file, size and time."""
    from lanista.bots.limits import readable_size

    return (
        f"{version.number:>4}  {author.state_of(version):8}  {minute_text(version.received)}  "
        f"{readable_size(version.stored_size):>8}  {version.file}"
    )


# -- decisions -----------------------------------------------------------------------------------


@command.command("disable")
@arena_argument
@click.argument("name")
@click.option("--why", required=True, metavar="TEXT", help="The reason, which its author sees.")
@_on_ladder
def disable(arena: ArenaFile, name: str, why: str, ladder: str | None) -> None:
    """Let NAME hand in and play nothing more, until `enable`; a match under way goes on."""
    from lanista.results.submissions import MAX_WHY

    if not why.strip() or len(why) > MAX_WHY or not why.isprintable():
        raise BadInputError(f"--why: one line of 1 to {MAX_WHY} characters is expected")
    _disable(arena, name, ladder, why.strip())


@command.command("enable")
@arena_argument
@click.argument("name")
@_on_ladder
def enable(arena: ArenaFile, name: str, ladder: str | None) -> None:
    """Let NAME hand in and play again."""
    _disable(arena, name, ladder, "")


def _disable(arena: ArenaFile, name: str, ladder: str | None, why: str) -> None:
    of = _ladder_of(arena, ladder)
    folder = folder_of(arena, of)
    author = _author(folder.read(), of.name, name)
    with contextlib.suppress(NotRunningError):
        arena.ask("disable", ladder=of.name, name=author.name, why=why)
        return
    with arena.database() as database, database.lock():  # so that none is started now
        author = folder.read_name(author.key)
        author.disabled = why
        with file_errors("can't write", folder.of_name(author.key)):
            folder.write(author)


# -- export --------------------------------------------------------------------------------------


@command.command("export")
@arena_argument
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@_on_ladder
@click.option(
    "--all", "every", is_flag=True, help="Export all versions, each into a folder of its own."
)
def export(arena: ArenaFile, folder: Path, ladder: str | None, *, every: bool) -> None:
    """Copy the sources to DIR, a new folder, with a folder for each name.

    Of each name it is the version that plays, or else the last one. Tools that look for similar
    programs (Dolos, JPlag, MOSS) take such folders. A ZIP is unpacked, unless it is hostile or
    damaged: then it is copied as it is, and said.
    """
    source = folder_of(arena, _ladder_of(arena, ladder))
    authors = source.read()
    count = 0
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BadInputError(f"{folder}: exists already, and isn't an empty folder")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for author in authors.values():
            place = folder / _folder_name(author.name)
            versions = list(author.versions.values())
            if not every:
                version = _last_ready(author)
                versions = versions[-1:] if version is None else [version]
            for version in versions:
                to = place / str(version.number) if every else place
                _export(source.source(author.key, version.number), version.file, to)
                count += 1
    except OSError as error:
        raise FileError(f"can't copy {error.filename or folder}: {error.strerror}") from None
    names = counted(len(authors), "name")
    say(f"{folder}: {counted(count, 'program')} of {names}")


def _folder_name(name: str) -> str:
    """Return the name of a folder for a bot's name, which may be `..` or look like an option."""
    return f"@{name}" if name.startswith((".", "-")) else name


def _export(source: Path, file: str, to: Path) -> None:
    """Copy a source to a folder, unpacked if it is a ZIP that can be; raise OSError if it fails."""
    from lanista.bots.builder import UnpackError, unpack

    to.mkdir(mode=0o700, parents=True)
    if file.lower().endswith(".zip"):
        try:
            unpack(source, to, is_bounded=True)
        except UnpackError as error:
            say(f"{to}: {file} isn't unpacked: {error}", err=True)
            shutil.rmtree(to)
            to.mkdir(mode=0o700)
        else:
            return
    shutil.copyfile(source, to / file)


# -- a final between the programs (`lanista tournament new --from-ladder`) ------------------------

SEEDS = 10
"""Number of seeds of a final; they are drawn from a secret, so nobody has tried them before."""
_HEAD = """\
# The programs of the ladder {ladder} against each other. Check them, then play:
#
#     lanista tournament check {file}
#     lanista tournament run {file}
#
# docs/tournaments.md explains these keys, and `lanista tournament new` writes an example with all.

"""


def write_final(file: Path, arena: ArenaFile, name: str) -> None:
    """Write the spec of a tournament between the programs that play on a ladder to a new file.

    The programs, and the ladder's maps that are files, go to a new folder beside it, so that both
    together can be played on another machine. Authors' programs run only in sandboxes there, too.
    """
    from lanista.toml_spec import toml_text

    ladder = _ladder_of(arena, name)
    assert ladder.submissions is not None
    ruleset = registry.get(ladder.game)
    folder = file.parent / f"{file.stem}.programs"
    for path in (file, folder):
        if path.exists():
            raise BadInputError(f"{path} exists already; name another file")
    remove = functools.partial(shutil.rmtree, folder, ignore_errors=True)
    with file_errors("can't copy to", folder), undoing(remove):
        folder.mkdir()
        bots = list(_programs(arena, folder_of(arena, ladder), folder))
        if not bots:
            raise BadInputError(f"no program on {ladder.name} is ready to play")
        maps = [
            _map(arena.path.parent, map_, number, folder)
            for number, map_ in enumerate(ladder.maps, 1)
        ]
    is_full = len(bots) >= ruleset.seats or ruleset.seats == 2
    fill = None if is_full else next(iter(registry.house_bots(ruleset.name)), None)
    spec_ = {
        "name": file.stem,
        "game": ladder.game,
        "format": "round-robin",
        "seeds": SEEDS,
        "sandbox": "bwrap",
        "fill": fill,
        "maps": maps or None,
        "limits": ladder.submissions.limits,
        "settings": ladder.settings,
        "clock": attrs.asdict(ladder.clock),
        "bots": bots,
    }
    head = _HEAD.format(ladder=ladder.name, file=printable(file.name))
    write_example(
        file,
        head + toml_text(spec_),
        f"{counted(len(bots), 'program')} in {folder.name}; check it with `lanista tournament "
        "check`, then play it",
    )


def _programs(
    arena: ArenaFile, source: "SubmissionFolder", folder: Path
) -> Iterator[Mapping[str, str]]:
    """Copy the programs to play, and yield the keys of each in the spec."""
    from lanista.bots.unpacker import PYTHON
    from lanista.results.submissions import UNFINISHED

    authors = source.read()
    removed = _removed(arena, authors)
    for key, author in authors.items():
        version = _last_ready(author)
        is_out = author.disabled or key in removed
        for other in author.versions.values():
            if other.state in UNFINISHED and not is_out:
                say(f"not built yet: {author.name}'s version {other.number}", err=True)
        if version is None or is_out:
            why = "its name was removed" if key in removed else "none of its versions is ready"
            why = f"disabled: {author.disabled}" if author.disabled else why
            say(f"left out: {author.name}, {why}", err=True)
            continue
        program = folder / f"{_folder_name(author.name)}-{version.number}.program"
        shutil.copyfile(source.program(key, version.number), program)
        program.chmod(0o644)  # in sandboxes of root another user reads it
        yield {
            "name": author.name,
            "program": f"{folder.name}/{program.name}",
            "command": " ".join(
                word if word == PYTHON else shlex.quote(word) for word in version.command
            ),
        }


def _map(arena: Path, map_: str, number: int, folder: Path) -> str:
    """Return a map of the ladder for the spec; if it is a file, it is copied, with a number."""
    from lanista.hosting.names import is_file

    if "\n" in map_ or not is_file(arena / map_):
        return map_
    copy = f"{number}-{Path(map_).name}"  # maps of several folders may have the same name
    shutil.copyfile(arena / map_, folder / copy)
    return f"{folder.name}/{copy}"
