"""Matches of tournaments on the page: running ones are seen in the folder of records, and stored
ones are found by what is asked for.
"""

import os
import time

import pytest
import trio

from lanista.games.outcome import Ending
from lanista.hosting.control import RunningMatches
from lanista.page import tournaments as module
from lanista.page.renewal import NoStandingsError
from lanista.page.tournaments import Tournament, Tournaments
from lanista.page.view import View
from lanista.results.block_records import PLAYING, BlockMatch
from page.house import done, showing
from page.records import unpacked, values, wandering
from page.test_tournaments import Results
from support.waiting import until

MATCH = BlockMatch("0123456789abcdef" * 2, 1, 1)
TURNS = 4


class Asked:
    """Answers questions about stored matches, and keeps the filters."""

    def __init__(self, answer=None):
        self.filters = []
        self.answer = answer or ([], None)

    async def __call__(self, filters):
        self.filters.append(filters)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def record(tmp_path):
    """The record of a match of TURNS turns."""
    return wandering(tmp_path / "elsewhere", TURNS)


@pytest.fixture
def other_record(tmp_path):
    """The record of a match of other bots."""
    return wandering(tmp_path / "other", TURNS, hellos=("Ann v=1", "Cid v=1"))


@pytest.fixture
def folder(tmp_path):
    """A folder of a tournament's records, in which nothing is played yet."""
    (tmp_path / "cup.records" / PLAYING).mkdir(parents=True)
    return tmp_path / "cup.records"


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Looks at the folders come quickly one after another."""
    monkeypatch.setattr("lanista.page.server.LOOK_EVERY", 0.01)


def cup(folder, ask=None):
    """A tournament that another process plays."""
    table = Results(NoStandingsError("no results yet"))
    return Tournaments([Tournament("cup", table, folder, ask or Asked())])


def page(folder, ask=None):
    """The page of such a tournament."""
    return showing(View(RunningMatches(), tournaments=cup(folder, ask)))


def begin(folder, lines):
    """A match of which so many lines of its record are written."""
    part = folder / PLAYING / f"{MATCH.name_playing('token')}.part"
    part.write_bytes(b"".join(lines))
    return part


async def test_a_match_is_shown_while_it_is_played_and_afterwards(folder, record):
    """It is in the lobby, its frames come as it goes on, and its id stays the same when stored."""
    lines = unpacked(record)
    async with page(folder) as house:
        looker = await house.page()
        assert done(await looker.ask("lobby"))
        part = begin(folder, lines[:3])
        told = await looker.told("lobby", lambda told: told["running"])
        (running,) = told["running"]
        assert (MATCH.id, "cup", False) == values(running, "match", "tournament", "paused")
        assert ["Ann", "Bob"] == [player["name"] for player in running["players"]]
        described = (await house.get(f"/api/1/matches/{MATCH.id}")).json
        assert ("running", "cup") == (described["state"], described["tournament"])
        assert 404 == (await house.get(f"/api/1/matches/{MATCH.id}/record")).status
        refused = await looker.ask("cancel", match=MATCH.id)
        words = "a tournament plays this match; only the match itself can be watched here"
        assert words == refused["words"]
        head = await looker.ask("open", match=MATCH.id)
        assert head["live"]
        frames = await looker.frames(MATCH.id, 2)
        assert (False, 3) == (frames["over"], frames["count"])
        with part.open("ab") as file:
            file.write(b"".join(lines[3:]))
        place = folder / MATCH.place(is_void=False)
        place.parent.mkdir()
        place.write_bytes(record.read_bytes())
        part.unlink()
        end = await looker.frames(MATCH.id, TURNS + 1)
        assert "finished" == end["result"]["end"]
        await looker.told("lobby", lambda told: not told["running"])
        head = await looker.ask("open", match=MATCH.id)
        assert (False, True) == (head["live"], head["logs"])
        described = (await house.get(f"/api/1/matches/{MATCH.id}")).json
        assert ("over", MATCH.id) == (described["state"], described["match"])
        assert record.read_bytes() == (await house.get(f"/api/1/matches/{MATCH.id}/record")).body


async def test_what_a_killed_run_left_behind_is_not_running(folder, record, monkeypatch):
    """Nobody has locked it, and nothing was written for a while."""
    part = begin(folder, unpacked(record)[:3])
    matches = cup(folder)
    await matches.look()
    assert [MATCH.id] == list(matches.running)
    long_ago = time.time() - 2 * module.STILL
    os.utime(part, (long_ago, long_ago))
    ended = []
    matches.on_end = ended.append
    await matches.look()
    assert ({}, [MATCH.id]) == (matches.running, ended)


async def test_a_look_that_gets_no_thread_changes_nothing(folder, record, monkeypatch):
    """It is the system that lets none be started; the page goes on."""
    begin(folder, unpacked(record)[:3])
    matches = cup(folder)

    async def refuse(*_, **__):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(trio.to_thread, "run_sync", refuse)
        await matches.look()
    assert {} == matches.running
    await matches.look()
    assert [MATCH.id] == list(matches.running)


@pytest.mark.parametrize("content", [b"", b"{", b"[]\n", b'{"lanista_record": 4}\n', b"x" * 100])
async def test_what_is_no_header_is_no_match(folder, content):
    begin(folder, [content])
    matches = cup(folder)
    await matches.look()
    assert {} == matches.running


async def test_a_match_that_is_played_again_has_its_own_frames(folder, record, other_record):
    """A tournament that was killed plays its last block again, with the same ids."""
    async with page(folder) as house:
        looker = await house.page()
        part = begin(folder, unpacked(record)[:3])
        matches = house.server.view.tournaments
        await until(lambda: matches.running)
        assert (await looker.ask("open", match=MATCH.id))["live"]
        part.unlink()
        again = folder / PLAYING / f"{MATCH.name_playing('other')}.part"
        again.write_bytes(unpacked(other_record)[0])
        await until(lambda: [match.part for match in matches.running.values()] == [again])
        assert done(await looker.ask("close", match=MATCH.id))
        head = await looker.ask("open", match=MATCH.id)
        assert ["Ann", "Cid"] == [player["name"] for player in head["players"]]


async def test_stored_matches_are_asked_for_with_their_filters(folder):
    ask = Asked(([{"match": MATCH.id}], 7))
    answer = {"matches": [{"match": MATCH.id}], "next": "7"}
    async with page(folder, ask) as house:
        query = "tournament=cup&player=A%20b&against=C&ending=crash&fault=late&before=9&limit=2"
        assert answer == (await house.get(f"/api/1/matches?{query}")).json
        assert answer == (await house.get("/api/1/matches?tournament=cup")).json
    first, second = ask.filters
    assert {
        "player": "A b",
        "against": "C",
        "ending": Ending.CRASH.value,
        "fault": "late",
        "before": 9,
        "limit": 2,
    } == first
    assert {"before": None, "limit": 50} == second


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("tournament=Cup", 404, "there is no tournament 'Cup' here"),
        ("tournament=cup&ending=lost", 400, "ending='lost'; it is one of normal, illegal"),
        ("tournament=cup&fault=x", 400, "fault='x'; it is one of late, malformed, illegal"),
        ("tournament=cup&limit=0", 400, "limit='0'; it is from 1 to 200"),
    ],
)
async def test_questions_that_make_no_sense_are_refused(folder, query, status, words):
    async with page(folder) as house:
        await house.refuses(f"/api/1/matches?{query}", status, words)


async def test_why_matches_cannot_be_read_is_told(folder):
    ask = Asked(NoStandingsError("no results yet"))
    async with page(folder, ask) as house:
        answer = await house.get("/api/1/matches?tournament=cup")
        assert (503, "no results yet") == (answer.status, answer.json["error"])
