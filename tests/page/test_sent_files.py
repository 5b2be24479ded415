"""Files that a viewer sends to have them shown (docs/api.md, `file`)."""

import gzip
import threading

import pytest
import trio

from lanista.page import replay_reader
from lanista.page import requests as module
from page.house import PATIENCE, done, one_match
from page.records import wandering
from support.traces import unpacked_trace
from support.waiting import until

RES = unpacked_trace("crematoria/02_Null-Null-Null-Null_s1.res.gz")
"""A match file of an original program."""


async def send(page, data, *, name="x.res", size=None, piece=512 * 1024):
    """Send a file; what is answered."""
    size = len(data) if size is None else size
    await page.say(do="file", id="file", name=name, size=size)
    for at in range(0, len(data), piece):
        await page.socket.send(data[at : at + piece])
    return await page.answer("file")


async def answer_to(page, head):
    """The type of what is answered to whoever asks for a file's frames."""
    return (await page.frames(head["match"], 0))["type"]


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return wandering(tmp_path_factory.mktemp("record"), 3)


async def test_a_file_that_is_sent_is_shown(lone, record):
    """A record, packed or not, or a match file; in pieces. Only this connection has its frames."""
    page, other = await lone.page(), await lone.page()
    packed = record.read_bytes()
    seen = []
    for data, name, source in [
        (packed, "a.jsonl.gz", "record"),
        (gzip.decompress(packed), "../../a b.jsonl", "record"),
        (RES, "x.res", "res"),
        (packed, "", "record"),
        (packed, "." * 300, "record"),
    ]:
        head = await send(page, data, name=name, piece=len(data) // 3)
        assert ("head", source) == (head["type"], head["source"])
        match = head["match"]
        frames = await page.frames(match, 0)
        assert 0 == frames["frames"][0]["n"]
        answer = await other.frames(match, 0)
        assert "isn't open" in answer["words"]
        seen.append(match)
    assert 5 == len(set(seen))
    folder = lone.server.view.sent_frames.folder
    assert 5 == len(list(folder.glob("upload-*/*")))
    assert all(path.resolve().is_relative_to(folder) for path in folder.rglob("*"))
    assert done(await page.ask("close", match=seen[0]))
    await until(lambda: len(list(folder.glob("upload-*"))) == 4)
    await page.socket.aclose()
    await until(lambda: not list(folder.glob("upload-*")))


async def test_a_file_holds_up_no_match(house, monkeypatch):
    """Another process makes the frames of matches, however long it takes to read a sent file."""
    read, begun, go_on = replay_reader.shown_of, trio.Event(), threading.Event()
    loop = trio.lowlevel.current_trio_token()

    def read_slowly(*arguments):
        loop.run_sync_soon(begun.set)
        go_on.wait()
        return read(*arguments)

    monkeypatch.setattr(replay_reader, "shown_of", read_slowly)
    page, other = await house.page(), await house.page()
    match = await one_match(house)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(send, page, RES)
        try:
            with trio.fail_after(PATIENCE / 2):
                await begun.wait()
                assert "head" == (await other.ask("open", match=match))["type"]
                assert "frames" == (await other.frames(match, 0))["type"]
        finally:
            go_on.set()


async def test_a_file_that_cannot_be_taken_is_told(lone, record, monkeypatch):
    """Nothing of it is kept, and the connection goes on."""
    monkeypatch.setattr(module, "MAX_FILE", 10_000)
    page = await lone.page()
    folder = lone.server.view.sent_frames.folder
    await page.say(do="file", id="file", name="x", size=10_001)
    words = (await page.answer("file"))["words"]
    assert "a file of 10001 bytes; from 1 to 10000 can be shown" == words
    words = (await send(page, b"abcdef", size=5))["words"]
    assert "the file is longer than the 5 bytes announced" == words
    await page.say(do="file", id="file", name="x", size=5)
    await page.socket.send(b"abc")
    await page.say(do="lobby", id="between")
    assert "bytes of the file are binary messages" == (await page.answer("file"))["words"]
    words = (await send(page, b"hello\n", name="my.res"))["words"]
    assert words.startswith("my.res: line 1: not a file of an original game")
    words = (await send(page, record.read_bytes()[:40], name="x.gz"))["words"]
    assert words.startswith("x.gz: damaged gzip data")
    await until(lambda: not list(folder.glob("upload-*")))
    assert "head" == (await send(page, record.read_bytes()))["type"]


async def test_no_room_for_a_file_is_told(lone, record, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    page = await lone.page()
    monkeypatch.setattr(module.tempfile, "mkdtemp", full)
    await page.say(do="file", id="file", name="x", size=5)
    assert "no room for the file: No space left on device" == (await page.answer("file"))["words"]


async def test_who_leaves_while_sending_leaves_nothing(lone, record):
    page = await lone.page()
    await page.say(do="file", id="file", name="x", size=500)
    await page.socket.send(b"abc")
    folder = lone.server.view.sent_frames.folder
    await until(lambda: list(folder.glob("upload-*/*")))
    await page.socket.aclose()
    await until(lambda: not list(folder.glob("upload-*")))


async def test_what_is_announced_takes_no_room(lone, record, monkeypatch):
    """However many announce however much: a newcomer's file is shown."""
    data = record.read_bytes()
    monkeypatch.setattr(module, "MAX_FILES", 2 * len(data))
    for _ in range(4):
        announces = await lone.page()
        await announces.say(do="file", id=1, name="x", size=module.MAX_FILE)
        await announces.socket.send(b"x")
    assert "head" == (await send(await lone.page(), data))["type"]


async def test_all_files_together_have_a_limit_and_the_oldest_goes(lone, record, monkeypatch):
    """What is closed makes room, and where there is none, the oldest: it has to be sent
    again, as its page does by itself.
    """
    data = record.read_bytes()
    monkeypatch.setattr(module, "MAX_FILES", 2 * len(data))
    page, other = await lone.page(), await lone.page()
    first, second = await send(page, data), await send(other, data)
    assert done(await page.ask("close", match=first["match"]))
    third = await send(page, data)
    assert "frames" == await answer_to(other, second)
    assert "head" == (await send(page, data))["type"]
    assert "error" == await answer_to(other, second)  # it isn't open any more
    assert "frames" == await answer_to(page, third)


async def test_who_has_sent_the_most_gives_up_the_room(lone, record, monkeypatch):
    """By address: one that sends much keeps out no other, nor takes the place of a small one."""
    data = record.read_bytes()
    monkeypatch.setattr(module, "MAX_FILES", 3 * len(data))
    small, greedy = await lone.page(), await lone.page()
    shown = await send(small, data)
    (viewer,) = [one for one in lone.server.viewers if one.uploads]
    viewer.peer.address = "192.0.2.1"
    sent = [await send(greedy, data) for _ in range(3)]
    assert "frames" == await answer_to(small, shown)
    assert ["error", "frames", "frames"] == [await answer_to(greedy, head) for head in sent]


async def test_a_file_that_gives_up_its_room_while_it_is_sent_is_told(lone, record, monkeypatch):
    data = record.read_bytes()
    monkeypatch.setattr(module, "MAX_FILES", len(data))
    page, other = await lone.page(), await lone.page()
    await page.say(do="file", id=1, name="x", size=len(data))
    await page.socket.send(data[:-1])
    await until(lambda: any(u.size for v in lone.server.viewers for u in v.uploads.values()))
    assert "head" == (await send(other, data))["type"]
    await page.socket.send(data[-1:])
    words = (await page.answer(1))["words"]
    assert "others' files needed the room; send the file again" == words


async def test_a_file_whose_bytes_do_not_come_is_given_up(lone, record, monkeypatch):
    """After SILENCE; bytes that come, though slowly, are waited for."""
    monkeypatch.setattr(module, "SILENCE", 0.2)
    data = record.read_bytes()
    page = await lone.page()
    await page.say(do="file", id=1, name="x", size=len(data))
    await page.socket.send(data[:-1])
    words = (await page.answer(1))["words"]
    assert "no byte of the file came for 0.2 s; send it again" == words
    monkeypatch.setattr(module, "SILENCE", 30)
    assert "head" == (await send(page, data))["type"]
