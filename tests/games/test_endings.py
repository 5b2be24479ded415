"""By which rule a match was decided: each reason that a game gives is explained."""

import re
from pathlib import Path

import pytest

from lanista.games import registry
from lanista.games.base import ending_text

CHECKOUT = Path(__file__).parents[2]
REASONS = {
    "angrymob": ("capture", "both-captured", "no-units", "move-limit"),
    "hogwarts": ("rounds",),
    "crematoria": ("rounds",),
}


@pytest.mark.parametrize("game", REASONS)
def test_every_reason_of_a_game_is_explained_by_its_rule(game):
    ruleset = registry.get(game)
    assert set(REASONS[game]) == set(ruleset.endings)
    page = (CHECKOUT / "docs" / "rules" / f"{game}.md").read_text()
    for reason in REASONS[game]:
        [section] = re.findall(r"\(rules, section (\d+)\)", ending_text(ruleset, reason))
        assert re.search(rf"^## {section}[.] .*\bend$", page, re.MULTILINE)


def test_a_ruleset_that_explains_nothing_is_left_alone():
    """One of another package may have no `endings`; what all games share is explained."""
    assert None is ending_text(object(), "last-stone")
    assert "at fault" in ending_text(object(), "forfeit")
