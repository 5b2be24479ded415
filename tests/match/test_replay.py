"""Records played again: what verifies, and every kind of corruption that doesn't."""

import json

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from lanista.games import registry
from lanista.games.base import TooManySubmovesError, complete_settings
from lanista.match.clock import ClockInfo
from lanista.match.record import BadRecordError, Header, PlayerInfo, read_record
from lanista.match.replay import MismatchError, positions, start, verify
from match.playing import (
    ANGRYMOB,
    COUNTING,
    SKIPPERS,
    SMALL,
    lines_of,
    random_match,
    rewritten,
    sit,
    speaks,
)
from support import tinygame


def check(folder, lines, ruleset=COUNTING):
    """Verify a record of these lines."""
    return verify(rewritten(folder, lines), ruleset)


@given(seed=st.integers(0, 2**31 - 1), unreliable=st.booleans(), data=st.data())
def test_counting_verifies_and_every_change_is_noticed(tmp_path_factory, seed, unreliable, data):
    """Random bots, reliable or not: the record verifies; with any one deciding field changed it
    doesn't, in one line.
    """
    folder = tmp_path_factory.mktemp("counting")
    table = random_match(folder, COUNTING, SKIPPERS, {"rounds": 6}, seed, unreliable=unreliable)
    change_and_check(table.path, COUNTING, data)


@given(seed=st.integers(-(2**63), 2**63 - 1), unreliable=st.booleans(), data=st.data())
def test_angrymob_verifies_and_every_change_is_noticed(tmp_path_factory, seed, unreliable, data):
    folder = tmp_path_factory.mktemp("angrymob")
    hellos, settings = ["Ann v=1", "Bob v=1"], {"move_limit": 12}
    table = random_match(folder, ANGRYMOB, hellos, settings, seed, unreliable=unreliable)
    change_and_check(table.path, ANGRYMOB, data)


def change_and_check(path, ruleset, data):
    good = lines_of(path)
    assert len(good) - 2 == check(path.parent, good, ruleset)
    lines = json.loads(json.dumps(good))
    header, turns, result = lines[0], lines[1:-1], lines[-1]["result"]
    kinds = ["seed", "board", "setting", "result", "result digest", "count", "digest", "verdict"]
    kinds += ["missing turn", "raw", "fault"]
    kind = data.draw(st.sampled_from(kinds))
    turn = data.draw(st.sampled_from(turns))
    seat = data.draw(st.integers(0, ruleset.seats - 1))
    match kind:
        case "seed":
            header["seed"] = header["seed"] // 2 + 1 if header["seed"] not in (1, 2) else 77
        case "board":
            header["board"] = SMALL if ruleset is ANGRYMOB else "table teak\n"
        case "setting":
            name = next(iter(header["settings"]))
            header["settings"][name] += 1
        case "result":
            key = data.draw(st.sampled_from(["end", "reason", "ranks", "scores"]))
            value = result[key]
            result[key] = [value[0] + 1, *value[1:]] if isinstance(value, list) else "other"
        case "result digest":
            result["digest"] = "0123456789abcdef"
        case "count":
            result["turns"] += 1
        case "digest":
            turn["digest"] = turn["digest"][::-1] + "0"
        case "verdict":
            others = {"answer", "late", "malformed", "missing", "out", "late!"}
            turn["verdicts"][seat] = data.draw(
                st.sampled_from(sorted(others - {turn["verdicts"][seat]}))
            )
        case "missing turn":
            lines.remove(turn)
        case "raw":
            if turn["verdicts"][seat] not in {"answer", "malformed"}:
                return  # what came too late decides nothing
            turn["raw"][seat] = data.draw(st.sampled_from([None, "Q", "9 9 9 9 9", "\t"]))
            if turn["raw"][seat] is not None and turn["verdicts"][seat] == "malformed":
                return  # malformed in another way is the same turn
        case "fault":
            if turn is turns[-1] and turn["verdicts"][seat] == "late":
                return  # it may be out by that, which decides nothing any more
            turn.setdefault("faults", []).append(
                {"turn": turn["turn"], "seat": seat, "code": "late", "index": None, "words": ""}
            )
    with pytest.raises((MismatchError, BadRecordError)) as caught:
        check(path.parent, lines, ruleset)
    assert "\n" not in str(caught.value)


# -- each kind by its words ----------------------------------------------------------------------


