"""Frames over the page's WebSocket, and viewers that don't read (docs/api.md, "WebSocket")."""

import base64
import contextlib
import json
import multiprocessing
import shutil
import zlib
from pathlib import Path

import pytest
import trio

from lanista.hosting.control import RunningMatches
from lanista.match.replay import verify
from lanista.page import connections
from lanista.page import viewer as module
from lanista.page.replay_worker import INTERRUPTED
from lanista.page.view import View
from match.playing import ANGRYMOB
from page.house import done, one_match, opened, play, record_of, running_match, settled, showing
from page.records import AWAY, BACK, values
from page.test_connections import LARGE, UPGRADE, WANTS_LOBBY, crowd
from support.waiting import until

pytestmark = pytest.mark.usefixtures("quick")


async def test_who_comes_late_sees_all_frames(house):
    """And then each as it is played; the seed is told with the end, not before."""
    early, late = await house.page(), await house.page()
    said = []

    async def ask(page, do, **fields):
        answer = await page.ask(do, match=match, **fields)
        said.append((house.arena.running.matches.get(match) is not None, answer))
        return answer

    ann, bob, match = await house.pair()
    head = await ask(early, "open")
    assert ("head", match) == values(head, "type", "match")
    assert ["Ann", "Bob"] == [player["name"] for player in head["players"]]
    for turn in range(23):
        if turn:
            await ann.until("go")
            await bob.until("go")
        await play((ann, [BACK if turn % 2 else AWAY]), (bob, [""]))
        answer = await ask(early, "frames", **{"from": turn + 1, "known": True})
        assert turn + 1 == answer["from"]
    await ask(late, "open")
    answer = await ask(late, "frames", **{"from": 0})
    assert (0, 24, False) == values(answer, "from", "count", "over")
    assert list(range(24)) == [frame["n"] for frame in answer["frames"]]
    # The newest there is, from the last whole one on.
    answer = await ask(late, "frames", **{"from": -1})
    assert [20, 21, 22, 23] == [frame["n"] for frame in answer["frames"]]
    # Frame 24 isn't there: asked for by both, and told when it is.
    await late.say(do="frames", id="next", match=match, **{"from": 24, "known": True})
    await early.say(do="frames", id="next", match=match, **{"from": 24})
    for bot in (ann, bob):
        await bot.until("go")
    await play((ann, [""]), (bob, ["9 9 9 9"]), leave=True)
    assert [24] == [frame["n"] for frame in (await late.answer("next"))["frames"]]
    frames = (await early.answer("next"))["frames"]
    assert [20, 21, 22, 23, 24] == [frame["n"] for frame in frames]
    assert frames[-1]["play"]["faults"][0]["code"] in {"illegal", "malformed"}
    end = await late.frames(match, 25)
    assert ("end", match, 25, None) == values(end, "type", "match", "count", "trouble")
    assert "forfeit" == end["result"]["end"]
    record = await record_of(house, match)
    assert str(record.header.seed) == end["seed"]
    assert 27 == len(said)  # 23 frames one by one, 2 heads, 2 more answers
    assert not any(str(record.header.seed) in json.dumps(answer) for _, answer in said)
    assert all(running for running, _ in said)


async def test_many_frames_come_compressed_to_whoever_wants_that(house, monkeypatch):
    """They are those that others get; few frames, as of a running match, come as they are."""
    _, _, match, page = await house.watched()
    asks = {"match": match, "from": 0}
    plain = await page.ask("frames", **asks)
    assert plain["frames"] == (await page.ask("frames", **asks, packed=True))["frames"]
    monkeypatch.setattr(module, "WORTH_PACKING", 1)
    packed = await page.ask("frames", **asks, packed=True)
    assert "frames" not in packed
    assert plain["frames"] == json.loads(zlib.decompress(base64.b64decode(packed["packed"])))
    for odd in ({"packed": "yes"}, {"known": "yes"}, {"known": True}, {"from": -2}):
        assert "error" == (await page.ask("frames", **asks | odd))["type"]


async def test_viewers_share_frames_until_the_last_has_left(house):
    """By word or by leaving; asking twice is looking once."""
    _, _, match = await house.pair()
    pages = [await house.page() for _ in range(3)]
    for page in pages:
        await page.ask("open", match=match)
    await pages[0].ask("open", match=match)
    for number in (1, 2):  # both at once
        await pages[1].say(do="open", id=f"again {number}", match=match)
    for number in (1, 2):
        assert "head" == (await pages[1].answer(f"again {number}"))["type"]
    (frame_file,) = house.server.view.frame_cache._files.values()
    assert 3 == frame_file.viewers
    assert [frame_file.file] == list(house.server.view.frame_cache.folder.iterdir())
    assert done(await pages[0].ask("close", match=match))
    assert 2 == frame_file.viewers
    await pages[1].socket.aclose()
    await pages[2].socket.aclose()
    await until(lambda: len(house.server.viewers) == 1)
    assert 0 == frame_file.viewers


