"""What a worker plays: blocks with real bots, kept from match to match; endings told apart."""

import gc
import io
import itertools
import multiprocessing
import os
import shlex
import signal
import sys
import tarfile
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import trio

from bots_start.arena import needs_sandbox
from bots_start.processes import children
from e2e.running import PATIENCE, bot, wait_until
from lanista.competition import block_player, worker
from lanista.competition.worker import WorkError, play_blocks, try_bot
from lanista.games.outcome import Ending
from lanista.hosting.names import bot_command
from lanista.match.record import read_record
from lanista.match.runner import Match
from lanista.match.stalls import StallMonitor
from support.tournament import setup_of, task_of


@pytest.fixture(autouse=True)
def _ends():
    """Bots that are kept end with the test."""
    yield
    worker.close()


JOE = ("Joe", "CamperJoe")
RUNNERS = ("Runners", "RandomRunners")


def played(folder, *bots, playing=None, **more):
    """The first block of a tournament of these bots."""
    [finished] = play_blocks(task_of(setup_of(folder, *bots, **more), 0, playing=playing))
    return finished


def seats_of(*blocks):
    """All seats of the matches of blocks that were played."""
    return [seat for block in blocks for match in block.result.matches for seat in match.seats]


def tried(setup):
    """The trial of the first bot."""
    return try_bot(setup.match_setup, setup.contestants[setup.bots[0]], setup.opening(0))


def check_records(finished, place):
    """Check that the records that came as bytes are those of the block's matches."""
    for match in finished.result.matches:
        place.write_bytes(finished.records[match.record])
        assert match.digest == read_record(place).result.digest


def test_the_same_block_gives_the_same_results_whoever_played_before(tmp_path):
    """Kept bots begin each match anew: else a resumed tournament would be another one.

    Where no folder is shared, as here, records come back as bytes.
    """
    setup = setup_of(tmp_path, ("One", "RandomRunners"), ("Two", "RandomRunners"))
    first = []
    for finished in play_blocks(task_of(setup, 0, 1, 2)):
        check_records(finished, tmp_path / "record.jsonl.gz")
        first += [match.digest for match in finished.result.matches]
    worker.close()
    again = [
        match.digest
        for finished in play_blocks(task_of(setup, 2, 1, 0))
        for match in finished.result.matches
    ]

    assert first == again[4:] + again[2:4] + again[:2]


def house_bot(folder, before):
    """A script that is CamperJoe, and does something at the start of each match."""
    script = folder / "bot.py"
    script.write_text(
        "import os, sys, time\n"
        "from lanista.games.angrymob.house_bots.camper_joe import CamperJoe\n"
        "from lanista.games.house_bot import play\n"
        "class Bot(CamperJoe):\n"
        "    def __init__(self, state):\n"
        f"        {before}\n"
        "sys.exit(play('x', 'angrymob', Bot))\n"
    )
    return f"{sys.executable} {script}"


@pytest.fixture
def mortal(tmp_path):
    """A bot that writes its process id into a file at the start of each match, and that file."""
    pid = tmp_path / "pid"
    bot = house_bot(tmp_path, f"open({str(pid)!r}, 'w').write(str(os.getpid()))")
    return ("Mortal", bot), pid


@pytest.mark.parametrize(
    "other",
    [(bot("classic"),), ("CamperJoe", {"restart": True})],
    ids=["classic", "restart"],
)
def test_bots_are_kept_where_they_can_stay(tmp_path, other):
    """JOE says keep=1; a script of the classic dialect, or with `restart`, plays one match."""
    finished = played(tmp_path, JOE, ("Other", *other), playing=tmp_path)

    for match in finished.result.matches:
        infos = read_record(tmp_path / finished.records[match.record]).result.bots
        told = {seat.bot: info.exit for seat, info in zip(match.seats, infos, strict=True)}
        assert {"Joe": "is kept for the next match", "Other": "exited with code 0"} == told
        assert {Ending.NORMAL} == {seat.ending for seat in match.seats}


