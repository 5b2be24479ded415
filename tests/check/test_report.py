"""Findings and their text from records made by hand: times, stalls, bytes, the whole report."""

import functools

import attrs

from check.checking import under_check
from lanista.bots.process import Exit
from lanista.check import gauntlet
from lanista.check.bout import Bout, Slip, Time, Times, Unasked, times_of
from lanista.check.channels import Tap
from lanista.check.gauntlet import APART, CROWDED, LARGEST, ONE, PLAIN, WORDS, Results
from lanista.check.items import Status, judge, passed, shown
from lanista.cli.check import report
from lanista.errors import printable
from lanista.match.conditions import Clock
from lanista.match.record import FaultInfo, PlayerInfo, Record, ResultInfo, TurnInfo
from lanista_protocol import Hello
from match.test_record import HEADER
from support.example_ruleset import take_away

MS = 1000
"""Microseconds, the unit of a record's times."""
TESTED = under_check(("bot",), time_move=0.2)


@functools.cache
def specs():
    """The bouts by name, made when first asked for: making the largest map takes long."""
    return {spec.name: spec for spec in gauntlet.specs_of(TESTED, ())}


def turn(number, seat, *, verdict="answer", raw="", took=1 * MS, fault=None):
    """A turn of two seats in which the other did all well, and the faults of the seat."""
    faults = []
    if fault is not None:
        code, index, words = fault
        faults = [FaultInfo(turn=number, seat=seat, code=code, index=index, words=words)]
    times = None if took is None else (5, took - 10, took, took + 20)
    both = {seat: (verdict, raw, times), 1 - seat: ("answer", "", (0, 1, 1, 1))}
    verdicts, raws, stamps = zip(*(both[at] for at in (0, 1)), strict=True)
    return TurnInfo(turn=number, verdicts=verdicts, raw=raws, times=stamps, digest=""), faults


def bout(name, *turns, end="finished", **changes):
    """A bout with a match of these turns; `turns` are what `turn` takes besides seat and number."""
    spec = specs()[name]
    players = (PlayerInfo(name="a", protocol="1"),) * 2
    changed = {"game": "angrymob", "settings": {}, "board": "200 200\n", "seed": 5}
    header = attrs.evolve(HEADER, players=players, **changed)
    pairs = [turn(number, spec.seat, **what) for number, what in enumerate(turns)]
    played = tuple(info for info, _ in pairs)
    result = ResultInfo(
        end=end, reason="", ranks=(1, 1), scores=(1, 1), turns=len(played), digest=""
    )
    made = Bout(spec)
    made.hello = Hello(name="Ann", version=1)
    made.hello_after = 0.25
    made.names = ("Ann", "quiet-1") if spec.seat == 0 else ("quiet-0", "Ann")
    made.records = [Record(header, played, result)]
    made.noted = [
        Slip(match=1, fault=fault, raw=info.raw[spec.seat])
        for info, faults in pairs
        for fault in faults
    ]
    made.exit = Exit(code=0)
    made.tap = Tap(None)
    for key, value in changes.items():
        setattr(made, key, value)
    return made


def results_of(*bouts):
    """A gauntlet in which these bouts were as they are, and all others well."""
    made = {name: bout(name, {}, {}) for name in (PLAIN, APART, WORDS, ONE, LARGEST, CROWDED)} | {
        one.spec.name: one for one in bouts
    }
    return Results(tested=TESTED, bouts=made)


def item(results, name):
    """One finding."""
    (found,) = (item for item in judge(results) if item.name == name)
    return found


def test_quantiles_are_the_least_times_that_so_many_do_not_exceed():
    """Of 1 to 200 ms the median is the 100th, 99 % the 198th."""
    times = Times(
        limit=0.2, all=tuple(Time(seconds=n / 1000, bout="b", turn=n) for n in range(200, 0, -1))
    )
    assert (0.1, 0.198, 0.2) == (times.quantile(0.5), times.quantile(0.99), times.slowest.seconds)


