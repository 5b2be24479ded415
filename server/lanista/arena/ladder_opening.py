"""Opening an arena's ladders and the names on them, with all that was played."""

from collections.abc import Mapping
from contextlib import ExitStack

from lanista.arena.ladder_room import LadderRoom
from lanista.arena.names import Names
from lanista.arena.options import Options
from lanista.arena.spec import Registration
from lanista.results.base import Database
from lanista.results.listed import MatchRows
from lanista.results.names import NameStore
from lanista.results.recovery import recover
from lanista.toml_spec import SpecError


def open_ladders(options: Options, opened: ExitStack) -> tuple[Mapping[str, LadderRoom], Names]:
    """Open the ladders and the names of an arena; this blocks, in a thread started by trio.

    Args:
        options: The arena's options.
        opened: Closes them all in the end.

    Raises:
        SpecError: From `LadderRoom.open`, with the number of the ladder.
        StoreError: The results or the names can't be read or written, or another arena has them.
        OSError: The folder of records can't be read.
    """
    data = options.data
    database = opened.enter_context(Database.of_arena(data, options.spec.store))
    if not database.is_shared:
        opened.enter_context(database.lock())
    # The result of a ladder's last match may be in a record that a killed arena has left.
    for _ in recover(data.records):
        pass
    rooms = {}
    for number, spec in enumerate(options.spec.ladders, 1):
        if not database.is_shared:
            MatchRows(database).leave_to_ladder(spec.name, spec.game)
        try:
            room = LadderRoom.open(
                spec,
                options.folder,
                data,
                database,
                private=options.private,
            )
        except SpecError as error:
            raise SpecError(f"ladders[{number}].{error}") from None
        rooms[spec.name] = room
    store = NameStore(database)
    benched = store.benched()
    for room in rooms.values():
        room.set_benched(benched)
    is_open = options.spec.registration is Registration.OPEN
    reserved = [name for room in rooms.values() for name in room.house]
    return rooms, Names(store, is_open=is_open, reserved=reserved)
