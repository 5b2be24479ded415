"""The director halts where it can't go on, and goes on where only a worker has died."""

from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest

from competition.directed import BLOCKS, Wrapped, one_by_one, run
from lanista.cli import tournament_run
from lanista.competition import events, result_recorder, worker
from lanista.competition.executors import GivenWorkers
from lanista.competition.worker import WorkError
from lanista.errors import StoreError
from lanista.ratings.text import markdown_text
from lanista.results.database import Store
from lanista.results.reading import Reading
from results.samples import asking
from support.thread_workers import play_in_threads
from support.tournament import finished, play, setup_in, stored


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
        ("error", "words", "trace"),
        [
            (WorkError("no record can be written, /x: No space left"), "no record can be", ""),
            (OSError(28, "No space left on device", "/x/y"), "/x/y: No space left on device", ""),
            (KeyError("ours"), "a worker failed: KeyError: 'ours'", "raise error\n"),
            (
                KeyboardInterrupt(),
                "a worker was ended while it played: KeyboardInterrupt: KeyboardInterrupt",
                "",
            ),
            (
                BaseExceptionGroup("a loop", [GeneratorExit()]),
                "a worker was ended while it played: BaseExceptionGroup: a loop (1 sub-exception)",
                "",
            ),
        ],
    )
    async def test_what_a_worker_raises_halts(self, tmp_path, error, words, trace):
        """An error of ours has its trace; the interrupt of a worker isn't ours."""

        def fails(task):
            raise error

        report, log = await run(setup_in(tmp_path), fails)
        assert report.halted.startswith(words)
        assert not report.interrupted
        (halted,) = log.of(events.Halted)
        assert (bool(trace), True) == (bool(halted.trace), trace in halted.trace)

    async def test_a_record_that_the_disk_has_no_room_for_is_named(self, tmp_path, monkeypatch):
        """The system's own error names no file, and records may be on another disk."""
        setup = setup_in(tmp_path)

        def comes_back(task):
            return play(attrs.evolve(task, playing=None))

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(result_recorder, "write_whole", full)
        report, _ = await run(setup, comes_back)
        assert report.halted.startswith(f"{setup.records}/")
        assert report.halted.endswith(".gz: No space left on device")
        assert [] == stored(setup)

    async def test_what_is_committed_stays_when_the_store_fails(self, tmp_path):
        setup = setup_in(tmp_path)

        class Full(Wrapped):
            count = 0

            def add(self, results, benched=()):
                if len(asking(self._real).played()) >= 3:
                    raise StoreError("cup.db: the disk is full")
                return self._real.add(results, benched)

        report, _ = await run(setup, one_by_one, store=Full)
        assert "cup.db: the disk is full" == report.halted
        assert 3 <= len(stored(setup)) < BLOCKS
        report, _ = await run(setup)
        assert report.over
        assert BLOCKS == len(stored(setup))

    async def test_a_store_that_fails_for_good_is_reported(self, tmp_path):
        """The last standings are made of what was known; only the endings aren't."""
        setup = setup_in(tmp_path)

        class Gone(Wrapped):
            is_gone = False

            def add(self, *_):
                self.is_gone = True
                raise StoreError("db: the server can't be reached")

            def reading(self):
                if self.is_gone:
                    raise StoreError("db: gone")
                return self._real.reading()

        report, log = await run(setup, store=Gone)
        assert "db: the server can't be reached" == report.halted
        assert (False, False) == (report.over, report.interrupted)
        assert {0} == {row.matches for row in report.standings.rows}
        assert report.halted == log[-1].halted
        assert isinstance(log[-1], events.Ended)

    async def test_a_store_that_fails_when_all_is_played(self, tmp_path, monkeypatch):
        setup = setup_in(tmp_path)

        def gone(*_):
            raise StoreError("db: gone")

        monkeypatch.setattr(Reading, "endings", gone)
        report, log = await run(setup)
        assert (True, "db: gone") == (report.over, report.halted)
        assert ["db: gone"] == [event.words for event in log.of(events.Halted)]
        assert (BLOCKS, BLOCKS) == (report.standings.blocks, len(stored(setup)))
        assert all(row.rating and row.matches for row in report.standings.rows)
        assert len(setup.bots) == markdown_text(report.standings).count(" | ? |\n")

    def test_the_command_line_says_that_it_halted(self, tmp_path, monkeypatch, capsys):
        """3, not 2: the input was good."""

        def gone(*_):
            raise StoreError("db: gone")

        play_in_threads(monkeypatch)
        monkeypatch.setattr(worker, "_in_loop", lambda work: work(None))
        monkeypatch.setattr(worker, "_play_blocks", lambda _, task: play(task))
        monkeypatch.setattr(Store, "add", gone)
        monkeypatch.setattr(Reading, "endings", gone)
        assert 3 == tournament_run.play(setup_in(tmp_path, concurrency=1), "cup.toml")
        assert "halted: db: gone; run the same command again" in capsys.readouterr().out

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

    async def test_a_broken_executor(self, tmp_path):
        pool = ThreadPoolExecutor(1)
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
