"""The director hands out, takes in, and copes: with bad bots, dead workers, full disks, Ctrl-C."""

import threading
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest
import trio

from lanista.cli import tournament_run
from lanista.competition import events, worker
from lanista.competition.executors import GivenWorkers
from lanista.competition.running import open_tournament
from lanista.competition.standings import standings_of
from lanista.competition.worker import WorkError
from lanista.results.blocks import FormatName
from lanista.results.database import Store
from lanista.results.errors import StoreError
from support.tournament import directing, finished, format_of, play, setup_in, stored

BLOCKS = 12
"""Three bots are three pairs; four seeds."""
PATIENCE = 60


class Log(list):
    """The events of a run."""

    def __call__(self, event):
        self.append(event)

    def of(self, kind):
        return [event for event in self if isinstance(event, kind)]


def one_by_one(task):
    """Play slowly, so that tasks are of one block each."""
    return [attrs.evolve(one, seconds=2.0) for one in play(task)]


class Wrapped:
    """A store of which a test changes something."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)


class Neighbours(GivenWorkers):
    """Threads that count as workers of this machine."""

    is_local = True


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as threads:
        yield threads


async def happens(event):
    """Wait for another thread's event."""
    assert await trio.to_thread.run_sync(event.wait, PATIENCE)


async def run(setup, play_task=play, **more):
    """Run a tournament to its end: the report, and what was told."""
    log = Log()
    with directing(setup, play_task, on_event=log, **more) as director:
        return await director.run(), log


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


async def test_what_was_played_is_not_played_again(tmp_path):
    setup = setup_in(tmp_path)
    await run(setup)

    def never(task):
        raise AssertionError(task)

    report, log = await run(setup, never)
    assert report.over
    begun = log[0]
    assert (BLOCKS, 2 * BLOCKS) == (begun.progress.played, begun.matches)


async def test_more_seeds_and_bots_keep_what_was_played(tmp_path):
    await run(setup_in(tmp_path, seeds=(1, 2)))
    played = []

    def noting(task):
        played.extend(block.id for block in task.blocks)
        return play(task)

    setup = setup_in(tmp_path, bots=4, seeds=(1, 2, 3))
    report, _ = await run(setup, noting)
    assert report.over
    # Six pairs on three seeds, of which three pairs on two seeds were there.
    assert 18 - 6 == len(played) == len(set(played))
    assert 18 == len(stored(setup))


async def test_blocks_of_other_bots_and_seeds_do_not_count(tmp_path):
    await run(setup_in(tmp_path))
    setup = setup_in(tmp_path, bots=2, seeds=(1,))
    report, _ = await run(setup)
    assert (1, BLOCKS - 1) == (report.standings.blocks, report.standings.uncounted)


class TestRecords:
    async def test_they_are_in_place_before_the_commit(self, tmp_path):
        setup = setup_in(tmp_path)

        class Looking(Wrapped):
            def add(self, results, benched=()):
                names = [match.record for result in results for match in result.matches]
                assert all((setup.records / name).is_file() for name in names)
                return self._store.add(results, benched)

        report, log = await run(setup, store=Looking)
        assert report.over, report.halted
        for event in log.of(events.BlockDone):
            for match in event.matches:
                content = (setup.records / match.record).read_bytes()
                assert f"{event.block} {match.seating} 1".encode() == content
        assert [] == list((setup.records / ".playing").iterdir())

    async def test_as_bytes_where_the_folder_is_not_shared(self, tmp_path):
        setup = setup_in(tmp_path)
        seen = []

        def noting(task):
            seen.append(task.playing)
            return play(task)

        with ThreadPoolExecutor(2) as threads:
            workers = GivenWorkers(threads)
            workers.is_near = False
            report, _ = await run(setup, noting, workers=workers)
        assert report.over
        assert {None} == set(seen)
        assert 2 * BLOCKS == len(list(setup.records.glob("*/*.gz")))

    async def test_a_whole_path_is_taken_for_a_shared_folder(self, tmp_path):
        setup = setup_in(tmp_path, records=str(tmp_path / "shared"))
        seen = []

        def noting(task):
            seen.append(task.playing)
            return play(task)

        with ThreadPoolExecutor(2) as threads:
            workers = GivenWorkers(threads)
            workers.is_near = False
            await run(setup, noting, workers=workers)
        assert {str(tmp_path / "shared" / ".playing")} == set(seen)

    @pytest.mark.parametrize(("keep", "kept"), [("all", 13), ("failures", 5), ("none", 0)])
    async def test_which_are_kept(self, tmp_path, keep, kept):
        """Two bots on six seeds: B fails the four matches of two blocks; one match was void."""
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3, 4, 5, 6), keep=keep)

        def some_fail(task):
            done = []
            for block in task.blocks:
                seed = block.opening.seed
                contestants = dict(task.contestants)
                if seed in (1, 2):
                    contestants["B"] = attrs.evolve(contestants["B"], environment={"FAKE": "crash"})
                used = attrs.evolve(task, contestants=contestants)
                done.append(finished(used, block, void=1 if seed == 3 else 0))
            return done

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
        (playing / "folder" / "below").mkdir(parents=True)
        (playing / "folder" / "below" / "left").touch()
        (tmp_path / "others").mkdir()
        (tmp_path / "others" / "theirs").touch()
        (playing / "link").symlink_to(tmp_path / "others")
        await run(setup)
        assert (tmp_path / "others" / "theirs").exists()
        assert [] == list(playing.iterdir())


