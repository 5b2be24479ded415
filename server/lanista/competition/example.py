"""The example spec that `lanista tournament new` writes: playable, with every key and its default.

It is only text, `example.toml.template`; a test compares each default with that of `Spec`.
"""

from pathlib import Path

from lanista.errors import BadInputError
from lanista.games import registry
from lanista.games.base import Ruleset
from lanista.hosting.spec_parts import example_of
from lanista.toml_spec import quoted

_TEMPLATE = Path(__file__).with_name("example.toml.template")
_FILL = """\
# A house bot that takes the seats left free if there are fewer bots than seats.
# fill = {bot}

"""
"""The part about fillers; left out for games of two, as two bots leave no seat free."""


def example(ruleset: Ruleset, stem: str) -> str:
    """Return the text of a commented spec; results are named after `stem`, which is printable.

    All house bots take part; the first one several times if seats were left free.

    Raises:
        BadInputError: The game has no house bots.
    """
    seats, house = ruleset.seats, list(registry.house_bots(ruleset.name))
    if not house:
        raise BadInputError(f"{ruleset.title} has no house bots, which an example needs")
    entries = [(bot, bot) for bot in house]
    entries += [(f"{house[0]}-{copy}", house[0]) for copy in range(2, seats - len(house) + 2)]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        **example_of(ruleset),
        file=f"{stem}.toml",
        name=quoted(stem),
        rotations="two seatings"
        if seats == 2
        else f"{seats} seatings, every bot once in each seat",
        all="the same" if seats == 2 else "every arrangement",
        first=quoted(entries[0][0]),
        fill="" if seats == 2 else _FILL.format(bot=quoted(house[0])),
        database=quoted(f"{stem}.db"),
        records=quoted(f"{stem}.records"),
        bots="".join(
            f"\n[[bots]]\nname = {quoted(name)}\ncommand = {quoted(command)}\n"
            for name, command in entries
        ),
    )