def test_times_are_of_answers_in_time_under_the_clock_of_the_check():
    """The first apart; not late ones, not those sent ahead, not where the clock was another."""
    late = {"verdict": "late", "raw": None, "took": None, "fault": ("late", None, "late")}
    one = bout(PLAIN, {"took": 30 * MS}, {"took": 2 * MS}, {"took": 4 * MS}, late)
    ahead = bout(WORDS, {"took": 5 * MS}, {})
    (record,) = ahead.records
    sent_ahead = attrs.evolve(record.turns[1], times=((5, 0, 0, 0), (5, 0, 0, 0)))
    ahead.records = [attrs.evolve(record, turns=(record.turns[0], sent_ahead))]
    apart = bout(APART, {"took": 70 * MS}, {"took": 80 * MS})
    firsts, others = times_of([one, ahead, apart], Clock(time_init=20, time_move=0.2))
    assert [0.03, 0.005] == [time.seconds for time in firsts.all]
    assert [0.002, 0.004] == [time.seconds for time in others.all]


def test_round_trips_are_the_bots_own():
    """The median of the smoothed ones and the least of all; without any there is no figure."""
    assert "round trip" not in item(results_of(), "times").said
    one = bout(PLAIN, {}, {}, {})
    seat = str(one.spec.seat)
    other = str(1 - one.spec.seat)
    (record,) = one.records
    ways = [{seat: (3_000, 900), other: (5, 5)}, {seat: (1_500, 800)}, {seat: (90_000, 850)}]
    turns = zip(record.turns, ways, strict=True)
    turns = tuple(attrs.evolve(turn, round_trips=way) for turn, way in turns)
    one.records = [attrs.evolve(record, turns=turns)]
    assert item(results_of(one), "times").said.endswith("; round trip 3.00 ms, at least 0.80 ms")


def test_more_than_half_of_the_limit_is_a_warning_and_passes():
    results = results_of(bout(CROWDED, {}, {}, {"took": 101 * MS}))
    found = item(results, "times")
    assert Status.WARNING is found.status
    assert ("the match when outnumbered, turn 2: 0.101 s of 0.2 s",) == found.evidence
    assert passed(judge(results))


def test_answers_too_slow_for_the_clock_on_the_largest_map_alone_are_a_warning():
    """It had at least 5 s there (gauntlet.PATIENT): it survived, and is told."""
    results = results_of(bout(LARGEST, {}, {"took": 300 * MS}, {}))
    found = item(results, "largest-map")
    assert Status.WARNING is found.status
    assert found.evidence[0].startswith("turn 1: 0.300 s, over the usual 0.2 s")
    assert Status.OK is item(results, "times").status
    assert passed(judge(results))


def test_of_a_game_of_another_package_no_largest_map_is_known():
    """Its maps may be of several sizes, so nothing is said of them."""
    results = attrs.evolve(results_of(), tested=attrs.evolve(TESTED, ruleset=take_away.RULESET))
    assert "2 turns; a whole match on a random map" == item(results, "largest-map").said


def test_a_machine_that_stalls_blames_no_bot():
    """A late answer in a void match: what it was there for couldn't be tried."""
    late = {"verdict": "late", "raw": None, "took": None, "fault": ("late", None, "late")}
    results = results_of(bout(WORDS, {}, late, end="void"))
    judged = judge(results)
    assert {"unknown-keywords", "times"} == {
        item.name for item in judged if item.status is Status.NOT_TRIED
    }
    assert not any(item.status is Status.FAILED for item in judged)
    assert "this machine stalled" in item(results, "times").said
    assert not passed(judged)


def test_lines_sent_before_the_first_turn_hide_whether_there_is_one_a_turn():
    unasked = [Unasked(turn=0, at_start=True, line=b"hello?")]
    results = results_of(bout(PLAIN, {}, {}, unasked=unasked))
    assert Status.FAILED is item(results, "before-go").status
    assert Status.NOT_TRIED is item(results, "answers").status


