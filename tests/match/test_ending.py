"""How a match can end for a bot: named and explained in one place."""

import pickle
import re
from pathlib import Path

from lanista.games.outcome import FAILURES, Ending

PAGE = Path(__file__).parents[2] / "server" / "lanista" / "page" / "browser"


def test_an_ending_is_its_name_wherever_it_goes():
    """It is sent between processes, and read back from databases by its name."""
    for ending in Ending:
        assert ending is Ending(str(ending)) is pickle.loads(pickle.dumps(ending))
    assert "no-response" == Ending.NO_RESPONSE


def test_the_page_explains_the_failures_in_the_same_words():
    """The page loads nothing from Python, so its list is compared."""
    listed = (PAGE / "figures.js").read_text(encoding="utf-8").partition("FAILURES = [")[2]
    pairs = re.findall(r'\["([a-z-]+)", "([^"]+)"\]', listed.partition("\n];")[0])
    assert [(ending.value, ending.meaning) for ending in Ending if ending in FAILURES] == pairs