def test_a_kept_bot_is_one_process_until_the_worker_closes(tmp_path):
    """And its matches leave nothing for the garbage collector."""
    before = children()
    setup = setup_of(tmp_path, JOE, RUNNERS)
    play_blocks(task_of(setup, 0))
    kept = children() - before
    gc.collect()
    gc.disable()
    try:
        play_blocks(task_of(setup, 1))
        assert [] == [each for each in gc.get_objects() if isinstance(each, Match)]
    finally:
        gc.enable()

    assert 2 == len(kept)
    assert kept == children() - before
    worker.close()
    assert set() == children() - before


def test_a_kept_bot_that_died_meanwhile_is_started_again(tmp_path, mortal):
    mortal, pid = mortal
    setup = setup_of(tmp_path, mortal, RUNNERS)
    play_blocks(task_of(setup, 0))
    first = int(pid.read_text())
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{first}/fd").exists(), "the bot is gone")
    [finished] = play_blocks(task_of(setup, 1))

    assert {Ending.NORMAL} == {seat.ending for seat in seats_of(finished)}
    assert first != int(pid.read_text())


@pytest.mark.parametrize(
    ("script", "ending", "words"),
    [
        ("illegal", Ending.ILLEGAL, ""),
        ("malformed", Ending.MALFORMED, ""),
        ("dies_in_play", Ending.CRASH, "its process exited with code 1"),
        pytest.param(
            "dies_mid_line", Ending.CRASH, "its process killed by SIG", marks=pytest.mark.long
        ),
        ("leaves", Ending.DISCONNECT, ""),
        pytest.param("late", Ending.LATE, "no answer within 1 s", marks=pytest.mark.long),
        ("falls_silent", Ending.NO_RESPONSE, "no answer within 1 s"),
        pytest.param("not_utf8", Ending.MALFORMED, "", marks=pytest.mark.long),
        pytest.param("long_line", Ending.MALFORMED, "", marks=pytest.mark.long),
    ],
)
def test_the_ending_is_told_apart_and_costs_the_match(tmp_path, script, ending, words):
    clock = {"stall_margin": 60.0} if "no answer" in words else {}
    clock |= {"late": {"time_move": 1.0}, "falls_silent": {"time_init": 1.0}}.get(script, {})
    finished = played(tmp_path, JOE, ("Bad", bot(script)), clock=clock)

    assert "" == finished.trouble
    for match in finished.result.matches:
        joe, bad = sorted(match.seats, key=lambda seat: seat.bot != "Joe")
        assert (Ending.NORMAL, 1, ending, 2) == (joe.ending, joe.rank, bad.ending, bad.rank)
        assert bad.words.startswith(words)
        assert bad.words


@pytest.mark.parametrize(
    ("command", "start", "words"),
    [
        (
            r"""sh -c 'printf "first\nno such library \033\n"; exit 3'""",
            60.0,
            r"exited with code 3 before it said hello: no such library \x1b",
        ),
        (bot("no_name"), 60.0, "its hello was refused: bad-hello"),
        pytest.param(bot("silent"), 2.0, "no hello within 2 s", marks=pytest.mark.long),
    ],
)
def test_a_bot_that_doesnt_come_loses_and_says_why(tmp_path, command, start, words):
    """With the last line of its output, as whoever looks for the cause may have nothing else."""
    finished = played(tmp_path, JOE, ("Absent", command), clock={"time_start": start})

    for match in finished.result.matches:
        assert ("forfeit", "start-failure", None) == (match.end, match.reason, match.record)
        by_name = {seat.bot: seat for seat in match.seats}
        assert (1, Ending.NORMAL) == (by_name["Joe"].rank, by_name["Joe"].ending)
        assert (2, Ending.START_FAILURE) == (by_name["Absent"].rank, by_name["Absent"].ending)
        assert by_name["Absent"].words.startswith(words)


