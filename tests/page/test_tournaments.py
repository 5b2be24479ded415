"""Tournaments on the page: the API's answers, when results are looked at, `serve --tournament`."""

import functools
import json
import os
import signal
import sys
from pathlib import Path

import pytest
import trio
from structlog.testing import capture_logs

from e2e.running import Program, command, run_here
from lanista.cli.web import shown_tournaments
from lanista.competition.setup import load
from lanista.errors import BadInputError, SpecError
from lanista.games.outcome import Ending
from lanista.helper_processes import HelperProcess
from lanista.hosting.control import RunningMatches
from lanista.page import server as server_module
from lanista.page.renewal import NoStandingsError
from lanista.page.tables import TableHelpers
from lanista.page.tournaments import FIRST, Tournament, Tournaments, TournamentTable
from lanista.page.view import View
from lanista.ratings.text import as_json
from lanista.results.database import Store
from lanista.results.match_result import BlockResult
from page.house import done, showing
from page.records import values
from ratings.samples import FOUR, TWO, row, standings
from results.samples import match, seat

TWO_JSON, FOUR_JSON = as_json(TWO), as_json(FOUR)
MANY = as_json(standings([row(rank, f"bot {rank}") for rank in range(1, FIRST + 3)]))
SPEC = """\
name = "{name}"
game = "angrymob"
format = "round-robin"
seeds = [1, 2, 3]
bots = [{{ name = "Ann", command = "CamperJoe" }}, {{ name = "Bob", command = "GravityGoers" }}]
"""


class Results:
    """What a look finds: what the test says. `at` is the time of the last one."""

    def __init__(self, found):
        self.found = found
        self.count = 0

    async def __call__(self, _known):
        self.count += 1
        if isinstance(self.found, Exception):
            raise self.found
        return str(self.count), None if self.found is None else TournamentTable.of(self.found)


def tournaments_of(tables):
    """Tournaments whose matches nobody asks for, given what computes their tables."""
    nowhere = Path("/nowhere")
    return [Tournament(name, table, nowhere, None) for name, table in tables.items()]


def page(**tables):
    """The page of an arena in which nothing is played, with these tournaments."""
    return showing(View(RunningMatches(), tournaments=Tournaments(tournaments_of(tables))))


def write_spec(folder, name="cup", file="cup.toml", extra=""):
    path = folder / file
    path.write_text(SPEC.format(name=name) + extra, encoding="utf-8")
    return path


def store_blocks(path, seeds, ending=Ending.NORMAL, *, names=None):
    """Store a block of each seed, as a run in another process does: its first bot wins.

    `names`: whose block it is; all bots', unless they are given.
    """
    setup = load(path)
    names = names or setup.bots

    def block(opening):
        matches = tuple(
            match(
                number,
                *(seat(name, 1 + (name != names[0]), ending) for name in bots),
                seed=opening.seed,
                map=opening.map,
                record=None,
            )
            for number, bots in enumerate((names, names[::-1]))
        )
        return BlockResult(block=setup.block_id(names, opening), bots=names, matches=matches)

    with Store.open(setup.database) as store:
        store.add([block(setup.opening(seed)) for seed in seeds])


# -- what is told --------------------------------------------------------------------------------


async def test_all_one_and_the_lobby():
    """The standings are those of docs/statistics.md; the lobby has the first rows of each."""
    async with page(cup=Results(TWO_JSON), four=Results(FOUR_JSON), many=Results(MANY)) as house:
        answer = await house.get("/api/1/tournaments")
        cup, four, many = answer.json["tournaments"]
        assert {"cup": TWO_JSON, "four": FOUR_JSON, "many": MANY} == {
            one["name"]: one["standings"] for one in (cup, four, many)
        }
        assert ("Angry Mob", "Hogwarts") == (cup["title"], four["title"])
        assert (3, 2, FIRST + 2) == (cup["bots"], four["bots"], many["bots"])
        assert {None} == {one["problem"] for one in (cup, four, many)}
        assert cup == (await house.get("/api/1/tournaments/cup")).json
        lobby = (await house.get("/api/1/lobby")).json["tournaments"]
        long = {"head_to_head", "seat_advantage", "rounds"}
        shorter = {key: value for key, value in MANY.items() if key not in long}
        shorter["standings"] = MANY["standings"][:FIRST]
        assert {**many, "standings": shorter} == lobby[2]


async def test_any_name_can_be_asked_for():
    """What it holds is no path of ours."""
    names = ("a b", "a/b", "../matches", "<b>", "é\u202e", "%2F", "?x=1")
    async with page(**dict.fromkeys(names, Results(TWO_JSON))) as house:
        for name in names:
            quoted = "".join(f"%{byte:02X}" for byte in name.encode())
            answer = await house.get(f"/api/1/tournaments/{quoted}")
            assert (200, name) == (answer.status, answer.json["name"])


ABSENT = (
    ("/api/1/tournaments/Cup", 404, "there is no tournament 'Cup' here"),
    ("/api/1/tournaments/cup/rows", 404, "there is no tournament 'cup/rows' here"),
    ("/api/1/tournaments/%00%ff", 404, "there is no tournament"),
    ("/api/1/tournaments?game=x", 400, "no parameter 'game' here"),
)