class TestBenching:
    async def test_a_bot_that_fails_running_is_benched_and_named(self, tmp_path):
        setup = setup_in(tmp_path, behaviour={"B": "crash"}, seeds=(1, 2, 3, 4), bench_after=5)
        report, log = await run(setup, one_by_one, threads=1)
        (benched,) = log.of(events.Benched)
        assert ("B", "crash: B fell over") == (benched.bot, benched.words)
        assert 5 <= benched.failures
        assert report.over
        with_b = [block for block in stored(setup) if "B" in block.bots]
        # Two matches a block, so the third block benches it; what was handed out is played.
        assert 3 <= len(with_b) < 8
        assert 4 == sum(set(block.bots) == {"A", "C"} for block in stored(setup))

        _, log = await run(setup)
        (again,) = log.of(events.Benched)
        assert benched == again
        assert len(with_b) == sum("B" in block.bots for block in stored(setup))

    async def test_a_success_in_between_begins_the_count_anew(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3, 4, 5, 6), bench_after=3)
        calls = []

        def every_second(task):
            calls.append(task)
            if len(calls) % 2:
                bad = attrs.evolve(task.contestants["B"], environment={"FAKE": "crash"})
                task = attrs.evolve(task, contestants={**task.contestants, "B": bad})
            return one_by_one(task)

        report, log = await run(setup, every_second, threads=1)
        assert report.over
        assert 6 == len(calls)
        assert [] == log.of(events.Benched)

    async def test_a_block_in_flight_does_not_bring_it_back(self, tmp_path):
        """One that it plays well, and that ends after the one that benched it."""
        setup = setup_in(tmp_path, bots=2, seeds=tuple(range(1, 9)), bench_after=2)
        benched = threading.Event()

        def first_two_are_fine(task):
            (block,) = task.blocks
            if block.opening.seed == 2:
                assert benched.wait(PATIENCE)
            if block.opening.seed <= 2:
                return one_by_one(task)
            bad = attrs.evolve(task.contestants["B"], environment={"FAKE": "crash"})
            return one_by_one(attrs.evolve(task, contestants={**task.contestants, "B": bad}))

        log = Log()

        def hear(event):
            log(event)
            if isinstance(event, events.Benched):
                benched.set()

        with directing(setup, first_two_are_fine, threads=2, on_event=hear) as director:
            report = await director.run()
        assert (True, "") == (report.over, report.halted)
        assert [1, 3, 2] == [block.seed for block in stored(setup)]
        assert ["B"] == [row.bot for row in report.standings.rows if row.benched]
        with Store.open(setup.database, create=False) as store:
            assert {} == store.running_failures(4)
            assert report.standings == standings_of(setup, store)

        report, again = await run(setup)
        assert log.of(events.Benched) == again.of(events.Benched)
        assert ["B"] == [row.bot for row in report.standings.rows if row.benched]
        assert 3 == len(stored(setup))

    async def test_the_order_of_benching_is_kept(self, tmp_path):
        """Not that of the spec: in a knockout it decides who goes on."""
        setup = setup_in(tmp_path, bots=4, seeds=(1, 2, 3), bench_after=2)

        def b_then_a(task):
            (block,) = task.blocks
            worst = next((bot for bot in "CA" if bot in block.bots), None)
            if worst is None:
                return one_by_one(task)
            bad = attrs.evolve(task.contestants[worst], environment={"FAKE": "crash"})
            return one_by_one(attrs.evolve(task, contestants={**task.contestants, worst: bad}))

        class Listening:
            def __init__(self):
                self._format = format_of(setup)
                self.benched = []

            def bench(self, bot):
                self.benched.append(bot)
                self._format.bench(bot)

            def __getattr__(self, name):
                return getattr(self._format, name)

        first, second = Listening(), Listening()
        await run(setup, b_then_a, threads=1, format_=first)
        assert {"A", "C"} == set(first.benched)
        await run(setup, format_=second)
        assert first.benched == second.benched

    @pytest.mark.parametrize(
        "threads", [*(pytest.param(few, marks=pytest.mark.long) for few in (1, 2)), 8]
    )
    async def test_a_bot_that_fails_every_match_loses_no_more_than_bench_it(
        self, tmp_path, threads
    ):
        """However many play at once, and though a second's worth of its blocks would be many."""
        setup = setup_in(
            tmp_path, bots=3, behaviour={"B": "crash"}, seeds=tuple(range(1, 81)), bench_after=5
        )
        tasks = []

        def quick(task):
            tasks.append([block.bots for block in task.blocks])
            return [attrs.evolve(one, seconds=0.001) for one in play(task)]

        report, _ = await run(setup, quick, threads=threads)
        assert report.over
        # Two matches a block: the third block benches it.
        assert 3 == sum("B" in block.bots for block in stored(setup))
        assert all(len(blocks) == 1 for blocks in tasks if any("B" in bots for bots in blocks))
        assert max(map(len, tasks)) > 80 / 8 / 2

    async def test_a_bot_that_begins_to_fail_is_handed_out_block_by_block(self, tmp_path):
        """From its first failure on it has no more blocks in hand than would bench it."""
        setup = setup_in(tmp_path, seeds=tuple(range(1, 13)), bench_after=7)

        went_well = threading.Event()

        def first_is_fine(task):
            if "B" not in task.contestants:
                return one_by_one(task)
            (block,) = task.blocks
            if (block.bots, block.opening.seed) == (("A", "B"), 1):
                return one_by_one(task)
            # After the good one is stored, as a good one ends the count of failures.
            assert went_well.wait(PATIENCE)
            bad = attrs.evolve(task.contestants["B"], environment={"FAKE": "crash"})
            return one_by_one(attrs.evolve(task, contestants={**task.contestants, "B": bad}))

        log = Log()

        def hear(event):
            log(event)
            if isinstance(event, events.BlockDone) and event.bots == ("A", "B"):
                went_well.set()

        with directing(setup, first_is_fine, threads=4, on_event=hear) as director:
            report = await director.run()
        assert report.over
        assert 1 == len(log.of(events.Benched))
        # The good block, and four more: the fourth benches it.
        assert 1 + 4 == sum("B" in block.bots for block in stored(setup))
        assert 12 == sum({"A", "C"} == set(block.bots) for block in stored(setup))

    @pytest.mark.parametrize("format_name", list(FormatName))
    async def test_blocks_of_it_that_wait_are_given_back(self, tmp_path, format_name):
        """Taken from the format ahead; it is over without them."""
        setup = setup_in(
            tmp_path,
            bots=2,
            behaviour={"B": "crash"},
            seeds=tuple(range(1, 7)),
            format=format_name,
            bench_after=2,
            **({} if format_name in ("round-robin", "gauntlet") else {"blocks": 6}),
        )
        log = Log()
        with directing(setup, one_by_one, threads=1, on_event=log) as director:
            director._fetch(6)
            report = await director.run()
        assert (True, "") == (report.over, report.halted)
        assert ["B"] == [event.bot for event in log.of(events.Benched)]
        assert 1 == len(stored(setup))

    async def test_fewer_failures_are_borne_than_before(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, behaviour={"B": "crash"}, seeds=(1, 2), bench_after=9)
        _, log = await run(setup)
        assert [] == log.of(events.Benched)
        stricter = setup_in(
            tmp_path, bots=2, behaviour={"B": "crash"}, seeds=(1, 2, 3), bench_after=4
        )
        for _ in range(2):
            report, log = await run(stricter)
            (benched,) = log.of(events.Benched)
            assert ("B", 4, "crash: B fell over") == (benched.bot, benched.failures, benched.words)
            assert report.over
        assert 2 == len(stored(stricter))


