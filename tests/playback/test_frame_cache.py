"""FrameCache from the projector's process to whoever asks: kept, shared, forgotten, made anew.

The process is real, the records are small. What a film holds is in test_reel and test_film.
"""

import json
import os
import signal
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from e2e.running import runs
from lanista.playback import frame_cache as module
from lanista.playback.frame_cache import CHUNK_FRAMES, FrameCache, NoFramesError
from lanista.playback.frames import encode
from lanista.playback.replay_reader import reel
from lanista.playback.replay_worker import ReplayWorker
from web.records import unpacked, wandering

PATIENCE = 30
TURNS = 125
"""An answer full of frames, and some."""


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return wandering(tmp_path_factory.mktemp("record"), TURNS)


@pytest.fixture(scope="module")
def parts(record):
    """Its film, as it should be."""
    return [json.loads(encode(part)) for part in reel(record)]


@pytest.fixture
def projectors(monkeypatch):
    """The processes that were started."""
    started, start = [], module._start

    async def noted(folder):
        started.append(await start(folder))
        return started[-1]

    monkeypatch.setattr(module, "_start", noted)
    monkeypatch.setattr(module, "RESTART_PAUSE", 0.01)
    return started


@asynccontextmanager
async def showing(**options):
    """FrameCache, with what keeps them going; within PATIENCE."""
    films = FrameCache(**options)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            await nursery.start(films.run)
            yield films
            nursery.cancel_scope.cancel()


async def removed(films, files):
    """Wait until these files alone are there: the projector removes those of forgotten films."""
    while files != set(films.folder.iterdir()):  # noqa: ASYNC110 - nobody tells
        await trio.sleep(0.01)


def read(bytes_of_frames):
    return json.loads(b"[%b]" % bytes_of_frames)


async def test_a_film_is_what_the_reel_gives(record, parts, monkeypatch):
    """Frames begin with a whole one, or where the reader is; at most so many come at once, and
    always the one that was asked for.
    """
    head, *frames, end = parts
    async with showing() as films:
        film = films.take("m1", record, live=False)
        assert head == await film.begun()
        assert await over(film)
        assert (TURNS + 1, end, None) == (film.count, film.end, film.failed)
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
            begins, data = film.frames(place, known=known)
            assert first == begins
            assert frames[first : first + CHUNK_FRAMES] == read(data)
        # Where so many bytes are too many, an answer ends with what was asked for.
        monkeypatch.setattr(module, "CHUNK_BYTES", 1)
        for place, known, first in [(45, False, 40), (59, False, 40), (7, True, 7)]:
            begins, data = film.frames(place, known=known)
            assert first == begins
            assert frames[first : place + 1] == read(data)
        films.leave("m1", film)


async def over(film):
    """Wait for the end of a film that isn't live."""
    await film.reach(10**9)
    return film.over


async def test_all_who_look_at_a_match_share_its_film(record, projectors):
    async with showing() as films:
        taken = [films.take("m1", record, live=False) for _ in range(10)]
        assert 1 == len(set(map(id, taken)))
        assert 10 == taken[0].viewers
        for film in taken:
            await film.begun()
        assert [taken[0].file] == list(films.folder.iterdir())
        for film in taken:
            films.leave("m1", film)
        assert 0 == taken[0].viewers
        assert 1 == len(projectors)


async def test_a_live_film_grows_with_its_record(tmp_path, record, parts):
    """Also when a line comes in two pieces."""
    lines = unpacked(record)
    path = tmp_path / "m1.jsonl.gz.part"
    path.write_bytes(lines[0][:50])
    async with showing() as films:
        film = films.take("m1", path, live=True)
        with path.open("ab", buffering=0) as file:
            file.write(lines[0][50:] + lines[1] + lines[2][:9])
            assert parts[0] == await film.begun()
            await film.reach(1)
            assert not film.over
            file.write(lines[2][9:])
            await film.reach(2)
            assert (3, False) == (film.count, film.over)
            file.write(b"".join(lines[3:]))
            await film.reach(TURNS + 1)
        assert (TURNS + 1, parts[-1]) == (film.count, film.end)
        _, data = film.frames(0, known=False)
        assert parts[1 : 1 + CHUNK_FRAMES] == read(data)
        films.leave("m1", film)


