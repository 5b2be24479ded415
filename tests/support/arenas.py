"""Options of an arena as tests want them."""

from contextlib import contextmanager

import trio

from lanista.arena.arena import Arena
from lanista.arena.ladder_room import open_ladders
from lanista.arena.options import Options
from lanista.arena.spec import ArenaSpec, Friendly, Start
from lanista.arena.submission_queue import open_submissions
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.names import NameStore

OWN = ("settings", "board", "folder")
"""What isn't in the spec."""


def arena_options(default, *, manual=False, **values):
    """Options of an arena that plays in its own process, unless it is said otherwise.

    Args:
        default: The game of bots that name none.
        manual: Whether friendly matches begin only when the operator says so.
        values: Those of `Options`, of `ArenaSpec` and of `Friendly`, by their names.
    """
    own = {name: values.pop(name) for name in OWN if name in values}
    friendly = {name: values.pop(name) for name in ("matches", "clock") if name in values}
    if "data" in values:
        values["data"] = str(values["data"])
    start = Start.MANUAL if manual else Start.AUTO
    spec = ArenaSpec(**{"workers": 1, **values}, friendly=Friendly(start=start, **friendly))
    return Options(default=default, spec=spec, **own)


async def arena_server(options, opened):
    """The server of an arena, whose ladders the exit stack closes."""
    if not options.spec.ladders:
        return Arena(options)
    rooms, names = await trio.to_thread.run_sync(open_ladders, options, opened)
    submissions = None
    if any(ladder.submissions is not None for ladder in options.spec.ladders):
        submissions = open_submissions(rooms, options)
    return Arena(options, rooms, names, submissions)


@contextmanager
def stored_ladder(data, name="pit"):
    """The results of a ladder of Angry Mob in the database of an arena with this data folder."""
    with Database.of_arena(DataFolder(data)) as database:
        yield Store.of_ladder(database, name, "angrymob")


@contextmanager
def stored_names(data):
    """The names in the database of an arena with this data folder."""
    with Database.of_arena(DataFolder(data)) as database:
        yield NameStore(database)