async def test_closing_gives_up_what_waits(house, tmp_path):
    """`frames` that aren't there, and an `open` whose record has no header yet.

    What is there is sent meanwhile.
    """
    _, _, match, page = await house.watched()
    await page.say(do="frames", id="later", match=match, **{"from": 7})
    for number in 0, -1:
        assert 1 == len((await page.frames(match, number))["frames"])
    assert done(await page.ask("close", match=match))
    assert done(await page.answer("later"))
    running_matches = house.arena.running
    empty = tmp_path / "empty.jsonl.gz.part"
    empty.touch()
    running_matches.matches["empty"] = running_match("empty", empty)
    await page.say(do="open", id="head", match="empty")
    files = house.server.view.frame_cache._files
    await until(lambda: any(frame_file.source == empty for frame_file in files.values()))
    assert done(await page.ask("close", match="empty"))
    assert done(await page.answer("head"))
    del running_matches.matches["empty"]


async def test_so_many_questions_may_be_open_at_once(house):
    """More are refused; what needs no waiting is answered all the same."""
    _, _, match, page = await house.watched()
    for number in range(70):
        await page.say(do="frames", id=f"q{number}", match=match, **{"from": 7})
    for number in range(64, 70):
        answer = await page.answer(f"q{number}")
        assert "64 questions are open already; wait for answers" == answer["words"]
    assert "64 questions" in (await page.ask("open", match=match))["words"]
    assert done(await page.ask("pause", match=match))
    # Each frame wakes up one of them, or those of hundreds of viewers would hold up the matches.
    (frame_file,) = house.server.view.frame_cache._files.values()
    assert 1 == frame_file._changed.statistics().tasks_waiting
    assert done(await page.ask("close", match=match))
    for number in range(64):
        assert done(await page.answer(f"q{number}"))
    assert "head" == (await page.ask("open", match=match))["type"]


async def test_viewers_share_the_tasks_that_answer_questions(house, monkeypatch):
    """Others wait for theirs: with very many tasks garbage collection would hold up the matches."""
    monkeypatch.setattr(module, "MAX_TASKS", 5)
    ann, bob, match, page = await house.watched()
    await house.page()
    for frame in 1, 7:
        for number in range(6):
            await page.say(do="frames", id=f"q{number}", match=match, **{"from": frame})
        await until(lambda: any(len(viewer._queue) == 4 for viewer in house.server.viewers))
        assert {0, 2} == {viewer._tasks for viewer in house.server.viewers}
        if frame == 1:
            await play((ann, [AWAY]), (bob, [""]))
        else:
            assert done(await page.ask("close", match=match))
        answers = [await page.answer(f"q{number}") for number in range(6)]
        assert {"frames" if frame == 1 else "done"} == {answer["type"] for answer in answers}


async def test_when_the_end_is_told_there_is_a_record(house):
    """Though its bots, which have heard the end, still linger."""
    ann, bob, match, page = await house.watched()
    await play((ann, [AWAY]), (bob, ["9 9 9 9"]))
    assert "end" == (await page.frames(match, 2))["type"]
    assert 200 == (await house.get(f"/api/1/matches/{match}/record")).status


# -- viewers that don't read ---------------------------------------------------------------------


@contextlib.asynccontextmanager
async def stuck(house, monkeypatch):
    """A viewer that asks for the lobby and reads nothing, until its connection can hold no more."""
    monkeypatch.setattr(View, "lobby", lambda _: LARGE)
    # The second one is there when the first one's answer can't be sent.
    async with crowd(house, 1, UPGRADE + 2 * WANTS_LOBBY):
        await until(lambda: house.server.viewers)
        (viewer,) = house.server.viewers
        await until(viewer.connection.send_lock.locked)
        yield viewer


async def test_no_match_waits_for_a_viewer_that_does_not_read(house, monkeypatch):
    monkeypatch.setattr(connections, "TAKING_TIME", 600.0)
    async with stuck(house, monkeypatch) as viewer:
        match = await one_match(house)
        assert 2 == verify(await record_of(house, match), ANGRYMOB)
        assert viewer in house.server.viewers


