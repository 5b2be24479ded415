"""What a bot may use: the limits, their defaults, their text form and their words.

Data and text alone: `keeper` and `execute` carry the limits out, docs/limits.md tells how.
"""

import re
import signal
from collections.abc import Callable
from typing import Any

import attrs

from lanista_protocol import shown

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

_LARGEST = 1 << 60
"""Larger values aren't meant, and the kernel's own type ends at 2^63."""

_SMALLEST = {
    "memory": 16 * MIB,
    "cpu": 1,
    "file_size": 4 * KIB,
    "open_files": 16,
    "processes": 1,
}
"""Below these no program comes to its first line."""

_KEYS = {
    "memory": "memory",
    "cpu": "cpu",
    "file-size": "file_size",
    "files": "open_files",
    "processes": "processes",
}
"""How a limit is called on the command line, and its attribute."""

_SIZES = ("memory", "file_size")
_UNITS = {"": 1, "K": KIB, "M": MIB, "G": GIB}


class LimitsError(ValueError):
    """A limit that can't be meant; its text is one line for the person who wrote it."""


def _none_of(value: int | None) -> int | None:
    return value or None  # 0 is no limit, as it is on the command line


def _in_range(_: Any, attribute: "attrs.Attribute[int | None]", value: int | None) -> None:
    if value is None:
        return
    key = next(key for key, name in _KEYS.items() if name == attribute.name)
    as_text = size_text if attribute.name in _SIZES else str
    smallest = _SMALLEST[attribute.name]
    if value < smallest:
        raise LimitsError(
            f"{key}={as_text(value)} is too small to run anything: "
            f"give at least {as_text(smallest)}, or 0 for no limit"
        )
    if value > _LARGEST:
        raise LimitsError(f"{key}={value} is too large: give 0 for no limit")


def _limit(default: int | None) -> Any:
    return attrs.field(default=default, converter=_none_of, validator=_in_range)


@attrs.frozen(kw_only=True)
class BotLimits:
    """What one bot may use, with all that it starts. None (or 0) means no limit.

    Raises:
        LimitsError: A value is too small to run anything, or too large to be meant.
    """

    memory: int | None = _limit(GIB)
    """Bytes of memory in use (resident, without mapped files), of all its processes together."""

    cpu: int | None = _limit(3600)
    """Seconds of processor time of all its processes together."""

    file_size: int | None = _limit(256 * MIB)
    """Bytes of each file it writes; in a sandbox also of its whole scratch folder."""

    open_files: int | None = _limit(1024)
    """File descriptors that each of its processes may have."""

    processes: int | None = _limit(64)
    """Processes it may have at once, itself and zombies counted, threads not."""

    @property
    def any(self) -> bool:
        """Whether there is a limit at all; if so, core dumps are off too."""
        return any(attrs.astuple(self))

    def encode(self) -> str:
        """The form in which the keeper and the launcher take them (`execute.decode`)."""
        return ",".join(str(value or 0) for value in attrs.astuple(self))


NO_LIMITS = BotLimits(memory=None, cpu=None, file_size=None, open_files=None, processes=None)


def parse_limits(text: str) -> BotLimits:
    """Read limits as they are written on a command line.

    Args:
        text: `none`, or `KEY=VALUE` with commas between: `memory=512M,cpu=60,files=256,
            file-size=10M,processes=16`. Sizes take K, M or G (1024, …); `none` or 0 as a value
            lifts that limit. What isn't named keeps its default.

    Raises:
        LimitsError: The text can't be read, or a value can't be meant.
    """
    if text.strip() == "none":
        return NO_LIMITS
    values: dict[str, int] = {}
    for part in text.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        known = ", ".join(_KEYS)
        if not equals:
            raise LimitsError(
                f"limits {shown(text, 200)}: {shown(part.strip())} is no KEY=VALUE: "
                f"give such as 'memory=512M,cpu=60', or 'none'"
            )
        if key not in _KEYS:
            raise LimitsError(
                f"limits {shown(text, 200)}: there is no limit {shown(key)}: known are {known}"
            )
        name = _KEYS[key]
        if name in values:
            raise LimitsError(f"limits {shown(text, 200)}: {key} is given twice: give it once")
        try:
            values[name] = _number(name, key, value)
            BotLimits(**{name: values[name]})
        except LimitsError as error:
            raise LimitsError(f"limits {shown(text, 200)}: {error}") from None
    return BotLimits(**values)


def _number(name: str, key: str, value: str) -> int:
    """One value of `parse_limits`."""
    if value == "none":
        return 0
    if re.fullmatch(r"-\s*[0-9.]+\s*\w*", value):
        raise LimitsError(
            f"{key}={shown(value)} is negative: give a positive number, or 0 for no limit"
        )
    units = "[KMG]?" if name in _SIZES else ""
    found = re.fullmatch(rf"([0-9]{{1,20}})({units})", value, re.IGNORECASE | re.ASCII)
    if found is None:
        what = {
            "memory": "bytes, perhaps with K, M or G, such as 512M",
            "file_size": "bytes, perhaps with K, M or G, such as 10M",
            "cpu": "whole seconds, such as 60",
        }.get(name, "a whole number, such as 64")
        raise LimitsError(f"{key}={shown(value)} is no number: give {what}")
    return int(found[1]) * _UNITS[found[2].upper()]


def size_text(size: int) -> str:
    """A size as `parse_limits` reads it, in the largest unit that divides it: `512M`."""
    for unit, factor in reversed(_UNITS.items()):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    raise AssertionError("one byte divides every size")


def size_words(size: int) -> str:
    """A size for people, with three digits: `1.02 GiB`, `512 MiB`."""
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if value < KIB:
            break
        value, unit = value / KIB, larger
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def broken_words(kind: str, limit: int, used: int) -> str:
    """What a bot did that was ended for a limit, a phrase to follow `it`.

    Args:
        kind: `memory`, `cpu` or `processes`: what its keeper said.
        limit: The limit, in bytes, seconds or processes.
        used: What was used, 0 if only the kernel knows.
    """
    words: dict[str, tuple[Callable[[int], str], str]] = {
        "memory": (size_words, "used {} of memory"),
        "cpu": ("{} s".format, "used {} of CPU time"),
        "processes": (str, "had {} processes"),
    }
    tell, phrase = words[kind]
    if not used:
        return phrase.format(f"more than {tell(limit)}") + ", its limit"
    return phrase.format(tell(used)) + f"; the limit is {tell(limit)}"


def signal_words(number: int, limits: BotLimits | None) -> str | None:
    """What a bot did that the kernel killed for a limit by a signal of its own; else None."""
    if limits is not None and number == signal.SIGXFSZ and limits.file_size:
        return f"wrote a file larger than {size_words(limits.file_size)}, its limit"
    if limits is not None and number == signal.SIGXCPU and limits.cpu:
        return f"used more than {limits.cpu} s of CPU time, its limit"
    return None
