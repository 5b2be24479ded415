"""Limits on what a bot may use: their defaults, how they are parsed, and how they are described.

Nothing is enforced here: `keeper`, `execute` and `cgroup` do that, and docs/limits.md says how.
"""

import re
import signal
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs

from lanista.errors import BadInputError, did_you_mean
from lanista_protocol import shown

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

_LARGEST = 1 << 60
"""Largest value of a limit: more is a mistake, and the kernel's own type ends at 2^63."""

_UNITS = {"": 1, "K": KIB, "M": MIB, "G": GIB}


class _Form(NamedTuple):
    """How a limit is written on the command line."""

    name: str
    """Its attribute of `BotLimits`."""
    smallest: str
    """The smallest value: with less, no program even reaches its first line."""
    expected: str
    """The forms that messages tell whoever gave another one."""
    units: str = ""
    """A pattern of the units that may follow the number."""


_FORMS = {
    "memory": _Form("memory", "16M", "bytes, perhaps with K, M or G, such as 512M", "[KMG]?"),
    "cpu": _Form("cpu", "1", "whole seconds, such as 60"),
    "file-size": _Form("file_size", "4K", "bytes, perhaps with K, M or G, such as 10M", "[KMG]?"),
    "files": _Form("open_files", "16", "a whole number, such as 64"),
    "processes": _Form("processes", "1", "a whole number, such as 64"),
}
"""The limits, by their names on the command line."""


class LimitsError(BadInputError, ValueError):
    """A limit can't be used; the message is one line for the person who wrote it."""


def _in_range(_: Any, attribute: "attrs.Attribute[int | None]", value: int | None) -> None:
    if value is None:
        return
    key = next(key for key, form in _FORMS.items() if form.name == attribute.name)
    smallest = _FORMS[key].smallest
    if not _number(key, smallest) <= value <= _LARGEST:
        raise LimitsError(
            f"{key}={value} can't be a limit: give at least {smallest}, or 0 for no limit"
        )


def _limit(default: int | None) -> Any:
    return attrs.field(default=default, converter=lambda value: value or None, validator=_in_range)


@attrs.frozen(kw_only=True)
class BotLimits:
    """What one bot and everything it starts may use. None (or 0) means no limit.

    A value that is too small to run anything, or too large to make sense, raises LimitsError.
    """

    memory: int | None = _limit(GIB)
    """Bytes of memory used by all its processes together: resident memory without mapped files."""

    cpu: int | None = _limit(3600)
    """Seconds of processor time used by all its processes together."""

    file_size: int | None = _limit(256 * MIB)
    """Bytes of each file that it writes; in a sandbox also of its whole scratch folder."""

    open_files: int | None = _limit(1024)
    """Number of file descriptors that each of its processes may have."""

    processes: int | None = _limit(64)
    """Number of processes at once, including itself and zombies; threads aren't counted."""

    @property
    def any(self) -> bool:
        """Whether there is any limit; if so, core dumps are off too."""
        return any(attrs.astuple(self))

    def encode(self) -> str:
        """Return the limits as the keeper and the launcher take them (see `execute.Limits`)."""
        return ",".join(f"{name}={value or 0}" for name, value in attrs.asdict(self).items())


NO_LIMITS = BotLimits(memory=None, cpu=None, file_size=None, open_files=None, processes=None)


def parse_limits(text: str | None) -> BotLimits:
    """Parse limits as they are written on a command line; without a text, they are the defaults.

    The text is `none`, or `KEY=VALUE` pairs separated by commas: `memory=512M,cpu=60,files=256,
    file-size=10M,processes=16` (docs/limits.md). Raises LimitsError if it can't be parsed, or a
    value is out of its range.
    """
    if text is None:
        return BotLimits()
    if text.strip() == "none":
        return NO_LIMITS
    try:
        return BotLimits(**_values(text))
    except LimitsError as error:
        raise LimitsError(f"limits {shown(text, 200)}: {error}") from None


def _values(text: str) -> dict[str, int]:
    """Return the values that a text gives, by attribute of `BotLimits`."""
    values: dict[str, int] = {}
    for part in text.split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise LimitsError(
                f"{shown(part.strip())} isn't KEY=VALUE: "
                "write for example 'memory=512M,cpu=60', or 'none'"
            )
        if key not in _FORMS:
            raise LimitsError(
                f"there is no limit {shown(key)}: known are {', '.join(_FORMS)}"
                f"{did_you_mean(key, _FORMS)}"
            )
        name = _FORMS[key].name
        if name in values:
            raise LimitsError(f"{key} is given twice: give it once")
        values[name] = 0 if value == "none" else _number(key, value)
    return values


def limits_of_match(text: str | None, match_cpu: int | None) -> BotLimits:
    """Return the limits of a bot that may have a budget of processor time for a whole match.

    A process's time is counted from its start, so such a bot has to be started for each match. The
    budget is in seconds. Raises LimitsError as `parse_limits` does, and if the text has a limit of
    processor time beside the budget.
    """
    limits = parse_limits(text)
    if match_cpu is None:
        return limits
    if text is not None and limits is not NO_LIMITS and "cpu" in _values(text):
        raise LimitsError(
            f"limits {shown(text, 200)}: cpu is given as well as a budget of {match_cpu} s for "
            "the whole match (match_cpu): leave one of them out"
        )
    return attrs.evolve(limits, cpu=match_cpu)


def _number(key: str, value: str) -> int:
    form = _FORMS[key]
    match = re.fullmatch(rf"([0-9]{{1,20}})({form.units})", value, re.IGNORECASE | re.ASCII)
    if match is None:
        raise LimitsError(f"{key}={shown(value)} isn't valid: give {form.expected}")
    return int(match[1]) * _UNITS[match[2].upper()]


def readable_size(size: int) -> str:
    """Return a size for people, with three digits: `1.02 GiB`, `512 MiB`."""
    value, unit = float(size), "bytes"
    for larger in ("KiB", "MiB", "GiB"):
        if value < KIB:
            break
        value, unit = value / KIB, larger
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def describe_broken(kind: str, limit: int, used: int) -> str:
    """Describe how a bot broke a limit, as a phrase to follow `it`: `used 61 s of CPU time; …`.

    The kind is `memory`, `cpu`, `processes` or `watches`, as its keeper reported it, and the
    numbers are bytes, seconds, processes or watches. What was used is 0 if that isn't known.
    """
    phrases: dict[str, tuple[Callable[[int], str], str]] = {
        "memory": (readable_size, "used {} of memory"),
        "cpu": ("{} s".format, "used {} of CPU time"),
        "processes": (str, "had {} processes"),
        "watches": (str, "held {} epoll watches"),
    }
    as_text, phrase = phrases[kind]
    if not used:
        return phrase.format(f"more than {as_text(limit)}") + ", its limit"
    return phrase.format(as_text(used)) + f"; the limit is {as_text(limit)}"


def describe_signal(number: int, limits: BotLimits) -> str | None:
    """Describe the limit for which the kernel sends this signal, if any, as `describe_broken`."""
    if number == signal.SIGXFSZ and limits.file_size:
        return f"wrote a file larger than {readable_size(limits.file_size)}, its limit"
    if number == signal.SIGXCPU and limits.cpu:
        return f"used more than {limits.cpu} s of CPU time, its limit"
    return None
