"""Ladders whose matches are played in no time: their results are made up."""

from pathlib import Path

import attrs

from lanista.hosting.host import MatchReport
from lanista.match.conditions import match_id
from lanista.match.record import ResultInfo


@attrs.frozen
class Waiter:
    """What a ladder is told of a bot that waits."""

    name: str

    @property
    def key(self):
        return self.name.lower()

    @property
    def owner(self):
        return self.name


NEW_YEAR = "2026-01-01T00:00:00+00:00"


def play(room, *pair, ranks=(1, 2), failing=None, void=False, started=NEW_YEAR):
    """Play one match of two bots, one of which may fail it; their names by seat."""
    for name in pair:
        room.wait(Waiter(name))
    match = room.next()
    assert match is not None
    assert set(pair) == set(match)
    spec = attrs.evolve(room.match_spec(), match=match_id())
    record = Path(f"2026-01-01/{spec.match}.jsonl.gz")
    result = ResultInfo(
        end="void" if void else "finished",
        reason="stall" if void else "capture",
        ranks=(1, 1) if void else ranks,
        scores=(1, 0),
        turns=1,
        digest="",
        fault_counts=({}, {}),
        endings=tuple(
            "void" if void else "disconnect" if name == failing else "normal" for name in match
        ),
        ended="2026-01-01T00:00:09+00:00",
    )
    report = MatchReport(spec=spec, names=match, result=result, record=record, started=started)
    room.over(match, report)
    return match


def store(room):
    """Store the results that wait, as `LadderResults.run` does."""
    numbers = room.results.store.add_matches(room.results._waiting)
    room.results._waiting.clear()
    return numbers
