"""The cache of frames and the replay worker: frames are kept, shared, forgotten, made again.

The process is real, the records are small. The frames themselves are tested in
test_replay_reader and test_frames.
"""

import json
import multiprocessing
import os
import signal
import sys
import tracemalloc
import zlib
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
import trio.testing

from e2e.running import runs
from lanista.helper_processes import HelperProcess
from lanista.page import frame_cache as module
from lanista.page.frame_cache import AT_WORK, CHUNK_FRAMES, FrameCache, FrameFile, NoFramesError
from lanista.page.frames import encode
from lanista.page.replay_reader import read_frames
from lanista.page.replay_worker import ReplayWorker, Report, packed
from page.records import unpacked, wandering

PATIENCE = 120
TURNS = 125
"""An answer full of frames, and some."""


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return wandering(tmp_path_factory.mktemp("record"), TURNS)


@pytest.fixture(scope="module")
def parts(record):
    """Its head, frames and end, as they should be."""
    return [json.loads(encode(part)) for part in read_frames(record)]


async def pid_of(cache):
    """The replay worker's process."""
    return await cache._helper.call(os.getpid)


@asynccontextmanager
async def showing(**options):
    """A running cache, for at most PATIENCE seconds."""
    cache = FrameCache(**options)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(cache.run)
            yield cache
            nursery.cancel_scope.cancel()


@pytest.fixture
async def cache():
    async with showing() as cache:
        yield cache


def children():
    """The processes that this one has started."""
    return {child.pid for child in multiprocessing.active_children()}


async def removed(cache, files):
    """Wait until only these files are there: the replay worker removes the forgotten ones."""
    while files != set(cache.folder.iterdir()):  # noqa: ASYNC110 - nobody tells
        await trio.sleep(0.01)


def read(bytes_of_frames):
    return json.loads(b"[%b]" % bytes_of_frames)


async def test_a_finished_record_promises_its_frames_before_they_are_made(record, tmp_path):
    """One that was cut off, or still grows, promises none; what is made in the end counts."""
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(unpacked(record)[:10]))
    for path, live, promised in [(record, False, TURNS + 1), (record, True, 0), (cut, False, 0)]:
        worker = ReplayWorker(tmp_path)
        worker.open(1, path, live=live, logs=None)
        reports = worker.work([1])
        assert (promised, 1) == (reports[0].expected, len(reports[0].frames))
        worker.close(1)
    file = FrameFile(1, "m1", record, tmp_path / "1")
    assert file.total is None
    file.update(Report(job=1, head=packed({}), expected=5))
    file.update(Report(job=1, frames=[3, 3]))
    assert (5, 2) == (file.total, file.count)
    file.update(Report(job=1, end=packed({})))
    assert 2 == file.total


async def test_the_cache_has_what_read_frames_gives(cache, record, parts, monkeypatch):
    """Frames begin with a whole one, or where the reader is; at most so many come at once, and
    always the one that was asked for.
    """
    head, *frames, end = parts
    frame_file = cache.acquire("m1", record, live=False)
    assert head == await frame_file.wait_head()
    assert await over(frame_file)
    assert (TURNS + 1, end, None) == (frame_file.count, frame_file.end, frame_file.failed)
    for place, known, first in [
        (0, False, 0),
        (19, False, 0),
        (20, False, 20),
        (39, False, 20),
        (21, True, 21),
        (100, True, 100),
        (TURNS, False, 120),
        (TURNS, True, TURNS),
    ]:
        begins, data = frame_file.chunk(place, known=known)
        assert first == begins
        assert frames[first : first + CHUNK_FRAMES] == read(data)
    # Where so many bytes are too many, an answer ends with what was asked for.
    monkeypatch.setattr(module, "CHUNK_BYTES", 1)
    for place, known, first in [(45, False, 40), (59, False, 40), (7, True, 7)]:
        begins, data = frame_file.chunk(place, known=known)
        assert first == begins
        assert frames[first : place + 1] == read(data)


async def test_who_opens_many_files_delays_mostly_others_of_their_address(cache, record):
    """A few files of each address are worked on in turn, beside those of other addresses."""
    many = [cache.acquire(f"m{n}", record, live=False, address="many") for n in range(3 * AT_WORK)]
    one = cache.acquire("one", record, live=False, address="one")
    assert await over(one)
    assert AT_WORK >= sum(file.count > 0 for file in many)
    assert not many[0].over
    for file in many:
        assert await over(file)
    assert {(TURNS + 1, None)} == {(file.count, file.failed) for file in many}