class TestHalting:
    async def test_void_twice_in_a_row_halts_and_is_not_stored(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3))

        def voids(task):
            return [
                finished(task, block, void=2, stall=0.3, trouble="void twice: a stall of 0.3 s")
                if block.opening.seed == 2
                else finished(task, block)
                for block in task.blocks
            ]

        report, log = await run(setup, voids, threads=1)
        assert (False, False) == (report.over, report.interrupted)
        assert report.halted.endswith("(A - B, seed 2): void twice: a stall of 0.3 s")
        assert [report.halted] == [event.words for event in log.of(events.Halted)]
        assert 2 not in {block.seed for block in stored(setup)}
        assert 2 == len(list(setup.records.glob("*/*-void*.gz")))

        report, _ = await run(setup)
        assert report.over
        assert {1, 2, 3} == {block.seed for block in stored(setup)}

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (WorkError("no record can be written, /x: No space left"), "no record can be written"),
            (OSError(28, "No space left on device", "/x/y"), "/x/y: No space left on device"),
        ],
    )
    async def test_an_error_of_the_machine_halts(self, tmp_path, error, words):
        def fails(task):
            raise error

        report, log = await run(setup_in(tmp_path), fails)
        assert report.halted.startswith(words)
        (halted,) = log.of(events.Halted)
        assert "" == halted.trace

    async def test_an_unknown_error_halts_with_its_trace(self, tmp_path):
        def fails(task):
            return task.nothing_of_the_kind

        report, log = await run(setup_in(tmp_path), fails)
        assert report.halted.startswith("a worker failed: AttributeError: 'Task' object has no")
        (halted,) = log.of(events.Halted)
        assert "task.nothing_of_the_kind" in halted.trace

    async def test_what_is_committed_stays_when_the_store_fails(self, tmp_path):
        setup = setup_in(tmp_path)

        class Full(Wrapped):
            count = 0

            def add(self, results, benched=()):
                if len(self._store.played()) >= 3:
                    raise StoreError("cup.db: the disk is full")
                return self._store.add(results, benched)

        report, _ = await run(setup, one_by_one, store=Full)
        assert "cup.db: the disk is full" == report.halted
        assert 3 <= len(stored(setup)) < BLOCKS
        report, _ = await run(setup)
        assert report.over
        assert BLOCKS == len(stored(setup))

    async def test_a_store_that_fails_for_good_is_reported(self, tmp_path):
        """Also the last standings can't be read then."""
        setup = setup_in(tmp_path)

        class Gone(Wrapped):
            is_gone = False

            def add(self, *_):
                self.is_gone = True
                raise StoreError("db: the server can't be reached")

            def endings(self, without=()):
                if self.is_gone:
                    raise StoreError("db: gone")
                return self._store.endings(without)

        report, log = await run(setup, store=Gone)
        assert "db: the server can't be reached" == report.halted
        assert (False, False, ()) == (report.over, report.interrupted, report.standings.rows)
        assert report.halted == log[-1].halted
        assert isinstance(log[-1], events.Ended)

        with directing(setup, store=Gone) as director:
            known = await director.standings()
            assert known is (await director.run()).standings

    async def test_a_store_that_fails_when_all_is_played(self, tmp_path):
        setup = setup_in(tmp_path)

        class Unread(Wrapped):
            def endings(self, _):
                raise StoreError("db: gone")

        report, log = await run(setup, store=Unread)
        assert (True, "db: gone") == (report.over, report.halted)
        assert ["db: gone"] == [event.words for event in log.of(events.Halted)]
        assert (BLOCKS, BLOCKS) == (report.standings.blocks, len(stored(setup)))

    def test_the_command_line_says_that_it_halted(self, tmp_path, monkeypatch, capsys):
        """3, not 2: the input was good."""

        def gone(*_):
            raise StoreError("db: gone")

        monkeypatch.setattr(worker, "play_blocks", play)
        monkeypatch.setattr(Store, "add", gone)
        monkeypatch.setattr(Store, "endings", gone)
        assert 3 == tournament_run.play(setup_in(tmp_path, concurrency=1), "cup.toml")
        assert "halted: db: gone; run the same command again" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("error", "words"),
        [
            (KeyboardInterrupt(), "KeyboardInterrupt: KeyboardInterrupt"),
            (
                BaseExceptionGroup("a loop", [GeneratorExit()]),
                "BaseExceptionGroup: a loop (1 sub-exception)",
            ),
        ],
    )
    async def test_a_worker_that_was_interrupted(self, tmp_path, error, words):
        """Its interrupt isn't ours."""

        def ends(task):
            raise error

        report, log = await run(setup_in(tmp_path), ends)
        assert f"a worker was ended while it played: {words}" == report.halted
        assert not report.interrupted
        (halted,) = log.of(events.Halted)
        assert "" == halted.trace

    async def test_a_record_that_is_not_where_it_should_be(self, tmp_path):
        """As where a folder that is said to be shared isn't."""

        def elsewhere(task):
            done = play(task)
            for left in Path(task.playing).iterdir():
                left.unlink()
            return done

        setup = setup_in(tmp_path)
        report, _ = await run(setup, elsewhere, threads=1)
        assert report.halted.endswith(": No such file or directory")
        assert str(setup.records / ".playing") in report.halted
        assert [] == stored(setup)

    async def test_a_broken_executor(self, tmp_path, pool):
        pool.shutdown()
        report, _ = await run(setup_in(tmp_path), workers=GivenWorkers(pool, 2))
        assert report.halted.startswith("the executor takes no more tasks: cannot schedule")


