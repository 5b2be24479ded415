"""What a tournament shows while it is played, event by event: in lines, as JSON, live."""

import io
import json
from pathlib import Path

import attrs
import pytest
from rich.console import Console

from lanista.cli.tables import show
from lanista.cli.tournament_live import (
    JsonDisplay,
    LineDisplay,
    LiveDisplay,
    Silenced,
    duration,
    note_of,
    progress_line,
    table,
)
from lanista.cli.tournament_run import slowest_seat
from lanista.competition import events
from lanista.competition.formats.base import Progress
from lanista.games.outcome import Ending
from ratings.samples import TWO, row, standings
from results import samples
from results.samples import seat

RECORDS = Path("/cup.records")
NASTY = "\x1b[2Jboo\nfoo"
"""A terminal would be cleared by it, a line forged."""
BEGUN = events.Begun(
    name="cup",
    game="angrymob",
    format="round-robin",
    bots=("A", "B"),
    seats=2,
    progress=Progress(played=0, planned=45),
    matches=0,
    slots=2,
)


def match(*endings, words=""):
    """A match of which this became."""
    seats = [seat(bot, 1, end, words=words) for bot, end in zip("AB", endings, strict=True)]
    return samples.match(0, *seats, record="ab/ab12-0.jsonl.gz")


def done(played, *matches, **more):
    """A block was played."""
    values = {
        "block": "ab12",
        "bots": ("A", "B"),
        "seed": 7,
        "map": "",
        "matches": matches,
        "progress": Progress(played=played, planned=45),
        "running": 2,
        "slots": 2,
        "rate": 3.14,
        "eta": 21.4,
    }
    return events.BlockDone(**values | more)


NORMAL = match(Ending.NORMAL, Ending.NORMAL)


class Clock:
    """In place of the module `time`: a clock that is moved by hand."""

    now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def lines(monkeypatch):
    """A display in lines: itself, its clock, and the lines so far."""
    file, clock = io.StringIO(), Clock()
    monkeypatch.setattr("lanista.cli.tournament_live.time", clock)
    display = LineDisplay(Console(file=file, width=500), RECORDS)
    return display, clock, lambda: file.getvalue().splitlines()


def test_lines_tell_how_far_it_is_now_and_then(lines):
    display, clock, told = lines
    display.event(BEGUN)
    for second in range(1, 121):
        clock.now = second
        display.event(done(second, NORMAL))
    first, *others = told()
    assert "cup: angrymob, round-robin, 2 bots; 0 of 45 blocks; concurrency 2" == first
    assert "30 of 45 blocks, 3.1 matches/s, 2 running, 0:00:21 left" == others[0]
    assert 4 == len(others)


def test_lines_tell_every_failure_at_once_and_printable(lines):
    display, _, told = lines
    display.event(done(1, match(Ending.NORMAL, Ending.CRASH, words=NASTY), NORMAL))
    display.event(done(2, match(Ending.LATE, Ending.START_FAILURE), map="pit"))
    assert [
        "B: crash: \\x1b[2Jboo\\nfoo (against A; seed 7, record /cup.records/ab/ab12-0.jsonl.gz)",
        "A: late (against B; seed 7, map pit, record /cup.records/ab/ab12-0.jsonl.gz)",
        "B: start-failure (against A; seed 7, map pit, record /cup.records/ab/ab12-0.jsonl.gz)",
    ] == told()


def test_a_void_ending_is_no_failure(lines):
    display, _, told = lines
    display.event(done(1, match(Ending.VOID, Ending.VOID), NORMAL))
    assert [] == told()


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (events.Lowered(slots=1, words="concurrency 1: the host stalled"), "concurrency 1"),
        (events.Benched(bot="A", failures=5, words="crash"), "benched: A failed 5 matches"),
        (
            events.WorkerLost(words="killed", blocks=("ab", "cd")),
            "a worker died, so 2 blocks will be played again: killed",
        ),
        (events.Halted(words="disk full"), "halted: disk full"),
        (
            events.Voided(block="ab", bots=("A", "B"), count=1, stall=0.25),
            "void: 1 match of A, B: this machine stalled for 250 ms; played again",
        ),
        (
            events.Finishing(running=3),
            "finishing 3 running blocks; Ctrl-C again stops at once; run the same command again to",
        ),
        (events.Finishing(running=1), "finishing 1 running block;"),
    ],
)
def test_every_note_is_told(lines, event, words):
    display, _, told = lines
    display.event(event)
    (line,) = told()
    assert line.startswith(words)


def test_at_the_end_stand_the_table_and_where_results_lie(lines):
    display, _, told = lines
    display.end(TWO, ["results cup.db", f"halted: {NASTY}"])
    text = told()
    assert any("1623 ±22" in line and "Grav|ity" in line for line in text)
    assert ["results cup.db", "halted: \\x1b[2Jboo\\nfoo"] == text[-2:]


def test_json_is_an_object_a_line_and_the_last_are_the_standings(capsys):
    display = JsonDisplay()
    display.event(BEGUN)
    display.event(done(1, match(Ending.NORMAL, Ending.CRASH, words=NASTY)))
    display.event(events.Finishing(running=1))
    display.end(TWO, ["results cup.db"])
    printed = capsys.readouterr()
    told = [json.loads(line) for line in printed.out.splitlines()]
    assert ["begun", "block-done", "finishing", "standings"] == [one["event"] for one in told]
    assert {1} == {one["schema"] for one in told}
    assert NASTY == told[1]["matches"][0]["seats"][1]["words"]
    assert [row.bot for row in TWO.rows] == [one["bot"] for one in told[-1]["standings"]]
    assert printed.out.isascii()
    assert printed.err.startswith("finishing 1 running block")