def test_four_players_with_an_absent_one(tmp_path):
    """The three that came tie; nobody is blamed but the absent one."""
    finished = played(
        tmp_path, *((name, "Null") for name in "ABC"), ("Absent", "sh -c 'exit 3'"), game="hogwarts"
    )

    assert 4 == len(finished.result.matches)
    for match in finished.result.matches:
        assert {("A", 1), ("B", 1), ("C", 1), ("Absent", 4)} == {
            (seat.bot, seat.rank) for seat in match.seats
        }


def test_a_bot_against_itself_is_two_processes(tmp_path):
    """A version test of four seats has each version twice."""
    before = children()
    setup = setup_of(tmp_path, JOE)
    [finished] = play_blocks(task_of(setup, 0, bots=("Joe", "Joe")))

    assert 2 == len(children() - before)
    assert [("Joe", "Joe")] == [
        tuple(seat.bot for seat in match.seats) for match in finished.result.matches
    ]


def voids(monkeypatch, *matches):
    """Have the host stall in the matches of these numbers, from 1."""
    seen = itertools.count(1)
    real = StallMonitor.watching
    now = [0]

    def watching(self):
        now[0] = next(seen)
        return real(self)

    monkeypatch.setattr(StallMonitor, "watching", watching)
    monkeypatch.setattr(StallMonitor, "worst", lambda *_: 1.0 if now[0] in matches else 0.0)


def test_a_void_match_is_played_again_with_fresh_bots_and_the_same_seed(tmp_path, monkeypatch):
    voids(monkeypatch, 1)
    late = ("Late", bot("late"))
    finished = played(tmp_path, JOE, late, clock={"time_move": 0.3}, playing=tmp_path)

    assert "" == finished.trouble
    assert [(0, 1, "void"), (0, 2, "forfeit"), (1, 1, "forfeit")] == [
        (match.seating, match.attempt, match.end) for match in finished.result.matches
    ]
    void, again, _ = finished.result.matches
    assert {Ending.VOID} == {seat.ending for seat in void.seats}
    assert [False, True] == [void.counted, again.counted]
    told = [read_record(tmp_path / finished.records[match.record]) for match in (void, again)]
    assert 1 == len({record.header.seed for record in told})
    assert all("kept" not in info.exit for info in told[0].result.bots), "not afresh"


def test_two_voids_in_a_row_are_the_blocks_trouble(tmp_path, monkeypatch):
    voids(monkeypatch, 1, 2)
    finished = played(tmp_path, JOE, ("Late", bot("late")), clock={"time_move": 0.3})

    assert finished.trouble.startswith("two void matches in a row with seed 1: this machine stalls")
    assert ["void", "void"] == [match.end for match in finished.result.matches]


def test_records_of_brief_matches_come_back_as_bytes_if_they_may(tmp_path, monkeypatch):
    """Once a match was brief, though a folder is shared; its record is in no file then."""
    monkeypatch.setattr(block_player, "BRIEF", 1000.0)
    setup = setup_of(tmp_path, JOE, RUNNERS)
    play_blocks(task_of(setup, 0, playing=tmp_path, tells=False))
    files = set(tmp_path.rglob("*.jsonl.gz*"))
    [finished] = play_blocks(task_of(setup, 1, playing=tmp_path, tells=False))
    assert files == set(tmp_path.rglob("*.jsonl.gz*"))
    check_records(finished, tmp_path / "held.jsonl.gz")


def test_a_folder_that_cant_be_written_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WorkError, match=r"no record can be written, .*file.*: "):
        play_blocks(task_of(setup_of(tmp_path, JOE, RUNNERS), 0, playing=tmp_path / "file"))


