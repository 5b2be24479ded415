"""Ladders on the page: the API's answers, when tables are computed, what isn't public yet.

The results are written by the test, nothing is played. What answers questions runs in a thread
here; that it is a process is tested with a browser.
"""

import gzip
import json
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta

import attrs
import pytest
import trio

from lanista.arena.spec import HouseBot, LadderSpec
from lanista.games.outcome import Ending
from lanista.page import ladders, renewal, tables
from lanista.page.renewal import NoStandingsError
from lanista.page.tables import LadderSource, TableHelpers
from lanista.page.view import View
from lanista.results.data_folder import DataFolder
from lanista.results.match_result import Estimate
from lanista.results.names import BenchedName
from lanista.results.rating_history import RatingHistory
from match.playing import ANGRYMOB
from page.house import done, showing
from page.records import values
from results.samples import match, seat
from support.arenas import arena_options, arena_server, stored_ladder

SPEC = LadderSpec(name="pit", game="angrymob", house=(HouseBot(command="CamperJoe"),))
HOSTILE = "<b>'\"\u202e"


def results(number, winner, loser, *, crashed=False, seats=(0, 1), version=None):
    """Matches in which one bot beats the other, in both seats; in the second one it may crash.

    The winner may play with a version of a submitted program.
    """

    def result(place):
        fails = crashed and place == 1
        ending, words = (Ending.CRASH, f"exit code 1 {HOSTILE}") if fails else (Ending.NORMAL, "")
        both = seat(winner, 1, version=version), seat(loser, 2, ending, words=words)
        return match(
            0,
            *(both if place == 0 else both[::-1]),
            end="forfeit" if fails else "finished",
            digest=f"{number:08x}{place:08x}",
            record=f"2026-05-01/M{number}{place}.jsonl.gz",
            id=f"M{number}{place}",
            started="2100-01-01T00:00:00+00:00",
        )

    return [result(place) for place in seats]


def write_results(data, *groups, ladder="pit"):
    """Store groups of results, and empty files as their records."""
    folder = data / "records" / "2026-05-01"
    folder.mkdir(parents=True, exist_ok=True)
    matches = [one for group in groups for one in group]
    with stored_ladder(data, ladder) as store:
        store.add_matches(matches)
    for one in matches:
        (data / "records" / one.record).write_bytes(b"")


class Asked(TableHelpers):
    """Answers as the processes do, and counts the questions; or fails as the test says."""

    def __init__(self):
        self.questions = []
        self.error = None
        self.gate = None
        self.is_waiting = trio.Event()  # at the gate

    async def compute(self, function, *arguments):
        self.questions.append(function.__name__)
        if self.gate is not None:
            self.is_waiting.set()
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return await trio.to_thread.run_sync(function, *arguments)

    ask = compute


@asynccontextmanager
async def arena_with(data, *specs):
    """An arena with ladders, which doesn't listen."""
    options = arena_options(ANGRYMOB, data=data, ladders=specs or (SPEC,))
    with ExitStack() as stack:
        yield await arena_server(options, stack)


@asynccontextmanager
async def opened(data, *specs, ask=None, **how):
    """The page of such an arena."""
    async with arena_with(data, *specs) as arena:
        view = View(arena.running, arena=arena, ladders=(ask or Asked()).ladders_of(arena))
        async with showing(view, **how) as house:
            house.arena = arena
            house.nursery.start_soon(view.ladders.run)
            yield house


PLAYED = [
    *(results(number, "Ann", "Bob") for number in range(4)),
    *(results(number, "Bob", "Cem", crashed=number == 5) for number in range(4, 7)),
    *(results(number, "CamperJoe", "Cem") for number in range(7, 9)),
    results(9, "Cem", "CamperJoe", seats=(1,), version=2),
]


@pytest.fixture
async def pit(tmp_path):
    """The page of an arena with a ladder on which PLAYED was played."""
    write_results(tmp_path, *PLAYED)
    async with opened(tmp_path) as house:
        yield house


