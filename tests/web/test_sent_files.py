"""Files that a viewer sends to have them shown (docs/api.md, `file`)."""

import gzip
from pathlib import Path

import pytest

from lanista.daemon.stage import Stage
from lanista.web import viewer as module
from lanista.web.view import View
from web.house import done, showing, until
from web.records import wandering

TRACE = Path(__file__).parents[1] / "traces/crematoria/02_Null-Null-Null-Null_s1.res.gz"


async def send(page, data, *, name="x.res", size=None, piece=512 * 1024):
    """Send a file; what is answered."""
    size = len(data) if size is None else size
    await page.say(do="file", id="file", name=name, size=size)
    for at in range(0, len(data), piece):
        await page.socket.send(data[at : at + piece])
    return await page.answer("file")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return wandering(tmp_path_factory.mktemp("record"), 3)


async def test_a_file_that_is_sent_is_shown(record):
    """A record, packed or not, or a match file; in pieces. The film is this connection's alone."""
    async with showing(View(Stage())) as house:
        page, other = await house.page(), await house.page()
        packed = record.read_bytes()
        res = gzip.decompress(TRACE.read_bytes())
        seen = []
        for data, name, source in [
            (packed, "a.jsonl.gz", "record"),
            (gzip.decompress(packed), "../../a b.jsonl", "record"),
            (res, "x.res", "res"),
            (packed, "", "record"),
            (packed, "." * 300, "record"),
        ]:
            head = await send(page, data, name=name, piece=len(data) // 3)
            assert ("head", source) == (head["type"], head["source"])
            match = head["match"]
            frames = await page.ask("frames", match=match, **{"from": 0})
            assert 0 == frames["frames"][0]["n"]
            answer = await other.ask("frames", match=match, **{"from": 0})
            assert "isn't open" in answer["words"]
            seen.append(match)
        assert 5 == len(set(seen))
        folder = house.server.view.films.folder
        assert 5 == len(list(folder.glob("upload-*/*")))
        assert all(path.resolve().is_relative_to(folder) for path in folder.rglob("*"))
        assert done(await page.ask("close", match=seen[0]))
        assert 4 == len(list(folder.glob("upload-*")))
        await page.socket.aclose()
        while len(house.server.viewers) > 1:
            await house.server._left.wait()
        assert [] == list(folder.glob("upload-*"))


async def test_a_file_that_cannot_be_taken_is_told(record, monkeypatch):
    """Nothing of it is kept, and the connection goes on."""
    monkeypatch.setattr(module, "MAX_FILE", 10_000)
    async with showing(View(Stage())) as house:
        page = await house.page()
        folder = house.server.view.films.folder
        await page.say(do="file", id="file", name="x", size=10_001)
        words = (await page.answer("file"))["words"]
        assert "a file of 10001 bytes; from 1 to 10000 can be shown" == words
        assert (
            "the file is longer than the 5 bytes announced"
            == (await send(page, b"abcdef", size=5))["words"]
        )
        await page.say(do="file", id="file", name="x", size=5)
        await page.socket.send(b"abc")
        await page.say(do="lobby", id="between")
        assert "bytes of the file are binary messages" == (await page.answer("file"))["words"]
        words = (await send(page, b"hello\n", name="my.res"))["words"]
        assert words.startswith("my.res: line 1: no file of an original game")
        words = (await send(page, record.read_bytes()[:40], name="x.gz"))["words"]
        assert words.startswith("x.gz: damaged gzip data")
        assert [] == list(folder.glob("upload-*"))
        assert "head" == (await send(page, record.read_bytes()))["type"]


async def test_no_room_for_a_file_is_told(record, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    async with showing(View(Stage())) as house:
        page = await house.page()
        monkeypatch.setattr(module.tempfile, "mkdtemp", full)
        await page.say(do="file", id="file", name="x", size=5)
        assert (
            "no room for the file: No space left on device" == (await page.answer("file"))["words"]
        )


async def test_who_leaves_while_sending_leaves_nothing(record):
    async with showing(View(Stage())) as house:
        page = await house.page()
        await page.say(do="file", id="file", name="x", size=500)
        await page.socket.send(b"abc")
        folder = house.server.view.films.folder
        await until(lambda: list(folder.glob("upload-*/*")))
        await page.socket.aclose()
        while house.server.viewers:
            await house.server._left.wait()
        assert [] == list(folder.glob("upload-*"))


async def test_all_files_together_have_a_limit(record, monkeypatch):
    """Whoever sent them; what is closed, or came in only half, makes room again."""
    data = record.read_bytes()
    monkeypatch.setattr(module, "MAX_FILES", 2 * len(data))
    async with showing(View(Stage())) as house:
        page, other = await house.page(), await house.page()
        first = await send(page, data)
        assert "head" == first["type"]
        assert "head" == (await send(other, data))["type"]
        await page.say(do="file", id=9, name="x", size=len(data))
        assert "too many files are shown" in (await page.answer(9))["words"]
        assert done(await page.ask("close", match=first["match"]))
        assert "head" == (await send(page, data))["type"]
        await other.socket.aclose()
        while len(house.server.viewers) > 1:
            await house.server._left.wait()
        assert len(data) == house.server.view.uploaded
