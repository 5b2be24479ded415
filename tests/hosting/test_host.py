"""Hosting a match: its tries, the records that are hidden meanwhile, and bots that don't start."""

import attrs
import pytest
import trio

from lanista.games.angrymob.ruleset import RULESET
from lanista.games.base import complete_settings
from lanista.hosting import started_match
from lanista.hosting.bot_pool import BotPool, Contestant
from lanista.hosting.control import RunningMatches
from lanista.hosting.host import MatchReport, SeatedMatch, play_match
from lanista.hosting.names import BRIDGE
from lanista.hosting.started_match import StartedMatch, StartFailureError
from lanista.match.conditions import MatchSpec
from lanista.match.record import ResultInfo

SPEC = MatchSpec(ruleset=RULESET, settings=complete_settings(RULESET, {}), seed=1)


async def test_each_try_starts_its_bots_anew(tmp_path):
    """A void match is played again: what the first try used up must not be in the way."""
    match = StartedMatch(
        spec=SPEC,
        contestants=[Contestant(name=name, command=("/nowhere/bot",)) for name in ("a", "b")],
        record_path=lambda id_: tmp_path / id_,
    )
    of_try = attrs.evolve(SPEC, match="m")
    async with trio.open_nursery() as helpers:
        for _ in range(2):
            with pytest.raises(StartFailureError, match="did not start: could not be started"):
                await match._seat(BotPool(helpers), of_try)
        match.interrupt()
        assert await match._seat(BotPool(helpers), of_try) is None


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("sleep", "60"), "waiting for the bots to connect, for up to 30 s"),
        ((*BRIDGE, "sleep", "60"), "waiting for the first answer of a and b, for up to 20 s"),
    ],
    ids=["hello", "answer"],
)
async def test_a_long_wait_is_told(tmp_path, monkeypatch, command, told):
    """A bot that reads standard input, or doesn't flush, would seem to hang."""
    monkeypatch.setattr(started_match, "WAIT_TOLD", 0.2)
    heard = []

    def hear(what):
        heard.append(what)
        if what == told:
            match.interrupt()

    match = StartedMatch(
        spec=SPEC,
        contestants=[Contestant(name=name, command=command) for name in ("a", "b")],
        record_path=lambda id_: tmp_path / id_,
        on_wait=hear,
    )
    await match.play()
    assert told == heard[-1]


class Tries:
    """Seats and plays the tries of a match, which end as given, in no time."""

    def __init__(self, folder, *ends, leave_after=None):
        self.folder = folder
        self.running = RunningMatches()
        self.shown = []
        """By try: the records that may be seen while it is played."""
        self._ends = iter(ends)
        self._leave_after = leave_after
        self.specs = []

    async def seats(self, spec):
        if len(self.specs) == self._leave_after:
            return None
        self.specs.append(spec)
        record = self.folder / spec.match
        return SeatedMatch(spec=spec, connections=(), names=(), record=record)

    async def play(self, seated):
        self.shown.append(list(self.running.ended))
        end = next(self._ends)
        if end is None:
            return None
        seated.record.touch()
        self.running.over(seated.spec.match, seated.record, is_void=end == "void")
        result = ResultInfo(end=end, reason="", ranks=(), scores=(), turns=0, digest="")
        return MatchReport(
            spec=seated.spec, names=(), started="", result=result, record=seated.record
        )

    async def reports(self, **more):
        spec = attrs.evolve(SPEC, void_tries=3)
        reports = await play_match(spec, self.seats, self.play, running=self.running, **more)
        return [report.result.end for report in reports]


async def test_a_void_match_is_repeated_as_often_as_its_spec_says(tmp_path):
    """With the same seed; each try has an id and a number. None before the last is shown."""
    tries = Tries(tmp_path, "void", "void", "void", "finished")
    assert ["void"] * 3 == await tries.reports()
    assert [1, 2, 3] == [spec.attempt for spec in tries.specs]
    assert {1} == {spec.seed for spec in tries.specs}
    assert [[], [], []] == tries.shown
    assert [spec.match for spec in tries.specs] == list(tries.running.ended)
    assert {} == tries.running.hidden


@pytest.mark.parametrize("end", ["finished", "forfeit", "aborted"])
async def test_any_other_end_is_the_last(tmp_path, end):
    tries = Tries(tmp_path, "void", end, "finished")
    assert ["void", end] == await tries.reports()


async def test_a_match_is_repeated_only_while_it_may_be_and_its_bots_come(tmp_path):
    """What was played until then is reported, and shown."""
    for tries, more in (
        (Tries(tmp_path, "void", "finished"), {"may_repeat": lambda: False}),
        (Tries(tmp_path, "void", "finished", leave_after=1), {}),
        (Tries(tmp_path, "void", None, "finished"), {}),
    ):
        assert ["void"] == await tries.reports(**more)
        assert [tries.specs[0].match] == list(tries.running.ended)
