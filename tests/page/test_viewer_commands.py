"""Commands over the page's WebSocket (docs/api.md, "WebSocket")."""

import pytest
import trio

from lanista.hosting.control import RunningMatches
from lanista.match.replay import verify
from lanista.match.runner import Match
from lanista.page.view import View
from match.playing import ANGRYMOB
from page.house import done, opened, play, record_of, showing
from page.records import AWAY, values

pytestmark = pytest.mark.usefixtures("quick")


KICKED = "error shutdown the operator closed this connection"


async def test_start_and_mode(house):
    """Manual: nothing begins by itself; `start` begins what is ready in one room."""
    page = await house.page()
    await page.ask("lobby")
    assert done(await page.ask("mode", manual=True))
    await page.told("lobby", lambda told: told["manual"])
    first = [await house.bot(f"{name} v=1 room=x") for name in ("Ann", "Bob")]
    second = [await house.bot(f"{name} v=1") for name in ("Cem", "Dil")]
    await page.told("lobby", lambda told: [True] * 2 == [r["ready"] for r in told["rooms"]])
    for where in ({"room": "y"}, {"game": "hogwarts"}, {"room": "x", "game": "chess"}):
        answer = await page.ask("start", **{"game": "angrymob", "room": None, **where})
        assert "no match is ready there" == answer["words"]
    assert done(await page.ask("start", game="angrymob", room="x"))
    for bot in first:
        await bot.until("go")
    told = await page.told("lobby", lambda told: told["running"])
    assert [None] == [room["room"] for room in told["rooms"]]
    assert ["x"] == [match["room"] for match in told["running"]]
    assert "no match is ready" in (await page.ask("start", game="angrymob", room="x"))["words"]
    assert done(await page.ask("mode", manual=False))  # what is ready begins
    for bot in second:
        await bot.until("go")


async def test_pause_step_and_resume(house):
    """A match is held between two turns; a step is a turn."""
    page = await house.page()
    ann, bob, match = await house.pair()
    assert done(await page.ask("pause", match=match))
    await play((ann, [AWAY]), (bob, [""]))
    await page.ask("open", match=match)
    assert 1 == (await page.frames(match, 1))["frames"][-1]["n"]
    with trio.move_on_after(0.1) as scope:  # time in which nothing may come
        await ann.until("go")
    assert scope.cancelled_caught
    for turn in (1, 2):
        assert done(await page.ask("step", match=match))
        assert f"turn {turn}" in await ann.until("go")
        await bob.until("go")
        await play((ann, [""]), (bob, [""]))
    assert done(await page.ask("resume", match=match))
    await ann.until("go")


async def test_cancel_ends_a_match_as_aborted(house):
    """Here one that is held. Its bots are told why, its record is whole."""
    page = await house.page()
    ann, bob, match = await house.pair()
    await page.ask("pause", match=match)
    await play((ann, [AWAY]), (bob, [""]))
    assert done(await page.ask("cancel", match=match))
    for bot in (ann, bob):
        assert ["error shutdown the operator ended this match"] == await bot.rest()
    record = await record_of(house, match)
    assert ("aborted", "interrupted") == (record.result.end, record.result.reason)
    assert 1 == verify(record, ANGRYMOB)
    assert "is running" in (await page.ask("cancel", match=match))["words"]


async def test_a_kicked_bot_is_taken_by_no_match(tmp_path):
    """Whatever comes in the same moment."""
    async with opened(tmp_path, manual=True) as house:
        bots = [await house.bot(f"{name} v=1") for name in ("Ann", "Bob")]
        for bot in bots:
            while (await bot.until("wait"))[-1] != "wait 2 2":
                pass
        arena = house.arena
        assert arena.connections.kick(1)
        assert not arena.matches.start(("angrymob", None))
        arena.matches.set_manual(False)
        assert KICKED == (await bots[0].rest())[-1]
        assert "wait 1 2" == (await bots[1].until("wait"))[-1]
        await house.bot("Cem v=1")
        await bots[1].until("go")


async def test_a_bot_that_would_stay_is_kicked_though_its_match_ends(tmp_path, monkeypatch):
    """The last turn had been played before the word came: it plays no other match."""
    send_end = Match._send_end

    async def kick_and_send_end(match):
        assert house.arena.connections.kick(number)
        await send_end(match)

    monkeypatch.setattr(Match, "_send_end", kick_and_send_end)
    async with opened(tmp_path, settings={"move_limit": 1}) as house:
        page = await house.page()
        ann, bob, match = await house.pair(options="keep=1")
        running = house.arena.running.matches[match]
        (number,) = [bot for bot, name in running.bots if name == "Ann"]
        await ann.say("")
        await bob.say("")
        heard = await ann.rest()
        assert "end finished" in heard
        assert KICKED == heard[-1]
        await ann.stream.aclose()
        assert "wait 1 2" in await bob.until("wait")
        assert "any more" in (await page.ask("kick", bot=number))["words"]


async def test_the_page_of_one_match_has_no_lobby_to_command():
    """`lanista play --watch`."""
    async with showing(View(RunningMatches(), match="01M")) as house:
        page = await house.page(hello=False)
        hello = await page.told("hello")
        assert ("play", "01M", True) == values(hello, "mode", "match", "operator")
        for do in ("start", "mode", "kick"):
            answer = await page.ask(do)
            assert f"{do} is for an arena; this is the page of one match" == answer["words"]
        await page.ask("lobby")
        told = await page.told("lobby")
        assert ([], False) == (told["rooms"], told["manual"])
