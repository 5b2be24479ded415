"""What the page has for the operator alone: names, refused connections, house bots for rooms."""

import pytest
import structlog

from lanista.arena import arena, tokens
from lanista.arena.decisions import add_name
from lanista.page import view as module
from page.house import done
from page.house import opened as serving
from page.records import values
from page.test_ladders import opened, results, write_results
from support.arenas import stored_ladder
from support.waiting import until

OPERATOR = "Authorization: Bearer sesame"


async def test_names_come_in_pages(tmp_path, monkeypatch):
    """In alphabetical order, with when they were registered and seen; never with their tokens."""
    monkeypatch.setattr(tokens, "LOG_N", 1)
    monkeypatch.setattr(module, "NAMES", 2)
    async with opened(tmp_path, token="sesame") as house:
        for name in ("cem", "Ann", "Bob"):
            add_name(house.arena.names.store, name)
        first = (await house.get("/api/1/names", OPERATOR)).json
        assert (["Ann", "Bob"], "Bob") == ([one["name"] for one in first["names"]], first["next"])
        second = (await house.get("/api/1/names?after=Bob", OPERATOR)).json
        (cem,) = second["names"]
        assert None is second["next"]
        assert ("cem", "operator", None) == values(cem, "name", "registrar", "seen")
        assert {"name", "registrar", "registered", "seen", "benched"} == set(cem)


async def test_names_are_changed_from_the_page(tmp_path, monkeypatch):
    """A new token is told once; benching, striking and their opposites reach the database."""
    monkeypatch.setattr(tokens, "LOG_N", 1)
    write_results(tmp_path, results(0, "Ann", "Bob"))
    async with opened(tmp_path, token="sesame") as house:
        store = house.arena.names.store
        page = await house.page()
        await page.ask("token", token="sesame")
        for do in ("add-name", "reset-name"):
            answer = await page.ask(do, name="Ann")
            assert ("new-token", "Ann") == (answer["type"], answer["name"])
            assert tokens.matches(answer["token"], store.find("Ann").token_hash)
        for ladder in ("pit", None):
            assert done(await page.ask("bench", name="ann", ladder=ladder))
        (ann,) = (await house.get("/api/1/names", OPERATOR)).json["names"]
        assert [None] == ann["benched"]
        assert done(await page.ask("unbench", name="Ann"))
        assert [] == store.benched()
        with stored_ladder(tmp_path) as ladder, ladder.ladder_reading() as now:
            assert {} == now.struck_until()
        assert done(await page.ask("strike", name="ANN", ladder="pit"))
        with stored_ladder(tmp_path) as ladder, ladder.ladder_reading() as now:
            assert ["Ann"] == list(now.struck_until())
        assert done(await page.ask("unstrike", name="Ann", ladder="pit"))
        assert done(await page.ask("remove-name", name="Ann"))
        assert store.find("Ann") is None


@pytest.mark.parametrize(
    ("do", "fields", "words"),
    [
        ("add-name", {"name": "a/b"}, "'a/b' can't be a name on a ladder; use 1 to 32 of"),
        ("add-name", {"name": "camperjoe"}, "'camperjoe' is the name of a house bot of the ladder"),
        ("bench", {"name": "Eve", "ladder": "pot"}, "there is no ladder 'pot'; known: pit"),
        ("strike", {"name": "Eve"}, "strike is for one ladder; name it"),
    ],
)
async def test_a_decision_that_makes_no_sense_is_refused(tmp_path, do, fields, words):
    async with opened(tmp_path) as house:
        page = await house.page()
        assert (await page.ask(do, **fields))["words"].startswith(words)


async def test_refused_connections_come_with_their_reasons(tmp_path):
    """The newest first."""
    async with serving(tmp_path, token="sesame") as house:
        for hello in ("Ann v=1 seat=9", "<b> v=2"):
            await (await house.bot(hello)).rest()
        newest, oldest = (await house.get("/api/1/refusals", OPERATOR)).json["refusals"]
        assert ("bad-hello", "unknown-version") == (oldest["code"], newest["code"])
        assert oldest["peer"].startswith("127.0.0.1:")
        assert "seat" in oldest["words"]


async def test_others_are_told_nothing(tmp_path):
    async with serving(tmp_path, token="sesame") as house:
        for path in ("/api/1/names", "/api/1/refusals"):
            await house.refuses(path, 403, "this is for the operator")
            assert 403 == (await house.get(path, "Authorization: Bearer x")).status


async def test_a_house_bot_is_seated_in_a_room(house):
    """It connects as any other bot does, and plays there."""
    page = await house.page()
    await page.ask("lobby")
    assert done(await page.ask("house", game="angrymob", bot="CamperJoe", room="r"))
    told = await page.told("lobby", lambda told: told["rooms"])
    (room,) = told["rooms"]
    assert ("r", ["CamperJoe"]) == (room["room"], [bot["name"] for bot in room["bots"]])
    ann = await house.bot("Ann v=1 room=r")
    assert {"player 0 CamperJoe", "player 1 CamperJoe"} & set(await ann.until("go"))
    await ann.stream.aclose()


async def test_a_house_bot_that_fails_is_logged_with_its_last_line(house, monkeypatch):
    words = ("sh", "-c", "echo first; echo no such library; exit 3")
    monkeypatch.setattr(arena, "bot_command", lambda _, bot: (bot, words))
    page = await house.page()
    with structlog.testing.capture_logs() as logged:
        assert done(await page.ask("house", game="angrymob", bot="CamperJoe", room="r"))
        left = "a house bot has left"
        await until(lambda: left in [line["event"] for line in logged])
    (line,) = [line for line in logged if line["event"] == left]
    assert "its process exited with code 3: no such library" == line["how"]


async def test_what_no_house_bot_is_seated_for(house, monkeypatch):
    monkeypatch.setattr(arena, "MAX_GUESTS", 0)
    page = await house.page()
    asked = {"game": "angrymob", "bot": "CamperJoe", "room": "r"}
    for how, words in [
        ({"bot": "Nobody"}, "Angry Mob has no house bot 'Nobody'; it has: "),
        ({"game": "chess"}, "chess"),
        ({"room": ""}, "room is ''; it is 1 to 64 of A-Z a-z 0-9 . _ -"),
        ({"room": "a b"}, "room is 'a b'"),
        ({"room": None}, "room is None; it should be text"),
        ({}, "already 0 house bots"),
    ]:
        assert words in (await page.ask("house", **asked | how))["words"]