def test_an_illegal_submove_of_a_long_line_is_shown_by_itself():
    """Submove 20 of a line of 30, four numbers each."""
    words = [f"{n} 0 1 0" for n in range(30)]
    bad = {"raw": " ".join(words), "fault": ("illegal", 20, "20 is outside")}
    results = results_of(bout(PLAIN, {}, bad, end="forfeit"))
    evidence = item(results, "submoves").evidence
    assert "the plain match, turn 1, submove 20: illegal: 20 is outside" == evidence[0]
    assert '  the submove: "20 0 1 0"' == evidence[1]
    assert evidence[2].startswith('  the line: "0 0 1 0 1 0 1 0')
    assert evidence[2].endswith(" … (259 bytes)")


def test_what_went_wrong_in_a_special_match_alone_fails_its_item():
    """The plain match was without a fault: so the large map is why."""
    bad = {"raw": "1 2 3", "verdict": "malformed", "fault": ("malformed", 0, "3 numbers")}
    results = results_of(bout(LARGEST, {}, bad, end="forfeit"))
    failed = {item.name for item in judge(results) if item.status is Status.FAILED}
    assert {"submoves", "largest-map"} == failed


def test_bytes_that_are_no_text_are_shown_as_such():
    assert '"a\\xff"' == shown(b"a\xff")
    assert f'"{"1" * 72}" … (100 bytes)' == shown(b"1" * 100)


GOLDEN = """\
tested, Angry Mob
ok    sends its name in time ('Ann' after 0.25 s of 30 s)
FAIL  answers every turn with one line
      the plain match, turn 2: closed its connection; its process: exited with code 1
      the last lines that it wrote:
        Traceback \\x1b[31m
        KeyError: 'B'
      → find out why it ended: its own output, if there was any, is above
FAIL  sends nothing before go
      turn 3: it answered before `go` had been sent: "1 1 1 0"
      → send your name and then nothing until `go`: the turn's lines end there
FAIL  sends well-formed, legal submoves
      the match with unknown keywords, turn 1, submove 1: illegal: 9 units from (3, 4), where you had 2
        the line: "3 3 1 0 3 4 9 0"
      → check each submove against the position of its own turn, as the game's page says
FAIL  ignores keywords it doesn't know
      the match with unknown keywords, turn 1, submove 1: illegal: 9 units from (3, 4), where you had 2
        the line: "3 3 1 0 3 4 9 0"
      → skip every line whose first word you don't know, wherever it appears, and settings that you don't know (PROTOCOL.md 3)
ok    survives a match of one turn (2 turns; move_limit=1)
ok    plays on the largest map (2 turns; 200 rows, 200 columns)
?     plays on when it is outnumbered (it was gone in turn 1)
ok    ends by itself, with exit code 0, when the match is over (exit code 0)
-     plays a second match on its connection (keep=1) (it doesn't ask for it)
ok    answers in time (first answer 0.001 s of 20 s at the slowest; others 1.00 ms median, 1.00 ms 99 %, 1.00 ms slowest, of 200 ms)
FAIL  leaves no processes behind
      after the match of one turn: 2 processes of its own
      → end the processes that you started, and wait for them, before you exit
5 of 12 items failed; 1 could not be tried
seed 5
"""  # noqa: E501 - as it is printed


def test_the_report_as_it_is_printed():
    gone = {
        "verdict": "missing",
        "raw": None,
        "took": None,
        "fault": ("disconnected", None, "closed its connection"),
    }
    output = "starting\n" * 5 + "Traceback \x1b[31m\nKeyError: 'B'\n"
    plain = bout(PLAIN, {}, {}, gone, end="forfeit", exit=Exit(code=1), output=output[-30:])
    apart = bout(APART, {}, {})
    apart.tap.too_soon.append((3, b"1 1 1 0"))
    words = "9 units from (3, 4), where you had 2"
    illegal = {"raw": "3 3 1 0 3 4 9 0", "fault": ("illegal", 1, words)}
    results = results_of(
        plain,
        apart,
        bout(WORDS, {}, illegal, end="forfeit"),
        bout(ONE, {}, {}, left_behind=2),
        bout(CROWDED, {}, gone, end="forfeit"),
    )
    lines = [printable(line) for line in report(results, judge(results))]
    assert GOLDEN == "\n".join(lines) + "\n"
