"""`lanista tournament new --from-ladder`: the spec of a final between a ladder's programs.

Beside the spec lies a folder with the built programs, and with the ladder's maps that are files; so
both together can be played on another machine. Authors' programs only run in sandboxes there, too.
"""

import contextlib
import shlex
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from lanista.bots.execute import printable
from lanista.bots.unpacker import PYTHON
from lanista.cli.arena_file import ArenaFile
from lanista.cli.arena_submissions import (
    folder_name,
    folder_of,
    ladder_of,
    last_ready,
)
from lanista.cli.common import say, write_example
from lanista.errors import BadInputError, FileError
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.games.picture import counted
from lanista.hosting.names import is_file
from lanista.match.conditions import Clock
from lanista.toml_spec import toml_text

if TYPE_CHECKING:
    from lanista.arena.spec import LadderSpec
    from lanista.results.submissions import SubmissionFolder

SEEDS = 10
"""Number of seeds; they are drawn from a secret, so nobody has tried them before."""
_HEAD = """\
# The programs of the ladder {ladder} against each other. Check them, then play:
#
#     lanista tournament check {file}
#     lanista tournament run {file}
#
# docs/tournaments.md explains these keys, and `lanista tournament new` writes an example with all.

"""
FOLDER = "{}.programs"
"""Name of the folder of the programs, given the name of the spec without its ending."""


def write(file: Path, arena: ArenaFile, name: str) -> None:
    """Write the spec of a tournament between the programs that play on a ladder to a new file.

    The programs go to a new folder beside it.
    """
    ladder = ladder_of(arena, name)
    ruleset = registry.get(ladder.game)
    folder = file.parent / FOLDER.format(file.stem)
    for path in (file, folder):
        if path.exists():
            raise BadInputError(f"{path} exists already; name another file")
    with _whole(folder):
        bots = list(_programs(folder_of(arena, ladder), folder))
        if not bots:
            raise BadInputError(f"no program on {ladder.name} is ready to play")
        maps = [_map(arena.path.parent, map_, folder) for map_ in ladder.maps]
    spec_ = {
        "name": file.stem,
        "game": ladder.game,
        "format": "round-robin",
        "seeds": SEEDS,
        "sandbox": "bwrap",
        **_fill(ruleset, len(bots)),
        **dict(_as_on(ladder, maps)),
        "bots": bots,
    }
    head = _HEAD.format(ladder=ladder.name, file=printable(file.name))
    write_example(
        file,
        head + toml_text(spec_),
        f"{counted(len(bots), 'program')} in {folder.name}; check it with `lanista tournament "
        "check`, then play it",
    )


@contextlib.contextmanager
def _whole(folder: Path) -> Iterator[None]:
    """Make a folder that is there only if the block ends without an error."""
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
            say(f"left out: {author.name}, {why}", err=True)
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


def _fill(ruleset: Ruleset, bots: int) -> Mapping[str, str]:
    """Return the key for a house bot in the seats for which there are too few programs."""
    house = registry.house_bots(ruleset.name)
    return {"fill": next(iter(house))} if house and bots < ruleset.seats > 2 else {}


def _as_on(ladder: "LadderSpec", maps: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a spec with which it is played as on the ladder; tables are last."""
    assert ladder.submissions is not None
    if maps:
        yield "maps", maps
    if ladder.submissions.limits is not None:
        yield "limits", ladder.submissions.limits
    if ladder.settings:
        yield "settings", ladder.settings
    usual = attrs.asdict(Clock())
    clock = {
        name: value for name, value in attrs.asdict(ladder.clock).items() if value != usual[name]
    }
    if clock:
        yield "clock", clock
