"""docs/python_rules.md: its blocks run one after another, and its table names what there is."""

import re

from docs.pages import DOCS, run_python
from lanista.library.game import Game

PAGE = DOCS / "python_rules.md"


def test_the_blocks_run_in_their_order(capsys):
    names = run_python(PAGE)
    assert capsys.readouterr().out.startswith("20 (")
    assert names["game"].turn == 0


def test_the_table_names_every_method_and_attribute_of_a_game():
    text = PAGE.read_text(encoding="utf-8")
    public = {name for name in dir(Game) if not name.startswith("_")} - {"name", "seats", "ruleset"}
    assert public <= set(re.findall(r"game\.(\w+)", text))