@pytest.fixture
def screen():
    """A live display on a small terminal: itself, and what was drawn since last asked."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, height=20, color_system=None)

    def drawn():
        text = file.getvalue()
        file.seek(0)
        file.truncate()
        return text

    with LiveDisplay(console, RECORDS) as display:
        yield display, drawn


def test_live_shows_progress_table_and_failures(screen):
    display, drawn = screen
    display.refresh()
    display.event(BEGUN)
    drawn()
    display.refresh()
    assert "0 of 45 blocks played" in drawn()
    for number in range(1, 7):
        words = f"{number} {NASTY}"
        display.event(done(number, match(Ending.NORMAL, Ending.CRASH, words=words)))
    display.standings(TWO)
    display.refresh()
    text = drawn()
    assert "6 of 45 blocks, 3.1 matches/s, 2 running, 0:00:21 left" in text
    assert "1623 ±22" in text
    assert "failures: 6, the last ones:" in text
    assert "crash: 2 " not in text  # four are shown
    assert "crash: 3 \\x1b[2Jboo\\nfoo" in text
    # At once: there may be no other time, since what runs may end before that.
    display.event(events.Finishing(running=2))
    assert "finishing 2 running blocks" in drawn()


@pytest.mark.parametrize("width", [80, 60])
def test_numbers_of_the_table_are_whole_in_a_narrow_terminal(width):
    """Names and titles are cut instead; in 80 columns no title is."""
    bots = [attrs.evolve(bot, bot=f"{bot.bot}-the-second") for bot in TWO.rows]
    file = io.StringIO()
    Console(file=file, width=width).print(table(attrs.evolve(TWO, rows=bots)))
    titles, _, first, *_ = file.getvalue().splitlines()
    assert first.split()[1].startswith("Grav|")
    assert "1623 ±22" in first
    assert "15-5-4" in first
    if width == 80:
        assert ["rank", "bot", "matches", "points", "rating", "ranks"] == titles.split()[:6]


def test_a_table_that_fits_in_no_way_goes_beyond_the_terminal():
    """A number that was cut there would be read as another one."""
    file = io.StringIO()
    show(table(TWO), Console(file=file, width=40, force_terminal=True, color_system=None))
    assert "15-5-4" in file.getvalue()


def test_failures_alone_are_red():
    """`none` is no failure."""
    file = io.StringIO()
    colours = {"force_terminal": True, "color_system": "standard", "no_color": False}
    Console(file=file, width=120, **colours).print(table(TWO))
    assert "   \x1b[31m1 start-failure\x1b[0m\n" in file.getvalue()
    assert "   none" in file.getvalue()


def test_live_notes_stay_above(screen):
    display, drawn = screen
    display.event(events.Benched(bot="A", failures=5, words=NASTY))
    assert "benched: A failed 5 matches in a row, and plays no more: \\x1b[2Jboo" in drawn()


def test_live_cuts_a_table_that_is_higher_than_the_terminal(screen):
    display, drawn = screen
    display.event(BEGUN)
    display.standings(standings([row(1, f"bot {number:02}") for number in range(40)]))
    display.refresh()
    text = drawn()
    assert "bot 12" in text  # 20 lines, of which 7 are for all else
    assert "bot 13" not in text
    assert "27 more" in text


def test_an_output_that_is_gone_is_no_trouble():
    """A terminal that was closed: what follows is said to nobody, and nothing fails."""

    class Gone(LineDisplay):
        calls = 0

        def event(self, _):
            self.calls += 1
            raise OSError(5, "Input/output error")

    gone = Gone(Console(file=io.StringIO()), RECORDS)
    display = Silenced(gone)
    for _ in range(2):
        with display.shown() as shown:
            shown.event(BEGUN)
    with display.shown() as shown:
        shown.end(TWO, [])
    assert 1 == gone.calls
    assert "Input/output error" == display.trouble


def test_an_error_of_our_own_is_no_output_that_is_gone():
    class Broken(LineDisplay):
        def refresh(self):
            raise KeyError("a fault")

    silenced = Silenced(Broken(Console(file=io.StringIO()), RECORDS))
    with pytest.raises(KeyError), silenced.shown() as shown:
        shown.refresh()


def test_progress_where_nobody_knows_the_end():
    event = attrs.evolve(done(3), progress=Progress(played=3, planned=None), rate=0.0, eta=None)
    assert "3 blocks, 2 running" == progress_line(event)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0:00:00"), (59.6, "0:01:00"), (3725, "1:02:05"), (90_061, "1 day, 1:01:01")],
)
def test_durations_are_told(seconds, words):
    assert words == duration(seconds)


def test_what_is_no_note_says_nothing():
    assert "" == note_of(done(1, NORMAL))


def test_a_match_is_expected_to_take_as_long_as_its_slowest_bot():
    """Of three bots, two pairs have the slow one; four seats of three bots always have it."""
    assert (9 + 9 + 2) / 3 == pytest.approx(slowest_seat([1.0, 9.0, 2.0], 2))
    assert 9 == slowest_seat([1.0, 9.0, 2.0], 4)
