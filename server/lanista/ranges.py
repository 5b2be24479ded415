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


def at_least(low: float) -> Validator:
    """Return a validator for finite numbers that are not below a number; None is allowed."""

    def check(_: Any, attribute: "attrs.Attribute[Any]", value: float | None) -> None:
        if value is not None and not (low <= value < math.inf):
            raise ValueOfKeyError(attribute.name, f"{value}; expected at least {low:g}")

    return check


def at_most(high: float) -> Validator:
    """Return a validator for numbers that are not above a number; None is allowed."""

    def check(_: Any, attribute: "attrs.Attribute[Any]", value: float | None) -> None:
        if value is not None and value > high:
            raise ValueOfKeyError(attribute.name, f"{value}; expected at most {high}")

    return check


def positive(_: Any, attribute: "attrs.Attribute[Any]", value: float) -> None:
    """Validate that a number is finite and above 0."""
    if not 0 < value < math.inf:
        raise ValueOfKeyError(attribute.name, f"{value:g}; expected a finite number above 0")
