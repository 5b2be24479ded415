"""Matches whose board was prepared in advance are those that make it themselves."""

import pytest

from lanista.games import registry
from lanista.games.base import complete_settings
from lanista.match.conditions import prepare_board
from match.playing import sit


def opening_of(table):
    """The game's digest, with the chance in it, and the header of the record."""
    table.match._begin()
    table.match.record.close()
    header = table.path.with_name(table.path.name + ".part").read_text()
    return table.match._game.digest(), header.partition('"settings"')[2]


@pytest.mark.parametrize("game", ["crematoria", "hogwarts"])
def test_a_prepared_board_begins_the_same_match(tmp_path, monkeypatch, game):
    ruleset = registry.get(game)
    prepared = prepare_board(ruleset, complete_settings(ruleset, {}), 7)
    bots = [f"b{seat} v=1" for seat in range(ruleset.seats)]
    itself = opening_of(sit(tmp_path, ruleset, bots, name="itself"))
    monkeypatch.setattr(type(ruleset), "generate", None)
    given = sit(tmp_path, ruleset, bots, name="given", prepared=prepared)
    assert itself == opening_of(given)