@pytest.mark.long
async def test_no_shutdown_waits_for_a_viewer_that_does_not_read(tmp_path, monkeypatch):
    """Within what a bot has to leave, though the viewer has TAKING_TIME."""
    async with opened(tmp_path) as house, stuck(house, monkeypatch):
        await house.pair()
        before = trio.current_time()
        house.arena.shut_down()
        await house.over.wait()
        house.nursery.cancel_scope.cancel()
        after = trio.current_time()
    assert after - before < 3
    assert trio.current_time() - after < 2


async def test_a_viewer_opens_so_many_matches(house, monkeypatch):
    """Closing one makes room."""
    monkeypatch.setattr("lanista.page.viewer.MAX_OPEN", 1)
    first, second = [await one_match(house) for _ in range(2)]
    for match in (first, second):
        await record_of(house, match)
    page = await house.page()
    assert "head" == (await page.ask("open", match=first))["type"]
    answer = await page.ask("open", match=second)
    assert "1 matches are open already; close one" == answer["words"]
    assert done(await page.ask("close", match=first))
    assert "head" == (await page.ask("open", match=second))["type"]


async def test_the_replay_worker_is_started_when_a_page_connects():
    """Once, and no sooner: a request alone comes from a crawler, too."""
    before = set(multiprocessing.active_children())
    view = View(RunningMatches())
    async with showing(view, is_replayed_here=False) as house:
        assert 200 == (await house.get("/")).status
        assert before == set(multiprocessing.active_children())
        for _ in range(2):
            await house.page()
        await until(lambda: len(set(multiprocessing.active_children()) - before) == 1)
    assert before == set(multiprocessing.active_children())


async def test_frames_that_are_interrupted_are_made_again_when_the_match_is_opened(house):
    """The replay worker may be killed; test_frame_cache.py has what the cache says then. A running
    match isn't over by that: a page that were told its end would ask for nothing more.
    """
    ann, bob, match, page = await house.watched()
    await page.say(do="frames", match=match, id="next", **{"from": 1, "known": True})
    (frame_file,) = house.server.view.frame_cache._files.values()
    await until(lambda: frame_file.count and frame_file._changed.statistics().tasks_waiting)
    frame_file.fail(INTERRUPTED)
    answer = await page.answer("next")
    assert ("error", INTERRUPTED) == (answer["type"], answer["words"])
    await page.ask("open", match=match)
    assert 0 == frame_file.viewers
    await play((ann, [AWAY, BACK]), (bob, ["", "9 9 9 9"]), leave=True)
    answer = await page.frames(match, 1, known=True)
    assert ("frames", 1) == (answer["type"], answer["from"])
    await settled(house, match)
    (frame_file,) = house.server.view.frame_cache._files.values()
    frame_file._end = None
    frame_file.fail(INTERRUPTED)
    answer = await page.frames(match, 1000)
    assert ("end", INTERRUPTED) == (answer["type"], answer["trouble"])


async def test_frames_of_a_running_match_that_are_interrupted_while_they_wait_end_nothing(
    house, monkeypatch
):
    """An answer waits for its turn among other viewers, and the replay worker may die meanwhile."""
    _, _, match, page = await house.watched()
    (frame_file,) = house.server.view.frame_cache._files.values()

    async def interrupted(_):
        frame_file.fail(INTERRUPTED)

    monkeypatch.setattr(module.Viewer, "_wait_turn", interrupted)
    answer = await page.frames(match, 0)
    assert ("frames", False) == (answer["type"], answer["over"])


async def test_frames_that_a_clean_up_removed_are_made_again(house):
    """The whole folder of frames is removed while the match is still running."""
    ann, bob, match, page = await house.watched()
    assert 0 == (await page.frames(match, 0))["from"]
    shutil.rmtree(house.server.view.frame_cache.folder)
    words = "can't read the frames: No such file or directory; open the match again"
    answer = await page.frames(match, 0)
    assert ("error", words) == (answer["type"], answer["words"])
    await page.ask("open", match=match)
    await play((ann, [AWAY]), (bob, [AWAY]))
    assert 1 == (await page.frames(match, 1, known=True))["from"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
async def test_a_match_without_a_frame_has_no_end(house):
    """No frame can be written, as the disk is full."""
    match = await one_match(house)
    await settled(house, match)
    (house.server.view.frame_cache.folder / "1").symlink_to("/dev/full")
    page = await house.page()
    assert "head" == (await page.ask("open", match=match))["type"]
    words = "can't write the frames: No space left on device; open the match again"
    answer = await page.frames(match, 0)
    assert ("error", words) == (answer["type"], answer["words"])
