"""The director hands out, takes in, and copes: with bad bots, dead workers, full disks, Ctrl-C."""

import threading
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import attrs
import pytest
import trio

from competition.directed import (
    BLOCKS,
    PATIENCE,
    Log,
    Wrapped,
    crashing,
    happens,
    one_by_one,
    run,
    running,
)
from lanista.competition import events
from lanista.competition.executors import GivenWorkers
from lanista.competition.running import open_tournament
from lanista.errors import StoreError
from lanista.results.lock import folder_lock
from support.tournament import directing, finished, format_of, play, setup_in, stored


class Neighbours(GivenWorkers):
    """Threads that count as workers of this machine."""

    is_local = True


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as threads:
        yield threads


async def test_all_is_played_once(tmp_path):
    setup = setup_in(tmp_path)
    report, log = await run(setup)
    assert (True, "", False) == (report.over, report.halted, report.interrupted)
    ids = [block.id for block in stored(setup)]
    assert (BLOCKS, BLOCKS) == (len(ids), len(set(ids)))
    assert ids == [event.block for event in log.of(events.BlockDone)]
    assert isinstance(log[0], events.Begun)
    assert isinstance(log[-1], events.Ended)
    assert BLOCKS == log.of(events.BlockDone)[-1].progress.played
    assert 0.0 == log.of(events.BlockDone)[-1].eta
    assert BLOCKS == report.standings.blocks


class TestRecords:
    async def test_they_are_in_place_before_the_commit(self, tmp_path):
        setup = setup_in(tmp_path)

        class Looking(Wrapped):
            def add(self, results, benched=()):
                names = [match.record for result in results for match in result.matches]
                assert all((setup.records / name).is_file() for name in names)
                return self._real.add(results, benched)

        report, log = await run(setup, store=Looking)
        assert report.over, report.halted
        for event in log.of(events.BlockDone):
            for match in event.matches:
                content = (setup.records / match.record).read_bytes()
                assert f"{event.block} {match.seating} 1".encode() == content
        assert [] == list((setup.records / ".playing").iterdir())

    @pytest.mark.parametrize(
        ("is_near", "is_whole"), [(True, False), (False, False), (False, True)]
    )
    async def test_what_workers_elsewhere_are_given(self, tmp_path, is_near, is_whole):
        """They send bytes unless a whole path is given, which is taken for that of a shared folder.

        And they look for the files of bots: on this machine a file that is gone was removed by a
        bot, which mustn't halt the run.
        """
        folder = tmp_path / ("shared" if is_whole else "cup.records")
        setup = setup_in(tmp_path, **({"records": str(folder)} if is_whole else {}))
        playing, needs = [], []

        def noting(task):
            playing.append(task.playing)
            needs.extend(bot.needs for bot in task.contestants.values())
            return play(task)

        with ThreadPoolExecutor(2) as threads:
            workers = GivenWorkers(threads)
            workers.is_near = is_near
            report, _ = await run(setup, noting, workers=workers)
        assert report.over
        assert {str(folder / ".playing") if is_near or is_whole else None} == set(playing)
        assert (not is_near) == any(needs) == all(needs)
        assert 2 * BLOCKS == len(list(setup.records.glob("*/*.gz")))

    @pytest.mark.parametrize(("keep", "kept"), [("all", 13), ("failures", 5), ("none", 0)])
    async def test_which_are_kept(self, tmp_path, keep, kept):
        """Two bots on six seeds: B fails the four matches of two blocks; one match was void."""
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3, 4, 5, 6), keep=keep)

        def some_fail(task):
            return [
                finished(
                    crashing(task) if block.opening.seed in (1, 2) else task,
                    block,
                    void=int(block.opening.seed == 3),
                )
                for block in task.blocks
            ]

        report, log = await run(setup, some_fail)
        assert report.over
        assert kept == len(list(setup.records.glob("*/*.gz")))
        named = [match.record for event in log.of(events.BlockDone) for match in event.matches]
        assert kept == sum(name is not None for name in named)
        assert [] == list((setup.records / ".playing").iterdir())
        assert 1 == sum(event.count for event in log.of(events.Voided))

    async def test_what_a_dead_run_left_is_removed(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=(1,))
        playing = setup.records / ".playing"
        playing.mkdir(parents=True)
        (playing / "left").touch()
        (tmp_path / "others").mkdir()
        (tmp_path / "others" / "theirs").touch()
        (playing / "link").symlink_to(tmp_path / "others")
        await run(setup)
        assert (tmp_path / "others" / "theirs").exists()
        assert [] == list(playing.iterdir())