class TestLostWorkers:
    async def test_its_blocks_are_handed_out_again(self, tmp_path):
        setup = setup_in(tmp_path)
        lost = []

        def dies_once(task):
            if not lost:
                lost.extend(block.id for block in task.blocks)
                raise BrokenExecutor("a process ended abruptly")
            return play(task)

        report, log = await run(setup, dies_once)
        assert report.over
        (event,) = log.of(events.WorkerLost)
        assert (tuple(lost), "a process ended abruptly") == (event.blocks, event.words)
        assert BLOCKS == len(stored(setup))

    async def test_a_block_that_takes_three_along_halts_and_is_named(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=tuple(range(1, 40)))
        tries = []

        def dies_of_seven(task):
            if any(block.opening.seed == 7 for block in task.blocks):
                tries.append(len(task.blocks))
                raise BrokenExecutor("a process ended abruptly")
            return play(task)

        report, log = await run(setup, dies_of_seven)
        assert report.halted.endswith("(A - B, seed 7): 3 workers died while playing it")
        # With others at first, then alone, so that nobody else is blamed.
        assert [1, 1] == tries[1:]
        assert 3 == len(log.of(events.WorkerLost))
        assert 7 not in {block.seed for block in stored(setup)}


class TestLowering:
    async def _run(self, setup, pool, slots, void=lambda _: 0, stall=0.06):
        def stalls(task):
            done = [
                finished(task, block, void=void(block.opening.seed), stall=stall)
                for block in task.blocks
            ]
            return [attrs.evolve(one, seconds=2.0) for one in done]  # tasks of one block each

        return await run(setup, stalls, workers=Neighbours(pool, slots))

    async def test_each_void_match_takes_a_slot_down_to_one(self, tmp_path, pool):
        setup = setup_in(tmp_path, seeds=tuple(range(1, 30)))
        report, log = await self._run(setup, pool, 3, void=lambda _: 1)
        assert report.over
        assert [2, 1] == [event.slots for event in log.of(events.Lowered)]
        words = log.of(events.Lowered)[0].words
        assert "concurrency 2: a match was void, as the host stalled for 60 ms" == words

    async def test_stalls_that_voided_nothing_do_not(self, tmp_path, pool):
        _, log = await self._run(setup_in(tmp_path), pool, 3)
        assert [] == log.of(events.Lowered)

    async def test_what_was_handed_out_with_more_slots_does_not(self, tmp_path, pool):
        """The first three blocks, which begin together, are all void: only one slot goes."""
        setup = setup_in(tmp_path, bots=2, seeds=tuple(range(1, 9)))
        _, log = await self._run(setup, pool, 3, void=lambda seed: int(seed <= 3))
        assert [2] == [event.slots for event in log.of(events.Lowered)]

    async def test_workers_elsewhere_are_left_alone(self, tmp_path, pool):
        """Fewer of them wouldn't help: they are on other machines."""

        def stalls(task):
            return [finished(task, block, void=1, stall=0.06) for block in task.blocks]

        _, log = await run(setup_in(tmp_path), stalls, workers=GivenWorkers(pool, 3))
        assert [] == log.of(events.Lowered)


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
            reports = []

            async def main():
                reports.append(await director.run())

            async with trio.open_nursery() as nursery:
                nursery.start_soon(main)
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
        go, begun = threading.Event(), threading.Event()

        def waits(task):
            begun.set()
            go.wait(PATIENCE)
            return play(task)

        with directing(setup, waits, threads=1) as director:
            reports = []

            async def main():
                reports.append(await director.run())

            async with trio.open_nursery() as nursery:
                nursery.start_soon(main)
                await happens(begun)
                director.finish()
                director.stop()
            (report,) = reports
            assert (False, True) == (report.over, report.interrupted)
            go.set()
        assert [] == stored(setup)

    async def test_cancelling_is_stopping(self, tmp_path):
        setup = setup_in(tmp_path, bots=2, seeds=(1, 2, 3))
        go, begun = threading.Event(), threading.Event()

        def waits(task):
            begun.set()
            go.wait(PATIENCE)
            return play(task)

        with directing(setup, waits, threads=1) as director:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(director.run)
                await happens(begun)
                nursery.cancel_scope.cancel()
            go.set()
        report, _ = await run(setup)
        assert report.over

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
    log = Log()

    def hear(event):
        log(event)
        if len(log.of(events.BlockDone)) == 2:
            two.set()

    with directing(setup, last_waits, threads=1, on_event=hear) as director:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(director.run)
            await happens(two)
            standings = await director.standings()
            assert (2, 3, False) == (standings.blocks, standings.planned, standings.over)
            go.set()


