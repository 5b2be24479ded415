"""The first difference of two recorded matches, and what `lanista replay diff` says of it."""

import attrs
import pytest

from lanista.games import registry
from lanista.match.record import read_record
from lanista.match.replay import MismatchError
from lanista.page.difference import first_difference
from match.playing import COUNTING, SKIPPERS, answers
from page.records import AWAY, BACK, ROW, edited, played, unpacked

FOUR = ("Ann v=1", "Bob v=1", "Cy v=1", "Di v=1")
STAY = "0 0 1 1"
"""An illegal submove on ROW: upwards out of the map."""


MOB = registry.get("angrymob")


def match(folder, *lines, rules=MOB, move_limit=1, **how):
    """Play a match in memory, in which each bot answers these lines; its record."""
    usual = {"hellos": FOUR[: len(lines)], "board": None, "ruleset": rules}
    if rules is MOB:
        usual |= {"board": ROW, "settings": {"move_limit": move_limit}}
    return read_record(played(folder, *(answers(*of_seat) for of_seat in lines), **usual | how))


def two(tmp_path, a, b, *, rules=MOB, **how):
    """The first difference of two matches with these answers by seat."""
    records = [
        match(tmp_path / name, *lines, rules=rules, **how) for name, lines in (("a", a), ("b", b))
    ]
    return first_difference(*records, rules)


def test_crematoria_names_units_and_levels(tmp_path):
    """Only the submoves that the other answer doesn't have are told."""
    a, b = [("4 0",), *[("",)] * 3], [("4 0 5 0",), *[("",)] * 3]
    found = two(tmp_path, a, b, rules=registry.get("crematoria"), settings={"nb_rounds": 1})
    [seat] = found.seats
    assert ("'4 0'", (), ("pioneer 5 moves down",)) == (
        seat.a.raw,
        seat.a.submoves,
        seat.b.submoves,
    )
    [line] = [line for line in found.position if line.startswith("pioneer 5: ")]
    assert "at (14, 7) underground, of seat 0" in line.partition(" in A; ")[0]
    assert "at (15, 7) underground, of seat 0" in line.partition(" in A; ")[2]


def test_a_game_without_words_shows_answers_as_sent(tmp_path):
    """And a seat that was late, with why; in a game in which that is no loss."""
    a, b = [("1", "1"), ("2", "2"), ("3", "3")], [("1", "1"), ("2", "2"), ("3", "9")]
    found = two(tmp_path, a, b, rules=COUNTING, hellos=SKIPPERS, settings={"rounds": 2})
    [seat] = found.seats
    assert (1, 2, "'3'", "'9'") == (found.turn, seat.seat, seat.a.raw, seat.b.raw)
    assert "score of seat 2: 6 in A, 12 in B" in found.position


def test_another_spelling_of_an_answer_is_the_same(tmp_path):
    """Not the text but the tokens count; names are told, and are no difference."""
    one = match(tmp_path / "a", (AWAY,), ("",))
    other = match(tmp_path / "b", ("00 0  1 0",), ("",), hellos=("Ann2 v=1", "Bob v=1"))
    found = first_difference(one, other, MOB)
    assert (False, ("seat 0 is 'Ann' in A, 'Ann2' in B",)) == (found.found, found.start)


def test_other_order_and_no_effect_until_later(tmp_path):
    """The answers of turn 0 differ in nothing that counts on the board; those of turn 1 do."""
    moves = ["m 4 2", "m 5 2"]
    a = [(" ".join(moves), ""), *[("", "")] * 3]
    b = [(" ".join(moves[::-1]), "m 4 0"), *[("", "")] * 3]
    found = two(tmp_path, a, b, rules=registry.get("hogwarts"), settings={"NUM_ROUNDS": 2})
    assert (0, 2) == (found.turn, found.position_turn)
    assert "the same submoves in another order" == found.seats[0].note
    assert any(line.startswith("wizard 4: ") for line in found.position)


def test_a_refused_answer_says_why(tmp_path):
    """It ends the match in B."""
    a, b = [(AWAY, BACK), ("", "")], [(STAY,), ("",)]
    found = two(tmp_path, a, b, move_limit=2)
    assert (0, ()) == (found.turn, found.seats[0].a.faults)
    assert found.seats[0].b.faults[0].startswith("submove 0: illegal: ")
    assert found.position[0].startswith("the match goes on in A, is over: forfeit")


@pytest.mark.parametrize(
    ("how", "line"),
    [
        ({"seed": 8}, "the seeds differ: 7 in A, 8 in B"),
        ({"move_limit": 2}, "setting 'move_limit': 1 in A, 2 in B"),
        (
            {"board": "2 4\n. A . .\n. . B .\n"},
            "the maps differ, first in line 2 of the map's file",
        ),
    ],
)
def test_matches_that_begin_differently_are_not_compared(tmp_path, how, line):
    one = match(tmp_path / "a", (AWAY,), ("",))
    silent = ("",) * how.get("move_limit", 1)
    other = match(tmp_path / "b", silent, silent, **how)
    found = first_difference(one, other, MOB)
    assert (False, None, True) == (found.is_comparable, found.turn, found.found)
    assert (line,) == found.start


def test_the_end_of_a_line_is_a_difference_of_maps(tmp_path):
    """No ruleset writes it like that, but whoever edits a record may."""
    one = match(tmp_path / "a", ("",), ("",))
    header = attrs.evolve(one.header, board=one.header.board.rstrip("\n"))
    found = first_difference(one, attrs.evolve(one, header=header), MOB)
    line = len(one.header.board.splitlines())
    assert (f"the maps differ, first in line {line} of the map's file",) == found.start


def test_other_games_are_told_first(tmp_path):
    one = match(tmp_path / "a", ("",), ("",))
    crematoria = {"rules": registry.get("crematoria"), "settings": {"nb_rounds": 1}}
    other = match(tmp_path / "b", *[("",)] * 4, **crematoria)
    found = first_difference(one, other, MOB)
    assert ("the games differ: angrymob in A, crematoria in B",) == found.start


def test_a_match_that_was_cut_off_differs_in_its_end(tmp_path):
    """All turns that both have are the same."""
    whole = match(tmp_path, (AWAY, BACK), ("", ""), move_limit=2)
    part = tmp_path / "cut.jsonl.part"
    part.write_bytes(b"".join(unpacked(tmp_path / "m1.jsonl.gz")[:2]))
    found = first_difference(whole, read_record(part), MOB)
    assert (None, True, (2, 1)) == (found.turn, found.found, found.turns)
    assert (
        "A ended after 2 moves: 'finished' ('move-limit'), scores 1, 1",
        "B was cut off after 1 move: it has no result",
    ) == found.end


def test_an_answer_that_the_rules_cannot_read_is_a_mismatch(tmp_path):
    """Where the answers first differ, each is judged before it is put into words."""
    whole = match(tmp_path, (AWAY, BACK), ("", ""), move_limit=2)
    raw = {"raw": ["0 0 ?", ""]}
    wrong = edited(tmp_path / "m1.jsonl.gz", tmp_path / "wrong.jsonl", {2: raw})
    with pytest.raises(MismatchError, match="turn 1: the answer of seat 0 has verdict"):
        first_difference(whole, read_record(wrong), MOB)
