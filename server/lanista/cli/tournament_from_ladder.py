"""`lanista tournament new --from-ladder`: the spec of a final between a ladder's programs.

Beside the spec lies a folder with the built programs, and with the ladder's maps that are files; so
both together can be played on another machine. Authors' programs only run in sandboxes there, too.
"""

import contextlib
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import click

from lanista.bots.unpacker import PYTHON
from lanista.cli.arena_file import data_of, spec_of
from lanista.cli.arena_submissions import (
    bad_submissions,
    folder_name,
    folder_of,
    ladder_of,
    last_ready,
)
from lanista.cli.common import printable, write_example
from lanista.competition.example import example
from lanista.errors import BadInputError, FileError
from lanista.games import registry
from lanista.hosting.names import is_file
from lanista.hosting.spec_parts import Clock
from lanista.toml_spec import quoted

if TYPE_CHECKING:
    from lanista.arena.spec import LadderSpec
    from lanista.results.submissions import SubmissionFolder

FOLDER = "{}.programs"
"""Name of the folder of the programs, given the name of the spec without its ending."""


def write(file: Path, arena: Path, name: str) -> None:
    """Write the spec of a tournament between the programs that play on a ladder.

    Args:
        file: The spec, which isn't there yet; the programs go to a new folder beside it.
        arena: The arena's file.
        name: The ladder's name.

    Raises:
        BadInputError: There are no such programs, or there is a file already.
        FileError: Something can't be written.
    """
    import lanista_maps

    spec = spec_of(arena)
    ladder = ladder_of(spec, arena, name)
    ruleset = registry.get(ladder.game)
    folder = file.parent / FOLDER.format(file.stem)
    for path in (file, folder):
        if path.exists():
            raise BadInputError(f"{path} exists already; name another file")
    with _whole(folder), bad_submissions():
        bots = list(_programs(folder_of(data_of(spec, arena), ladder), folder))
        if not bots:
            raise BadInputError(f"no program on {ladder.name} is ready to play")
        maps = [_map(arena.parent, map_, folder) for map_ in ladder.maps]
    house = list(registry.house_bots(ruleset.name))
    text = example(
        stem=printable(file.stem),
        game=ruleset.name,
        title=ruleset.title,
        seats=ruleset.seats,
        house=house[:1],
        maps=list(lanista_maps.names(ruleset.name))[:2],
        settings=[(setting.name, setting.default, setting.help) for setting in ruleset.settings],
        bots=bots,
        seeds="10",  # drawn from a secret, so that nobody has tried them
    )
    fill = {"fill": house[0]} if house and len(bots) < ruleset.seats > 2 else {}
    own, mark, others = text.partition("[settings]\n")
    own = with_values(own, {"sandbox": "bwrap", **fill, **_values(ladder, maps)})
    others = with_values(others, {**ladder.settings, **_clock(ladder.clock)})
    write_example(
        file,
        own + mark + others,
        f"{len(bots)} programs in {folder.name}; check it with `lanista tournament check`, then "
        "play it",
    )


@contextlib.contextmanager
def _whole(folder: Path) -> Iterator[None]:
    """Make a folder that is there only if the block ends without an error.

    Raises:
        FileError: It can't be made, or the block can't write to it.
    """
    try:
        folder.mkdir()
        yield
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise FileError.of("can't copy to", folder, error) from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _programs(source: "SubmissionFolder", folder: Path) -> Iterator[Mapping[str, str]]:
    """Copy the programs to play, and yield the keys of each in the spec."""
    for key, author in source.read().items():
        version = last_ready(author)
        why = f"disabled: {author.disabled}" if author.disabled else "none of its versions is ready"
        if version is None or author.disabled:
            click.echo(printable(f"left out: {author.name}, {why}"), err=True)
            continue
        program = folder / f"{folder_name(author.name)}-{version.number}.program"
        shutil.copyfile(source.program(key, version.number), program)
        program.chmod(0o644)  # in sandboxes of root another user reads it
        yield {
            "name": author.name,
            "program": f"{folder.name}/{program.name}",
            "command": " ".join(
                word if word == PYTHON else shlex.quote(word) for word in version.command
            ),
        }


def _map(arena: Path, map_: str, folder: Path) -> str:
    """Return a map of the ladder for the spec; if it is a file, it is copied."""
    if "\n" in map_ or not is_file(arena / map_):
        return map_
    shutil.copyfile(arena / map_, folder / Path(map_).name)
    return f"{folder.name}/{Path(map_).name}"


def _values(ladder: "LadderSpec", maps: list[str]) -> dict[str, Any]:
    assert ladder.submissions is not None
    values: dict[str, Any] = {}
    if ladder.submissions.limits is not None:
        values["limits"] = ladder.submissions.limits
    if maps:
        values["maps"] = maps
    return values


def _clock(clock: Clock) -> dict[str, Any]:
    """Return the times that differ from the defaults."""
    given, usual = attrs.asdict(clock), attrs.asdict(Clock())
    return {name: value for name, value in given.items() if value != usual[name]}


def with_values(text: str, values: Mapping[str, Any]) -> str:
    """Return an example spec in which some keys have values; their lines were comments."""
    for key, value in values.items():
        match value:
            case str():
                written = quoted(value)
            case list():
                written = f"[{', '.join(map(quoted, value))}]"
            case _:
                written = repr(value)
        line = re.compile(rf"^# {re.escape(key)} = [^\n#]*?(?=  +#|$)", re.MULTILINE)
        found = line.search(text)
        assert found is not None, key
        text = f"{text[: found.start()]}{key} = {written}{text[found.end() :]}"
    return text
