"""Hosting a match of bots that are started for it."""

import pytest
import trio

from lanista.hosting.bot_pool import Contestant
from lanista.hosting.control import RunningMatches
from lanista.hosting.host import MatchHost, MatchPlan, StartFailureError, VoidRecords
from lanista.rules.angrymob import RULESET
from lanista.rules.base import complete_settings


async def test_each_try_starts_its_bots_anew(tmp_path):
    """A void match is played again: what the first try used up must not be in the way."""
    plan = MatchPlan(
        ruleset=RULESET,
        settings=complete_settings(RULESET, {}),
        seed=1,
        contestants=[Contestant(name=name, command=("/nowhere/bot",)) for name in ("a", "b")],
        record_path=lambda match: tmp_path / match,
    )
    host = MatchHost(plan)
    async with trio.open_nursery() as helpers:
        for try_ in (1, 2):
            with pytest.raises(StartFailureError, match="did not start: could not be started"):
                await host._play_once(helpers, try_)
        host.interrupt()
        assert await host._play_once(helpers, 3) is None


def test_the_records_of_a_block_are_hidden_until_it_is_over(tmp_path):
    """Those of matches that count as well: the same seed is played again with other seats."""
    running = RunningMatches()
    records = VoidRecords(running, of_block=True)
    paths = {match: tmp_path / match for match in ("first", "void", "unwritten")}
    for match in ("first", "void"):
        paths[match].touch()
    for match, path in paths.items():
        running.end(match, records.shown(path, match, is_void=match == "void"))
        assert running.hides(match)
    assert {} == running.ended
    records.show()
    assert {"first": paths["first"], "void": paths["void"]} == running.ended
    assert not any(map(running.hides, paths))
