"""The operator's decisions about names on ladders: who is benched, whose matches are struck.

The commands of the command line and those of the page call the same functions, with the arena's
database; a running arena then takes up what has changed (`operator`). Names and their tokens are
changed by `tokens`.
"""

from collections.abc import Iterable

from lanista.arena.spec import BOT_NAME_FORM, LadderSpec, is_bot_name
from lanista.arena.tokens import NameRefusedError
from lanista.results.database import Store
from lanista.results.names import NameStore, key_of
from lanista_protocol import shown


def bench(store: NameStore, name: str, ladder: str | None) -> None:
    """Keep a name from being paired on a ladder; None stands for all ladders.

    Raises:
        NameRefusedError: It can't be a name on a ladder.
        StoreError: It can't be written.
    """
    store.bench(_ladder_name(name), ladder)


def unbench(store: NameStore, name: str, ladder: str | None, ladders: Iterable[LadderSpec]) -> None:
    """Let a name play again that was benched, or that rests; its failures are forgotten.

    Args:
        store: The arena's names.
        name: The name.
        ladder: The name of the ladder; None for all ladders.
        ladders: All ladders of the arena.

    Raises:
        NameRefusedError: It can't be a name on a ladder, or is benched on all of them and not on
            this one alone.
        StoreError: It can't be written.
    """
    name = _ladder_name(name)
    is_everywhere = any(b.key == key_of(name) and b.ladder is None for b in store.benched())
    if ladder is not None and is_everywhere:
        raise NameRefusedError(
            f"{shown(name)} is benched on all ladders, not on {ladder} alone; unbench it on all"
        )
    store.unbench(name, ladder)
    for each in ladders:
        if ladder in (None, each.name):
            results = _results(store, each)
            for bot in _bots(results, name):
                results.unbench(bot)
    store.note_change()


def strike(store: NameStore, name: str, ladder: LadderSpec, *, is_struck: bool) -> None:
    """Take the matches of a name until now out of a ladder's ratings and table, or put them back.

    Raises:
        NameRefusedError: No such bot has played there.
        StoreError: It can't be written.
    """
    results = _results(store, ladder)
    bots = _bots(results, name)
    if not bots:
        raise NameRefusedError(
            f"no bot called {shown(name)} has played on the ladder {ladder.name}"
        )
    for bot in bots:
        if is_struck:
            results.strike(bot)
        else:
            results.unstrike(bot)
    store.note_change()


def _results(store: NameStore, ladder: LadderSpec) -> Store:
    """Return the results of a ladder."""
    return Store.of_ladder(store.database, ladder.name, ladder.game)


def _bots(results: Store, name: str) -> list[str]:
    """Return the names of those that have played under a name, whatever its capitals."""
    with results.ladder_reading() as now:
        return [bot for bot in now.bots() if key_of(bot) == key_of(name)]


def _ladder_name(name: str) -> str:
    """Return a name with single spaces, if a bot on a ladder can be called this.

    Raises:
        NameRefusedError: It can't.
    """
    name = " ".join(name.split())
    if not is_bot_name(name):
        raise NameRefusedError(f"{shown(name)} can't be a name on a ladder; use {BOT_NAME_FORM}")
    return name