def test_a_worker_without_a_bots_folder_or_file_lets_none_lose(tmp_path):
    setup = setup_of(tmp_path / "gone", JOE, RUNNERS)
    with pytest.raises(WorkError, match=r"Joe can't run on .*: there is no folder .*gone"):
        play_blocks(task_of(setup, 0))

    script = tmp_path / "mine.py"
    script.touch()
    setup = setup_of(tmp_path, ("Mine", "python3 mine.py --fast"), JOE)
    assert ("python3", "mine.py") == setup.contestants["Mine"].needs
    script.unlink()
    with pytest.raises(WorkError, match=r"Mine can't run on .*: in .* no mine\.py, .*; copy it"):
        play_blocks(task_of(setup, 0))


def test_an_error_comes_out_of_the_groups_of_nurseries(tmp_path, monkeypatch):
    """The manager goes on or halts by the type of an error."""
    errors = [ExceptionGroup("of a nursery", [OSError("no room")])]

    async def take_all(*_):
        while not errors:
            await trio.sleep_forever()
        raise errors.pop()

    monkeypatch.setattr(worker.BotPool, "take_all", take_all)
    with pytest.raises(OSError, match="no room"):
        played(tmp_path, JOE, RUNNERS)


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        ("CamperJoe", ""),
        (
            bot("classic"),
            "doesn't stay for another match (keep=1), so it is started anew for each",
        ),
    ],
    ids=["stays", "leaves"],
)
def test_a_good_bot_passes_its_trial(tmp_path, command, warning):
    trial = tried(setup_of(tmp_path, ("Good", command)))

    assert ("Good", "", warning, 12) == (trial.bot, trial.trouble, trial.warning, trial.turns)
    assert 0 < trial.hello_after < 60


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (bot("illegal"), "illegal: "),
        ("sh -c 'echo no such library; exit 3'", "start-failure: exited with code 3"),
    ],
)
def test_a_trial_says_what_is_wrong(tmp_path, command, words):
    trial = tried(setup_of(tmp_path, ("Bad", command)))

    assert trial.trouble.startswith(words)
    assert ("no such library" in trial.output) == ("library" in command)


def test_a_bot_gets_its_own_variables_and_no_operators_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("LANISTA_WEB_TOKEN", "hunter2")
    told = tmp_path / "environment"
    script = f"sh -c 'env > {told}; exit 3'"
    tried(setup_of(tmp_path, ("Told", script, {"environment": {"LEVEL": "7"}})))

    assert {"LEVEL=7", "LANISTA_NAME=Told", "LANISTA_KEEP=1"} <= {*told.read_text().splitlines()}
    assert "hunter2" not in told.read_text()


def test_closing_gives_up_what_is_under_way(tmp_path):
    """Else Ctrl-C would wait for a bot that never says hello."""
    setup = setup_of(tmp_path, ("Silent", bot("silent")), clock={"time_start": 600.0})
    raised = []

    def try_it():
        with pytest.raises(WorkError, match="the worker was closed") as caught:
            tried(setup)
        raised.append(caught.value)

    before = children()
    thread = threading.Thread(target=try_it)
    thread.start()
    wait_until(lambda: children() - before, "the bot is being started")
    worker.close()
    thread.join(PATIENCE)

    assert 1 == len(raised)
    assert set() == children() - before


def test_processor_time_is_a_matchs_not_a_kept_process(tmp_path):
    """docs/limits.md: 4 matches of 0.4 s under a limit of 1 s: the process is changed in time."""
    burns = house_bot(
        tmp_path,
        "began = time.process_time()\n        while time.process_time() < began + 0.4: pass",
    )
    setup = setup_of(tmp_path, ("Burns", burns, {"limits": "cpu=1"}), JOE)
    blocks = play_blocks(task_of(setup, 0, 1))

    assert [Ending.NORMAL] * 8 == [seat.ending for seat in seats_of(*blocks)]


