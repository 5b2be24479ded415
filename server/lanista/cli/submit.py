"""`lanista submit`: hands a program in to an arena's ladder, and looks after what was handed in."""

import hashlib
import io
import os
import shlex
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lanista.cli.common import minute_text, say
from lanista.errors import BadInputError, file_errors, printable
from lanista.system import write_output

if TYPE_CHECKING:
    from lanista.cli.submit_page import SubmissionsPage

EXIT_REFUSED = 1
INTERVAL = 1.0
"""Seconds between two looks at a version that is being built or checked."""
FINISHED = frozenset({"playing", "ready", "refused"})
"""The states from which a version doesn't go on by itself."""
ACTIONS = ("list_", "play", "pause", "resume", "delete", "download")
LEFT_OUT = frozenset({"__pycache__", "node_modules", "target"})
"""Names of folders that are made by building; those that begin with a dot are left out too."""

_number = click.IntRange(min=1)


@click.command("submit")
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--arena",
    metavar="URL",
    envvar="LANISTA_ARENA",
    show_default="LANISTA_ARENA",
    help="The arena's page.",
)
@click.option("--ladder", required=True, metavar="NAME", help="The ladder.")
@click.option(
    "--name",
    envvar="LANISTA_NAME",
    show_default="LANISTA_NAME, or the one handed in as before",
    help="The bot's name on the ladder.",
)
@click.option(
    "--token",
    envvar="LANISTA_TOKEN",
    show_default="LANISTA_TOKEN, or the one that was kept",
    help="The secret of the name; without any, one is made and kept.",
)
@click.option("--follow", is_flag=True, help="Show how it is built and checked, until it plays.")
@click.option("--list", "list_", is_flag=True, help="List the versions.")
@click.option("--play", type=_number, metavar="N", help="Let version N play, which is ready.")
@click.option("--pause", is_flag=True, help="Let nothing play.")
@click.option("--resume", is_flag=True, help="Let the version play again.")
@click.option("--delete", type=_number, metavar="N", help="Remove version N.")
@click.option("--download", type=_number, metavar="N", help="Write version N to a new file here.")
def command(
    files: tuple[Path, ...],
    *,
    arena: str | None,
    ladder: str,
    name: str | None,
    token: str | None,
    follow: bool,
    **actions: Any,
) -> int:
    """Hand FILE in to a ladder, whose arena builds it, checks it, and lets it play.

    FILE is a program's source, or a ZIP with a bot.toml that says how to run it. Several files, or
    a folder, are packed into a ZIP; bot.toml must be among them. docs/submissions.md explains what
    can be handed in.

    Exit codes: 0 handed in, or with --follow it plays or is ready; 1 it was refused when it was
    built or checked; 2 bad input, or the arena refuses it.
    """
    from lanista.cli.submit_page import SubmissionsPage

    chosen = [action for action in ACTIONS if actions[action] not in {None, False}]
    if len(chosen) + bool(files) != 1 or (follow and not files):
        raise BadInputError(
            "give the files to hand in, with or without --follow, or one of --list, --play, "
            "--pause, --resume, --delete and --download"
        )
    if not arena:
        raise BadInputError("no arena: give the address of its page, as --arena http://HOST:8080")
    page = SubmissionsPage.of(arena, ladder, name or None, token or None, makes_token=bool(files))
    if files:
        return _hand_in(page, files, follow=follow)
    (action,) = chosen
    value = actions[action]
    if action == "list_":
        _show(page.ask("GET"))
    elif action == "download":
        _download(page, value)
    else:
        number = "" if value is True else f"/{value}"
        _show(page.ask("POST", f"{number}/{action}"))
    return 0


def _hand_in(page: "SubmissionsPage", files: tuple[Path, ...], *, follow: bool) -> int:
    name, data = packed(files)
    most = page.about["max_bytes"]
    if len(data) > most:  # the page says so too, but may close the connection before it is read
        raise BadInputError(f"{name} has {len(data)} bytes; at most {most} are taken")
    version = page.hand_in(name, data)
    number = version["version"]
    say(f"{page.who.name}: {name} is version {number} on {page.ladder}")
    if follow:
        return follow_version(page, number)
    known = ["--arena", page.page.url, "--ladder", page.ladder, "--name", page.who.name]
    click.echo(f"how it goes: {shlex.join(['lanista', 'submit', *known, '--list'])}")
    return 0


def follow_version(page: "SubmissionsPage", number: int) -> int:
    """Print what becomes of a version until it plays or is refused, and return the exit code.

    An arena that doesn't answer is asked again for some minutes, as it may be started again.
    """
    from lanista.cli.submit_page import NoAnswerError

    state, output = "received", ""
    click.echo(f"{state}: it waits for its turn")
    while True:
        version = page.ask("GET", f"/{number}", again=NoAnswerError)
        said, is_building = version["output"], version["state"] in {"received", "building"}
        if said and not is_building and not said.endswith("\n"):
            said += "\n"  # no more of it follows
        # Only the end of it is kept, so its beginning may go.
        new = said.removeprefix(output) if said.startswith(output) else said
        is_next = version["state"] not in {state, *FINISHED}
        if is_next and is_building:
            say(version["state"])
        if new:
            click.echo(printable(new, kept="\n\t"), nl=False)
        if is_next and not is_building:  # what the compilers said belongs to what was before
            say(version["state"])
        state, output = version["state"], said or output
        if state in FINISHED:
            break
        time.sleep(INTERVAL)
    say(*version["findings"])
    if state == "refused":
        say(f"refused: {version['why']}")
        return EXIT_REFUSED
    click.echo("playing" if state == "playing" else "ready: another version plays, or none")
    return 0


