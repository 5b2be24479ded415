"""Fixtures of this folder: bouts of a bot, and the command itself."""

import attrs
import pytest

from check.checking import under_check
from e2e.conftest import started  # noqa: F401 - a fixture
from e2e.running import run_here
from lanista.check import gauntlet
from lanista.check.bout import play
from lanista.check.gauntlet import Results
from lanista.check.items import judge
from lanista.match.stalls import StallMonitor


@pytest.fixture
def items_after(monkeypatch):
    """Play some bouts of a gauntlet, by name; the items by name. The others aren't tried.

    `leave`: seconds for the bot to end by itself. Here no stall of the machine spoils a bout: with
    one, late answers say nothing, and a few of these bots are late on purpose.
    """
    monkeypatch.setattr(StallMonitor, "worst", lambda *_: 0.0)

    async def items_after(words, *names, leave=None, **options):
        tested = under_check(words, **options)
        results = Results(tested=tested, bouts={})
        for spec in gauntlet.specs_of(tested, ()):
            if spec.name in (gauntlet.PLAIN, *names):
                if leave is not None:
                    spec = attrs.evolve(spec, leave=leave)  # noqa: PLW2901 -- as the gauntlet does
                results.bouts[spec.name] = await play(tested, spec)
        return {item.name: item for item in judge(results)}

    return items_after


@pytest.fixture
def lanista(tmp_path):
    """Run `lanista WORD…` to its end: code, out, err."""
    return lambda *words: run_here(words, tmp_path)