@pytest.mark.parametrize(
    ("kind", "bots", "seeds", "void", "lowered"),
    [
        pytest.param(Neighbours, 3, 29, lambda _: 1, [2, 1], id="each void match, down to one"),
        pytest.param(Neighbours, 3, 4, lambda _: 0, [], id="stalls that voided nothing"),
        # The first three blocks, which begin together, are all void: only one slot goes.
        pytest.param(
            *(Neighbours, 2, 8, lambda seed: int(seed <= 3), [2]),
            id="not what was handed out with more slots",
        ),
        # Fewer of them wouldn't help: they are on other machines.
        pytest.param(GivenWorkers, 3, 4, lambda _: 1, [], id="workers elsewhere"),
    ],
)
async def test_void_matches_take_slots_away(tmp_path, pool, kind, bots, seeds, void, lowered):
    def stalls(task):
        done = [
            finished(task, block, void=void(block.opening.seed), stall=0.06)
            for block in task.blocks
        ]
        return [attrs.evolve(one, seconds=2.0) for one in done]  # tasks of one block each

    setup = setup_in(tmp_path, bots=bots, seeds=tuple(range(1, seeds + 1)))
    report, log = await run(setup, stalls, workers=kind(pool, 3))
    assert report.over
    assert lowered == [event.slots for event in log.of(events.Lowered)]
    for event in log.of(events.Lowered):
        words = f"concurrency {event.slots}: a match was void, as the host stalled for 60 ms"
        assert words == event.words


class TestInterrupting:
    async def test_finish_stores_what_runs_and_hands_out_nothing_more(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3, 4, 5))
        both, go = threading.Barrier(3), threading.Event()

        def waits(task):
            both.wait(PATIENCE)
            go.wait(PATIENCE)
            return play(task)

        log = Log()
        with directing(setup, waits, threads=2, on_event=log) as director:
            async with running(director) as reports:
                await trio.to_thread.run_sync(both.wait, PATIENCE)
                director.finish()
                director.finish()
                go.set()
        (report,) = reports
        assert (False, "", True) == (report.over, report.halted, report.interrupted)
        assert [2] == [event.running for event in log.of(events.Finishing)]
        assert {1, 2} == {block.seed for block in stored(setup)}
        report, _ = await run(setup)
        assert (True, 5) == (report.over, len(stored(setup)))

    async def test_stop_does_not_wait(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3))
        begun, go = threading.Event(), threading.Event()

        def waits(task):
            begun.set()
            go.wait(PATIENCE)
            return play(task)

        with directing(setup, waits, threads=1) as director:
            async with running(director) as reports:
                await happens(begun)
                director.finish()
                director.stop()
            (report,) = reports
            assert (False, True) == (report.over, report.interrupted)
            go.set()
        assert [] == stored(setup)

    async def test_finish_before_it_begins(self, tmp_path):
        setup = setup_in(tmp_path)
        with directing(setup) as director:
            director.finish()
            report = await director.run()
        assert (False, True) == (report.over, report.interrupted)
        assert [] == stored(setup)


async def test_standings_while_it_runs(tmp_path):
    """They show what is stored, and nothing waits for them."""
    setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3))
    go = threading.Event()

    def last_waits(task):
        if task.blocks[0].opening.seed == 3:
            go.wait(PATIENCE)
        return one_by_one(task)

    two = threading.Event()

    def hear(event):
        if isinstance(event, events.BlockDone) and event.progress.played == 2:
            two.set()

    with directing(setup, last_waits, threads=1, on_event=hear) as director:
        async with running(director):
            await happens(two)
            standings = await director.standings()
            assert (2, 3, False) == (standings.blocks, standings.planned, standings.over)
            go.set()