def _show(author: Mapping[str, Any]) -> None:
    versions = author["versions"]
    if not versions:
        say(f"{author['name']}: nothing was handed in")
    for version in versions:
        received = minute_text(version["received"])
        line = (
            f"{version['version']:>4}  {version['state']:8}  {received}  {version['size']:>8} B  "
            f"{version['file']}"
        )
        say(f"{line}  {version['why']}".rstrip())
    if author["paused"]:
        click.echo("paused: nothing plays until --resume")
    if author["disabled"]:
        say(f"disabled by the operator: {author['disabled']}")


def _download(page: "SubmissionsPage", number: int) -> None:
    from lanista.bots.builder import FILE_NAME

    version = page.ask("GET", f"/{number}")
    data = page.download(number)
    name = version["file"]
    if not FILE_NAME.fullmatch(name) or hashlib.sha256(data).hexdigest() != version["sha256"]:
        raise BadInputError(f"version {number} came damaged; try again")
    stem, dot, ending = name.rpartition(".")
    path = Path(f"{stem}-{number}{dot}{ending}")
    if os.path.lexists(path):
        raise BadInputError(f"{path} exists already; move it away")
    with file_errors("can't write", path):
        write_output(path, [data])
    click.echo(str(path))


# -- packing the files -----------------------------------------------------------------------------


def packed(files: Sequence[Path]) -> tuple[str, bytes]:
    """Return the name and content of the file to hand in: a given one, or a ZIP of several."""
    from lanista.bots.builder import EXAMPLE, RECIPE

    if len(files) == 1 and not files[0].is_dir():
        return files[0].name, _content(files[0])
    name, members = _members(files)
    if RECIPE not in members:
        raise BadInputError(
            f"several files need a {RECIPE} among them, which says how to run them: {EXAMPLE}"
        )
    return name, _zip(members)


def _members(files: Sequence[Path]) -> tuple[str, dict[str, Path]]:
    """Return the name of the ZIP, and by path within it the files."""
    from lanista.bots.builder import MAX_FILES

    members: dict[str, Path] = {}
    for given in files:
        base = given if len(files) == 1 else given.absolute().parent
        for path in _files(given.absolute()):
            name = path.relative_to(base.absolute()).as_posix()
            if not name.isprintable():  # the arena takes no such path, and a ZIP none but UTF-8
                raise BadInputError(f"{path}: its name has other characters than text; rename it")
            if name in members:
                raise BadInputError(f"{name} is there twice: {members[name]} and {path}")
            members[name] = path
            if len(members) > MAX_FILES:
                raise BadInputError(f"{given}: more than {MAX_FILES} files; name those it needs")
    stem = files[0].absolute().name if len(files) == 1 else "bot"
    cleaned = "".join(char if char.isascii() and char.isalnum() else "_" for char in stem)[:40]
    return f"{cleaned or 'bot'}.zip", members


def _files(path: Path) -> Iterator[Path]:
    """Yield a file; or those of a folder, without hidden ones and what building has made."""
    if not path.is_dir():
        yield path
        return
    for top, folders, names in os.walk(path, followlinks=True):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in LEFT_OUT
        )
        for folder in (Path(top, name) for name in folders):
            if Path(os.path.realpath(top)).is_relative_to(os.path.realpath(folder)):
                raise BadInputError(
                    f"{folder}: leads to a folder that contains it; remove the link"
                )
        for name in sorted(names):
            file = Path(top, name)
            if not name.startswith(".") and not name.endswith((".pyc", ".class", ".o")):
                yield file


def _zip(members: dict[str, Path]) -> bytes:
    """Return a ZIP; of the same files it is always the same."""
    import zipfile

    buffer, size = io.BytesIO(), 0
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, path in members.items():
            content = _content(path, size)
            size += len(content)
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
            member.external_attr = (stat.S_IFREG | mode) << 16
            file.writestr(member, content)
    return buffer.getvalue()


def _content(path: Path, before: int = 0) -> bytes:
    """Return the content of a file, given the size of those before it; it may never end."""
    from lanista.bots.builder import MAX_UNPACKED

    with file_errors("can't read", path):
        info = path.stat()
        if before + info.st_size > MAX_UNPACKED or not stat.S_ISREG(info.st_mode):
            raise BadInputError(
                f"{path}: no ordinary file, or more than {MAX_UNPACKED >> 20} MiB together; "
                "name those files that it needs"
            )
        return path.read_bytes()