# -- what can't be shown -------------------------------------------------------------------------


async def test_a_file_that_is_no_record_fails_with_words(tmp_path, record):
    """Others go on; who asks again gets another try."""
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"{}\n")
    async with showing() as films:
        for _ in range(2):
            failing = films.take("bad", bad, live=False)
            with pytest.raises(NoFramesError, match=r"bad\.jsonl: line 1: no header of a record"):
                await failing.begun()
            films.leave("bad", failing)
        gone = films.take("gone", tmp_path / "gone", live=True)
        with pytest.raises(NoFramesError, match="can't read gone: No such file"):
            await gone.begun()
        films.leave("gone", gone)
        good = films.take("m1", record, live=False)
        await good.reach(TURNS)
        assert TURNS + 1 == good.count
        films.leave("m1", good)


async def test_a_damaged_file_harms_no_other(tmp_path, record, projectors):
    """A number larger than any has no word in the page's JSON."""
    endless = tmp_path / "endless.jsonl"
    lines = unpacked(record)
    assert b'"first":20.0' in lines[0]
    endless.write_bytes(lines[0].replace(b'"first":20.0', b'"first":1e999'))
    async with showing() as films:
        film = films.take("endless", endless, live=False)
        with pytest.raises(NoFramesError, match=r"line 1: no Header"):
            await film.begun()
        films.leave("endless", film)
        good = films.take("m1", record, live=False)
        await good.begun()
        films.leave("m1", good)
        assert 1 == len(projectors)


async def test_a_film_ends_when_its_match_does_though_no_result_was_written(tmp_path, record):
    """As on a full disk: what the record has is all, and nobody waits for more."""
    part = tmp_path / "m1.jsonl.gz.part"
    part.write_bytes(b"".join(unpacked(record)[:4]))
    async with showing() as films:
        film = films.take("m1", part, live=True)
        await film.reach(3)
        assert (4, False) == (film.count, film.over)
        films.finish("m1")
        assert await over(film)
        assert (4, None, None) == (film.count, film.end["result"], film.failed)
        films.finish("m1")  # over already
        films.finish("unknown")
        films.leave("m1", film)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
async def test_no_room_for_a_film_is_told_in_words(tmp_path, record):
    """In place of its file there is a full disk."""
    async with showing() as films:
        (films.folder / "1").symlink_to("/dev/full")
        film = films.take("m1", record, live=False)
        assert "m1" == (await film.begun())["match"]
        await film.reach(0)
        assert (0, "no room for the film: No space left on device") == (film.count, film.failed)
        films.leave("m1", film)


def test_a_film_that_gets_too_long_ends_with_words(tmp_path, record, monkeypatch):
    """What is made till then can be seen."""
    monkeypatch.setattr("lanista.playback.replay_worker.MAX_FILM", 2000)
    (tmp_path / "films").mkdir()
    with (tmp_path / "told").open("w+b") as tell:
        projector = ReplayWorker(tmp_path / "films", tell)
        projector.do({"open": 1, "path": str(record), "live": False, "logs": True})
        assert 0 == projector.pause
        while projector.pause is not None:
            projector.work()
        tell.seek(0)
        told = [json.loads(line) for line in tell]
    sizes = [size for line in told for size in line.get("frames", [])]
    assert 1 < len(sizes) < TURNS
    assert sum(sizes) == (tmp_path / "films/1").stat().st_size > 2000 >= sum(sizes[:-1])
    end = told[-1]["end"]
    assert "the film stops here: the match is too long to be shown" == end["trouble"]


# -- the process ---------------------------------------------------------------------------------