def test_a_second_run_on_one_database_is_refused(tmp_path):
    """Each would store what the other one plays; their folders of records may differ."""
    one, other = (setup_in(tmp_path, records=records) for records in ("one", "other"))
    assert one.database == other.database
    with (
        open_tournament(one, concurrency=1),
        pytest.raises(StoreError, match="in use by another"),
        open_tournament(other, concurrency=1),
    ):
        pytest.fail("two play one tournament")


def test_another_tournament_with_the_same_records_is_refused(tmp_path):
    """The second would remove what the first one's workers write, and replace its records."""
    one = setup_in(tmp_path, records="records")
    other = setup_in(tmp_path, name="other", records="records", database="other.db")
    with (
        open_tournament(one, concurrency=1),
        pytest.raises(StoreError) as refused,
        open_tournament(other, concurrency=1),
    ):
        pytest.fail("two write into one folder")
    words = f"{one.records}: in use by another run; give each tournament its own folder of records"
    assert words == str(refused.value)
    with pytest.raises(StoreError) as refused, open_tournament(other, concurrency=1):
        pytest.fail("the records of the first one are there")
    assert f"has the records of another tournament, whose results are in {one.database};" in str(
        refused.value
    )
    one.database.unlink()
    with open_tournament(other, concurrency=1):
        pass
    # Both are found together at any other place.
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    with open_tournament(setup_in(moved, records="records", database="other.db"), concurrency=1):
        pass


def test_a_folder_of_records_of_a_database_on_a_server_is_refused_to_others(tmp_path):
    """Whether such a database is still there isn't asked."""
    setup = setup_in(tmp_path)
    url = "postgresql://ann:secret@host/cups?options=-csearch_path%3D{}&connect_timeout={}"
    for seconds in (10, 20):
        with folder_lock(setup.records, url.format("one", seconds)):
            pass
    told = (
        r"whose results are in postgresql://ann@host/cups\?options=-csearch_path%3Done; give each"
    )
    with pytest.raises(StoreError, match=told), open_tournament(setup, concurrency=1):
        pytest.fail("its records are another's")
    with pytest.raises(StoreError, match=told), folder_lock(setup.records, url.format("two", 10)):
        pytest.fail("another schema has another tournament")


def test_a_folder_of_records_whose_tournament_can_not_be_looked_for_is_refused(tmp_path):
    """The other's database may be in a folder of another user."""
    setup = setup_in(tmp_path)
    setup.records.mkdir()
    (setup.records / ".lock").write_text("x" * 5000)
    told = f"{setup.records}: can't tell or note whose records these are: .*: File name too long"
    with pytest.raises(StoreError, match=told), open_tournament(setup, concurrency=1):
        pytest.fail("its records may be another's")


@pytest.mark.parametrize(("elo1", "decision"), [(400.0, "H0"), (1e-9, "")])
async def test_the_decision_of_a_version_test(tmp_path, elo1, decision):
    """Two alike: not 400 Elo apart. What can't be told apart isn't."""
    setup = setup_in(
        tmp_path, bots=2, seeds=(1,), format="sprt", blocks=40, sprt={"elo0": 0.0, "elo1": elo1}
    )
    report, _ = await run(setup)
    assert report.over
    assert decision == report.decision


async def test_when_it_is_over_a_lost_block_is_not_wanted_any_more(tmp_path):
    """As a version test that has decided meanwhile."""
    setup = setup_in(tmp_path, format="ladder")
    stored_one = threading.Event()
    tries = []

    class Short(Wrapped):
        """Over with its first block."""

        is_over = False

        def record(self, played):
            self.is_over = True
            self._real.record(played)

        def over(self):
            return self.is_over

    def second_is_lost(task):
        tries.append(task)
        if len(tries) == 2:
            stored_one.wait(PATIENCE)
            raise BrokenExecutor("a process ended abruptly")
        return play(task)

    def hear(event):
        if isinstance(event, events.BlockDone):
            stored_one.set()

    report, log = await run(setup, second_is_lost, hears=hear, format_=Short(format_of(setup)))
    assert (True, "") == (report.over, report.halted)
    assert (2, 1) == (len(tries), len(stored(setup)))
    assert 1 == len(log.of(events.WorkerLost))