async def test_a_second_run_at_the_same_time_is_refused(tmp_path):
    setup = setup_in(tmp_path)
    with (
        directing(setup),
        Store.open(setup.database) as store,
        pytest.raises(StoreError, match="in use by another"),
        store.lock(),
    ):
        pytest.fail("two have the lock")


def test_another_tournament_with_the_same_records_is_refused(tmp_path):
    """It would remove what the first one's workers write."""
    one = setup_in(tmp_path, records="records")
    other = setup_in(tmp_path, name="other", records="records", database="other.db")
    with (
        open_tournament(one, concurrency=1),
        pytest.raises(StoreError) as refused,
        open_tournament(other, concurrency=1),
    ):
        pytest.fail("two write into one folder")
    words = f"{one.records}: in use by another tournament; give each its own folder of records"
    assert words == str(refused.value)
    with open_tournament(other, concurrency=1):
        pass


@pytest.mark.parametrize(("elo1", "decision"), [(400.0, "H0"), (1e-9, "")])
async def test_the_decision_of_a_version_test(tmp_path, elo1, decision):
    """Two alike: not 400 Elo apart. What can't be told apart isn't."""
    setup = setup_in(
        tmp_path, bots=2, seeds=(1,), format="sprt", blocks=40, sprt={"elo0": 0.0, "elo1": elo1}
    )
    report, _ = await run(setup)
    assert report.over
    assert decision == report.decision