async def test_all_ladders_and_the_table_of_one(pit, tmp_path):
    """The best first; the house bot has no rank; the trend is since the snapshots before."""
    now = datetime.now(UTC)
    with stored_ladder(tmp_path) as store:
        history = RatingHistory(store)
        history.add(now - timedelta(days=8), {"Bob": Estimate(value=-1000.0, low=None, high=None)})
        history.add(now - timedelta(hours=25), {"Ann": Estimate(value=0.0, low=None, high=None)})
    (about,) = (await pit.get("/api/1/ladders")).json["ladders"]
    assert {
        "name": "pit",
        "game": "angrymob",
        "title": "Angry Mob",
        "client_state": "AngryMobState",
        "submissions": False,
        **dict.fromkeys(("waiting", "playing", "resting", "voids"), 0),
        "seats": 2,
        "matches": 19,
        "bots": 4,
        "problem": None,
        "computed": about["computed"],
        "seat_advantage": about["seat_advantage"],
    } == about
    table = (await pit.get("/api/1/ladders/pit")).json
    assert about == {key: table[key] for key in about}
    assert {} == table["rests"]
    rows = {row["bot"]: row for row in table["rows"]}
    assert ["Ann", "Bob", "CamperJoe", "Cem"] == sorted(rows)
    assert [(1, "Ann"), (2, "Bob")] == [(row["rank"], row["bot"]) for row in table["rows"][:2]]
    assert (None, True, 5) == values(rows["CamperJoe"], "rank", "house", "matches")
    assert (3, False, 11, 1) == values(rows["Cem"], "rank", "house", "matches", "failures")
    assert [None, None, None, 2] == [rows[bot]["version"] for bot in sorted(rows)]
    ratings = {bot: row["rating"]["value"] for bot, row in rows.items()}
    assert ratings["Ann"] > ratings["Bob"] > ratings["CamperJoe"]
    assert (ratings["Ann"], None) == (rows["Ann"]["day"], rows["Ann"]["week"])
    assert (None, ratings["Bob"] + 1000) == (rows["Bob"]["day"], rows["Bob"]["week"])
    lobby = (await pit.get("/api/1/lobby")).json["ladders"]
    assert [{**about, "rows": table["rows"]}] == lobby


async def test_one_bot_and_two_bots(pit, tmp_path):
    """By opponent, seat, version; the last matches and failures; those whose records are here."""
    (tmp_path / "records" / "2026-05-01" / "M91.jsonl.gz").unlink()
    cem = (await pit.get("/api/1/ladders/pit/bots/Cem")).json
    table = (await pit.get("/api/1/ladders/pit")).json
    assert [cem["row"]] == [row for row in table["rows"] if row["bot"] == "Cem"]
    assert ("pit", "Angry Mob", "Cem", None) == values(cem, "ladder", "title", "bot", "rest")
    assert [
        {"opponent": "Bob", "won": 0, "tied": 0, "lost": 6, "matches": 6},
        {"opponent": "CamperJoe", "won": 1, "tied": 0, "lost": 4, "matches": 5},
    ] == cem["opponents"]
    assert [(0, [0, 5], 1, 5), (1, [1, 5], 0, 6)] == [
        values(seat, "seat", "places", "failures", "matches") for seat in cem["by_seat"]
    ]
    assert {"crash": 1, "normal": 10} == cem["endings"]
    assert [None, "M81", "M80"] == [match["match"] for match in cem["recent"][:3]]
    assert 11 == len(cem["recent"])
    (failed,) = cem["failed"]
    assert ("M51", "forfeit", ["Cem", "Bob"], [2, 1], ["crash", "normal"]) == values(
        failed, "match", "end", "players", "ranks", "endings"
    )
    assert [f"exit code 1 {HOSTILE}", ""] == failed["words"]
    rating = cem["row"]["rating"]
    ((_, *estimate),) = cem["history"]
    assert [*values(rating, "value", "low", "high")] == estimate
    connected, second = cem["versions"]
    assert (2, 1, rating) == values(second, "version", "matches", "rating")
    only = {"match": None, "stored": cem["recent"][0]["stored"]}
    assert only == second["first"] == second["last"]
    assert (None, 10) == (connected["version"], connected["matches"])
    assert connected["rating"]["high"] < rating["high"]
    assert {"match": "M40", "stored": cem["recent"][10]["stored"]} == connected["first"]
    assert {"match": "M81", "stored": cem["recent"][1]["stored"]} == connected["last"]
    assert [] == (await pit.get("/api/1/ladders/pit/bots/Bob")).json["versions"]
    met = (await pit.get("/api/1/ladders/pit/bots/Bob/against/Cem")).json
    assert ("Bob", "Cem", 6, 0, 0) == values(met, "bot", "opponent", "won", "tied", "lost")
    assert ["Bob", "Cem"] == [row["bot"] for row in met["rows"]]
    assert ["M61", "M60", "M51"] == [match["match"] for match in met["recent"][:3]]
    met = (await pit.get("/api/1/ladders/pit/bots/Ann/against/Cem")).json
    assert (0, 0, 0, []) == values(met, "won", "tied", "lost", "recent")


