"""Validators of numbers, for the fields of attrs classes that people give values to."""

import math
from collections.abc import Callable
from typing import Any

import attrs

Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


class ValueOfKeyError(ValueError):
    """A value that isn't allowed for its key."""

    def __init__(self, key: str, message: str) -> None:
        """Remember the key, as it is in the file within the table that is being read."""
        super().__init__(message)
        self.key = key


def rule(fault: Callable[[Any], str | None]) -> Validator:
    """Return a validator that raises what a function finds wrong with a value; None is allowed."""

    def check(_: Any, attribute: "attrs.Attribute[Any]", value: Any) -> None:
        if value is not None and (found := fault(value)) is not None:
            raise ValueOfKeyError(attribute.name, found)

    return check


def at_least(low: float) -> Validator:
    """Return a validator for finite numbers that are not below a number."""

    def fault(value: float) -> str | None:
        if low <= value < math.inf:
            return None
        kind = "" if math.isfinite(value) else "a finite number, "
        return f"{value}; expected {kind}at least {low:g}"

    return rule(fault)


def at_most(high: float) -> Validator:
    """Return a validator for numbers that are not above a number."""
    return rule(lambda value: f"{value}; expected at most {high}" if value > high else None)


@rule
def positive(value: float) -> str | None:
    """Validate that a number is finite and above 0."""
    return None if 0 < value < math.inf else f"{value:g}; expected a finite number above 0"
