"""Players of the original kits that stay from match to match, in a process of its own for each."""

from pathlib import Path

import pytest

from e2e.running import wait_until
from kit.conftest import converse, player
from languages.built import BUILDS
from lanista.competition import worker
from lanista.competition.worker import play_blocks, try_bot
from lanista.games import registry
from lanista.games.base import complete_settings, start_game
from lanista.games.outcome import Ending, Outcome, Termination
from lanista.match.record import read_record
from support.encoders import encoder_of
from support.tournament import setup_of, task_of

pytestmark = BUILDS

PLAYER = "hogwarts/AIGlobals"


@pytest.fixture(autouse=True)
def _ends():
    """Bots that are kept end with the test."""
    yield
    worker.close()


def setup_with(folder, **more):
    """A tournament of the player, with more keys of its table, and three house bots."""
    bots = [("Kit", player(PLAYER), more), *((name, "Demo") for name in "ABC")]
    return setup_of(folder, *bots, game="hogwarts", seeds=[1], settings={"NUM_ROUNDS": 12})


def play(setup, folder):
    """The four matches of a block, each with its record."""
    [block] = play_blocks(task_of(setup, 0, playing=folder))
    worker.close()
    return [
        (match, read_record(folder / block.records[match.record])) for match in block.result.matches
    ]


def of_kit(match, record):
    """The player's seat in a match's result and its entry in the record."""
    places = [place for place, seat in enumerate(match.seats) if seat.bot == "Kit"]
    return match.seats[places[0]], record.result.bots[places[0]]


def test_kept_it_plays_as_started_afresh(compiler, tmp_path):
    """Its orders follow from globals, a static variable and `rand`, so these are new each time."""
    mark = tmp_path / "mark"
    afresh = play(setup_with(tmp_path, restart=True), tmp_path)
    kept = play(setup_with(tmp_path, environment={"MARK": str(mark)}), tmp_path)

    assert 4 == len(kept)
    assert [match.digest for match, _ in afresh] == [match.digest for match, _ in kept]
    for match, record in kept:
        seat, info = of_kit(match, record)
        assert (Ending.NORMAL, "is kept for the next match") == (seat.ending, info.exit)
        assert "loaded\nplays 0, drawn 0\n" == info.output
    processes, parents = zip(*(line.split() for line in mark.read_text().splitlines()), strict=True)
    assert (4, 1) == (len(set(processes)), len(set(parents)))


@pytest.mark.parametrize(
    ("end", "words", "last"),
    [
        ("signal", "killed by SIGSEGV", "last words"),
        ("code", "exited with code 7", "last words"),
        (
            "exception",
            "exited with code 1",
            "Kit: round 3: the player ended by an exception: not again",
        ),
    ],
)
def test_a_later_match_ends_it_as_the_first_would(compiler, tmp_path, end, words, last):
    """The second match of its process: what it is told by is what it would be of a new process."""
    mark = tmp_path / "mark"
    setup = setup_with(tmp_path, environment={"MARK": str(mark), "END": end})
    [first, second, *_] = play(setup, tmp_path)

    seat, info = of_kit(*first)
    assert (Ending.NORMAL, "is kept for the next match") == (seat.ending, info.exit)
    seat, info = of_kit(*second)
    said = f"its process {words}: {last}"
    assert (Ending.CRASH, said, words) == (seat.ending, seat.words, info.exit)
    assert info.output.endswith(f"{last}\n")


def test_a_tournaments_check_has_nothing_to_warn_of(compiler, tmp_path):
    setup = setup_with(tmp_path)
    trial = try_bot(setup.match_setup, setup.contestants["Kit"], setup.opening(0))

    assert ("", "") == (trial.trouble, trial.warning)


def conversation(*, keeps):
    """Return what a bot is sent in a match of one round: up to its `go`, and the end."""
    ruleset = registry.get("hogwarts")
    settings = complete_settings(ruleset, {"NUM_ROUNDS": 1})
    game = start_game(ruleset, settings, 1)
    encoder = encoder_of(ruleset, settings, 1)
    status = (0.0,) * 4
    outcome = Outcome(
        termination=Termination.FINISHED, ranks=(1,) * 4, scores=(0,) * 4, reason="rounds"
    )
    opening = encoder.opening(game, 0, status)
    return opening, encoder.closing(game, 0, outcome, status, keeps=keeps)


def run(talk, **env):
    """Run the player, and talk with it; what it printed, and its exit code."""
    code, out, err = converse(player(PLAYER), talk, **env)
    assert "" == err
    return out, code


def test_what_was_read_with_a_matchs_end_isnt_lost(compiler):
    """Three matches and the goodbye in one piece: the first process has read all of it. And what is
    in a buffer when a match's process begins is written once by each.
    """
    opening, closing = conversation(keeps=True)
    answers = []

    def talk(connection, lines, _):
        assert b"Globals v=1 game=hogwarts keep=1\n" == lines.readline()
        connection.sendall(b"welcome v=1\nwait 1 4\n" + 3 * (opening + closing) + b"bye\n")
        answers.extend(lines.readline() for _ in range(3))
        assert b"" == lines.readline()

    assert ("loaded\nplays 0, drawn 0\n" * 3, 0) == run(talk, LANISTA_KEEP="1")
    assert answers[0].startswith(b"m ")
    assert 1 == len(set(answers))


def test_a_matchs_process_is_there_before_the_match(compiler):
    """Else forking it would be counted as time for the first answer."""
    opening, closing = conversation(keeps=True)

    def talk(connection, lines, pid):
        children = Path(f"/proc/{pid}/task/{pid}/children")

        def has_two(*, without=frozenset()):
            pids = set(children.read_text().split())
            return 2 == len(pids) and not pids & without

        connection.sendall(b"welcome v=1\n")
        wait_until(has_two, "one process plays, one waits")
        first, second = children.read_text().split()
        connection.sendall(opening + closing)
        wait_until(lambda: has_two(without={first}), "the first match's process is gone")
        assert second in children.read_text().split()
        connection.sendall(b"bye\n")

    assert ("loaded\nplays 0, drawn 0\n", 0) == run(talk, LANISTA_KEEP="1")


@pytest.mark.parametrize("env", [{}, {"LANISTA_KEEP": "1", "THREAD": "1"}])
def test_it_stays_only_if_asked_and_without_threads_of_its_own(compiler, env):
    """A thread that a global's constructor starts wouldn't be there in a forked process."""
    opening, closing = conversation(keeps=False)

    def talk(connection, lines, _):
        assert b"Globals v=1 game=hogwarts\n" == lines.readline()
        connection.sendall(b"welcome v=1\n" + opening + closing)
        assert lines.readline().startswith(b"m ")
        assert b"" == lines.readline()

    assert ("loaded\nplays 0, drawn 0\n", 0) == run(talk, **env)