async def test_what_is_not_there_is_told():
    async with page(cup=Results(TWO_JSON)) as house:
        for absent in ABSENT:
            await house.refuses(*absent)


async def test_a_problem_is_told_in_its_words_and_why_to_the_log():
    """Of one tournament: the others' standings are there. The log hears it once."""
    bad = Results(NoStandingsError("no results yet", "/home/x/cup.db: not there"))
    with capture_logs() as logs:
        async with page(bad=bad, cup=Results(TWO_JSON)) as house:
            house.server.view.tournaments.shown[0].due = 0  # asked again at once
            found = (await house.get("/api/1/tournaments")).json["tournaments"]
            house.server.view.tournaments.shown[0].due = 0
            again = (await house.get("/api/1/tournaments/bad")).json
    assert 2 == bad.count
    empty = dict.fromkeys(("title", "computed", "bots", "standings"))
    assert {"name": "bad", "problem": "no results yet", **empty} == found[0] == again
    assert TWO_JSON == found[1]["standings"]
    (line,) = [line for line in logs if line["event"] == "no standings of a tournament"]
    assert ("bad", "/home/x/cup.db: not there") == (line["tournament"], line["why"])


@pytest.fixture
def in_threads(monkeypatch):
    """Tables are computed by a thread; to start the process for them takes longer than a test."""

    async def call(_helper, function, *arguments):
        return await trio.to_thread.run_sync(function, *arguments)

    monkeypatch.setattr(HelperProcess, "call", call)


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("/secret"), {**TWO_JSON, "blocks": float("nan")}]
)
@pytest.mark.usefixtures("in_threads")
async def test_a_fault_ends_nothing(fault):
    """Neither one of who computes nor figures that JSON has no word for."""

    def compute(_known):
        if isinstance(fault, Exception):
            raise fault
        return "1", TournamentTable.of(fault)

    bad = functools.partial(TableHelpers().compute, compute)
    with capture_logs() as logs:
        async with page(bad=bad, cup=Results(TWO_JSON)) as house:
            bad, cup = (await house.get("/api/1/tournaments")).json["tournaments"]
            assert 200 == (await house.get("/healthz")).status
    assert "the standings can't be computed now; the arena's log says why" == bad["problem"]
    assert TWO_JSON == cup["standings"]
    (line,) = [line for line in logs if line["event"] == "no standings of a tournament"]
    assert "Traceback" in line["why"]


# -- when results are looked at ------------------------------------------------------------------


async def test_results_are_looked_at_once_in_a_while(mock_clock):
    """However many ask; nothing is told as long as nothing changes."""
    results, told = Results(TWO_JSON), []
    tournaments = Tournaments(tournaments_of({"cup": results}), on_change=lambda: told.append(1))
    assert [None] == [one["standings"] for one in tournaments.summaries()]
    before = await tournaments.one_json("cup")
    mock_clock.jump(Tournament.rest - 0.1)
    await tournaments.refresh()
    assert (1, 1) == (results.count, len(told))
    mock_clock.jump(0.2)
    results.found = None  # nothing changed
    assert before == await tournaments.one_json("cup")
    mock_clock.jump(Tournament.rest + 0.1)
    results.found = dict(TWO_JSON)  # read anew, and the same
    assert before == await tournaments.one_json("cup")
    assert (3, 1) == (results.count, len(told))
    mock_clock.jump(Tournament.rest + 0.1)
    results.found = {**TWO_JSON, "blocks": 19}
    assert 19 == json.loads(await tournaments.one_json("cup"))["standings"]["blocks"]
    assert (4, 2) == (results.count, len(told))


async def test_the_page_goes_on_while_results_are_looked_at():
    """The lobby is told as it is; who asks waits for the one look that all share."""
    ready, begun = trio.Event(), trio.Event()

    async def slow(known):
        begun.set()
        await ready.wait()
        return await results(known)

    results = Results(TWO_JSON)
    async with page(slow=slow) as house:
        answers = []

        async def ask():
            answers.append((await house.get("/api/1/tournaments/slow")).json)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            nursery.start_soon(ask)
            await begun.wait()
            assert 200 == (await house.get("/healthz")).status
            (summary,) = (await house.get("/api/1/lobby")).json["tournaments"]
            assert (None, None) == (summary["standings"], summary["problem"])
            assert [] == answers
            ready.set()
    assert 1 == results.count
    assert [TWO_JSON, TWO_JSON] == [answer["standings"] for answer in answers]


async def test_who_looks_is_told_what_changes(monkeypatch):
    """And while nobody does, nothing is looked at."""
    monkeypatch.setattr(Tournament, "rest", 0.0)
    monkeypatch.setattr(server_module, "TOURNAMENTS_EVERY", 0.01)
    results = Results(NoStandingsError("no results yet"))
    async with page(cup=results) as house:
        assert 200 == (await house.get("/api/1/games")).status
        assert 0 == results.count
        looker = await house.page()
        assert done(await looker.ask("lobby"))
        await looker.told("lobby", lambda told: told["tournaments"][0]["problem"])
        results.found = TWO_JSON
        told = await looker.told("lobby", lambda told: told["tournaments"][0]["standings"])
        (cup,) = told["tournaments"]
        assert (18, None) == (cup["standings"]["blocks"], cup["problem"])