@pytest.mark.long
def test_a_kept_bot_that_dies_while_another_starts_is_started_again(tmp_path, mortal):
    """It is no crash of the match that hadn't begun."""
    mortal, pid = mortal
    # In the second match it ends the other first, waits until that is noticed, and comes.
    slow = tmp_path / "slow.sh"
    slow.write_text(
        f"if [ -s {pid} ]; then\n"
        f"  kill -9 $(cat {pid})\n"
        f"  while kill -0 $(cat {pid}) 2>/dev/null; do sleep 0.01; done\n"
        "  sleep 0.5\n"
        "fi\n"
        f"exec {shlex.join(bot_command('angrymob', 'CamperJoe')[1])}\n"
    )
    finished = played(tmp_path, mortal, ("Slow", f"sh {slow}", {"restart": True}))

    assert {Ending.NORMAL} == {seat.ending for seat in seats_of(finished)}


def test_two_users_of_a_process_dont_end_each_other(tmp_path):
    """A tournament that is over leaves the bots of another one that is played beside it."""
    before = children()
    play_blocks(task_of(setup_of(tmp_path, JOE, RUNNERS), 0))
    begun, may_end = threading.Event(), threading.Event()

    async def plays(_):
        begun.set()
        await trio.to_thread.run_sync(may_end.wait, PATIENCE)

    other = threading.Thread(target=worker._in_loop, args=(plays,))
    other.start()
    assert begun.wait(PATIENCE)
    worker.end_idle_bots()
    kept = children() - before
    may_end.set()
    other.join(PATIENCE)
    worker.end_idle_bots()

    assert 2 == len(kept)
    assert set() == children() & kept


def test_a_pool_that_forks_from_within_trio_works_too(tmp_path):
    """Its processes have a copy of their parent's trio, which runs nothing there."""
    setup = setup_of(tmp_path, JOE, RUNNERS)
    task = task_of(setup, 0)

    async def main():
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python 3.12 and newer warn of forks
                future = pool.submit(play_blocks, task)
            return await trio.to_thread.run_sync(future.result, PATIENCE)

    [finished] = trio.run(main)
    assert ["finished", "finished"] == [match.end for match in finished.result.matches]


@needs_sandbox
def test_a_sandboxed_bot_sees_neither_the_results_nor_the_spec(tmp_path, one_sandbox):
    """Also where the database is given by a URL; a password may be in the spec."""
    source = tmp_path / "cup.toml"
    source.write_text("secret")
    for name in ("cup.db", "cup.db-wal", "cup.db.lock"):
        (tmp_path / name).write_text("secret")
    (tmp_path / "other.txt").write_text("no secret")
    names = ("cup.toml", "cup.db", "cup.db-wal", "cup.db.lock", "other.txt")
    # What a command names is shown to it, but for this.
    looks = "sh -c 'cat \"$@\"; exit 3' sh " + " ".join(str(tmp_path / name) for name in names)
    more = {"sandbox": "bwrap", "database": "sqlite:///cup.db"}
    trial = tried(setup_of(tmp_path, ("Looks", looks), source=source, **more))

    assert "no secret" in trial.output
    assert 1 == trial.output.count("secret")


@needs_sandbox
def test_a_built_program_runs_in_its_sandbox_and_sees_no_other(tmp_path, one_sandbox):
    """Also where the Python has another path than that with which an arena built it."""
    (tmp_path / "programs").mkdir()
    looks = (
        "import os, sys\n"
        f"print(os.getcwd(), os.listdir({str(tmp_path / 'programs')!r}), sys.executable)\n"
    )
    for name in ("mine", "other"):
        with tarfile.open(tmp_path / "programs" / f"{name}.program", "w") as packed:
            member = tarfile.TarInfo("./bot.py")
            member.size = len(looks)
            packed.addfile(member, io.BytesIO(looks.encode()))
    mine = ("Mine", "{python} bot.py", {"program": "programs/mine.program"})
    trial = tried(setup_of(tmp_path, mine, sandbox="bwrap"))
    assert f"/tmp/bot ['mine.program'] {sys.executable}" in trial.output
