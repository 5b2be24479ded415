"""The operator's decisions about names, as the page is told of them (docs/api.md)."""

from collections.abc import Callable, Mapping

from lanista.arena import decisions
from lanista.arena.spec import LadderSpec
from lanista.results.names import NameStore


def decision(
    what: str, name: str, ladder: str | None, ladders: Mapping[str, LadderSpec]
) -> Callable[[NameStore], str | None]:
    """Return what stores a decision; it returns the name's new token, or None if it gets none.

    Args:
        what: One of the viewer's `DECISIONS`.
        name: The name.
        ladder: The name of the ladder; None for all ladders.
        ladders: All ladders, by name.
    """
    if what == "add-name":
        return lambda store: decisions.add_name(store, name)
    if what == "reset-name":
        return lambda store: decisions.reset_token(store, name)
    if what == "remove-name":
        return lambda store: decisions.remove_name(store, name)
    if what == "bench":
        return lambda store: decisions.bench(store, name, ladder)
    if what == "unbench":
        return lambda store: decisions.unbench(store, name, ladder, ladders.values())
    if ladder is None:
        raise decisions.NameRefusedError(f"{what} is for one ladder; name it")
    is_struck = what == "strike"
    return lambda store: decisions.strike(store, name, ladders[ladder], is_struck=is_struck)