# -- the command line ----------------------------------------------------------------------------


@pytest.fixture
async def shown(nursery):
    """Returns what computes the table of a tournament's spec; the processes are running."""
    kept = []

    def shown(path):
        kept.append(shown_tournaments([path]))
        nursery.start_soon(kept[-1].run)
        (tournament,) = kept[-1].tournaments.shown
        return tournament.compute

    yield shown
    nursery.cancel_scope.cancel()


@pytest.mark.usefixtures("in_threads")
async def test_the_standings_are_those_of_the_database(tmp_path, shown):
    """Also what another process writes later, and what is added to the spec; else nothing new."""
    path = write_spec(tmp_path)
    look = shown(path)
    store_blocks(path, [0])
    state, table = await look(None)
    found = json.loads(table.whole)
    assert ("cup", 1, 3, 2, False) == values(found, "name", "blocks", "planned", "matches", "over")
    assert [("Ann", 2), ("Bob", 0)] == [(row["bot"], row["points"]) for row in found["standings"]]
    assert (state, None) == await look(state)
    store_blocks(path, [1, 2])
    state, table = await look(state)
    assert (3, True) == (table.first["blocks"], table.first["over"])
    assert (state, None) == await look(state)
    path.write_text(path.read_text().replace("[1, 2, 3]", "[1, 2, 3, 4, 5]"))
    _, table = await look(state)
    found = table.first
    assert (3, 5, False) == (found["blocks"], found["planned"], found["over"])


@pytest.mark.usefixtures("in_threads")
async def test_what_fails_is_told_without_paths(tmp_path, shown):
    """They are for the log."""
    path = write_spec(tmp_path)
    look = shown(path)
    (tmp_path / "cup.db").write_bytes(b"no database" * 100)
    with pytest.raises(NoStandingsError) as refused:
        await look(None)
    assert "the results can't be read; the arena's log says why" == str(refused.value)
    assert str(tmp_path / "cup.db") in refused.value.why
    path.write_text("name = ")
    with pytest.raises(NoStandingsError) as refused:
        await look(None)
    assert "cup.toml can't be used as it is now; the arena's log says why" == str(refused.value)
    assert str(path) in refused.value.why


async def test_the_process_may_end(tmp_path, shown):
    """It is told, and the next look starts it anew."""
    path = write_spec(tmp_path)
    look = shown(path)
    with pytest.raises(NoStandingsError) as refused:
        await look(None)
    assert "no results yet: run lanista tournament run cup.toml" == str(refused.value)
    store_blocks(path, [0])
    with pytest.raises(NoStandingsError) as refused:
        await look.func(os._exit, 9)
    assert "the standings can't be computed now; the arena's log says why" == str(refused.value)
    assert "the process ended (9)" in refused.value.why
    assert 1 == (await look(None))[1].first["blocks"]


def test_two_of_one_name_are_refused(tmp_path):
    paths = [write_spec(tmp_path, "Cup", f"{number}.toml") for number in (1, 2)]
    with pytest.raises(BadInputError) as refused:
        shown_tournaments(paths)
    assert (
        f"--tournament: {paths[0]} and {paths[1]} are both called 'Cup'; "
        "show one of them, or give one another name"
    ) == str(refused.value)


def test_a_spec_that_cannot_be_used_is_refused_at_the_start(tmp_path):
    write_spec(tmp_path, file="bad.toml", extra="rounds = 0\n")
    ended = run_here(["serve", "--tournament", "bad.toml"], tmp_path)
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n")), ended.err
    assert "lanista: bad.toml: rounds: 0" in ended.err
    # Where it would have written its data, only what the test has captured lies there.
    assert {"bad.toml", "stdout", "stderr"} == {path.name for path in tmp_path.iterdir()}


def test_a_file_in_a_folder_that_is_nested_too_deeply_is_refused(tmp_path):
    (tmp_path / "deep.toml").write_text("format = " + "[" * 5000)
    with pytest.raises(SpecError, match=r"deep\.toml: not valid TOML: maximum recursion"):
        shown_tournaments([tmp_path])


def test_without_a_tournament_its_libraries_are_not_loaded(tmp_path):
    """They take long to load. The database's library is needed for the list of matches."""
    words = [sys.executable, "-X", "importtime", *command("serve", "--port", 0)[1:]]
    program = Program([*words, "--web", "127.0.0.1:0"], tmp_path)
    try:
        program.until(
            lambda: 2 == program.out.count("\n"), "the arena says where it and its page is"
        )
        program.signal(signal.SIGTERM)
        program.wait()
        imported = program.err
    finally:
        program.end()
    assert "lanista.page.tournaments" in imported
    for heavy in ("numpy", "lanista.competition", "lanista.ratings"):
        assert f" {heavy}\n" not in imported
