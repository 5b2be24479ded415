"""Enter variants of Counting that each break one rule of rulesets, with what the suite says.

They are in modules, as the suite must be able to import them in another process.
"""

from support.tinygame import CountingRules

BROKEN: list[tuple[CountingRules, str]] = []
"""A broken ruleset and words of what the suite says of it."""


def rules(words, **parts):
    """Enter a ruleset with other parts of its own, as `name="A b"`."""
    # A class attribute wouldn't be pickled with the instance, so it is an instance's.
    broken = CountingRules()
    for part, value in parts.items():
        setattr(broken, part, value)
    BROKEN.append((broken, words))


def ruleset(words):
    """Enter a ruleset of this class."""

    def enter(cls):
        BROKEN.append((cls(), words))
        return cls

    return enter


def game(words):
    """Enter a ruleset whose games are of this class."""

    def enter(cls):
        rules(words, game=cls)
        return cls

    return enter


def variant(words, cls, **attributes):
    """Enter a ruleset whose games are of a class with these attributes."""
    rules(words, game=type("Variant", (cls,), attributes))