async def test_only_a_version_test_decides(tmp_path):
    report, _ = await run(setup_in(tmp_path))
    assert "" == report.decision


async def test_the_format_hears_of_blocks_in_the_order_of_commits(tmp_path):
    setup = setup_in(tmp_path)

    class Listening:
        def __init__(self):
            self._format = format_of(setup)
            self.heard = []

        def record(self, pairing, played):
            self.heard.append(setup.block_id(pairing.bots, setup.opening(pairing.opening)))
            self._format.record(pairing, played)

        def __getattr__(self, name):
            return getattr(self._format, name)

    first, second = Listening(), Listening()
    await run(setup, format_=first)
    ids = [block.id for block in stored(setup)]
    assert ids == first.heard
    await run(setup, format_=second)
    assert ids == second.heard


async def test_when_it_is_over_a_lost_block_is_not_wanted_any_more(tmp_path):
    """As a version test that has decided meanwhile."""
    setup = setup_in(tmp_path, format="ladder")
    stored_one = threading.Event()
    tries = []

    class Short:
        """Over with its first block."""

        def __init__(self):
            self._format = format_of(setup)
            self._over = False

        def record(self, pairing, played):
            self._over = True
            self._format.record(pairing, played)

        def over(self):
            return self._over

        def __getattr__(self, name):
            return getattr(self._format, name)

    def second_is_lost(task):
        tries.append(task)
        if len(tries) == 2:
            stored_one.wait(PATIENCE)
            raise BrokenExecutor("a process ended abruptly")
        return play(task)

    log = Log()

    def hear(event):
        log(event)
        if isinstance(event, events.BlockDone):
            stored_one.set()

    with directing(setup, second_is_lost, threads=2, on_event=hear, format_=Short()) as director:
        report = await director.run()
    assert (True, "") == (report.over, report.halted)
    assert (2, 1) == (len(tries), len(stored(setup)))
    assert 1 == len(log.of(events.WorkerLost))