ABSENT = (
    ("/api/1/ladders/Pit", 404, "there is no ladder 'Pit' here"),
    ("/api/1/ladders/Pit/bots/Ann/against/Bob", 404, "there is no ladder 'Pit' here"),
    ("/api/1/ladders/pit/bots/ann", 404, "there is no bot 'ann' in the table of the ladder"),
    ("/api/1/ladders/pit/bots/%3Cb%3E", 404, "there is no bot '<b>' in the table of"),
    ("/api/1/ladders/pit/bots/Ann/against/x", 404, "there is no bot 'x' in the table of"),
    # A browser would take these names for steps along the path.
    ("/api/1/ladders/pit/bots/@..", 404, "there is no bot '..' in the table of"),
    ("/api/1/ladders/pit/bots/Ann/against/%40.", 404, "there is no bot '.' in the table of"),
    ("/api/1/ladders/pit/bots/@...", 404, "there is no bot '@...' in the table of"),
    ("/api/1/ladders/pit/", 404, "there is nothing here"),
    ("/api/1/ladders/pit/submissions", 404, "no ladder of this arena takes programs"),
    ("/api/1/ladders?game=x", 400, "no parameter 'game' here"),
    ("/api/1/ladders/pit/bots/Ann?x=1", 400, "no parameter 'x' here"),
)


async def test_what_is_not_there_is_told(pit):
    for absent in ABSENT:
        await pit.refuses(*absent)


async def test_a_ladder_without_matches_and_an_arena_without_ladders(tmp_path):
    async with opened(tmp_path) as house:
        table = (await house.get("/api/1/ladders/pit")).json
        assert (0, 0, [], None) == values(table, "matches", "bots", "rows", "problem")
    async with showing(View(house.arena.running)) as house:
        assert {"ladders": []} == (await house.get("/api/1/ladders")).json
        assert 404 == (await house.get("/api/1/ladders/pit")).status


async def test_whoever_rests_is_told_with_the_reason(tmp_path):
    write_results(tmp_path, *PLAYED)
    async with opened(tmp_path, attrs.evolve(SPEC, bench_after=1)) as house:
        room = house.arena.ladders["pit"]
        for _ in range(5):
            room._ladder.fail("Cem", room.now)
        benched = [BenchedName(name=name, ladder=None) for name in ("ann", "camperjoe")]
        room.set_benched(benched)
        table = (await house.get("/api/1/ladders/pit")).json
        rest = table["rests"]["Cem"]
        assert "1 failed matches in a row" == rest["why"]
        left = datetime.fromisoformat(rest["until"]) - datetime.now(UTC)
        assert timedelta(minutes=20) < left < timedelta(hours=2)
        assert None is table["rests"]["CamperJoe"]["until"]
        # Whoever isn't there is told why no match comes, too.
        benched = {"until": None, "why": "the arena's operator has benched it"}
        assert benched == table["rests"]["Ann"]
        assert rest == (await house.get("/api/1/ladders/pit/bots/Cem")).json["rest"]