def test_a_match_that_nobody_looks_at_takes_little_memory():
    """The cache keeps hundreds of files, each with the map of its match."""
    owners = [[row, col, 0] for row in range(40) for col in range(40)]
    head = {"type": "head", "scene": {"owners": owners}}
    files = [FrameFile(number, str(number), Path("record"), Path("frames")) for number in range(20)]
    tracemalloc.start()
    try:
        for file in files:
            file.update(Report(job=1, head=packed(json.loads(encode(head)))))
        assert tracemalloc.get_traced_memory()[0] / len(files) < 10_000  # 156,000 as objects
    finally:
        tracemalloc.stop()


async def over(frame_file):
    """Wait for the end of frames that aren't live."""
    await frame_file.wait_frame(10**9)
    return frame_file.over


def takes_too_much(*_):
    """Do work for which there is no memory left."""
    raise MemoryError


# -- what can't be shown -------------------------------------------------------------------------


async def test_a_file_that_is_no_record_fails_with_words(cache, tmp_path, record):
    """Others go on; who asks again gets another try."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"{}\n")
    for _ in range(2):
        failing = cache.acquire("bad", bad, live=False)
        with pytest.raises(NoFramesError, match=r"bad\.jsonl: line 1: not the header"):
            await failing.wait_head()
        cache.release(failing)
    gone = cache.acquire("gone", tmp_path / "gone", live=True)
    with pytest.raises(NoFramesError, match="can't read gone: No such file"):
        await gone.wait_head()
    good = cache.acquire("m1", record, live=False)
    await good.wait_frame(TURNS)
    assert TURNS + 1 == good.count


async def test_frames_end_when_their_match_does_though_no_result_was_written(
    cache, tmp_path, record
):
    """As on a full disk: what the record has is all, and nobody waits for more."""
    part = tmp_path / "m1.jsonl.gz.part"
    part.write_bytes(b"".join(unpacked(record)[:4]))
    frame_file = cache.acquire("m1", part, live=True)
    await frame_file.wait_frame(3)
    assert (4, False) == (frame_file.count, frame_file.over)
    cache.finish("m1")
    assert await over(frame_file)
    assert (4, None, None) == (frame_file.count, frame_file.end["result"], frame_file.failed)
    cache.finish("m1")  # over already
    cache.finish("unknown")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
async def test_no_room_for_frames_is_reported(cache, record):
    """In place of its file there is a full disk."""
    (cache.folder / "1").symlink_to("/dev/full")
    frame_file = cache.acquire("m1", record, live=False)
    assert "m1" == (await frame_file.wait_head())["match"]
    await frame_file.wait_frame(0)
    assert 0 == frame_file.count
    words = "can't write the frames: No space left on device; open the match again"
    assert words == frame_file.failed


def test_a_replay_that_gets_too_long_ends_with_a_message(tmp_path, record, monkeypatch):
    """What is made till then can be seen."""
    monkeypatch.setattr("lanista.page.replay_worker.MAX_FRAMES_SIZE", 2000)
    (tmp_path / "frames").mkdir()
    worker = ReplayWorker(tmp_path / "frames")
    worker.open(1, record, live=False, logs=None)
    reports = []
    while not reports or reports[-1].end is None:
        reports += worker.work([1])
    sizes = [size for report in reports for size in report.frames]
    assert 1 < len(sizes) < TURNS
    assert sum(sizes) == (tmp_path / "frames/1").stat().st_size > 2000 >= sum(sizes[:-1])
    end = json.loads(zlib.decompress(reports[-1].end))
    assert "the replay stops here: the match is too long to be shown" == end["trouble"]


@pytest.mark.parametrize("part", ["replay_reader.judge", "frames.FrameWriter.frame"])
def test_a_record_for_which_there_is_no_memory_now_is_to_be_opened_later(
    tmp_path, record, monkeypatch, part
):
    """It may be a small one, beside others' long ones, which are gone later."""
    worker = ReplayWorker(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(f"lanista.page.{part}", takes_too_much)
        worker.open(1, record, live=False, logs=None)
        reports = []
        while not reports or reports[-1].failed is None:
            reports += worker.work([1])
    words = "there is too little memory to show it now; open it again later"
    assert f"{record.name}: {words}" == reports[-1].failed
    worker.open(2, record, live=False, logs=None)
    assert worker.work([2])[0].frames


def test_jobs_that_are_over_hold_no_memory(tmp_path, record):
    """Not even in the interpreter's lists of freed objects, which would grow for hours."""
    worker = ReplayWorker(tmp_path)

    def blocks_after(numbers):
        for number in numbers:
            worker.open(number, record, live=False, logs=None)
            while not worker.work([number])[-1].end:
                pass
            worker.close(number)
        return sys.getallocatedblocks()

    before = blocks_after(range(5))
    assert blocks_after(range(5, 15)) < before + 100


# -- the process ---------------------------------------------------------------------------------


async def test_when_the_worker_is_killed_another_takes_over(tmp_path, record):
    """Unfinished frames fail with a message; finished ones stay; new ones work."""
    growing = tmp_path / "m2.jsonl.part"
    growing.write_bytes(b"".join(unpacked(record)[:3]))
    async with showing() as cache:
        whole = cache.acquire("m1", record, live=False)
        assert await over(whole)
        live = cache.acquire("m2", growing, live=True)
        await live.wait_frame(2)
        worker = await pid_of(cache)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(live.wait_frame, 3)  # who waits is told
            os.kill(worker, signal.SIGKILL)
        assert "the replay was interrupted; open the match again" == live.failed
        assert (None, True) == (whole.failed, whole.over)
        again = cache.acquire("m2", growing, live=True)
        assert again is not live
        await again.wait_frame(2)
        assert (3, None) == (again.count, again.failed)
        files = {whole.file, live.file, again.file}
        assert files == set(cache.folder.iterdir())
        cache.release(live)  # the other has its place: nobody will ask for this one
        await removed(cache, files - {live.file})
        cache.release(again)
        cache.release(whole)
        other = await pid_of(cache)
    assert worker != other
    assert not runs(worker)
    assert not runs(other)
    assert not cache.folder.exists()


@pytest.mark.parametrize(
    "refusal",
    [
        BlockingIOError(11, "Resource temporarily unavailable"),
        RuntimeError("can't start new thread"),
    ],
)
async def test_a_worker_that_cannot_start_fails_whoever_needs_it(
    cache, record, monkeypatch, autojump_clock, refusal
):
    """One that the system has no room for; it is tried again when another match is opened."""
    calls = []

    async def call(helper, function, folder, orders, jobs):
        calls.append(jobs)
        raise refusal

    monkeypatch.setattr(HelperProcess, "call", call)
    cache.warm_up()
    await trio.sleep(5)
    assert [[]] == calls
    for number in (1, 2):
        frame_file = cache.acquire("m1", record, live=False)
        await trio.sleep(5)
        assert module.INTERRUPTED == frame_file.failed
        assert [number] == calls[number]
    assert 3 == len(calls)


@pytest.mark.parametrize("at_once", [True, False])
async def test_nothing_is_left_at_the_end(at_once):
    """No process, no folder; asked or not."""
    before = children()
    async with showing(at_once=at_once) as cache:
        assert cache.folder.is_dir()
        assert (1 if at_once else 0) == len(children() - before)
    assert not cache.folder.exists()
    assert before == children()


# -- what is kept --------------------------------------------------------------------------------


async def test_frames_that_nobody_looks_at_are_forgotten_the_oldest_first(
    cache, record, monkeypatch
):
    """Those that somebody looks at stay, whatever room they take."""
    made = {}
    for name in "abcd":
        made[name] = cache.acquire(name, record, live=False)
        assert await over(made[name])
    size = made["a"].size
    assert size == made["a"].file.stat().st_size
    cache.release(made["a"])
    cache.release(made["b"])
    assert 4 == len(list(cache.folder.iterdir()))  # room enough
    monkeypatch.setattr(module, "KEPT", 3 * size)
    cache.release(made["c"])
    await removed(cache, {made[name].file for name in "bcd"})
    monkeypatch.setattr(module, "KEPT", 0)
    cache.release(cache.acquire("d", record, live=False))  # looked at by one more
    assert 1 == made["d"].viewers
    cache.release(made["d"])
    await removed(cache, set())
    again = cache.acquire("a", record, live=False)
    assert again is not made["a"]
    await again.wait_frame(TURNS)


async def test_frames_leave_as_much_room_as_they_take(cache, record, monkeypatch):
    """Otherwise a small folder would be full for good, and no other match could be shown."""
    made = [cache.acquire(name, record, live=False) for name in "abc"]
    for frame_file in made:
        assert await over(frame_file)
    left = SimpleNamespace(free=2 * made[0].size)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _: left)
    for frame_file in made:
        cache.release(frame_file)
    await removed(cache, {frame_file.file for frame_file in made[1:]})


async def test_frames_are_released_also_where_the_folder_for_temporary_files_is_gone(
    cache, record, monkeypatch
):
    def gone(_):
        raise FileNotFoundError

    monkeypatch.setattr(module.shutil, "disk_usage", gone)
    frame_file = cache.acquire("a", record, live=False)
    assert await over(frame_file)
    cache.release(frame_file)
    assert 0 == frame_file.viewers


async def test_few_unfinished_files_are_kept_that_nobody_looks_at(cache, tmp_path, record):
    """They are work without end: the oldest go."""
    growing = tmp_path / "m.jsonl.part"
    growing.write_bytes(b"".join(unpacked(record)[:2]))
    made = [cache.acquire(str(n), growing, live=True) for n in range(6)]
    for frame_file in made:
        await frame_file.wait_frame(1)
    for frame_file in made:
        cache.release(frame_file)
    await removed(cache, {frame_file.file for frame_file in made[2:]})
