"""The operator's decisions about names on ladders: their tokens, who is benched, who is struck.

The commands of the command line and those of the page call the same functions, with the arena's
database; a running arena then takes up what has changed (`operator`). Each raises `BadInputError`
if it can't be carried out, and `StoreError` if it can't be written.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lanista.arena import tokens
from lanista.arena.spec import BOT_NAME_FORM, LadderSpec, is_bot_name
from lanista.errors import BadInputError, did_you_mean
from lanista.results.database import Store
from lanista.results.names import NameStore, Registrar, key_of
from lanista_protocol import option_fault, shown


def add_name(
    store: NameStore,
    name: str,
    token: str | None = None,
    *,
    house: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Register a name for the operator, and return its token, which is stored nowhere.

    Without a token, it gets a new one that nobody can guess. `house` has the ladder of each house
    bot, whose name can't be registered.
    """
    name, token = _ladder_name(name), _token(token)
    for bot, ladder in house.items():
        if key_of(bot) == key_of(name):
            raise BadInputError(
                f"{name!r} is the name of a house bot of the ladder {ladder}; choose another name"
            )
    token_hash = tokens.hash_of(token)
    registered = store.register(name, token_hash, Registrar.OPERATOR)
    if registered.token_hash != token_hash:
        raise BadInputError(
            f"{registered.name!r} is registered already; `lanista arena name reset` gives it "
            "another token"
        )
    return token


def reset_token(store: NameStore, name: str, token: str | None = None) -> str:
    """Give a name another token in place of its old one, as `add_name` does, and return it."""
    token = _token(token)
    if not store.set_token(name, tokens.hash_of(token)):
        raise _unknown(store, name)
    return token


def remove_name(store: NameStore, name: str) -> None:
    """Remove a name, which can then be registered again."""
    if not store.remove(name):
        raise _unknown(store, name)


def bench(store: NameStore, name: str, ladder: str | None) -> None:
    """Keep a name from being paired on a ladder; None stands for all ladders."""
    store.bench(_ladder_name(name), ladder)


def unbench(store: NameStore, name: str, ladder: str | None, ladders: Iterable[LadderSpec]) -> None:
    """Let a name play again that was benched, or that rests; its failures are forgotten.

    If `ladder` is None, it may play on all `ladders` of the arena.
    """
    name = _ladder_name(name)
    is_everywhere = any(b.key == key_of(name) and b.ladder is None for b in store.benched())
    if ladder is not None and is_everywhere:
        raise BadInputError(
            f"{shown(name)} is benched on all ladders, not on {ladder} alone; unbench it on all"
        )
    store.unbench(name, ladder)
    for each in ladders:
        if ladder in (None, each.name):
            results = _results(store, each)
            # Also under the name itself: a bot may rest that has never been able to start.
            for bot in {name, *_bots(results, name)}:
                results.unbench(bot)
    store.note_change()


def known_names(store: NameStore, ladders: Iterable[LadderSpec]) -> list[str]:
    """Return the names that are registered or benched, or that have played on some ladders."""
    names = [one.name for one in store.names()] + [one.name for one in store.benched()]
    for each in ladders:
        with _results(store, each).ladder_reading() as now:
            names += now.bots()
    return names


def strike(store: NameStore, name: str, ladder: LadderSpec, *, is_struck: bool) -> None:
    """Take a name's matches until now out of a ladder's ratings and table, or put them back."""
    results = _results(store, ladder)
    bots = _bots(results, name)
    if not bots:
        raise BadInputError(f"no bot called {shown(name)} has played on the ladder {ladder.name}")
    for bot in bots:
        if is_struck:
            results.strike(bot)
        else:
            results.unstrike(bot)
    store.note_change()


def _results(store: NameStore, ladder: LadderSpec) -> Store:
    return Store.of_ladder(store.database, ladder.name, ladder.game)


def _bots(results: Store, name: str) -> list[str]:
    """Return the names of those that have played under a name, whatever its capitals."""
    with results.ladder_reading() as now:
        return [bot for bot in now.bots() if key_of(bot) == key_of(name)]


def _ladder_name(name: str) -> str:
    """Return a name with single spaces, if a bot on a ladder can be called this."""
    name = " ".join(name.split())
    if not is_bot_name(name):
        raise BadInputError(f"{shown(name)} can't be a name on a ladder; use {BOT_NAME_FORM}")
    return name


def _token(given: str | None) -> str:
    if given is None:
        return tokens.new_token()
    # It isn't repeated, as messages get into logs.
    if (expected := option_fault("token", given)) is not None:
        raise BadInputError(f"this can't be a token; use {expected}")
    return given


def _unknown(store: NameStore, name: str) -> BadInputError:
    meant = did_you_mean(name, [registered.name for registered in store.names()])
    return BadInputError(f"no name {shown(name)} is registered{meant}")