def test_a_window_leaves_out_who_has_not_played_in_it(tmp_path):
    """What is known already isn't computed again."""
    write_results(tmp_path, *PLAYED)
    source = LadderSource(
        name="pit",
        game="angrymob",
        house=["CamperJoe"],
        window=None,
        data=DataFolder(tmp_path),
        url=None,
    )
    state, whole = tables.ladder_table(source, None)
    assert {"CamperJoe", "Cem"} < whole.rows.keys()
    _, some = tables.ladder_table(attrs.evolve(source, window=3), None)
    assert ["CamperJoe", "Cem"] == sorted(some.rows)
    assert 3 == some.about["matches"]
    assert (state, None) == tables.ladder_table(source, state)


# -- when tables are computed --------------------------------------------------------------------


async def test_tables_are_computed_when_there_are_new_matches(
    tmp_path, autojump_clock, monkeypatch
):
    """They rest in between; what can't be computed leaves the last one there."""
    monkeypatch.setattr(renewal, "SHARE", 0)
    write_results(tmp_path, *PLAYED[:2])
    ask, told = Asked(), []
    async with arena_with(tmp_path) as arena:
        shown = ask.ladders_of(arena)
        shown.on_change = lambda: told.append(1)
        assert (None, []) == tuple(shown.summaries()[0][key] for key in ("computed", "rows"))
        await shown.refresh()
        await shown.refresh()
        assert (1, 1) == (len(ask.questions), len(told))
        assert 4 == shown.summaries()[0]["matches"]
        write_results(tmp_path, *PLAYED[2:4])
        await trio.sleep(ladders.Ladder.rest + 1)
        await shown.refresh()
        assert (8, 2) == (shown.summaries()[0]["matches"], len(told))
        ask.error = NoStandingsError("the results can't be read; the arena's log says why", "why")
        await trio.sleep(ladders.Ladder.rest + 1)
        await shown.refresh()
        table = json.loads(await shown.table_json("pit"))
        assert (8, str(ask.error)) == (table["matches"], table["problem"])
        ask.error = None
        await trio.sleep(ladders.Ladder.rest + 1)
        await shown.refresh()
        assert None is shown.summaries()[0]["problem"]


async def test_a_table_that_failed_after_a_long_wait_is_tried_again_soon(autojump_clock):
    """A lock on the database is gone long before four times the time that was waited for it."""
    outcomes = [NoStandingsError("the results can't be read", "locked")]

    async def compute(_):
        await trio.sleep(30)
        if outcomes:
            raise outcomes.pop()
        return "state", "table"

    table = ladders.Ladder("pit", compute, None, None, None)
    assert await table.renew()
    assert ladders.Ladder.rest == table.due - trio.current_time()
    await trio.sleep(ladders.Ladder.rest)
    assert await table.renew()
    assert (None, 30 * renewal.SHARE) == (table.problem, table.due - trio.current_time())


async def test_bots_are_paired_by_the_ratings_of_the_latest_table(tmp_path, monkeypatch):
    """A name that was struck has none any more."""
    monkeypatch.setattr(renewal, "SHARE", 0)
    monkeypatch.setattr(ladders.Ladder, "rest", 0.0)
    write_results(tmp_path, *PLAYED)
    async with arena_with(tmp_path) as arena:
        room = arena.ladders["pit"]
        shown = Asked().ladders_of(arena)
        await shown.refresh()
        ratings = room._ladder.ratings
        assert ratings["Ann"] > ratings["Bob"] > ratings["Cem"]
        room.results.store.strike("Ann")
        await shown.refresh()
        assert {"Bob", "Cem", "CamperJoe"} == room._ladder.ratings.keys()


