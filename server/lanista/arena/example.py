"""The example that `lanista arena new` writes: an arena that can be started, with every key.

It is only text, `example.toml.template`; a test compares each default with that of `ArenaSpec`.
"""

from pathlib import Path

from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.spec_parts import example_of
from lanista.toml_spec import quoted

_TEMPLATE = Path(__file__).with_name("example.toml.template")


def example(ruleset: Ruleset, file: str) -> str:
    """Return the text of a commented spec with one ladder, on which the game's house bots play.

    Args:
        ruleset: The game, after which the ladder is named.
        file: The name of the file, printable.
    """
    return _TEMPLATE.read_text(encoding="utf-8").format(
        **example_of(ruleset),
        file=file,
        name=quoted(ruleset.name),
        house=", ".join(map(quoted, registry.house_bots(ruleset.name))),
    )
