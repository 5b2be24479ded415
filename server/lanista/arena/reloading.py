"""Which keys of an arena's file take effect when it is read again (SIGHUP), and which don't."""

from collections.abc import Iterator
from typing import Any

import attrs

from lanista.arena.options import Options
from lanista.arena.spec import ArenaSpec, LadderSpec

LIMITS = ("max_connections", "max_per_address", "hello_timeout", "registration", "drain")
"""The keys of the arena that take effect at once."""
LADDER_LIMITS = ("fill_after", "bench_after")
"""The keys of a ladder that take effect at once."""


def with_limits(options: Options, spec: ArenaSpec) -> Options:
    """Return options with the limits of another spec, and otherwise as they are."""
    specs = {ladder.name: ladder for ladder in spec.ladders}
    ladders = []
    for ladder in options.spec.ladders:
        limits = _values(specs.get(ladder.name, ladder), LADDER_LIMITS)
        ladders.append(attrs.evolve(ladder, **limits))
    limited = attrs.evolve(options.spec, ladders=tuple(ladders), **_values(spec, LIMITS))
    return attrs.evolve(options, spec=limited)


def unchangeable(old: ArenaSpec, new: ArenaSpec) -> list[str]:
    """Return the keys in which two specs differ and which take effect only after a restart."""
    keys = list(_differences(old, new, "", {*LIMITS, "ladders"}))
    earlier = {ladder.name: ladder for ladder in old.ladders}
    if earlier.keys() != {ladder.name for ladder in new.ladders}:
        keys.append("ladders")
    for number, ladder in enumerate(new.ladders, 1):
        before = earlier.get(ladder.name)
        if before is not None:
            keys += _differences(before, ladder, f"ladders[{number}].", set(LADDER_LIMITS))
    return keys


def _differences(old: Any, new: Any, path: str, ignored: set[str]) -> Iterator[str]:
    """Yield the keys whose values differ between two tables of the same kind."""
    for name in attrs.fields_dict(type(old)):
        before, after = getattr(old, name), getattr(new, name)
        if name in ignored or before == after:
            continue
        if attrs.has(type(before)) and type(before) is type(after):
            yield from _differences(before, after, f"{path}{name}.", set())
        else:
            yield f"{path}{name}"


def _values(table: ArenaSpec | LadderSpec, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: getattr(table, key) for key in keys}