async def test_answers_do_not_wait_for_a_newer_table(tmp_path, monkeypatch):
    """Nor does the rest of the page; only the first table is waited for."""
    monkeypatch.setattr(ladders, "EVERY", 0.01)
    write_results(tmp_path, *PLAYED)
    ask = Asked()
    async with opened(tmp_path, ask=ask) as house:
        before = (await house.get("/api/1/ladders/pit")).json
        ask.gate = trio.Event()
        house.server.view.ladders.ladders["pit"].due = 0
        try:
            await ask.is_waiting.wait()
            assert before == (await house.get("/api/1/ladders/pit")).json
            assert 200 == (await house.get("/healthz")).status
        finally:
            ask.gate.set()


async def test_the_round_trip_to_a_bot_is_that_of_its_last_matches(tmp_path, monkeypatch):
    """The median of the smoothed ones and the least, by the bot's seat, of the last three."""
    monkeypatch.setattr(tables, "MEASURED", 3)
    write_results(tmp_path, *(results(number, "Ann", "Bob") for number in range(3)))
    day = tmp_path / "records" / "2026-05-01"
    # By record, oldest first: microseconds of seat 0 and of seat 1; Ann has seat 0 in M*0.
    for name, ways in {
        "M00": [{"0": [9, 1]}],  # too long ago
        "M11": [{"0": [5, 5], "1": [4000, 800]}, {"1": [2000, 700]}, {"0": [6, 6]}],
        "M21": [{"1": [3000, 900]}],
    }.items():
        lines = [{"turn": n, "round_trips": way} for n, way in enumerate(ways)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (day / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    (day / "M20.jsonl.gz").write_bytes(b"\x1f\x8bdamaged")
    async with opened(tmp_path) as house:
        path = "/api/1/ladders/pit/bots"
        ann = (await house.get(f"{path}/Ann")).json
        assert {"smoothed": 3000, "least": 700} == ann["round_trip"]
        bob = (await house.get(f"{path}/Bob")).json
        assert {"smoothed": 5, "least": 5} == bob["round_trip"]
    (day / "M11.jsonl.gz").unlink()
    (day / "M21.jsonl.gz").unlink()
    async with opened(tmp_path) as house:
        assert None is (await house.get(f"{path}/Ann")).json["round_trip"]


async def test_answers_about_a_bot_are_sent_again(tmp_path, monkeypatch):
    """For some seconds, so that many viewers cost as much as one; only some are kept."""
    write_results(tmp_path, *PLAYED)
    monkeypatch.setattr(ladders, "ANSWERS", 1)
    ask = Asked()
    async with opened(tmp_path, ask=ask) as house:
        first = (await house.get("/api/1/ladders/pit/bots/Ann")).body
        assert first == (await house.get("/api/1/ladders/pit/bots/Ann")).body
        assert ["ladder_table", "bot_of"] == ask.questions
        await house.get("/api/1/ladders/pit/bots/Ann/against/Bob")
        assert first == (await house.get("/api/1/ladders/pit/bots/Ann")).body
        assert ["ladder_table", "bot_of", "pair_of", "bot_of"] == ask.questions
        house.server.view.ladders._answers.clear()
        ask.error = NoStandingsError("the results can't be read")
        answer = await house.get("/api/1/ladders/pit/bots/Ann")
        assert (503, {"error": "the results can't be read"}) == (answer.status, answer.json)


async def test_viewers_are_told_of_a_newer_table(tmp_path, monkeypatch):
    monkeypatch.setattr(renewal, "SHARE", 0)
    monkeypatch.setattr(ladders.Ladder, "rest", 0.0)
    monkeypatch.setattr(ladders, "EVERY", 0.01)
    write_results(tmp_path, *PLAYED[:1])
    async with opened(tmp_path) as house:
        viewer = await house.page()
        assert done(await viewer.ask("lobby"))
        await viewer.told("lobby", lambda told: told["ladders"][0]["matches"] == 2)
        write_results(tmp_path, *PLAYED[1:2])
        told = await viewer.told("lobby", lambda told: told["ladders"][0]["matches"] == 4)
        assert ["Ann", "Bob"] == [row["bot"] for row in told["ladders"][0]["rows"]]