@pytest.fixture
def lines(tmp_path):
    """Two rounds of Counting, with an illegal and a malformed answer."""

    async def main():
        table = sit(tmp_path, COUNTING, SKIPPERS, settings={"rounds": 2}, seed=5)
        await table.play(speaks("1", "2"), speaks("77", "4"), speaks("5", "x"))
        return lines_of(table.path)

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def set_in(*path):
    """A change: put the last item at the place that the others lead to."""

    def change(lines):
        place = lines
        *way, key, value = path
        for step in way:
            place = place[step]
        place[key] = value

    return change


RESULT = (-1, "result")
NO_FAULT = {"turn": 1, "seat": 0, "code": "illegal", "index": 0, "words": ""}
WRONG = {
    "digest": (set_in(2, "digest", "f" * 16), "turn 1: digest "),
    "answer": (set_in(1, "raw", 0, "2"), "turn 0: digest "),
    "answer, now malformed": (
        set_in(1, "raw", 0, "x"),
        "turn 0: the answer of seat 0 has verdict 'answer' in the record; by the rules it hasn't",
    ),
    "answer, in order": (
        set_in(2, "raw", 2, "5"),
        "turn 1: the answer of seat 2 has verdict 'malformed' in the record; by the rules it",
    ),
    "answer, refused in two ways": (
        set_in(1, "raw", 1, "77 78"),
        "the numbers of faults by seat are [{}, {'illegal': 1}, {'malformed': 1}] in the record, ",
    ),
    "numbers of faults": (
        set_in(*RESULT, "fault_counts", 0, {"late": 1}),
        "the numbers of faults by seat are [{'late': 1}, {'illegal': 1}, {'malformed': 1}] in",
    ),
    "an example too few": (
        lambda lines: lines[-1]["result"]["faults"].pop(),
        "the result's faults",
    ),
    "verdict, as if it had gone": (
        set_in(1, "verdicts", 0, "missing"),
        "turn 0: seat 0 has verdict 'missing', but has neither gone nor left",
    ),
    "verdict, as if it were out by it": (
        set_in(1, "faults", [{"turn": 0, "seat": 0, "code": "late", "index": None, "words": ""}]),
        "turn 0: the faults of seat 0 are [('late', None)] in the record; with verdict 'answer'",
    ),
    "out before it went": (
        set_in(1, "verdicts", 0, "out"),
        "turn 0: seat 0 has verdict 'out' after 'answer'; a seat is out from the turn after",
    ),
    "unknown verdict": (
        set_in(1, "verdicts", 0, "early"),
        "turn 0: seat 0 has verdict 'early' and answer '1'",
    ),
    "a fault that was none": (
        set_in(2, "faults", [NO_FAULT]),
        "turn 1: the faults of seat 0 are [('illegal', 0)]",
    ),
    "a turn too few": (lambda lines: lines.pop(2), "the record has 1 turns; its result says 2"),
    "result's digest": (set_in(*RESULT, "digest", "0" * 16), "the result's digest is 0000"),
    "result's end": (set_in(*RESULT, "end", "forfeit"), "the result is finished (counted)"),
    "scores": (set_in(*RESULT, "scores", [3, 4, 6]), "the result is finished (counted), ranks"),
    "a turn too many": (
        lambda lines: lines.insert(3, lines[2] | {"turn": 2}),
        "turn 2: by the rules the match was over after turn 1",
    ),
}
UNUSABLE = {
    "seed": (set_in(0, "seed", 4), "the seed 4 makes another board than the record's"),
    "seed's range": (set_in(0, "seed", -1), "the record's seed -1 isn't from 0 to "),
    "board": (set_in(0, "board", "chair"), "the record's header: line 1: a board is one line"),
    "setting": (
        set_in(0, "settings", {"speed": 1}),
        "the record's header: Counting has no setting",
    ),
    "setting's range": (
        set_in(0, "settings", {"rounds": 0}),
        "the record's header: setting rounds",
    ),
    "version": (
        set_in(0, "game_version", "2"),
        "the record is of counting version 2; installed is",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_record_that_says_something_else_than_the_rules(tmp_path, lines, name):
    change, words = WRONG[name]
    change(lines)
    error = BadRecordError if name == "unknown verdict" else MismatchError
    with pytest.raises(error) as caught:
        check(tmp_path, lines)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("verdict", ["answer", "malformed"])
def test_an_answer_of_too_many_submoves(tmp_path, lines, monkeypatch, verdict):
    """It puts its seat out, so it can be neither."""

    def parse(self, seat, tokens):
        raise TooManySubmovesError("more than none")

    monkeypatch.setattr(tinygame.Counting, "parse", parse)
    set_in(1, "verdicts", 0, verdict)(lines)
    with pytest.raises(MismatchError, match="turn 0: the answer of seat 0 has verdict"):
        check(tmp_path, lines)


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_record_that_these_rules_cannot_play(tmp_path, lines, name):
    change, words = UNUSABLE[name]
    change(lines)
    with pytest.raises(BadRecordError) as caught:
        check(tmp_path, lines)
    assert str(caught.value).startswith(words)


def test_a_seat_too_few(tmp_path, lines):
    lines[0]["players"].pop()
    with pytest.raises(BadRecordError, match="the record has 2 players; counting is for 3"):
        check(tmp_path, lines[:1])


def test_nothing_is_wrong_with_it_otherwise(tmp_path, lines):
    """Nor with a name, a time, a clock or a message changed: they decide nothing."""
    assert 2 == check(tmp_path, lines)
    lines[0]["players"][0]["name"] = "Zed"
    lines[1]["times"][0] = [9, 9, 9, 9]
    lines[0]["clock"]["time_move"] = 7.0
    lines[-1]["result"]["faults"][0]["words"] = "as an older version said it"
    assert 2 == check(tmp_path, lines)


def test_a_record_without_result_verifies_as_far_as_it_goes(tmp_path, lines):
    assert [0, 1, 2] == [check(tmp_path, lines[:end]) for end in (1, 2, 3)]


@pytest.mark.parametrize(
    ("end", "reason", "words"),
    [
        ("finished", "counted", "by the rules the match isn't over; in the record its end is"),
        ("forfeit", "all-out", "by the rules the match isn't over"),  # they had answered
        ("forfeit", "removed", "by the rules the match isn't over"),  # here a fault doesn't forfeit
        ("void", "stall", "turn 0: digest "),  # a void turn isn't carried out
        ("aborted", "tired", "the result is aborted (interrupted)"),
    ],
)
def test_an_end_that_is_not_the_rules_must_be_possible(tmp_path, lines, end, reason, words):
    """One turn of two was played, all had answered: only an interrupt could end it there."""
    lines.pop(2)
    result = lines[-1]["result"]
    result.update(turns=1, end=end, reason=reason, ranks=[1, 1, 1], digest=lines[1]["digest"])
    result["scores"] = [1, 0, 5]
    result["faults"].pop()
    result["fault_counts"] = [{}, {"illegal": 1}, {}]
    with pytest.raises(MismatchError) as caught:
        check(tmp_path, lines)
    assert str(caught.value).startswith(words)
    result.update(end="aborted", reason="interrupted")
    assert 1 == check(tmp_path, lines)


def test_the_positions_are_those_of_the_match(tmp_path, lines):
    """The game before the first turn and after every one."""
    record = rewritten(tmp_path, lines)
    seen = [(game.turn, game.digest(), game.scores()) for game in positions(record, COUNTING)]
    assert [0, 1, 2] == [turn for turn, _, _ in seen]
    assert [line["digest"] for line in lines[1:3]] == [digest for _, digest, _ in seen[1:]]
    assert [(0, 0, 0), (1, 0, 5), (3, 4, 5)] == [scores for _, _, scores in seen]
    assert seen[0][1] == start(record.header, COUNTING).digest()


def test_settings_that_do_not_fit_the_board_are_named(tmp_path):
    """Each of them is in order by itself."""
    ruleset = registry.get("hogwarts")
    settings = complete_settings(ruleset, {"NUM_INI_WIZARDS_PER_CLAN": 1, "NUM_INI_BOOKS": 1})
    board = ruleset.write_board(ruleset.generate(settings, ruleset.chance(7)))
    header = Header(
        lanista_record=1,
        software="",
        match="m1",
        started="",
        game="hogwarts",
        game_version=ruleset.version,
        settings={**settings, "NUM_INI_BOOKS": 15},
        board=board,
        generated=False,
        seed=7,
        players=(PlayerInfo(name="Ann", protocol="1"),) * 4,
        clock=ClockInfo(time_init=0, time_move=0, late_limit=10),
    )
    with pytest.raises(BadRecordError, match=r"^the record's header: the board needs"):
        start(header, ruleset)


def test_what_a_record_says_stays_within_the_message_s_line(tmp_path, lines):
    lines[1]["digest"] = "\u2028\x1b[2J" + "x" * 5000
    with pytest.raises(MismatchError) as caught:
        check(tmp_path, lines)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_a_number_without_end_is_none(tmp_path, lines):
    """JSON can write more than a number holds, and frames couldn't hold it."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path = tmp_path / "bad.jsonl"
    path.write_text(text.replace('"digest"', '"stall":1e999,"digest"', 1))
    with pytest.raises(
        BadRecordError, match=r"line 2: not a valid turn \(inf is not a finite number"
    ):
        read_record(path)