async def test_when_the_projector_is_killed_another_makes_films(tmp_path, record, projectors):
    """Open films fail with words; what is whole stays; a new one works."""
    growing = tmp_path / "m2.jsonl.part"
    growing.write_bytes(b"".join(unpacked(record)[:3]))
    async with showing() as films:
        whole = films.take("m1", record, live=False)
        assert await over(whole)
        live = films.take("m2", growing, live=True)
        await live.reach(2)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(live.reach, 3)  # who waits is told
            os.kill(projectors[0].pid, signal.SIGKILL)
        assert "the film broke off; open it again" == live.failed
        assert (None, True) == (whole.failed, whole.over)
        again = films.take("m2", growing, live=True)
        assert again is not live
        await again.reach(2)
        assert (3, None) == (again.count, again.failed)
        files = {whole.file, live.file, again.file}
        assert files == set(films.folder.iterdir())
        films.leave("m2", live)  # the other has its place: nobody will ask for this one
        await removed(films, files - {live.file})
        films.leave("m2", again)
        films.leave("m1", whole)
    assert 2 == len(projectors)
    assert not any(runs(process.pid) for process in projectors)
    assert not films.folder.exists()


async def test_without_a_process_films_fail_and_the_next_try_works(record, projectors, monkeypatch):
    """Where the system has no room for one: the arena goes on."""
    start, tries = module._start, []

    async def refused(folder):
        tries.append(folder)
        if len(tries) == 1:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return await start(folder)

    monkeypatch.setattr(module, "_start", refused)
    async with showing() as films:
        film = films.take("m1", record, live=False)
        with pytest.raises(NoFramesError, match="the film broke off; open it again"):
            await film.begun()
        again = films.take("m1", record, live=False)
        await again.reach(TURNS)
        assert TURNS + 1 == again.count
        films.leave("m1", film)
        films.leave("m1", again)


async def test_the_first_order_comes_first(record, projectors):
    """Given at once with others, before there is a process to take it."""
    async with showing(at_once=False) as films:
        await trio.testing.wait_all_tasks_blocked()
        assert [] == projectors
        first = films.take("m1", record, live=False)
        films.leave("m1", first)
        films._forget(first)  # `close` right behind `open`
        other = films.take("m2", record, live=False)
        await other.reach(TURNS)
        films.leave("m2", other)
        await removed(films, {other.file})


@pytest.mark.parametrize("at_once", [True, False])
async def test_nothing_is_left_at_the_end(record, projectors, at_once):
    """No process, no folder; asked or not."""
    async with showing(at_once=at_once) as films:
        assert films.folder.is_dir()
        assert (1 if at_once else 0) == len(projectors)
    assert not films.folder.exists()
    assert not any(runs(process.pid) for process in projectors)


async def test_a_projector_that_does_not_end_is_killed(record, projectors, monkeypatch):
    monkeypatch.setattr(module, "ENDING_TIME", 0.05)
    async with showing(at_once=True):
        os.kill(projectors[0].pid, signal.SIGSTOP)
    assert -signal.SIGKILL == projectors[0].returncode


# -- what is kept --------------------------------------------------------------------------------


async def test_films_that_nobody_looks_at_are_forgotten_the_oldest_first(record, monkeypatch):
    """Those that somebody looks at stay, whatever room they take."""
    async with showing() as films:
        made = {}
        for name in "abcd":
            made[name] = films.take(name, record, live=False)
            assert await over(made[name])
        size = made["a"].size
        assert size == made["a"].file.stat().st_size
        films.leave("a", made["a"])
        films.leave("b", made["b"])
        assert 4 == len(list(films.folder.iterdir()))  # room enough
        monkeypatch.setattr(module, "KEPT", 3 * size)
        films.leave("c", made["c"])
        await removed(films, {made[name].file for name in "bcd"})
        monkeypatch.setattr(module, "KEPT", 0)
        films.leave("d", films.take("d", record, live=False))  # looked at by one more
        assert 1 == made["d"].viewers
        films.leave("d", made["d"])
        await removed(films, set())
        again = films.take("a", record, live=False)
        assert again is not made["a"]
        await again.reach(TURNS)
        films.leave("a", again)


async def test_few_unfinished_films_are_kept_that_nobody_looks_at(tmp_path, record):
    """They are work without end: the oldest go."""
    growing = tmp_path / "m.jsonl.part"
    growing.write_bytes(b"".join(unpacked(record)[:2]))
    async with showing() as films:
        made = [films.take(str(n), growing, live=True) for n in range(6)]
        for film in made:
            await film.reach(1)
        for number, film in enumerate(made):
            films.leave(str(number), film)
        await removed(films, {film.file for film in made[2:]})
