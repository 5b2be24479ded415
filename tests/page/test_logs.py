"""Who sees what bots log: nobody while their match runs, unless the page is the operator's own, or
lets all see it (docs/api.md, "Frames").
"""

import json

import pytest
import trio
import trio.testing

from lanista.hosting.control import RunningMatches
from lanista.page.view import View
from page.house import done, opened, play, running_match
from page.records import AWAY, BACK
from page.test_sent_files import RES, send

pytestmark = pytest.mark.usefixtures("quick")

ELSEWHERE = {"host": "0.0.0.0", "token": "sesame"}
PLAN = "# I go east"


@pytest.fixture
async def elsewhere(tmp_path):
    """An arena whose page others may look at."""
    async with opened(tmp_path, **ELSEWHERE) as house:
        yield house


async def begun(house):
    """A match in whose first turn Ann logs her plan; its bots and id."""
    ann, bob, match = await house.pair()
    await play((ann, [f"{PLAN}\n{AWAY}"]), (bob, [""]))
    return ann, bob, match


async def end(ann, bob):
    for bot in (ann, bob):
        await bot.until("go")
    await play((ann, [BACK]), (bob, ["9 9 9 9"]), leave=True)


def logs(answer):
    """The logs of frames, by number."""
    return {
        frame["n"]: frame["play"]["logs"]
        for frame in answer["frames"]
        if "logs" in frame.get("play", {})
    }


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ({}, True),
        ({"token": "sesame"}, False),  # others come through a proxy
        (ELSEWHERE, False),
        ({**ELSEWHERE, "open_logs": True}, True),
    ],
)
async def test_who_sees_logs_while_a_match_runs(tmp_path, where, told):
    """On the operator's own page, or where he opens them; all else of a turn is told anyway."""
    async with opened(tmp_path, **where) as house:
        page = await house.page()
        _, _, match = await begun(house)
        assert told is (await page.ask("open", match=match))["logs"]
        answer = await page.frames(match, 1)
        assert ({1: logs(answer)[1]} if told else {}) == logs(answer)
        assert told is (PLAN in json.dumps(answer))
        assert AWAY in answer["frames"][1]["play"]["raw"]


async def test_who_watched_gets_the_logs_at_the_end(elsewhere):
    """`open` with `logs` waits for the end; then the same frames tell them."""
    page, other = await elsewhere.page(), await elsewhere.page()
    ann, bob, match = await begun(elsewhere)
    for one in (page, other):
        await one.ask("open", match=match)
    before = await page.frames(match, 1)
    await page.say(do="open", id="logs", match=match, logs=True)
    await other.say(do="frames", id="end", match=match, **{"from": 3})
    await end(ann, bob)
    head = await page.answer("logs")
    assert ("head", False, True) == (head["type"], head["live"], head["logs"])
    after = await page.frames(match, 1)
    assert {1: {"0": f"{PLAN}\n"}} == logs(after) or {1: {"1": f"{PLAN}\n"}} == logs(after)
    for frame in after["frames"]:
        frame.get("play", {}).pop("logs", None)
    assert before["frames"] == after["frames"][:2]
    # The other viewer has all frames, and opens the same ones then.
    assert "end" == (await other.answer("end"))["type"]
    assert (await other.ask("open", match=match))["logs"]
    assert logs(await other.frames(match, 1))
    assert done(await other.ask("close", match=match))
    late = await elsewhere.page()
    assert (await late.ask("open", match=match))["logs"]
    # Those with and those without logs, whoever opens them.
    assert 2 == len(elsewhere.server.view.frame_cache._by_number)


@pytest.mark.parametrize("is_open", [True, False])
async def test_closing_gives_up_waiting_for_logs(elsewhere, is_open):
    page = await elsewhere.page()
    _, _, match = await begun(elsewhere)
    if is_open:
        await page.ask("open", match=match)
    await page.say(do="open", id="logs", match=match, logs=True)
    assert done(await page.ask("close", match=match))
    assert done(await page.answer("logs"))


async def test_nobody_waits_for_the_logs_of_no_match(elsewhere):
    """There will never be any logs of such a match; a file that was sent has all of its own."""
    page = await elsewhere.page()
    told = await page.ask("open", match="none", logs=True)
    assert ("error", "there is no match 'none' here") == (told["type"], told["words"])
    sent = await send(page, RES)
    assert (await page.ask("open", match=sent["match"], logs=True))["logs"]


async def test_a_void_matchs_logs_are_told_when_nobody_plays_it_again(tmp_path, autojump_clock):
    """They would tell what comes: it is played again with the same seed."""
    running_matches = RunningMatches()
    view = View(running_matches)
    part = tmp_path / "m.jsonl.gz.part"
    part.touch()
    shown = trio.Event()

    async def wait():
        await view.until_shown("m")
        shown.set()

    async with trio.open_nursery() as nursery:
        running_matches.begin(running_match("m", part))
        nursery.start_soon(wait)
        running_matches.end("m", None)
        await trio.sleep(10)
        running_matches.changes.tell()
        await trio.sleep(10)
        assert not shown.is_set()
        running_matches.end("m", part)
        await shown.wait()
